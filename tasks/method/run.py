"""Run a checked method for one question: every step's result, the answer, the passages, what it cost."""

import time
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from copy import copy
from threading import Event
from typing import Any

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, UnknownItemError
from corpusgraph.schemas.graph import Community, Entity, Graph, Relationship
from corpusgraph.schemas.llm import TraceLine, Usage
from corpusgraph.schemas.method import Loop, Method, MethodCheck, MethodResult, Node, Step, Union
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolWarning
from corpusgraph.tasks.answer.extractive import unanswered
from corpusgraph.tasks.graph.communities import chunks_of
from corpusgraph.tasks.graph.compiled import relationship_chunks
from corpusgraph.tasks.method.check import (
    EXTRACTORS,
    LISTS,
    TEXT,
    TEXTS,
    VALUE,
    Kind,
    apart,
    asks,
    bare,
    checked,
    kind_of_query,
)
from corpusgraph.tasks.method.meter import Meter
from corpusgraph.tasks.method.shapes import shaped
from corpusgraph.tasks.method.values import (
    Given,
    Held,
    Names,
    along,
    count,
    holds,
    joined,
    key_of,
    over_rounds,
    scored_in_order,
)
from corpusgraph.tasks.progress import ended_by
from corpusgraph.tasks.progress import step as take_step
from corpusgraph.tasks.registry import Tool, find

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


def query_parts(made: Mapping[str, Any]) -> Held:
    """Return what `$query` holds, of the results of its extractors.

    Parameters
    ----------
    made : mapping of str to Any
        entities, keywords -> the result of the extractor.

    Returns
    -------
    Held
        By the names of the parts.

    """
    kind = kind_of_query(made)
    parts = {
        name: made[name] if name == "keywords" else getattr(made["entities"], name)
        for name in kind.parts or {}
    }
    return Held(parts, kind)


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
                return _derived(_passage_items(port, held.value, graph), graph, port)
    return []


def _flat(found: Mapping[str, Held]) -> Iterable[Held]:
    """Yield results; of a loop, what it collected."""
    for held in found.values():
        if held.kind.port == "loop":
            yield from (Held(held.value[name], kind) for name, kind in (held.kind.parts or {}).items())
        else:
            yield held


def _passage_items(port: str, value: Any, graph: GraphView) -> Sequence[Any]:
    if port == "paths":
        return along(value, "relationships", graph) or along(value, "entities", graph)
    if port == "subgraph":
        return scored_in_order(((item, 1.0, {}) for item in value.edges or value.nodes), port)
    return list(value)


def _derived(items: Sequence[Any], graph: GraphView, scorer: str) -> list[Scored[Chunk]]:
    reports = graph.reports if scorer == "communities" else ()
    cited = {report.community_id: [f.chunk_id for f in report.findings] for report in reports}
    best: dict[str, tuple[Chunk, float]] = {}
    for scored in items:
        item = bare(scored)
        for chunk in _chunks(graph, cited.get(item.id) or _chunk_ids(item, graph)):
            best.setdefault(chunk.id, (chunk, float(scored.score)))
    return scored_in_order(((chunk, score, {}) for chunk, score in best.values()), scorer)


def _chunks(graph: GraphView, ids: Iterable[str]) -> Iterable[Chunk]:
    for id_ in ids:
        try:
            yield graph.chunk(id_)
        except UnknownItemError:  # a record made by the caller may cite what this index does not have
            continue


def _chunk_ids(item: Any, graph: GraphView) -> Iterable[str]:
    if isinstance(item, Relationship):
        return relationship_chunks(graph).get(item.id, ()) or item.chunk_ids or ()
    if isinstance(item, Community):
        found = _chunks(graph, sorted(chunks_of(graph, item)))
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
    run = Run(check.method, question, resources, clock)
    return run.result()


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
        return MethodResult(
            method=self.method.method,
            question=self.question,
            results={name: held.value for name, held in found.items()},
            answer=self.answer(found),
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
            step = Step(id=f"query.{what}", tool=tool.name)
            made[what] = self.call(step, tool, {"query": self.question})
        return query_parts(made)

    def answer(self, found: Mapping[str, Held]) -> Answer | None:
        """Return the last answer; where an answer was wanted and nothing was found, one that says so.

        Parameters
        ----------
        found : mapping of str to Held
            Name of a step -> its result, in order.

        Returns
        -------
        Answer or None
            None where no answer was wanted.

        """
        answers = [held.value for held in found.values() if isinstance(held.value, Answer)]
        if answers:
            return answers[-1]
        if not self.answers:
            return None
        return unanswered(self.question)

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
        self.trace.append(
            TraceLine(
                step=step.id,
                tool=tool.name,
                seconds=round(self.clock() - began, 6),
                n_items=count(noted.data),
                round=self.round,
                usage=meter.usage if meter is not None else Usage(),
            )
        )
        return noted.data

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
        seconds = round(self.clock() - began, 6)
        self.trace.append(
            TraceLine(step=union.id, tool="union", seconds=seconds, n_items=len(value), round=self.round)
        )
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
