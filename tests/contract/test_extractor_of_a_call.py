"""Tools that read texts read them by what ships, and with an index as its own documents were read."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from corpusgraph.flows import api
from corpusgraph.flows.cli.main import cli
from corpusgraph.flows.methods import load_method
from corpusgraph.flows.ports import IndexResources
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.study import Study
from corpusgraph.tasks.method.run import run_method

TEXT = "Cholera struck London."
PATTERN = "language: en\npatterns:\n  - {type: afflicts, verb: [strike]}\n"
METHOD = """
method: reread
steps:
  - chunk_vdb_search: {query: $q, top_k: 1}
    as: passages
  - extract_relationships: {chunks: $passages, source: text}
    as: stated
"""
DOCUMENTS: JsonDict = {"documents": [TEXT]}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return outputs with an index whose study has a pattern of its own."""
    home = tmp_path_factory.mktemp("patterns")
    (home / "own.yml").write_text(PATTERN, encoding="utf-8")
    (home / "reread.yml").write_text(METHOD, encoding="utf-8")
    (home / "corpus").mkdir()
    (home / "corpus" / "one.txt").write_text("Typhus struck Dublin.", encoding="utf-8")
    fields = {"corpus": {"path": str(home / "corpus")}, "index": {"patterns": str(home / "own.yml")}}
    api.index(Study.model_validate({"study": "own", **fields}), outputs=home / "outputs")
    return home / "outputs"


def types_of(structures: Any) -> set[str]:
    """Return the types of the relationships of a graph made from texts."""
    made = structures if isinstance(structures, dict) else structures.model_dump()
    return {edge["type"] for edge in made["graph"]["edges"]}


def through_the_command_line(tool: str, arguments: JsonDict, *options: str) -> Any:
    command = ["tool", tool, "--input", "-", "--json", *options]
    printed = CliRunner().invoke(cli, command, input=json.dumps(arguments), standalone_mode=False).stdout
    return json.loads(printed)["data"]


def test_without_an_index_texts_are_read_by_what_ships(tmp_path: Path) -> None:
    name, said = "transform_document_to_structures", {"documents": ["Contaminated water caused cholera."]}
    nowhere = str(tmp_path / "nothing")
    assert types_of(api.call(name, said, outputs=nowhere).data) == {"causes"}
    assert types_of(getattr(api.tools, name)(outputs=nowhere, **said)) == {"causes"}
    assert types_of(through_the_command_line(name, said, "--outputs", nowhere)) == {"causes"}
    assert "afflicts" not in types_of(api.call(name, DOCUMENTS, outputs=nowhere).data)


def test_with_an_index_its_own_patterns_read_texts_on_every_surface(outputs: Path) -> None:
    name, place = "transform_document_to_structures", ("--index", "own", "--outputs", str(outputs))
    called = api.call(name, DOCUMENTS, index="own", outputs=outputs)
    assert types_of(called.data) == {"afflicts"}
    assert called.metadata["index"] == "own"
    assert types_of(getattr(api.tools, name)("own", outputs, **DOCUMENTS)) == {"afflicts"}
    assert types_of(through_the_command_line(name, DOCUMENTS, *place)) == {"afflicts"}
    hits = through_the_command_line("extract_relationships", {"texts": [TEXT]}, *place)
    assert {hit["item"]["type"] for hit in hits} == {"afflicts"}
    noted = [{"name": "Note", "entityType": "note", "observations": ["Typhus struck Cork."]}]
    api.call(
        "create_entities", {"entities": [*noted, {"name": "Cork", "entityType": "place"}]}, "own", outputs
    )
    assert api.call("extract_all_relationships", {}, "own", outputs).success
    stated = api.call("read_graph", {}, "own", outputs).data.model_dump(mode="json")["relations"]
    assert {"from": "Typhus", "to": "Cork", "relationType": "afflicts"} in stated


def test_steps_of_a_method_read_with_the_patterns_of_the_index(outputs: Path) -> None:
    ports = IndexResources(api.open("own", outputs))
    ran = run_method(load_method(str(outputs.parent / "reread.yml")), "What struck Dublin?", ports)
    assert {hit.item.type for hit in ran.results["stated"]} == {"afflicts"}
