"""Measures of a unit's text: how long, how varied, how hard, and which words it uses."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.dataset.measures.measured import Request
from corpusgraph.tasks.dataset.measures.units import Reading, Sentence, cue_pattern

FACTOR = 0.72
"""Where the type-token ratio of a stretch falls below this, a factor is complete (McCarthy & Jarvis 2010)."""
LEAST = 50
"""Shorter texts have no stable value (Zenker & Kyle 2021)."""


def mtld_of(words: Sequence[str]) -> float | None:
    """Return the measure of textual lexical diversity (McCarthy & Jarvis 2010), mean of both directions.

    None for fewer than 50 words, and where no word comes twice: then no factor ever begins.

    Parameters
    ----------
    words : sequence of str
        In order.

    Returns
    -------
    float or None
        In words: the mean length of a stretch whose type-token ratio stays above the threshold.

    References
    ----------
    McCarthy & Jarvis 2010.

    """
    if len(words) < LEAST:
        return None
    found = factors(words), factors(words[::-1])
    return sum(len(words) / number for number in found) / 2 if all(found) else None


def factors(words: Sequence[str]) -> float:
    """Count stretches in which the type-token ratio falls below the threshold; the rest counts in part.

    Parameters
    ----------
    words : sequence of str
        In order.

    Returns
    -------
    float
        From 0; a fraction for what is left at the end.

    References
    ----------
    McCarthy & Jarvis 2010.

    """
    complete, types, tokens = 0.0, set[str](), 0
    for word in words:
        types.add(word)
        tokens += 1
        if len(types) / tokens < FACTOR:
            complete, types, tokens = complete + 1, set(), 0
    return complete + ((1 - len(types) / tokens) / (1 - FACTOR) if tokens else 0.0)


def mattr_of(words: Sequence[str], window: int = LEAST) -> float | None:
    """Return the mean type-token ratio of all windows of so many words (Covington & McFall 2010).

    None for a text shorter than the window.

    Parameters
    ----------
    words : sequence of str
        In order.
    window : int, optional
        Words.

    Returns
    -------
    float or None
        From 0 to 1.

    References
    ----------
    Covington & McFall 2010.

    """
    if len(words) < window:
        return None
    inside = Counter(words[:window])
    total = len(inside)
    for out, new in zip(words, words[window:], strict=False):
        inside[new] += 1
        inside[out] -= 1
        if not inside[out]:
            del inside[out]
        total += len(inside)
    return total / window / (len(words) - window + 1)


_VOWELS = re.compile(r"[aeiouy]+")
_SILENT = re.compile(
    r"(?:(?:[^aeiouyl]|[aeiouyl]l)e"
    r"|(?:[^aeiouytdl]|[aeiouyl]l)ed"
    r"|(?:[^aeiouysxzcghl]|[^cs]h|[aeiouyl]l)es)$"
)
_APART = re.compile(r"(?<![cglnstx])i[aou](?!ge)|[aeiouy]ing")


@lru_cache(maxsize=100_000)
def syllables(word: str) -> int:
    """Count the syllables of a lower-case English word by its spelling.

    A run of vowels (a, e, i, o, u, y) is one. A final `e` is silent after a consonant, but for `le` after
    one (ta-ble); so are `ed` and `es` that add no sound (jumped, times; not wanted, boxes, settled). In
    `ia`, `io`, `iu` (mi-asma, not na-tion) and before `ing` (go-ing) two vowels are two. Parts joined by a
    hyphen are counted apart; every part, and so a number, has at least one.

    Parameters
    ----------
    word : str
        In lower case.

    Returns
    -------
    int
        1 or more for each part.

    """
    return sum(max(_of_part(part), 1) for part in re.split(r"[-–]", word))


def _of_part(word: str) -> int:
    letters = re.sub(r"['’]s?$", "", word)
    silent = 1 if _SILENT.search(letters) else 0
    return len(_VOWELS.findall(letters)) + len(_APART.findall(letters)) - silent


def reading_ease_of(words: int, sentences: int, syllables: int) -> float:
    """Return reading ease (Flesch 1948): about 100 for very easy text, below 30 for very hard.

    Parameters
    ----------
    words : int
        How many.
    sentences : int
        How many.
    syllables : int
        How many.

    Returns
    -------
    float
        It may be below 0 or above 100.

    References
    ----------
    Flesch 1948.

    """
    return 206.835 - 1.015 * words / sentences - 84.6 * syllables / words


_NUMBER = re.compile(r"(?<!\w)\d+(?:[.,]\d+)*")
_QUESTION = re.compile(r"[?？؟՞፧][\"'”’»」』)\]!.…]*$")
_PARAGRAPH = re.compile(r"\n\s*\n")
_QUOTATION = re.compile(r"„[^“”]*[“”]?|“[^”]*”?|«[^»]*»?|「[^」]*」?|『[^』]*』?|\"[^\"]*\"?")
_ENGLISH = re.compile(r"(?:en|eng|english)(?:[-_ ].*)?", re.IGNORECASE)


def _words(ask: Request) -> Callable[[Sentence], int]:
    """Count all words, or those in `of`."""
    return _cues(ask) if ask.of else ask.reading.words


def _sentences(ask: Request) -> list[int]:
    """Count the unit's sentences."""
    return [len(unit.sentences) for unit in ask.units]


