"""Tools and methods as lines for a person: the list of tools, a plan, the trace of a run."""

from collections.abc import Iterator, Sequence

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.llm import StageUsage, TraceLine, Usage
from corpusgraph.schemas.method import Method, MethodCheck, MethodPlan
from corpusgraph.tasks.method.check import issue_line
from corpusgraph.tasks.registry import load


def tool_list() -> list[JsonDict]:
    """Return name, number, family, what it does, and what it reads and writes, of every tool.

    Returns
    -------
    list of JsonDict
        In the order of numbers, then names.

    """
    return [
        {
            "name": tool.name,
            "number": tool.number,
            "family": tool.family,
            "does": tool.doc,
            "reads": dict(tool.reads),
            "writes": tool.writes,
            **{name: sorted(getattr(tool, name)) for name in ("needs", "optional", "adds")},
            **{name: list(getattr(tool, name)) for name in ("ports", "aliases")},
            "cite": tool.cite,
        }
        for tool in load().values()
    ]


def tool_lines() -> list[str]:
    """Return the list as lines for a terminal.

    Returns
    -------
    list of str
        Number, name, and what it does.

    """
    width = max(len(name) for name in load())
    return [f"{tool.number or '':>3}  {name:<{width}}  {tool.doc}" for name, tool in load().items()]


def check_lines(method: Method, result: MethodCheck) -> Iterator[str]:
    """Yield what the types of a method's steps say: issues, adapters, and whether it can run.

    Parameters
    ----------
    method : Method
        Names the file and lines.
    result : MethodCheck
        Of its check.

    Yields
    ------
    str
        Lines without line feeds.

    """
    yield from (issue_line(method, issue) for issue in result.issues)
    yield from (f"adapter: {adapter}" for adapter in result.adapters)
    if result.ok:
        yield f"{method.method}: ok"


def plan_lines(plan: MethodPlan) -> Iterator[str]:
    """Yield the steps of a plan: what each reads and writes, and the most it may cost.

    Parameters
    ----------
    plan : MethodPlan
        Of a method.

    Yields
    ------
    str
        Lines without line feeds.

    """
    yield f"{plan.method}: {len(plan.steps)} steps"
    width = max((len(step.id) for step in plan.steps), default=0)
    for step in plan.steps:
        reads = ", ".join(step.reads)
        cost = f"  at most {step.llm_calls} calls, {step.llm_tokens:,} tokens" if step.llm_calls else ""
        mark = "+ " if step.adapter else "  "
        yield f"{mark}{step.id:<{width}}  {step.does}: {reads or 'nothing'} -> {step.writes}{cost}"
    if plan.llm_calls:
        yield f"With a language model: at most {plan.llm_calls} calls, {plan.llm_tokens:,} tokens a question."
    else:
        yield "No language model is used."
    yield from plan.notes


def trace_lines(trace: Sequence[TraceLine]) -> Iterator[str]:
    """Yield the steps of a run: how many items, how long, and what calls took.

    Parameters
    ----------
    trace : sequence of TraceLine
        In the order of the steps.

    Yields
    ------
    str
        Times in milliseconds.

    """
    width = max((len(line.step) for line in trace), default=0)
    in_rounds = any(line.round for line in trace)
    for line in trace:
        round_ = f"  {f'round {line.round}' if line.round else '':<8}" if in_rounds else ""
        if line.skipped:
            yield f"{line.step:<{width}}{round_}  left out ({line.skipped})"
            continue
        cost = f", {usage_words(line.usage)}" if line.usage.calls else ""
        yield f"{line.step:<{width}}{round_}  {line.n_items} items, {line.seconds * 1000:.1f} ms{cost}"


def usage_line(usage: Usage) -> Iterator[str]:
    """Yield what all calls of a language model took, where one was asked.

    Parameters
    ----------
    usage : Usage
        Of all calls of an answer.

    Yields
    ------
    str
        One line, or none.

    """
    if not isinstance(usage, StageUsage) or not usage.model:
        return
    kept = f", {usage.reused} replies from the cache" if usage.reused else ""
    failed = f", {usage.failed} without a usable reply" if usage.failed else ""
    yield f"{usage.model}: {usage_words(usage)}{kept}{failed}"


def usage_words(usage: Usage) -> str:
    """Return calls, tokens and cost in words; a price that is not known is told.

    Parameters
    ----------
    usage : Usage
        Of some calls.

    Returns
    -------
    str
        US dollars with up to six decimals.

    """
    price = "unknown price" if usage.cost is None else f"${usage.cost:.6f}".rstrip("0").rstrip(".")
    return f"{usage.calls} calls, {usage.tokens:,} tokens, {price}"
