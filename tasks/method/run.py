"""Run a checked method for one question: what names hold, every step, the answer, passages, what it cost."""

import time
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from copy import copy
from dataclasses import dataclass
from math import fsum
from threading import Event
from typing import Any

from pydantic import BaseModel

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError
from corpusgraph.schemas.graph import Community, Entity, Graph, Path, Relationship
from corpusgraph.schemas.llm import TraceLine, Usage
from corpusgraph.schemas.method import Loop, Method, MethodCheck, MethodResult, Node, Step, Union
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolWarning
from corpusgraph.tasks.answer.extractive import unanswered
from corpusgraph.tasks.answer.sentences import chunks_there
from corpusgraph.tasks.graph.communities import chunks_of
from corpusgraph.tasks.graph.compiled import relationship_chunks
from corpusgraph.tasks.graph.ranking import ranked, scored, scored_in_order
from corpusgraph.tasks.method.check import (
    EXTRACTORS,
    LISTS,
    PARTS,
    TEXT,
    TEXTS,
    VALUE,
    Kind,
    Reference,
    apart,
    asks,
    bare,
    checked,
    condition,
    handed,
    is_reference,
    kind_of_query,
    literal,
    parsed,
    part_of,
    references_in,
    takes,
)
from corpusgraph.tasks.method.meter import Meter
from corpusgraph.tasks.method.shapes import shaped
from corpusgraph.tasks.progress import ended_by
from corpusgraph.tasks.progress import step as take_step
from corpusgraph.tasks.registry import Tool, find


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
            found = Held(_part(found, part, self.graph), part_of(found.kind, part) or Kind(VALUE))
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
            kind = next((part.kind for part in parts if part.kind.port in LISTS), Kind(TEXTS))
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
    items: dict[str, Any] = {}
    parts: dict[str, dict[str, float]] = {}
    scores: dict[str, list[float]] = {}
    for name, found, weight in zip(names, lists, union.weights or (1.0,) * len(lists), strict=True):
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


AT_ONCE = 32
"""Rounds of a loop that run at once."""


def _items(loop: Loop, names: Names) -> list[dict[str, Held]]:
    """Return the item of each round under its name; rounds that go over no list have none."""
    if loop.each is None:
        return [{}] * loop.rounds
    over = names.first(loop.each)
    kind = Kind(TEXT) if over.kind.port == TEXTS else over.kind
    wrapped = kind.port in LISTS  # a step that reads a list is given a list of one
    return [{"item": Held([one] if wrapped else one, kind)} for one in over.value or ()]


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
        nodes = {node.id: node for graph in values for node in graph.nodes}
        edges = {edge.id: edge for graph in values for edge in graph.edges}
        return Held(Graph(nodes=tuple(nodes.values()), edges=tuple(edges.values())), kind)
    return Held(values[-1] if values else None, kind)


SOURCES = ("relationships", "communities", "paths", "subgraph", "entities")
"""Ports that passages are derived from, in this order of preference."""


def passages_of(found: Mapping[str, Held], graph: GraphView | None) -> list[Scored[Chunk]]:
    """Return the final ranking of passages.

    The latest chunks that were found; else the chunks that state the latest relationships, that the latest
    communities' reports cite, or that mention the latest entities: each with the score of the best item that
    leads to it, those of one item in text order.

    Parameters
    ----------
    found : mapping of str to Held
        Name of a step -> its result, in order.
    graph : GraphView or None
        Without it there are no passages but the chunks that were found.

    Returns
    -------
    list of Scored[Chunk]
        Ranks from 1.

    """
    results = list(_flat(found))
    for held in reversed(results):
        if held.kind.port == "chunks" and held.value:
            return [s.model_copy(update={"rank": rank}) for rank, s in enumerate(held.value, start=1)]
    if graph is None:
        return []
    for port in SOURCES:
        for held in reversed(results):
            if held.kind.port == port and holds(held.value):
                items = held.value
                if port in PARTS:
                    items = _part(held, "relationships", graph) or _part(held, "entities", graph)
                return _derived(items, graph, port)
    return []


def _flat(found: Mapping[str, Held]) -> Iterable[Held]:
    """Yield results; of a loop, what it collected."""
    for held in found.values():
        if held.kind.port == "loop":
            yield from (Held(held.value[name], kind) for name, kind in (held.kind.parts or {}).items())
        else:
            yield held


