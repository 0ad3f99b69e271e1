"""tools/list: names, schemas that strict clients take, annotations, groups."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from mcp.client import Client

from corpusgraph.flows.mcp.calling import brief, tidy
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.server import ABOUT, build_server, groups_of, known_groups, listed, selected
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, UnknownProfileError
from corpusgraph.tasks.registry import TOOLS, load
from tests.mcp.calls import OWN, examples
from tests.mcp.serving import ERAS, served

load()
EXTRAS = {"ask", "list_indexes", "list_methods"}
_OTHERS = {"oneOf", "discriminator", "nullable", "example", "definitions", "gt", "ge", "lt", "le"}


def tools_of(outputs: Path, era: str = "auto", **options: Any) -> dict[str, types.Tool]:
    async def work(client: Client) -> dict[str, types.Tool]:
        return {tool.name: tool for tool in (await client.list_tools()).tools}

    return served(outputs, work, era, **options)


@pytest.fixture(scope="module")
def tools(home: Path) -> dict[str, types.Tool]:
    return tools_of(home)


@pytest.mark.parametrize("era", ERAS)
def test_lists_every_tool_of_the_registry_and_no_alias(home: Path, era: str) -> None:
    assert set(tools_of(home, era)) == set(TOOLS) | EXTRAS


def keywords(schema: Any, *, names: bool = False) -> set[str]:
    """Return every keyword of a schema; keys of `properties` and `$defs` are names, not keywords."""
    if isinstance(schema, list):
        return {word for one in schema for word in keywords(one)}
    if not isinstance(schema, dict):
        return set()
    inner: set[str] = set()
    for key, value in schema.items():
        if key in {"default", "const", "enum", "examples"} and not names:
            continue
        inner |= keywords(value, names=key in {"properties", "$defs"} and not names)
    return inner if names else inner | set(schema)


def nodes(schema: Any) -> Iterator[JsonDict]:
    """Yield each schema inside a schema with those inside it taken out, so that equal ones are seen as such."""
    if not isinstance(schema, dict):
        return
    bare = dict(schema)
    for key, value in schema.items():
        if key in {"properties", "$defs"}:
            bare[key] = dict.fromkeys(value, True)
            inner = list(value.values())
        elif key in {"anyOf", "allOf", "prefixItems"}:
            bare[key] = [True]
            inner = value
        elif key in {"items", "additionalProperties", "not"}:
            bare[key] = True
            inner = [value]
        else:
            continue
        for one in inner:
            yield from nodes(one)
    yield bare


def test_schemas_hold_in_both_dialects(tools: dict[str, types.Tool]) -> None:
    every = [one for tool in tools.values() for one in (tool.input_schema, tool.output_schema)]
    parts = {json.dumps(part, sort_keys=True): part for schema in every for part in nodes(schema)}
    assert len(parts) > len(tools)
    for dialect in (Draft202012Validator, Draft7Validator):
        for part in parts.values():
            dialect.check_schema(part)


def test_schemas_are_flat_and_of_no_other_dialect(tools: dict[str, types.Tool]) -> None:
    for name, tool in tools.items():
        for schema in (tool.input_schema, tool.output_schema):
            assert schema is not None
            assert schema["type"] == "object", name
            assert not keywords(schema) & _OTHERS, name
            assert "title" not in keywords(schema), name
        assert not {"$ref", "anyOf", "allOf"} & tool.input_schema.keys(), name
        assert tool.input_schema["additionalProperties"] is False, name
        wanted = set(TOOLS[name].input.model_fields) if name in TOOLS else {"request_id"}
        if name in TOOLS and not TOOLS[name].needs_index:
            wanted -= {"index", "filter"}
        assert wanted <= {*tool.input_schema["properties"], *_by_alias(name)}, name


def _by_alias(name: str) -> set[str]:
    """Return the fields whose schema shows another name than the field's."""
    fields = TOOLS[name].input.model_fields if name in TOOLS else {}
    shown = set(TOOLS[name].input_schema()["properties"]) if name in TOOLS else set()
    return set(fields) - shown


def test_definitions_are_those_that_are_used(tools: dict[str, types.Tool]) -> None:
    for name, tool in tools.items():
        for part in tool.input_schema.get("$defs", {}):
            assert json.dumps(tool.input_schema).count(f'"#/$defs/{part}"'), (name, part)
    assert "filter" not in tools["prepare_causal_model"].input_schema["properties"]
    assert "Range" not in tools["prepare_causal_model"].input_schema["$defs"]
    assert "filter" in tools["entity_ppr_rank"].input_schema["properties"]
    assert "Range" not in tools["entity_ppr_rank"].input_schema.get("$defs", {})


