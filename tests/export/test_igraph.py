"""The whole graph and the causal network opened by R igraph, networkx and pydot."""

import json
import shutil
import subprocess
from pathlib import Path

import networkx as nx
import pytest

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.analysis.causal.models import PrepareCausalModel
from corpusgraph.tasks.export.causal.bundle import causal_bundle
from corpusgraph.tasks.export.graph import graphml
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.tools.prepare import prepare_causal_model

NAMES = ["Nước & bẩn", 'a "quoted" <name>', "霍乱", "line\nbreak", "Ω\x00nul"]


def causal() -> dict[str, bytes]:
    fields = {
        "entities": [{"id": f"e{n}", "name": name} for n, name in enumerate(NAMES)],
        "relationships": [
            {"source_id": "e0", "target_id": "e1", "confidence": 0.25, "sign": -1, "type": "prevents"},
            {"source_id": "e1", "target_id": "e2"},
            {"source_id": "e3", "target_id": "e4", "type": "bidirected"},
        ],
    }
    return causal_bundle(prepare_causal_model(PrepareCausalModel.model_validate(fields)).data)


def whole() -> bytes:
    entities = [Entity(id=f"e{n}", name=name, type="concept") for n, name in enumerate(NAMES)]
    arrows = [
        Relationship(id="r1", source_id="e0", target_id="e1", type="causes", weight=2.5, is_causal=True),
        Relationship(id="r2", source_id="e0", target_id="e1", type="part_of", weight=1.0),
        Relationship(id="r3", source_id="e2", target_id="e2", type="causes"),
    ]
    return graphml(MemoryGraph(entities, arrows))["graph.graphml"]


def test_networkx_reads_the_graphml_of_the_whole_graph() -> None:
    graph = nx.parse_graphml(whole().decode())
    assert [told["name"] for _, told in graph.nodes(data=True)] == [*NAMES[:4], "Ω\ufffdnul"]
    assert graph.number_of_edges() == 3
    weights = {told["type"]: told["weight"] for a, _, told in graph.edges(data=True) if a == "e0"}
    assert weights == {"causes": 2.5, "part_of": 1.0}


def test_pydot_reads_the_dot_of_the_causal_network() -> None:
    pydot = pytest.importorskip("pydot")
    (graph,) = pydot.graph_from_dot_data(causal()["network.dot"].decode())
    assert len(graph.get_nodes()) == 5
    assert len(graph.get_edges()) == 3


def test_networkx_reads_both_gml_files() -> None:
    bundle = causal()
    network = nx.parse_gml(bundle["network.gml"].decode())
    assert network.number_of_edges() == 3
    assert {told["name"] for _, told in network.nodes(data=True)} >= {NAMES[0], NAMES[1], NAMES[2]}
    assert nx.parse_gml(bundle["dag.gml"].decode()).number_of_nodes() == 6


@pytest.mark.external
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_igraph_reads_graphml_and_gml(tmp_path: Path) -> None:
    asked = 'quit(status = !all(sapply(c("igraph", "jsonlite"), requireNamespace, quietly = TRUE)))'
    if subprocess.run(["Rscript", "-e", asked], capture_output=True, check=False).returncode:
        pytest.skip("igraph or jsonlite is not installed")
    bundle = causal()
    for name in ("network.gml", "dag.gml"):
        (tmp_path / name).write_bytes(bundle[name])
    (tmp_path / "graph.graphml").write_bytes(whole())
    code = (
        "suppressMessages(library(igraph)); said <- function(f, kind) { g <- read_graph(f, format = kind);"
        "list(n = vcount(g), m = ecount(g), directed = is_directed(g), names = V(g)$name,"
        "weights = E(g)$weight, confidence = E(g)$confidence, loops = sum(which_loop(g))) };"
        'cat(jsonlite::toJSON(list(said("graph.graphml", "graphml"), said("network.gml", "gml"),'
        'said("dag.gml", "gml")), auto_unbox = TRUE, null = "null"))'
    )
    done = subprocess.run(["Rscript", "-e", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    graph, network, dag = json.loads(done.stdout.splitlines()[-1])
    assert (graph["n"], graph["m"], graph["directed"], graph["loops"]) == (5, 3, True, 1)
    assert graph["names"][:4] == NAMES[:4]
    assert graph["weights"][:2] == [2.5, 1.0]
    assert (network["n"], network["m"], dag["n"], dag["m"]) == (5, 3, 6, 4)
    assert network["confidence"][0] == 0.25
