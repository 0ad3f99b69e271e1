"""The tools that judge relationships, on an index with its journal: what one call writes, the next one sees."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows.api import call


@pytest.fixture(scope="module")
def place(tiny: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    outputs = tmp_path_factory.mktemp("judged")
    shutil.copytree(tiny[0] / tiny[1], outputs / tiny[1])
    return outputs, tiny[1]


def told(place: tuple[Path, str], tool: str, **asked: Any) -> Any:
    result = call(tool, asked, place[1], place[0])
    assert result.success, result.error
    return result.data


def weights(place: tuple[Path, str]) -> dict[str, tuple[float, float]]:
    found = told(place, "score_confidence", top_k=100_000).relationships
    return {hit.item.id: (hit.item.weight, hit.item.confidence) for hit in found}


def test_weights_are_adjusted_seen_and_undone(place: tuple[Path, str]) -> None:
    before = weights(place)
    shown = told(place, "adjust_weights", method="confidence", top_k=100_000)
    done = told(place, "adjust_weights", method="confidence", dry_run=False, top_k=100_000)
    assert (shown.change, done.adjustments) == (None, shown.adjustments)
    assert done.changed_count > 0
    after = weights(place)
    for one in done.adjustments:
        assert before[one.relationship_id] == (one.weight, one.confidence)
        assert after[one.relationship_id] == (one.new_weight, one.new_confidence)
    again = told(place, "adjust_weights", method="confidence", dry_run=False)
    assert (again.changed_count, again.change) == (0, None)
    told(place, "undo_change", change=done.change)
    assert weights(place) == before


def test_what_is_pruned_is_gone_but_for_what_was_stated_by_hand_and_comes_back(
    place: tuple[Path, str],
) -> None:
    entities = told(place, "graph_centrality", measure="degree", top_k=100_000).entities
    first, last = entities[0].item.id, entities[-1].item.id
    stated = told(
        place, "add_entity_relationship", source_id=first, target_id=last, relation_type="uses", weight=0.2
    )
    before = weights(place)
    shown = told(place, "prune_relationships", min_weight=1e9)
    assert (shown.pruned_count, shown.protected_count) == (len(before) - 1, 1)
    done = told(place, "prune_relationships", min_weight=1e9, dry_run=False)
    assert set(weights(place)) == {stated.id}
    path = told(place, "find_paths", source=first, target=last, max_hops=1).paths
    assert [hit.item.edge_ids for hit in path] == [(stated.id,)]
    told(place, "undo_change", change=done.change)
    assert weights(place) == before


def test_the_whole_is_not_changed_by_what_a_filter_shows(place: tuple[Path, str]) -> None:
    asked = {"filter": {"source": "nothing"}, "dry_run": False}
    for tool, more in (("adjust_weights", {}), ("prune_relationships", {"min_weight": 1})):
        result = call(tool, {**asked, **more}, place[1], place[0])
        assert result.error is not None
        assert "A filter shows a part" in result.error.message


def test_what_was_added_by_hand_is_in_communities_topics_and_search(place: tuple[Path, str]) -> None:
    told(
        place,
        "create_entities",
        entities=[{"name": "Nguyễn Huệ", "entityType": "person", "observations": ["He won at Ngọc Hồi."]}],
    )
    top = told(place, "graph_centrality").entities[0].item
    told(place, "add_entity_relationship", source_id="Nguyễn Huệ", target_id=top.id, relation_type="uses")
    groups = told(place, "detect_communities", top_k=1000).communities
    assert any("Nguyễn Huệ" in group.names for group in groups)
    found = told(place, "hybrid_search", query="Who won at Ngọc Hồi?", kind="chunk").results
    assert "Ngọc Hồi" in found[0].item.text
    topics = told(place, "identify_topics", top_k=1000, max_entities=100).topics
    assert any(hit.item.name == "Nguyễn Huệ" for topic in topics for hit in topic.entities)
