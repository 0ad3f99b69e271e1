"""Identifiability and Bayesian networks against y0, pyAgrum and pgmpy, where they are installed."""

import json
import random
from collections.abc import Mapping
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.tasks.analysis.causal.identification import identify_given
from corpusgraph.tasks.analysis.causal.models import CausalModel, Hedge, PrepareCausalModel
from corpusgraph.tasks.export.causal.bundle import causal_bundle
from corpusgraph.tasks.tools.prepare import prepare_causal_model
from tests.causal.test_textbooks import graph_of
from tests.causal.textbooks import LARGE, SMALL
from tests.oracles import oracle
from tests.prepare.causal_graphs import ask

pytestmark = pytest.mark.external

Question = dict[str, Any]

Y0 = """
import json, logging, sys, warnings
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
from y0.algorithm.identify import identify_outcomes
from y0.dsl import Variable
from y0.graph import NxMixedGraph
found = []
for q in json.loads(sys.argv[1]):
    graph = NxMixedGraph.from_str_edges(nodes=q["nodes"], directed=q["arrows"], undirected=q["both"])
    x, y, z = ({Variable(name) for name in q[key]} for key in ("x", "y", "z"))
    try:
        found.append(identify_outcomes(graph, treatments=x, outcomes=y, conditions=z or None) is not None)
    except KeyError:  # y0 loses nodes that no edge touches on its way
        found.append(None)
print(json.dumps(found))
"""

AGRUM = """
import json, sys, warnings
warnings.simplefilter("ignore")
import pyagrum as gum, pyagrum.causal as csl
found = []
for q in json.loads(sys.argv[1]):
    net = gum.BayesNet()
    for name in q["nodes"]:
        net.add(name, 2)
    for a, b in q["arrows"]:
        net.addArc(a, b)
    net.generateCPTs()
    model = csl.CausalModel(net, [(f"u{i}", tuple(pair)) for i, pair in enumerate(q["both"])], True)
    impact = csl.causalImpact(model, on=set(q["y"]), doing=set(q["x"]), knowing=set(q["z"]))
    found.append(bool(impact[0].isIdentified()))
print(json.dumps(found))
"""

MARGINALS = """
import json, sys
import pyagrum as gum
found = []
for path in sys.argv[1:]:
    net = gum.loadBN(path)
    engine = gum.LazyPropagation(net)
    told = {}
    for name in net.names():
        p = engine.posterior(name)
        told[name] = {p.variable(0).label(i): p[i] for i in range(p.variable(0).domainSize())}
    found.append(told)
print(json.dumps(found))
"""


def questions(count: int, *, conditional: bool) -> list[Question]:
    """Draw acyclic graphs of seven nodes with bidirected edges, and an effect to ask for."""
    draw = random.Random(7)  # noqa: S311
    found: list[Question] = []
    for _ in range(count):
        order = draw.sample("abcdefg", 7)
        pairs = list(combinations(order, 2))
        arrows = [list(pair) for pair in draw.sample(pairs, draw.randint(5, 10))]
        both = [list(pair) for pair in draw.sample(pairs, draw.randint(1, 5))]
        x, y, *rest = draw.sample(order, 7)
        z = rest[: draw.randint(1, 2)] if conditional else []
        x, y = sorted((x, y), key=order.index)
        found.append({"nodes": order, "arrows": arrows, "both": both, "x": [x], "y": [y], "z": z})
    return found


def verdicts(asked: list[Question]) -> list[bool]:
    """Return whether we find each effect identifiable."""
    found = []
    for q in asked:
        edges = [f"{a}>{b}" for a, b in q["arrows"]] + [f"{a}<>{b}" for a, b in q["both"]]
        nodes = " ".join(str(node) for node in q["nodes"])
        model = ask(nodes, " ".join(edges), model_type="do_calculus", exposure=q["x"], outcome=q["y"],
                    given=q["z"] or None)  # fmt: skip
        result = prepare_causal_model(model).data
        found.append(bool(result.conditional.identifiable if result.conditional else result.identifiable))
    return found


@pytest.mark.parametrize("conditional", [False, True], ids=["effect", "conditional effect"])
def test_y0_finds_the_same_effects_identifiable(conditional: bool) -> None:
    asked = questions(150, conditional=conditional)
    ours = verdicts(asked)
    theirs = oracle(Y0, json.dumps(asked))
    decided = [(a, b) for a, b in zip(ours, theirs, strict=True) if b is not None]
    assert all(a is b for a, b in decided)
    assert len(decided) > 120
    assert 15 < sum(a for a, _ in decided) < len(decided) - 15


def test_pyagrum_finds_the_same_effects_identifiable() -> None:
    asked = questions(60, conditional=False)
    assert oracle(AGRUM, json.dumps(asked)) == verdicts(asked)


def test_y0_agrees_on_the_textbooks() -> None:
    asked: list[Question] = []
    ours = []
    for book in SMALL + LARGE[:6]:
        graph = graph_of(book).projected()
        x, y = book.exposure.split(), book.outcome.split()
        arrows, both = ([list(pair) for pair in sorted(some)] for some in (graph.arrows, graph.bidirected))
        asked.append({"nodes": list(graph.nodes), "arrows": arrows, "both": both, "x": x, "y": y, "z": []})
        ours.append(not isinstance(identify_given(graph, x, y, ()), Hedge))
    assert oracle(Y0, json.dumps(asked)) == ours
    assert not all(ours)


