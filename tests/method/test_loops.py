"""Loops and unions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.method import Union
from corpusgraph.schemas.results import Scored
from corpusgraph.tasks.method.run import joined, normalized, over_rounds
from tests.examples import tried
from tests.method.given import ids, ran, steps


def scored(**scores: float) -> list[Scored[Entity]]:
    return [
        Scored[Entity](item=Entity(id=id_), score=score, rank=rank)
        for rank, (id_, score) in enumerate(scores.items(), start=1)
    ]


A, B = scored(x=3.0, y=1.0), scored(y=2.0, z=1.0)


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({"by": "max"}, {"x": 3.0, "y": 2.0, "z": 1.0}),
        ({"by": "sum"}, {"x": 3.0, "y": 3.0, "z": 1.0}),
        ({"by": "first"}, {"x": 3.0, "y": 1.0, "z": 1.0}),
        ({"by": "rrf"}, {"y": 1 / 62 + 1 / 61, "x": 1 / 61, "z": 1 / 62}),
        ({"by": "sum", "weights": (1.0, 10.0)}, {"y": 21.0, "z": 10.0, "x": 3.0}),
        ({"by": "sum", "normalize": "minmax"}, {"x": 1.0, "y": 1.0, "z": 0.0}),
        ({"by": "sum", "normalize": "sum"}, {"y": 0.25 + 2 / 3, "x": 0.75, "z": 1 / 3}),
        ({"by": "sum", "top_k": 1}, {"x": 3.0}),
    ],
)
def test_a_union_joins_by(how: dict[str, object], expected: dict[str, float]) -> None:
    union = Union.model_validate({"id": "u", "union": ("$a", "$b"), **how})
    found = joined([A, B], ["a", "b"], union)
    assert [one.item.id for one in found] == list(expected)
    assert [one.score for one in found] == pytest.approx(list(expected.values()))
    assert [one.rank for one in found] == list(range(1, len(found) + 1))


def test_each_lists_own_score_is_kept() -> None:
    found = {
        one.item.id: one.components for one in joined([A, B], ["a", "b"], Union(id="u", union=("$a", "$b")))
    }
    assert found == {"x": {"a": 3.0}, "y": {"a": 1.0, "b": 2.0}, "z": {"b": 1.0}}


def test_equal_scores_are_scaled_to_one_and_none_to_nothing() -> None:
    assert normalized([2.0, 2.0], "minmax") == [1.0, 1.0]
    assert normalized([0.0, 0.0], "sum") == [0.0, 0.0]
    assert normalized([], "minmax") == []


@settings(max_examples=tried(50), deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from("abcde"), st.floats(-5, 5), max_size=5), min_size=1, max_size=3),
    st.sampled_from(["max", "sum", "rrf"]),
)
def test_the_order_of_lists_does_not_matter(lists: list[dict[str, float]], by: str) -> None:
    made = [scored(**dict(sorted(one.items(), key=lambda pair: -pair[1]))) for one in lists]
    names = [str(i) for i in range(len(made))]
    union = Union.model_validate({"id": "u", "union": names, "by": by})
    one, other = joined(made, names, union), joined(made[::-1], names[::-1], union)
    assert {s.item.id: pytest.approx(s.score) for s in one} == {s.item.id: s.score for s in other}


def test_over_rounds_an_item_keeps_its_best_score_and_first_round() -> None:
    found = over_rounds([A, B])
    assert [(s.item.id, s.score, s.rank, s.components["round"]) for s in found] == [
        ("x", 3.0, 1, 1.0),
        ("y", 2.0, 2, 1.0),
        ("z", 1.0, 3, 2.0),
    ]


def test_a_union_of_results() -> None:
    found = ran(
        steps(
            "  - chunk_vdb_search: {top_k: 1}\n    as: a\n  - chunk_from_relationships: {relationships: [rel_2], include_context: false}\n"
            "    as: b\n  - union: [$a, $b]\n    as: both\n    by: first\n"
        )
    )
    assert ids(found.results["both"]) == ids(found.results["a"]) + ids(found.results["b"])
    assert ids(found.passages) == ids(found.results["both"])


EACH = """
  - entity_tfidf_rank: {query: contaminated water cholera, top_k: 2}
    as: hits
  - loop:
      each: $hits
      steps:
        - entity_onehop_neighbors: {}
      collect: {found: $entity_onehop_neighbors}
    as: around
  - chunk_entity_occurrence: {min_entities: 1}
