"""The features of words, kept as flat arrays so that many texts are embedded by a few array operations."""

import math
from array import array
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.text.words import STOP_WORDS, stem, words

STOP_WORD_WEIGHT = 0.1
GRAMS_WEIGHT = 0.8
"""Length of a word's letter-group features beside the 1.0 of the word itself."""
WORD_PLACES = 4
"""A word itself has several places (Kane & Nelson 2014, Sparser Johnson-Lindenstrauss transforms): two words
that happen to share one are little alike. With one place each they would have a cosine of 0.61."""


class Vocabulary(dict[str, tuple[int, ...]]):
    """Maps what stands between two spaces to the numbers of its words; an unknown token is added.

    Word `n` has the features `places[starts[n]:starts[n + 1]]` with their signed weights in `values`.
    """

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self._dimension = dimension
        self._numbers: dict[str, int] = {}
        self._hashes: dict[str, int] = {}
        self._places, self._values, self._starts = array("q"), array("d"), array("q", [0])

    def __missing__(self, token: str) -> tuple[int, ...]:
        """Take in a token: words never reach over a space, so that a text is its tokens' words in a row."""
        self[token] = numbers = tuple(self._number(word) for word in words(token))
        return numbers

    @property
    def n_words(self) -> int:
        """Number of words known."""
        return len(self._numbers)

    def arrays(self) -> tuple[Ints, NDArray[np.float64], Ints]:
        """Return places, values and starts; views that must be let go before a token is added.

        Returns
        -------
        tuple of Ints, array of float64 and Ints
            Features of word i stand from starts[i] to starts[i + 1].

        """
        return (
            np.frombuffer(self._places, np.int64),
            np.frombuffer(self._values, np.float64),
            np.frombuffer(self._starts, np.int64),
        )

    def _number(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            number = self._numbers[word] = len(self._numbers)
            self._add(word)
        return number

    def _add(self, word: str) -> None:
        """Append a word and the letter groups in it, ends marked."""
        marked = f"<{word}>"
        grams = [f"g{marked[i : i + n]}" for n in (3, 4) for i in range(len(marked) - n + 1)]
        scale = STOP_WORD_WEIGHT if word in STOP_WORDS else 1.0
        each = GRAMS_WEIGHT / math.sqrt(len(grams)) * scale if grams else 0.0
        root = f"w{stem(word)}"
        roots = [root, *(f"{root}\x1f{n}" for n in range(1, WORD_PLACES))]
        weights = [scale / math.sqrt(WORD_PLACES)] * WORD_PLACES + [each] * len(grams)
        for feature, weight in zip([*roots, *grams], weights, strict=True):
            number = self._hash(feature)
            self._places.append((number >> 1) % self._dimension)
            self._values.append(weight if number & 1 else -weight)
        self._starts.append(len(self._places))

    def _hash(self, feature: str) -> int:
        number = self._hashes.get(feature)
        if number is None:
            digest = blake2b(feature.encode(), digest_size=8).digest()
            number = self._hashes[feature] = int.from_bytes(digest, "little")
        return number
