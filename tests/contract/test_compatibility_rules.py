"""The rules by which tools fit together: three of adaptation, five of data, each with a test of its name."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import EmbedderMismatchError, InvalidInputError
from corpusgraph.schemas.graph import Community, Entity, Graph, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import TOOLS, Tool, load
from tests.contract.examples import EXAMPLES
from tests.contract.graphs import MINIMUM, Vectors, resources, rich, stripped, with_unknown
from tests.contract.test_every_tool import NOUNS, items_of
from tests.every import every

load()
every_tool = every("tool", TOOLS.values(), ids=lambda tool: tool.name)
MINIMAL = Graph(
    nodes=(Entity(id="1", name="Obama"),),
    edges=(Relationship(id="r1", source_id="1", target_id="2", type="spouse"),),
)


# The three rules of adaptation.


@every_tool
def test_rule_1_a_tool_works_with_the_required_attributes_alone(tool: Tool) -> None:
    result = tool.call(EXAMPLES[tool.name], resources(stripped(rich(), tool.needs)))
    assert result.success, result.error


def test_rule_1_holds_for_the_smallest_graph_there_is() -> None:
    """One entity and a relationship to one that is missing: it gets a stub, and a warning says so."""
    ports = {**resources(rich()), "graph": MemoryGraph(MINIMAL.nodes, MINIMAL.edges)}
    result = TOOLS["entity_onehop_neighbors"].call({"entities": ["1"]}, ports)
    assert [(hit.item.id, hit.item.is_stub) for hit in result.data] == [("2", True)]
    assert [(w.code, w.records) for w in result.warnings] == [("stub_entities", ("2",))]


def test_rule_1_in_strict_mode_a_dangling_end_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="missing entities: 2"):
        MemoryGraph(MINIMAL.nodes, MINIMAL.edges, strict=True)


def test_rule_2_a_missing_name_is_the_id_and_a_missing_weight_is_one() -> None:
    nodes = [Entity(id=i) for i in ("a", "b", "c")]
    plain = [
        Relationship(id="1", source_id="a", target_id="b"),
        Relationship(id="2", source_id="a", target_id="c"),
    ]
    weighted = [edge.model_copy(update={"weight": 1.0}) for edge in plain]
    answers = []
    for edges in (plain, weighted):
        ports = {**resources(rich()), "graph": MemoryGraph(nodes, edges)}
        answers.append(TOOLS["entity_ppr_rank"].call({"seed_entities": ["a"]}, ports).data)
    assert answers[0] == answers[1]
    assert {hit.item.name for hit in answers[0]} == {"a", "b", "c"}


@every_tool
def test_rule_3_a_tool_declares_what_it_adds(tool: Tool) -> None:
    """Each declared attribute is one of an output the tool can have; that nothing else is added, another test sees."""
    for name in tool.adds:
        head, _, attribute = name.partition(".")
        noun = NOUNS.get(head)
        if noun is not None:
            assert attribute in noun.model_fields, name
        else:
            assert head in str(tool.output_schema()) or head == "Scored", name


# The five specifications of data.


def test_vector_dimension_one_index_has_one_dimension_and_refuses_another(tiny: tuple[Path, str]) -> None:
    from corpusgraph.flows import api

    outputs, name = tiny
    opened = api.open(name, outputs)
    made = opened.manifest.embedder
    assert made is not None
    with pytest.raises(EmbedderMismatchError, match="dimension"):
        opened.check_embedder(made.name, made.dimension + 1)
    with pytest.raises(InvalidInputError, match=f"dimension {made.dimension + 1}"):
        opened.nearest("chunk", np.ones(made.dimension + 1, np.float32), 3)
    for kind in ("entity", "relationship", "chunk", "report"):
        assert len(opened.nearest(kind, np.ones(made.dimension, np.float32), 1)) == 1


def test_vectors_never_leave_a_tool() -> None:
    for name, tool in TOOLS.items():
        assert '"embedding"' not in json.dumps(tool.output_schema()), name


def test_id_namespace_ids_are_prefixed_deterministic_and_one_kind_has_each_once() -> None:
    assert Entity.make_id("Obama", "person") == Entity.make_id("OBAMA", "person")
    assert Entity.make_id("Obama", "person") != Entity.make_id("Obama", "place")
    assert Entity.make_id("Obama", "person").startswith("ent_")
    assert Relationship.make_id("a", "b", "c").startswith("rel_")
    assert Chunk.make_id("d", 0, 1, "x").startswith("chk_")
    with pytest.raises(InvalidInputError, match="Two items are the entity '1'"):
        MemoryGraph([Entity(id="1"), Entity(id="1")])


@every_tool
def test_attribute_preservation_what_a_tool_does_not_know_it_passes_on(tool: Tool) -> None:
    known = {i.id for many in rich().values() for i in many if i.model_config.get("extra") == "allow"}
    data = tool.run(EXAMPLES[tool.name], resources(with_unknown(rich()))).data
    for item in items_of(data):
        if item.id in known:
            assert (item.model_extra or {}).get("colour") == "blue"


def without(attribute: str) -> dict[str, Any]:
    """Return the ports over the full graph with one attribute gone from every item of its kind."""
    noun, _, field = attribute.partition(".")
    items = rich()
    for many in items.values():
        for at, item in enumerate(many):
            if type(item).__name__ == noun:
                many[at] = item.model_copy(update={field: None})
    if attribute == "Chunk.relationships":
        items["relationships"] = [r.model_copy(update={"chunk_ids": None}) for r in items["relationships"]]
    return dict(resources(items))


LACKING = [
    (tool, name)
    for tool in TOOLS.values()
    for name in sorted(tool.needs)
    if name.partition(".")[0] in MINIMUM and name.partition(".")[2] not in MINIMUM[name.partition(".")[0]]
]


@every("tool, attribute", LACKING, ids=lambda case: f"{case[0].name}-{case[1]}")
def test_errors_a_missing_required_attribute_is_named(tool: Tool, attribute: str) -> None:
    result = tool.call(EXAMPLES[tool.name], without(attribute))
    assert not result.success
    assert result.error is not None
    assert result.error.code == "missing_attribute"
    assert attribute in f"{result.error.message} {result.error.hint}"


def test_errors_a_kind_without_vectors_is_named() -> None:
    class NoVectors(Vectors):
        def nearest(self, kind: str, vector: Any, top_k: int) -> list[tuple[str, float]]:  # noqa: ARG002
            return []

    ports = {**resources(rich()), "vectors": NoVectors(rich(), HashingEmbedder(8))}
    for name in ("entity_vdb_search", "relationship_vdb_search", "chunk_vdb_search", "community_vdb_search"):
        result = TOOLS[name].call({"query": "cholera"}, ports)
        assert result.error is not None
        assert result.error.code == "missing_attribute"


@pytest.mark.parametrize(
    ("noun", "fields"),
    [
        (Entity, {"id": 1}),
        (Entity, {"id": "1", "confidence": 2}),
        (Relationship, {"id": "1", "source_id": "a", "target_id": "b", "weight": 0}),
        (Relationship, {"id": "1", "source_id": "a"}),
        (Chunk, {"id": "1"}),
        (Community, {"id": "1", "entity_ids": ["a"], "level": -1}),
    ],
)
def test_types_are_validated_at_run_time(noun: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        noun(**fields)
    edge = noun is Relationship
    graph = {"nodes": [] if edge else [fields], "edges": [fields] if edge else []}
    if noun in {Entity, Relationship}:
        result = TOOLS["transform_graph_to_table"].call(
            {**EXAMPLES["transform_graph_to_table"], "subgraph": graph}, {}
        )
        assert result.error is not None
        assert result.error.code == "invalid_input"
