"""Graphs in shorthand for tests: `z>x x<>y`, a latent node is written `~u`; and their numeric models."""

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np
from numpy.typing import NDArray

from corpusgraph.tasks.analysis.causal.dag import CausalGraph
from corpusgraph.tasks.analysis.causal.identification import Expression, Fraction, Product, Sum, Term
from corpusgraph.tasks.analysis.causal.models import CausalModel, PrepareCausalModel
from corpusgraph.tasks.tools.prepare import prepare_causal_model

Floats = NDArray[np.float64]


def ask(nodes: str, edges: str, **more: object) -> PrepareCausalModel:
    """Build the tool's input from shorthand."""
    rows = []
    for edge in edges.split():
        both = "<>" in edge
        cause, effect = edge.split("<>" if both else ">")
        rows.append({"source_id": cause, "target_id": effect, "type": "bidirected" if both else "causes"})
    entities = [{"id": node.strip("~"), "latent": node.startswith("~")} for node in nodes.split()]
    return PrepareCausalModel.model_validate({"entities": entities, "relationships": rows, **more})


def query(nodes: str, edges: str, exposure: str = "x", outcome: str = "y") -> CausalModel:
    """Run a do-calculus query."""
    asked = ask(nodes, edges, model_type="do_calculus", exposure=exposure, outcome=outcome)
    return prepare_causal_model(asked).data


class BinaryModel:
    """A structural model with binary variables and random probabilities on a canonical graph."""

    def __init__(self, graph: CausalGraph, seed: int) -> None:
        self.graph = graph.canonical()
        self.seen = graph.observed
        random = np.random.default_rng(seed)
        self.tables = {
            node: random.uniform(0.1, 0.9, size=(2,) * len(self.graph.parents[node]))
            for node in self.graph.nodes
        }

    def joint(self, done: Mapping[str, int]) -> dict[tuple[int, ...], float]:
        """Return P(observed) after setting some variables, by truncated factorisation."""
        found: dict[tuple[int, ...], float] = {}
        for values in product((0, 1), repeat=len(self.graph.nodes)):
            world = dict(zip(self.graph.nodes, values, strict=True))
            key = tuple(world[node] for node in self.seen)
            found[key] = found.get(key, 0.0) + self._chance(world, done)
        return found

    def _chance(self, world: Mapping[str, int], done: Mapping[str, int]) -> float:
        chance = 1.0
        for node in self.graph.nodes:
            if node in done:
                chance *= float(world[node] == done[node])
                continue
            one = float(self.tables[node][tuple(world[p] for p in sorted(self.graph.parents[node]))])
            chance *= one if world[node] else 1 - one
        return chance


def evaluate(
    e: Expression, world: Mapping[str, int], joint: Mapping[tuple[int, ...], float], names: tuple[str, ...]
) -> float:
    """Return the value of an expression in observed probabilities, where free variables are as in `world`."""
    if isinstance(e, Term):
        above = _probability({n: world[n] for n in (*e.variables, *e.given)}, joint, names)
        return above / _probability({n: world[n] for n in e.given}, joint, names)
    if isinstance(e, Sum):
        return sum(evaluate(e.body, {**world, **more}, joint, names) for more in _worlds(e.over))
    if isinstance(e, Product):
        return float(np.prod([evaluate(factor, world, joint, names) for factor in e.factors]))
    assert isinstance(e, Fraction)
    return evaluate(e.numerator, world, joint, names) / evaluate(e.denominator, world, joint, names)


def _worlds(names: tuple[str, ...]) -> Iterator[dict[str, int]]:
    for values in product((0, 1), repeat=len(names)):
        yield dict(zip(names, values, strict=True))


def _probability(
    event: Mapping[str, int], joint: Mapping[tuple[int, ...], float], names: tuple[str, ...]
) -> float:
    place = [(names.index(name), value) for name, value in event.items()]
    return sum(p for key, p in joint.items() if all(key[i] == value for i, value in place))
