"""Spans of words that name something: capitals joined over connectors, quoted titles, acronyms."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks.extract.rules.known_names import (
    CONCEPT_HEADS,
    DEMONYMS,
    GIVEN,
    HEADS,
    KIND_OF,
    LOWER_HEADS,
    ORDINALS,
    ORG_HEADS,
    ORGANISATIONS,
    PLACE_FIRST,
    PLACE_HEADS,
    PLACES,
    ROLE_OF,
    ROLES,
    SAYING,
    TITLES,
)
from corpusgraph.tasks.extract.rules.lexicon import FUNCTION_WORDS, LEXICON, by_suffix
from corpusgraph.tasks.extract.rules.tagger import Sentence
from corpusgraph.tasks.extract.rules.verbs import VERBS
from corpusgraph.tasks.text.languages import function_words
from corpusgraph.tasks.text.wordlist import words, wordset


@dataclass(slots=True)
class NameSpan:
    """Words `first` to `last` (half-open) of one sentence, and what is known of the name they form."""

    at: int
    first: int
    last: int
    text: str
    initial: bool = False
    kind: str = ""
    confidence: float = 0.5
    cue: str = ""
    recognized: str = ""
    """Kind that a trained recognizer gave it, "" for a name found by rules."""
    attributes: JsonDict = field(default_factory=dict)

    def overlaps(self, other: "NameSpan") -> bool:
        """Tell whether two spans of one sentence share a word."""
        return self.first < other.last and other.first < self.last


_CONNECTORS = {"of": "o", "the": "t", "and": "a", "&": "a", "for": "f", "'s": "K", "’s": "K"}
_CONNECTORS |= dict.fromkeys(
    wordset("""
        de la du des van von der den di da del della dell' le les el al bin ibn ben y e zu zur zum am dos das
        do v. vs. d' l' es - –
    """),
    "d",
)
_SPAN = re.compile(r"[TAI]+(?:(?:ot?|oy|d{1,3}|K|a|ft?)[TAI]+)*(?:oy)?")
_JOINT = re.compile(r"[^TAI]+")
_CALENDAR = words("names.calendar")
_PEOPLES = wordset("british english french spanish dutch irish welsh swiss chinese japanese portuguese")
_ERAS = wordset("dynasty era period act")
_ADJECTIVAL = ("istic", "ian", "ean", "esque", "an", "ese", "ist", "enic", "otic")
COMPASS = wordset("north south east west")
_INCORPORATED = wordset("inc inc. ltd ltd. llc plc l.l.c.")
ROMAN = wordset("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi")
_GENERIC = _INCORPORATED | ROMAN | words("names.generic")
_HYPHENED = tuple(wordset("-language -based -born -style -era -speaking -century -led -owned -like"))
_NOT_FIRST = "RVEGQWSIMBOHDUXCT"
_CUT_BEFORE_OF = words("names.cut_before_of")
_INSTITUTIONS = words("names.institutions")
_FIRMS = wordset("company co sons brothers society ltd department act committee museum railway")
FAMILY = wordset("mother father mum mom dad mummy daddy grandma grandpa")
"""Titles that are names when they stand alone."""
GLUED = words("names.glued")
HEADINGS = GLUED | words("names.headings")
"""Words in capitals that stand above a text."""


def find_names(sentence: Sentence, at: int, source: str) -> list[NameSpan]:
    """Return the capitalised spans of one sentence (number `at` of its document), not typed yet."""
    if not any(word[0].isupper() or word[0].istitle() for word in sentence.words):
        return []
    shape = _shape(sentence)
    spans: list[NameSpan] = []
    for match in _SPAN.finditer(shape):
        for first, last in _cut(sentence, shape, match.start(), match.end()):
            trimmed = _trimmed(sentence, shape, first, last)
            if trimmed:
                spans += _pieces(sentence, at, source, *trimmed)
    return spans


def named(sentence: Sentence, at: int, source: str, first: int, last: int) -> NameSpan:
    """Return a stretch of words as a name, on one line."""
    text = " ".join(source[sentence.starts[first] : sentence.ends[last - 1]].split())
    return NameSpan(at, first, last, text, initial=_opens(sentence, first))


def _pieces(sentence: Sentence, at: int, source: str, first: int, last: int) -> Iterator[NameSpan]:
    """Yield the name in a span without the office in it: "UN Secretary-General Kofi Annan" is two names."""
    lows, words = sentence.lows, sentence.words
    for middle in range(first, last - 1):
        scholar = lows[middle].endswith("ist") and len(lows[middle]) > 6
        office = scholar or lows[middle] in ROLES or lows[middle] == "secretary-general"
        if not (office or lows[middle] in TITLES) or lows[first] in TITLES:
            continue
        before, rest = " ".join(words[first:middle]), words[middle + 1 : last]
        if middle == first and _is_person(rest):
            person = named(sentence, at, source, middle + 1, last)
            person.attributes["role"] = lows[middle]
            yield person
            return
        if before in ORGANISATIONS or (is_acronym(before) and before not in PLACES):
            yield named(sentence, at, source, first, middle)
            rest_at = middle + 1 + (lows[middle + 1] == "general")
            if rest_at < last:
                yield named(sentence, at, source, rest_at, last)
            return
        if middle > first and len(rest) > 1 and rest[0] in GIVEN and words[first] not in GIVEN:
            held = named(sentence, at, source, first, middle + 1)
            held.kind, held.confidence, held.cue = "concept", 0.7, "office"
            yield held
            yield named(sentence, at, source, middle + 1, last)
            return
    if last - first > 1 and lows[last - 1] == "secretary-general":
        last -= 1
    yield named(sentence, at, source, first, last)


def _is_person(words: list[str]) -> bool:
    """Tell whether what follows an office is a person's name rather than the rest of a title or a body's."""
    return (words[0] in GIVEN or len(words) == 2) and all(
        word[0].isupper() and word.lower() not in HEADS | LEXICON.keys() for word in words
    )


def is_acronym(word: str) -> bool:
    """Tell a short word in capitals."""
    return word.isupper() and 1 < len(word) < 6


def _opens(sentence: Sentence, first: int) -> bool:
    """Tell whether only quotation marks, numbers and the like stand before a word in its sentence."""
    return all(tag in '"(Z.Q' for tag in sentence.tags[:first])


# --- words as letters


def _shape(sentence: Sentence) -> str:
    """Describe every word by a letter: A name-like, I initial, T title, connectors, - the rest."""
    shape: list[str] = []
    foreign: Container[str] = (
        function_words().get(sentence.language, frozenset()) if sentence.language != "en" else ()
    )
    shouted = not any(word.islower() and len(word) > 3 for word in sentence.words)
    for at, (word, low, tag) in enumerate(zip(sentence.words, sentence.lows, sentence.tags, strict=True)):
        first = word[0]
        if word == low or not (first.isupper() or first.istitle()):
            shape.append(_CONNECTORS.get(low) or ("y" if tag == "L" and first.isdigit() else "-"))
        elif low in ORDINALS and _shared_head(sentence, at):
            shape.append("A")
        elif low in ORDINALS or (low == "i" and shape and shape[-1] == "A" and not _acts(sentence, at + 1)):
            shape.append("A" if low == "i" or _capital(sentence, at + 1) else "-")
        elif low.rstrip("'’") in foreign or _is_grammar(sentence, at, shouted=shouted):
            shape.append("-")
        elif low.rstrip(".") in TITLES and len(low) > 1:
            shape.append("T")
        elif len(word.rstrip(".")) == 1:
            shape.append("I" if len(word) == 2 or word.isupper() else "A")
        else:
            shape.append("A")
    _unmark_start(sentence, shape)
    return "".join(shape)


def _is_grammar(sentence: Sentence, at: int, *, shouted: bool) -> bool:
    """Tell days and months, function words, and common words in capitals for emphasis."""
    word, low, tag = sentence.words[at], sentence.lows[at], sentence.tags[at]
    if low.endswith(_HYPHENED) or tag == "L" or low in _CALENDAR:
        return True
    if "'" in low and low.partition("'")[0] in FUNCTION_WORDS:
        return True
    if low in FUNCTION_WORDS and (len(word) > 1 or word in "AI"):
        return shouted or word not in ("US", "WHO") or not _is_body(sentence, at)
    if shouted or not word.isupper() or {word, word.title()} & (PLACES | GIVEN | ORGANISATIONS):
        return False
    if len(word) < 4:
        return tag == "Q" or (sentence.parsed and tag in "NJVR" and (low in LEXICON or low in VERBS))
    return low != "union" and (is_common(low) or low in HEADS or (sentence.parsed and tag in "NJVR"))


def _is_body(sentence: Sentence, at: int) -> bool:
    """Tell "US" and "WHO" from the pronouns: beside an article, an adjective or a noun."""
    described = sentence.lows[at - 1 : at] == ["the"] or sentence.tags[at - 1 : at] == "J"
    return described or (sentence.tags[at + 1 : at + 2] or "-") in "NJP"


def _shared_head(sentence: Sentence, at: int) -> bool:
    """Tell the "First" of "First and Second World Wars"."""
    after = sentence.lows[at + 1 : at + 3]
    return (
        len(after) == 2 and after[0] in ("and", "or") and after[1] in ORDINALS and _capital(sentence, at + 2)
    )


def _acts(sentence: Sentence, at: int) -> bool:
    return sentence.tags[at : at + 1] in ("V", "E", "B", "H", "M", "O", "X")


def _capital(sentence: Sentence, at: int) -> bool:
    return at < len(sentence.words) and sentence.words[at][0].isupper()


def _is_abstract(low: str) -> bool:
    """Tell by its ending that a word is an adverb, participle or abstract noun, or a listed word's plural."""
    if low.endswith(("tion", "ment", "ness", "ance", "ence", "ity")) or by_suffix(low) in "RGE":
        return True
    return low.endswith("s") and (low[:-1] in LEXICON or low[:-1] in VERBS)


