"""Whether the pieces that a sentence names say what it says: its words, its numbers and its names."""

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from corpusgraph.tasks.answer.context import Piece
from corpusgraph.tasks.answer.sentences import stems_of
from corpusgraph.tasks.extract.rules.known_names import GIVEN
from corpusgraph.tasks.text.dates import CALENDAR, MONTH_NAMES
from corpusgraph.tasks.text.languages import detect, function_words
from corpusgraph.tasks.text.wordlist import entry, listed, wordset
from corpusgraph.tasks.text.wordlist import words as lexicon
from corpusgraph.tasks.text.words import STOP_WORDS, stem, without_accents, words

CAPITALS = frozenset({"en", "fr", "es", "it", "nl", "pt"})
"""Languages in which a capital inside a sentence marks a name."""
_WORD = re.compile(r"[^\W\d_]+")
_BEGINS = re.compile(r"(?:^|[.!?:;…\n\"“”„«»‘(\[—–-])\s*[\"“”„«»‘(\[]*\s*$")
"""What stands before the first word of a sentence, of a quotation or of a title in brackets."""
_COMMON = CALENDAR | {name[:3] for name in MONTH_NAMES} | lexicon("answers.capitals")
"""Words that are written with a capital and name nothing alone."""
_OF_A_PEOPLE = ("ian", "ians", "ean", "eans", "ish", "ese", "ch", "can", "cans", "ic", "ism", "ist", "ists")
"""Endings of words derived from names, which seldom keep them whole: Venice, Venetian."""
_ARTICLES = wordset("""
    the a an this that these those our their his her its my your le la les el los il i o os de het
""")
_OF = wordset("of de des du di del della der van von")
_NAME_OF = re.compile(r"[A-Z]\w* $")
_DOES = wordset("was is were are had has did does said says wrote")
_ENDINGS = wordset("s es n an ans er ers ite ites e i y us")
"""What a name may end with, beside what it is in the text."""
SHORTEST = 4
"""Letters of a name that another form of it may begin with."""


@lru_cache(maxsize=5000)
def words_in(text: str) -> frozenset[str]:
    """Return a text's words as they are compared: case-folded, without accents, and their stems.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    frozenset of str
        Both the words and their stems.

    """
    plain = {_plain(word) for word in _WORD.findall(text)}
    return frozenset(plain | {stem(word) for word in plain})


def strange_names(text: str, known: frozenset[str]) -> Iterator[str]:
    """Yield the names of a sentence whose last word is not among the known ones, nor a form of one.

    Parameters
    ----------
    text : str
        A sentence.
    known : frozenset of str
        Words, as `words_in` returns them.

    Yields
    ------
    str
        As written.

    """
    before: re.Match[str] | None = None
    run: list[str] = []
    for word in [*_WORD.finditer(text), None]:
        joins = word is not None and before is not None and text[before.end() : word.start()] in {" ", "-"}
        if run and not (joins and word is not None and word[0][0].isupper()):
            head = next((one for one in reversed(run) if _tells(one)), "")
            if head and not _known(_plain(head), known):
                yield " ".join(run)
            run = []
        if word is not None and word[0][0].isupper() and (run or _is_name(text, before, word)):
            run.append(word[0])
        before = word


def _is_name(text: str, before: re.Match[str] | None, word: re.Match[str]) -> bool:
    """Tell whether a word with a capital begins a name.

    After an article only with another; so the first of a sentence, or as a given name that does something.
    """
    found = _WORD.match(text, word.end() + 1) if text[word.end() : word.end() + 1] == " " else None
    follows = found[0] if found is not None else ""
    if _BEGINS.search(text[: word.start()]):
        acts = word[0] in GIVEN and (follows in _DOES or follows.endswith("ed"))
        return word[0].lower() not in STOP_WORDS and (follows[:1].isupper() or acts)
    if before is not None and before[0] in _OF and _NAME_OF.search(text[: before.start()]):
        return False  # Board of Health may be the Board
    return before is None or before[0].lower() not in _ARTICLES or follows[:1].isupper()


def _tells(word: str) -> bool:
    """Tell whether a word of a name can be looked for: no initial, no abbreviation, no word for a kind."""
    low = word.lower()
    if len(word) < 2 or word.isupper() or low in _COMMON or low in STOP_WORDS:
        return False
    return _plain(word).isascii() and not low.endswith(_OF_A_PEOPLE)


def _known(name: str, known: frozenset[str]) -> bool:
    if name in known or stem(name) in known:
        return True
    if any(name[n:] in _ENDINGS and name[:n] in known for n in range(SHORTEST, len(name))):
        return True
    return len(name) >= SHORTEST and any(name + ending in known for ending in _ENDINGS)