"""


def test_a_loop_goes_over_each_item() -> None:
    found = ran(steps(EACH))
    neighbours = {"ent_b": {"ent_a", "ent_c", "ent_d"}, "ent_c": {"ent_b"}}
    hits = ids(found.results["hits"])
    assert set(ids(found.results["around"]["found"])) == set().union(*(neighbours[hit] for hit in hits))
    rounds = {s.item.id: s.components["round"] for s in found.results["around"]["found"]}
    assert rounds["ent_b"] == hits.index("ent_c") + 1
    assert [line.round for line in found.trace if line.step == "entity_onehop_neighbors"] == [1, 2]
    assert found.results["chunk_entity_occurrence"]


ROUNDS = """
  - loop:
      rounds: {rounds}
      carry: {{frontier: $start}}
      steps:
        - entity_onehop_neighbors: {{entities: $frontier}}
          as: next_ones
        - relationship_onehop_extract: {{entities: $frontier}}
          as: edges
      next: {{frontier: $next_ones}}
      collect: {{edges: $edges, seen: $next_ones}}
      {until}
    as: walk
  - chunk_from_relationships: {{relationships: $walk.edges}}
"""
START = "  - entity_similarity_link: {entities: [contaminated water], min_score: 0.9}\n    as: start\n"


@pytest.mark.parametrize(
    ("rounds", "edges"),
    [(1, {"rel_1"}), (2, {"rel_1", "rel_3", "rel_4"}), (3, {"rel_1", "rel_2", "rel_3", "rel_4"})],
)
def test_a_loop_carries_values_from_round_to_round(rounds: int, edges: set[str]) -> None:
    found = ran(steps(START + ROUNDS.format(rounds=rounds, until="")))
    assert set(ids(found.results["walk"]["edges"])) == edges
    assert max(line.round or 0 for line in found.trace) == rounds


def test_a_loop_ends_early_when_its_condition_is_met() -> None:
    found = ran(steps(START + ROUNDS.format(rounds=3, until="until: $next_ones")))
    assert max(line.round or 0 for line in found.trace) == 1


def test_a_loop_over_nothing_collects_nothing() -> None:
    found = ran(steps(EACH.replace("contaminated water cholera", "smallpox")))
    assert found.results["around"] == {"found": []}
    assert found.results["chunk_entity_occurrence"] == []


def test_a_loop_over_texts_asks_for_each() -> None:
    found = ran(
        steps(
            "  - query_extract_entities: {}\n    as: names\n  - loop: {each: $names.entities, steps: [entity_vdb_search: {query: $item, top_k: 1}], "
            "collect: {found: $entity_vdb_search, asked: $item}}\n    as: all\n"
        ),
        "Did John Snow live in London?",
    )
    assert set(ids(found.results["all"]["found"])) == {"ent_a", "ent_d"}
    assert set(found.results["all"]["asked"]) == {"John Snow", "London"}


def test_a_loop_in_a_loop() -> None:
    found = ran(
        steps(
            "  - loop:\n      rounds: 2\n      steps:\n        - entity_vdb_search: {top_k: 2}\n          as: hits\n"
            "        - loop: {each: $hits, steps: [entity_onehop_neighbors: {}], collect: {n: $entity_onehop_neighbors}}\n"
            "          as: inner\n      collect: {all: $inner.n}\n    as: outer\n"
        )
    )
    assert found.results["outer"]["all"]