def _characters(ask: Request) -> Callable[[Sentence], int]:
    """Count the characters of the unit's sentences, with the spaces in them."""
    return lambda sentence: len(ask.reading.text(sentence))


def _numbers(ask: Request) -> Callable[[Sentence], int]:
    """Count numbers written in digits; 1,854.5 is one."""
    return lambda sentence: len(_NUMBER.findall(ask.reading.text(sentence)))


def _questions(ask: Request) -> Callable[[Sentence], int]:
    """Count sentences that end in a question mark."""
    return lambda sentence: int(bool(_QUESTION.search(ask.reading.text(sentence))))


def _quotations(ask: Request) -> Callable[[Sentence], int]:
    """Count quotations that begin in the unit's sentences, in double marks or guillemets."""
    begun = ask.reading.once("quotations", lambda: _begun(ask.reading))
    return lambda sentence: begun[sentence]


def _begun(reading: Reading) -> Counter[Sentence]:
    """Count by sentence where quotations begin; none goes beyond its paragraph."""
    begun: Counter[Sentence] = Counter()
    for document in reading.documents.values():
        for start, paragraph in _paragraphs(document.text):
            for match in _QUOTATION.finditer(paragraph):
                begun[reading.at(document.id, start + match.start())] += 1
    return begun


def _paragraphs(text: str) -> Sequence[tuple[int, str]]:
    breaks = [match.end() for match in _PARAGRAPH.finditer(text)]
    return [(a, text[a:b]) for a, b in zip([0, *breaks], [*breaks, len(text)], strict=True)]


def _share(ask: Request) -> list[float | None]:
    """Return the share of sentences with a cue; missing for a unit without sentences."""
    of = _cues(ask)
    return [_mean([of(sentence) > 0 for sentence in unit.sentences]) for unit in ask.units]


def _word_share(ask: Request) -> list[float | None]:
    """Return how often cues come for each word; missing for a unit without words."""
    of = _cues(ask)
    counts = [(sum(map(of, u.sentences)), sum(map(ask.reading.words, u.sentences))) for u in ask.units]
    return [cues / words if words else None for cues, words in counts]


def _cues(ask: Request) -> Callable[[Sentence], int]:
    pattern = cue_pattern(ask.of)
    return cache(lambda sentence: sum(1 for _ in pattern.finditer(ask.reading.text(sentence))))


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


def _sentence_length(ask: Request) -> list[float | None]:
    """Return the mean number of words in a sentence; missing for a unit without sentences."""
    return [_mean([ask.reading.words(sentence) for sentence in unit.sentences]) for unit in ask.units]


def _tokens(ask: Request) -> list[list[str]]:
    return [[word for s in unit.sentences for word in ask.reading.tokens(s)] for unit in ask.units]


def _type_token_ratio(ask: Request) -> list[float | None]:
    """Return different words divided by words, which falls with length; missing for a unit without words."""
    return [len(set(tokens)) / len(tokens) if tokens else None for tokens in _tokens(ask)]


def _mtld(ask: Request) -> list[float | None]:
    """Return lexical diversity by MTLD (McCarthy & Jarvis 2010); missing for fewer than 50 words."""
    return [mtld_of(tokens) for tokens in _tokens(ask)]


def _mattr(ask: Request) -> list[float | None]:
    """Return lexical diversity by MATTR (Covington & McFall 2010); missing for text shorter than a window."""
    ask.words["window"] = window = (ask.of or (str(LEAST),))[0]
    if not window.isdecimal() or not int(window):
        raise InvalidInputError(
            f"Variable {ask.variable.name!r}: window {window!r} is no number of words.",
            hint='Write of: "100".',
        )
    return [mattr_of(tokens, int(window)) for tokens in _tokens(ask)]


def _reading_ease(ask: Request) -> list[float | None]:
    """Return reading ease (Flesch 1948) of English text; missing where the metadata name another language."""
    english = {id_ for id_, document in ask.reading.documents.items() if _is_english(document)}
    values = []
    for unit in ask.units:
        read = [ask.reading.tokens(sentence) for sentence in unit.sentences if sentence[0] in english]
        tokens = [word for sentence in read for word in sentence]
        spoken = sum(map(syllables, tokens))
        values.append(reading_ease_of(len(tokens), sum(map(bool, read)), spoken) if tokens else None)
    return values


def _is_english(document: Document) -> bool:
    told = document.language or document.metadata.get("language") or "en"
    return bool(_ENGLISH.fullmatch(str(told).strip()))