def test_the_listing_is_no_longer_than_it_must_be(tools: dict[str, types.Tool]) -> None:
    """Most clients give a model name, description and input schema of every tool, at every turn."""
    told = {
        name: len(name)
        + len(tool.description or "")
        + len(json.dumps(tool.input_schema, separators=(",", ":")))
        for name, tool in tools.items()
    }
    assert sum(told.values()) < 2_400 * len(tools), sum(told.values())
    assert max(told.values()) < 11_500, max(told, key=lambda name: told[name])
    bytes_ = sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools.values())
    assert bytes_ < 4_600 * len(tools), bytes_


def depth(schema: Any, defined: JsonDict, seen: tuple[str, ...] = ()) -> int:
    """Return how many levels of arrays and objects a schema has; one that holds itself fails."""
    if isinstance(schema, list):
        return max((depth(one, defined, seen) for one in schema), default=0)
    if not isinstance(schema, dict):
        return 0
    if (name := schema.get("$ref", "").rpartition("/")[2]) != "":
        assert name not in seen, (
            f"{name} holds itself, which who puts definitions in their places cannot read"
        )
        return depth(defined[name], defined, (*seen, name))
    levels = [1 + depth(one, defined, seen) for one in schema.get("properties", {}).values()]
    levels += [
        1 + depth(schema[key], defined, seen) for key in ("items", "additionalProperties") if key in schema
    ]
    return max([*levels, depth([*schema.get("anyOf", ()), *schema.get("prefixItems", ())], defined, seen)])


def test_arguments_are_within_the_limits_of_function_calling(tools: dict[str, types.Tool]) -> None:
    assert len(tools) <= 128, "OpenAI takes no more"
    for name, tool in tools.items():
        schema = tool.input_schema
        assert depth(schema, schema.get("$defs", {})) <= 10, name
        parts = list(nodes(schema))
        assert sum(len(part.get("properties", ())) for part in parts) <= 1_000, name
        assert sum(len(part.get("enum", ())) for part in parts) <= 250, name
        assert all(isinstance(part.get("type", ""), str) for part in parts), f"{name}: a list of types"
        assert "description" not in schema, "it stands in the tool's"


