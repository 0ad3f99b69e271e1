"""Is a text the right answer? The metrics of SQuAD (Rajpurkar et al. 2016), for any script."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from corpusgraph.schemas.base import nfc
from corpusgraph.tasks.text.tokens import CJK

_ARTICLES = frozenset({"a", "an", "the"})
_YES_OR_NO = (["yes"], ["no"])
_CITATION = re.compile(r"\[\d+\]")
_UNSPACED = re.compile(rf"[{CJK}]")


def answer_tokens(text: str) -> list[str]:
    """Return the words of a text: case-folded, without punctuation, symbols and English articles.

    Parameters
    ----------
    text : str
        A text in any script; a character of one without spaces is a word.

    Returns
    -------
    list of str
        Each character of a script without spaces is a word.

    References
    ----------
    Rajpurkar et al. 2016 (SQuAD); Lewis et al. 2020 (MLQA).

    """
    kept = "".join(c for c in nfc(text).casefold() if unicodedata.category(c)[0] not in "PS")
    return [word for word in _UNSPACED.sub(r" \g<0> ", kept).split() if word not in _ARTICLES]


def answer_scores(text: str, right: Sequence[str], question: str = "") -> dict[str, float]:
    """Score a text against the right answers; each score is the best over them.

    `answer_contains`: 1 if the words of a right answer stand in the text side by side, left out where that
    tells nothing (`is_telling`); `answer_exact_match`: 1 if they are the text; `answer_f1`: harmonic mean of
    precision and recall of words. Marks of citations, [1], are no part of the text.

    Parameters
    ----------
    text : str
        The text to score.
    right : sequence of str
        Right answers.
    question : str
        What was asked, for `is_telling`.

    Returns
    -------
    dict of str to float
        0 to 1.

    References
    ----------
    Rajpurkar et al. 2016.

    """
    said = answer_tokens(_CITATION.sub(" ", text))
    wanted = [answer_tokens(answer) for answer in right]
    contains = max((float(_contains(said, words)) for words in wanted), default=0.0)
    return {
        **({"answer_contains": contains} if is_telling(question, right) else {}),
        "answer_exact_match": max((float(said == words) for words in wanted), default=0.0),
        "answer_f1": max((f1(said, words) for words in wanted), default=0.0),
    }


def is_telling(question: str, right: Sequence[str]) -> bool:
    """Tell whether a text that holds an answer tells something: not if it is yes, no, or in the question.

    Parameters
    ----------
    question : str
        What is asked.
    right : sequence of str
        Right answers.

    Returns
    -------
    bool
        Whether its being there can count as right.

    """
    wanted = [answer_tokens(answer) for answer in right]
    asked = answer_tokens(question)
    return not any(words in _YES_OR_NO or _contains(asked, words) for words in wanted)


def _contains(said: list[str], words: list[str]) -> bool:
    n = len(words)
    return bool(n) and any(said[at : at + n] == words for at in range(len(said) - n + 1))


def f1(said: Sequence[str], words: Sequence[str]) -> float:
    """Return the F1 of two bags of words; where one is empty, 1 if both are.

    Parameters
    ----------
    said, words : sequence of str
        Words, repeated ones too.

    Returns
    -------
    float
        0 to 1.

    """
    if not said or not words:
        return float(not said and not words)
    common = sum((Counter(said) & Counter(words)).values())
    return 2 * common / (len(said) + len(words))
