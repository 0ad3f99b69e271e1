"""The whole graph in formats that other programs read."""

import json

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.export.graph import GRAPH_EXPORTERS
from corpusgraph.tasks.graph.view import MemoryGraph


def small() -> MemoryGraph:
    entities = [
        Entity(id="ent_1", name="Nước"),
        Entity(id="ent_2", name="霍乱"),
        Entity(id="ent_3", name="alone"),
    ]
    ends = {"source_id": "ent_1", "target_id": "ent_2"}
    relationships = [
        Relationship(id="rel_1", type="causes", weight=0.5, **ends),
        Relationship(id="rel_2", type="relates_to", weight=0.25, **ends),
    ]
    return MemoryGraph(entities=entities, relationships=relationships)


def test_networkx_reads_the_json_with_its_defaults() -> None:
    import networkx as nx

    graph = nx.node_link_graph(json.loads(GRAPH_EXPORTERS["json"](small())["graph.json"]))
    assert graph.is_directed()
    assert sorted(graph.nodes) == ["ent_1", "ent_2", "ent_3"]
    assert graph.nodes["ent_2"]["name"] == "霍乱"
    assert {key: told["type"] for _, _, key, told in graph.edges(keys=True, data=True)} == {
        "rel_1": "causes",
        "rel_2": "relates_to",
    }