def is_common(low: str) -> bool:
    """Tell a word that the lists hold, or that by its ending is no name."""
    return low in LEXICON or low in VERBS or _is_abstract(low)


def _is_word(low: str) -> bool:
    """Tell a word of the lists, also in the plural."""
    return bool({low, low.removesuffix("s")} & (LEXICON.keys() | VERBS.keys() | HEADS | DEMONYMS))


def _unmark_start(sentence: Sentence, shape: list[str]) -> None:
    """Take the capital of a sentence's first word for grammar where the parser or the lexicon knows it."""
    marks = zip(shape, sentence.tags, strict=True)
    first = next((at for at, (letter, tag) in enumerate(marks) if tag not in '"(Z.Q' or letter != "-"), None)
    if (
        first is None
        or shape[first] != "A"
        or (sentence.words[first].isupper() and len(sentence.words[first]) > 1)
    ):
        return
    low, word, tag = sentence.lows[first], sentence.words[first], sentence.tags[first]
    if word in GIVEN or word in PLACES or word in ORGANISATIONS:
        return
    following = "".join(shape[first + 1 : first + 2])
    alone = following not in ("T", "A", "I")
    headed = low in HEADS and following == "o"
    speaks = sentence.words[first + 1 : first + 2] == [":"] and not is_common(low) and low not in HEADINGS
    if sentence.parsed:
        common = (alone and (tag != "P" or low in LEXICON) and not headed) or tag in _NOT_FIRST
    else:
        common = is_common(low) and (tag in _NOT_FIRST or low.endswith("ly") or (alone and not headed))
    if (common and not speaks) or (low in GLUED and not alone):
        shape[first] = "-"


