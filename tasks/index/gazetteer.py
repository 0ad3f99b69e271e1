"""Find every known name in a text: longest match, on word borders."""

import re
from collections.abc import Mapping

_WORD = re.compile(r"\w+")


class Gazetteer:
    """Names with a payload each."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
        for name in sorted(names):
            words = tuple(_WORD.findall(name))
            if words:
                self._by_first.setdefault(words[0], []).append((words, name, names[name]))
        for entries in self._by_first.values():
            entries.sort(key=lambda entry: (-len(entry[0]), entry[1]))

    def find(self, text: str) -> list[tuple[int, int, str]]:
        """Return (start, end, payload) of each match, in order, never overlapping."""
        spans = [m.span() for m in _WORD.finditer(text)]
        words = [text[a:b] for a, b in spans]
        found, at = [], 0
        while at < len(words):
            for sought, name, payload in self._by_first.get(words[at], ()):
                end = at + len(sought)
                if tuple(words[at:end]) == sought and text[spans[at][0] : spans[end - 1][1]] == name:
                    found.append((spans[at][0], spans[end - 1][1], payload))
                    at = end - 1
                    break
            at += 1
        return found
