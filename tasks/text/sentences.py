"""Where sentences begin and end, by punctuation and a list of abbreviations; for any script."""

import re
from functools import lru_cache

from corpusgraph.tasks.text.wordlist import wordset

ABBREVIATIONS = wordset("""
    adm al approx apr art assoc aug ave bd bl bldg bp brig bros bull ca capt cf ch chap cie cmdr co col
    cols comm corp cpl ct dec dept dist dr ed eds esp esq est etc ex fasc feb fem fig figs fl fn fr ft gen
    gov govt hon hosp hr hrs ibid inc incl insp jan jr jul jun lat lib lieut lt ltd maj mar messrs mfg mgr
    mm mr mrs ms mss mt nat nov nr oct op orig p par para ph pl pp pref prof prop pseud pt pub rd rel rep
    rev rt sc sec sen sept sep sergt sgt sq sr st ste str supt syn trans treas univ usw v viz vol vols vs
    zb bzw ca dgl evtl ggf hrsg jh nr sog tel usf vgl z d h u m mme mlle mgr env chap éd
""")
"""Words that a full stop follows without ending a sentence, lower-case and without the stop."""
NUMBERED = wordset("no nos art fig figs p pp vol ch chap sec par nr bd s abs")
"""Abbreviations only where a number follows: "No. 10", but "Yes or no. Then ..." ends."""
ENDABLE = wordset("etc co corp inc ltd bros jr sr esq usw al m p a s d")
STARTERS = wordset("""
    the a an this that these those he she it they we i you his her its their our my in on at by from for
    with after before when while although though if but and or so yet however moreover then there here no
    not yes no all many most some such what who why how as to since because until during several according
    der die das ein eine er sie es wir im am und aber le la les un une il elle ils nous dans en mais
""")
"""Words that, capitalised after a doubtful stop, say that a new sentence has begun."""

_STOP = re.compile(
    r"""(?P<blank>\n[^\S\n]*+\n)|(?P<item>\n(?=(?:\#{1,6}|[-*•‣])\ ))
    |(?P<wide>[。！？]++[”’」』）)"]*+)|(?P<end>[.!?…؟۔।]++["'”’»)\]*_]*+)""",
    re.VERBOSE,
)
_WORD_BEFORE = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*+$")
_NEXT = re.compile(r"\s*+[\"'“‘«(\[¿¡–—*_-]*+\s?+([^\W_]+)?")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return half-open, trimmed character spans of the sentences, in order.

    A blank line, a bullet or a heading mark always ends a sentence; a single line break does not.

    Parameters
    ----------
    text : str
        In any script.

    Returns
    -------
    list of tuple of int and int
        (start, end) in characters; empty for blank text.

    """
    spans: list[tuple[int, int]] = []
    begin = 0
    for stop in _STOP.finditer(text):
        if stop.start() < begin or (stop["end"] and not _ends(text, begin, stop)):
            continue
        add_trimmed(spans, text, begin, stop.end())
        begin = stop.end()
    add_trimmed(spans, text, begin, len(text))
    return spans


def add_trimmed(spans: list[tuple[int, int]], text: str, begin: int, end: int) -> None:
    """Add the span of what stands between two offsets, without outer spaces; nothing where it is blank.

    Parameters
    ----------
    spans : list of (int, int)
        They change.
    text : str
        Any text.
    begin, end : int
        Offsets of characters.

    """
    piece = text[begin:end]
    lead = len(piece) - len(piece.lstrip())
    length = len(piece.strip())
    if length:
        spans.append((begin + lead, begin + lead + length))


def _ends(text: str, begin: int, stop: re.Match[str]) -> bool:
    """Tell whether a mark that may stand inside a sentence ends one here."""
    end = stop.end()
    if end < len(text) and not text[end].isspace():
        return False
    following = _NEXT.match(text, end)
    word = following[1] if following else None
    if word and word[0].islower():
        return stop["end"][0] in "؟۔।"
    if stop["end"] != ".":
        return True
    before = _WORD_BEFORE.search(text, max(begin, stop.start() - 24), stop.start())
    return before is None or _ends_after(before[0], word)


@lru_cache(maxsize=8192)
def _ends_after(before: str, word: str | None) -> bool:
    """Tell whether the stop after the word `before` ends a sentence, `word` being the next one."""
    low = before.lower()
    starter = word is not None and word.lower() in STARTERS
    if (len(before) == 1 and before.isupper() and before != "I") or "." in before:
        return word is None or (starter and len(word) > 1)
    if low in NUMBERED and low not in ABBREVIATIONS:
        return not (word and word[0].isdigit())
    if low in ABBREVIATIONS:
        return low in ENDABLE and (word is None or starter)
    return not (before.isdigit() and word in _MONTHS_DE)


_MONTHS_DE = wordset("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
