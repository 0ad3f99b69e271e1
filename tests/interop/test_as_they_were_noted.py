"""An imported memory answers as the server did whose file it is, and what is taken back is not told again."""

import json
import math
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.api import call
from corpusgraph.flows.interop.sources import export_memory, import_index, new_memory
from tests.interop.test_jsonl import saved

LONG = "The planning meeting " + "decided many things about the roadmap and the budget, " * 12 + "and ended."
LINES: list[dict[str, Any]] = [
    {"type": "entity", "name": "Zeta", "entityType": "note", "observations": [LONG]},
    {"type": "entity", "name": "Lines", "entityType": "note", "observations": ["one\ntwo", "a  b"]},
    {"type": "entity", "name": "Alpha", "entityType": "note", "observations": ["first", "second"]},
    {"type": "entity", "name": "Twice", "entityType": "note", "observations": ["same", "other", "same"]},
    {
        "type": "entity",
        "name": "Own members",
        "entityType": "note",
        "observations": [],
        "origin": "elsewhere",
        "aliases": ["Mine"],
        "n_documents": 7,
    },
    {"type": "relation", "from": "Alpha", "to": "Alpha", "relationType": "mentions"},
    {
        "type": "relation",
        "from": "Alpha",
        "to": "Zeta",
        "relationType": "Depends On",
        "context": {"by": "hand"},
    },
    {"type": "relation", "from": "Zeta", "to": "Zeta", "relationType": "mentions"},
]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outputs = tmp_path_factory.mktemp("noted")
    (outputs / "memory.jsonl").write_bytes(saved(LINES))
    import_index(outputs / "memory.jsonl", "mem", outputs=outputs)
    return outputs


@pytest.fixture
def outputs(imported: Path, tmp_path: Path) -> Path:
    """Return outputs of one's own with the imported index."""
    shutil.copytree(imported / "mem", tmp_path / "mem")
    return tmp_path


def told(outputs: Path, tool: str, /, **asked: Any) -> Any:
    result = call(tool, asked, "mem", outputs)
    assert result.success, result.error
    return result.data.model_dump(mode="json", by_alias=True)


def noted(outputs: Path, *names: str) -> dict[str, list[str]]:
    entities = told(outputs, "open_nodes", names=list(names))["entities"]
    return {entity["name"]: entity["observations"] for entity in entities}


def test_observations_are_those_of_the_file_and_in_its_order(imported: Path) -> None:
    graph = told(imported, "read_graph")
    kept = [(e["name"], e["observations"]) for e in graph["entities"]]
    expected = [
        (line["name"], list(dict.fromkeys(line["observations"])))
        for line in LINES
        if line["type"] == "entity"
    ]
    assert kept == expected


def test_what_is_taken_back_is_told_no_more(outputs: Path) -> None:
    gone = [{"entityName": "Alpha", "observations": ["first", "second"]}]
    told(outputs, "delete_observations", deletions=gone)
    assert noted(outputs, "Alpha") == {"Alpha": []}
    told(outputs, "add_observations", observations=[{"entityName": "Alpha", "contents": ["third"]}])
    assert noted(outputs, "Alpha") == {"Alpha": ["third"]}
    export_memory("mem", outputs / "back.jsonl", outputs=outputs)
    line = next(one for one in _lines(outputs / "back.jsonl") if one["name"] == "Alpha")
    assert line["observations"] == ["third"]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_what_is_noted_twice_and_members_called_like_ours_are_written_back(imported: Path) -> None:
    export_memory("mem", imported / "back.jsonl", outputs=imported)
    assert (imported / "back.jsonl").read_bytes() == (imported / "memory.jsonl").read_bytes()


def test_a_relation_of_an_entity_with_itself_can_be_taken_out(outputs: Path) -> None:
    relation = {"from": "Alpha", "to": "Alpha", "relationType": "mentions"}
    assert relation in told(outputs, "open_nodes", names=["Alpha"])["relations"]
    deleted = told(outputs, "delete_relations", relations=[relation])
    assert deleted["message"] == "Relations deleted successfully"
    (edge,) = told(outputs, "build_local_graph", entity_ids=["Zeta"])["graph"]["edges"]
    told(outputs, "remove_entity_relationship", relationship_id=edge["id"])
    graph = told(outputs, "read_graph")
    assert [one["relationType"] for one in graph["relations"]] == ["Depends On"]
    told(outputs, "undo_change")
    assert len(told(outputs, "read_graph")["relations"]) == 2


def test_a_line_that_says_a_relation_of_the_file_is_not_read_as_another(outputs: Path) -> None:
    before = told(outputs, "read_graph")["relations"]
    done = told(outputs, "extract_all_relationships")["statistics"]
    assert (done["total_processed"], done["relationships_added"]) == (5, 0)
    assert told(outputs, "read_graph")["relations"] == before


def test_what_was_made_for_a_relation_is_written_without_an_observation(outputs: Path) -> None:
    relation = {"from": "Alpha", "to": "Brand new", "relationType": "made of"}
    told(outputs, "create_relations", relations=[relation])
    export_memory("mem", outputs / "back.jsonl", outputs=outputs)
    assert [one for one in _lines(outputs / "back.jsonl") if one.get("name") == "Brand new"] == []
    import_index(outputs / "back.jsonl", "again", outputs=outputs)
    (made,) = call("open_nodes", {"names": ["Brand new"]}, "again", outputs).data.entities
    assert made.observations == ()


