"""Which language a text is in, and lexicons for those other than English."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from corpusgraph.tasks.index.rules.tagger import Sentence

_FUNCTION = {
    "en": "the of and to in that is was for it with as his on be at by had not are but from or have an they which",
    "de": "der die das und ist nicht ein eine den von zu mit sich des auf für im dem auch es an als wurde war wird durch",
    "fr": "le la les et des est une du dans que qui pour pas sur au par il elle ne se ce cette avec sont aux",
    "es": "el los las y una del que es en por con para su al lo se como más fue pero sus",
    "it": "il di che è e la per un una del non in con gli della sono si le al da nel",
    "nl": "de het een en van is dat op te zijn met voor niet aan er door was bij",
    "pt": "o os as e um uma do da que em para com não por se na no ao dos foi",
    "vi": "và của là các có trong được cho một những không với đã người này",
    "ru": "и в не на что он с как это по но из у к за был от",
}
_WORDS = {language: frozenset(words.split()) for language, words in _FUNCTION.items()}
_WORD = re.compile(r"[^\W\d_]+")


def detect(text: str) -> str:
    """Return the language whose function words are most frequent in the first 6,000 characters; "" if none."""
    words = [word.lower() for word in _WORD.findall(text[:6000])]
    if not words:
        return "en"
    counts = {language: sum(word in known for word in words) for language, known in _WORDS.items()}
    best = max(sorted(counts), key=lambda language: (counts[language], language == "en"))
    return best if counts[best] * 12 >= len(words) else "en"


@dataclass(frozen=True, slots=True)
class Language:
    """How the words of one language are tagged."""

    tag: Callable[[Sentence], None]


LANGUAGES: dict[str, Language] = {}