# --- which connectors hold one name together: "Board of Guardians", not "John Snow of London"


def _cut(sentence: Sentence, shape: str, first: int, last: int) -> list[tuple[int, int]]:
    """Split a span at the connectors that do not hold it together."""
    pieces, begin = [], first
    for joint in _JOINT.finditer(shape, first, last):
        if not _holds(sentence, shape, begin, joint.start(), joint.end(), last):
            pieces.append((begin, joint.start()))
            begin = joint.end()
    if begin < last:
        pieces.append((begin, last))
    return pieces


def _holds(sentence: Sentence, shape: str, begin: int, left: int, right: int, last: int) -> bool:
    """Decide whether the connector at words `left` to `right` lies inside one name."""
    lows, before = sentence.lows, sentence.lows[left - 1]
    kind = shape[left]
    if kind == "d":
        return sentence.language != "de" or lows[left] in ("von", "van", "-", "–")
    if kind == "K":
        after = lows[right:last]
        return begin < left and after[min(len(after), 2) - 1] in HEADS and after[0] not in TITLES
    if kind == "f":
        return before in _INSTITUTIONS or any(low in _INSTITUTIONS for low in lows[begin:left])
    if kind == "a":
        return _coordination_holds(sentence, shape, begin, left, right, last)
    if shape[left:right].endswith("y"):
        return before in CONCEPT_HEADS
    return _of_holds(sentence, shape, begin, left, right)


def _of_holds(sentence: Sentence, shape: str, begin: int, left: int, right: int) -> bool:
    """Judge "of": it holds after a head, and not after a person, a people or a place."""
    lows, words, before = sentence.lows, sentence.words, sentence.lows[left - 1]
    if before in _CUT_BEFORE_OF or before.endswith(("uls", "unes")):
        return False
    if before in HEADS and before not in ("church", "house"):
        return True
    if before.removesuffix("s") in DEMONYMS | ROLES | TITLES and before.endswith("s"):
        return False
    full = left - begin > 1 and before not in ROLE_OF | TITLES and before.islower() and len(before) > 3
    if full and sentence.words[left - 1].isalpha() and not any(map(_is_word, lows[begin:left])):
        return False
    person = words[begin] in GIVEN and before not in HEADS and before not in ROLE_OF
    titled = shape[begin] == "T" and left - begin > 1 and lows[begin].rstrip(".") not in ROLE_OF
    known = left - begin == 1 and words[begin] in PLACES | ORGANISATIONS and before not in HEADS
    if not (person or titled or known):
        return True
    return words[begin] in GIVEN and left - begin == 1 and words[right] in PLACES


def _coordination_holds(sentence: Sentence, shape: str, begin: int, left: int, right: int, last: int) -> bool:
    """Judge "and": "Southwark and Vauxhall Company", not "Leith and Newhaven"."""
    lows, words = sentence.lows, sentence.words
    if lows[left] == "&":
        return True
    run = right
    while run < last and shape[run] in "TAI":
        run += 1
    head = lows[run - 1]
    inside_of = "o" in shape[begin:left] and any(low in ORG_HEADS for low in lows[begin:left])
    if inside_of and left - begin <= 5 and run - right == 1 and words[right] not in PLACES:
        return words[right] not in GIVEN and lows[left - 1] not in HEADS
    if lows[left - 1] in HEADS:
        return False
    bureau = head in ORG_HEADS and run - right > 1 and begin > 0 and lows[begin - 1] == "the"
    if bureau and left - begin <= 2 and words[begin] not in GIVEN | PLACES:
        return True
    return head in _FIRMS and run - right > 1 - (head in ("sons", "brothers"))


# --- the ends of a span


def _trimmed(sentence: Sentence, shape: str, first: int, last: int) -> tuple[int, int] | None:
    """Drop what does not belong at the ends; return None where no name is left."""
    lows, words = sentence.lows, sentence.words
    if last - first > 2 and lows[first].removesuffix("s") in TITLES and lows[first].endswith("s"):
        first += 1
    while last > first and (shape[last - 1] in "otafKd" or (shape[last - 1] == "I" and last - first == 1)):
        last -= 1
    if " ".join(words[first:last]) in PLACES:
        return first, last
    while last - first > 1 and lows[first] in DEMONYMS - COMPASS and _alone(sentence, shape, first + 1, last):
        first += 1
    more = continues(sentence, first, last)
    if more:
        return first, last + more
    if last - first > 2 and words[last - 1] in PLACES and lows[last - 2] in _ERAS:
        last -= 1
    if last - first == 1:
        return _single(sentence, shape, first)
    titles = all(letter == "T" for letter in shape[first:last])
    if last <= first or titles or DEMONYMS.issuperset(lows[first:last]):
        return None
    return _without_opening(sentence, shape, first, last)