def test_what_was_imported_is_pruned_only_when_asked_for(outputs: Path) -> None:
    asked = {"min_evidence": 2}
    shown = told(outputs, "prune_relationships", **asked)
    assert (shown["pruned_count"], shown["protected_count"]) == (0, 3)
    done = told(outputs, "prune_relationships", **asked, include_hand=True, dry_run=False)
    assert done["pruned_count"] == 3
    assert told(outputs, "read_graph")["relations"] == []
    told(outputs, "undo_change", change=done["change"])
    assert len(told(outputs, "read_graph")["relations"]) == 3


def test_added_to_an_index_it_is_added_once(imported: Path, tmp_path: Path) -> None:
    new_memory("mem", outputs=tmp_path)
    first = import_index(imported / "memory.jsonl", into="mem", outputs=tmp_path)
    assert first.warnings == ()
    assert first.counts["relationships"] == 3
    again = import_index(imported / "memory.jsonl", into="mem", outputs=tmp_path)
    assert again.change is None
    export_memory("mem", tmp_path / "back.jsonl", outputs=tmp_path)
    line = next(one for one in _lines(tmp_path / "back.jsonl") if one["name"] == "Own members")
    assert (line["origin"], line["aliases"], line["n_documents"]) == ("elsewhere", ["Mine"], 7)


def test_no_weight_is_below_nothing(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection:
        connection.executescript("""
            CREATE TABLE entities (id INTEGER PRIMARY KEY, name TEXT, entity_type TEXT);
            CREATE TABLE observations (id INTEGER PRIMARY KEY, entity_id INTEGER, content TEXT);
            CREATE TABLE relations (id INTEGER PRIMARY KEY, from_entity_id INTEGER, to_entity_id INTEGER,
                relation_type TEXT, weight REAL);
            INSERT INTO entities VALUES (1, 'A', 'x'), (2, 'B', 'x');
            INSERT INTO relations VALUES (1, 1, 2, 'uses', 0.0);
        """)
    new_memory("mem", outputs=tmp_path)
    import_index(tmp_path / "memory.db", into="mem", outputs=tmp_path)
    (row,) = told(tmp_path, "get_entity_neighbors", entity_id="A")["neighbors"]
    assert (row["weight"], math.copysign(1, row["weight"])) == (0.0, 1.0)


def test_what_no_call_could_note_can_be_taken_back(tmp_path: Path) -> None:
    odd = ["", "  ", "\u0001\u001b[0m", "x" * 150_000, "e\u0301 apart"]
    ends = {"from": "Ada\u0007", "to": "y" * 3000, "relationType": ""}
    named = [
        {"type": "entity", "name": ends[end], "entityType": "t", "observations": odd}
        for end in ("from", "to")
    ]
    (tmp_path / "memory.jsonl").write_bytes(saved([*named, {"type": "relation", **ends}]))
    import_index(tmp_path / "memory.jsonl", "mem", outputs=tmp_path)
    for name in (ends["from"], ends["to"]):
        told(tmp_path, "delete_observations", deletions=[{"entityName": name, "observations": odd[:-1]}])
    told(tmp_path, "split_entity", entity=ends["from"], name="Ada", observations=odd[-1:])
    assert noted(tmp_path, ends["from"], "Ada") == {ends["from"]: [], "Ada": ["\u00e9 apart"]}
    told(tmp_path, "delete_relations", relations=[ends])
    assert told(tmp_path, "read_graph")["relations"] == []


def test_what_has_no_type_is_written_with_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "memory.jsonl").write_bytes(saved([{"type": "entity", "name": "A", "observations": ["x"]}]))
    import_index(tmp_path / "memory.jsonl", "mem", outputs=tmp_path)
    export_memory("mem", tmp_path / "back.jsonl", outputs=tmp_path)
    assert [(one["name"], one["entityType"]) for one in _lines(tmp_path / "back.jsonl")] == [("A", "")]


def test_what_was_imported_goes_to_the_new_entity_of_a_split(outputs: Path) -> None:
    done = told(outputs, "split_entity", entity="Alpha", name="Omega", observations=["second"])
    assert noted(outputs, "Alpha", "Omega") == {"Alpha": ["first"], "Omega": ["second"]}
    found = told(outputs, "search_nodes", query="second")["entities"]
    assert [one["name"] for one in found] == ["Omega"]
    told(outputs, "undo_change", change=done["change"])
    assert noted(outputs, "Alpha") == {"Alpha": ["first", "second"]}


def test_what_a_split_moved_a_second_one_moves_on(outputs: Path) -> None:
    def known(name: str) -> list[str]:
        graph = api.open("mem", outputs).graph
        id_ = graph.entity(name).id
        return [one.id for one in graph.relationships if id_ in {one.source_id, one.target_id}]

    for old, new, left in (("Alpha", "Beta", ["first", "second"]), ("Beta", "Gamma", ["second"])):
        moved = known(old)
        assert moved
        told(outputs, "split_entity", entity=old, name=new, observations=left, relationships=moved)
        assert (known(old), len(known(new))) == ([], len(moved))


def test_what_two_that_are_one_had_both_is_taken_back_at_once(outputs: Path) -> None:
    new = {"name": "Eve", "entityType": "note", "observations": ["first"]}
    told(outputs, "create_entities", entities=[new])
    told(outputs, "merge_entities", sources=["Alpha"], into="Eve")
    told(outputs, "delete_observations", deletions=[{"entityName": "Eve", "observations": ["first"]}])
    assert noted(outputs, "Eve") == {"Eve": ["second"]}
    told(outputs, "add_observations", observations=[{"entityName": "Eve", "contents": ["first"]}])
    assert sorted(noted(outputs, "Eve")["Eve"]) == ["first", "second"]
