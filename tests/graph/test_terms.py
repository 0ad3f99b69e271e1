"""BM25 and TF-IDF against the formulas worked by hand."""

from math import log, log1p, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.tasks.graph.terms import Bm25, Terms, TfIdf
from tests.examples import tried

TEXTS = ["The pump and the pump-handle", "Cholera in Soho", "the cholera pump", ""]
"""Stems: pump pump handl; cholera soho; cholera pump; nothing. Mean length 7 / 4."""


def test_terms_are_counted() -> None:
    terms = Terms.of(TEXTS)
    assert dict(terms.vocabulary) == {"pump": 0, "handl": 1, "cholera": 2, "soho": 3}
    assert terms.lengths.tolist() == [3, 2, 2, 0]
    assert terms.document_frequency.tolist() == [2, 1, 2, 1]
    texts, where = terms.postings(0)
    assert (texts.tolist(), terms.count[where].tolist()) == ([0, 2], [2, 1])


def test_bm25_by_hand() -> None:
    def weight(count: float, length: float, df: int) -> float:
        idf = log1p((4 - df + 0.5) / (df + 0.5))
        return idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / 1.75))

    expected = [weight(2, 3, 2), weight(1, 2, 1), weight(1, 2, 2), 0.0]
    assert Bm25(TEXTS).scores("Pumps of Soho?").tolist() == pytest.approx(expected)


def test_a_word_asked_twice_counts_twice() -> None:
    bm25 = Bm25(TEXTS)
    assert bm25.scores("pump pump").tolist() == pytest.approx((2 * bm25.scores("pump")).tolist())


def test_tfidf_by_hand() -> None:
    common, rare = log(5 / 3) + 1, log(5 / 2) + 1
    asked = sqrt(common**2 + rare**2)
    expected = [
        2 * common**2 / (sqrt((2 * common) ** 2 + rare**2) * asked),
        rare**2 / (sqrt(common**2 + rare**2) * asked),
        common**2 / (sqrt(2 * common**2) * asked),
        0.0,
    ]
    assert TfIdf(TEXTS).scores("pump soho").tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"max_df": 0.25}, [False, True, False, False]),  # pump is in half of the texts
        ({"min_df": 2}, [True, False, True, False]),  # soho is in one
        ({"min_df": 2, "max_df": 0.25}, [False] * 4),
    ],
)
def test_tfidf_leaves_common_and_rare_terms_out(options: dict[str, float], found: list[bool]) -> None:
    scores = TfIdf(TEXTS).scores("pump soho", **options)  # type: ignore[arg-type]
    assert [score > 0 for score in scores] == found


@given(st.lists(st.text("ab ", max_size=12), max_size=6), st.text("ab ", max_size=6))
@settings(max_examples=tried(80), deadline=None)
def test_scores_are_finite_and_not_negative(texts: list[str], query: str) -> None:
    bm25, tfidf = Bm25(texts).scores(query), TfIdf(texts).scores(query)
    assert len(bm25) == len(tfidf) == len(texts)
    assert all(score >= 0 for score in bm25)
    assert all(0 <= score <= 1 + 1e-9 for score in tfidf)
    assert [score > 0 for score in bm25] == [score > 0 for score in tfidf]


def test_no_texts_have_no_scores() -> None:
    assert Bm25([]).scores("x").tolist() == TfIdf([]).scores("x").tolist() == []
