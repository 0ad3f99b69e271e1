"""Spans of words that name something: capitals joined over connectors, quoted titles, acronyms."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field

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
    offices = (middle for middle in range(first, last - 1) if lows[middle] in ROLES | TITLES)
    middle = next((middle for middle in offices if words[middle + 1][0].isupper()), None)
    if middle is None or lows[first] in TITLES:
        yield named(sentence, at, source, first, last)
    elif middle == first:
        person = named(sentence, at, source, middle + 1, last)
        person.attributes["role"] = lows[middle]
        yield person
    elif " ".join(words[first:middle]) in ORGANISATIONS:
        yield named(sentence, at, source, first, middle)
        yield named(sentence, at, source, middle + 1, last)
    elif words[middle + 1] in GIVEN and words[first] not in GIVEN:
        held = named(sentence, at, source, first, middle + 1)
        held.kind, held.confidence, held.cue = "concept", 0.7, "office"
        yield held
        yield named(sentence, at, source, middle + 1, last)
    else:
        yield named(sentence, at, source, first, last)


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
    grammar = {} if sentence.language == "en" else function_words()
    foreign: Container[str] = grammar.get(sentence.language, ())
    shouted = not any(word.islower() and len(word) > 3 for word in sentence.words)
    for at, (word, low, tag) in enumerate(zip(sentence.words, sentence.lows, sentence.tags, strict=True)):
        first = word[0]
        if word == low or not (first.isupper() or first.istitle()):
            shape.append(_CONNECTORS.get(low) or ("y" if tag == "L" and first.isdigit() else "-"))
        elif low in ORDINALS:
            shape.append("A" if _capital(sentence, at + 1) else "-")
        elif low == "i" and shape[-1:] == ["A"] and sentence.tags[at + 1 : at + 2] not in tuple("VEBHMOX"):
            shape.append("A")
        elif low.rstrip("'’") in foreign or _is_grammar(sentence, at, shouted=shouted):
            shape.append("-")
        elif low.rstrip(".") in TITLES and len(low) > 1:
            shape.append("T")
        else:
            shape.append("I" if len(word.rstrip(".")) == 1 else "A")
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
        beside = sentence.lows[at - 1 : at] == ["the"] or sentence.tags[at + 1 : at + 2] in tuple("NJP")
        return shouted or word not in ("US", "WHO") or not beside
    if shouted or not word.isupper() or {word, word.title()} & (PLACES | GIVEN | ORGANISATIONS):
        return False
    if len(word) < 4:
        return tag == "Q" or (sentence.parsed and tag in "NJVR" and (low in LEXICON or low in VERBS))
    return low != "union" and (is_common(low) or low in HEADS or (sentence.parsed and tag in "NJVR"))


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


def _unmark_start(sentence: Sentence, shape: list[str]) -> None:
    """Take the capital of a sentence's first word for grammar where the parser or the lexicon knows it."""
    marks = zip(shape, sentence.tags, strict=True)
    first = next((at for at, (letter, tag) in enumerate(marks) if tag not in '"(Z.Q' or letter != "-"), None)
    if first is None or shape[first] != "A":
        return
    low, word, tag = sentence.lows[first], sentence.words[first], sentence.tags[first]
    if word in GIVEN | PLACES | ORGANISATIONS or (word.isupper() and len(word) > 1):
        return
    following = "".join(shape[first + 1 : first + 2])
    alone = following not in ("T", "A", "I") and not (low in HEADS and following == "o")
    speaks = sentence.words[first + 1 : first + 2] == [":"] and not is_common(low) and low not in HEADINGS
    if sentence.parsed:
        common = (alone and (tag != "P" or low in LEXICON)) or tag in _NOT_FIRST
    else:
        common = is_common(low) and (tag in _NOT_FIRST or alone)
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
    return _of_holds(sentence, shape, begin, left)


def _of_holds(sentence: Sentence, shape: str, begin: int, left: int) -> bool:
    """Judge "of": it holds after a head, and not after a person, a people or a place."""
    words, before = sentence.words, sentence.lows[left - 1]
    if before in _CUT_BEFORE_OF:
        return False
    if before in HEADS and before not in ("church", "house"):
        return True
    if before.endswith("s") and before.removesuffix("s") in DEMONYMS | ROLES | TITLES:
        return False
    person = words[begin] in GIVEN and before not in ROLE_OF
    known = left - begin == 1 and words[begin] in PLACES | ORGANISATIONS
    return not (person or known or (shape[begin] == "T" and left - begin > 1))


def _coordination_holds(sentence: Sentence, shape: str, begin: int, left: int, right: int, last: int) -> bool:
    """Judge "and": "Southwark and Vauxhall Company", not "Leith and Newhaven"."""
    lows, words = sentence.lows, sentence.words
    run = right
    while run < last and shape[run] in "TAI":
        run += 1
    if lows[left] == "&" or lows[left - 1] in HEADS:
        return lows[left] == "&"
    if "o" in shape[begin:left] and run - right == 1:  # "Department of Health and Welfare"
        return any(low in ORG_HEADS for low in lows[begin:left]) and words[right] not in PLACES | GIVEN
    return lows[run - 1] in _FIRMS and run - right > 1


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
    opening = not sentence.parsed and shape[first] == "A" and last - first > 2
    opening = opening and sentence.words[first + 1] in GIVEN
    if opening or (sentence.tags[first] in "RVEGQ" and shape[first + 1] in "TAI"):
        return _trimmed(sentence, shape, first + 1, last)
    return None if sentence.tags[first] in "RVEGQ" else (first, last)


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
        people = low.endswith("s") and low[:-1] in DEMONYMS
        is_name = people or (before == "the" and low in _PEOPLES and after not in tuple("JNPQ"))
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
    """Tell letters and nouns that only look like names: "Inc.", "III", "a Constitution"."""
    word, low = sentence.words[at], sentence.lows[at]
    indefinite = before in ("a", "an", "every", "any", "each") and (low in HEADS or low in LEXICON)
    indefinite = indefinite or (low == "government" and before != "the")
    return indefinite or low in _GENERIC or low in _CONNECTORS or len(word) == 1 or not word[0].isalpha()


