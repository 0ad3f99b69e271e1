"""After any edits an index is the one that a rebuild from nothing makes of the same documents."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import corpusgraph
from tests.examples import tried
from tests.incremental.corpora import SOURCES, TITLES, assert_equal, contents, index, texts, write, written

edits = st.lists(
    st.tuples(
        st.sampled_from(("index", "update", "remove")),
        st.dictionaries(
            st.sampled_from(SOURCES), st.tuples(st.sampled_from(TITLES), texts), min_size=1, max_size=3
        ),
    ),
    min_size=1,
    max_size=5,
)


def replay(home: Path, steps: list[tuple[str, dict[str, tuple[str, str]]]]) -> dict[str, str]:
    """Make the edits one after another and return the documents the index ought to hold."""
    held: dict[str, str] = {"a.txt": "Dr. John Snow lived in London.", "z.txt": "Ada Snow met Snow in Soho."}
    index(write(home / "corpus", held), home / "outputs")
    removed: set[str] = set()
    for kind, chosen in steps:
        files = {source: written(source, *told) for source, told in chosen.items()}
        if kind == "update":
            index(write(home / "more", files), home / "outputs", update=True)
            held, removed = held | files, removed - files.keys()
        elif kind == "remove":
            gone = sorted(files.keys() & held.keys())
            if gone and len(gone) < len(held):
                corpusgraph.remove("made", gone, outputs=home / "outputs")
                held, removed = {k: v for k, v in held.items() if k not in gone}, removed | {*gone}
        else:
            kept = {"z.txt": "Ada Snow met Snow in Soho.", **files}
            index(write(home / "corpus", kept), home / "outputs")
            held = {k: v for k, v in kept.items() if k not in removed} or held
    return held


def check(steps: list[tuple[str, dict[str, tuple[str, str]]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        held = replay(home, steps)
        shutil.rmtree(home / "corpus", ignore_errors=True)
        index(write(home / "anew", held), home / "fresh")
        assert_equal(contents(home / "outputs"), contents(home / "fresh"))


@settings(
    max_examples=tried(2),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)
@given(edits)
def test_edited_equals_rebuilt(steps: list[Any]) -> None:
    check(steps)


@pytest.mark.faults
@settings(
    max_examples=tried(60),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(edits)
@pytest.mark.timeout(900)
def test_edited_equals_rebuilt_many_times(steps: list[Any]) -> None:
    check(steps)
