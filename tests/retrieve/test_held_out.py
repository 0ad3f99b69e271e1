"""The protocol of benchmarks/retrieval/heldout.py: what is reported on had no say in the choice."""

import re

import numpy as np
import pytest

from benchmarks.retrieval.heldout import BOTH, JOINING, PAIRS, RERANKING, best, half_of, row, rows
from benchmarks.retrieval.question_sets import Asked, Choice, Cube, Looked

GRID = [Choice("rrf", k, (k / 10,)) for k in range(1, 6)]
N = 40


def asked(n: int) -> list[Asked]:
    return [Asked(f"q{i}", "Who?", frozenset({"d1"}), {}) for i in range(n)]


@pytest.fixture
def given() -> tuple[list[Looked], list[Cube]]:
    draw = np.random.default_rng(7)
    sets = [Looked(name, name, asked(N), {}, {}) for name in ("one", "two", "three")]
    return sets, [draw.random((len(GRID), N, 2)) for _ in sets]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_halves_are_told_apart_by_ids_alone() -> None:
    sides = [half_of(question) for question in asked(400)]
    assert sides == [half_of(question) for question in asked(400)]
    assert 160 < sum(sides) < 240


def test_a_choice_does_not_depend_on_what_it_is_reported_on(given: tuple[list[Looked], list[Cube]]) -> None:
    sets, cubes = given
    before = [cells(line) for line in rows(sets, 2, cubes, GRID, 0)]
    assert len(before) == 4 * 2 + 2 * 3
    half = np.array([half_of(question) for question in sets[0].asked])
    other = [cubes[0].copy(), *cubes[1:]]
    other[0][0, half == 1] = 50.0  # the first choice would win wherever these are looked at
    after = [cells(line) for line in rows(sets, 2, other, GRID, 0)]
    kept = [0, 1, 4, 5, 6, 7, 8]  # chosen on half 1 of one, on two, or on two and three
    assert [after[i][1] for i in kept] == [before[i][1] for i in kept]
    assert {after[i][1] for i in (2, 3, 9, 10, 11)} == {str(GRID[0])}
    assert before[0][2] == f"one, other half ({sum(half)})"
    assert after[0][3] != before[0][3]


def test_each_source_counts_the_same_and_the_first_of_equals_is_chosen() -> None:
    long, short = np.zeros((2, 90, 2)), np.zeros((2, 10, 2))
    long[0], short[1] = 0.4, 0.5
    assert best([long, short]) == 1
    short[1] = 0.4
    assert best([long, short]) == 0


def test_a_row_tells_mean_and_difference_with_intervals() -> None:
    found, before = np.array([[1.0, 1.0]] * 5 + [[0.0, 1.0]] * 5), np.array([[0.5, 0.5]] * 10)
    first, second = cells(row("a half", GRID[0], "the other", found, before))[3:]
    numbers = [float(number) for number in re.findall(r"[+-]?\d+\.\d", first)]
    assert (numbers[0], numbers[3]) == (50.0, 0.0)
    assert numbers[1] < 50 < numbers[2]
    assert second == "100.0 (100.0 to 100.0), +50.0 (+50.0 to +50.0)"


def test_the_grids_hold_what_they_say() -> None:
    assert len(set(JOINING)) == len(JOINING) == 4 * 66
    assert all(sum(choice.weights) == pytest.approx(1) for choice in JOINING)
    assert len(BOTH) == len(PAIRS) == 4 * 11 * 11
    for choice, (i, j) in zip(BOTH, PAIRS, strict=True):
        parts = RERANKING[i], RERANKING[j]
        assert {part[:2] for part in parts} == {choice[:2]}
        assert choice.weights == (*parts[0].weights, *parts[1].weights)
