"""An indexing run that has nothing to do."""

import shutil
from pathlib import Path

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.files.manifest import write_manifest
from corpusgraph.flows.memory import FACT
from corpusgraph.flows.store.journal import FILE, Journal, Place
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.errors import IndexNotFoundError, MemoryFileError
from corpusgraph.schemas.run import IndexReport
from corpusgraph.schemas.study import Study
from tests.journal.test_journal import change

KNOWN = 3
"""Changes."""


@pytest.fixture
def outputs(tiny: tuple[Path, str], tmp_path: Path) -> Path:
    """Return outputs with a copy of the index, whose communities know of three people noted by hand."""
    copy = shutil.copytree(tiny[0], tmp_path / "outputs")
    journal, place = Journal(copy / "tiny" / FILE), Place()
    with journal.writing():
        for number in range(1, KNOWN + 1):
            _, place = journal.append(change(number), place)
    manifest = IndexStore(copy).published("tiny")
    write_manifest(copy / "tiny", manifest.model_copy(update={"facts": {**manifest.facts, FACT: KNOWN}}))
    return copy


@pytest.fixture
def corpus(tiny: tuple[Path, str]) -> Path:
    return tiny[0].parent / "corpus"


def index(corpus: Path, outputs: Path, *, rebuild: bool = False) -> IndexReport:
    study = Study.model_validate({"study": "tiny", "corpus": {"path": str(corpus)}})
    return api.index(study, outputs=outputs, rebuild=rebuild)


def test_damage_is_told_before_anything_is_made_of_it(corpus: Path, outputs: Path) -> None:
    journal = outputs / "tiny" / FILE
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([lines[0], b"garbage\n", lines[2]]))
    published = IndexStore(outputs).published("tiny")
    for rebuild in (False, True):
        with pytest.raises(MemoryFileError, match="line 2: is not JSON"):
            index(corpus, outputs, rebuild=rebuild)
    journal.write_bytes(b"".join([*lines[:2], b"garbage\n"]))
    with pytest.raises(MemoryFileError, match="line 3: is not JSON"):
        index(corpus, outputs)
    assert IndexStore(outputs).published("tiny") == published


def test_a_run_opens_no_index_to_tell_what_it_published(
    corpus: Path, outputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(IndexStore, "open_corpus", never)
    report = index(corpus, outputs, rebuild=True)
    assert report.counts == IndexStore(outputs).published("tiny").counts
    with pytest.raises(IndexNotFoundError, match="There is no index 'tinny'") as told:
        IndexStore(outputs).published("tinny")
    assert "'tiny'" in str(told.value.hint)
