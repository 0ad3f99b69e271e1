"""What docs/tools.md says of a tool is so: conditions, arguments, and an example that answers."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows.annotate.offline import default_extractor
from corpusgraph.flows.docs.tools import conditions, examples, hidden, shown
from corpusgraph.tasks.registry import TOOLS, Tool, find, load
from tests.contract.examples import EXAMPLES
from tests.contract.graphs import resources, rich

load()
every_tool = pytest.mark.parametrize("tool", list(TOOLS.values()), ids=list(TOOLS))
ROOT = Path(__file__).resolve().parents[2]
WRONG: tuple[Any, ...] = (
    "no such thing",
    ["no such thing"],
    [],
    -1,
    {"no such thing": 1.0},
    [{"id": ""}],
    [{}],
)


@every_tool
def test_what_wrong_arguments_give_is_among_the_conditions(tool: Tool) -> None:
    listed = conditions(tool)
    example = EXAMPLES[tool.name]
    for name in example:
        for value in WRONG:
            given = {**resources(rich()), "extractor": default_extractor()}
            result = tool.call({**example, name: value}, given)
            if result.error is not None:
                assert result.error.code in listed.errors, f"{name}={value!r}: {result.error.message}"
            assert {warning.code for warning in result.warnings} <= set(listed.warnings), f"{name}={value!r}"


def test_conditions_are_those_of_the_tool_alone() -> None:
    walk, arguments = conditions(find("entity_ppr_rank")), conditions(find("prepare_argument_network"))
    assert "not_converged" in walk.warnings
    assert "support_in_dung" in arguments.errors
    assert not {"support_in_dung", "embedder_mismatch"} & set(walk.errors)
    assert "unknown_entity" not in arguments.errors


@every_tool
def test_every_argument_has_a_meaning(tool: Tool) -> None:
    fields = tool.input_schema()["properties"]
    assert not [
        name for name, field in fields.items() if not hidden(tool, name) and not field.get("description")
    ]


@cache
def page() -> str:
    """Return the page, which another test compares with the registry."""
    return (ROOT / "docs/tools.md").read_text(encoding="utf-8")


@every_tool
def test_the_example_is_on_the_page_and_answers(tool: Tool) -> None:
    section = page().partition(f"\n## {tool.name}\n")[2].partition("\n## ")[0]
    called, _, answered = section.partition("\nanswers\n")
    assert f"`{tool.name}` called with" in called
    assert '"error"' not in answered.partition("```json")[2]
    assert answered.partition("```json\n")[2].partition("\n```")[0] not in {"", "{}"}


def test_every_tool_has_an_example_and_none_is_left_over() -> None:
    from corpusgraph.tasks.graph.view import MemoryGraph

    assert set(
        examples(MemoryGraph(*[rich()[kind] for kind in ("entities", "relationships", "chunks")]))
    ) == set(TOOLS)


def test_long_answers_are_cut_and_marked() -> None:
    assert shown({"a": list(range(9)), "b": "x" * 400, "c": None, "d": {}}) == (
        '{\n  "a": [0, 1, "… 7 more"],\n  "b": "' + "x" * 160 + ' …"\n}'
    )
    assert (
        shown([[1, 2, 3, 4], {"deep": [{"er": [5, 6]}]}]) == '[[1, "… 3 more"], {"deep": [{"er": [5, 6]}]}]'
    )