def _without_opening(sentence: Sentence, shape: str, first: int, last: int) -> tuple[int, int] | None:
    """Drop the word that only opens a sentence before a name: "Then Ivan Petrov"."""
    word = sentence.words[first]
    if not _opens(sentence, first) or word in GIVEN or word in PLACES:
        return first, last
    if (
        not sentence.parsed
        and last - first > 2
        and sentence.words[first + 1] in GIVEN
        and shape[first] == "A"
    ):
        return first + 1, last
    if sentence.tags[first] in "RVEGQ":
        return _trimmed(sentence, shape, first + 1, last) if shape[first + 1] in "TAI" else None
    return first, last


def continues(sentence: Sentence, first: int, last: int) -> int:
    """Count the words after a name that belong to it: "Amphictyonic council", "Mystery, Inc."."""
    lows = sentence.lows
    if sentence.tags[last : last + 1] == "," and _INCORPORATED.issuperset(lows[last + 1 : last + 2]):
        return 2 if lows[last + 1 : last + 2] else 0
    if last >= len(lows) or lows[last] not in LOWER_HEADS or last - first > 3:
        return 0
    headless = lows[last - 1] not in HEADS or lows[last] == "pump"
    return int(headless and sentence.tags[last] in "NP" and lows[first] not in DEMONYMS)


def _alone(sentence: Sentence, shape: str, at: int, last: int) -> bool:
    """Tell whether what follows a demonym is a name without it: "American Margaret Keane"."""
    single = last - at == 1 and sentence.lows[at] not in HEADS and sentence.lows[at] not in DEMONYMS
    return shape[at] == "T" or sentence.words[at] in GIVEN or single


def _single(sentence: Sentence, shape: str, first: int) -> tuple[int, int] | None:
    """Judge a name of one word."""
    low = sentence.lows[first]
    before, after = sentence.lows[first - 1] if first else "", sentence.tags[first + 1 : first + 2]
    if shape[first] == "T":
        is_name = _is_office(sentence, first, before)
    elif low in DEMONYMS:
        alone = not after or after not in "JNPQ"
        people = low.endswith("s") and low[:-1] in DEMONYMS
        is_name = people or (before == "the" and low in _PEOPLES and alone)
    else:
        is_name = not (_is_no_name(sentence, first, before) or _is_inflected(sentence, first, after))
    return (first, first + 1) if is_name else None


def _is_office(sentence: Sentence, at: int, before: str) -> bool:
    """Tell an office, a figure of a tale and a parent: "the President", "the Queen", "Mother"."""
    word = sentence.words[at]
    if sentence.lows[at] in FAMILY and not _opens(sentence, at):
        return before not in ("a", "my", "his", "her", "their", "your", "our")
    return before == "the" and "." not in word and not word.isupper()


def _is_no_name(sentence: Sentence, at: int, before: str) -> bool:
    """Tell letters, units, and nouns that only look like names: "Inc.", "III", "a Constitution"."""
    word, low = sentence.words[at], sentence.lows[at]
    unit = at > 0 and sentence.tags[at - 1] == "Q" and word.isupper() and len(word) < 4
    indefinite = before in ("a", "an", "every", "any", "each") and (low in HEADS or low in LEXICON)
    indefinite = indefinite or (low == "government" and before != "the")
    return (
        unit or indefinite or low in _GENERIC or low in _CONNECTORS or len(word) == 1 or not word[0].isalpha()
    )


def _is_inflected(sentence: Sentence, at: int, after: str) -> bool:
    """Tell a verb of a headline, and an adjective with its noun: "Concerning", "Presidential power"."""
    word, low, tag = sentence.words[at], sentence.lows[at], sentence.tags[at]
    if word in GIVEN or word in PLACES or word in ORGANISATIONS:
        return False
    if after and after in "NJ" and low.endswith(_ADJECTIVAL):
        return True
    adjective = tag == "J" and after in ("N", "J") and low.endswith(("al", "ic", "ous", "ive", "ary"))
    verb = tag in "VEGR" and (low in VERBS or low in LEXICON)
    return sentence.parsed and (adjective or tag == "Q" or verb)


# --- titles of works


_QUOTED = re.compile(
    r"[\"“«„]([^\"”»“\n]{2,80}(?:\n[^\"”»“\n]{1,60})?)[\"”»“]|``([^`']{2,80})''|《([^》]{1,40})》"
    r"|(?<!\*)\*([^*\n]{3,80})\*(?!\*)|(?<!\w)_([^_\n]{3,80})_(?!\w)"
)


def find_titles(sentence: Sentence, at: int, source: str, title: str) -> list[NameSpan]:
    """Return titles of works in quotation marks, and where the document's own title stands."""
    quoted = list(_quoted(sentence, at, source))
    own = [span for span in _own_title(sentence, at, title) if not any(map(span.overlaps, quoted))]
    return quoted + own


def _own_title(sentence: Sentence, at: int, title: str) -> list[NameSpan]:
    """Return where the document's own title stands in a sentence: a name even with commas in it."""
    wanted = title.split()
    if len(wanted) < 2 or not any(word[0].isupper() for word in wanted[1:]):
        return []
    pieces = [word for part in wanted for word in ([part[:-1], ","] if part[-1] == "," else [part])]
    size = len(pieces)
    return [
        NameSpan(at, first, first + size, title)
        for first in range(len(sentence.words) - size + 1)
        if sentence.words[first] == pieces[0] and sentence.words[first : first + size] == pieces
    ]


