"""Run a checked method for one question: every step's result, the answer, the passages, what it cost."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, UnknownToolError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.llm import Usage
from corpusgraph.schemas.method import Loop, Method, MethodCheck, MethodResult, Node, Step, Union
from corpusgraph.schemas.results import Scored, ToolWarning
from corpusgraph.schemas.trace import TraceLine
from corpusgraph.tasks._tool import Tool
from corpusgraph.tasks.answer.extractive import unanswered
from corpusgraph.tasks.method.arguments import Given
from corpusgraph.tasks.method.check import checked
from corpusgraph.tasks.method.kinds import LISTS, TEXT, TEXTS, Kind
from corpusgraph.tasks.method.loop import run_loop
from corpusgraph.tasks.method.meter import Metered, since
from corpusgraph.tasks.method.passages import passages_of
from corpusgraph.tasks.method.ports import bare
from corpusgraph.tasks.method.queries import EXTRACTORS, query_parts
from corpusgraph.tasks.method.refs import condition
from corpusgraph.tasks.method.shapes import shaped
from corpusgraph.tasks.method.tools import find_tool
from corpusgraph.tasks.method.union import joined, key_of
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
            entities=tuple(_entities(found)),
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
        """Run steps in order; each adds its result to the names."""
        for node in nodes:
            if isinstance(node, Step):
                names.held[node.id] = self.step(node, names)
            elif isinstance(node, Union):
                names.held[node.id] = self.union(node, names)
            else:
                names.held[node.id] = self.loop(node, names)

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
        held = run_loop(loop, names, self.in_round)
        self.round = before
        return held

    def in_round(self, number: int, nodes: Sequence[Node], names: Names) -> None:
        """Run the steps of one round."""
        self.round = number
        self.nodes(nodes, names)


def _entities(found: Mapping[str, Held]) -> list[Scored[Entity]]:
    """Return the latest entities that were found; a link counts as the entity it leads to."""
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