def _plain(word: str) -> str:
    return without_accents(word.casefold())


_VALUES = {
    word: float(n if n <= 20 else 10 * (n - 18))
    for names in (listed("quantities.numbers"), listed("answers.ordinals"))
    for n, word in enumerate(names)
}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "dozen": 12.0}
_SCALES |= {f"{word}s": value for word, value in _SCALES.items()} | {"hundredth": 1e2, "thousandth": 1e3}
_EXPONENTS = """
    bn=9 k=3 m=6 mio=6 mrd=9 tausend=3 mille=3 mil=3 millionen=6 millions=6 millones=6 milioni=6 milhões=6
    nghìn=3 ngàn=3 triệu=6 百=2 千=3 万=4 萬=4 億=8 亿=8
"""
_OTHER_SCALES = {word: 10.0 ** int(n) for word, _, n in (one.partition("=") for one in _EXPONENTS.split())}
"""After digits, in other languages and short."""
_PARTS = {"half": (0.5, 50.0), "quarter": (0.25, 25.0), "quarters": (75.0,), "once": (1.0,), "twice": (2.0,)}
_PARTS |= {"both": (2.0,), "pair": (2.0,), "couple": (2.0,), "double": (2.0,)}
_NUMBER_WORDS = {word: (value,) for word, value in (_VALUES | _SCALES).items()} | _PARTS
_GO_ON = rf"(?:[ –\n-](?:and[ –\n-])?(?:{'|'.join(_VALUES | _SCALES)})\b)*"
_NUMBER_RUN = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b{_GO_ON}")
_SEPARATORS = r".,:/'’\-–—\u00a0\u202f "
_RUN = re.compile(rf"\d+(?:[{_SEPARATORS}]\d+)*")
_CLAIMED = re.compile(r"(?<![\w.])(\d+(?:[.,'’\u00a0\u202f:/-]\d+| \d{3}(?!\d))*)(s\b|st\b|nd\b|rd\b|th\b)?")
_GAP = re.compile(r"^[-\s]+")
_SPAN = re.compile(r"\b(\d{2})(\d{2})\s*[-–—/]\s*(\d{2})\b")
_SHORT_YEAR = re.compile(r"(?:['’]|\d{1,2}[./-]\d{1,2}[./-])(\d{2})\b")
_ROMAN = re.compile(r"\b(?=[IVXLCDM])M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})\b")
_LETTERS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_HAN_RUN = re.compile("[零〇一二两兩三四五六七八九十百千万萬]+")
_DATE = re.compile(r"[-/:]|\..*\.")
_JOINS = re.compile(r"[.,'’\u00a0\u202f]")
_ENUMERATED = re.compile(r"(?:^|\()\s*\d{1,2}[.)](?=\s)")
_ABOUT = wordset("about around nearly almost roughly approximately over under some circa than least most")
_CENTURY = wordset("century centuries siècle siglo secolo jahrhundert jahrhunderts jahrhunderten thế")
_MONTHS = tuple(name[:3] for name in MONTH_NAMES)
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\b", re.IGNORECASE)
SMALL = 12
"""Number words up to this may count what the passages list."""


@lru_cache(maxsize=5000)
def numbers_in(text: str) -> frozenset[float]:
    """Return every number that a text may be read to hold: in digits, words, Roman and Chinese numerals.

    A month that is named is there as its number below 0.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    frozenset of float
        Several readings of one number are all there.

    """
    found: set[float] = set()
    for run in _RUN.finditer(text):
        values = set(_readings(run[0]))
        scale = _scale_after(text, run.end())
        found |= values | ({value * scale for value in values} if scale else set())
    for span in _SPAN.finditer(text):
        found.add(float(span[1] + span[3]))
    for year in _SHORT_YEAR.finditer(text):
        found |= {float(f"{century}{year[1]}") for century in range(15, 21)}
    found |= {value for value, parts in _in_words(text) for value in (value, *parts)}
    found |= {_roman(run[0]) for run in _ROMAN.finditer(text) if run[0]}
    found |= {-1.0 - _MONTHS.index(month[1].lower()) for month in _MONTH.finditer(text)}
    found |= {_han(run[0]) for run in _HAN_RUN.finditer(text)}
    return frozenset(found)


def strange_numbers(text: str, known: frozenset[float]) -> Iterator[str]:
    """Yield the numbers of a sentence that are not among the known ones, nor rounded from them.

    Parameters
    ----------
    text : str
        A sentence.
    known : frozenset of float
        Numbers, as `numbers_in` returns them.

    Yields
    ------
    str
        In digits as written; of words, their value.

    """
    bare = _ENUMERATED.sub(" ", text)
    for found in _CLAIMED.finditer(bare):
        if not _is_known(found, bare, known):
            yield found[0]
    for value, parts in _in_words(bare):
        counted = all(part <= SMALL or part in known for part in parts)
        if not counted and not _near(value, known, _tolerance(value) / 2) and not _century(value, known):
            yield f"{value:g}"