def _quoted(sentence: Sentence, at: int, source: str) -> Iterator[NameSpan]:
    """Yield titles of works in quotation marks: short, and capitalised but for little words."""
    for match in _QUOTED.finditer(source, sentence.start, sentence.end):
        start, end = match.span(next(number for number in range(1, 6) if match[number]))
        if not _is_title(source[start:end].split()):
            continue
        inner = [k for k, begin in enumerate(sentence.starts) if start <= begin and sentence.ends[k] <= end]
        while inner and sentence.words[inner[-1]] in ",.":
            inner.pop()
        if inner:
            span = named(sentence, at, source, inner[0], inner[-1] + 1)
            span.initial, span.kind, span.confidence, span.cue = False, "concept", 0.8, "quoted title"
            yield span


def _is_title(words: list[str]) -> bool:
    if not words or len(words) > 9 or (words[-1][-1] in ".?!," and len(words) > 4) or words[-1][-1] == "!":
        return False
    content = [word for word in words if word.lower().strip(",.!?'") not in FUNCTION_WORDS]
    first = words[0][0]
    if first in ",.;:)":
        return False
    cased = first.isupper() or not (first.islower() or (first.isalpha() and first.lower() != first.upper()))
    return cased and bool(content) and all(not word[0].islower() for word in content)


# --- second names in parentheses: acronyms, other scripts, and qualifiers such as "(film)"


_QUALIFIERS = words("names.qualifiers")
_LITTLE = wordset("of the and for in on de")


def find_aliases(sentence: Sentence, at: int, names: list[NameSpan], source: str) -> list[NameSpan]:
    """Return names in parentheses that repeat the one before, and note acronyms and qualifiers on it."""
    found: list[NameSpan] = []
    for opening, mark in enumerate(sentence.tags):
        closing = sentence.tags.find(")", opening) if mark == "(" and opening else -1
        if not 2 <= closing - opening <= 4:
            continue
        before = next((name for name in names if name.last == opening), None)
        inside = sentence.words[opening + 1 : closing]
        if before and inside[-1].lower() in _QUALIFIERS:
            before.attributes["qualifier"] = " ".join(inside)
        elif len(inside) == 1:
            found += _alias(sentence, at, opening, before, names, source)
    return found


def _alias(
    sentence: Sentence, at: int, opening: int, before: NameSpan | None, names: list[NameSpan], source: str
) -> list[NameSpan]:
    word = sentence.words[opening + 1]
    alias = NameSpan(at, opening + 1, opening + 2, word, kind="alias", confidence=0.8, cue="alias")
    if before and word.isalpha() and not word[0].isupper() and not word[0].islower():
        return [alias]
    letters = word.replace(".", "").removesuffix("s")
    if not (2 <= len(letters) <= 8 and letters.isupper()):
        return []
    first = _expansion(sentence, opening, letters)
    if before and (first is not None or letters[0] == before.text[0]):
        before.attributes["acronym"] = word
    elif first is not None:
        term = named(sentence, at, source, first, opening)
        term.initial, term.kind, term.confidence, term.cue = False, "concept", 0.7, "term with acronym"
        term.attributes["acronym"] = word
        return [term, alias]
    else:
        return []
    known = next((name for name in names if (name.first, name.last) == (opening + 1, opening + 2)), None)
    if known is None:
        return [alias]
    known.kind, known.confidence, known.cue = "alias", 0.8, "alias"  # it takes the kind of its full name
    return []


def _expansion(sentence: Sentence, opening: int, letters: str) -> int | None:
    """Return the first word of the phrase before the parenthesis whose initials are the letters."""
    word, left = opening - 1, len(letters) - 1
    while word >= 0 and left >= 0:
        low = sentence.lows[word]
        if low[0] == letters[left].lower():
            left -= 1
        elif low not in _LITTLE:
            inner = letters[: left + 1].lower()
            if not (len(inner) > 1 and low[0] == inner[-2] and inner[-1] in low[1:]):
                return None
            left -= 2
        word -= 1
    return word + 1 if left < 0 else None


Kind = tuple[str, float, str]
"""Kind of entity, confidence, cue."""
Evidence = Callable[[NameSpan, Sentence], Counter[str]]
"""What the words around a name say of it: weights by kind."""
GUESSED = frozenset({"capitals", "sentence start", "listed", "ending"})
"""Cues of types that were guessed from capitals and neighbours."""
_HEADS = (("organisation", ORG_HEADS), ("place", PLACE_HEADS), ("concept", CONCEPT_HEADS))
_ASSEMBLIES = wordset("congress senate parliament knesset duma reichstag bundestag")
_MEMBERS = wordset("representatives commons lords burgesses delegates deputies councillors assembly")
_CORPORATE = words("names.corporate")
_COUNTRIES = wordset("union confederacy commonwealth empire kingdom republic")
"""Heads that alone, with a capital, are the country that a text is about."""
_OCCASIONS = wordset("storm hurricane typhoon cyclone operation project mission resolution uss hms rms hmas")
_WEAK_FIRST = wordset("el new great upper lower")
_LEADING_HEADS = words("names.leading_heads")
_NAMING_TITLES = words("names.naming_titles")
_PEOPLE = ("ans", "ites", "ards", "yons")
SURE = 0.8
"""Confidence from which on what a recognizer says is not weighed against the words around a name."""
_SURNAMES = wordset("hill wood brook field day church bush parliament bishop banks woods fields")
"""Heads that after one given name are surnames: Octavia Hill, George Bush."""
_PLACE_ENDINGS = tuple(words("names.place_endings"))
_ABSTRACT = tuple(wordset("tion sion ment ness ance ence ity ture ship ism ics logy graphy ing"))
_PARTICLES = wordset("de la du des van von der den di da del della le el al bin ibn ben zu dos das do")
_BEFORE_PLACES = wordset("North South East West Upper Lower High Low Great Little New Nether Over Port Fort")
_TECHNICAL = wordset("hiv aids gdp gnp suv abv mvp ceo dna rna pc iq id gps usb ufo r&b")


