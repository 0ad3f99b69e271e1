"""Steps done again: for each item of a result, or in rounds that carry values on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.method import Loop
from corpusgraph.tasks.method.kinds import LISTS, TEXT, TEXTS, VALUE, Kind
from corpusgraph.tasks.method.refs import condition
from corpusgraph.tasks.method.union import over_rounds
from corpusgraph.tasks.method.values import Held, Names

Rounds = Callable[[Loop, Iterator[tuple[int, Names]]], Iterable[Names]]
"""Runs a loop's steps in the scope of each round, told with its number; gives the scopes back in order."""


def run_loop(loop: Loop, names: Names, in_rounds: Rounds) -> Held:
    """Run a loop; its result holds what it collects, joined over the rounds."""
    carried = {name: names.value(value) for name, value in loop.carry.items()}
    collected: dict[str, list[Held]] = {name: [] for name in loop.collect}
    until = condition(loop.until) if loop.until else None

    def scopes() -> Iterator[tuple[int, Names]]:
        for number, item in enumerate(_items(loop, names), start=1):
            inner = Names(names.graph, dict(carried), names)
            if item is not None:
                inner.held["item"] = item
            yield number, inner

    for inner in in_rounds(loop, scopes()):
        for name, text in loop.collect.items():
            collected[name].append(inner.first(text))
        carried.update({name: inner.first(text) for name, text in loop.next.items()})
        if until is not None and inner.true(until):
            break
    parts = {name: _joined(rounds) for name, rounds in collected.items()}
    kinds = {name: held.kind for name, held in parts.items()}
    return Held({name: held.value for name, held in parts.items()}, Kind("loop", parts=kinds))


def _items(loop: Loop, names: Names) -> list[Held | None]:
    """Return the item of each round; rounds that go over no list have none."""
    if loop.each is None:
        return [None] * loop.rounds
    over = names.first(loop.each)
    if over.kind.port == TEXTS:
        return [Held(text, Kind(TEXT)) for text in over.value or ()]
    wrapped = over.kind.port in LISTS  # a step that reads a list is given a list of one
    return [Held([one] if wrapped else one, over.kind) for one in over.value or ()]


def _joined(rounds: Sequence[Held]) -> Held:
    """Join what the rounds found: lists by best score, texts in order, graphs as one, else the last."""
    if not rounds:
        return Held([], Kind(VALUE))
    kind = rounds[0].kind
    values: list[Any] = [held.value for held in rounds if held.value is not None]
    if kind.port in LISTS:
        return Held(over_rounds([value or [] for value in values]), kind)
    if kind.port in {TEXT, TEXTS}:
        texts = [text for value in values for text in ([value] if isinstance(value, str) else value)]
        return Held(list(dict.fromkeys(texts)), Kind(TEXTS))
    if kind.port == "subgraph" and values:
        return Held(_one_graph(values), kind)
    return Held(values[-1] if values else None, kind)


def _one_graph(graphs: Sequence[Graph]) -> Graph:
    nodes = {node.id: node for graph in graphs for node in graph.nodes}
    edges = {edge.id: edge for graph in graphs for edge in graph.edges}
    return Graph(nodes=tuple(nodes.values()), edges=tuple(edges.values()))
