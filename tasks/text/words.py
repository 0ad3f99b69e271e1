"""Words of a text as search sees them: case-folded, stemmed, in any script."""

import re
import threading
import unicodedata
from functools import lru_cache

import Stemmer

from corpusgraph.schemas.base import nfc

# Scripts written without spaces between words, and Hangul, whose particles stick to the word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003fffd"
)
# Vowel signs and accents that Python's \w leaves out.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\W_]|[{_MARKS}])+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")

_COMMON = """
    a about above after again against all also am an and any are as at be because been before being below
    between both but by can could d did do does doing down during each either every few for from further had
    has have having he her here hers herself him himself his how i if in into is it its itself just let ll m
    may me might more most much must my myself no nor not now o of off on once one only or other our ours
    ourselves out over own per re s same shall she should since so some such t than that the their theirs
    them themselves then there these they this those though through thus to too under until up upon us ve
    very was we were what when where whether which while who whom whose why will with within without would
    yet you your yours yourself yourselves
"""
STOP_WORDS = frozenset(_COMMON.split())
"""English words that tell little about what a text is about (and what apostrophes leave: s, t, ll …)."""

_english = Stemmer.Stemmer("english", 0)  # without a cache of its own: the one below holds more
_one_at_a_time = threading.Lock()  # the stemmer keeps the word it works on in itself


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Return the stem of a case-folded word (Porter 2, English); a word with other letters stays whole.

    Parameters
    ----------
    word : str
        In lower case.

    Returns
    -------
    str
        In lower case; not always a word itself.

    """
    if not word.isascii() or not word.isalpha():
        return word
    return snowball(word)


def snowball(word: str) -> str:
    """Return the stem of a case-folded word of whatever letters, as a full-text index makes it.

    Parameters
    ----------
    word : str
        In lower case.

    Returns
    -------
    str
        In lower case.

    """
    with _one_at_a_time:
        return str(_english.stemWord(word))


def words(text: str) -> list[str]:
    """Return the words of a text in order, case-folded and not stemmed.

    A run of characters of a script without spaces gives its overlapping pairs (one character: itself).

    Parameters
    ----------
    text : str
        Any; it is put in NFC first.

    Returns
    -------
    list of str
        Marks and white space are left out.

    """
    return written_words(nfc(text).casefold())


def spaced(text: str) -> str:
    """Return the words of a text between single spaces, to find whole words in.

    Parameters
    ----------
    text : str
        Any.

    Returns
    -------
    str
        With a space at either end; words are case-folded.

    """
    return f" {' '.join(words(text))} "


def written_words(text: str) -> list[str]:
    """Return the words of a text in order, as written.

    Parameters
    ----------
    text : str
        In NFC.

    Returns
    -------
    list of str
        Case stays as it is.

    """
    found: list[str] = []
    for run in _WORD.findall(text):
        if len(run) > 1 and _IS_UNSPACED.match(run):
            found.extend(run[i : i + 2] for i in range(len(run) - 1))
        else:
            found.append(run)
    return found


def without_accents(text: str) -> str:
    """Return the text without combining accents: for a second look only, when nothing fits as written.

    Parameters
    ----------
    text : str
        Any.

    Returns
    -------
    str
        In NFC.

    """
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", text)
    return nfc("".join(character for character in apart if not unicodedata.combining(character)))


def stems(text: str) -> list[str]:
    """Return the stems of a text's words in order, without stop words.

    Parameters
    ----------
    text : str
        Any.

    Returns
    -------
    list of str
        Case-folded; a word comes as often as the text has it.

    """
    return [stem(word) for word in words(text) if word not in STOP_WORDS]