def decide(spans: list[NameSpan], sentences: list[Sentence], evidence: Evidence | None = None) -> None:
    """Give every span a kind, the same for the same name, surname and full name in the document."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    strongest: dict[str, Counter[str]] = defaultdict(Counter)
    mentions = Counter(span.text for span in spans)
    certain: dict[str, Kind] = {}
    for span in spans:
        sentence = sentences[span.at]
        kind = _by_form(span, sentence)
        if kind and kind[1] > certain.get(span.text, ("", 0.0, ""))[1]:
            certain[span.text] = kind
        weights = (evidence or by_words)(span, sentence)
        votes[span.text].update(weights)
        strongest[span.text] |= weights
    for text, kind in list(certain.items()):
        best, weight = _best(votes[text])
        often = kind[1] < 0.65 and weight >= max(3, mentions[text] / 4)
        described = strongest[text][best] >= 4 and votes[text][kind[0]] <= 0 and kind[1] < 0.9
        described = described and (kind[0], best) != ("organisation", "place")  # its building
        if best != kind[0] and (described or often):
            certain[text] = (best, 0.6, "context")
    _link_parts(certain)
    previous: NameSpan | None = None
    for span in sorted(spans, key=lambda s: (s.at, s.first)):
        known = certain.get(span.text) or _voted(span, votes[span.text])
        kind = known or _fallback(span, sentences[span.at], votes[span.text])
        if kind[0] == "place" and span.cue == "team":
            kind = "organisation", 0.7, "team"
        if span.kind == "alias" and previous:
            kind = certain[span.text] = (previous.kind, 0.8, "alias")
        elif span.initial and not known and not span.recognized and kind[2] != "heading":
            kind = (kind[0] if span.last - span.first > 1 else "concept", 0.35, "sentence start")
        span.kind, span.confidence, span.cue = kind
        previous = span
    _follow(spans, sentences)
    for span in spans:
        _describe(span, sentences[span.at])


def _best(votes: Counter[str]) -> tuple[str, int]:
    return max(sorted(votes.items()), key=lambda item: item[1], default=("", 0))


def _voted(span: NameSpan, votes: Counter[str]) -> Kind | None:
    best, weight = _best(votes)
    if best == "person" and is_acronym(span.text):
        best = "organisation"
    rest = max((other for kind, other in votes.items() if kind != best), default=0)
    return (best, 0.5 + 0.05 * min(weight, 6), "context") if weight >= 2 and weight > rest else None


# --- the words of the name


def _by_form(span: NameSpan, sentence: Sentence) -> Kind | None:
    """Judge a name by its own words: title, head, given name, gazetteer."""
    words = sentence.words[span.first : span.last]
    lows = [low.rstrip(".") for low in sentence.lows[span.first : span.last]]
    if span.recognized and span.confidence >= SURE:
        return span.recognized, 0.96, "recognizer"
    if span.kind and span.kind != "alias":  # a title in quotation marks, a term with its acronym
        capital = span.cue == "term with acronym" and words[-1][:1].isupper()
        return (_by_head(words, lows) if capital else None) or (span.kind, span.confidence, span.cue)
    compass = words[0] in ("N", "S", "E", "W")
    if len(words) > 1 and len(words[-1]) > 2 and not compass and all(map(_is_initial, words[:-1])):
        return "person", 0.85, "initials"
    headed = _by_head(words, lows) if lows[0] in _NAMING_TITLES else None
    if lows[0] in TITLES and "of" not in lows[1:2] and not headed:
        if len(words) > 1:
            return "person", 0.95, "title"
        return ("person", 0.6, "title") if lows[0] in FAMILY else ("concept", 0.5, "office")
    return (
        _by_gazetteer(span.text.removeprefix("The "), words)
        or (("concept", 0.7, "taxon") if lows[-1].endswith(("aceae", "idae", "inae")) else None)
        or _people(span, sentence, lows)
        or _by_head(words, lows)
        or _by_given(words, lows)
    )


def _by_gazetteer(text: str, words: list[str]) -> Kind | None:
    written = text.title() if text.isupper() and len(text) > 4 else text
    if text in PLACES or written in PLACES:
        return "place", 0.9 if len(words) > 1 or words[0] not in GIVEN else 0.6, "gazetteer"
    return ("organisation", 0.9, "gazetteer") if {text, written} & ORGANISATIONS else None


def _people(span: NameSpan, sentence: Sentence, lows: list[str]) -> Kind | None:
    """Read a people: "the Athenians"."""
    the = span.first > 0 and sentence.lows[span.first - 1] == "the"
    plural = lows[0].endswith("s") and lows[0][:-1] in DEMONYMS
    adjective = lows[0] in DEMONYMS - COMPASS and (
        the or not span.recognized
    )  # English is a language as well
    people = len(lows) == 1 and (adjective or plural or (lows[0].endswith(_PEOPLE) and the))
    return ("organisation", 0.7, "people") if people else None


def _is_initial(word: str) -> bool:
    return len(word.rstrip(".")) == 1 and word[0].isupper()


def _by_head(words: list[str], lows: list[str]) -> Kind | None:
    """Judge by the head: the last word, or the one before "of"."""
    cut = next((k for k, low in enumerate(lows) if low in ("of", "for", "de", "des", "du") and k), len(lows))
    head = lows[cut - 2] if cut > 1 and lows[cut - 1] in ROMAN else lows[cut - 1]
    if len(lows) == 1 and head in _COUNTRIES:
        return "place", 0.5, "head"
    if head in _ASSEMBLIES or (cut < len(lows) and head in ("house", "chamber") and lows[-1] in _MEMBERS):
        return "organisation", 0.9, f"head: {head}"
    if len(lows) == 1:
        alone = next((kind for kind, heads in _HEADS if head in heads and kind != "place"), None)
        return (alone, 0.5, "head") if alone else None
    if "v" in lows or "vs" in lows:
        return "concept", 0.8, "case"
    person = words[0] in GIVEN and cut == len(lows) == 2 and head in _SURNAMES
    for kind, heads in () if person else _HEADS:
        if head in heads or head.removesuffix("s") in heads:
            return kind, 0.85, f"head: {head}"
    return _by_first(lows, cut)


def _by_first(lows: list[str], cut: int) -> Kind | None:
    """Judge by the first word of several: Universität München, Air France, Secretary of State, Lake Erie."""
    if lows[0] in _LEADING_HEADS:
        return "organisation", 0.75, f"head: {lows[0]}"
    if lows[0] in _OCCASIONS and len(lows) > 1:
        return "concept", 0.7, f"head: {lows[0]}"
    if lows[0] in ROLE_OF and cut < len(lows):
        return "concept", 0.5, "office"
    if lows[0] in PLACE_FIRST - _WEAK_FIRST:
        return "place", 0.7, f"head: {lows[0]}"
    return None


def _by_given(words: list[str], lows: list[str]) -> Kind | None:
    inner = lows[-2::-1] if len(words) > 3 else []
    headed = next((kind for low in inner for kind, heads in _HEADS[:2] if low in heads), None)
    if headed:
        return headed, 0.6, "inner head"
    if words[0] in GIVEN or words[0].title() in GIVEN:
        return "person", 0.9 if len(words) > 1 else 0.6, "given name"
    initials = len(words) == 2 and words[0] not in PLACES and re.fullmatch(r"(?:[A-Z]\.)+", words[0])
    middle = len(words) > 2 and any(map(_is_initial, words[1:-1]))
    if initials or middle or (len(words) > 2 and _is_initial(words[0]) and "." in words[0]):
        return "person", 0.8, "initials"
    if len(words) > 1 and lows[-1] in ("jr", "sr", "esq"):
        return "person", 0.9, "suffix"
    if len(words) == 2 and words[1] in GIVEN and words[0] not in _BEFORE_PLACES:
        return "person", 0.6, "given name"
    return None


# --- the words around it, where no parser read them


def by_words(span: NameSpan, sentence: Sentence) -> Counter[str]:
    """Weigh the words around a name."""
    votes: Counter[str] = Counter()
    lows, first, last = sentence.lows, span.first, span.last
    before, after = (lows[first - 1] if first else ""), lows[last : last + 2]
    if before in ROLES:
        votes["person"] += 3
    elif before in KIND_OF:
        votes[KIND_OF[before]] += 3
    elif before in ("in", "at", "near"):
        votes["place"] += 2
    if after[:1] in (["who"], ["whose"]) or after in (["was", "born"], ["(", "born"]):
        votes["person"] += 3
    elif after and VERBS.get(after[0], ("", ""))[0] in SAYING:
        votes["person"] += 2
    if after[:1] in ([","], ["is"], ["was"]) and after[1:] in (["a"], ["an"], ["the"]):
        nouns = (low for low in lows[last + 2 : last + 8] if low in ROLES or low in KIND_OF)
        noun = next(nouns, None)
        if noun:
            votes["person" if noun in ROLES else KIND_OF[noun]] += 3
    return votes


# --- names that share words, or stand side by side


def _link_parts(certain: dict[str, Kind]) -> None:
    """Let "Snow" follow "John Snow", and "Milden" the firm "Milden Farms"."""
    for text, kind in list(certain.items()):
        parts = text.split()
        if len(parts) < 2:
            continue
        if kind[0] == "organisation" and parts[-1].lower() in _CORPORATE:
            certain.setdefault(parts[0], ("organisation", 0.6, "part of a full name"))
        for part in (parts[-1], parts[0]) if kind[0] == "person" else ():
            low = part.rstrip(".").lower()
            if len(low) > 1 and low not in TITLES | HEADS and certain.get(part, ("", 0.0))[1] < 0.7:
                certain[part] = ("person", 0.75, "part of a full name")


def _follow(spans: list[NameSpan], sentences: list[Sentence]) -> None:
    """Let guesses follow what is better known: full names first, then the names they are listed with."""
    _follow_full_names(spans)
    pairs = list(pairwise(sorted(spans, key=lambda s: (s.at, s.first))))
    for known, guessed in [*pairs, *((b, a) for a, b in reversed(pairs))]:
        if guessed.cue != "capitals" or known.at != guessed.at or known.cue in GUESSED - {"listed"}:
            continue
        left, right = sorted((known, guessed), key=lambda s: s.first)
        joint = sentences[known.at].lows[left.last : right.first]
        lone = guessed.last - guessed.first == 1
        alike = known.kind == "place" or (known.kind == "person" and known.last - known.first == 1)
        if joint in ([","], ["and"], [",", "and"], ["or"]) and lone and alike and known.confidence >= 0.45:
            guessed.kind, guessed.confidence, guessed.cue = known.kind, 0.45, "listed"


def _follow_full_names(spans: list[NameSpan]) -> None:
    """Let a lone surname follow a full name that was only guessed to be a person's."""
    parts = {
        part
        for span in spans
        if span.kind == "person" and 1 < span.last - span.first < 5
        for part in (span.text.split()[0], span.text.split()[-1])
        if part.lower() not in LEXICON and part.rstrip(".").lower() not in TITLES and len(part) > 2
    }
    for span in spans:
        if span.text in parts and span.cue in GUESSED:
            span.kind, span.confidence, span.cue = "person", 0.55, "part of a full name"
            span.initial = False