def _is_known(found: re.Match[str], text: str, known: frozenset[float]) -> bool:
    parts = [float(part) for part in re.split(r"\D", found[1])]
    if (date := _DATE.search(found[1])) and all(part in known or -part in known for part in parts):
        return True
    if not date and not _JOINS.search(found[1]) and all(part in known for part in parts):
        return True
    before = _WORD.findall(text[max(0, found.start() - 30) : found.start()].lower())[-2:]
    after = _WORD.findall(text[found.end() : found.end() + 20].lower())[:1]
    decade = 10.0 if parts[0] % 100 else 100.0
    if found[2] == "s" and any(parts[0] <= one < parts[0] + decade for one in known):
        return True
    if any(word in _CENTURY or word.startswith("世") for word in (*before, *after)):
        return _century(parts[0], known)
    scale = _scale_after(text, found.end()) or 1.0
    share = 0.01 if text[found.end() : found.end() + 1] == "%" else 1.0
    year = len(found[1]) == 4 and 1000 <= parts[0] <= 2100
    vague = not _ABOUT.isdisjoint(before)
    for whole in _wholes(found[1]):
        tolerance = _tolerance(whole) * (1.0 if vague else 0.0 if year else 0.5)
        if any(_near(whole * factor, known, tolerance * factor) for factor in (1.0, scale, share)):
            return True
    return False


def _century(value: float, known: frozenset[float]) -> bool:
    """Tell whether a number may be the century of a year that is known."""
    return value in known or any(
        year in range(1000, 2101) and (year - 1) // 100 + 1 == value for year in known
    )


def _near(value: float, known: frozenset[float], tolerance: float) -> bool:
    return value in known or any(abs(one - value) <= tolerance for one in known)


def _tolerance(value: float) -> float:
    """Return the unit that a number is told in: of 26,000 a thousand, of 3.5 a tenth."""
    if not math.isfinite(value):  # more than 308 digits
        return 0.0
    if value != int(value):
        return float(10.0 ** -len(f"{value:g}".partition(".")[2]))
    unit = 1.0
    while value > unit * 10 and value % (unit * 10) == 0:
        unit *= 10
    return unit


def _readings(run: str) -> Iterator[float]:
    """Yield what digits that belong together may be: each part, or with its separators one number."""
    groups = run.split(" ")
    for start in range(len(groups)):
        for end in range(start + 1, len(groups)):
            if len(groups[end]) != 3 or not "".join(groups[start : end + 1]).isdigit():
                break
            yield float("".join(groups[start : end + 1]))  # 26 107
    for piece in re.split(r"[^\d.,'’\u00a0\u202f]", run):
        parts = re.split(r"\D", piece)
        if len(parts) == 1 or any(len(part) != 3 for part in parts[1:]):
            yield from map(float, filter(None, parts))
        if parts[0]:
            yield from _wholes(piece)


def _wholes(run: str) -> Iterator[float]:
    """Yield what digits with separators are as one number: 26,107 and 3,5 and 1.234,5."""
    groups = re.split(r"\D", run)
    if len(groups) == 1 or all(len(group) == 3 for group in groups[1:]):
        yield float("".join(groups))
    if len(groups) == 2 or (len(groups) > 2 and len(groups[-1]) != 3):
        yield float(f"{''.join(groups[:-1])}.{groups[-1]}")


def _scale_after(text: str, at: int) -> float | None:
    after = _GAP.sub("", text[at : at + 14].lower(), count=1)
    if after[:1] in _OTHER_SCALES and not after[:1].isascii():
        return _OTHER_SCALES[after[:1]]
    word = _WORD.match(after)
    return (_SCALES | _OTHER_SCALES).get(word[0]) if word else None


def _in_words(text: str) -> Iterator[tuple[float, list[float]]]:
    """Yield each number that is written in English words, and the numbers of its words; not "hundreds"."""
    for match in _NUMBER_RUN.finditer(text.lower()):
        run = _WORD.findall(match[0])
        if any(one not in _SCALES for one in run):
            yield _value(run), [value for one in run for value in _NUMBER_WORDS.get(one, ())]


