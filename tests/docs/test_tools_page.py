"""What docs/tools says of a tool is so: conditions, arguments, and an example that answers."""

import json
from pathlib import Path
from typing import Any

import yaml

from corpusgraph.flows.annotate.offline import default_extractor
from corpusgraph.flows.docs.conditions import conditions
from corpusgraph.flows.docs.pages import answer_text, hidden
from corpusgraph.schemas.results import ToolResult
from corpusgraph.tasks.registry import TOOLS, Tool, find, load
from tests.contract.examples import EXAMPLES
from tests.contract.graphs import resources, rich
from tests.every import every

load()
every_tool = every("tool", TOOLS.values(), ids=lambda tool: tool.name)
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


@every_tool
def test_the_example_is_on_the_page_and_answers(tool: Tool) -> None:
    text = (ROOT / f"docs/tools/{tool.family}.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {tool.name}\n")[2].partition("\n## ")[0]
    call, _, answer = section.partition(f"```json {tool.name}\n")[2].partition("\n```\n")
    assert isinstance(json.loads(call), dict)
    told = yaml.safe_load(answer.partition("```yaml\n")[2].partition("\n```")[0])
    assert told
    assert "error" not in told


def test_long_answers_are_cut_and_marked() -> None:
    data: dict[str, Any] = {
        "a": list(range(9)),
        "b": "x" * 400,
        "c": None,
        "d": {},
        "e": [[1, 2, 3], {"deep": [{"er": 5}]}],
    }
    told = yaml.safe_load(answer_text(ToolResult(request_id="1", success=True, data=data)))
    assert told == {
        "data": {
            "a": [0, 1, "… 7 more"],
            "b": "x" * 160 + " …",
            "e": [[1, "… 2 more"], {"deep": "…"}],
        }
    }
