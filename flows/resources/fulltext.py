"""What the full-text index sees of an item."""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from corpusgraph.tasks.graph.noted import beside
from corpusgraph.tasks.graph.words import spaced, words

# Han, kana and Hangul are written without (or with few) spaces between words.
_UNSPACED = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af\U00020000-\U0003134f]+"
)
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]+)[\"”“»]")
_ONLY_QUOTED = re.compile(rf"\s*(?:{_QUOTED.pattern}\s*)+")

SEARCHED: Mapping[str, tuple[str, ...]] = {
    "entity": ("name", "description"),
    "relationship": ("type", "description", "keywords"),
    "chunk": ("content",),
    "report": ("title", "summary", "findings"),
}
"""The fields an item of each kind is found by."""


LEFT_OUT = frozenset(
    re.findall(
        r"\w+",
        """
        a about after again against ain all also am an and are aren as at be been being below between both
        but by can couldn d did didn do doesn doing don down each few for from further had hadn has hasn
        have haven having he her here hers herself him himself his how i if in into is isn it its itself
        just ll m ma me mightn more most mustn my myself needn no nor not now o of off on or other our ours
        out over own re s same shan she should shouldn so some such t than that the their theirs them then
        there these they this those through to too under until up ve was wasn we were weren what when where
        which while who whom will with won wouldn y you your yours yourself
        """,
    )
)
"""Words that the index of texts leaves out: English ones that are in every text, as Lance has them."""


def segmented(text: str) -> str:
    """Write runs of Han, kana and Hangul as overlapping pairs of characters, and `_` as a space.

    Pairs find names no dictionary knows, as long as text and query are written the same way
    (Nie et al. 2000, On the use of words and n-grams for Chinese information retrieval, IRAL).
    """
    return _UNSPACED.sub(_pairs, text).replace("_", " ")


def phrases_of(query: str) -> list[str]:
    """Return the phrases of a query that is nothing but phrases in quotes, else none.

    A text then has to hold their words in a row. All other signs of a query are read over, as in any text.
    """
    found = _QUOTED.findall(query) if _ONLY_QUOTED.fullmatch(query) else []
    return [phrase for phrase in found if words(phrase)]


def holds(text: str, phrases: Iterable[str]) -> bool:
    """Tell whether a text has the words of every phrase in a row."""
    said = spaced(text)
    return all(spaced(segmented(phrase)) in said for phrase in phrases)


def _pairs(run: re.Match[str]) -> str:
    found = [a + b for a, b in pairwise(run[0])] or [run[0]]
    return f" {' '.join(found)} "


def searchable(values: Iterable[Any]) -> str:
    """Return the text of an item's searched fields: strings, lists of strings, findings; None is nothing."""
    return segmented("\n".join(part for value in values for part in _strings(value)))


def text_of(kind: str, item: Any) -> str:
    """Return the text that an item is found by: of an entity with what was noted of it by hand."""
    fields = [getattr(item, field) for field in SEARCHED[kind]]
    return searchable([*fields, *(beside(item) if kind == "entity" else ())])


def _strings(value: Any) -> Iterable[str]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    return (item if isinstance(item, str) else _text(item) for item in value)


def _text(finding: Any) -> str:
    return str(finding["text"] if isinstance(finding, Mapping) else finding.text)
