"""An agent says how it came to its choice: by the model, by rules in its place, or where the model failed."""

from typing import Any

import pytest

from tests.graph.small import small_graph
from tests.llm.fake import FakeModel
from tests.llm.small import codes, marks, run

ASKED = "What did John Snow study?"
GRAPH = small_graph()
PATH = [GRAPH.relationships[0].source_id, GRAPH.relationships[0].target_id]
AGENTS: dict[str, dict[str, Any]] = {
    "entity_agent_find": {"entities": [e.id for e in GRAPH.entities]},
    "relationship_agent_find": {"entity_context": [e.id for e in GRAPH.entities]},
    "subgraph_agent_filter": {"paths": [PATH]},
    "community_agent_select": {},
    "query_reason": {"chunks": ["c1"]},
    "query_sufficiency": {"chunks": ["c1"]},
}
OTHERS: dict[str, dict[str, Any]] = {
    "entity_agent_find": {"context": "John Snow studied cholera."},
    "relationship_agent_find": {
        "mode": "recognition_filter",
        "relationships": [r.id for r in GRAPH.relationships],
    },
}
NOTHING: dict[str, dict[str, Any]] = {
    "entity_agent_find": {"entities": []},
    "relationship_agent_find": {"entity_context": []},
    "subgraph_agent_filter": {"paths": []},
    "query_reason": {"chunks": []},
    "query_sufficiency": {},
}
CASES = [*AGENTS.items(), *OTHERS.items()]
SAID = {
    "Marks": marks(0.9, 0.5, why="it bears on it"),
    "NamedEntities": {"entities": [{"name": "cholera", "score": 0.9}]},
    "Recognised": {"facts": [1]},
    "NextStep": {"sentence": "Snow studied cholera.", "query": "cholera"},
    "Verdict": {"sufficient": True},
}


def model(**more: Any) -> FakeModel:
    return FakeModel(lambda _, answer: SAID[answer.__name__], **more)


@pytest.mark.parametrize(("tool", "arguments"), CASES)
@pytest.mark.parametrize("llm", [None, model(), model(fault="error")], ids=["none", "model", "failing"])
def test_every_path_leaves_a_trace(tool: str, arguments: dict[str, Any], llm: FakeModel | None) -> None:
    assert run(tool, llm, query=ASKED, **arguments).reasoning_trace


@pytest.mark.parametrize(("tool", "arguments"), NOTHING.items())
def test_nothing_to_choose_from_is_said(tool: str, arguments: dict[str, Any]) -> None:
    assert run(tool, model(), query=ASKED, **arguments).reasoning_trace


def test_the_walk_down_the_communities_says_what_it_rated() -> None:
    noted = run("community_agent_select", model(), query=ASKED)
    assert "level 0" in noted.reasoning_trace
    assert "relevant (it bears on it)" in noted.reasoning_trace


@pytest.mark.parametrize(
    ("tool", "arguments", "said", "why"),
    [
        ("entity_agent_find", AGENTS["entity_agent_find"], {"marks": [{"id": 99, "score": 1}]}, "from 1 to"),
        ("subgraph_agent_filter", AGENTS["subgraph_agent_filter"], marks("high"), "score from 0 to 1"),
        (
            "entity_agent_find",
            OTHERS["entity_agent_find"],
            {"entities": [{"name": "Captain Nemo", "score": 1}]},
            "entity of the graph",
        ),
        (
            "relationship_agent_find",
            OTHERS["relationship_agent_find"],
            {"facts": [77]},
            "numbered from 1 to",
        ),
    ],
)
def test_a_reply_about_what_was_not_shown_is_sent_back(
    tool: str, arguments: dict[str, Any], said: Any, why: str
) -> None:
    noted = run(tool, FakeModel(said), query=ASKED, **arguments)
    assert "llm_failed" in codes(noted)
    assert why in next(w.message for w in noted.warnings if w.code == "llm_failed")
    assert noted.data, "rules choose in its place"
