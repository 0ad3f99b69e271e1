"""Words that tell groups of texts apart: class-based TF-IDF."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks._steps import counted, step
from corpusgraph.tasks.graph.arrays import Doubles
from corpusgraph.tasks.graph.words import STOP_WORDS, stem, written_words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WeightedText = tuple[str, float]
"""A text and how much of it is about the class."""
_SLACK = 1e-9
"""Weights are compared to twelve digits; what is this much below the last that is told is not among them."""


def keywords(
    classes: Mapping[str, Iterable[WeightedText]], top_k: int, told: Collection[str] | None = None
) -> dict[str, list[tuple[str, float]]]:
    """Return the words that tell each class from the others with their weights, best first.

    Class-based TF-IDF (Grootendorst 2022, arXiv:2203.05794): share of the word in its class x ln(1 + A / f),
    f how often it is in all classes and A the mean number of words of a class. Words with one stem are one,
    shown as they are mostly written; stop words and bare numbers are left out. `told`, unless all, are the
    classes whose words are returned; the others count for f and A.
    """
    numbers: dict[str, int] = {}
    groups, rows, weights = array("q"), array("q"), array("d")
    for group, texts in enumerate(classes.values()):
        for text, weight in counted(iter(texts), "keywords: texts of groups"):
            groups.append(group)
            rows.append(numbers.setdefault(text, len(numbers)))
            weights.append(weight)
    read = _read(numbers)
    shape = len(classes), len(numbers)
    counts = _summed(np.asarray(weights), groups, rows, shape) @ read.keys
    step("keywords: words counted", len(numbers))
    uses = np.bincount(np.asarray(rows, dtype=np.int64), minlength=len(numbers)).astype(np.float64)
    shown = _Shown(read, read.forms.T @ uses)
    frequency = np.asarray(counts.sum(axis=0)).ravel()
    mean = float(frequency.sum()) / max(1, len(classes))
    wanted = classes if told is None else told
    return {
        name: _best(counts, group, frequency, mean, shown, top_k)
        for group, name in enumerate(counted(list(classes), "keywords: groups", every=16))
        if name in wanted
    }


class _Numbers(dict[str, int]):
    """Word as written -> its number; -1 for one that tells nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[str] = []
        self.key_of: list[int] = []
        self.stems: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        number = -1
        if _tells(word):
            number = len(self.forms)
            self.forms.append(word)
            self.key_of.append(self.stems.setdefault(stem(word.casefold()), len(self.stems)))
        self[word] = number
        return number


class _Read(NamedTuple):
    """How often each text has each form (texts, forms) and each stem (texts, stems), and which these are."""

    numbers: _Numbers
    forms: "csr_array"
    keys: "csr_array"


def _read(texts: Collection[str]) -> _Read:
    """Read each text once, in however many classes it is."""
    numbers = _Numbers()
    said, sizes = array("q"), array("q")
    for text in counted(texts, "keywords: texts read", every=64):
        found = [number for word in written_words(nfc(text)) if (number := numbers[word]) >= 0]
        said.extend(found)
        sizes.append(len(found))
    forms = np.asarray(said, dtype=np.int64)
    rows = np.repeat(np.arange(len(sizes)), np.asarray(sizes, dtype=np.int64))
    keys, ones = np.array(numbers.key_of, dtype=np.int64)[forms], np.ones(len(forms))
    return _Read(
        numbers,
        _summed(ones, rows, forms, (len(sizes), len(numbers.forms))),
        _summed(ones, rows, keys, (len(sizes), len(numbers.stems))),
    )


def _summed(values: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> "csr_array":
    from scipy.sparse import coo_array

    at = (np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64))
    return coo_array((values, at), shape=shape).tocsr()


class _Shown:
    """How each stem is mostly written."""

    def __init__(self, read: _Read, times: Doubles) -> None:
        self.keys: Sequence[str] = list(read.numbers.stems)
        self._forms, self._times = read.numbers.forms, times
        key_of = np.array(read.numbers.key_of, dtype=np.int64)
        self._order: Ints = np.argsort(key_of, kind="stable")
        self._key_of = key_of[self._order]

    def form(self, key: int) -> str:
        """Return the form that is most used; of equals, one that does not begin a sentence."""
        start, end = np.searchsorted(self._key_of, [key, key + 1])
        return self._forms[min(self._order[start:end].tolist(), key=self._place)]

    def _place(self, form: int) -> Any:
        written = self._forms[form]
        return -self._times[form], not written.islower(), written

    def best(self, keys: Iterable[int], weights: Iterable[float]) -> Iterator[tuple[float, str, int]]:
        """Yield what a word is ordered by: its weight to twelve digits, then its stem."""
        for key, weight in zip(keys, weights, strict=True):
            yield -round(weight, 12), self.keys[key], key


def _best(
    counts: "csr_array", group: int, frequency: Doubles, mean: float, shown: _Shown, top_k: int
) -> list[tuple[str, float]]:
    where = slice(int(counts.indptr[group]), int(counts.indptr[group + 1]))
    keys, share = counts.indices[where], counts.data[where]
    keys, share = keys[share > 0], share[share > 0]
    weights = share / (share.sum() or 1.0) * np.log1p(mean / frequency[keys])
    if top_k < len(keys):
        near = weights >= np.partition(weights, -top_k)[-top_k] - _SLACK
        keys, weights = keys[near], weights[near]
    held = dict(zip(keys.tolist(), weights.tolist(), strict=True))
    order = sorted(shown.best(held, held.values()))[:top_k]
    return [(shown.form(key), round(held[key], 6)) for _, _, key in order]


def _tells(word: str) -> bool:
    return word.casefold() not in STOP_WORDS and not word.isdigit() and (len(word) > 1 or not word.isascii())
