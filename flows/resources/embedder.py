"""The offline embedder: no model, no download, the same vector on every machine."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Floats, Ints
from corpusgraph.tasks.graph.words import STOP_WORDS, stem, words

STOP_WORD_WEIGHT = 0.1
GRAMS_WEIGHT = 0.8
"""Length of a word's letter-group features beside the 1.0 of the word itself."""


class HashingEmbedder:
    """Signed feature hashing of words and groups of 3 and 4 letters (Weinberger et al. 2009).

    A feature's place and sign come from its BLAKE2b hash. Words are case-folded and stemmed; letter groups
    make spellings of a name near each other; a word said n times counts 1 + ln n. It needs no fitting, so
    one document's vectors do not change when another is added.
    """

    def __init__(self, dimension: int = 512) -> None:
        if dimension < 1:
            raise InvalidInputError(f"An embedding has at least 1 dimension, not {dimension}.")
        self._dimension = dimension

    @property
    def name(self) -> str:
        """Name, dimension and version of the features."""
        return f"hashing-{self._dimension}-v1"

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return float32 (len(texts), dimension): rows of length 1, or 0 for a text without words."""
        rows = np.zeros((len(texts), self._dimension))
        for row, text in zip(rows, texts, strict=True):
            self._fill(row, text)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows /= np.where(lengths > 0, lengths, 1)
        return rows.astype(np.float32)

    def _fill(self, row: NDArray[np.float64], text: str) -> None:
        counts = Counter(words(text))
        if not counts:
            return
        features = [_features(word, self._dimension) for word in counts]
        weights = np.repeat([1 + math.log(n) for n in counts.values()], [len(at) for at, _ in features])
        values = np.concatenate([value for _, value in features]) * weights
        row += np.bincount(np.concatenate([at for at, _ in features]), values, minlength=self._dimension)


@lru_cache(maxsize=200_000)
def _features(word: str, dimension: int) -> tuple[Ints, NDArray[np.float64]]:
    """Return places and signed weights of a word and of the letter groups in it, ends marked."""
    marked = f"<{word}>"
    grams = [marked[i : i + n] for n in (3, 4) for i in range(len(marked) - n + 1)]
    hashes = [_hash(f"w{stem(word)}"), *(_hash(f"g{gram}") for gram in grams)]
    scale = STOP_WORD_WEIGHT if word in STOP_WORDS else 1.0
    each = GRAMS_WEIGHT / math.sqrt(len(grams)) if grams else 0.0
    signs = np.array([1.0 if number & 1 else -1.0 for number in hashes])
    values = signs * scale * np.array([1.0, *(each for _ in grams)])
    return np.array([(number >> 1) % dimension for number in hashes], dtype=np.int64), values


def _hash(feature: str) -> int:
    return int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "little")
