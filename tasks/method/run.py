"""Run a checked method for one question: every step's result, the answer, the passages, what it cost."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from copy import copy
from dataclasses import dataclass
from threading import Semaphore
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, UnknownItemError
from corpusgraph.schemas.graph import Community, Entity, Graph, Relationship
from corpusgraph.schemas.llm import Prompt, Reply, TraceLine, Usage
from corpusgraph.schemas.method import Loop, Method, MethodCheck, MethodResult, Node, Step, Union
from corpusgraph.schemas.ports import Accept, GraphView, LanguageModel
from corpusgraph.schemas.results import Scored, ToolWarning
from corpusgraph.tasks.answer.extractive import unanswered
from corpusgraph.tasks.graph.communities import chunks_of
from corpusgraph.tasks.graph.compiled import relationship_chunks
from corpusgraph.tasks.llm.prompting import ask_all
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
    condition,
    kind_of_query,
    side_by_side_order,
)
from corpusgraph.tasks.method.meter import Behind, Metered, since
from corpusgraph.tasks.method.shapes import shaped
from corpusgraph.tasks.method.values import (
    Given,
    Held,
    Names,
    along,
    count,
    empty_of,
    holds,
    joined,
    key_of,
    over_rounds,
    scored_in_order,
)
from corpusgraph.tasks.progress import step as take_step
from corpusgraph.tasks.registry import Tool, find

Rounds = Callable[[Loop, Iterator[tuple[int, Names]]], Iterable[Names]]
"""Runs a loop's steps in the scope of each round, told with its number; gives the scopes back in order."""


def run_loop(loop: Loop, names: Names, in_rounds: Rounds) -> Held:
    """Run a loop; its result holds what it collects, joined over the rounds.

    Parameters
    ----------
    loop : Loop
        The loop, as checked.
    names : Names
        What it can refer to.
    in_rounds : callable
        Runs its steps in the scope of each round; gives the scopes back in order.

    Returns
    -------
    Held
        Name -> what was collected.

    """
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
        nodes = {node.id: node for graph in values for node in graph.nodes}
        edges = {edge.id: edge for graph in values for edge in graph.edges}
        return Held(Graph(nodes=tuple(nodes.values()), edges=tuple(edges.values())), kind)
    return Held(values[-1] if values else None, kind)


M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
Work = Callable[[LanguageModel], T]
"""Makes something, with a model to ask."""
AT_ONCE = 64
"""Pieces of work that are begun before any is done."""


class Abandoned(BaseException):
    """Ends a piece of work that nobody waits for any more."""


@dataclass(frozen=True)
class Call:
    """What a piece of work asks the model.

    Attributes
    ----------
    prompts : sequence of Prompt
    answer : type
        Model of a reply.
    accept : callable or None
        Judges a reply by its place.

    """

    prompts: Sequence[Prompt]
    answer: type[BaseModel]
    accept: Accept[Any] | None


class Strand(Behind, Generic[T]):
    """A piece of work that runs from one question to the model to the next; to the work it is the model.

    Parameters
    ----------
    work : callable
        Makes something, with a model to ask.
    model : LanguageModel
        The model behind it.
    pool : ThreadPoolExecutor
        Where the work runs, in a thread of its own.

    """

    def __init__(self, work: Work[T], model: LanguageModel, pool: ThreadPoolExecutor) -> None:
        super().__init__(model)
        self._work = work
        self._pool = pool
        self._context = copy_context()
        self._go, self._rests = Semaphore(0), Semaphore(0)
        self._future: Future[T] | None = None
        self._replies: list[Reply[Any]] = []
        self._refused: BaseException | None = None
        self.call: Call | None = None
        self.done = False

    def ask(
        self, prompts: Sequence[Prompt], answer: type[M], accept: Accept[M] | None = None
    ) -> list[Reply[M]]:
        """Wait until the prompts are asked with those of the others; called by the work.

        Parameters
        ----------
        prompts : sequence of Prompt
            What is asked.
        answer : type
            Model of a reply.
        accept : callable, optional
            Judges a reply by its place.

        Returns
        -------
        list of Reply
            One for each prompt.

        """
        self._raise_refused()
        self.call = Call(prompts, answer, accept)
        self._rests.release()
        self._go.acquire()
        self._raise_refused()
        return self._replies

    def run(self) -> None:
        """Run until it asks or is done."""
        if self._future is not None:
            self._go.release()
        self._begun()
        self._rests.acquire()

    def give(self, replies: list[Reply[Any]]) -> None:
        """Hand over what it asked for.

        Parameters
        ----------
        replies : list of Reply
            One for each prompt of its call.

        """
        self._replies, self.call = replies, None

    def refuse(self, error: BaseException) -> None:
        """Let what it asked raise an error, and whatever it asks after that.

        Parameters
        ----------
        error : BaseException
            The error.

        """
        self._refused, self.call = error, None

    def abandon(self) -> None:
        """End it where it stands, if it is not done."""
        if self._future is not None and not self.done:
            self.refuse(Abandoned())
            self._go.release()

    @property
    def failed(self) -> bool:
        """Tell whether it ended by an error."""
        return self.done and self._begun().exception() is not None

    def result(self) -> T:
        """Return what it made, or raise what ended it; it is done.

        Returns
        -------
        T
            Whatever the work returned.

        Raises
        ------
        BaseException
            Whatever ended the work.

        """
        return self._begun().result()

    def _begun(self) -> Future[T]:
        if self._future is None:
            self._future = self._pool.submit(self._context.run, self._whole)
        return self._future

    def _whole(self) -> T:
        try:
            return self._work(self)
        finally:
            self.done = True
            self._rests.release()

    def _raise_refused(self) -> None:
        if self._refused is not None:
            raise self._refused


