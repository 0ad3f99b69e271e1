"""Results while a method runs: looking names up, reading parts of them, telling empty from full."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from corpusgraph.schemas.graph import Entity, Graph, Path, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.method.kinds import LISTS, TEXTS, VALUE, Kind, part_of, scored
from corpusgraph.tasks.method.ports import bare
from corpusgraph.tasks.method.refs import Condition, Reference, is_reference, literal, parsed


@dataclass(frozen=True)
class Held:
    """A value and its kind."""

    value: Any
    kind: Kind


@dataclass
class Names:
    """What can be referred to: this scope's names, then those around it."""

    graph: GraphView | None
    held: dict[str, Held] = field(default_factory=dict)
    outer: "Names | None" = None

    def look_up(self, reference: Reference) -> Held:
        """Return what a reference means."""
        scope: Names = self
        while reference.name not in scope.held and scope.outer is not None:
            scope = scope.outer
        found = scope.held[reference.name]
        for part in reference.parts:
            kind = part_of(found.kind, part) or Kind(VALUE)
            found = Held(_part(found, part, self.graph), kind)
        return found

    def first(self, text: str) -> Held:
        """Return the first of `$a or $b …` that holds something, or the last."""
        found = [self.look_up(reference) for reference in parsed(text) or ()]
        return next((one for one in found if holds(one.value)), found[-1])

    def value(self, written: Any) -> Held:
        """Return what a value of a method means: references are followed, lists of results joined."""
        if is_reference(written):
            return self.first(written)
        if isinstance(written, list | tuple) and any(is_reference(inner) for inner in written):
            parts = [self.value(inner) for inner in written]
            kind = next((part.kind for part in parts if part.kind.port in LISTS), parts[0].kind)
            kind = Kind(TEXTS) if kind.port not in LISTS else kind
            return Held([one for part in parts for one in _as_list(part.value)], kind)
        if isinstance(written, Mapping):
            return Held({key: self.value(inner).value for key, inner in written.items()}, Kind(VALUE))
        return Held(literal(written), Kind(VALUE))

    def true(self, condition: Condition) -> bool:
        """Tell whether a condition is met."""
        return holds(self.look_up(condition.reference).value) is condition.wanted


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def holds(value: Any) -> bool:
    """Tell whether a result holds something: an empty list, text or graph and None do not."""
    return bool(value.nodes) if isinstance(value, Graph) else bool(value)


def _part(held: Held, part: str, graph: GraphView | None) -> Any:
    value, port = held.value, held.kind.port
    if isinstance(value, Mapping):
        return value.get(part)
    if value is None or (port in {"paths", "subgraph"} and not holds(value)):
        return []
    if port == "subgraph" and part in {"entities", "relationships"}:
        return scored_in_order(value.nodes if part == "entities" else value.edges, "subgraph")
    if port == "paths" and part in {"entities", "relationships"} and graph is not None:
        return along(value, part, graph)
    if part == "text" and isinstance(value, list | tuple | str):
        return text_of(value)
    return getattr(value, part, None)


def along(paths: Iterable[Any], part: str, graph: GraphView) -> list[Scored[Any]]:
    """Return the entities or relationships of paths; one on several has the best path's score."""
    best: dict[str, float] = {}
    for found in paths:
        path: Path = bare(found)
        for id_ in path.node_ids if part == "entities" else path.edge_ids:
            best[id_] = max(float(getattr(found, "score", 1.0)), best.get(id_, float("-inf")))
    find = graph.entity if part == "entities" else graph.relationship
    return list(ranked(((find(id_), score, {}) for id_, score in best.items()), "paths"))


def scored_in_order(items: Sequence[Any], scorer: str) -> list[Scored[Any]]:
    """Return items in the order given, all with score 1."""
    return [
        scored(type(item))(item=item, score=1.0, rank=rank, scorer=scorer)
        for rank, item in enumerate(items, start=1)
    ]


def text_of(value: Any) -> str:
    """Return what a result says in words: names, contents, reports, joined."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        items = [bare(one) for one in value]
        between = ", " if all(isinstance(item, str | Entity) for item in items) else "\n"
        return between.join(text for item in items if (text := _words_of(item)))
    return _words_of(value)


def _words_of(item: Any) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, Relationship):
        return item.description or f"{item.source_id} {item.type} {item.target_id}"
    names = ("content", "text", "summary", "name", "title")
    found = (getattr(item, name, None) for name in names) if isinstance(item, BaseModel) else ()
    return next((str(text) for text in found if text), "")


def count(value: Any) -> int:
    """Return how many items a result has."""
    if isinstance(value, Graph):
        return len(value.nodes)
    if isinstance(value, list | tuple | dict):
        return len(value)
    return int(value is not None and value != "")


def empty_of(port: str) -> Any:
    """Return the result of a step that did not run."""
    if port in LISTS:
        return []
    return Graph() if port == "subgraph" else None