def _derived(items: Sequence[Any], graph: GraphView, scorer: str) -> list[Scored[Chunk]]:
    reports = graph.reports if scorer == "communities" else ()
    cited = {report.community_id: [f.chunk_id for f in report.findings] for report in reports}
    best: dict[str, tuple[Chunk, float]] = {}
    for one in items:
        item = bare(one)
        for chunk in chunks_there(graph, cited.get(item.id) or _chunk_ids(item, graph)):
            best.setdefault(chunk.id, (chunk, float(one.score)))
    return scored_in_order(((chunk, score, {}) for chunk, score in best.values()), scorer)


def _chunk_ids(item: Any, graph: GraphView) -> Iterable[str]:
    if isinstance(item, Relationship):
        return relationship_chunks(graph).get(item.id, ()) or item.chunk_ids or ()
    if isinstance(item, Community):
        found = chunks_there(graph, sorted(chunks_of(graph, item)))
        return [chunk.id for chunk in sorted(found, key=lambda c: (c.source_doc, c.position, c.id))]
    if isinstance(item, Entity):
        return graph.entity_chunks().get(item.id, ())
    return ()


def entities_of(found: Mapping[str, Held]) -> list[Scored[Entity]]:
    """Return the latest entities that were found; a link counts as the entity it leads to.

    Parameters
    ----------
    found : mapping of str to Held
        Name of a step -> its result, in order.

    Returns
    -------
    list of Scored[Entity]
        Each once, ranks from 1.

    """
    for held in reversed(list(found.values())):
        if held.kind.port == "entities" and held.value:
            best: dict[str, Any] = {}
            for one in held.value:
                best.setdefault(key_of(one), one)
            return [
                Scored[Entity](item=bare(one), score=one.score, rank=rank, scorer=one.scorer)
                for rank, one in enumerate(best.values(), start=1)
            ]
    return []


Clock = Callable[[], float]


def run_method(
    method: Method | MethodCheck,
    question: str,
    resources: Mapping[str, Any],
    *,
    clock: Clock = time.perf_counter,
) -> MethodResult:
    """Run a method for one question on the ports of an index.

    A method is checked first; a check that is ok is run as it is. A step whose input is empty is skipped with
    the warning `empty_input`.

    Parameters
    ----------
    method : Method or MethodCheck
        The method.
    question : str
        In any words.
    resources : mapping of str to Any
        Ports of tools: graph, vectors, corpus, embedder, llm.
    clock : callable
        Returns seconds, from any start.

    Returns
    -------
    MethodResult
        Every step's result, the answer, passages and entities, warnings, trace and usage.

    Raises
    ------
    MethodCheckError
        For a method that cannot run.
    InvalidInputError
        For an empty question.
    CorpusgraphError
        What a tool raises, its message beginning with the step.

    """
    check = method if isinstance(method, MethodCheck) else checked(method)
    if not check.ok:
        check = checked(check.method)
    if not question.strip():
        raise InvalidInputError("The question is empty.", hint="Ask something, in any words.")
    return Run(check.method, question, resources, clock).result()


def empty_step(trace: Sequence[TraceLine]) -> ToolWarning | None:
    """Return a warning that names the first step that found nothing in any round, and what waited for it.

    A step that its condition left out is not empty; None where every step found something.

    Parameters
    ----------
    trace : sequence of TraceLine
        Of a run.

    Returns
    -------
    ToolWarning or None
        `empty_step`.

    """
    lines = [line for line in trace if line.skipped != "condition"]
    filled = {line.step for line in lines if line.n_items}
    empty = {line.step: line for line in reversed(lines) if line.step not in filled}
    barren = [line for line in reversed(empty.values()) if line.skipped is None]
    if not barren:
        return None
    waiting = dict.fromkeys(line.tool for line in reversed(empty.values()) if line.skipped)
    message = f"{barren[0].tool} found nothing"
    if waiting:
        message += f"; {', '.join(waiting)} had nothing to read"
    return ToolWarning(code="empty_step", message=f"{message}.", records=(barren[0].step,))