def side_by_side(
    works: Sequence[Work[T]], model: LanguageModel, after: Sequence[Collection[int]] | None = None
) -> list[T]:
    """Return what each piece of work makes, in order; what they ask at a time is asked together.

    Parameters
    ----------
    works : sequence of callable
        Each makes something, with a model to ask.
    model : LanguageModel
        The model that is asked.
    after : sequence of collection of int, optional
        For each, the places of those it waits for.

    Returns
    -------
    list

    Raises
    ------
    Exception
        The error of the first that fails, which ends them all.

    """
    made: list[T] = []
    size = len(works) if after is not None else AT_ONCE  # what waits for others has to be begun with them
    for start in range(0, len(works), size or 1):
        with _strands(works[start : start + size], model) as strands:
            waits = [() for _ in strands] if after is None else after
            while not all(strand.done for strand in strands):
                _advance(strands, waits)
                _ask(model, [strand for strand in strands if strand.call is not None])
            made += [strand.result() for strand in strands]
    return made


@contextmanager
def _strands(works: Sequence[Work[T]], model: LanguageModel) -> Iterator[list[Strand[T]]]:
    """Give a strand for each piece of work; those not done at the end are abandoned."""
    with ThreadPoolExecutor(len(works), thread_name_prefix="strand") as pool:
        strands = [Strand(work, model, pool) for work in works]
        try:
            yield strands
        finally:
            for strand in strands:
                strand.abandon()


def _advance(strands: Sequence[Strand[T]], after: Sequence[Collection[int]]) -> None:
    """Run each in order as far as it goes without the model; raise the error of one that fails."""
    moved = True
    while moved:
        moved = False
        for strand, waits in zip(strands, after, strict=True):
            if strand.done or strand.call is not None or not all(strands[i].done for i in waits):
                continue
            strand.run()
            moved = True
            if strand.failed:
                strand.result()


def _ask(model: LanguageModel, strands: Sequence[Strand[T]]) -> None:
    """Ask together what all wait for, one kind of answer after the other."""
    kinds = dict.fromkeys(strand.call.answer for strand in strands if strand.call is not None)
    for kind in kinds:
        waiting = [(s, s.call) for s in strands if s.call is not None and s.call.answer is kind]
        try:
            replies = iter(_asked(model, [call for _, call in waiting], kind))
        except CorpusgraphError as error:
            waiting[0][0].refuse(error)
            return
        for strand, call in waiting:
            strand.give([next(replies) for _ in call.prompts])


def _asked(model: LanguageModel, calls: Sequence[Call], answer: type[M]) -> list[Reply[M]]:
    places = [(call, place) for call in calls for place in range(len(call.prompts))]

    def accept(place: int, value: M) -> str | None:
        call, own = places[place]
        return call.accept(own, value) if call.accept is not None else None

    prompts = [call.prompts[place] for call, place in places]
    return ask_all(model, prompts, answer, accept if any(call.accept for call in calls) else None)


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
            return [
                Scored[Chunk](
                    item=bare(s), score=s.score, rank=rank, scorer=s.scorer, components=s.components
                )
                for rank, s in enumerate(held.value, start=1)
            ]
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
        return scored_in_order(value.edges or value.nodes, port)
    return list(value)


