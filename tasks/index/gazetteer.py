"""Finds known names in text: a name recognised once is found everywhere, the longest match first."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from corpusgraph.schemas.base import nfc
from corpusgraph.tasks.index.rules.lexicon import LEXICON
from corpusgraph.tasks.index.rules.verbs import VERBS

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+|[^\w\s]")
SHORT = 4
"""A name shorter than this many characters must match in case too: "WHO" is not "who"."""


@dataclass(slots=True)
class _Node:
    """A token in the tree of names; `ends`: (name, payload, whether case counts) of names that end here."""

    after: dict[str, "_Node"] = field(default_factory=dict)
    ends: list[tuple[str, str, bool]] = field(default_factory=list)


class Gazetteer:
    """A set of names, each with a payload such as an entity id, ready to be looked for in text.

    Names match whole words; upper and lower case are told apart only for short names and for single words
    that are common English words as well ("Reading", "May"). Of names equal but for case, the one written
    alike wins, then the first in alphabetical order.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._root: dict[str, _Node] = {}
        for name in sorted(names):
            self._add(nfc(name), names[name])

    def _add(self, name: str, payload: str) -> None:
        tokens = _TOKEN.findall(name)
        if not tokens:
            return
        level, node = self._root, _Node()
        for token in tokens:
            node = level.setdefault(token.casefold(), _Node())
            level = node.after
        common = len(tokens) == 1 and (name.lower() in LEXICON or name.lower() in VERBS)
        node.ends.append((" ".join(tokens), payload, len(name) < SHORT or common))

    def find(self, text: str) -> list[tuple[int, int, str]]:
        """Return (start, end, payload) of the names in a text, in order, none overlapping another."""
        tokens = _TOKEN.findall(text)
        folded = [token.casefold() for token in tokens]
        root, free = self._root, 0
        found: list[tuple[int, int, str]] = []
        for at in [at for at, token in enumerate(folded) if token in root]:
            best = self._longest(tokens, folded, at, root[folded[at]]) if at >= free else None
            if best:
                found.append((at, *best))
                free = best[0] + 1
        return list(_placed(text, tokens, found))

    def _longest(self, tokens: list[str], folded: list[str], at: int, node: _Node) -> tuple[int, str] | None:
        """Return the last token and the payload of the longest name that begins at a token."""
        best, last = None, at
        while True:
            payload = _chosen(node, tokens, at, last) if node.ends else None
            if payload is not None:
                best = last, payload
            last += 1
            following = node.after.get(folded[last]) if node.after and last < len(folded) else None
            if following is None:
                return best
            node = following


def _placed(
    text: str, tokens: list[str], found: list[tuple[int, int, str]]
) -> Iterator[tuple[int, int, str]]:
    """Turn numbers of tokens into offsets: between two tokens there is nothing but white space."""
    at = end = 0
    for first, last, payload in found:
        for token in tokens[at : first + 1]:
            start = text.index(token, end)
            end = start + len(token)
        for token in tokens[first + 1 : last + 1]:
            end = text.index(token, end) + len(token)
        at = last + 1
        yield start, end, payload


def _chosen(node: _Node, tokens: list[str], at: int, last: int) -> str | None:
    written = " ".join(tokens[at : last + 1])
    for name, payload, _ in node.ends:
        if name == written:
            return payload
    return next((payload for _, payload, exact in node.ends if not exact), None)
