"""No input, however bad, gives a traceback: a tool answers, or names what is wrong."""

import gc
import json
import os
import time
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import ToolResult
from corpusgraph.tasks.registry import TOOLS, Tool, load
from tests.contract.examples import EXAMPLES
from tests.fuzz.inputs import inputs_of
from tests.fuzz.ports import FULL, GRAPHS, any_ports
from tests.fuzz.schemas import TEXTS

load()
every_tool = pytest.mark.parametrize("tool", list(TOOLS.values()), ids=list(TOOLS))
MANY = int(os.environ.get("CORPUSGRAPH_FUZZ", "10000"))
AT_ONCE = 10
"""Inputs made from one example of hypothesis, which costs more than they do."""
SLOW = 8.0
"""Seconds of processor time that no input may take: ten thousand words are parsed in some four."""
MAY_LACK = {"unknown_entity", "unknown_item", "missing_attribute", "invalid_input"}
REACHED = 0.15
"""Share of the inputs that get past validation, or else the tool itself is not tested."""
quietly = settings(
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate,),
)


def called(tool: Tool, given_: JsonDict, ports: Any) -> ToolResult:
    """Call a tool and see that the envelope keeps its promises."""
    result = tool.call(given_, ports)
    assert result.success == (result.error is None)
    if result.error is not None:
        assert result.error.code
        assert result.error.message
        assert result.data is None
    for warning in result.warnings:
        assert warning.code
        assert warning.message
    json.dumps(result.model_dump(mode="json"), allow_nan=True)
    return result


def answers_all(tool: Tool, examples: int, *, llm: bool = False) -> float:
    """Call a tool with generated inputs; return the share of the calls that had an answer."""
    codes: Counter[str] = Counter()

    @settings(quietly, max_examples=max(1, examples // AT_ONCE))
    @given(rng=st.randoms(use_true_random=True))
    def check(rng: Random) -> None:
        for _ in range(AT_ONCE):
            arguments, ports = inputs_of(tool.name).make(rng), any_ports(rng, llm=llm)
            shown = repr(arguments)
            note(shown[:2000])
            began = time.thread_time()
            result = called(tool, arguments, ports)
            assert time.thread_time() - began < SLOW
            codes[result.error.code if result.error else "ok"] += 1

    gc.freeze()  # what other tests left behind: to walk over it is not the tool's work
    try:
        check()
    finally:
        gc.unfreeze()
    return codes["ok"] / codes.total()


@every_tool
def test_generated_inputs_leave_no_uncaught_exception(tool: Tool) -> None:
    share = answers_all(tool, 60)
    assert share > 0 or tool.effect == "removes"  # what it names at random is seldom there to be removed


speaks = pytest.mark.parametrize(
    "tool", [tool for tool in TOOLS.values() if "llm" in tool.ports], ids=lambda tool: str(tool.name)
)


@speaks
def test_a_language_model_that_says_anything_leaves_no_uncaught_exception(tool: Tool) -> None:
    assert answers_all(tool, 60, llm=True) > 0


@pytest.mark.faults
@pytest.mark.timeout(900)
@every_tool
def test_ten_thousand_generated_inputs_leave_no_uncaught_exception(tool: Tool) -> None:
    assert answers_all(tool, MANY) > REACHED


@pytest.mark.faults
@pytest.mark.timeout(900)
@speaks
def test_ten_thousand_answers_of_a_language_model_leave_no_uncaught_exception(tool: Tool) -> None:
    assert answers_all(tool, MANY, llm=True) > REACHED


@every_tool
def test_a_graph_that_lacks_something_is_answered_with_a_reason(tool: Tool) -> None:
    for lacking in [name for name in GRAPHS if name != "full"]:
        result = called(tool, EXAMPLES[tool.name], GRAPHS[lacking])
        if result.data == []:
            assert result.warnings, lacking
        elif result.error is not None:
            assert result.error.code in MAY_LACK, lacking


asks = [tool for tool in TOOLS.values() if "query" in tool.input.model_fields]


@pytest.mark.parametrize("tool", asks, ids=[tool.name for tool in asks])
def test_any_text_is_a_query_or_refused(tool: Tool) -> None:
    for text in TEXTS:
        result = called(tool, {**EXAMPLES[tool.name], "query": text}, FULL)
        if result.error is not None:
            assert result.error.code in {"invalid_input", "unknown_entity"}, text
