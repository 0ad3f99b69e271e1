"""Indexing: the same content gives the same bytes however it is worked on, and only what changed costs."""

import gc
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import corpusgraph
from corpusgraph.flows.engine import rare_collection
from corpusgraph.flows.store.tables import TABLES
from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.errors import IndexNotFoundError
from corpusgraph.schemas.run import IndexReport
from tests.conftest import write_corpus

CODE = """
import json, sys
from pathlib import Path
import corpusgraph
report = corpusgraph.index(sys.argv[1], name="made", outputs=Path(sys.argv[2]))
lance = sorted(name for name in sys.modules if name.partition(".")[0] in {"lancedb", "lance", "pandas"})
print(json.dumps({"generation": report.generation, "up_to_date": report.up_to_date, "lance": lance}))
"""


def index(corpus: Path, outputs: Path, **more: Any) -> IndexReport:
    return corpusgraph.index(corpus, name="made", outputs=outputs, **more)


def elsewhere(corpus: Path, outputs: Path, seed: str) -> dict[str, Any]:
    """Index in another process, with another order of its sets."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(corpus), str(outputs)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def parquet(outputs: Path) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in (outputs / "made" / "output").glob("*.parquet")}
    assert len(found) == 7
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, IndexReport]:
    """Return the tiny corpus, the outputs it was indexed into, and the report."""
    home = tmp_path_factory.mktemp("made")
    corpus = write_corpus(home / "corpus")
    return corpus, home / "outputs", index(corpus, home / "outputs")


@pytest.mark.parametrize(
    "more",
    [{}, {"batch_documents": 1}, {"workers": 2, "batch_documents": 2}],
    ids=["again", "batch", "workers"],
)
def test_how_the_work_is_cut_does_not_matter(
    made: tuple[Path, Path, IndexReport], tmp_path: Path, more: dict[str, Any]
) -> None:
    corpus, outputs, report = made
    other = index(corpus, tmp_path, **more)
    assert other.n_extracted == report.n_extracted == 3
    assert other.generation == report.generation
    assert other.counts == report.counts
    assert parquet(tmp_path) == parquet(outputs)


@pytest.mark.faults
@pytest.mark.parametrize("seed", ["1"])
def test_the_hash_seed_of_python_does_not_matter(
    made: tuple[Path, Path, IndexReport], tmp_path: Path, seed: str
) -> None:
    corpus, outputs, report = made
    assert elsewhere(corpus, tmp_path, seed)["generation"] == report.generation
    assert parquet(tmp_path) == parquet(outputs)


def test_an_unchanged_run_does_nothing_and_never_waits_for_the_database(
    made: tuple[Path, Path, IndexReport],
) -> None:
    corpus, outputs, report = made
    manifest = (outputs / "made" / "manifest.json").read_bytes()
    told = elsewhere(corpus, outputs, "0")
    assert told == {"generation": report.generation, "up_to_date": True, "lance": []}
    assert (outputs / "made" / "manifest.json").read_bytes() == manifest


@pytest.fixture
def own(made: tuple[Path, Path, IndexReport], tmp_path: Path) -> tuple[Path, Path]:
    """Return a corpus and its outputs to change."""
    corpus, outputs, _ = made
    shutil.copytree(corpus, tmp_path / "corpus")
    shutil.copytree(outputs, tmp_path / "outputs")
    return tmp_path / "corpus", tmp_path / "outputs"


def test_a_changed_document_alone_is_extracted_and_the_rest_follows(
    own: tuple[Path, Path], made: tuple[Path, Path, IndexReport], tmp_path: Path
) -> None:
    corpus, outputs = own
    told = (corpus / "farr.txt").read_text(encoding="utf-8")
    (corpus / "farr.txt").write_text(told + " Dr. John Snow met William Farr in Soho.", encoding="utf-8")
    report = index(corpus, outputs)
    anew = index(corpus, tmp_path / "anew")
    assert (report.n_extracted, report.n_reused, anew.n_extracted) == (1, 2, 3)
    assert report.generation == anew.generation != made[2].generation
    assert report.counts == anew.counts
    assert parquet(outputs) == parquet(tmp_path / "anew")


def test_a_removed_document_is_gone_from_every_table(
    own: tuple[Path, Path], made: tuple[Path, Path, IndexReport]
) -> None:
    corpus, outputs = own
    (corpus / "board.md").unlink()
    gone = stable_id("doc", "path", "board.md")
    before = corpusgraph.open("made", outputs)
    chunks = {chunk.id for chunk in before.graph.chunks if chunk.source_doc == gone}
    assert chunks
    report = index(corpus, outputs)
    assert (report.n_extracted, report.n_reused) == (0, 2)
    after = corpusgraph.open("made", outputs)
    for name in TABLES:
        table = after._read(name, TABLES[name].schema().names)
        for column in table.columns:
            told = " ".join(map(str, column.to_pylist()))
            assert gone not in told, name
            assert not [chunk for chunk in chunks if chunk in told], name
    names = {entity.name for entity in before.graph.entities} - {
        entity.name for entity in after.graph.entities
    }
    assert "General Board of Health" in names
    assert report.counts["entities"] < made[2].counts["entities"]


def test_a_damaged_manifest_is_told_and_a_rebuild_takes_its_place(
    own: tuple[Path, Path], made: tuple[Path, Path, IndexReport]
) -> None:
    corpus, outputs = own
    manifest = outputs / "made" / "manifest.json"
    whole = json.loads(manifest.read_bytes())
    for damaged in ("{", "[]", json.dumps({**whole, "generation": 7})):
        manifest.write_text(damaged, encoding="utf-8")
        with pytest.raises(IndexNotFoundError) as told:
            index(corpus, outputs)
        assert told.value.code == "manifest_unreadable"
        assert index(corpus, outputs, rebuild=True).generation == made[2].generation
        assert parquet(outputs) == parquet(made[1])
    later = json.dumps({**whole, "format": whole["format"] + 1})
    manifest.write_text(later, encoding="utf-8")
    with pytest.raises(IndexNotFoundError, match="this version reads up to"):
        index(corpus, outputs, rebuild=True)
    assert manifest.read_text(encoding="utf-8") == later


def test_the_collector_gets_its_thresholds_back() -> None:
    before = gc.get_threshold()
    with rare_collection():
        assert gc.get_threshold() != before
    assert gc.get_threshold() == before
