"""Whether the pieces that a sentence names say what it says: its words, its numbers and its names."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Literal

from corpusgraph.tasks.answer.names import CAPITALS, strange_names, words_in
from corpusgraph.tasks.answer.numbers import numbers_in, strange_numbers
from corpusgraph.tasks.answer.pieces import Piece
from corpusgraph.tasks.graph.words import stems, words
from corpusgraph.tasks.text.languages import FUNCTION_WORDS, detect

Verdict = Literal["supported", "unchecked", "unsupported"]
"""unchecked: written in another language than what it names, so that words cannot be compared."""
_ONE_SCRIPT = {"HIRAGANA": "CJK", "KATAKANA": "CJK"}
_NO_ANSWER = {
    "ar": "لا تجيب المقاطع عن هذا السؤال.",
    "de": "Die Textstellen beantworten diese Frage nicht.",
    "el": "Τα αποσπάσματα δεν απαντούν σε αυτή την ερώτηση.",
    "en": "The passages do not answer this question.",
    "es": "Los pasajes no responden a esta pregunta.",
    "fr": "Les passages ne répondent pas à cette question.",
    "it": "I passaggi non rispondono a questa domanda.",
    "ja": "これらの文章はこの質問に答えていません。",
    "ko": "해당 글은 이 질문에 답하지 않습니다.",
    "nl": "De passages beantwoorden deze vraag niet.",
    "pt": "As passagens não respondem a esta pergunta.",
    "ru": "В этих отрывках нет ответа на этот вопрос.",
    "vi": "Các đoạn văn không trả lời câu hỏi này.",
    "zh": "这些段落没有回答这个问题。",
}
_OF_SCRIPT = (
    ("HIRAGANA", "ja"),
    ("KATAKANA", "ja"),
    ("CJK", "zh"),
    ("HANGUL", "ko"),
    ("CYRILLIC", "ru"),
    ("ARABIC", "ar"),
    ("GREEK", "el"),
)
"""Script -> the language that is answered in; Japanese before Chinese, whose characters it shares."""

_ASKS = {
    "de": "wer wen wem wessen wann warum wieso weshalb wo wohin woher welche welcher welches welchen",
    "es": "quién quiénes qué cuándo dónde cómo cuál cuáles cuántos cuántas",
    "fr": "qui quoi quand pourquoi où comment quel quelle quels quelles combien",
    "it": "chi quando dove perché quale quali quanti quante",
    "nl": "wat wanneer waar waarom hoe welke hoeveel",
    "pt": "quem quando onde quais quantos quantas",
}
"""Words that open a question and belong to one of these languages, the first that has them."""
_ASKED_IN = {word: language for language in reversed(_ASKS) for word in _ASKS[language].split()}


_OF_VIETNAMESE = re.compile("[ơưƠƯ\u1ea0-\u1ef9]")


def supporting(text: str, pieces: Sequence[Piece], query: str = "") -> tuple[list[Piece], Verdict]:
    """Return the pieces that share a word with a text, and those where words cannot tell: another language.

    A text without a telling word ("It did.") is as well supported as what it names; one that shares none with
    pieces in its own language is unsupported, by none of them, and so is one with a number or a name that
    neither they nor the question hold.
    """
    if pieces and any(strange(text, pieces, query)):
        return [], "unsupported"
    said = frozenset(stems(text))
    if not said:
        return list(pieces), "supported"
    sharing = [not said.isdisjoint(_stems(piece)) for piece in pieces]
    kept = [
        p for p, shares in zip(pieces, sharing, strict=True) if shares or not comparable(text, p.line, query)
    ]
    if any(sharing):
        return kept, "supported"
    return kept, "unchecked" if kept or not pieces else "unsupported"


def strange(text: str, pieces: Sequence[Piece], query: str = "") -> Iterator[str]:
    """Yield the numbers and the names of a text that are neither in what it names nor in the question.

    What it names is read with the whole passages it is taken from, the titles and the metadata. Names are
    looked for where both are in one language that writes names alone with a capital.
    """
    texts = list(dict.fromkeys([query, *(one for piece in pieces for one in _grounds(piece))]))
    yield from strange_numbers(text, frozenset().union(*map(numbers_in, texts)))
    if _language_shared(text, pieces) in CAPITALS:
        yield from strange_names(text, frozenset().union(*map(words_in, texts)))


def _language_shared(text: str, pieces: Sequence[Piece]) -> str | None:
    """Return the one language of a text and what it names; a short text has it with a function word of it."""
    languages = {detect(piece.line) for piece in pieces} - {None}
    language = detect(text)
    if language is None and len(languages) == 1:
        (likely,) = languages
        known = FUNCTION_WORDS.get(likely or "", frozenset())
        language = None if known.isdisjoint(words(text)) else likely
    return language if languages <= {language} else None


def _grounds(piece: Piece) -> Iterator[str]:
    yield piece.line
    for sentence in piece.sources:
        yield from (sentence.text, sentence.chunk.content, sentence.title, sentence.about, sentence.metadata)


def _stems(piece: Piece) -> frozenset[str]:
    inside = frozenset(stems(piece.line))
    return inside.union(*(sentence.stems for sentence in piece.sources))


def comparable(text: str, other: str, query: str = "") -> bool:
    """Tell whether two texts share a script and, as far as can be told, a language.

    A text that does not tell is taken to be in the language of the question.
    """
    if _scripts(text).isdisjoint(_scripts(other)):
        return False
    language = detect(text) or _language_of(f"{query} {text}" if _OF_VIETNAMESE.search(text) else query)
    return language == (detect(other) or language)


def _scripts(text: str) -> frozenset[str]:
    """Return the scripts of a text's letters by the first word of their Unicode names."""
    names = {unicodedata.name(c, "").partition(" ")[0] for c in text[:3000] if c.isalpha()}
    return frozenset(_ONE_SCRIPT.get(name, name) for name in names)


def no_answer(query: str) -> str:
    """Say that the passages do not answer, in the language of the question where there are words for it."""
    return _NO_ANSWER.get(_language_of(query), _NO_ANSWER["en"])


def _language_of(query: str) -> str:
    """Return the language of a question by its script, its first word, its letters, or its common words."""
    names = {unicodedata.name(c, "").partition(" ")[0] for c in query[:3000] if c.isalpha()}
    by_script = next((code for script, code in _OF_SCRIPT if script in names), None)
    opening = next(iter(words(query[:3000])), "")
    by_letters = "vi" if _OF_VIETNAMESE.search(query[:3000]) else None
    return by_script or _ASKED_IN.get(opening) or by_letters or detect(query) or "en"
