"""Results while a method runs: looking names up, reading parts of them, telling empty from full."""

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from pydantic import BaseModel

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity, Graph, Path, Relationship
from corpusgraph.schemas.method import Union
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored
from corpusgraph.tasks.graph.ranking import Row, ranked, scored
from corpusgraph.tasks.method.check import (
    LISTS,
    TEXT,
    TEXTS,
    VALUE,
    Kind,
    Reference,
    bare,
    condition,
    handed,
    is_reference,
    literal,
    parsed,
    part_of,
    references_in,
    takes,
)
from corpusgraph.tasks.registry import Tool


@dataclass(frozen=True)
class Held:
    """A value and its kind.

    Attributes
    ----------
    value : Any
    kind : Kind

    """

    value: Any
    kind: Kind


@dataclass
class Names:
    """What can be referred to while a method runs: this scope's names, then those around it.

    Attributes
    ----------
    graph : GraphView or None
        Where parts of paths are looked up.
    held : ChainMap of str to Held
        Name -> what it holds, the innermost scope first.

    """

    graph: GraphView | None
    held: ChainMap[str, Held]

    def look_up(self, reference: Reference) -> Held:
        """Return what a reference means.

        Parameters
        ----------
        reference : tuple of str
            A reference that the check has resolved.

        Returns
        -------
        Held
            With its kind.

        Raises
        ------
        KeyError
            For an unknown name.

        """
        name, *parts = reference
        found = self.held[name]
        for part in parts:
            kind = part_of(found.kind, part) or Kind(VALUE)
            found = Held(_part(found, part, self.graph), kind)
        return found

    def first(self, text: str) -> Held:
        """Return the first of `$a or $b …` that holds something, or the last.

        Parameters
        ----------
        text : str
            References as a method writes them.

        Returns
        -------
        Held
            With its kind.

        """
        found = [self.look_up(reference) for reference in parsed(text)]
        return next((one for one in found if holds(one.value)), found[-1])

    def value(self, written: Any) -> Held:
        """Return what a value of a method means: references are followed, lists of results joined.

        Parameters
        ----------
        written : Any
            A value as a method writes it.

        Returns
        -------
        Held
            A plain value stays as it is written.

        """
        if is_reference(written):
            return self.first(written)
        if isinstance(written, list | tuple) and any(is_reference(inner) for inner in written):
            parts = [self.value(inner) for inner in written]
            kind = next((part.kind for part in parts if part.kind.port in LISTS), parts[0].kind)
            kind = Kind(TEXTS) if kind.port not in LISTS else kind
            values = (part.value for part in parts)
            items = (list(value) if isinstance(value, list | tuple) else [value] for value in values)
            return Held([item for some in items for item in some], kind)
        if isinstance(written, Mapping):
            return Held({key: self.value(inner).value for key, inner in written.items()}, Kind(VALUE))
        return Held(literal(written), Kind(VALUE))

    def true(self, text: str | None, default: bool) -> bool:
        """Tell whether a condition is met.

        Parameters
        ----------
        text : str or None
            A condition of a step or loop.
        default : bool
            Where there is none.

        Returns
        -------
        bool
            An empty list, text or graph does not hold.

        """
        asked = condition(text) if text else None
        return default if asked is None else holds(self.look_up(asked[0]).value) is asked[1]


def holds(value: Any) -> bool:
    """Tell whether a result holds something: an empty list, text or graph and None do not.

    Parameters
    ----------
    value : Any
        A result.

    Returns
    -------
    bool
        0 and False do not either.

    """
    return bool(value.nodes) if isinstance(value, Graph) else bool(value)


def _part(held: Held, part: str, graph: GraphView | None) -> Any:
    value, port = held.value, held.kind.port
    if isinstance(value, Mapping):
        return value.get(part)
    if value is None or (port in {"paths", "subgraph"} and not holds(value)):
        return []
    if port == "subgraph" and part in {"entities", "relationships"}:
        items = value.nodes if part == "entities" else value.edges
        return scored_in_order(((item, 1.0, {}) for item in items), "subgraph")
    if port == "paths" and part in {"entities", "relationships"} and graph is not None:
        return along(value, part, graph)
    if part == "text" and isinstance(value, list | tuple | str):
        return text_of(value)
    return getattr(value, part, None)


