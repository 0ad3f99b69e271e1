"""MemoryGraph: references, stubs, incidence, required attributes alone."""

import pickle

import pytest

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import (
    AmbiguousEntityError,
    InvalidInputError,
    UnknownEntityError,
    UnknownItemError,
)
from corpusgraph.schemas.graph import Entity, Graph, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.view import IncidenceRow, MemoryGraph

SNOW = Entity(id="ent_1", name="John Snow", type="person", short_id=7, attributes={"aliases": ["Dr. Snow"]})
PUMP = Entity(id="ent_2", name="Broad Street", type="place", short_id=8)
PARIS_A = Entity(id="ent_3", name="Paris", type="place", short_id=9)
PARIS_B = Entity(id="ent_4", name="Paris", type="person", short_id=1854)
YEAR = Entity(id="ent_5", name="1854", type="date")
LOWER = Entity(id="ent_6", name="us", type="concept")
UPPER = Entity(id="ent_7", name="US", type="place")
HANOI = Entity(id="ent_8", name="Hà Nội", type="place")


@pytest.fixture
def graph() -> MemoryGraph:
    everyone = [HANOI, UPPER, LOWER, YEAR, PARIS_B, PARIS_A, PUMP, SNOW]
    return MemoryGraph(everyone, [Relationship(id="rel_1", source_id="ent_1", target_id="ent_2", short_id=3)])


def test_it_is_a_graph_view_in_id_order(graph: MemoryGraph) -> None:
    assert isinstance(graph, GraphView)
    assert [entity.id for entity in graph.entities] == [f"ent_{i}" for i in range(1, 9)]


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        ("ent_1", SNOW),
        (7, SNOW),
        ("7", SNOW),
        ("John Snow", SNOW),
        ("john SNOW ", SNOW),
        ("Dr. Snow", SNOW),
        ("1854", YEAR),  # a name comes before a short id
        (1854, PARIS_B),
        ("us", LOWER),  # a name as written comes before one in other capitals
        ("US", UPPER),
        ("Ha\u0300 No\u0323\u0302i", HANOI),  # decomposed
    ],
)
def test_a_reference_is_an_id_a_short_id_or_a_name(graph: MemoryGraph, ref: str | int, found: Entity) -> None:
    assert graph.entity(ref) == found


def test_an_unknown_name_hints_at_near_ones(graph: MemoryGraph) -> None:
    with pytest.raises(UnknownEntityError, match=r"Unknown entity 'Jon Snow'") as caught:
        graph.entity("Jon Snow")
    assert caught.value.hint == "Did you mean 'John Snow' (person, ent_1)?"


def test_accents_are_not_folded_away(graph: MemoryGraph) -> None:
    with pytest.raises(UnknownEntityError):
        graph.entity("Ha Noi")


@pytest.mark.parametrize("ref", ["Zzz", 99, "99", "9" * 5000, ""])
def test_what_resembles_nothing_has_no_hint(graph: MemoryGraph, ref: str | int) -> None:
    with pytest.raises(UnknownEntityError) as caught:
        graph.entity(ref)
    assert caught.value.hint is None


def test_an_ambiguous_name_lists_candidates_with_types(graph: MemoryGraph) -> None:
    with pytest.raises(AmbiguousEntityError) as caught:
        graph.entity("paris")
    assert "'Paris' (place, ent_3), 'Paris' (person, ent_4)" in str(caught.value)


def test_relationships_and_chunks_are_found_by_id_and_short_id(graph: MemoryGraph) -> None:
    assert graph.relationship(3) is graph.relationship("rel_1") is graph.relationship("3")
    with pytest.raises(UnknownItemError, match="Unknown relationship 'rel_2'") as caught:
        graph.relationship("rel_2")
    assert caught.value.hint == "Did you mean 'rel_1'?"
    with pytest.raises(UnknownItemError, match="Unknown chunk 'chk_1'"):
        graph.chunk("chk_1")


