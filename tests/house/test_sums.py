"""The same last digit in every Python: from 3.12 on, `sum` adds floats otherwise than before."""

import builtins
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows import api
from corpusgraph.schemas.study import CommunityOptions
from corpusgraph.tasks.build.communities import find_communities
from corpusgraph.tasks.build.reports import write_reports

OURS = CommunityOptions(algorithm="stable")
SEEDS = ["Snow", "Farr", "cholera"]
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("hybrid_search", {"query": "What caused cholera?"}),
    ("subgraph_khop_paths", {"start_entities": SEEDS[:1], "end_entities": SEEDS[1:]}),
    ("subgraph_steiner_tree", {"terminal_entities": SEEDS}),
    ("subgraph_steiner_tree", {"terminal_entities": SEEDS, "algorithm": "pcst"}),
)


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return the places of ours where `sum` has come to a float."""
    found, plain = set[str](), sum

    def watched(values: Iterable[Any], /, start: Any = 0) -> Any:
        whole, caller = plain(values, start), sys._getframe(1)
        if isinstance(whole, float) and caller.f_globals["__name__"].startswith("corpusgraph."):
            found.add(f"{caller.f_globals['__name__']}:{caller.f_lineno}")
        return whole

    monkeypatch.setattr(builtins, "sum", watched)
    return found


def test_no_float_is_added_up_by_sum(tiny: tuple[Path, str], added: set[str]) -> None:
    """A half in the sixth place went up in one Python and down in another: two names of one generation."""
    outputs, name = tiny
    graph = api.open(name, outputs=outputs).graph
    entities, relationships = graph.entities, graph.relationships
    write_reports(find_communities(entities, relationships, OURS), entities, relationships, {})
    for tool, arguments in CALLS:
        answer = api.call(tool, arguments, index=name, outputs=outputs)
        assert answer.success, answer.error
    assert sorted(added) == [], "add floats up by math.fsum"
