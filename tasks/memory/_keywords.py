"""Words that tell groups of texts apart: class-based TF-IDF."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from corpusgraph.schemas.base import nfc
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.graph.words import STOP_WORDS, stem, written_words

WeightedText = tuple[str, float]
"""A text and how much of it is about the class."""


def keywords(classes: Mapping[str, Iterable[WeightedText]], top_k: int) -> dict[str, list[tuple[str, float]]]:
    """Return the words that tell each class from the others with their weights, best first.

    Class-based TF-IDF (Grootendorst 2022, arXiv:2203.05794): share of the word in its class x ln(1 + A / f),
    f how often it is in all classes and A the mean number of words of a class. Words with one stem are one,
    shown as they are mostly written; stop words and bare numbers are left out.
    """
    counts: dict[str, dict[str, float]] = {}
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for name, texts in classes.items():
        found: dict[str, list[float]] = defaultdict(list)
        for text, weight in counted(iter(texts), "keywords: texts read", every=64):
            for word in written_words(nfc(text)):
                if _tells(word):
                    key = stem(word.casefold())
                    found[key].append(weight)
                    written[key][word] += 1
        counts[name] = {key: math.fsum(weights) for key, weights in found.items()}
    every: dict[str, list[float]] = defaultdict(list)
    for found_in in counts.values():
        for key, count in found_in.items():
            every[key].append(count)
    frequency = {key: math.fsum(some) for key, some in every.items()}
    mean = math.fsum(frequency.values()) / max(1, len(counts))
    shown = {key: _usual(forms) for key, forms in counted(written.items(), "keywords: words")}
    groups = counted(counts.items(), "keywords: groups", every=1)
    return {name: _best(found_in, frequency, mean, shown, top_k) for name, found_in in groups}


def _usual(forms: Mapping[str, int]) -> str:
    """Return the form that is most used; of equals, one that does not begin a sentence."""
    return min(forms, key=lambda form: (-forms[form], not form.islower(), form))


def _best(
    counts: Mapping[str, float],
    frequency: Mapping[str, float],
    mean: float,
    shown: Mapping[str, str],
    top_k: int,
) -> list[tuple[str, float]]:
    total = math.fsum(counts.values()) or 1.0
    weights = {
        key: count / total * math.log1p(mean / frequency[key]) for key, count in counts.items() if count
    }
    order: Sequence[str] = sorted(weights, key=lambda key: (-round(weights[key], 12), key))[:top_k]
    return [(shown[key], round(weights[key], 6)) for key in order]


def _tells(word: str) -> bool:
    return word.casefold() not in STOP_WORDS and not word.isdigit() and (len(word) > 1 or not word.isascii())
