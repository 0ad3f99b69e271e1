"""The reference memory server's file: read, searched, and written back byte for byte."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusgraph.flows import api
from corpusgraph.flows.interop.jsonl import jsonl_bytes, read_jsonl
from corpusgraph.flows.interop.memory_parcel import memory_parcel
from corpusgraph.flows.interop.parcel import GivenMemory
from corpusgraph.flows.interop.sources import export_memory, import_index
from corpusgraph.schemas.errors import InvalidInputError
from tests.examples import tried
from tests.interop.unpublished import kept

LINES: list[dict[str, Any]] = [
    {
        "type": "entity",
        "name": "Module: Payment",
        "entityType": "Module",
        "observations": ["Stripe, PayPal integration", "Status: Completed"],
    },
    {"type": "entity", "name": "File: processor.rs", "entityType": "File", "observations": []},
    {
        "type": "entity",
        "name": "Nguyễn Huệ",
        "entityType": "person",
        "observations": ['Hoàng đế "Quang Trung"\n'],
    },
    {"type": "relation", "from": "Module: Payment", "to": "File: processor.rs", "relationType": "contains"},
    {"type": "relation", "from": "Nguyễn Huệ", "to": "Module: Payment", "relationType": "depends on"},
]


def saved(items: list[dict[str, Any]]) -> bytes:
    """Write items as the server does: JSON.stringify, joined by line ends."""
    return "\n".join(json.dumps(i, ensure_ascii=False, separators=(",", ":")) for i in items).encode()


def read(tmp_path: Path, data: bytes | str, **how: Any) -> GivenMemory:
    path = tmp_path / "memory.jsonl"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_jsonl(path, **how)


def test_through_an_index_and_back_not_a_byte_differs(tmp_path: Path) -> None:
    path, outputs = tmp_path / "memory.jsonl", tmp_path / "outputs"
    path.write_bytes(saved(LINES))
    first = import_index(path, "mem", outputs=outputs)
    again = import_index(path, "mem2", outputs=outputs)
    assert first.generation == again.generation
    assert first.warnings == ()
    assert (first.counts["entities"], first.counts["relationships"]) == (3, 2)
    export_memory("mem", tmp_path / "back.jsonl", outputs=outputs)
    assert (tmp_path / "back.jsonl").read_bytes() == path.read_bytes()
    index = api.open("mem", outputs)
    texts = {document.id: document.text for document in index.documents}
    for chunk in index.graph.chunks:
        assert texts[chunk.source_doc][chunk.start : chunk.end] == chunk.content
    for mention in index.mentions:
        assert texts[mention.document_id][mention.start : mention.end] == mention.surface
    contents = {chunk.content for chunk in index.graph.chunks}
    assert "Module: Payment contains File: processor.rs." in contents
    assert "Module: Payment: Stripe, PayPal integration" in contents
    found = api.call("chunk_vdb_search", {"query": "PayPal", "top_k": 1}, index="mem", outputs=outputs)
    assert "PayPal" in found.data[0].item.content
    near = api.call(
        "entity_onehop_neighbors", {"entities": ["Module: Payment"]}, index="mem", outputs=outputs
    )
    assert near.success


def test_broken_lines_are_told_by_number_and_cost_nothing_else(tmp_path: Path) -> None:
    data = (
        saved(LINES[:2])
        + b'\n{"type":"entity"\n\n[1]\n{"type":"entity","name":" "}\n{"type":"song","name":"x"}\n'
    )
    memory = read(tmp_path, data + saved(LINES[3:4]))
    assert len(memory.entities) == 2
    assert len(memory.relations) == 1
    assert [record.partition(":")[0] for record in memory.notes.found["broken_line"]] == [
        "line 3",
        "line 5",
        "line 6",
        "line 7",
    ]
    with pytest.raises(InvalidInputError, match="line 3") as error:
        read(tmp_path, data, strict=True)
    assert error.value.code == "broken_line"


def test_a_strict_import_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    path.write_bytes(saved(LINES) + b"\n{")
    with pytest.raises(InvalidInputError):
        import_index(path, "mem", strict=True, outputs=tmp_path / "outputs")
    assert not (tmp_path / "outputs").exists()


def test_a_dangling_relation_makes_a_stub_and_is_written_back(tmp_path: Path) -> None:
    data = saved([LINES[0], LINES[3]])
    memory = read(tmp_path, data)
    assert memory.notes.found == {"missing_entity": ["line 2: File: processor.rs"]}
    assert [entity.name for entity in memory_parcel(memory).entities if entity.is_stub] == [
        "File: processor.rs"
    ]
    assert jsonl_bytes(kept(memory)) == data


def test_duplicates_are_taken_for_one(tmp_path: Path) -> None:
    twice = {**LINES[0], "observations": ["Status: Completed", "New"]}
    memory = read(tmp_path, saved([*LINES[:2], twice, LINES[3], LINES[3]]))
    assert memory.entities[0].observations == ["Stripe, PayPal integration", "Status: Completed", "New"]
    assert set(memory.notes.found) == {"duplicate_entity", "duplicate_relation"}
    assert len(memory.relations) == 1


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(
            {"entities": [i for i in LINES if "name" in i], "relations": [i for i in LINES if "from" in i]}
        ),
        json.dumps(LINES, indent=2),
        "\ufeff" + saved(LINES).decode(),
        json.dumps(
            {
                "entities": [{k: v for k, v in i.items() if k != "type"} for i in LINES if "name" in i],
                "relations": [{k: v for k, v in i.items() if k != "type"} for i in LINES if "from" in i],
            },
            indent=1,
        ),
        "\r\n".join(json.dumps(i) for i in LINES),
    ],
    ids=["object", "array", "bom", "read_graph", "crlf"],
)
def test_variants_say_the_same(tmp_path: Path, data: str) -> None:
    assert jsonl_bytes(read(tmp_path, data)).rstrip() == saved(LINES)


def test_snake_case_and_members_of_other_servers_are_kept(tmp_path: Path) -> None:
    items: list[dict[str, Any]] = [
        {
            "type": "entity",
            "name": "A",
            "entity_type": "T",
            "observations": [{"content": "seen", "at": 5}],
            "v": 1,
        },
        {"type": "entity", "name": "B", "entityType": "T", "observations": [], "createdAt": "2026-01-11"},
        {"type": "relation", "from": "A", "to": "B", "relation_type": "uses", "strength": 0.5},
    ]
    memory = read(tmp_path, saved(items))
    assert memory.entities[0].observations == ["seen"]
    assert memory.notes.found == {}
    written = [json.loads(line) for line in jsonl_bytes(memory).splitlines()]
    assert written[0] == {
        "type": "entity",
        "name": "A",
        "entityType": "T",
        "observations": [{"content": "seen", "at": 5}],
        "v": 1,
    }
    assert written[1]["createdAt"] == "2026-01-11"
    assert written[2] == {"type": "relation", "from": "A", "to": "B", "relationType": "uses", "strength": 0.5}


def test_a_file_that_is_no_memory_says_so(tmp_path: Path) -> None:
    for data in (b"\x89PNG\x00\xff", b"just words\nand more", b"{}x"):
        with pytest.raises(InvalidInputError) as error:
            read(tmp_path, data)
        assert error.value.code == "not_a_memory"
    assert read(tmp_path, b"").entities == []


def test_halves_of_characters_are_replaced_and_told(tmp_path: Path) -> None:
    memory = read(
        tmp_path, '{"type":"entity","name":"A\\ud800","entityType":"T","observations":["\\udfff!"]}'
    )
    assert memory.entities[0].observations == ["?!"]
    assert "value_repaired" in memory.notes.found
    assert memory_parcel(memory).entities[0].name == "A?"


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip)


@st.composite
def memories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw what the server may have saved: names are keys, and so are relations."""
    import unicodedata

    names = draw(st.lists(NAMES, max_size=5, unique_by=lambda name: unicodedata.normalize("NFC", name)))
    entities = [
        {
            "type": "entity",
            "name": name,
            "entityType": draw(st.sampled_from(["person", "Module", "", "ngữ"])),
            "observations": draw(
                st.lists(
                    st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=3, unique=True
                )
            ),
        }
        for name in names
    ]
    ends = st.sampled_from(names) if names else st.nothing()
    kinds = st.sampled_from(["knows", "depends on", "包含"])
    relations = draw(st.lists(st.tuples(ends, ends, kinds), max_size=6, unique=True)) if names else []
    return entities + [
        {"type": "relation", "from": a, "to": b, "relationType": kind} for a, b, kind in relations
    ]


@settings(max_examples=tried(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=memories(), ending=st.sampled_from(["", "\n"]))
def test_any_file_of_the_server_is_written_back_as_it_was(
    tmp_path: Path, items: list[dict[str, Any]], ending: str
) -> None:
    data = saved(items) + (ending.encode() if items else b"")
    memory = read(tmp_path, data)
    assert jsonl_bytes(kept(memory)) == data
    parcel = memory_parcel(memory)
    texts = {document.id: document.text for document in parcel.documents}
    assert all(texts[c.source_doc][c.start : c.end] == c.content for c in parcel.chunks)
    assert all(texts[m["document_id"]][m["start"] : m["end"]] == m["surface"] for m in parcel.mentions)
    mentions = {row["id"] for row in parcel.mentions}
    assert len(mentions) == len(parcel.mentions)
    assert all({row["source_mention"], row["target_mention"]} <= mentions for row in parcel.assertions)
    assert len(parcel.entities) == len({entity.id for entity in parcel.entities}) == len(memory.entities)
    assert len(parcel.relationships) == len(memory.relations)
