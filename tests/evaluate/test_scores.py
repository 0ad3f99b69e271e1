"""Recall, answer scores and intervals against values worked out by hand and by other formulas."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.llm import Usage
from corpusgraph.schemas.run import GoldQuestion, Outcome
from corpusgraph.tasks.evaluate.scores import (
    answer_scores,
    answer_tokens,
    compared,
    latency,
    method_scores,
    percentile_intervals,
    recall_at,
    resampled_means,
    score_all,
    summary_csv,
)

IDS = st.integers(0, 12).map(str)


def outcome(number: int, recall: float, answer: float | None = None, **more: object) -> Outcome:
    scores = (
        None
        if answer is None
        else dict.fromkeys(("answer_contains", "answer_exact_match", "answer_f1"), answer)
    )
    return Outcome.model_validate(
        {
            "question": GoldQuestion(id=str(number), question="Who?", gold=("a",)),
            "ranked": (),
            "recall": {2: recall},
            "milliseconds": 1.0,
            "answer_scores": scores,
            **more,
        }
    )


def test_recall_by_hand() -> None:
    ranked = ["x", "a", "y", "b", "c"]
    assert recall_at(ranked, ["a", "b", "z"], 2) == pytest.approx(1 / 3)
    assert recall_at(ranked, ["a", "b", "z"], 4) == pytest.approx(2 / 3)
    assert recall_at(ranked, ["a", "b", "z"], 99) == pytest.approx(2 / 3)
    assert recall_at([], ["a"], 5) == 0


@given(st.lists(IDS, unique=True, max_size=12), st.sets(IDS, min_size=1, max_size=6), st.integers(1, 14))
def test_recall_is_the_mean_of_hits_over_gold(ranked: list[str], gold: set[str], k: int) -> None:
    place = {id_: at for at, id_ in enumerate(ranked, start=1)}
    hits = [place.get(id_, math.inf) <= k for id_ in gold]
    assert recall_at(ranked, gold, k) == pytest.approx(float(Fraction(sum(hits), len(hits))))
    assert recall_at(ranked, gold, k) <= recall_at(ranked, gold, k + 1)


@pytest.mark.parametrize(
    ("said", "right", "contains", "exact", "f1"),
    [
        ("The Eiffel Tower!", ["eiffel tower"], 1, 1, 1),
        ("It is in Paris, France.", ["Paris"], 1, 0, 2 / 6),
        ("Paris", ["Lyon", "paris"], 1, 1, 1),
        ("comparison", ["Paris"], 0, 0, 0),
        ("Parisian streets", ["Paris"], 0, 0, 0),
        ("Nguyễn Huệ đã thắng", ["Nguyễn Huệ"], 1, 0, 4 / 6),
        ("Nguyen Hue", ["Nguyễn Huệ"], 0, 0, 0),
        ("他住在北京。", ["北京"], 1, 0, 4 / 7),
        ("Cafe\u0301", ["café"], 1, 1, 1),
        ("", ["Paris"], 0, 0, 0),
        ("the cat the cat", ["cat"], 1, 0, 2 / 3),
    ],
)
def test_answer_scores_by_hand(said: str, right: list[str], contains: float, exact: float, f1: float) -> None:
    found = answer_scores(said, right)
    assert found["answer_contains"] == contains
    assert found["answer_exact_match"] == exact
    assert found["answer_f1"] == pytest.approx(f1)


@given(
    st.lists(st.sampled_from(["red", "green", "blue", "the"]), max_size=6),
    st.lists(st.sampled_from(["red", "green"]), min_size=1, max_size=4),
)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(said: list[str], right: list[str]) -> None:
    ours, theirs = answer_tokens(" ".join(said)), answer_tokens(" ".join(right))
    common = sum(min(ours.count(word), theirs.count(word)) for word in set(theirs))
    found = answer_scores(" ".join(said), [" ".join(right)])["answer_f1"]
    if common:
        precision, recall = common / len(ours), common / len(theirs)
        assert found == pytest.approx(2 * precision * recall / (precision + recall))
    else:
        assert found == 0


def test_bootstrap_agrees_with_the_standard_error_of_the_mean() -> None:
    values = np.random.default_rng(7).normal(0.5, 0.2, (400, 1))
    mean, low, high = percentile_intervals(values)
    error = values.std() / math.sqrt(400)
    assert mean[0] == pytest.approx(values.mean())
    assert low[0] == pytest.approx(mean[0] - 1.96 * error, abs=0.15 * error)
    assert high[0] == pytest.approx(mean[0] + 1.96 * error, abs=0.15 * error)


def test_bootstrap_covers_the_true_share_about_95_times_in_100() -> None:
    draws = np.random.default_rng(3).random((60, 300)) < 0.7
    found = percentile_intervals(draws.astype(float), resamples=1000)
    covered = (found[1] <= 0.7) & (found[2] >= 0.7)
    assert 0.88 <= covered.mean() <= 0.98


def test_bootstrap_is_seeded_and_keeps_columns_paired() -> None:
    values = np.random.default_rng(1).random((30, 1))
    both = np.hstack([values, 1 - values])
    means = resampled_means(both, 500, seed=9)
    assert np.array_equal(means, resampled_means(both, 500, seed=9))
    assert not np.array_equal(means, resampled_means(both, 500, seed=10))
    assert np.allclose(means.sum(axis=1), 1)


def test_one_question_has_an_interval_of_no_width() -> None:
    found = method_scores("m", [outcome(1, 0.5)]).metrics["recall@2"]
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_answers_are_averaged_over_the_questions_that_have_them() -> None:
    scores = method_scores("m", [outcome(1, 1.0, 1.0), outcome(2, 0.0), outcome(3, 0.5, 0.0)])
    assert scores.metrics["recall@2"].value == 0.5
    assert scores.metrics["answer_f1"].value == 0.5
    assert (scores.n_questions, scores.n_answers) == (3, 2)


def test_a_difference_is_paired_question_by_question() -> None:
    base = [outcome(i, i % 2) for i in range(40)]
    better = [outcome(i, min(1.0, i % 2 + 0.25)) for i in range(40)]
    found = compared(method_scores("b", better), better, "a", base)
    difference = found.differences["recall@2"]
    assert found.versus == "a"
    assert difference.value == pytest.approx(0.125)
    assert 0 < difference.low < 0.125 < difference.high


def test_costs_add_up_and_an_unknown_price_makes_the_sum_unknown() -> None:
    known = Usage(calls=1, prompt_tokens=10, completion_tokens=2, cost=0.5)
    free = outcome(1, 1.0, usage=known)
    assert method_scores("m", [free, free]).record()["cost"] == 1.0
    unknown = outcome(2, 1.0, usage=known.model_copy(update={"cost": None}))
    told = method_scores("m", [free, unknown]).record()
    assert (told["cost"], told["tokens"], told["calls"]) == (None, 24, 2)


def test_the_first_question_reads_the_index_and_is_told_apart() -> None:
    found = latency([1000.0, *map(float, range(1, 101))])
    assert (found.first, found.mean, found.median) == (1000.0, 50.5, 50.5)
    assert found.p95 == pytest.approx(95.05)
    assert latency([7.0]).mean == 7.0


def test_questions_that_failed_are_told_and_recall_nothing() -> None:
    failed = outcome(1, 0.0, error="No such thing.")
    warned = outcome(2, 1.0, warnings={"no_llm": "There is no model."})
    (scores,) = score_all({"m": [failed, warned]}, [])
    assert [(w.code, w.records) for w in scores.warnings] == [("question_failed", ("1",)), ("no_llm", ("2",))]
    assert scores.metrics["recall@2"].value == 0.5


@pytest.mark.parametrize(
    ("question", "right", "telling"),
    [
        ("Are both film directors?", ["yes"], False),
        ("Who is older, Anna Lee or Ben Ray?", ["Ben Ray"], False),
        ("Who is older, Anna Lee or Ben Ray?", ["Ben Rayner"], True),
        ("Who wrote it?", ["No Name"], True),
    ],
)
def test_holding_an_answer_that_cannot_be_missed_is_not_scored(
    question: str, right: list[str], telling: bool
) -> None:
    found = answer_scores(f"{right[0]} [1]", right, question)
    assert ("answer_contains" in found) is telling
    assert (found["answer_exact_match"], found["answer_f1"]) == (1, 1)  # the mark of the citation is no word


def test_each_answer_score_is_averaged_over_the_questions_that_have_it() -> None:
    known = {"answer_contains": 1.0, "answer_exact_match": 0.0, "answer_f1": 0.5}
    bare = {"answer_exact_match": 1.0, "answer_f1": 1.0}
    outcomes = [
        outcome(1, 1.0).model_copy(update={"answer_scores": known}),
        outcome(2, 1.0).model_copy(update={"answer_scores": bare}),
    ]
    found = method_scores("m", outcomes)
    assert (found.metrics["answer_contains"].value, found.metrics["answer_f1"].value) == (1.0, 0.75)
    base = [outcome(1, 1.0, 0.25), outcome(2, 0.5, 1.0)]
    paired = compared(found, outcomes, "b", base).differences
    differences = {
        "answer_contains": 0.75,
        "answer_exact_match": -0.125,
        "answer_f1": 0.125,
        "recall@2": 0.25,
    }
    assert {name: at.value for name, at in paired.items()} == differences


def test_scores_by_type_and_by_hops() -> None:
    def asked(number: int, recall: float, type_: str, hops: int) -> Outcome:
        question = GoldQuestion(id=str(number), question="Who?", gold=("a",), type=type_, hops=hops)
        return outcome(number, recall, recall).model_copy(update={"question": question})

    outcomes = [asked(1, 1.0, "bridge", 2), asked(2, 0.0, "bridge", 2), asked(3, 0.5, "comparison", 2)]
    found = {g.group: g for g in method_scores("m", outcomes).groups}
    assert set(found) == {"type: bridge", "type: comparison"}  # all have two hops: nothing to compare
    assert found["type: bridge"].metrics["recall@2"].value == 0.5
    assert (found["type: bridge"].n_questions, found["type: comparison"].n_answers) == (2, 1)
    summary = summary_csv([method_scores("m", outcomes)]).decode()
    assert "m,recall@2,,0.5,0.5,0.5,1,type: comparison" in summary