def _value(run: list[str]) -> float:
    """Return what number words are together: "six thousand one hundred and seven", "five-and-twenty"."""
    total, here = 0.0, 0.0
    for word in run:
        if word in _SCALES and _SCALES[word] >= 1000:
            total, here = total + max(here, 1.0) * _SCALES[word], 0.0
        elif word in _SCALES:
            here = max(here, 1.0) * _SCALES[word]
        elif word in _VALUES:
            value = _VALUES[word]
            joins = here % 100 == 0 or (here % 10 == 0 and value < 10) or (here < 10 and value % 10 == 0)
            here = here + value if joins else here * 100 + value  # five and twenty; eighteen fifty-four
        elif word in _PARTS:
            here += _PARTS[word][0]
    return total + here


def _roman(run: str) -> float:
    values = [_LETTERS[letter] for letter in run]
    return float(sum(-v if v < after else v for v, after in zip(values, [*values[1:], 0], strict=True)))


def _han(run: str) -> float:
    """Return a Chinese numeral: by place (一八五四) or by scale (二万六千)."""
    values = [unicodedata.numeric(character, 2.0) for character in run]  # Unicode has no value for 两
    if max(values) < 10:
        return float("".join(f"{value:.0f}" for value in values))
    total = here = 0.0
    for value in values:
        if value < 10:
            here = value
        elif value < 10_000:
            total, here = total + max(here, 1) * value, 0.0
        else:
            total, here = (total + here) * value, 0.0
    return total + here


Verdict = Literal["supported", "unchecked", "unsupported"]
"""unchecked: written in another language than what it names, so that words cannot be compared."""
_JAPANESE = frozenset({"HIRAGANA", "KATAKANA"})
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

_ASKED_IN = {
    word: code for code, said in reversed(entry("answers.question_words").items()) for word in said.split()
}


_OF_VIETNAMESE = re.compile("[ơưƠƯ\u1ea0-\u1ef9]")


def supporting(text: str, pieces: Sequence[Piece], query: str = "") -> tuple[list[Piece], Verdict]:
    """Return the pieces that share a word with a text, and those where words cannot tell: another language.

    A text without a telling word ("It did.") is as well supported as what it names; one that shares none with
    pieces in its own language is unsupported, by none of them, and so is one with a number or a name that
    neither they nor the question hold.

    Parameters
    ----------
    text : str
        What was written.
    pieces : sequence of Piece
        What it names.
    query : str, default ""
        The question.

    Returns
    -------
    (list of Piece, Verdict)
        In their order; the verdict is unchecked where words cannot be compared.

    """
    if pieces and any(strange(text, pieces, query)):
        return [], "unsupported"
    said = stems_of(text)
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

    Parameters
    ----------
    text : str
        What was written.
    pieces : sequence of Piece
        What it names.
    query : str, default ""
        The question.

    Yields
    ------
    str
        As written; empty where all of them can be found.

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
        known = function_words().get(likely or "", frozenset())
        language = None if known.isdisjoint(words(text)) else likely
    return language if languages <= {language} else None


def _grounds(piece: Piece) -> Iterator[str]:
    yield piece.line
    for sentence in piece.sources:
        yield from (sentence.text, sentence.chunk.content, sentence.title, sentence.about, sentence.metadata)


def _stems(piece: Piece) -> frozenset[str]:
    return stems_of(piece.line).union(*(sentence.stems for sentence in piece.sources))


def comparable(text: str, other: str, query: str = "") -> bool:
    """Tell whether two texts share a script and, as far as can be told, a language.

    A text that does not tell is taken to be in the language of the question.

    Parameters
    ----------
    text, other : str
        The texts.
    query : str, default ""
        The question.

    Returns
    -------
    bool
        False means that words cannot tell, not that they differ.

    """
    if _scripts(text).isdisjoint(_scripts(other)):
        return False
    language = detect(text) or _language_of(f"{query} {text}" if _OF_VIETNAMESE.search(text) else query)
    return language == (detect(other) or language)


def _scripts(text: str) -> frozenset[str]:
    """Return the scripts of a text's letters by the first word of their Unicode names."""
    names = frozenset(unicodedata.name(c, "").partition(" ")[0] for c in text[:3000] if c.isalpha())
    return names if names.isdisjoint(_JAPANESE) else names | {"CJK"}


def no_answer(query: str) -> str:
    """Say that the passages do not answer, in the language of the question where there are words for it.

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    str
        English where there are no words in its language.

    """
    told: dict[str, str] = entry("answers.unanswered")
    return told.get(_language_of(query), told["en"])


def _language_of(query: str) -> str:
    """Return the language of a question by its script, its first word, its letters, or its common words."""
    scripts = _scripts(query)
    by_script = next((code for script, code in _OF_SCRIPT if script in scripts), None)
    opening = next(iter(words(query[:3000])), "")
    by_letters = "vi" if _OF_VIETNAMESE.search(query[:3000]) else None
    return by_script or _ASKED_IN.get(opening) or by_letters or detect(query) or "en"
