"""The offline embedder: no model, no download, the same vector on every machine."""

import math
from collections import Counter
from collections.abc import Sequence, Sized
from functools import lru_cache
from hashlib import blake2b
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Floats, Ints
from corpusgraph.tasks.digits import log
from corpusgraph.tasks.text.words import STOP_WORDS, stem, words

SLICE = 256
"""Texts embedded at a time: their features are held in memory together."""
MAX_WORDS = 100_000
"""Words remembered with their features (about 60 MB)."""
STOP_WORD_WEIGHT = 0.1
GRAMS_WEIGHT = 0.8
"""Length of a word's letter-group features beside the 1.0 of the word itself."""
WORD_PLACES = 4
"""A word itself has several places (Kane & Nelson 2014, Sparser Johnson-Lindenstrauss transforms): two words
that happen to share one are little alike. With one place each they would have a cosine of 0.61."""


class HashingEmbedder:
    """Signed feature hashing of words and groups of 3 and 4 letters (Weinberger et al. 2009).

    A feature's places and signs come from its BLAKE2b hash. Words are case-folded and stemmed; letter groups
    make spellings of a name near each other; a word said n times counts 1 + ln n. It needs no fitting, so
    one document's vectors do not change when another is added.
    """

    lexical = True
    """Vectors of spellings: they rank texts by shared words, which BM25 does better."""

    def __init__(self, dimension: int = 512) -> None:
        if dimension < 1:
            raise InvalidInputError(f"An embedding has at least 1 dimension, not {dimension}.")
        self.dimension, self.name = dimension, f"hashing-{dimension}-v2"
        """Length of every vector; that, with the version of the features."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return float32 (len(texts), dimension): rows of length 1, or 0 for a text without words.

        Parameters
        ----------
        texts : sequence of str
            In any script.

        Returns
        -------
        array of float32, shape (len(texts), dimension)
            In the order of the texts; the same on every machine.

        """
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for at in range(0, len(texts), SLICE):
            rows[at : at + SLICE] = self._slice(texts[at : at + SLICE])
        return rows

    def _slice(self, texts: Sequence[str]) -> NDArray[np.float64]:
        from scipy.sparse import csr_array

        # each text's words in the order in which they are first said: sums, down to their last bit, do not
        # depend on the other texts
        counts = [Counter(chain.from_iterable(map(_words, text.split()))) for text in texts]
        number = {word: n for n, word in enumerate(dict.fromkeys(chain.from_iterable(counts)))}
        if not number:
            return np.zeros((len(texts), self.dimension))
        said = [number[word] for count in counts for word in count]
        weights = 1 + log([n for count in counts for n in count.values()])
        by_word = csr_array((weights, said, _starts(counts)), (len(texts), len(number)))
        hashes, values = zip(*map(_features, number), strict=True)
        places = (np.concatenate(hashes) >> 1) % self.dimension
        features = csr_array((np.concatenate(values), places, _starts(hashes)), (len(number), self.dimension))
        sums = (by_word @ features).toarray()
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(sums / np.where(lengths > 0, lengths, 1))


def _starts(rows: Sequence[Sized]) -> Ints:
    return np.cumsum([0, *map(len, rows)])


@lru_cache(maxsize=MAX_WORDS)
def _words(token: str) -> tuple[str, ...]:
    """Return the words of what stands between two spaces: words never reach over a space."""
    return tuple(words(token))


@lru_cache(maxsize=MAX_WORDS)
def _features(word: str) -> tuple[Ints, NDArray[np.float64]]:
    """Return the hashes of a word and of the letter groups in it, ends marked, and their signed weights."""
    marked = f"<{word}>"
    grams = [f"g{marked[i : i + n]}" for n in (3, 4) for i in range(len(marked) - n + 1)]
    root = f"w{stem(word)}"
    roots = [root, *(f"{root}\x1f{n}" for n in range(1, WORD_PLACES))]
    digests = (blake2b(feature.encode(), digest_size=8).digest() for feature in (*roots, *grams))
    hashes = np.frombuffer(b"".join(digests), "<u8")
    scale = STOP_WORD_WEIGHT if word in STOP_WORDS else 1.0
    each = GRAMS_WEIGHT / math.sqrt(len(grams)) * scale if grams else 0.0
    weights = np.repeat([scale / math.sqrt(WORD_PLACES), each], [WORD_PLACES, len(grams)])
    return hashes, np.where(hashes & 1, weights, -weights)
