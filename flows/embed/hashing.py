"""The offline embedder: no model, no download, the same vector on every machine."""

from collections.abc import Sequence
from itertools import chain
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from corpusgraph.flows.embed.features import Vocabulary
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Floats, Ints
from corpusgraph.tasks.digits import log

SLICE = 256
"""Texts embedded at a time: their features are held in memory together."""
MAX_WORDS = 100_000
"""Words remembered with their features (about 40 MB), before the embedder begins anew."""


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
        self._dimension = dimension
        self._vocabulary = Vocabulary(dimension)
        self._one_at_a_time = Lock()  # the vocabulary grows while texts are read

    @property
    def name(self) -> str:
        """Name, dimension and version of the features."""
        return f"hashing-{self._dimension}-v2"

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._dimension

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
        rows = np.zeros((len(texts), self._dimension), np.float32)
        with self._one_at_a_time:
            for at in range(0, len(texts), SLICE):
                if self._vocabulary.n_words > MAX_WORDS:
                    self._vocabulary = Vocabulary(self._dimension)
                rows[at : at + SLICE] = self._slice(texts[at : at + SLICE])
        return rows

    def _slice(self, texts: Sequence[str]) -> NDArray[np.float64]:
        vocabulary = self._vocabulary
        found = [list(chain.from_iterable(map(vocabulary.__getitem__, text.split()))) for text in texts]
        owners = np.repeat(np.arange(len(texts)), [len(numbers) for numbers in found])
        said = np.fromiter(chain.from_iterable(found), np.int64, len(owners))
        rows, said, weights = _counted(owners, said, vocabulary.n_words)
        places, values, starts = vocabulary.arrays()
        sizes = starts[said + 1] - starts[said]
        ends = np.cumsum(sizes)
        at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts[said] - ends + sizes, sizes)
        cells = np.repeat(rows * self._dimension, sizes) + places[at]
        sums = np.bincount(cells, values[at] * np.repeat(weights, sizes), len(texts) * self._dimension)
        made = sums.reshape(len(texts), self._dimension)
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        return made / np.where(lengths > 0, lengths, 1)


def _counted(owners: Ints, said: Ints, n_words: int) -> tuple[Ints, Ints, NDArray[np.float64]]:
    """Return each text's distinct words with their weights, in the order in which they are first said.

    That order is the text's own: sums, down to their last bit, do not depend on what was embedded before.
    """
    _, first, counts = np.unique(owners * n_words + said, return_index=True, return_counts=True)
    order = np.argsort(first)
    first = first[order]
    return owners[first], said[first], 1 + log(counts[order])
