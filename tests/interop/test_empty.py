"""An empty index opens and answers; the commands of interchange, as a person gives them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from corpusgraph.flows import api
from corpusgraph.flows.cli.main import cli
from corpusgraph.flows.interop.graphrag_read import graphrag_parcel
from corpusgraph.flows.interop.graphrag_write import VERSIONS
from corpusgraph.flows.interop.jsonl import read_jsonl
from corpusgraph.flows.interop.memory_parcel import memory_parcel
from corpusgraph.flows.interop.sources import export_graphrag, export_memory, new_memory
from corpusgraph.flows.interop.sqlite import read_sqlite
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks import registry as _tool
from tests.contract.examples import EXAMPLES

REFUSALS = {"unknown_entity", "unknown_item", "missing_attribute", "missing_resource"}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outputs")
    new_memory("empty", outputs=folder)
    return folder


@pytest.mark.faults
def test_every_tool_that_reads_answers_or_says_what_is_missing(outputs: Path) -> None:
    before = api.open("empty", outputs).manifest.generation
    asked = [tool for name, tool in _tool.load().items() if tool.effect == "reads" and name in EXAMPLES]
    assert len(asked) > 30
    for tool in asked:
        found = api.call(tool.name, EXAMPLES[tool.name], index="empty", outputs=outputs)
        assert found.success or (found.error is not None and found.error.code in REFUSALS), (
            tool.name,
            found.error,
        )
    assert api.open("empty", outputs).manifest.generation == before
    assert api.ask("What is there?", index="empty", outputs=outputs).passages == ()


def test_an_empty_index_is_written_and_read(outputs: Path, tmp_path: Path) -> None:
    for version in VERSIONS:
        counts = export_graphrag("empty", tmp_path / version, version=version, outputs=outputs).counts
        assert set(counts.values()) == {0}
        parcel, _ = graphrag_parcel(tmp_path / version)
        assert (parcel.entities, parcel.chunks, parcel.communities) == ([], [], [])
    export_memory("empty", tmp_path / "m.jsonl", outputs=outputs)
    assert (tmp_path / "m.jsonl").read_bytes() == b""
    assert memory_parcel(read_jsonl(tmp_path / "m.jsonl")).entities == []
    export_memory("empty", tmp_path / "m.db", outputs=outputs)
    assert memory_parcel(read_sqlite(tmp_path / "m.db")).entities == []


def test_an_empty_index_is_not_made_over_another(outputs: Path) -> None:
    with pytest.raises(InvalidInputError, match="already"):
        new_memory("empty", outputs=outputs)


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(
        cli, [str(word) for word in words], standalone_mode=False, catch_exceptions=False
    )


def told(*words: str | Path) -> Any:
    return json.loads(run(*words, "--json").stdout)


@pytest.mark.faults
def test_a_memory_by_commands_alone(tmp_path: Path) -> None:
    folder = ("--outputs", tmp_path / "outputs")
    file = tmp_path / "m.jsonl"
    file.write_text(
        '{"type":"entity","name":"A","entityType":"x","observations":["A is first"]}\n{oops', encoding="utf-8"
    )
    assert "empty index" in run("memory", "new", "m", *folder).output
    assert "Nothing was added" in run("memory", "history", "m", *folder).output
    done = run("memory", "import", "m", file, *folder)
    assert "1 entities, 1 observations (change 1)" in done.output
    assert "line 2" in done.output
    assert "1 create entity, 1 observe" in run("memory", "history", "m", *folder).output
    assert told("memory", "export", "m", "--to", tmp_path / "m.db", *folder)["counts"]["entities"] == 1
    assert told("import", "sqlite", tmp_path / "m.db", "--name", "n", *folder)["counts"]["entities"] == 1
    assert "up to date" in run("memory", "upgrade", tmp_path / "m.db", "--in-place").output
    assert "change 1 of m does not count" in run("memory", "undo", "m", *folder).output
    with pytest.raises(InvalidInputError, match="no change to undo"):
        run("memory", "undo", "m", *folder)
    assert told("memory", "history", "m", *folder)["changes"][0]["undone"]
    files = told(
        "export", "n", "--format", "graphrag", "--graphrag-version", "1", "--to", tmp_path / "g", *folder
    )
    assert min(Path(one).name for one in files["files"]) == "create_final_communities.parquet"
    assert told("import", tmp_path / "g", "--name", "g", *folder)["format"] == "graphrag"