def _is_inflected(sentence: Sentence, at: int, after: str) -> bool:
    """Tell a verb of a headline, and an adjective with its noun: "Concerning", "Presidential power"."""
    word, low, tag = sentence.words[at], sentence.lows[at], sentence.tags[at]
    if word in GIVEN | PLACES | ORGANISATIONS:
        return False
    if after in ("N", "J") and (low.endswith(_ADJECTIVAL) or (sentence.parsed and tag == "J")):
        return True
    return sentence.parsed and (tag == "Q" or (tag in "VEGR" and (low in VERBS or low in LEXICON)))


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
GUESSED = frozenset({"capitals", "sentence start"})
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
_PARTICLES = wordset("de la du des van von der den di da del della le el al bin ibn ben zu dos das do")
_BEFORE_PLACES = wordset("North South East West Upper Lower High Low Great Little New Nether Over Port Fort")


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
    _follow_full_names(spans)
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
    # English is a language as well
    adjective = lows[0] in DEMONYMS - COMPASS and (the or not span.recognized)
    people = len(lows) == 1 and (adjective or plural or (lows[0].endswith(_PEOPLE) and the))
    return ("organisation", 0.7, "people") if people else None


def _is_initial(word: str) -> bool:
    return len(word.rstrip(".")) == 1 and word[0].isupper()


def _by_head(words: list[str], lows: list[str]) -> Kind | None:
    """Judge by the head: the last word, or the one before "of"; else by the first: Lake Erie, Air France."""
    cut = next((k for k, low in enumerate(lows) if low in ("of", "for", "de", "des", "du") and k), len(lows))
    head = lows[cut - 2] if cut > 1 and lows[cut - 1] in ROMAN else lows[cut - 1]
    if len(lows) == 1:
        alone = next((kind for kind, heads in _HEADS if head in heads and kind != "place"), None)
        alone = "place" if head in _COUNTRIES else alone
        return (alone, 0.5, "head") if alone else None
    if cut < len(lows) and head in ("house", "chamber") and lows[-1] in _MEMBERS:
        return "organisation", 0.9, f"head: {head}"
    if "v" in lows or "vs" in lows:
        return "concept", 0.8, "case"
    person = words[0] in GIVEN and cut == len(lows) == 2 and head in _SURNAMES
    for kind, heads in () if person else _HEADS:
        if head in heads or head.removesuffix("s") in heads:
            return kind, 0.85, f"head: {head}"
    if lows[0] in ROLE_OF and cut < len(lows):
        return "concept", 0.5, "office"
    firsts = (("organisation", _LEADING_HEADS), ("concept", _OCCASIONS), ("place", PLACE_FIRST - _WEAK_FIRST))
    return next(((kind, 0.7, f"head: {lows[0]}") for kind, heads in firsts if lows[0] in heads), None)


def _by_given(words: list[str], lows: list[str]) -> Kind | None:
    inner = lows[-2::-1] if len(words) > 3 else []
    headed = next((kind for low in inner for kind, heads in _HEADS[:2] if low in heads), None)
    if headed:
        return headed, 0.6, "inner head"
    if words[0] in GIVEN or words[0].title() in GIVEN:
        return "person", 0.9 if len(words) > 1 else 0.6, "given name"
    initials = len(words) == 2 and words[0] not in PLACES and re.fullmatch(r"(?:[A-Z]\.)+", words[0])
    if initials or (len(words) > 2 and any(map(_is_initial, words[:-1]))):
        return "person", 0.8, "initials"
    return ("person", 0.9, "suffix") if len(words) > 1 and lows[-1] in ("jr", "sr", "esq") else None


def by_words(span: NameSpan, sentence: Sentence) -> Counter[str]:
    """Weigh the word before a name, where no parser read the sentence."""
    before = sentence.lows[span.first - 1] if span.first else ""
    if before in ROLES or before in KIND_OF:
        return Counter({"person" if before in ROLES else KIND_OF[before]: 3})
    return Counter({"place": 2} if before in ("in", "at", "near") else {})


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
    if len(words) == 1 and span.first == 0 and span.last == len(sentence.words):
        return "person", 0.4, "heading"
    bare = [word for word in words if word not in _PARTICLES and word.lower() not in ROMAN]
    unknown = all(word[0].isupper() and word.isalpha() and not is_common(word.lower()) for word in bare)
    if any(is_acronym(word) for word in bare):
        return "organisation", 0.45, "capitals"
    if unknown and len(bare) in (2, 3) and sentence.lows[span.first - 1 : span.first] not in _DETERMINERS:
        return ("place", 0.5, "compass") if bare[0] in _BEFORE_PLACES else ("person", 0.5, "capitals")
    best, weight = _best(votes)
    return (best, 0.4, "capitals") if weight > 0 and unknown else ("concept", 0.4, "capitals")


_DETERMINERS = (["the"], ["this"], ["that"], ["its"], ["a"], ["an"])


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
