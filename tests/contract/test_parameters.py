"""Every published parameter of the tools 1 to 26: its name, default and values, asserted against the schemas."""

from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks.registry import TOOLS, find, load
from tests.contract.examples import EXAMPLES
from tests.contract.published import NUMBERED_T, OPTIONAL, PUBLISHED, REQUIRED, SPELLINGS, Parameter
from tests.every import every

load()
PARAMETERS = [
    (tool, name, parameter)
    for tool, parameters in PUBLISHED.items()
    for name, parameter in parameters.items()
]


def values_of(schema: JsonDict) -> set[str]:
    """Return the values of an enumeration, be it in a list or beside null."""
    inner = [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())]
    return set(schema.get("enum", ())).union(*(values_of(one) for one in inner))


def test_the_tools_1_to_26_are_those_published() -> None:
    numbered = {tool.number: name for name, tool in TOOLS.items() if tool.number is not None}
    assert numbered == dict(enumerate(PUBLISHED, start=1))


@every("tool, name, parameter", PARAMETERS)
def test_a_parameter_has_its_published_name_default_and_values(
    tool: str, name: str, parameter: Parameter
) -> None:
    default, values = parameter
    schema = TOOLS[tool].input_schema()
    found = schema["properties"][name]
    if default == OPTIONAL:
        assert name not in schema.get("required", ())
        assert found["default"] is None
    elif default != REQUIRED:
        assert found["default"] == default
    if values:
        assert values_of(found) == set(values)


@every("tool", PUBLISHED)
def test_nothing_is_required_that_was_not_published(tool: str) -> None:
    required = set(TOOLS[tool].input_schema().get("required", ()))
    assert required <= {name for name, (default, _) in PUBLISHED[tool].items() if default == REQUIRED}


@every(
    "tool, name, value",
    [
        (t, n, v)
        for t, parameters in PUBLISHED.items()
        for n, (_, values) in parameters.items()
        for v in values
    ],
)
def test_each_published_value_is_taken(tool: str, name: str, value: str) -> None:
    given: Any = [value] if name == "target_structures" else value
    assert getattr(TOOLS[tool].ask({**EXAMPLES[tool], name: given}), name) in (value, (value,), [value])


@every("row, tool", NUMBERED_T.items())
def test_a_row_of_the_matrix_names_its_tool(row: str, tool: str) -> None:
    assert find(row) is TOOLS[tool]


def test_no_alias_names_two_tools() -> None:
    aliases = [alias for tool in TOOLS.values() for alias in tool.aliases]
    assert len(aliases) == len({*aliases})
    assert not {*aliases} & {*TOOLS}


@every("tool, written, meant, value", SPELLINGS)
def test_another_spelling_is_the_same_parameter(tool: str, written: str, meant: str, value: Any) -> None:
    given = {name: v for name, v in EXAMPLES[tool].items() if name != meant}
    assert getattr(TOOLS[tool].ask({**given, written: value}), meant) == value
