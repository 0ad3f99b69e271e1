"""Fixtures shared by all folders: a tiny corpus, indexed once per session."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import settings

from corpusgraph.flows import api
from corpusgraph.flows.annotate.english import EnglishReader
from corpusgraph.schemas.annotation import Annotation
from corpusgraph.schemas.study import Study
from tests.examples import tried

settings.register_profile("tried", max_examples=tried(100), deadline=None)
settings.load_profile("tried")

SHARED = Path(__file__).resolve().parents[1].parent / "shared"

TEXTS = {
    "snow.txt": (
        "Dr. John Snow lived in London. On 8 September 1854 the Board of Guardians removed the handle of the pump "
        "in Broad Street. Snow argued that contaminated water caused cholera. Cholera led to many deaths."
    ),
    "board.md": (
        "---\ntitle: The Board answers\nauthor: General Board of Health\ndate: 1855-07-10\n---\n"
        "The General Board of Health met in London. The Board claimed that foul air caused cholera, because the "
        "smell was strong. However, Snow denied that foul air caused cholera. Poverty resulted in overcrowding."
    ),
    "farr.txt": (
        "William Farr worked for the General Register Office. In 1866 Farr wrote that contaminated water caused "
        "the epidemic in East London. Overcrowding depends on poverty. Joseph Bazalgette built the sewers of London."
    ),
}


def read_once() -> None:
    """Let a text that many tests index be parsed once by each worker: its annotation is always the same."""
    annotate = EnglishReader.annotate

    @lru_cache(2048)
    def annotated(reader: EnglishReader, text: str, language: str) -> Annotation:
        return annotate(reader, [text], language)[0]

    def remembered(reader: EnglishReader, texts: Sequence[str], language: str = "en") -> list[Annotation]:
        return [annotated(reader, text, language) for text in texts]

    EnglishReader.annotate = remembered  # type: ignore[assignment,method-assign]


read_once()

SLOW = {
    "annotate": "options runs",
    "argument": "codes",
    "badinput": "bad_input command_line",
    "causal": "independence_tests",
    "cli": "bundle_of_a_call",
    "contract": "every_tool",
    "evaluate": "evaluate",
    "export": "dta",
    "extraction": "properties",
    "faults": "server_faults",
    "filters": "filtered_corpus",
    "flows": "index",
    "fuzz": "broken_prose every_tool",
    "graph": "ppr",
    "graphrag": "contract engine",
    "incremental": "edits model model_edits update",
    "interop": "as_they_were_noted into",
    "journal": "memory",
    "mcp": "calling listing progress",
    "method": "compatibility side_by_side",
    "modelresolution": "asking",
    "modelruns": "cut runs",
    "openie": "index_from_openie",
    "pictures": "argument_picture drawing statistical_picture",
    "presets": "every_preset faults",
    "remember": "at_index_time following index",
    "replication": "memory replicate",
    "retrieve": "late_vectors robust",
    "store": "compiled_graph qdrant search",
    "study": "broad_street what_stays",
    "transform": "transform_document_to_structures",
}
"""Folder -> its files that index and rebuild corpora again and again, or start many processes."""


def write_corpus(folder: Path) -> Path:
    """Write the tiny corpus below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow, and run first what says most: the sample study gives the same bytes everywhere."""
    for item in items:
        if item.path.stem.removeprefix("test_") in SLOW.get(item.path.parent.name, "").split():
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: "test_sample_study.py" not in item.nodeid)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the outputs folder that holds the tiny corpus's index, and the index's name."""
    home = tmp_path_factory.mktemp("tiny")
    study = Study.model_validate({"study": "tiny", "corpus": {"path": str(write_corpus(home / "corpus"))}})
    api.index(study, outputs=home / "outputs")
    return home / "outputs", "tiny"