def test_a_dangling_end_becomes_a_stub_and_a_warning() -> None:
    """The minimal graph of the compatibility matrix points to an entity that is not there."""
    minimal = Graph.model_validate(
        {
            "nodes": [{"id": "1", "name": "Obama"}],
            "edges": [{"id": "r1", "source_id": "1", "target_id": "2", "type": "spouse"}],
        }
    )
    graph = MemoryGraph(minimal.nodes, minimal.edges)
    assert graph.entity("2").is_stub
    assert not graph.entity("1").is_stub
    assert [(w.code, w.records) for w in graph.warnings] == [("stub_entities", ("2",))]
    with pytest.raises(InvalidInputError, match="missing entities: 2"):
        MemoryGraph(minimal.nodes, minimal.edges, strict=True)


def test_an_error_goes_to_another_process_with_its_near_names() -> None:
    with pytest.raises(UnknownEntityError) as raised:
        MemoryGraph([Entity(id="e1", name="John Snow")]).entity("Jon Snow")
    other = pickle.loads(pickle.dumps(raised.value))  # noqa: S301  its own bytes
    assert str(other) == str(raised.value)
    assert "Did you mean 'John Snow'" in str(other.hint)


def test_a_warning_about_many_records_lists_the_first_and_counts_all() -> None:
    edges = [Relationship(id=f"r{i:03}", source_id="a", target_id=f"n{i:03}") for i in range(150)]
    (warning,) = MemoryGraph([Entity(id="a")], edges).warnings
    assert warning.records == tuple(f"n{i:03}" for i in range(100))
    assert warning.message.startswith("150 entities are missing")
    assert warning.message.endswith("Listed are the first 100.")


def test_an_entity_needs_nothing_but_its_id() -> None:
    graph = MemoryGraph([Entity(id="1")])
    assert graph.entity("1").name == "1"
    assert graph.entity_chunks() == {"1": ()}
    assert graph.warnings == ()


def test_an_id_may_not_appear_twice() -> None:
    with pytest.raises(InvalidInputError, match="Two items are the entity '1'"):
        MemoryGraph([Entity(id="1"), Entity(id="1")])


def _chunks() -> list[Chunk]:
    return [
        Chunk(id="a", content="x", source_doc="d2", position=0),
        Chunk(id="b", content="x", source_doc="d1", position=1),
        Chunk(id="c", content="x", source_doc="d1", position=0, entities=("ent_2",)),
    ]


def test_incidence_is_in_text_order_and_summed() -> None:
    rows: list[IncidenceRow] = [
        {"entity_id": "ent_1", "chunk_id": "a", "count": 1, "first_start": 0},
        {"entity_id": "ent_1", "chunk_id": "b", "count": 2},
        ("ent_1", "c", 3),
        ("ent_1", "b", 1),
    ]
    graph = MemoryGraph([SNOW, PUMP], chunks=_chunks(), incidence=rows)
    assert graph.entity_chunks() == {"ent_1": ("c", "b", "a"), "ent_2": ()}
    assert graph.mention_counts()["ent_1"] == {"c": 3, "b": 3, "a": 1}


def test_without_incidence_chunks_tell_their_entities() -> None:
    graph = MemoryGraph([SNOW, PUMP], chunks=_chunks())
    assert graph.entity_chunks() == {"ent_1": (), "ent_2": ("c",)}


def test_incidence_that_leads_nowhere_is_left_out_with_a_warning() -> None:
    graph = MemoryGraph([SNOW], chunks=_chunks(), incidence=[("ent_1", "zz", 1), ("ent_9", "a", 1)])
    assert graph.entity_chunks() == {"ent_1": ()}
    assert [(w.code, w.records) for w in graph.warnings] == [("unknown_incidence", ("ent_1@zz", "ent_9@a"))]


def test_unknown_attributes_pass_through() -> None:
    graph = MemoryGraph([Entity.model_validate({"id": "1", "wikidata": "Q9"})])
    assert graph.entity("1").model_dump()["wikidata"] == "Q9"
