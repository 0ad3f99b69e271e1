"""The files of one's own tell a mistake in one way: profiles and tools files by the same words."""

from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from corpusgraph.flows.files.yaml_file import Keys
from corpusgraph.flows.interop.engine import load_tools
from corpusgraph.flows.llm.profiles import load_profile
from corpusgraph.schemas.errors import CorpusgraphError

TOOL = "tools:\n  - name: kg\n    source: data\n"


def said(tmp_path: Path, kind: str, text: str) -> str:
    path = tmp_path / f"{kind}.yml"
    path.write_text(text, encoding="utf-8")
    read = load_profile if kind == "profile" else load_tools
    with pytest.raises(CorpusgraphError) as told:
        read(str(path))
    return f"{told.value.message} {told.value.hint or ''}".partition(".yml:")[2]


@pytest.mark.parametrize("key", ["api_key", "key"])
def test_a_secret_is_told_where_it_belongs_and_not_shown(key: str, tmp_path: Path) -> None:
    profile = said(tmp_path, "profile", f"llm:\n  model: m\n  {key}: sk-1\n")
    tools = said(tmp_path, "tools", f"{TOOL}    graphrag:\n      search_model:\n        {key}: sk-1\n")
    never = "A key is never written down"
    assert profile == f"3: unknown key 'llm.{key}'. {never}: name its environment variable with api_key_env."
    assert tools.endswith(f".{key}'. {never}: it is read from the environment.")


def test_a_list_that_is_none_and_a_value_out_of_range(tmp_path: Path) -> None:
    tools = said(tmp_path, "tools", f"{TOOL}    graphrag:\n      entity_types: person\n")
    assert tools.startswith("5: tools[0].graphrag.entity_types is no list. A list is written as [a, b]")
    profile = said(tmp_path, "profile", "llm: {model: m, base_url: x}\nlimits:\n  timeout: -1\n")
    assert profile.startswith("3: limits.timeout: input should be greater than")


class Part(BaseModel):
    """Part of a file of some kind."""

    model_config = ConfigDict(extra="forbid")
    names: tuple[str, ...] = ()
    size: int = Field(1, ge=1)


class File(BaseModel):
    """A file of some kind."""

    parts: tuple[Part, ...]

    @field_validator("parts")
    @classmethod
    def _few(cls, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        if len(parts) > 2:
            raise ValueError("More than two. Are they one?")
        return parts


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"parts": [{}, {"nmes": []}]}, ("unknown key 'parts[1].nmes'.", "Did you mean 'names'?")),
        ({"parts": [{"x": 1}]}, ("unknown key 'parts[0].x'.", "Valid here: names, size.")),
        ({"parts": [3]}, ("parts[0] is no mapping of keys.", "Its keys are names, size.")),
        ({"parts": [{}, {}, {}]}, ("parts: more than two. Are they one?", None)),
        ({"parts": [{"size": 0}]}, ("parts[0].size: input should be greater than or equal to 1.", None)),
        ({}, ("the key 'parts' is missing.", None)),
        (3, ("whole is no mapping of keys.", "Its keys are parts.")),
    ],
)
def test_any_model_s_keys_are_told(given: object, told: tuple[str, str | None]) -> None:
    with pytest.raises(ValidationError) as wrong:
        File.model_validate(given)
    problem = wrong.value.errors()[0]
    where = tuple(problem["loc"])
    assert Keys(File, "whole", "").told(where, where, problem) == told