# --- where nothing tells


def _fallback(span: NameSpan, sentence: Sentence, votes: Counter[str]) -> Kind:
    """Guess from capitals, length and the weakest of signs."""
    if span.recognized:
        return span.recognized, 0.6, "recognizer"
    words = sentence.words[span.first : span.last]
    return _by_shape(words) or _full_name(span, sentence, words) or _lone(span, sentence, words, votes)


def _by_shape(words: list[str]) -> Kind | None:
    """Know acronyms, places by their ending and teams by their town."""
    low = words[-1].lower()
    if len(words) == 1:
        if low in _TECHNICAL:
            return "concept", 0.5, "acronym"
        place = low.endswith(_PLACE_ENDINGS) and len(low) > 6
        acronym = re.fullmatch(r"(?:[A-Z]\.?){2,6}", words[0])
        return ("place", 0.45, "ending") if place else ("organisation", 0.4, "capitals") if acronym else None
    if any(
        len(word) > 1 and word.isupper() and word.isalpha() and word.lower() not in ROMAN for word in words
    ):
        return "organisation", 0.45, "capitals"
    team = low.endswith("s") and " ".join(words[:-1]) in PLACES
    return ("organisation", 0.5, "team") if team else None


def _full_name(span: NameSpan, sentence: Sentence, words: list[str]) -> Kind | None:
    """Take two or three unknown words, particles aside, for a person's name."""
    bare = [word for word in words if word not in _PARTICLES and word.lower() not in ROMAN]
    plain = (
        len(bare) + (words[-1].lower() in ROMAN) > 1
        and len(bare[-1]) > 1
        and all(word[0].isupper() and _letters(word) for word in bare)
    )
    if (
        len(words) > 5
        or len(bare) > 3
        or not plain
        or _determined(span, sentence)
        or any(_is_common_word(word.lower()) for word in bare[bare[0] in _BEFORE_PLACES :])
        or (sentence.parsed and _is_thing(span, sentence))
    ):
        return None
    if bare[0] in _BEFORE_PLACES:
        return "place", 0.5, "compass"
    return "person", 0.5, "capitals"