def test_what_an_answer_does_not_need_to_say_is_left_out() -> None:
    maybe = {"anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}], "default": None, "title": "B"}
    either = {"anyOf": [{"type": "number"}, {"type": "integer"}], "gt": 0, "default": {"a": None, "b": 1}}
    schema = {"type": "object", "properties": {"b": maybe, "c": either}, "additionalProperties": True}
    asked = {"anyOf": maybe["anyOf"]}, {"type": "number", "exclusiveMinimum": 0, "default": {"b": 1}}
    assert tidy(schema) == {"type": "object", "properties": dict(zip("bc", asked, strict=True))}
    answered = {"type": ["string", "null"]}, {"type": "number", "exclusiveMinimum": 0}
    assert brief(tidy(schema)) == {"type": "object", "properties": dict(zip("bc", answered, strict=True))}


def test_names_are_what_any_model_takes(tools: dict[str, types.Tool]) -> None:
    for name, tool in tools.items():
        assert re.fullmatch(r"[a-z0-9_]{1,64}", name)
        assert all(re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", word) for word in tool.input_schema["properties"]), (
            name
        )


def test_examples_are_what_the_input_schemas_say(home: Path, tools: dict[str, types.Tool]) -> None:
    for name, given in examples(home, tools).items():
        schema = tools[name].input_schema
        shown = {key: value for key, value in given.items() if key in schema["properties"]}
        loose = {**schema, "required": [word for word in schema.get("required", ()) if word in shown]}
        for dialect in (Draft202012Validator, Draft7Validator):
            assert not [error.message for error in dialect(loose).iter_errors(shown)], name


def test_a_title_that_is_a_field_stays() -> None:
    schema = {"title": "T", "properties": {"title": {"title": "Title", "type": "string"}}}
    assert tidy(schema) == {"properties": {"title": {"type": "string"}}}


def test_description_says_first_what_the_tool_does(tools: dict[str, types.Tool]) -> None:
    for name, tool in tools.items():
        assert tool.description, name
        assert tool.title, name
        if name in TOOLS:
            assert tool.description.startswith(TOOLS[name].doc), name
        assert len(tool.description) <= 1024, "more is cut off by some clients"
    ppr = tools["entity_ppr_rank"].description or ""
    assert "Reads entities. Gives entities." in ppr
    assert "arXiv:2503.04338" in ppr


def test_every_argument_of_its_own_is_described_or_plain(tools: dict[str, types.Tool]) -> None:
    ask = tools["ask"].input_schema
    assert ask["required"] == ["question"]
    assert list(ask["properties"])[:3] == ["question", "method", "top_k"], "a tool's own arguments come first"
    assert "default" not in ask["properties"]["index"], "a client that fills in defaults would name an index"


@pytest.mark.parametrize(
    ("effect", "read_only", "destructive"),
    [("reads", True, False), ("adds", False, False), ("changes", False, True), ("removes", False, True)],
)
def test_annotations_follow_the_effect(
    tools: dict[str, types.Tool], effect: str, read_only: bool, destructive: bool
) -> None:
    found = [tool for tool in TOOLS.values() if tool.effect == effect and tool.family != "prepare"]
    assert found, effect
    for tool in found:
        told = tools[tool.name].annotations
        assert told is not None
        shown = (told.read_only_hint, told.destructive_hint, told.idempotent_hint)
        assert shown == (read_only, destructive, tool.idempotent), tool.name
        assert told.open_world_hint is False, "no language model is named"


def test_files_are_writing(home: Path, tools: dict[str, types.Tool]) -> None:
    name = "prepare_causal_model"
    assert "bundle" in tools[name].input_schema["properties"]
    assert tools[name].annotations == types.ToolAnnotations(
        read_only_hint=False,
        destructive_hint=False,
        idempotent_hint=True,
        open_world_hint=False,
    )
    reading = tools_of(home, read_only=True)
    assert "bundle" not in reading[name].input_schema["properties"]
    told = reading[name].annotations
    assert told is not None
    assert told.read_only_hint is True


def test_only_what_may_ask_a_model_is_open(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORPUSGRAPH_PROFILE", "ollama")
    options = ServeOptions(home)
    offered, _ = selected(options)
    found = listed(offered.values(), options, asks_model=True)
    opened = {tool.name for tool in found if tool.annotations and tool.annotations.open_world_hint}
    assert opened == {tool.name for tool in TOOLS.values() if "llm" in tool.ports} | {"ask"}


def test_an_unknown_profile_is_told_at_the_start(home: Path) -> None:
    with pytest.raises(UnknownProfileError):
        build_server(ServeOptions(home, profile="nobody"))


def test_read_only_lists_nothing_that_writes(home: Path) -> None:
    found = set(tools_of(home, read_only=True))
    assert found == {tool.name for tool in TOOLS.values() if tool.effect == "reads"} | EXTRAS


def test_groups_are_what_they_say(home: Path) -> None:
    families = {"entity", "relationship", "chunk", "subgraph", "community"}
    retrieval = set(tools_of(home, groups=("retrieval",)))
    assert retrieval == {t.name for t in TOOLS.values() if t.family in families} | {
        "list_indexes",
        "list_methods",
    }
    both = set(tools_of(home, groups=("memory, prepare", "ask")))
    assert both == {t.name for t in TOOLS.values() if t.family in {"memory", "prepare"}} | EXTRAS
    assert set(tools_of(home, groups=("shortest_paths",))) == {
        "shortest_paths",
        "list_indexes",
        "list_methods",
    }
    assert set(tools_of(home, groups=("all",))) == set(TOOLS) | EXTRAS


def test_every_tool_is_in_a_group_that_is_described() -> None:
    for tool in TOOLS.values():
        assert groups_of(tool) & ABOUT.keys(), tool.name
    assert set(ABOUT) <= set(known_groups())


@pytest.mark.parametrize(
    ("name", "meant"), [("retreival", "'retrieval'"), ("MEMORY ", None), ("zzz", "Groups:")]
)
def test_an_unknown_group_is_an_error_with_the_nearest(home: Path, name: str, meant: str | None) -> None:
    if meant is None:
        assert "add_observations" in selected(ServeOptions(home, groups=(name.lower(),)))[0]
        return
    with pytest.raises(InvalidInputError) as told:
        build_server(ServeOptions(home, groups=(name,)))
    assert told.value.code == "unknown_group"
    assert meant in (told.value.hint or "")


def test_the_index_of_the_server_is_told(home: Path) -> None:
    assert "'tiny'" in json.dumps(tools_of(home, index="tiny")["entity_ppr_rank"].input_schema)


def test_own_tools_have_examples() -> None:
    assert set(OWN) == EXTRAS


def test_a_model_that_holds_itself_begins_with_an_object() -> None:
    from corpusgraph.flows.mcp.calling import rooted

    node: JsonDict = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    found = rooted({"$ref": "#/$defs/Node", "$defs": {"Node": node}})
    assert found == {**node, "$defs": {"Node": node}}