def along(paths: Iterable[Any], part: str, graph: GraphView) -> list[Scored[Any]]:
    """Return the entities or relationships of paths; one on several has the best path's score.

    Parameters
    ----------
    paths : iterable of (Scored[Path] or Path)
        Paths; one without a score has 1.
    part : {"entities", "relationships"}
        What of them is wanted.
    graph : GraphView
        Where it is looked up.

    Returns
    -------
    list of Scored
        Best first.

    """
    best: dict[str, float] = {}
    for found in paths:
        path: Path = bare(found)
        for id_ in path.node_ids if part == "entities" else path.edge_ids:
            best[id_] = max(float(getattr(found, "score", 1.0)), best.get(id_, float("-inf")))
    find = graph.entity if part == "entities" else graph.relationship
    return list(ranked(((find(id_), score, {}) for id_, score in best.items()), "paths"))


def scored_in_order(rows: Iterable[Row[Any]], scorer: str) -> list[Scored[Any]]:
    """Return items in the order given.

    Parameters
    ----------
    rows : iterable of (item, float, mapping of str to float)
        Models with their scores, and what these are made of.
    scorer : str
        What scored them.

    Returns
    -------
    list of Scored
        Ranks from 1.

    """
    return [
        scored(item.__class__)(
            item=item, score=float(score), rank=rank, scorer=scorer, components=dict(parts)
        )
        for rank, (item, score, parts) in enumerate(rows, start=1)
    ]


def text_of(value: Any) -> str:
    """Return what a result says in words: names, contents, reports, joined.

    Parameters
    ----------
    value : Any
        A result, or a list of items.

    Returns
    -------
    str
        Names with commas between, anything else a line each.

    """
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
    """Return how many items a result has.

    Parameters
    ----------
    value : Any
        A result.

    Returns
    -------
    int
        Nodes of a graph; 1 for a single value, 0 for nothing.

    """
    if isinstance(value, Graph):
        return len(value.nodes)
    if isinstance(value, list | tuple | dict):
        return len(value)
    return int(value is not None and value != "")


RRF_K = 60
"""Damps the lead of first places in reciprocal rank fusion (Cormack, Clarke & Büttcher 2009)."""


def key_of(one: Any) -> str:
    """Return what makes two items the same: the id, or a path's ends and edges.

    Parameters
    ----------
    one : Any
        An item, scored or not.

    Returns
    -------
    str
        Ends and edges of a path are joined by `|`.

    """
    item = bare(one)
    return str(item.id) if hasattr(item, "id") else "|".join((*item.node_ids, *item.edge_ids))


def joined(lists: Sequence[Sequence[Any]], names: Sequence[str], union: Union) -> list[Scored[Any]]:
    """Return lists as one, best first, ties by id; components keep each list's own score under its name.

    Parameters
    ----------
    lists : sequence of sequence of Scored
        Lists of one port.
    names : sequence of str
        A name for each list.
    union : Union
        How: `by` (rrf, first, max, or else the sum), `weights`, `normalize` and `top_k`.

    Returns
    -------
    list of Scored
        Scores as the union combines them; at most `top_k`.

    References
    ----------
    Cormack, Clarke & Büttcher 2009: reciprocal rank fusion.

    """
    weights = union.weights or (1.0,) * len(lists)
    items: dict[str, Any] = {}
    parts: dict[str, dict[str, float]] = {}
    scores: dict[str, list[float]] = {}
    for name, found, weight in zip(names, lists, weights, strict=True):
        for one, score in zip(found, normalized([s.score for s in found], union.normalize), strict=True):
            key = key_of(one)
            items.setdefault(key, one.item)
            if name not in parts.setdefault(key, {}):
                parts[key][name] = float(one.score)
                scores.setdefault(key, []).append(
                    (1 / (RRF_K + one.rank) if union.by == "rrf" else score) * weight
                )
    folds: dict[str, Callable[[list[float]], float]] = {"first": lambda each: each[0], "max": max}
    total = {key: folds.get(union.by, fsum)(each) for key, each in scores.items()}
    order = sorted(total, key=lambda key: (-total[key], key))
    if union.by == "first":
        order = list(total)  # dicts keep the order in which keys came
    return scored_in_order(((items[key], total[key], parts[key]) for key in order[: union.top_k]), union.by)


