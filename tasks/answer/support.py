"""Whether the pieces that a sentence names say anything of what it says: words against words."""

import unicodedata
from collections.abc import Sequence
from typing import Literal

from corpusgraph.tasks.answer.pieces import Piece
from corpusgraph.tasks.graph.words import stems, words
from corpusgraph.tasks.index.rules.languages import detect

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


def supporting(text: str, pieces: Sequence[Piece]) -> tuple[list[Piece], Verdict]:
    """Return the pieces that share a word with a text, or all of them where words cannot tell.

    A text without a telling word ("It did.") is as well supported as what it names; one that shares none with
    pieces in its own language is unsupported, by none of them.
    """
    said = frozenset(stems(text))
    if not said:
        return list(pieces), "supported"
    sharing = [piece for piece in pieces if not said.isdisjoint(_stems(piece))]
    if sharing:
        return sharing, "supported"
    if any(comparable(text, piece.line) for piece in pieces):
        return [], "unsupported"
    return list(pieces), "unchecked"


def _stems(piece: Piece) -> frozenset[str]:
    inside = frozenset(stems(piece.line))
    return inside.union(*(sentence.stems for sentence in piece.sources))


def comparable(one: str, other: str) -> bool:
    """Tell whether two texts share a script and, as far as can be told, a language."""
    return not _scripts(one).isdisjoint(_scripts(other)) and detect(one) == detect(other)


def _scripts(text: str) -> frozenset[str]:
    """Return the scripts of a text's letters by the first word of their Unicode names."""
    names = {unicodedata.name(c, "").partition(" ")[0] for c in text[:3000] if c.isalpha()}
    return frozenset(_ONE_SCRIPT.get(name, name) for name in names)


def no_answer(query: str) -> str:
    """Say that the passages do not answer, in the language of the question where there are words for it."""
    names = {unicodedata.name(c, "").partition(" ")[0] for c in query[:3000] if c.isalpha()}
    by_script = next((code for script, code in _OF_SCRIPT if script in names), None)
    opening = next(iter(words(query[:3000])), "")
    language = by_script or _ASKED_IN.get(opening) or detect(query)
    return _NO_ANSWER.get(language, _NO_ANSWER["en"])
