"""A tool answers the same through the plain call, the notebook door and the command line."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from corpusgraph.flows import api
from corpusgraph.flows.cli.main import cli
from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks.registry import TOOLS, Tool, load
from tests.contract.examples import EXAMPLES

load()
FIXED = {"request_id": "req_1", "timestamp": "2026-01-01T00:00:00Z"}


def on_index(arguments: JsonDict, opened: Any) -> JsonDict:
    """Point an example at items of the indexed corpus instead of the contract's own graph."""
    entities = [e.id for e in opened.graph.entities][:2]
    relationships = [r.id for r in opened.graph.relationships][:2]
    chunks = [c.id for c in opened.graph.chunks]
    edge = opened.graph.relationships[0]
    swaps: dict[str, Any] = {
        "entities": entities,
        "seed_entities": entities,
        "start_entities": entities[:1],
        "end_entities": entities[1:],
        "source_entities": entities[:1],
        "target_entities": entities[1:],
        "terminal_entities": entities,
        "relationships": relationships,
        "chunks": chunks,
        "communities": [c.id for c in opened.graph.communities][:2],
        "paths": [{"node_ids": [edge.source_id, edge.target_id], "edge_ids": [edge.id]}],
        "entity_scores": dict.fromkeys(entities, 0.5),
        "relationship_scores": dict.fromkeys(relationships, 0.5),
        "source_id": edge.source_id,
        "target_id": edge.target_id,
        "relation_type": edge.type,
    }
    ids = dict(zip(("ent_a", "ent_b", "ent_c", "ent_d"), (e.id for e in opened.graph.entities), strict=False))
    if any(isinstance(one, dict) for one in arguments.get("entities") or ()):  # those that a call makes
        del swaps["entities"]
    return {k: swaps.get(k, renamed(v, ids)) for k, v in arguments.items()}


def renamed(value: Any, ids: dict[str, str]) -> Any:
    """Return a value with the ids of the contract's entities replaced, however deep they lie."""
    if isinstance(value, dict):
        return {k: renamed(v, ids) for k, v in value.items()}
    if isinstance(value, list):
        return [renamed(v, ids) for v in value]
    return ids.get(value, value) if isinstance(value, str) else value


@pytest.mark.parametrize("tool", list(TOOLS.values()), ids=list(TOOLS))
def test_call_and_command_line_agree(tool: Tool, tiny: tuple[Path, str], tmp_path: Path) -> None:
    outputs, index = tiny
    again = outputs
    if tool.effect != "reads":  # each call on a copy: the index that all tests share stays as it is
        again = Path(shutil.copytree(outputs, tmp_path / "again"))
        outputs = Path(shutil.copytree(outputs, tmp_path / "outputs"))
    if tool.name == "undo_change":
        for folder in (outputs, again):
            made = {"entities": [{"name": "Ada", "entityType": "person"}]}
            api.call("create_entities", {**made, **FIXED}, index=index, outputs=folder)
    arguments = EXAMPLES[tool.name]
    if tool.ports:
        arguments = on_index(arguments, api.open(index, outputs))
    arguments = {**arguments, **FIXED}
    called = api.call(tool.name, arguments, index=index, outputs=outputs).model_dump(mode="json")
    command = ["tool", tool.name, "--input", "-", "--index", index, "--outputs", str(again), "--json"]
    ran = CliRunner().invoke(cli, command, input=json.dumps(arguments), standalone_mode=False)
    printed = json.loads(ran.stdout)
    called.pop("execution_time_ms")
    printed.pop("execution_time_ms")
    assert called["success"], called["error"]
    assert printed == called