def normalized(scores: Sequence[float], how: str) -> list[float]:
    """Scale scores from 0 to 1 (minmax; all 1 where they are equal), or to a sum of 1.

    Parameters
    ----------
    scores : sequence of float
        Scores of one list.
    how : str
        minmax or sum; anything else leaves them as they are.

    Returns
    -------
    list of float
        As many; as they are for any other word, and where all are 0.

    """
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    if how == "minmax":
        return [(score - low) / (high - low) if high > low else 1.0 for score in scores]
    total = fsum(abs(score) for score in scores)
    return [score / total for score in scores] if how == "sum" and total else list(scores)


def over_rounds(rounds: Sequence[Sequence[Any]]) -> list[Scored[Any]]:
    """Join a loop's rounds: an item found again keeps its best score, and `round`, the first it was in.

    Parameters
    ----------
    rounds : sequence of sequence of Scored
        What each round found.

    Returns
    -------
    list of Scored
        Best first, ties by round, then by id.

    """
    best: dict[str, Any] = {}
    first: dict[str, int] = {}
    for number, found in enumerate(rounds, start=1):
        for one in found:
            key = key_of(one)
            first.setdefault(key, number)
            if key not in best or one.score > best[key].score:
                best[key] = one
    order = sorted(best, key=lambda key: (-best[key].score, first[key], key))
    return [
        best[key].model_copy(
            update={"rank": rank, "components": {**best[key].components, "round": float(first[key])}}
        )
        for rank, key in enumerate(order, start=1)
    ]


def _led_to(one: Any) -> Any:
    """Return a link as the entity it leads to, with its score; anything else as it is."""
    item = bare(one)
    if not isinstance(one, Scored) or one.item is item:
        return one
    return scored(item.__class__)(item=item, score=one.score, rank=one.rank, scorer=one.scorer)


class Given:
    """The arguments of one call, and which of those that come from earlier steps are empty.

    Parameters
    ----------
    tool : Tool
        The tool to call.
    names : Names
        What its arguments can refer to.

    """

    def __init__(self, tool: Tool, names: Names) -> None:
        self.arguments: dict[str, Any] = {}
        self.left_out: dict[str, int] = {}
        """Field -> how many items were left out of it because the tool takes no negative scores."""
        self._tool = tool
        self._names = names
        self._empty: list[str] = []
        self._full = False

    def add(self, field: str, written: Any) -> None:
        """Add an argument as the method writes it.

        Parameters
        ----------
        field : str
            Name of the input.
        written : Any
            Its value as the method writes it.

        """
        held = self._names.value(written)
        if not any(references_in(written)):
            self.arguments[field] = held.value
            return
        self.arguments[field] = value = self._formed(field, held)
        if not holds(value):
            self._empty.append(field)
        elif field in self._tool.reads:
            self._full = True

    def _formed(self, field: str, held: Held) -> Any:
        """Return a value in the form that the field takes it in."""
        value = [_led_to(one) for one in held.value] if held.kind.port == "entities" else held.value
        if not holds(value) or held.kind.port not in {*LISTS, TEXT, TEXTS}:
            return value
        given = handed(self._tool, field, value)
        if held.kind.port in LISTS and len(given) < len(value):
            self.left_out[field] = len(value) - len(given)
        return given

    def lacking(self) -> str | None:
        """Return the field for want of which the tool cannot run, or None.

        An empty argument that the tool does not take is left out where another of its kind holds something.

        Returns
        -------
        str or None

        """
        for name in self._empty:
            if takes(self._tool.name, name, self.arguments[name]):
                continue
            if not self._full or self._tool.input.model_fields[name].is_required():
                return name
            del self.arguments[name]
        if self._empty and not self._full:
            try:
                self._tool.ask(self.arguments)
            except InvalidInputError:
                return self._empty[0]
        return None
