"""What a method will do and cost before it runs: the chain in order, and the most that calls may take."""

from collections.abc import Sequence

from corpusgraph.schemas.method import Loop, Method, MethodPlan, Node, PlannedStep, Step, Union
from corpusgraph.tasks._tool import TOOLS
from corpusgraph.tasks.method.check import checked
from corpusgraph.tasks.method.costs import NAMES, UNCAPPED, Caps, calls_of, cap_of, most, tokens_of
from corpusgraph.tasks.method.queries import EXTRACTORS
from corpusgraph.tasks.method.refs import references_in


def plan_method(method: Method) -> MethodPlan:
    """Return the plan of a method; raise MethodCheckError for one that cannot run.

    Calls and tokens are upper estimates, from the caps that the steps set: rounds, widths, candidates,
    budgets.
    """
    check = checked(method)
    caps: Caps = {"query": NAMES}
    steps = [_query_step(what) for what in check.method.query]
    steps += _planned(check.method.steps, 1, caps)
    notes = [*check.adapters]
    if any(step.llm_calls for step in steps):
        notes.append("Without a language model every step has an offline stand-in, and no call is made.")
        if UNCAPPED in caps.values():
            notes.append(f"A step that gives all there are is counted as giving {UNCAPPED} items.")
    return MethodPlan(
        method=method.method,
        steps=tuple(steps),
        llm_calls=sum(step.llm_calls for step in steps),
        llm_tokens=sum(step.llm_tokens for step in steps),
        notes=tuple(notes),
    )


def _query_step(what: str) -> PlannedStep:
    tool = TOOLS[EXTRACTORS[what]]
    return _step(Step(id=f"query.{what}", tool=tool.name, inputs={"query": "$q"}), 1, {})


def _planned(nodes: Sequence[Node], times: int, caps: Caps) -> list[PlannedStep]:
    """Plan steps that run `times` times; `caps` learns the most items of each result."""
    made: list[PlannedStep] = []
    for node in nodes:
        if isinstance(node, Step):
            made.append(_step(node, times, caps))
        elif isinstance(node, Union):
            caps[node.id] = node.top_k or most(node.union, caps)
            does = f"join by {node.by}"
            made.append(PlannedStep(id=node.id, does=does, reads=node.union, writes="their port"))
        else:
            made += _loop(node, times, caps)
    return made


def _loop(loop: Loop, times: int, caps: Caps) -> list[PlannedStep]:
    rounds = most(loop.each, caps) if loop.each else loop.rounds
    over = f"for each of {loop.each} (at most {rounds})" if loop.each else f"at most {rounds} rounds"
    until = f" until {loop.until}" if loop.until else ""
    reads = tuple(dict.fromkeys(references_in([loop.each, *loop.carry.values()])))
    inner = {**caps, "item": 1, **{name: most(value, caps) for name, value in loop.carry.items()}}
    steps = _planned(loop.steps, times * rounds, inner)
    for name, text in loop.next.items():  # what is carried on may be more than what was before the first
        inner[name] = max(inner.get(name, 1), most(text, inner))
    steps = _planned(loop.steps, times * rounds, inner)
    caps |= {f"{loop.id}.{name}": rounds * most(text, inner) for name, text in loop.collect.items()}
    writes = ", ".join(f"{loop.id}.{name}" for name in loop.collect)
    return [PlannedStep(id=loop.id, does=f"{over}{until}", reads=reads, writes=writes), *steps]


def _step(step: Step, times: int, caps: Caps) -> PlannedStep:
    tool = TOOLS[step.tool]
    caps[step.id] = cap_of(tool, step.inputs)
    calls = calls_of(tool, step.inputs, caps) * times if "llm" in tool.ports else 0
    return PlannedStep(
        id=step.id,
        does=tool.doc.rstrip("."),
        reads=tuple(dict.fromkeys(references_in(step.inputs))),
        writes=tool.writes,
        adapter=step.adapter,
        llm_calls=calls,
        llm_tokens=calls * tokens_of(tool, step.inputs),
    )
