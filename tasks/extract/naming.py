"""What the trees say about names: where a name ends, what it names, and what is none."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise

from corpusgraph.schemas.annotation import Recognized
from corpusgraph.tasks.extract.nouns import COLLECTIVES, FEMALES, MALES, ORGANISATIONS, PERSONS
from corpusgraph.tasks.extract.roles import is_passive
from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.index.rules.joints import HEADS
from corpusgraph.tasks.index.rules.known_names import GIVEN, ORG_HEADS, ROLES
from corpusgraph.tasks.index.rules.known_organisations import ORGANISATIONS as KNOWN
from corpusgraph.tasks.index.rules.known_places import PLACES
from corpusgraph.tasks.index.rules.lexicon import LEXICON
from corpusgraph.tasks.index.rules.name_context import KIND_OF
from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.reading import Reading, words_of
from corpusgraph.tasks.index.rules.wordlist import wordset

GUESSED = frozenset({"capitals", "context", "sentence start", "heading", "listed", "ending"})
"""Cues of types that were guessed from capitals and neighbours: the tree knows better."""
_PERSONAL = wordset("""
    marry die bear wed smile laugh weep cry sleep walk sit stand think feel remember recall wonder grin nod
    shrug whisper shout live retire resign graduate teach paint sing swim marry quip tell remark
    joke
""")
_CORPORATE = wordset("""
    announce employ acquire launch release manufacture merge rule fund hire sponsor publish
    broadcast air operate
    supply report produce sue fine ban sell own recall market headquarter rebrand outsource
""")
_AFFILIATED = wordset("""
    member chairman chairwoman chair president spokesman spokeswoman spokesperson director ceo head
    founder owner
    employee leader manager coach captain secretary treasurer officer shareholder subsidiary division branch
    supporter fan player guitarist drummer bassist singer vocalist frontman striker goalkeeper
    defender midfielder
    subsidiary affiliate merger acquisition headquarters
""")
"""Nouns whose "of" or "for" leads to a body of persons."""
_TERRITORIAL = wordset("""
    king queen emperor governor duke prince count sultan city town village capital north south east
    west coast
    people inhabitants citizens mayor outskirts centre center streets siege battle port state
    kingdom republic
    university bishop archbishop island province
""")
_STUDIES = wordset(
    "degree course interest professor doctorate career major bachelor master phd training expert"
)
_STATES = wordset("""
    AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY
    NC ND OH OK OR PA
    RI SC SD TN TX UT VT VA WA WV WI WY DC NSW ON BC QC
""")
_AT = frozenset({"in", "near", "throughout", "across", "outside", "within", "inside"})
_SECTIONS = wordset("""
    abstract introduction background methods method results result conclusion conclusions discussion
    summary keywords
    references objective objectives aim aims findings obituary obituaries preface appendix chapter
    contents index notes
    news politics sport sports business opinion editorial letters weather births deaths marriages
    notices notice
    advertisement foreword prologue epilogue glossary bibliography acknowledgements acknowledgments