class Run:
    """One run: the names so far, the trace, the warnings.

    Parameters
    ----------
    method : Method
        As checked.
    question : str
        What is asked.
    resources : mapping of str to Any
        Ports of tools.
    clock : callable
        Returns seconds, from any start.

    """

    def __init__(self, method: Method, question: str, resources: Mapping[str, Any], clock: Clock) -> None:
        self.method = method
        self.question = question
        self.resources = shaped(resources, method.graph)
        self.llm = resources.get("llm")
        self.clock = clock
        self.trace: list[TraceLine] = []
        self.warnings: list[ToolWarning] = []
        self.round: int | None = None
        self.answers = False

    def result(self) -> MethodResult:
        """Run everything and return what was found.

        Returns
        -------
        MethodResult
            Results by name, passages, answer, trace, warnings and usage.

        """
        graph = self.resources.get("graph")
        names = Names(graph, ChainMap({"q": Held(self.question, Kind(TEXT)), "query": self.query()}))
        self.nodes(self.method.steps, names)
        found = {name: held for name, held in names.held.items() if name not in {"q", "query"}}
        answers = [held.value for held in found.values() if isinstance(held.value, Answer)]
        return MethodResult(
            method=self.method.method,
            question=self.question,
            results={name: held.value for name, held in found.items()},
            answer=answers[-1] if answers else unanswered(self.question) if self.answers else None,
            passages=tuple(passages_of(found, graph)),
            entities=tuple(entities_of(found)),
            warnings=tuple(self.warnings),
            trace=tuple(self.trace),
            usage=sum((line.usage for line in self.trace), Usage()),
        )

    def query(self) -> Held:
        """Extract what the method asks for from the question.

        Returns
        -------
        Held
            Empty where the method asks for nothing.

        """
        made: dict[str, Any] = {}
        for what in self.method.query:
            tool = find(EXTRACTORS[what])
            made[what] = self.call(Step(id=f"query.{what}", tool=tool.name), tool, {"query": self.question})
        kind = kind_of_query(made)
        parts = {n: made[n] if n == "keywords" else getattr(made["entities"], n) for n in kind.parts or {}}
        return Held(parts, kind)

    def nodes(self, nodes: Sequence[Node], names: Names) -> None:
        """Run steps in order; each adds its result to the names.

        Parameters
        ----------
        nodes : sequence of (Step, Union or Loop)
            One list of steps.
        names : Names
            Their scope; results are added to it.

        """
        for node in nodes:
            if isinstance(node, Step):
                held = self.step(node, names)
            else:
                held = self.union(node, names) if isinstance(node, Union) else self.loop(node, names)
            names.held[node.id] = held

    def step(self, step: Step, names: Names) -> Held:
        """Run a step, or skip it: its condition is not met, or it has nothing to read.

        Parameters
        ----------
        step : Step
            What to run.
        names : Names
            Its scope.

        Returns
        -------
        Held
            Empty where it was skipped.

        """
        tool = find(step.tool)
        self.answers = self.answers or tool.writes == "answer"
        kind = Kind(tool.writes, tool.output)
        if not names.true(step.when, default=True):
            return self.skip(step, kind, "condition")
        given = Given(tool, names)
        for field, written in step.inputs.items():
            given.add(field, written)
        for field, n in given.left_out.items():
            message = f"{step.id}: {n} items with a negative score were left out of {field}."
            self.warn(ToolWarning(code="negative_scores", message=message, records=(step.id,)))
        if (empty := given.lacking()) is not None:
            return self.skip(step, kind, "empty_input", empty)
        return Held(self.call(step, tool, given.arguments), kind)

    def skip(self, step: Step, kind: Kind, why: str, field: str = "") -> Held:
        """Leave a step out; its result is empty.

        Parameters
        ----------
        step : Step
            The step.
        kind : Kind
            Of its result.
        why : str
            condition or empty_input.
        field : str
            The input that has nothing to read.

        Returns
        -------
        Held
            Of that kind; it is in the trace.

        """
        if why == "empty_input":
            message = f"{step.id}: left out, since there is nothing to read ({field})."
            self.warn(ToolWarning(code="empty_input", message=message, records=(step.id,)))
        self.trace.append(TraceLine(step=step.id, tool=step.tool, seconds=0.0, skipped=why, round=self.round))
        empty: Any = Graph() if kind.port == "subgraph" else None
        return Held([] if kind.port in LISTS else empty, kind)

    def call(self, step: Step, tool: Tool, arguments: dict[str, Any]) -> Any:
        """Run a tool, with its time, cost and warnings noted.

        Parameters
        ----------
        step : Step
            The step.
        tool : Tool
            Its tool.
        arguments : dict of str to Any
            What the tool is given.

        Returns
        -------
        Any
            The tool's data.

        Raises
        ------
        CorpusgraphError
            What the tool raises, its message beginning with the step.

        """
        began, meter = self.clock(), Meter(self.llm) if self.llm is not None else None
        take_step(f"step {step.id} ({tool.name})")
        try:
            ports = {port: self.resources.get(port) for port in tool.ports}
            noted = tool.run(arguments, ports | {"llm": meter})
        except CorpusgraphError as error:
            error.message = f"Step {step.id!r}: {error.message}"
            raise
        whole = getattr(self.resources.get("graph"), "warnings", ())  # told with every step's result
        for warning in noted.warnings:
            by = "" if warning in whole else f"{step.id}: "
            self.warn(warning.model_copy(update={"message": f"{by}{warning.message}"}))
        usage = meter.usage if meter is not None else Usage()
        self.note(step.id, tool.name, began, n_items=count(noted.data), usage=usage)
        return noted.data

    def note(self, step: str, tool: str, began: float, **more: Any) -> None:
        """Add a line to the trace.

        Parameters
        ----------
        step : str
            Name of the step.
        tool : str
            What it does.
        began : float
            When, by the clock.
        **more
            Other fields of the line.

        """
        seconds = round(self.clock() - began, 6)
        self.trace.append(TraceLine(step=step, tool=tool, seconds=seconds, round=self.round, **more))

    def warn(self, warning: ToolWarning) -> None:
        """Keep a warning once.

        Parameters
        ----------
        warning : ToolWarning
            A warning of a step.

        """
        if warning not in self.warnings:
            self.warnings.append(warning)

    def union(self, union: Union, names: Names) -> Held:
        """Join results of one port.

        Parameters
        ----------
        union : Union
            What to join, and how.
        names : Names
            Its scope.

        Returns
        -------
        Held
            Best first, at most `top_k`.

        """
        began = self.clock()
        parts = [names.first(text) for text in union.union]
        kind = next((part.kind for part in parts if part.kind.port in LISTS), parts[0].kind)
        lists = [part.value or [] for part in parts]
        if kind.port == TEXTS:
            value: Any = list(dict.fromkeys(text for one in lists for text in one))[: union.top_k]
        else:
            value = joined(lists, [text.removeprefix("$") for text in union.union], union)
        self.note(union.id, "union", began, n_items=len(value))
        return Held(value, kind)

    def loop(self, loop: Loop, names: Names) -> Held:
        """Run steps again and again; the result holds what is collected, joined over the rounds.

        Parameters
        ----------
        loop : Loop
            What to run.
        names : Names
            Its scope.

        Returns
        -------
        Held
            Name -> what was collected.

        """
        before = self.round
        carried = {name: names.value(value) for name, value in loop.carry.items()}
        collected: dict[str, list[Held]] = {name: [] for name in loop.collect}
        for inner in self.rounds(loop, names, carried):
            for name, text in loop.collect.items():
                collected[name].append(inner.first(text))
            carried |= {name: inner.first(text) for name, text in loop.next.items()}
            if inner.true(loop.until, default=False):
                break
        self.round = before
        parts = {name: _joined(rounds) for name, rounds in collected.items()}
        kinds = {name: held.kind for name, held in parts.items()}
        return Held({name: held.value for name, held in parts.items()}, Kind("loop", parts=kinds))

    def rounds(self, loop: Loop, names: Names, carried: dict[str, Held]) -> Iterator[Names]:
        """Run the steps of each round; where a model is asked for one item after the other, side by side.

        Parameters
        ----------
        loop : Loop
            The loop.
        names : Names
            The scope around it.
        carried : dict of str to Held
            What it carries, changed after each round.

        Yields
        ------
        Names
            The scope of each round, after its steps.

        """
        scopes = (Names(names.graph, names.held.new_child(carried | item)) for item in _items(loop, names))
        if self.llm is not None and apart(loop) and asks(loop):
            yield from self.side_by_side(loop.steps, list(scopes))
            return
        for number, inner in enumerate(scopes, start=1):
            self.round = number
            self.nodes(loop.steps, inner)
            yield inner

    def side_by_side(self, steps: Sequence[Node], scopes: Sequence[Names]) -> Sequence[Names]:
        """Run the rounds of a loop at once, each with accounts of its own, which are taken over in order.

        Parameters
        ----------
        steps : sequence of (Step, Union or Loop)
            The steps of a round.
        scopes : sequence of Names
            One for each round; results are added to them.

        Returns
        -------
        sequence of Names
            The scopes.

        Raises
        ------
        CorpusgraphError
            That of the first round that fails; the others end at their next step.

        """
        over = Event()

        def part(context: Context, number: int, names: Names) -> Run:
            run = copy(self)
            run.trace, run.warnings, run.round = [], [], number
            context.run(run.nodes, steps, names)
            return run

        with ended_by(over), ThreadPoolExecutor(AT_ONCE, thread_name_prefix="round") as pool:
            try:
                rounds = [
                    pool.submit(part, copy_context(), number, inner)
                    for number, inner in enumerate(scopes, start=1)
                ]
                runs = [future.result() for future in rounds]
            except BaseException:
                over.set()
                raise
        for run in runs:
            self.trace += run.trace
            self.answers = self.answers or run.answers
            for warning in run.warnings:
                self.warn(warning)
        return scopes
