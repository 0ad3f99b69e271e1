"""Run a checked method for one question: every step's result, the answer, the passages, what it cost."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, UnknownToolError
from corpusgraph.schemas.llm import Usage
from corpusgraph.schemas.method import Loop, Method, MethodCheck, MethodResult, Node, Step, Union
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.trace import TraceLine
from corpusgraph.tasks._steps import step as take_step
from corpusgraph.tasks._tool import Tool
from corpusgraph.tasks.answer.extractive import unanswered
from corpusgraph.tasks.method.arguments import Given
from corpusgraph.tasks.method.check import checked
from corpusgraph.tasks.method.kinds import LISTS, TEXT, TEXTS, Kind
from corpusgraph.tasks.method.loop import run_loop
from corpusgraph.tasks.method.meter import Metered, since
from corpusgraph.tasks.method.order import apart, asks, side_by_side_order
from corpusgraph.tasks.method.passages import entities_of, passages_of
from corpusgraph.tasks.method.queries import EXTRACTORS, query_parts
from corpusgraph.tasks.method.refs import condition
from corpusgraph.tasks.method.shapes import shaped
from corpusgraph.tasks.method.strands import Work, side_by_side
from corpusgraph.tasks.method.tools import find_tool
from corpusgraph.tasks.method.union import joined
from corpusgraph.tasks.method.values import Held, Names, count, empty_of

Clock = Callable[[], float]


def run_method(
    method: Method | MethodCheck,
    question: str,
    resources: Mapping[str, Any],
    *,
    clock: Clock = time.perf_counter,
) -> MethodResult:
    """Run a method for one question on the ports of an index.

    A method is checked first (MethodCheckError); a check that is ok is run as it is. A step whose input is
    empty is skipped with the warning `empty_input`; a condition that a tool names is raised with the step.
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
    """One run: the names so far, the trace, the warnings."""

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
        """Run everything and return what was found."""
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
        """Extract what the method asks for from the question."""
        made: dict[str, Any] = {}
        for what in self.method.query:
            tool = self.tool(EXTRACTORS[what])
            step = Step(id=f"query.{what}", tool=tool.name)
            made[what] = self.call(step, tool, {"query": self.question})
        return query_parts(made)

    def tool(self, name: str) -> Tool:
        """Return a tool; the check has seen that there is one."""
        found = find_tool(name)
        if found is None:
            raise UnknownToolError(f"Unknown tool {name!r}.")
        return found

    def answer(self, found: Mapping[str, Held]) -> Answer | None:
        """Return the last answer; where an answer was wanted and nothing was found, one that says so."""
        answers = [held.value for held in found.values() if isinstance(held.value, Answer)]
        if answers:
            return answers[-1]
        if not self.answers:
            return None
        return unanswered(self.question)

    def nodes(self, nodes: Sequence[Node], names: Names) -> None:
        """Run steps; each adds its result to the names. What a model is asked apart is asked together."""
        waits = side_by_side_order(nodes) if self.resources.meter else None
        if waits is not None:
            self.together([self.part([node], names) for node in nodes], waits)
        for node in nodes:  # in the order of the method, whichever was done first
            done = waits is not None
            names.held[node.id] = names.held.pop(node.id) if done else self.node(node, names)

    def node(self, node: Node, names: Names) -> Held:
        """Run one step, union or loop."""
        if isinstance(node, Step):
            return self.step(node, names)
        return self.union(node, names) if isinstance(node, Union) else self.loop(node, names)

    def part(self, nodes: Sequence[Node], names: Names, number: int | None = None) -> Work["Run"]:
        """Return the work of some steps, of a round if it is told, as a run with accounts of its own."""

        def work(model: LanguageModel) -> Run:
            run = copy(self)
            run.resources, run.trace, run.warnings = self.resources.apart(model), [], []
            run.round = self.round if number is None else number
            run.nodes(nodes, names)
            return run

        return work

    def together(self, works: Sequence[Work["Run"]], waits: Sequence[set[int]] | None = None) -> None:
        """Run parts side by side, and take their accounts over in order."""
        if (model := self.resources.meter) is None:
            return
        for part in side_by_side(works, model, waits):
            self.trace += part.trace
            self.answers = self.answers or part.answers
            for warning in part.warnings:
                self.warn(warning)

    def step(self, step: Step, names: Names) -> Held:
        """Run a step, or skip it: its condition is not met, or it has nothing to read."""
        tool = self.tool(step.tool)
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
        """Leave a step out; its result is empty."""
        if why == "empty_input":
            message = f"{step.id}: left out, since there is nothing to read ({field})."
            self.warn(ToolWarning(code="empty_input", message=message, records=(step.id,)))
        self.trace.append(TraceLine(step=step.id, tool=step.tool, seconds=0.0, skipped=why, round=self.round))
        return Held(empty_of(kind.port), kind)

    def call(self, step: Step, tool: Tool, arguments: dict[str, Any]) -> Any:
        """Run a tool, with its time, cost and warnings noted."""
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
        """Keep a warning once."""
        if warning not in self.warnings:
            self.warnings.append(warning)

    def union(self, union: Union, names: Names) -> Held:
        """Join results of one port."""
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
        """Run steps again and again."""
        before = self.round
        held = run_loop(loop, names, self.in_rounds)
        self.round = before
        return held

    def in_rounds(self, loop: Loop, scopes: Iterator[tuple[int, Names]]) -> Iterable[Names]:
        """Run the steps of each round; where a model is asked for one item after the other, side by side."""
        if not self.resources.meter or not apart(loop) or not asks(loop):
            return self.one_by_one(loop, scopes)
        rounds = list(scopes)
        self.together([self.part(loop.steps, inner, number) for number, inner in rounds])
        return [inner for _, inner in rounds]

    def one_by_one(self, loop: Loop, scopes: Iterator[tuple[int, Names]]) -> Iterator[Names]:
        """Run the steps of each round after those of the round before."""
        for number, inner in scopes:
            self.round = number
            self.nodes(loop.steps, inner)
            yield inner
