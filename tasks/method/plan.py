"""What a method will do and cost before it runs: the chain in order, and the most that calls may take."""

from collections.abc import Mapping, Sequence
from typing import Any

from corpusgraph.schemas.method import Loop, Method, MethodPlan, Node, PlannedStep, Step, Union
from corpusgraph.tasks.method.check import EXTRACTORS, LISTS, checked, parsed, references_in
from corpusgraph.tasks.registry import TOOLS, Tool

REPLY_TOKENS = 500
"""Tokens a structured reply may have."""
CONTEXT_TOKENS = 2000
"""Tokens a prompt may have where no input caps it."""
ITEM_TOKENS = 300
"""Tokens a piece of a context may have: a community's report, a passage."""
UNCAPPED = 100
"""Items counted for a step that gives all there are."""
NAMES = 5
"""Names or keywords counted for a question."""
CAPS = ("top_k", "width", "max_paths", "max_relationships", "max_entities")
"""Inputs that cap what a step gives, the first that a tool has."""

Caps = dict[str, int]
"""Reference, without the dollar sign -> the most items it holds."""


def value_of(tool: Tool, inputs: Mapping[str, Any], name: str) -> Any:
    """Return what an input is: as given, or its default; None where the tool has no such input.

    Parameters
    ----------
    tool : Tool
        The tool of a step.
    inputs : mapping of str to Any
        What the step gives it.
    name : str
        Name of the input.

    Returns
    -------
    Any
        As written: references are not followed.

    """
    info = tool.input.model_fields.get(name)
    return inputs.get(name, info.default) if info is not None else None


def most(written: Any, caps: Caps) -> int:
    """Return the most items that a value of a method holds.

    Parameters
    ----------
    written : Any
        A value as a method writes it.
    caps : dict of str to int
        Name of a result -> the most items it holds.

    Returns
    -------
    int
        From 0; 1 for a reference of unknown size.

    """
    found = 0
    for text in references_in(written):
        each = map(".".join, parsed(text))
        found += max((caps.get(name, caps.get(name.partition(".")[0], 1)) for name in each), default=1)
    return found


def calls_of(tool: Tool, inputs: Mapping[str, Any], caps: Caps) -> int:
    """Return the most calls of one run of a step that may use a language model.

    Map and reduce: one for each group and one for all. Folds: one each. A tool with a `width` judges item by
    item what leads from it; one with a `batch` goes through the levels of communities. Any other asks once.

    Parameters
    ----------
    tool : Tool
        The tool of a step.
    inputs : mapping of str to Any
        What the step gives it.
    caps : dict of str to int
        Name of a result -> the most items it holds.

    Returns
    -------
    int

    """
    read = {field: most(inputs[field], caps) for field in tool.reads if field in inputs}
    mode = value_of(tool, inputs, "mode")
    if mode == "map_reduce":
        whole = sum(read.values()) * ITEM_TOKENS
        return 1 + max(1, -(-whole // int(value_of(tool, inputs, "group_tokens"))))
    if isinstance(folds := value_of(tool, inputs, "folds"), int):
        return folds
    if tool.writes == "entities" and "relationships" in tool.reads and "relationships" not in read:
        return 1  # candidates that no relationship leads to are judged together
    if mode in {None, "prune"} and isinstance(width := value_of(tool, inputs, "width"), int):
        return max(1, next(iter(read.values()), 1)) * (width if tool.writes == "entities" else 1)
    if isinstance(batch := value_of(tool, inputs, "batch"), int):
        levels = 1 + int(value_of(tool, inputs, "max_layer") or 0)
        return levels * -(-UNCAPPED // batch)
    return 1


def plan_method(method: Method) -> MethodPlan:
    """Return the plan of a method: its chain in order, and the most that its calls may take.

    Calls and tokens are upper estimates, from the caps that the steps set: rounds, widths, candidates,
    budgets.

    Parameters
    ----------
    method : Method
        As its file has it.

    Returns
    -------
    MethodPlan
        Steps with their calls and tokens; adapters are marked.

    Raises
    ------
    MethodCheckError
        For a method that cannot run.

    """
    check = checked(method)
    caps: Caps = {"query": NAMES}
    steps = [
        _step(Step(id=f"query.{what}", tool=EXTRACTORS[what], inputs={"query": "$q"}), 1, {})
        for what in check.method.query
    ]
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
    capping = (value_of(tool, step.inputs, name) for name in CAPS)
    uncapped = UNCAPPED if tool.writes in {*LISTS, "subgraph", "items"} else 1
    caps[step.id] = next((value for value in capping if isinstance(value, int)), uncapped)
    calls = calls_of(tool, step.inputs, caps) * times if "llm" in tool.ports else 0
    group = value_of(tool, step.inputs, "group_tokens") if step.inputs.get("mode") == "map_reduce" else None
    context = group or value_of(tool, step.inputs, "max_context_tokens")
    return PlannedStep(
        id=step.id,
        does=tool.doc.rstrip("."),
        reads=tuple(dict.fromkeys(references_in(step.inputs))),
        writes=tool.writes,
        adapter=step.adapter,
        llm_calls=calls,
        llm_tokens=calls * ((context if isinstance(context, int) else CONTEXT_TOKENS) + REPLY_TOKENS),
    )
