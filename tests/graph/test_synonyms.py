"""Pairs of names that are alike, or that hold one another."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.graph.passages import GRAMS, contained_pairs, synonym_pairs
from corpusgraph.tasks.text.words import words

letters = st.text(alphabet="abc ", min_size=0, max_size=8)


def cosine(one: str, other: str) -> float:
    """Compare two names by their groups of letters, one pair at a time."""
    counted = []
    for name in (one, other):
        text = f" {' '.join(words(name))} " if words(name) else ""
        counted.append(Counter(text[i : i + n] for n in GRAMS for i in range(len(text) - n + 1)))
    dot = sum(counted[0][group] * counted[1][group] for group in counted[0])
    norms = [sum(count**2 for count in groups.values()) ** 0.5 for groups in counted]
    return dot / (norms[0] * norms[1]) if all(norms) else 0.0


@given(st.lists(letters, max_size=12), st.sampled_from([0.3, 0.5, 0.8, 0.95]))
def test_finds_exactly_the_pairs_that_comparing_all_with_all_finds(
    names: list[str], threshold: float
) -> None:
    found = {(pair.one, pair.other): pair.score for pair in synonym_pairs(names, threshold, top_k=99)}
    every = {(i, j): cosine(names[i], names[j]) for j in range(len(names)) for i in range(j)}
    sure = {pair for pair, score in every.items() if score > threshold + 1e-6}
    maybe = {pair for pair, score in every.items() if score > threshold - 1e-6}
    assert sure <= found.keys() <= maybe
    assert all(found[pair] == pytest.approx(every[pair], abs=1e-5) for pair in found)


def test_austria_is_like_austrian_and_unlike_australia() -> None:
    assert [(p.one, p.other) for p in synonym_pairs(["Austrians", "Austrian", "Australia"])] == [(0, 1)]


def test_keeps_what_is_among_the_best_of_either() -> None:
    names = ["John Snow", "John Snows", "John Snowss", "Jon Snow"]
    pairs = synonym_pairs(names, threshold=0.3, top_k=1)
    best = {max((j for j in range(4) if j != i), key=lambda j: cosine(names[i], names[j])) for i in range(4)}
    assert 3 <= len(pairs) + 1 <= 4
    assert best <= {place for pair in pairs for place in pair[:2]}


def test_the_order_of_names_does_not_matter() -> None:
    names = [f"{a} {b}" for a in ("Anna", "Annie", "Hanna") for b in ("Berg", "Bergen", "Burg")]
    shuffled = names[4:] + names[3::-1]

    def told(given: list[str]) -> set[tuple[str, ...]]:
        return {tuple(sorted((given[p.one], given[p.other]))) for p in synonym_pairs(given, 0.5, top_k=99)}

    assert told(names) == told(shuffled)


@pytest.mark.parametrize(("threshold", "top_k"), [(0.0, 1), (1.1, 1), (0.8, 0)])
def test_what_makes_no_pairs_is_refused(threshold: float, top_k: int) -> None:
    with pytest.raises(InvalidInputError):
        synonym_pairs(["a", "b"], threshold, top_k)


def test_no_names_make_no_pairs() -> None:
    assert synonym_pairs([]) == synonym_pairs(["", "!"]) == contained_pairs([""]) == []


def test_a_name_holds_names_of_whole_words() -> None:
    names = ["Meet Me in St. Louis", "St. Louis", "Louis", "the", "1904", "In 1904", "Meeting"]
    assert contained_pairs(names) == [(0, 1, 0.4), (0, 2, 0.2), (1, 2, 0.5)]
