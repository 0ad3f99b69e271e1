"""Any index, written in the shapes of any version of GraphRAG and read again, is the same index."""

import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusgraph.flows import api
from corpusgraph.flows.interop.graphrag_read import graphrag_parcel
from corpusgraph.flows.interop.graphrag_write import VERSIONS, Version, write_graphrag
from corpusgraph.flows.interop.memory_parcel import memory_parcel
from corpusgraph.flows.interop.parcel import GivenEntity, GivenMemory, GivenRelation, Parcel, completed
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.study import IndexOptions
from tests.examples import tried
from tests.interop.shapes import three, write
from tests.interop.unpublished import Unpublished


def by_id(items: Sequence[Any] | None) -> dict[str, Any]:
    return {item.id: item for item in items or ()}


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(str.strip)
TYPES = st.sampled_from([None, "person", "place"])


@st.composite
def indexes(draw: st.DrawFn) -> Parcel:
    """Draw an index of a memory: names may be homonyms, relations may be loops, texts anything."""
    keys = draw(
        st.lists(
            st.tuples(NAMES, TYPES),
            min_size=1,
            max_size=5,
            unique_by=lambda key: (unicodedata.normalize("NFC", key[0]).casefold(), key[1]),
        )
    )
    texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=2, unique=True)
    memory = GivenMemory("jsonl", "drawn", [GivenEntity(name, kind, draw(texts)) for name, kind in keys])
    place = st.integers(0, len(keys) - 1)
    triples = draw(
        st.lists(st.tuples(place, place, st.sampled_from(["knows", "uses"])), max_size=5, unique=True)
    )
    sure = st.floats(0, 1, allow_nan=False)
    memory.relations = [
        GivenRelation(a, b, kind, draw(sure), is_causal=draw(st.booleans())) for a, b, kind in triples
    ]
    parcel = memory_parcel(memory)
    completed(parcel, IndexOptions())
    return parcel


@settings(max_examples=tried(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parcel=indexes(), version=st.sampled_from(VERSIONS))
def test_nothing_is_lost_on_the_way(tmp_path: Path, parcel: Parcel, version: Version) -> None:
    folder = tmp_path / version
    write_graphrag(Unpublished(parcel), folder, version)
    for path in tmp_path.glob("*/*"):
        if path.parent != folder:
            path.unlink()
    back, notes = graphrag_parcel(folder)
    assert notes.found == {}
    for kind in ("documents", "chunks", "entities", "relationships", "communities", "reports"):
        assert by_id(getattr(back, kind)) == by_id(getattr(parcel, kind)), kind
    cells = {(row["entity_id"], row["chunk_id"]) for row in parcel.incidence}
    assert {(row["entity_id"], row["chunk_id"]) for row in back.incidence} == cells
    texts = {document.id: document.text for document in back.documents}
    assert all(texts[m["document_id"]][m["start"] : m["end"]] == m["surface"] for m in back.mentions)


@pytest.mark.parametrize("version", VERSIONS)
def test_an_index_of_a_corpus_comes_back(version: Version, tiny: tuple[Path, str], tmp_path: Path) -> None:
    index = api.open(tiny[1], tiny[0])
    write_graphrag(index, tmp_path, version)
    back, notes = graphrag_parcel(tmp_path)
    assert notes.found == {}
    for kind in ("chunks", "communities", "reports"):
        assert by_id(getattr(back, kind)) == by_id(getattr(index.graph, kind)), kind
    vectors = {"has_embedding": True}  # publishing makes them
    for kind in ("entities", "relationships"):
        made = {one.id: one.model_copy(update=vectors) for one in getattr(back, kind)}
        assert made == by_id(getattr(index.graph, kind)), kind
    assert by_id(back.documents) == by_id(index.documents)
    assert {claim.id: claim.text for claim in back.claims} == {claim.id: claim.text for claim in index.claims}


def test_what_indexing_wrote_comes_back_but_for_what_their_shapes_lack(tiny: tuple[Path, str]) -> None:
    index = api.open(tiny[1], tiny[0])
    back, _ = graphrag_parcel(tiny[0] / tiny[1])

    def nodes(items: Sequence[Entity]) -> set[tuple[Any, ...]]:
        return {(e.id, e.name, e.type, e.description, e.short_id, e.degree) for e in items}

    def edges(items: Sequence[Relationship]) -> set[tuple[Any, ...]]:
        return {(r.id, r.source_id, r.target_id, r.weight, r.description, r.chunk_ids) for r in items}

    assert nodes(back.entities) == nodes(index.graph.entities)
    assert edges(back.relationships) == edges(index.graph.relationships)
    ours = {c.id: (c.content, c.source_doc, c.start, c.end) for c in index.graph.chunks}
    assert {c.id: (c.content, c.source_doc, c.start, c.end) for c in back.chunks} == ours
    groups = {c.id: (c.entity_ids, c.level, c.parent_id, c.children) for c in index.graph.communities}
    assert {c.id: (c.entity_ids, c.level, c.parent_id, c.children) for c in back.communities or ()} == groups


def test_columns_are_those_of_each_version(tiny: tuple[Path, str], tmp_path: Path) -> None:
    index = api.open(tiny[1], tiny[0])
    columns: dict[str, dict[str, set[str]]] = {}
    for version in VERSIONS:
        write_graphrag(index, tmp_path / version, version)
        columns[version] = {
            path.stem: set(pq.read_schema(path).names) - {"corpusgraph"}
            for path in (tmp_path / version).iterdir()
        }
    old = {f"create_final_{name}" for name in (*columns["3"], "nodes")}
    assert set(columns["1"]) == set(columns["0.5"]) == old
    assert "document_id" in columns["3"]["text_units"]
    assert "document_ids" in columns["2"]["text_units"]
    assert {"x", "y", "degree"} <= columns["2"]["entities"]
    assert columns["1"]["create_final_entities"] == {
        "id",
        "human_readable_id",
        "title",
        "type",
        "description",
        "text_unit_ids",
    }
    assert columns["1"]["create_final_communities"] - columns["0.5"]["create_final_communities"] == {"parent"}
    assert "rank_explanation" in columns["0.5"]["create_final_community_reports"]


@pytest.mark.parametrize(
    "said",
    [
        ("CAUSATION", "TRUE", "1854-09-08", "1854-09-08"),
        ("FRAUD, GRAVE", "FALSE", "NONE", "1855"),
        ("CAUSATION", "SUSPECTED", "1854", "NONE"),
        ("CAUSATION", "TRUE", "NONE", "NONE"),
    ],
)
def test_what_they_judged_of_a_claim_is_written_back(said: tuple[str, ...], tmp_path: Path) -> None:
    rows = three()
    columns = ("type", "status", "start_date", "end_date")
    rows["covariates"][0] |= dict(zip(columns, said, strict=True))
    parcel, _ = graphrag_parcel(write(tmp_path / "in", rows))
    write_graphrag(Unpublished(parcel), tmp_path / "out")
    (row,) = pq.read_table(tmp_path / "out" / "covariates.parquet").to_pylist()
    assert tuple(row[name] for name in columns) == said
    assert (row["subject_id"], row["object_id"]) == ("CONTAMINATED WATER", "CHOLERA")
