"""What is deleted of an imported memory is shown, found, cited and exported by nothing, and comes back undone."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from corpusgraph.flows.api import call
from corpusgraph.flows.interop.sources import export_graphrag, export_memory, import_index, new_memory
from corpusgraph.flows.store.store import IndexStore

SECRETS = ("Secretville", "owes money", "oolong", "owes_money")
LINES = [
    {
        "type": "entity",
        "name": "Ann",
        "entityType": "person",
        "observations": ["keeps bees", {"content": "lives in Secretville", "at": 3}],
    },
    {"type": "entity", "name": "Bob", "entityType": "person", "observations": ["likes oolong with Ann"]},
    {"type": "entity", "name": "Cy", "entityType": "concept", "observations": ["reads"]},
    {"type": "relation", "from": "Ann", "to": "Bob", "relationType": "owes_money_to"},
    {"type": "relation", "from": "Ann", "to": "Cy", "relationType": "owes_money_to"},
    {"type": "relation", "from": "Ann", "to": "Cy", "relationType": "knows"},
]
GONE = [{"entityName": "Ann", "observations": ["lives in Secretville"]}]
QUERIES: dict[str, dict[str, Any]] = {
    **{
        name: {"query": "Ann lives in Secretville, owes money to Bob who likes oolong", "top_k": 20}
        for name in ("hybrid_search", "entity_vdb_search", "relationship_vdb_search", "chunk_vdb_search")
    },
    **{name: {"query": "Secretville"} for name in ("search_nodes", "graph_enhanced_search")},
    "read_graph": {},
    "open_nodes": {"names": ["Ann", "Bob", "Cy"]},
    "get_entity_neighbors": {"entity_id": "Ann"},
    "build_local_graph": {"entities": ["Ann"]},
    "summarize": {"entities": ["Ann"]},
}


def ask(outputs: Path, tool: str, /, **asked: Any) -> Any:
    result = call(tool, asked, "mem", outputs)
    assert result.success, (tool, result.error)
    data = result.data if isinstance(result.data, list) else [result.data]
    return [one.model_dump(mode="json", exclude={"query", "success"}) for one in data]


def told(outputs: Path, into: Path) -> dict[str, str]:
    """Return all that an index shows, by who shows it."""
    found = {tool: json.dumps(ask(outputs, tool, **asked)) for tool, asked in QUERIES.items()}
    index = IndexStore(outputs).open("mem")
    nouns = {
        "documents": index.documents,
        "mentions": index.mentions,
        "assertions": index.assertions,
        **{kind: getattr(index.graph, kind) for kind in ("entities", "relationships", "chunks", "reports")},
        "communities": index.graph.communities,
    }
    found |= {name: json.dumps([one.model_dump(mode="json") for one in rows]) for name, rows in nouns.items()}
    for kind in ("entity", "relationship", "chunk", "report"):
        found[f"words of {kind}"] = repr(index.match(kind, "Secretville owes money oolong", 20))
    export_memory("mem", into / "m.jsonl", outputs=outputs)
    export_memory("mem", into / "m.db", outputs=outputs)
    export_graphrag("mem", into / "g", outputs=outputs)
    found["jsonl"] = (into / "m.jsonl").read_text("utf-8")
    found["sqlite"] = (into / "m.db").read_bytes().decode("latin-1")
    tables = sorted((into / "g").glob("*.parquet"))
    found["graphrag"] = "".join(json.dumps(pq.read_table(path).to_pylist(), default=str) for path in tables)
    return found


def holds(folder: Path, word: bytes) -> bool:
    return any(word in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.faults
@pytest.mark.parametrize("how", ["imported", "added"])
def test_what_is_deleted_is_nowhere(tmp_path: Path, how: str) -> None:
    outputs = tmp_path / "outputs"
    (tmp_path / "m.jsonl").write_text("\n".join(map(json.dumps, LINES)), "utf-8")
    if how == "added":
        new_memory("mem", outputs=outputs)
        import_index(tmp_path / "m.jsonl", None, into="mem", outputs=outputs)
    else:
        import_index(tmp_path / "m.jsonl", "mem", outputs=outputs)
    before = told(outputs, tmp_path)
    assert "Secretville" in before["chunks"]
    owes = [{"from": "Ann", "to": "Cy", "relationType": "owes_money_to"}]
    numbers = []
    for tool, asked in (
        ("delete_observations", {"deletions": GONE}),
        ("delete_relations", {"relations": owes}),
        ("delete_entities", {"entityNames": ["Bob"]}),
    ):
        assert ask(outputs, tool, **asked)
        numbers.append(ask(outputs, "list_changes")[0]["changes"][0]["change"])
    after = told(outputs, tmp_path)
    shown = {name: [word for word in SECRETS if word in text] for name, text in after.items()}
    assert {name: words for name, words in shown.items() if words} == {}
    import_index(tmp_path / "m.jsonl", "clean", outputs=outputs)  # as the docs say to be rid of it for good
    held = {name: holds(outputs / name, b"Secretville") for name in ("mem", "clean")}
    assert held == {"mem": True, "clean": False}
    for number in reversed(numbers):
        assert ask(outputs, "undo_change", change=number)
    assert told(outputs, tmp_path) == before