def asia() -> CausalModel:
    """Return the chest clinic (Lauritzen & Spiegelhalter 1988) under names no format accepts as they are."""
    rows: list[tuple[str, str, list[str], list[list[float]]]] = [
        ("visit to Asia?", "", ["yes", "no"], [[0.01, 0.99]]),
        ("bệnh lao", "visit to Asia?", ["có", "không"], [[0.05, 0.95], [0.01, 0.99]]),
        ("smoking", "", [">=7.5", "<7.5"], [[0.5, 0.5]]),
        ("lung cancer", "smoking", ["Asy/Patch", "no, none"], [[0.1, 0.9], [0.01, 0.99]]),
        ("bronchitis (acute)", "smoking", ["yes", "no"], [[0.6, 0.4], [0.3, 0.7]]),
        ("either", "bệnh lao|lung cancer", ["1", "0"], [[1, 0], [1, 0], [1, 0], [0, 1]]),
        ("X-ray", "either", ["true", "false"], [[0.98, 0.02], [0.05, 0.95]]),
        ("呼吸困难", "either|bronchitis (acute)", ["有", "无"], [[0.9, 0.1], [0.7, 0.3], [0.8, 0.2], [0.1, 0.9]]),
    ]  # fmt: skip
    entities = [{"id": name, "states": states, "cpt": cpt} for name, _, states, cpt in rows]
    edges = [(parent, name) for name, parents, _, _ in rows for parent in parents.split("|") if parent]
    arrows = [{"source_id": a, "target_id": b} for a, b in edges]
    fields = {"model_type": "bayesian", "entities": entities, "relationships": arrows}
    return prepare_causal_model(PrepareCausalModel.model_validate(fields)).data


def marginals(model: CausalModel) -> dict[str, list[float]]:
    """Return the probability of each state, by summing the whole joint distribution."""
    tables = {table.node: table for table in model.cpts}
    found = {node: [0.0] * len(table.states) for node, table in tables.items()}
    for states in product(*(range(len(table.states)) for table in tables.values())):
        world = dict(zip(tables, states, strict=True))
        chance = 1.0
        for node, table in tables.items():
            said = {parent: tables[parent].states[world[parent]] for parent in table.parents}
            chance *= next(row.p[world[node]] for row in table.rows if row.given == said)
        for node, state in world.items():
            found[node][state] += chance
    return found


def written(model: CausalModel, folder: Path) -> tuple[list[str], dict[str, str]]:
    """Write the bundle; return the network files, and the map back to names as given."""
    bundle = causal_bundle(model)
    for name, content in bundle.items():
        (folder / name).write_bytes(content)
    lines = [line.split(",") for line in bundle["name_map.csv"].decode().splitlines()[1:]]
    names = {line[-1]: line[0] for line in lines}
    return [str(folder / "network.bif"), str(folder / "network.bifxml")], names


def same(found: Mapping[str, Mapping[str, float]], model: CausalModel, names: Mapping[str, str]) -> None:
    expected = marginals(model)
    assert {names[name] for name in found} == expected.keys()
    for name, told in found.items():
        # pyAgrum reads the numbers of a file in single precision.
        assert list(told.values()) == pytest.approx(expected[names[name]], abs=1e-7)


def test_pyagrum_reads_bif_and_xmlbif_with_the_same_marginals(tmp_path: Path) -> None:
    model = asia()
    paths, names = written(model, tmp_path)
    for found in oracle(MARGINALS, *paths):
        same(found, model, names)
    # Lauritzen & Spiegelhalter 1988, table 3, before evidence.
    assert marginals(model)["lung cancer"][0] == pytest.approx(0.055)
    assert marginals(model)["呼吸困难"][0] == pytest.approx(0.4360, abs=5e-5)


def test_pgmpy_reads_bif_and_xmlbif_with_the_same_marginals(tmp_path: Path) -> None:
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader, XMLBIFReader

    model = asia()
    paths, names = written(model, tmp_path)
    for reader, path in zip((BIFReader, XMLBIFReader), paths, strict=True):
        network = reader(path).get_model()
        assert network.check_model()
        engine = VariableElimination(network)
        found = {}
        for name in network.nodes():
            factor = engine.query([name], show_progress=False)
            found[name] = dict(zip(factor.state_names[name], factor.values.tolist(), strict=True))
        same(found, model, names)


def test_pgmpy_counts_the_same_tables_under_bdeu() -> None:
    import pandas as pd
    from pgmpy.estimators import BayesianEstimator
    from pgmpy.models import DiscreteBayesianNetwork

    draw = random.Random(3)  # noqa: S311
    rows = [{"a": draw.choice("uvw"), "b": draw.choice("01"), "c": draw.choice("xyz")} for _ in range(40)]
    asked = ask("a b c", "a>c b>c", model_type="bayesian", data=rows, prior="bdeu", equivalent_sample_size=6)
    network = DiscreteBayesianNetwork([("a", "c"), ("b", "c")])
    estimator = BayesianEstimator(network, pd.DataFrame(rows))
    for table in prepare_causal_model(asked).data.cpts:
        cpd = estimator.estimate_cpd(table.node, prior_type="BDeu", equivalent_sample_size=6)
        for row in table.rows:
            found = [cpd.get_value(**{table.node: state}, **row.given) for state in table.states]
            assert list(row.p) == pytest.approx(found, abs=1e-12)