def _derived(items: Sequence[Any], graph: GraphView, scorer: str) -> list[Scored[Chunk]]:
    reports = graph.reports if scorer == "communities" else ()
    cited = {report.community_id: [f.chunk_id for f in report.findings] for report in reports}
    best: dict[str, tuple[Chunk, float]] = {}
    for scored in items:
        item = bare(scored)
        for chunk in _chunks(graph, cited.get(item.id) or _chunk_ids(item, graph)):
            best.setdefault(chunk.id, (chunk, float(scored.score)))
    return [
        Scored[Chunk](item=chunk, score=score, rank=rank, scorer=scorer)
        for rank, (chunk, score) in enumerate(best.values(), start=1)
    ]


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
        self.resources = Metered(shaped(resources, method.graph))
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
        names = Names(graph, {"q": Held(self.question, Kind(TEXT))})
        names.held["query"] = self.query()
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
        """Run steps; each adds its result to the names. What a model is asked apart is asked together.

        Parameters
        ----------
        nodes : sequence of (Step, Union or Loop)
            One list of steps.
        names : Names
            Their scope; results are added to it.

        """
        waits = side_by_side_order(nodes) if self.resources.meter else None
        if waits is not None:
            self.together([self.part([node], names) for node in nodes], waits)
        for node in nodes:  # in the order of the method, whichever was done first
            done = waits is not None
            names.held[node.id] = names.held.pop(node.id) if done else self.node(node, names)

    def node(self, node: Node, names: Names) -> Held:
        """Run one step, union or loop.

        Parameters
        ----------
        node : Step, Union or Loop
            What to run.
        names : Names
            Its scope.

        Returns
        -------
        Held
            With the kind of its port.

        """
        if isinstance(node, Step):
            return self.step(node, names)
        return self.union(node, names) if isinstance(node, Union) else self.loop(node, names)

    def part(self, nodes: Sequence[Node], names: Names, number: int | None = None) -> Work["Run"]:
        """Return the work of some steps, of a round if it is told, as a run with accounts of its own.

        Parameters
        ----------
        nodes : sequence of (Step, Union or Loop)
            Steps.
        names : Names
            Their scope; results are added to it.
        number : int, optional
            Number of the round.

        Returns
        -------
        callable
            Returns the run, with its trace and warnings, when it is handed a model.

        """

        def work(model: LanguageModel) -> Run:
            run = copy(self)
            run.resources, run.trace, run.warnings = self.resources.apart(model), [], []
            run.round = self.round if number is None else number
            run.nodes(nodes, names)
            return run

        return work

    def together(self, works: Sequence[Work["Run"]], waits: Sequence[set[int]] | None = None) -> None:
        """Run parts side by side, and take their accounts over in order.

        Parameters
        ----------
        works : sequence of callable
            Parts, from `part`.
        waits : sequence of set of int, optional
            For each, the places of those it waits for.

        """
        if (model := self.resources.meter) is None:
            return
        for part in side_by_side(works, model, waits):
            self.trace += part.trace
            self.answers = self.answers or part.answers
            for warning in part.warnings:
                self.warn(warning)

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
        when = condition(step.when) if step.when else None
        if when is not None and not names.true(when):
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
        return Held(empty_of(kind.port), kind)

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
        began, spent = self.clock(), self.resources.usage
        take_step(f"step {step.id} ({tool.name})")
        try:
            noted = tool.run(arguments, self.resources)
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
                usage=since(self.resources.usage, spent),
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
        """Run steps again and again.

        Parameters
        ----------
        loop : Loop
            What to run.
        names : Names
            Its scope.

        Returns
        -------
        Held
            What the loop collects.

        """
        before = self.round
        held = run_loop(loop, names, self.in_rounds)
        self.round = before
        return held

    def in_rounds(self, loop: Loop, scopes: Iterator[tuple[int, Names]]) -> Iterable[Names]:
        """Run the steps of each round; where a model is asked for one item after the other, side by side.

        Parameters
        ----------
        loop : Loop
            The loop.
        scopes : iterator of (int, Names)
            Number and scope of each round.

        Returns
        -------
        iterable of Names
            The scopes, after the steps of each.

        """
        if not self.resources.meter or not apart(loop) or not asks(loop):
            return self.one_by_one(loop, scopes)
        rounds = list(scopes)
        self.together([self.part(loop.steps, inner, number) for number, inner in rounds])
        return [inner for _, inner in rounds]

    def one_by_one(self, loop: Loop, scopes: Iterator[tuple[int, Names]]) -> Iterator[Names]:
        """Run the steps of each round after those of the round before.

        Parameters
        ----------
        loop : Loop
            The loop.
        scopes : iterator of (int, Names)
            Number and scope of each round.

        Yields
        ------
        Names
            The scope, after the steps of the round.

        """
        for number, inner in scopes:
            self.round = number
            self.nodes(loop.steps, inner)
            yield inner
