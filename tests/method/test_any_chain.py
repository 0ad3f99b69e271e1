"""Chains nobody would write: each is refused by the check, or runs."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.method import Loop, Method, Node, Step, Union
from corpusgraph.tasks.method.check import check_method, issue_line
from corpusgraph.tasks.method.plan import plan_method
from corpusgraph.tasks.method.run import run_method
from corpusgraph.tasks.registry import TOOLS, load
from tests.contract.examples import EXAMPLES
from tests.examples import tried
from tests.method.given import PORTS, QUESTION

load()
NAMES = sorted(name for name in TOOLS if name in EXAMPLES)
IDS = ("a", "b", "c", "d", "q")
references = st.sampled_from(
    [
        "$a",
        "$b",
        "$c",
        "$q",
        "$item",
        "$f",
        "$a or $b",
        "$a.entities",
        "$a.text",
        "$query.entities",
        "$l.x",
        "$",
        "$5",
    ]
)
values = st.one_of(
    references,
    st.lists(references, max_size=2),
    st.sampled_from([0, -1, 3, "", "cholera", None, True, ["ent_a"], {"ent_a": 1.0}, {"x": "$a"}]),
)


@st.composite
def a_step(draw: st.DrawFn) -> Step:
    tool = draw(st.sampled_from([*NAMES, "nothing"]))
    fields = sorted(TOOLS[tool].input.model_fields) if tool in TOOLS else ["x"]
    example: dict[str, Any] = EXAMPLES.get(tool, {})
    inputs = {
        name: example[name]
        for name in draw(st.sets(st.sampled_from(sorted(example) or ["x"])))
        if name in example
    }
    inputs |= draw(st.dictionaries(st.sampled_from(fields), values, max_size=2))
    when = draw(st.sampled_from([None, None, None, "$a", "not $b", "maybe"]))
    return Step(id=draw(st.sampled_from(IDS)), tool=tool, inputs=inputs, when=when)


unions = st.builds(
    Union,
    id=st.sampled_from(IDS),
    union=st.lists(references, min_size=1, max_size=2).map(tuple),
    by=st.sampled_from(["max", "sum", "rrf", "first"]),
)


def loops(steps: st.SearchStrategy[Any]) -> st.SearchStrategy[Loop]:
    return st.builds(
        Loop,
        id=st.just("l"),
        steps=st.lists(steps, min_size=1, max_size=2).map(tuple),
        each=st.one_of(st.none(), references),
        rounds=st.integers(1, 2),
        carry=st.dictionaries(st.just("f"), values, max_size=1),
        next=st.dictionaries(st.just("f"), references, max_size=1),
        until=st.sampled_from([None, "$f", "not $a"]),
        collect=st.dictionaries(st.just("x"), references, max_size=1),
    )


nodes: st.SearchStrategy[Node] = st.one_of(a_step(), a_step(), a_step(), unions, loops(a_step()))
methods = st.builds(
    Method,
    method=st.just("any"),
    steps=st.lists(nodes, max_size=4).map(tuple),
    query=st.sampled_from([(), ("entities",), ("entities", "keywords")]),
    answer=st.sampled_from([None, {}, {"mode": "map_reduce"}, {"chunks": "$a"}]),
    adapt=st.booleans(),
)


@settings(
    max_examples=tried(250),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(methods)
def test_a_chain_is_refused_with_its_issues_or_runs(made: Method) -> None:
    check = check_method(made)
    assert check.ok == (not check.issues)
    for issue in check.issues:
        assert issue_line(made, issue)
    if not check.ok:
        return
    assert plan_method(made).steps or not (made.steps or made.query or made.answer)
    try:
        found = run_method(check, QUESTION, PORTS)
    except CorpusgraphError as error:
        assert error.message  # noqa: PT017 - a named condition is an answer too
        return
    assert len(found.trace) >= len([node for node in check.method.steps if isinstance(node, Step)])
    assert [one.rank for one in found.passages] == list(range(1, len(found.passages) + 1))


linear = st.lists(st.sampled_from(NAMES), min_size=1, max_size=5)


@settings(
    max_examples=tried(150),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(linear, st.booleans())
def test_any_tools_in_a_row(names: list[str], adapt: bool) -> None:
    made = Method(
        method="row",
        steps=tuple(Step(id=f"s{i}", tool=name) for i, name in enumerate(names)),
        answer=None,
        adapt=adapt,
    )
    check = check_method(made)
    if check.ok:
        try:
            run_method(check, QUESTION, PORTS)
        except CorpusgraphError as error:
            assert "Step 's" in error.message or adapt  # noqa: PT017
