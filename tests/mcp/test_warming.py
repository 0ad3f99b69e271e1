"""What is done before the first call: schemas and the index, without a word where there is none."""

import shutil
from pathlib import Path

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.mcp import running as shapes
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.server import Warming
from corpusgraph.tasks.registry import TOOLS, load

PATIENCE = 60.0
TOOL = "entity_onehop_neighbors"


@pytest.fixture(autouse=True)
def unmade(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no schema be made yet."""
    load()
    monkeypatch.setattr(shapes, "_MADE", {})


def test_schemas_of_what_is_offered_are_made_and_the_index_is_opened(home: Path, tmp_path: Path) -> None:
    outputs = shutil.copytree(home, tmp_path / "outputs")
    warming = Warming(ServeOptions(outputs, index="tiny", groups=(TOOL,)))
    warming.begin()
    warming.begin()
    assert warming.wait(PATIENCE)
    assert TOOL in shapes._MADE
    assert len(shapes._MADE) < len(TOOLS)
    assert "graph" in vars(api.open("tiny", outputs))


def test_without_an_index_the_tools_are_ready_all_the_same(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    warming = Warming(ServeOptions(tmp_path, groups=(TOOL,)))
    warming.begin()
    assert warming.wait(PATIENCE)
    assert TOOL in shapes._MADE
    assert capfd.readouterr() == ("", "")


def test_one_that_is_ended_begins_nothing_more(tmp_path: Path) -> None:
    never = Warming(ServeOptions(tmp_path))
    never.end()
    warming = Warming(ServeOptions(tmp_path))
    warming.begin()
    warming.end(PATIENCE)
    assert warming.wait(0)
    assert len(shapes._MADE) < len(TOOLS)
