"""Which language a text is in, what languages are called, and the words of each that never name anything.

Detection is py3langid's (BSD), a model of byte sequences, among the languages of `names()`; its confidence
decides whether a language is told at all.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from corpusgraph.tasks.text.wordlist import entry, wordset

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

UNDETERMINED = "und"
"""What documents of no known language are counted under."""
_NO_LANGUAGE = "zxx"
"""The detector's own code for what is in no language: addresses, numbers, markup."""
_MACRO = {"nb": "no", "nn": "no", "cmn": "zh", "yue": "zh", "iw": "he", "in": "id"}
_SAMPLES = 3
_SAMPLE = 500
"""Characters of each of three samples, of the beginning, the middle and the end of a long text."""
CONFIDENT = 0.7
"""Enough for a language to be told: of 3,799 English sentences, paragraphs and questions and 260 texts in
25 languages that this was tried on, none was given another language."""
_LIKELY = 0.5
_PROBABLE = 0.3
"""Enough where the function words say the same, and those of no other language do."""

_WORD = re.compile(r"[^\W\d_]+")

_OF_PROSE = 0.3


@cache
def names() -> Mapping[str, str]:
    """Return the English names of the languages that can be detected.

    Returns
    -------
    mapping of str to str
        ISO 639-1 code -> name.

    """
    return MappingProxyType(entry("languages.names"))


@cache
def function_words() -> Mapping[str, frozenset[str]]:
    """Return the words that never name anything: articles, pronouns, prepositions, conjunctions, auxiliaries.

    Returns
    -------
    mapping of str to frozenset of str
        By language; in lower case, without apostrophes.

    """
    return {language: wordset(text) for language, text in entry("languages.function_words").items()}


@cache
def _any_function_word() -> frozenset[str]:
    return frozenset().union(*function_words().values())


def detect(text: str) -> str | None:
    """Return the language a text is in, a key of `names()`; Norwegian of both kinds is "no".

    None where a text is too short, in no language (numbers, addresses) or could be in several. Of a long text
    the beginning, the middle and the end are read, 1,500 characters in all.

    Parameters
    ----------
    text : str
        Of any length.

    Returns
    -------
    str or None
        Such as "de".

    """
    sample = _sample(text)
    if not _WORD.search(sample):
        return None
    language, confidence = _identifier().classify(sample)
    if language == _NO_LANGUAGE:
        return None
    sure = confidence >= CONFIDENT or (confidence >= _PROBABLE and _by_function_words(sample) == language)
    return str(language) if sure else None


def is_no_language(text: str) -> bool:
    """Tell whether a text is rather in no language than in any.

    Parameters
    ----------
    text : str
        Any stretch of it.

    Returns
    -------
    bool
        True only where the identifier is rather sure.

    """
    language, confidence = _identifier().classify(_sample(text))
    return bool(language == _NO_LANGUAGE and confidence >= _LIKELY)


def is_prose(text: str) -> bool:
    """Tell quickly whether a text has as many function words, of whatever languages, as prose has.

    Parameters
    ----------
    text : str
        Any stretch of it.

    Returns
    -------
    bool
        False for text without words.

    """
    words = _words(text)
    return sum(word in _any_function_word() for word in words) >= _OF_PROSE * len(words) > 0


def function_word_share(text: str) -> float:
    """Return the share of a text's words that are function words, in the language that has most of them.

    Parameters
    ----------
    text : str
        Any stretch of it.

    Returns
    -------
    float
        From 0 to 1; 0 without words.

    """
    words = Counter(_words(text))
    return max(_function_words(words).values()) / (words.total() or 1)


def _sample(text: str) -> str:
    """Return a text on one line, of a long one three pieces."""
    if len(text) > _SAMPLES * _SAMPLE:
        middle = (len(text) - _SAMPLE) // 2
        text = f"{text[:_SAMPLE]} {text[middle : middle + _SAMPLE]} {text[-_SAMPLE:]}"
    return " ".join(text.split())


@lru_cache(maxsize=1)
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([*names(), _NO_LANGUAGE])
    return identifier


def _by_function_words(text: str) -> str | None:
    """Return the language with most function words in a text, unless another has as many."""
    counts = _function_words(Counter(_words(text)))
    most = max(counts.values())
    languages = [language for language, count in counts.items() if count == most]
    return languages[0] if most and len(languages) == 1 else None


def _function_words(words: Counter[str]) -> dict[str, int]:
    """Return how many of some words are function words, language by language."""
    return {
        language: sum(words[word] for word in known & words.keys())
        for language, known in function_words().items()
    }


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def language_code(written: str) -> str:
    """Return the code of a language that metadata names: "en-GB", "English" and "EN" are "en".

    What is no known code or name is returned in lower case, without what follows a hyphen.

    Parameters
    ----------
    written : str
        As somebody wrote it.

    Returns
    -------
    str
        ISO 639-1 code where it is known.

    """
    plain = written.strip().lower()
    by_name = {name.lower(): code for code, name in names().items()}
    code = by_name.get(plain) or re.split(r"[-_]", plain, maxsplit=1)[0]
    return _MACRO.get(code, code)


def language_name(code: str) -> str:
    """Return the English name of a language; of one that is not known, its code.

    Parameters
    ----------
    code : str
        ISO 639-1 code.

    Returns
    -------
    str
        Such as German.

    """
    return "undetermined" if code == UNDETERMINED else names().get(code, code)


def languages_told(counts: Mapping[str, int]) -> str:
    """Say how many documents are in which language: "English 58, German 1".

    Parameters
    ----------
    counts : mapping of str to int
        Code -> documents, in the order to be named in.

    Returns
    -------
    str
        Empty for no documents.

    """
    return ", ".join(f"{language_name(code)} {n:,}" for code, n in counts.items())
