"""What holds for every tool in the registry, whatever it does."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.evidence import ArgumentRelation, Claim, Event
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Graph, Relationship
from corpusgraph.tasks.registry import FAMILIES, TOOLS, Tool, load
from tests.contract.examples import EXAMPLES
from tests.contract.graphs import KINDS, resources, rich
from tests.every import every

load()
NOUNS: dict[str, type[BaseModel]] = {
    noun.__name__: noun
    for noun in (Entity, Relationship, Chunk, Community, CommunityReport, Claim, ArgumentRelation, Event)
}
CALLERS_OWN = {"Event": {"evidence"}}
"""Attributes that a caller's records have and extracted ones do not."""
ROOT = Path(__file__).resolve().parents[2]
SNAPSHOTS = Path(__file__).parent / "snapshots"
every_tool = every("tool", TOOLS.values(), ids=lambda tool: tool.name)
FIXED = {"request_id": "req_1", "timestamp": "2026-01-01T00:00:00Z"}


def answer(tool: Tool, items: Any = None) -> Any:
    """Run the tool's example and return its data as the model it promises."""
    return tool.run({**EXAMPLES[tool.name], **FIXED}, resources(items or rich())).data


def plain(tool: Tool, data: Any) -> str:
    return json.dumps(TypeAdapter(tool.output).dump_python(data, mode="json"), ensure_ascii=False)


@every_tool
def test_names_attributes_that_the_nouns_have(tool: Tool) -> None:
    for name in tool.needs | tool.optional:
        noun, _, attribute = name.partition(".")
        fields = set(NOUNS[noun].model_fields) | CALLERS_OWN.get(noun, set())
        assert attribute in fields, name


@every_tool
def test_answers_what_its_output_schema_says(tool: Tool) -> None:
    data = answer(tool)
    shape = TypeAdapter(tool.output)
    assert shape.validate_python(shape.dump_python(data)) == data


@every_tool
def test_adds_only_what_it_declares(tool: Tool) -> None:
    before = {i.id: dict(i) for many in rich().values() for i in many}
    for item in items_of(answer(tool)):
        if item.id not in before or type(item).__name__ not in KINDS:
            continue
        changed = {k for k, v in dict(item).items() if before[item.id].get(k) != v}
        declared = {a.partition(".")[2] for a in tool.adds}
        assert changed <= declared, f"{item.id}: {changed - declared}"


def items_of(data: Any) -> Iterator[Any]:
    """Yield every noun with an id inside a result, a graph's own nodes left out: the caller made them."""
    if isinstance(data, Graph):
        return
    if isinstance(data, BaseModel):
        if "id" in type(data).model_fields and data.model_config.get("extra") == "allow":
            yield data
        for name in type(data).model_fields:
            yield from items_of(getattr(data, name))
    elif isinstance(data, dict):
        for value in data.values():
            yield from items_of(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from items_of(value)


@pytest.fixture(scope="module")
def answers_of_another_seed() -> dict[str, str]:
    """Run every example in a process whose hashes are not those of this one."""
    script = (
        "import json\n"
        "from tests.contract.test_every_tool import TOOLS, answer, plain\n"
        "print(json.dumps({name: plain(tool, answer(tool)) for name, tool in TOOLS.items()}))\n"
    )
    seed = "0" if os.environ.get("PYTHONHASHSEED") == "4242" else "4242"
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
    run = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(run.stdout.splitlines()[-1])
    return found


@every_tool
def test_same_answer_under_another_hash_seed(tool: Tool, answers_of_another_seed: dict[str, str]) -> None:
    assert answers_of_another_seed[tool.name] == plain(tool, answer(tool)) == plain(tool, answer(tool))


@every_tool
def test_schemas_are_as_recorded(tool: Tool) -> None:
    """Record anew with CORPUSGRAPH_RECORD=1: a changed schema is a change for every client."""
    path = SNAPSHOTS / f"{tool.name}.json"
    now = {"input": tool.input_schema(), "output": tool.output_schema()}
    if os.environ.get("CORPUSGRAPH_RECORD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            json.dumps(now, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(json.dumps(now))


@every_tool
def test_has_an_example_a_test_file_a_docstring_and_a_family(tool: Tool) -> None:
    assert tool.name in EXAMPLES
    assert list((ROOT / "tests" / tool.family).glob(f"test_{tool.name}.py"))
    assert tool.doc.endswith(".")
    assert tool.family in FAMILIES
    assert all(f.description or f.annotation is not None for f in tool.input.model_fields.values())


@every_tool
def test_an_unknown_argument_is_refused_with_the_nearest_name(tool: Tool) -> None:
    wanted = next(name for name in tool.input.model_fields if name not in FIXED)
    result = tool.call({**EXAMPLES[tool.name], f"{wanted}x": 1}, resources(rich()))
    assert not result.success
    assert result.error is not None
    assert result.error.code == "invalid_input"
    assert wanted in (result.error.hint or "")


@every_tool
def test_the_envelope_echoes_the_request(tool: Tool) -> None:
    result = tool.call({**EXAMPLES[tool.name], **FIXED}, resources(rich()))
    assert result.success, result.error
    assert result.request_id == "req_1"
    assert result.execution_time_ms > 0
    assert result.metadata["generation"] == "gen_0"


def test_no_example_is_left_over() -> None:
    assert set(EXAMPLES) == set(TOOLS)


def test_an_entity_without_a_name_is_called_by_its_id() -> None:
    assert Entity(id="1").name == "1"
