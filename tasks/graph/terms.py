"""Full-text scores in memory: BM25 and TF-IDF over the same counted terms."""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.digits import log, log1p
from corpusgraph.tasks.graph.compiled import Doubles, starts
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.text.words import STOP_WORDS, stem, stems, words

MORE_TEXTS, RARE = 1000, 10
"""So many texts more are counted where few tell how rare a word is; in how many a rare word is."""
BOUNDS = 8
"""Lengths of texts kept for so many bounds on document frequency."""


@dataclass(frozen=True, eq=False)
class Terms:
    """Counted terms of n texts. Term `t` is in texts `text[start[t]:start[t + 1]]`, `count` times each.

    Attributes
    ----------
    vocabulary : mapping of str to int
        Stem -> number of the term.
    start : array of int, shape (terms + 1,)
        Where the entries of each term begin.
    text : array of int, shape (entries,)
        Place of a text.
    count : array of float, shape (entries,)
        How often the term is in the text.
    lengths : array of float, shape (n,)
        Terms of each text, repeated ones too.

    """

    vocabulary: Mapping[str, int]
    start: Ints
    text: Ints
    count: Doubles
    lengths: Doubles

    @property
    def document_frequency(self) -> Ints:
        """In how many texts each term is."""
        return np.diff(self.start)

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Terms":
        """Count the stems of each text, stop words left out.

        Parameters
        ----------
        texts : iterable of str
            The texts.

        Returns
        -------
        Terms
            Postings by term, in the order of the texts.

        """
        vocabulary: dict[str, int] = {}

        @cache
        def number_of(word: str) -> int:
            """Return the number of a word's stem, in the order in which stems are met; -1 for a stop word."""
            return -1 if word in STOP_WORDS else vocabulary.setdefault(stem(word), len(vocabulary))

        said, sizes = array("q"), array("q")
        for text in counted(texts, "texts read for words", every=256):
            found = [number for word in words(text) if (number := number_of(word)) >= 0]
            said.extend(found)
            sizes.append(len(found))
        lengths = np.asarray(sizes, dtype=np.int64)
        n, size = len(lengths), len(vocabulary)
        pairs = np.asarray(said, dtype=np.int64) * n + np.repeat(np.arange(n), lengths)
        pairs, count = np.unique(pairs, return_counts=True)  # by term, then by text
        terms, rows = np.divmod(pairs, max(1, n))
        return cls(
            vocabulary=vocabulary,
            start=starts(terms, size),
            text=rows,
            count=count.astype(np.float64),
            lengths=lengths.astype(np.float64),
        )

    def postings(self, term: int) -> tuple[Ints, slice]:
        """Return the texts of a term and where its counts are.

        Parameters
        ----------
        term : int
            Number of the term.

        Returns
        -------
        array of int
            Places of the texts, in order.
        slice
            Where the term's entries are in `text` and `count`.

        """
        where = slice(int(self.start[term]), int(self.start[term + 1]))
        return self.text[where], where


class Bm25:
    """BM25 scores of texts, with an inverse document frequency (idf) that is never negative.

    The idf of a term in df of n texts is ln(1 + (n - df + 0.5) / (df + 0.5)).

    Parameters
    ----------
    texts : sequence of str
        The n texts.
    k1 : float
        How soon a repeated term stops adding.
    b : float
        From 0 to 1: how much long texts are discounted.

    References
    ----------
    Robertson & Zaragoza 2009.

    """

    def __init__(self, texts: Sequence[str], *, k1: float = 1.2, b: float = 0.75) -> None:
        self.terms = Terms.of(texts)
        n, df = len(self.terms.lengths), self.terms.document_frequency
        self.idf = log1p((n - df + 0.5) / (df + 0.5))
        mean = self.terms.lengths.mean() if n else 0.0
        norm = k1 * (1 - b + b * self.terms.lengths / (mean or 1.0))
        count = self.terms.count
        self._weights = np.repeat(self.idf, df) * count * (k1 + 1) / (count + norm[self.terms.text])

    def scores(self, query: str) -> Doubles:
        """Return the score of every text, 0 where no term of the query occurs.

        Parameters
        ----------
        query : str
            Words; one that comes twice counts twice.

        Returns
        -------
        array of float, shape (n,)
            From 0 on.

        """
        scores = np.zeros(len(self.terms.lengths))
        for word, times in Counter(stems(query)).items():
            if word in self.terms.vocabulary:
                texts, where = self.terms.postings(self.terms.vocabulary[word])
                scores[texts] += times * self._weights[where]
        return scores

    def rarity(self, stem: str) -> float:
        """Return ln(1 + (n + 1000) / (10 (df + 1))): of a few texts, all words are nearly as rare.

        Parameters
        ----------
        stem : str
            A stem, known or not; df is the number of texts with it, n that of all.

        Returns
        -------
        float
            Above 0.

        """
        at = self.terms.vocabulary.get(stem)
        df = 0 if at is None else int(self.terms.start[at + 1] - self.terms.start[at])
        return float(log1p((len(self.terms.lengths) + MORE_TEXTS) / (RARE * (df + 1))))

    def information(self, query: str) -> float:
        """Return the sum of the idf of the query's words that occur, each once.

        Parameters
        ----------
        query : str
            Words.

        Returns
        -------
        float
            Nats, from 0 on.

        """
        known = (self.terms.vocabulary.get(word) for word in dict.fromkeys(stems(query)))
        return math.fsum(float(self.idf[term]) for term in known if term is not None)


class TfIdf:
    """Cosines of TF-IDF vectors: count x (ln((1 + n) / (1 + df)) + 1), of length 1.

    Parameters
    ----------
    texts : sequence of str
        The n texts; df is the number of those with a term.

    References
    ----------
    Salton & Buckley 1988.

    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.terms = Terms.of(texts)
        self.idf = log((1 + len(self.terms.lengths)) / (1 + self.terms.document_frequency)) + 1
        self._weighed = lru_cache(BOUNDS)(self._within)

    def scores(self, query: str, *, min_df: int = 1, max_df: float = 1.0) -> Doubles:
        """Return the cosine with every text, over the terms that are neither too rare nor too frequent.

        Parameters
        ----------
        query : str
            Words.
        min_df : int
            Texts at least that have the term.
        max_df : float
            Share of the texts, 0 to 1, that have the term at most.

        Returns
        -------
        array of float, shape (n,)
            From 0 to 1.

        """
        terms, (kept, lengths) = self.terms, self._weighed(min_df, max_df)
        scores, asked = np.zeros(len(terms.lengths)), 0.0
        for word, times in Counter(stems(query)).items():
            if word in terms.vocabulary:
                term = terms.vocabulary[word]
                texts, where = terms.postings(term)
                scores[texts] += times * kept[term] ** 2 * terms.count[where]
                asked += (times * kept[term]) ** 2
        scale = lengths * np.sqrt(asked)
        scores /= np.where(scale > 0, scale, 1.0)
        return scores

    def _within(self, min_df: int, max_df: float) -> tuple[Doubles, Doubles]:
        """Return the idf of each term, 0 outside the bounds, and text lengths; kept for next time."""
        terms, df = self.terms, self.terms.document_frequency
        n = len(terms.lengths)
        kept = np.where((df >= min_df) & (df <= max_df * n), self.idf, 0.0)
        squares = (terms.count * np.repeat(kept, df)) ** 2
        return kept, np.sqrt(np.bincount(terms.text, squares, minlength=n))