def _determined(span: NameSpan, sentence: Sentence) -> bool:
    return span.first > 0 and sentence.lows[span.first - 1] in ("the", "this", "that", "its", "a", "an")


def _is_thing(span: NameSpan, sentence: Sentence) -> bool:
    """Tell "Guitar Legends" from a person: a verb, or a plural."""
    here = range(span.first, span.last)
    return any(
        sentence.tags[at] in "VEGRQ" or (sentence.tags[at] == "N" and sentence.lows[at].endswith("s"))
        for at in here
        if len(sentence.words[at]) > 3
    )


def _letters(word: str) -> bool:
    """Tell Hyun-woo and O'Neal, letters but for one mark, from B-52."""
    return word.replace("-", "", 1).replace("'", "", 1).replace("’", "", 1).isalpha()


def _is_common_word(low: str) -> bool:
    singular = low.removesuffix("s")
    known = {low, singular} & (LEXICON.keys() | VERBS.keys() | DEMONYMS) if len(low) > 3 else low in LEXICON
    return bool(known) or (low.endswith(_ABSTRACT) and len(low) > 6)


def _lone(span: NameSpan, sentence: Sentence, words: list[str], votes: Counter[str]) -> Kind:
    """Take a lone name for what little is said of it; else it is something that has a name."""
    if len(words) == 1 and span.first == 0 and span.last == len(sentence.words):
        return "person", 0.4, "heading"
    best, weight = _best(votes)
    unknown = len(words) == 1 and _letters(words[0]) and not _is_common_word(words[0].lower())
    if weight > 0 and unknown and not words[0].isupper() and words[0].lower() not in HEADS:
        return best, 0.4, "capitals"
    return "concept", 0.4, "capitals"


def _describe(span: NameSpan, sentence: Sentence) -> None:
    """Note the titles of a person."""
    if span.kind != "person":
        span.attributes.pop("role", None)
        return
    titles = []
    for word in sentence.words[span.first : span.last - 1]:
        if word.lower().rstrip(".") not in TITLES:
            break
        titles.append(word)
    if titles:
        span.attributes["title"] = " ".join(titles)