""")
"""Headings that text taken from a page glues to the first word after them."""
_ALIAS = re.compile(
    r",?\s*\(?(?:(?:also|better|best|more|commonly|formerly|originally|previously|professionally|popularly|"
    r"sometimes|simply|still|now|who|is|was|were|are)\s+)*(?:(?:known|referred to)(?:\s+\w+ly)?\s+as|"
    r"nicknamed|a\.?k\.?a\.?|alias|née|nee|born|formerly|originally|now)\s+(?:the\s+)?[\"“']?",
    re.IGNORECASE,
)
_TO_PERSON = wordset("dear hello hi hey")
_SPLITTING = wordset(
    "secretary-general secretary general minister president chairman spokesman spokeswoman economist"
)


def refine_names(reading: Reading, trees: Sequence[Tree]) -> None:
    """Cut names where the tree cuts them, and type those whose type was only guessed."""
    for place, tree in enumerate(trees):
        sentence = reading.sentences[place]
        reading.names[place] = [
            piece
            for name in reading.names[place]
            for piece in _pieces(name, sentence.words, sentence.lows)
            if not any(
                longer.first <= name.first
                and name.last <= longer.last
                and longer.last - longer.first > name.last - name.first
                for longer in reading.names[place]
                if longer.attributes.get("acronym")
            )
            if not _is_common(piece, tree, sentence.starts[piece.first], sentence.ends[piece.last - 1])
        ]
        reading.names[place] = [
            name
            for name in reading.names[place]
            if not _is_heading(name, sentence.words, reading.lower_words)
        ]
    _type(reading, trees)
    for place, names in enumerate(reading.names):
        _alias(reading, place, names)


def prefer_recognized(reading: Reading, recognized: Sequence[Recognized]) -> None:
    """Put names of a trained recognizer in the place of those that were guessed or that they overlap."""
    starts = [sentence.start for sentence in reading.sentences]
    found: list[list[NameSpan]] = [[] for _ in reading.sentences]
    for start, end, kind, confidence in recognized:
        place = bisect_right(starts, start) - 1
        if place < 0 or end > reading.sentences[place].end:
            continue
        first, last = words_of(reading.sentences[place], start, end)
        if first < last and not any(first < name.last and name.first < last for name in found[place]):
            text = " ".join(reading.document.text[start:end].split())
            found[place].append(NameSpan(place, first, last, text, False, kind, confidence, "recognizer"))
    for place, names in enumerate(found):
        for old in reading.names[place]:
            same = [name for name in names if old.first < name.last and name.first < old.last]
            if same:
                same[0].attributes |= old.attributes
            elif old.cue not in GUESSED:
                names.append(old)
        reading.names[place] = sorted(names, key=lambda name: name.first)


def _alias(reading: Reading, place: int, names: list[NameSpan]) -> None:
    """Note on a name the other name that the sentence gives what it names."""
    sentence, text = reading.sentences[place], reading.document.text
    for name, other in pairwise(sorted(names, key=lambda one: one.first)):
        between = text[sentence.ends[name.last - 1] : sentence.starts[other.first]]
        if not _ALIAS.fullmatch(between) or other.text == name.text:
            continue
        guessed = [one for one in (name, other) if one.cue in GUESSED]
        if name.kind != other.kind and guessed:
            sure = other if guessed[0] is name else name
            guessed[0].kind, guessed[0].confidence, guessed[0].cue = sure.kind, 0.6, "alias"
        if name.kind == other.kind:
            name.attributes["alias"] = other.text


def _pieces(name: NameSpan, words: list[str], lows: list[str]) -> Iterator[NameSpan]:
    """Yield what a run of capitals holds: of "UN Secretary-General Annan" two names."""
    first, last = name.first, name.last
    if last - first < 2 or name.cue == "quoted title":
        yield name
        return
    if lows[first] in _TO_PERSON and last - first > 1:
        yield _part(name, first + 1, last, words, "person", 0.8, "address")
        return
    if lows[first] in _SECTIONS and name.cue in GUESSED and first == 0:
        if last - first > 2:
            yield _part(name, first + 1, last, words, "concept", 0.4, "capitals")
        return
    of = lows.index("of", first, last) if "of" in lows[first:last] else first
    if of - first > 1 and lows[last - 1] in ORG_HEADS and (words[first] in GIVEN or lows[first] in ROLES):
        rest = of + 1 + (lows[of + 1] == "the")
        yield _part(name, first, of, words, "person", 0.8, "of a body")
        yield _part(name, rest, last, words, "organisation", 0.85, "head")
        return
    for middle in range(first + 1, last - 1):
        role = lows[middle]
        known = " ".join(words[first:middle])
        if role in _SPLITTING and (
            known in KNOWN or known in PLACES or (middle == first + 1 and _is_acronym(known))
        ):
            end = middle + 2 if lows[middle : middle + 2] == ["secretary", "general"] else middle + 1
            if end < last:
                kind = "place" if known in PLACES else "organisation"
                yield _part(name, first, middle, words, kind, 0.7, "before an office")
                person = _part(name, end, last, words, "person", 0.8, "after an office")
                person.attributes["role"] = " ".join(lows[middle:end])
                yield person
                return
    yield name


def _is_heading(name: NameSpan, words: list[str], lower_words: Container[str]) -> bool:
    """Tell a line of one word in capitals, "OBITUARY", from a name."""
    title, low = name.text.title(), name.text.lower()
    shouted = name.last - name.first == 1 and name.text.isupper() and len(name.text) > 3
    if not shouted or title in PLACES or title in GIVEN or name.text in KNOWN:
        return False
    common = low in _SECTIONS or low in LEXICON or low in lower_words or low in HEADS
    return common and sum(word[0].isalnum() for word in words) == 1


def _is_acronym(word: str) -> bool:
    return word.isupper() and 1 < len(word) < 6


def _part(
    name: NameSpan, first: int, last: int, words: list[str], kind: str, confidence: float, cue: str
) -> NameSpan:
    return NameSpan(name.at, first, last, " ".join(words[first:last]), False, kind, confidence, cue)


def _is_common(name: NameSpan, tree: Tree, start: int, end: int) -> bool:
    """Tell a common word that only begins its sentence: "Beaver dams slow the stream"."""
    if name.last - name.first != 1 or name.cue not in ("sentence start", "capitals", "context", "heading"):
        return False
    token = tree.position_at(start, end)
    if token is None or not _opens(tree, token):
        return False
    head = tree.heads[token]
    return tree.relations[token] in ("compound", "amod") and tree.words[head].islower() and head == token + 1


def _opens(tree: Tree, token: int) -> bool:
    return not any(tree.upos[before] not in ("PUNCT", "DET", "SYM") for before in range(token))


def _type(reading: Reading, trees: Sequence[Tree]) -> None:
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    places = [
        (place, name)
        for place, names in enumerate(reading.names)
        for name in names
        if name.cue in GUESSED or (name.cue == "part of a full name" and name.confidence < 0.7)
    ]
    known = {name.text: name.kind for names in reading.names for name in names if name.cue not in GUESSED}
    for place, name in places:
        votes[name.text].update(_votes(reading, trees[place], place, name, known))
    for _, name in places:
        counted = votes[name.text]
        if not counted:
            continue
        (best, weight), *rest = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        second = rest[0][1] if rest else 0
        if _is_acronym(name.text) and name.kind == "person" and best == "organisation":
            second = 0
        if best == name.kind:
            if weight >= 2 and name.cue != "sentence start":
                name.confidence, name.cue = max(name.confidence, 0.6), "tree"
        elif weight - second >= 2:
            name.kind, name.confidence, name.cue = best, 0.6, "tree"
    for _, name in places:
        if name.kind != "person":
            name.attributes.pop("role", None)
    shared = {name.text: name for _, name in places if name.cue == "tree"}
    for _, name in places:
        if name.cue != "tree" and name.text in shared:
            same = shared[name.text]
            name.kind, name.confidence, name.cue = same.kind, same.confidence, same.cue


def _votes(reading: Reading, tree: Tree, place: int, name: NameSpan, known: dict[str, str]) -> Counter[str]:
    """Weigh what the tree says of a name, type by type."""
    sentence = reading.sentences[place]
    start, end = sentence.starts[name.first], sentence.ends[name.last - 1]
    token = tree.position_at(start, end)
    counted: Counter[str] = Counter()
    if token is None:
        return counted
    inside = range(*tree.range_of(start, end))
    for noun in _describing(tree, token, inside):
        kind = noun_kind(tree, noun)
        if kind:
            counted[kind] += 4
        if kind == "person":
            name.attributes.setdefault("role", tree.lows[noun])
    _by_form(counted, reading, tree, name, inside)
    _by_predicate(counted, tree, token)
    _by_preposition(counted, tree, token, name)
    _by_clause(counted, tree, token)
    if tree.relations[token] == "vocative" or _labels(tree, inside):
        counted["person"] += 3
    for other in _coordinated(tree, token):
        kind = known.get(tree.words[other]) or known.get(_name_text(reading, place, tree, other)) or ""
        if kind in ("person", "organisation", "place"):
            counted[kind] += 2
    if _is_acronym(name.text) and counted["person"] > 0:
        counted["organisation"] += counted.pop("person")
    return +counted


def _by_form(counted: Counter[str], reading: Reading, tree: Tree, name: NameSpan, inside: range) -> None:
    if name.text in _STATES and inside.start > 1 and tree.words[inside.start - 1] == ",":
        counted["place"] += 6
    if name.kind == "person" and name.cue == "capitals" and _is_thing(reading, tree, inside):
        counted["concept"] += 2
    token = inside.stop - 1
    if "the" in (tree.lows[child] for child in tree.dependents(token, "det")):
        counted["person"] -= 3
    low = name.text.lower()
    if (
        len(inside) == 1
        and _is_people(tree, token)
        and low.endswith("s")
        and not {low, low[:-1]} & LEXICON.keys()
    ):
        counted["organisation"] += 3


def _is_people(tree: Tree, token: int) -> bool:
    """Tell the plural of "the Communists"."""
    return tree.dependent(token, "det") is not None and tree.feature(token, "Number") == "Plur"


def _by_predicate(counted: Counter[str], tree: Tree, token: int) -> None:
    verb = tree.heads[token]
    acts = tree.relations[token] == "nsubj" and tree.upos[verb] == "VERB" and not is_passive(tree, verb)
    if not acts or _is_people(tree, token):
        return
    if tree.lemmas[verb] in _PERSONAL:
        counted["person"] += 1 if tree.dependent(token, "det") is not None else 2
    if tree.lemmas[verb] in _CORPORATE:
        counted["organisation"] += 2


def _by_preposition(counted: Counter[str], tree: Tree, token: int, name: NameSpan) -> None:
    case, relation, head = tree.case_of(token), tree.relations[token], tree.heads[token]
    located = case in _AT and relation in ("obl", "nmod") and not _is_people(tree, token)
    if located and not _is_field(name, tree, head):
        counted["place"] += 1 if tree.dependent(token, "det") is not None else 2
    if case in ("of", "for", "with", "at") and relation == "nmod":
        if tree.lemmas[head] in _AFFILIATED:
            counted["organisation"] += 3
        elif case == "of" and tree.lemmas[head] in _TERRITORIAL:
            counted["place"] += 2


def _by_clause(counted: Counter[str], tree: Tree, token: int) -> None:
    """Read the relative pronoun: "Garbarek, who", "Qufa, where"."""
    openings = {
        tree.lows[word] for clause in tree.dependents(token, "acl") for word in tree.subtree(clause)[:2]
    }
    if openings & {"who", "whose", "whom"} and tree.case_of(token) in ("", "by", "with"):
        counted["person"] += 3
    if "where" in openings:
        counted["place"] += 3


def _is_thing(reading: Reading, tree: Tree, inside: range) -> bool:
    """Tell "Parallel Cinema" from a person: a plural, or a word that the document also writes small."""
    if len(inside) < 2:
        return False
    return any(
        tree.upos[word] in ("ADJ", "VERB", "ADV", "NUM")
        or tree.feature(word, "Number") == "Plur"
        or tree.lows[word] in reading.lower_words
        for word in inside
        if tree.words[word][:1].isupper() and len(tree.words[word]) > 3
    )


def _is_field(name: NameSpan, tree: Tree, head: int) -> bool:
    """Tell what is studied from where: "a degree in Literature"."""
    low = name.text.lower()
    return (
        low in LEXICON
        or tree.lemmas[head] in _STUDIES
        or low.endswith(("ture", "ics", "logy", "graphy", "ing"))
    )


def _name_text(reading: Reading, place: int, tree: Tree, token: int) -> str:
    sentence = reading.sentences[place]
    for name in reading.names[place]:
        if sentence.starts[name.first] <= tree.starts[token] < sentence.ends[name.last - 1]:
            return name.text
    return ""


def _coordinated(tree: Tree, token: int) -> list[int]:
    joined = tree.dependents(token, "conj")
    if tree.relations[token] == "conj":
        joined.append(tree.heads[token])
    return [other for other in joined if tree.upos[other] == "PROPN"]


def _labels(tree: Tree, inside: range) -> bool:
    """Tell the speaker of a line: "Bea: they said so"."""
    after = inside.stop
    return (
        after < len(tree) - 1
        and tree.words[after] == ":"
        and not any(tree.upos[before] in ("NOUN", "VERB", "DET") for before in range(inside.start))
    )


def _describing(tree: Tree, token: int, inside: range) -> Iterator[int]:
    """Yield the nouns that say what a name names: in apposition, of a copula, right before it."""
    yield from tree.dependents(token, "appos")
    if tree.relations[token] == "appos":
        yield tree.heads[token]
    after = inside.stop
    if after + 2 < len(tree) and tree.words[after] == "," and tree.lows[after + 1] in ("a", "an", "the"):
        noun = tree.heads[after + 1]
        if tree.relations[noun] in ("parataxis", "conj") and noun - after < 8:
            yield noun
    head = tree.heads[token]
    if tree.relations[token] == "nsubj" and tree.dependent(head, "cop") is not None:
        yield head
    if inside.start <= 2 and tree.relations[token] not in ("obl", "advcl"):
        yield from (
            root for root in tree.roots if tree.dependent(root, "cop") is not None and root not in inside
        )
    before = inside.start - 1
    if before >= 0 and tree.upos[before] == "NOUN" and tree.words[before].islower():
        yield before
    if (
        head == inside.stop
        and tree.relations[token] in ("compound", "nmod")
        and KIND_OF.get(tree.lemmas[head]) != "place"
    ):
        yield head
    if tree.relations[token] == "obl" and tree.case_of(token) == "as":
        return
    if head not in inside and tree.relations[token] in ("flat", "compound") and tree.upos[head] == "NOUN":
        yield head


def noun_kind(tree: Tree, noun: int) -> str:
    """Return the kind of name that a common noun describes, "" where it tells none."""
    lemma = tree.lemmas[noun]
    if tree.upos[noun] not in ("NOUN", "PROPN") or not tree.words[noun].islower():
        return ""
    if lemma in KIND_OF:
        return KIND_OF[lemma]
    if lemma in ROLES or lemma in PERSONS or lemma in MALES or lemma in FEMALES:
        return "person"
    if lemma.endswith(("ologist", "ician", "nist", "rist", "phist")):
        return "person"
    if lemma in ORGANISATIONS or lemma in COLLECTIVES:
        return "organisation"
    return ""
