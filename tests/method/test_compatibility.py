"""Every pair of tools: one that feeds the other runs after it, one that does not is refused with a reason."""

from typing import Any

import pytest

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import (
    CorpusgraphError,
    PreparationError,
    UnknownEntityError,
    UnknownItemError,
)
from corpusgraph.schemas.method import Method, Step
from corpusgraph.tasks.method.check import check_method, feeds, matrix, names_of
from corpusgraph.tasks.registry import TOOLS, Tool, load
from tests.contract.examples import EXAMPLES
from tests.every import every
from tests.method.given import ran

load()
TESTED = {name: tool for name, tool in TOOLS.items() if name in EXAMPLES}
PAIRS = matrix(TESTED.values())
FED = [pair for pair, feed in PAIRS.items() if feed.ok]
REFUSED = [pair for pair, feed in PAIRS.items() if not feed.ok]
OUTSIDE = {"transform_table_to_graph", "extract_relationships"}
"""Tools whose entities are not those of the index: a tool that looks them up there says so by name."""
CALLS: dict[str, JsonDict] = {
    "chunk_entity_occurrence": {"min_entities": 1},
    "entity_relnode_extract": {"relationships": ["rel_1", "rel_2"]},
    "relationship_agent_find.relationships": {"query": "cholera", "mode": "recognition_filter"},
    "prepare_causal_model": {"model_type": "dag"},
    "prepare_statistical_analysis": {
        "analysis_type": "descriptive",
        "variable_mapping": {},
        "output_format": "r",
    },
}
"""What a tool is given beside what it reads, where its example's is of another graph."""


def example(tool: Tool) -> JsonDict:
    """Return a call of the tool, every argument under its own name."""
    return {names_of(tool)[name]: value for name, value in EXAMPLES[tool.name].items()}


def second_step(tool: Tool, field: str, value: Any) -> Step:
    """Return a call of the tool with the field fed; of what else it reads only what it must have."""
    fields = tool.input.model_fields
    must = {k: v for k, v in example(tool).items() if k in tool.reads and fields[k].is_required()}
    more = {k: v for k, v in example(tool).items() if k not in tool.reads}
    more = CALLS.get(f"{tool.name}.{field}", CALLS.get(tool.name, more))
    return Step(id="second", tool=tool.name, inputs={**must, **more, field: value})


def chained(pair: tuple[str, str], field: str) -> Method:
    first, second = TOOLS[pair[0]], TOOLS[pair[1]]
    one = Step(id="first", tool=first.name, inputs=example(first))
    return Method(method="pair", steps=(one, second_step(second, field, "$first")), answer=None)


@every("pair", FED, ids=" -> ".join)
def test_what_feeds_passes_the_check_and_runs(pair: tuple[str, str]) -> None:
    made = chained(pair, str(PAIRS[pair].field))
    check = check_method(made)
    assert check.ok, check.issues
    try:
        found = ran(made)
    except (UnknownEntityError, UnknownItemError):
        assert pair[0] in OUTSIDE
        return
    except PreparationError:
        assert pair[1] == "prepare_causal_model"  # the small graph's relationships are not all causal
        return
    assert [line.step for line in found.trace] == ["first", "second"]
    assert found.trace[1].skipped in {None, "empty_input"}
    if found.trace[0].n_items:
        assert found.trace[1].skipped is None


@every("first", TESTED)
def test_what_does_not_feed_is_refused_with_a_reason(first: str) -> None:
    for pair in [pair for pair in REFUSED if pair[0] == first]:
        second = TOOLS[pair[1]]
        assert PAIRS[pair].reason
        for field in second.reads or list(example(second))[:1]:
            found = check_method(chained(pair, field)).issues
            assert {"wrong_port", "writing_tool"} & {issue.code for issue in found}, (pair, field, found)
            assert all(issue.message for issue in found)


def test_the_reasons_name_both_tools_ports_and_what_stands_between() -> None:
    reason = PAIRS["entity_vdb_search", "chunk_score_aggregate"].reason
    assert reason == (
        "chunk_score_aggregate reads relationships, entity_vdb_search writes entities; "
        "relationship_score_aggregate stands between them"
    )
    assert "starts from the question" in PAIRS["entity_ppr_rank", "chunk_vdb_search"].reason
    assert "ends a chain" in PAIRS["prepare_process_trace", "entity_ppr_rank"].reason


def test_a_tool_feeds_by_its_ports_alone() -> None:
    for (first, second), feed in PAIRS.items():
        assert feeds(TOOLS[first], TOOLS[second]) == feed
        if feed.ok and feed.part is None:
            assert TOOLS[second].reads[str(feed.field)] == TOOLS[first].writes


def test_an_error_of_a_step_names_the_step() -> None:
    made = Method(
        method="wrong",
        steps=(Step(id="near", tool="entity_onehop_neighbors", inputs={"entities": ["Jon Snow"]}),),
        answer=None,
    )
    with pytest.raises(CorpusgraphError, match=r"Step 'near': .*John Snow"):
        ran(made)
