"""Adding a memory to an index that is there, looking at it, taking it back, and what an export then holds."""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.interop.sources import (
    changes_of,
    export_graphrag,
    export_memory,
    import_index,
    undo_change,
)
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError
from corpusgraph.schemas.memory import SHORT_IDS
from tests.conftest import TEXTS
from tests.interop.test_sqlite import NEW, OLD, made

LINES: list[dict[str, Any]] = [
    {
        "type": "entity",
        "name": "Dr. John Snow",
        "entityType": "Person",
        "observations": ["He drank no water unboiled."],
    },
    {"type": "entity", "name": "Reverend Whitehead", "entityType": "person", "observations": []},
    {"type": "relation", "from": "Reverend Whitehead", "to": "Dr. John Snow", "relationType": "agreed with"},
]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Index the tiny corpus; return the outputs folder."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    api.index(folder, "snow", outputs=tmp_path / "outputs")
    return tmp_path / "outputs"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "memory.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in LINES), encoding="utf-8")
    return path


def stated(items: Iterable[Any]) -> dict[str, Any]:
    """Return items by id without what a new index gives anew: numbers of memory, and vectors."""
    anew = {"short_id": None, "has_embedding": False}
    fields = {"short_id", "has_embedding"}
    return {
        item.id: item.model_copy(update={k: anew[k] for k in fields & type(item).model_fields.keys()})
        for item in items
    }


def test_one_change_adds_what_is_new_and_one_undo_takes_it_back(index: Path, file: Path) -> None:
    before = api.open("snow", index)
    names = {entity.id for entity in before.graph.entities}
    snow = before.graph.entity("Dr. John Snow")
    report = import_index(file, into="snow", outputs=index)
    assert report.change == 1
    assert report.counts == {"entities": 1, "observations": 1, "relationships": 1}
    graph = api.open("snow", index).graph
    new = graph.entity("Reverend Whitehead")
    assert (new.short_id or 0) >= SHORT_IDS
    assert {entity.id for entity in graph.entities} == names | {new.id}
    assert "He drank no water unboiled." in (graph.entity(snow.id).attributes or {})["observations"]
    (edge,) = [r for r in graph.relationships if r.source_id == new.id]
    assert (edge.target_id, edge.type, edge.n_evidence) == (snow.id, "agreed with", 1)
    again = import_index(file, into="snow", outputs=index)
    assert (again.change, again.generation) == (None, None)
    undo_change("snow", 1, index)
    assert {entity.id for entity in api.open("snow", index).graph.entities} == names
    told = [(line["number"], line["undone"], line["what"]) for line in changes_of("snow", index)["changes"]]
    assert told == [(1, True, "1 create entity, 1 observe, 1 relate"), (2, False, "undo 1")]
    with pytest.raises(CorpusgraphError):
        undo_change("snow", 9, index)


@pytest.mark.faults
def test_exports_hold_the_memory(index: Path, file: Path, tmp_path: Path) -> None:
    import_index(file, into="snow", outputs=index)
    graph = api.open("snow", index).graph
    export_memory("snow", tmp_path / "all.jsonl", outputs=index)
    written = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(written) == len(graph.entities) + len(graph.relationships)
    agreed = next(item for item in written if item.get("relationType") == "agreed with")
    assert agreed["from"] == "Reverend Whitehead"
    export_graphrag("snow", tmp_path / "graphrag", outputs=index)
    import_index(tmp_path / "graphrag", "back", outputs=index)
    back = api.open("back", index).graph
    for kind in ("entities", "relationships", "chunks", "communities"):
        assert stated(getattr(back, kind)) == stated(getattr(graph, kind)), kind
    assert max(one.short_id or 0 for one in back.entities) < SHORT_IDS  # those numbers are for memory


@pytest.mark.faults
def test_the_journal_outlives_a_replaced_index(index: Path, file: Path) -> None:
    import_index(file, into="snow", outputs=index)
    import_index(file, "snow", replace=True, outputs=index)
    assert [change.number for change in api.open("snow", index).memory.changes()] == [1]


@pytest.mark.faults
def test_neither_or_both_names_is_an_error(index: Path, file: Path) -> None:
    for names in ({}, {"name": "a", "into": "snow"}):
        with pytest.raises(InvalidInputError, match="one of both"):
            import_index(file, **names, outputs=index)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="cannot be added"):
        import_index(index / "snow" / "output", into="snow", outputs=index)


@pytest.mark.parametrize(
    ("context", "why"),
    [('{"a": "' + "x" * 100_001 + '"}', "100,000 bytes"), ('{"a":' * 21 + "1" + "}" * 21, "20")],
)
def test_a_context_that_no_line_can_hold_is_told_of(
    index: Path, tmp_path: Path, context: str, why: str
) -> None:
    path = made(tmp_path / "memory.db", OLD, NEW)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE relations SET context = ? WHERE id = 11", (context,))
        connection.commit()
    report = import_index(path, into="snow", outputs=index)
    (told,) = (one for one in report.warnings if one.code == "context_left_out")
    assert told.records[0].startswith("relation 11: the context")
    assert why in told.records[0]
    operations = [one for change in changes_of("snow", index)["changes"] for one in change["operations"]]
    assert [one["context"] for one in operations if one["op"] == "relate"] == [None, None]


def test_attributes_of_any_shape_leave_the_index_readable(index: Path, tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    odd = {"type": "entity", "name": "Ada", "entityType": "person", "aliases": 5, "n_documents": "x"}
    path.write_text(json.dumps(odd), encoding="utf-8")
    import_index(path, into="snow", outputs=index)
    assert api.open("snow", index).graph.entity("5").name == "Ada"


def test_a_name_that_only_a_relation_has_is_the_index_s_own(index: Path, tmp_path: Path) -> None:
    """A second entity of that name would leave neither to be found by it."""
    path = tmp_path / "memory.jsonl"
    line = {"type": "relation", "from": "William Farr", "to": "Mary Seacole", "relationType": "met"}
    path.write_text(json.dumps(line), encoding="utf-8")
    farr = api.open("snow", index).graph.entity("William Farr")
    report = import_index(path, into="snow", outputs=index)
    assert report.counts == {"entities": 1, "observations": 0, "relationships": 1}
    assert [(one.code, one.records) for one in report.warnings] == [
        ("missing_entity", ("line 1: Mary Seacole",))
    ]
    graph = api.open("snow", index).graph
    assert graph.entity("William Farr").id == farr.id
    assert graph.entity("Mary Seacole").is_stub
    assert farr.id in {end for edge in graph.relationships if edge.type == "met" for end in (edge.source_id,)}
    assert import_index(path, into="snow", outputs=index).change is None
