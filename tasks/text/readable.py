"""Which stretches of a text can be read, and text whose encoding was mistaken.

What a broken font, a bad scan or a lost encoding leaves is text to a program and nothing to a reader; names
found in it are inventions. The score of a text is the share of its characters in unreadable stretches:

- runs of thirty single letters and more ("T h e  p u m p ...");
- lines, and sentences of long lines, of which at least half (and 20 characters) stands in broken words, those
  of which a tenth or more are characters that no font should give (`(cid:12)`, names of glyphs, private use,
  U+FFFD); or all of a text of which that is true;
- blocks of 200 words that are none, as a shifted alphabet or a page scanned upside down gives them: made of
  letters, but in no language by the detector's word, or with few function words and many letters among
  digits, signs and capitals. What looks like source code or a list is let be.

Noise that reads like words ("the hitth dear came pomgeg") cannot be told from rare words, and stays.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from corpusgraph.tasks.text.languages import function_word_share, is_no_language, is_prose

_CODES = re.compile(r"(?:\(cid:\d+\)|/(?:gid|cid|g|G|C|uni)[0-9A-Fa-f]{1,6}(?=/|\s|$))+")
"""What readers of PDF write for a glyph that has no character."""
_LOST = re.compile("[\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff]")
BROKEN = re.compile(f"{_CODES.pattern}|{_LOST.pattern}|[\x00-\x1f]")
"""What a title of a document never has."""
_LETTER = r"[A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff]"
_SPACED = re.compile(rf"(?<!\S){_LETTER}(?:\s+(?:{_LETTER}|[.,;:'’-])){{29,}}(?!\S)")
_ENOUGH = 0.1
"""Share of a word that breaks it."""
_FEWEST = 20
"""Characters that must be broken: one lost letter in a short text is no reason to lose the text."""
HALF = 0.5
"""Share of broken characters from which a stretch, a page or a document is unreadable."""
_STRETCH = 300
"""Characters of a line from which it is cut at its sentences: one bad place is not to cost all of it."""
_SENTENCE_END = re.compile(r"(?<=[.!?] )")

_BLOCK_WORDS = 200
_FEWEST_WORDS = 40
_TELLING = 600
"""Words of a block, the fewest that tell anything of it, and the characters that the detector is given."""
_PLAIN = re.compile(rf"{_LETTER}+(?:[-'’.·]{_LETTER}+)*")
_MIXED = re.compile(
    rf"{_LETTER}\d+{_LETTER}|^\d+{_LETTER}{{3}}|{_LETTER}[~^|\\\\¦§¬°•■¥£€<>*#%&!?,;:\]\[]+{_LETTER}|[a-z\u00df-\u00ff][A-Z]"
)
"""Letters with digits, signs or capitals among them."""
_EDGES = re.compile(r"^\W+|\W+$")
_OF_CODE = re.compile(r"[_={}<>;/\\#$@|`*+&]|\w[(\[.:,]\w|\w\(|\)\w|::|[\"']:|^--?\w")
_OF_LIST = re.compile(r"[,;\"'`]$")
_MOST_CODE, _MOST_LISTED = 0.12, 0.3
"""Shares of words that look like source code, and that end as items of a list do, up to which it is prose."""


@dataclass(frozen=True)
class Reading:
    """What of a text can be read: `text` without its unreadable stretches, and how much these were."""

    text: str
    n_characters: int
    """Characters of the whole text, white space not counted."""
    n_lost: int
    """Of these, how many were left out."""
    why: str = ""
    """What the first of them look like."""

    @property
    def lost(self) -> float:
        """Return the share that cannot be read: 0 for a sound text, 1 for one of which nothing is left."""
        return self.n_lost / self.n_characters if self.n_characters else 0.0

    @property
    def is_unreadable(self) -> bool:
        """Tell whether most of it cannot be read, so that the rest is not worth having."""
        return self.n_lost > 0 and self.lost >= HALF


def mend(text: str) -> tuple[str, int]:
    """Return a text with mistaken encodings put right ("Ã©" is "é"), and in how many lines.

    What is changed is ftfy's decision, which knows which sequences no language writes; nothing else that ftfy
    can do is done.

    Parameters
    ----------
    text : str
        As a file was decoded.

    Returns
    -------
    tuple of str and int
        The text itself and 0 where nothing was wrong.

    """
    from ftfy import fix_encoding

    if text.isascii():
        return text, 0
    lines = text.split("\n")
    mended = [line if line.isascii() else fix_encoding(line) for line in lines]
    n_mended = sum(old != new for old, new in zip(lines, mended, strict=True))
    return ("\n".join(mended), n_mended) if n_mended else (text, 0)


def read(text: str) -> Reading:
    """Return what of a text can be read.

    Parameters
    ----------
    text : str
        Of a whole document.

    Returns
    -------
    Reading
        What can be read, the size of all and of what cannot, and why.

    """
    n_all = _size(text)
    text, n_broken, why = _without_broken(text)
    text, n_noise = _without_noise(text)
    return Reading(text, n_all, n_broken + n_noise, why or ("noise" if n_noise else ""))


def _size(text: str) -> int:
    return sum(map(len, text.split()))


def _without_broken(text: str) -> tuple[str, int, str]:
    """Return a text without the stretches whose characters are broken, their size, what they look like."""
    n_lost = sum(_size(match[0]) for match in _SPACED.finditer(text))
    why = "single letters" if n_lost else ""
    text = _SPACED.sub("", text) if n_lost else text
    if not (_CODES.search(text) or _LOST.search(text)):
        return text, n_lost, why
    stretches = [(stretch, _size(stretch), _n_broken(stretch)) for stretch in _stretches(text)]
    n_broken, n_all = sum(n for _, _, n in stretches), sum(size for _, size, _ in stretches)
    if n_broken >= _FEWEST and n_broken >= HALF * n_all:
        return "", n_lost + n_all, why or _looks(text)
    sound: list[str] = []
    for stretch, size, n_bad in stretches:
        if n_bad >= _FEWEST and n_bad >= HALF * size:
            n_lost += size
            why = why or _looks(stretch)
            sound.append(stretch[len(stretch.rstrip()) :])
        else:
            sound.append(stretch)
    return "".join(sound), n_lost, why


def _stretches(text: str) -> Iterator[str]:
    """Yield lines with their ends, and the sentences of long lines."""
    for line in text.splitlines(keepends=True):
        yield from _SENTENCE_END.split(line) if len(line) > _STRETCH else [line]


def _n_broken(stretch: str) -> int:
    """Return how many characters of a stretch stand in broken words."""
    return sum(len(word) for word in stretch.split() if _is_broken(word))


def _looks(text: str) -> str:
    return "codes of glyphs" if _CODES.search(text) else "characters without meaning"


def _is_broken(word: str) -> bool:
    bad = sum(len(match[0]) for match in _CODES.finditer(word)) + len(_LOST.findall(word))
    return bad >= _ENOUGH * len(word) and bad > 0


def _without_noise(text: str) -> tuple[str, int]:
    """Return a text without blocks of lines that are no words, and their size."""
    blocks = [(block, is_noise(block)) for block in _blocks(text)]
    n_lost = sum(_size(block) for block, is_bad in blocks if is_bad)
    return "".join("\n" if is_bad else block for block, is_bad in blocks), n_lost


def _blocks(text: str) -> Iterator[str]:
    """Yield consecutive lines that have enough words together; the last have what is left."""
    lines: list[str] = []
    n_words = 0
    for line in text.splitlines(keepends=True):
        lines.append(line)
        n_words += len(line.split())
        if n_words >= _BLOCK_WORDS:
            yield "".join(lines)
            lines, n_words = [], 0
    yield "".join(lines)


def is_noise(block: str) -> bool:
    """Tell whether many words in a row are none, though they are made of letters and stand as in prose.

    Parameters
    ----------
    block : str
        A paragraph or so.

    Returns
    -------
    bool
        True for what a failed recognition of letters leaves; false for lists, code and short blocks.

    """
    words = block.split()
    if len(words) < _FEWEST_WORDS or is_prose(block):
        return False
    bare = [_EDGES.sub("", word) for word in words]
    if sum(bool(_PLAIN.fullmatch(word)) for word in bare) < 0.6 * len(words):
        return False
    if sum(bool(_OF_CODE.search(word)) for word in words) > _MOST_CODE * len(words):
        return False
    if sum(bool(_OF_LIST.search(word)) for word in words) > _MOST_LISTED * len(words):
        return False
    n_mixed = sum(bool(_MIXED.search(word)) for word in bare)
    return is_no_language(block[:_TELLING]) or (
        n_mixed >= 0.1 * len(words) and function_word_share(block) < 0.2
    )
