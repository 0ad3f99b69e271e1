"""Answer a question with sentences of the passages, word for word."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum
from typing import Literal, NamedTuple

import numpy as np

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, ToolWarning
from corpusgraph.tasks.answer.sentences import Sentence, is_question, name_words, sentences_of, stems_of
from corpusgraph.tasks.graph.compiled import Doubles, per_graph
from corpusgraph.tasks.graph.passages import QUALIFIER
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.progress import step
from corpusgraph.tasks.text.words import stem, stems

EntityOf = Callable[[str], Entity]
"""Finds an entity by its id; one that the graph does not have is a stub that is named as its id."""
Named = Mapping[str, str]
"""Names, as words between spaces, and the types of their entities, blank where they are not known."""

_CAPITALISED = re.compile(
    r"[A-ZÀ-ÖØ-Þ][\w'’.-]*(?:\s+(?:of|the|de|du|von|van|and|&)?\s*[A-ZÀ-ÖØ-Þ][\w'’.-]*)*"
)
_SHORTEST = 2
"""Letters of a name that may be a bridge."""


@dataclass(frozen=True)
class Paths:
    """What each of n sentences has to do with the names of a question."""

    others: Sequence[Named]
    """The names in it that the question has not."""
    seeds: Doubles
    """Share of the question's names that it names, or the title and the metadata above it (n,)."""
    title_bridges: Doubles
    """How well a sentence of another passage ties the title of its passage to the question (n,)."""
    text_bridges: Doubles
    """The same for the best of the names in it (n,)."""


def paths_of(
    query: str,
    sentences: Sequence[Sentence],
    names: Sequence[Collection[str]],
    entity_of: EntityOf | None = None,
) -> Paths:
    """Return how sentences are tied to what the question names.

    `names` are what the question names, each in all its spellings. Without `entity_of`, or for chunks that do
    not tell their entities, words with a capital are names.
    """
    asked = _Asked(query, names)
    titles = [bare_title(sentence) for sentence in sentences]
    others = [asked.leaves(named) for named in _names_in(sentences, entity_of)]
    seeds = np.array(
        [
            max(asked.share_in(s.spaced), float(t in asked.query))
            for s, t in zip(sentences, titles, strict=True)
        ]
    )
    places: dict[str, set[int]] = defaultdict(set)
    for sentence, title in zip(sentences, titles, strict=True):
        if title.strip() and not asked.has(title):
            places[title].add(sentence.passage)
    tied: dict[str, dict[int, float]] = defaultdict(dict)
    for sentence, named, seed in zip(sentences, others, seeds.tolist(), strict=True):
        called = [*named, *(title for title in places if title in sentence.spoken)] if seed else ()
        for name in called:
            tied[name][sentence.passage] = max(seed, tied[name].get(sentence.passage, 0.0))
    n = len(sentences)
    title_bridges, text_bridges = np.zeros(n), np.zeros(n)
    for at, (sentence, title, named) in enumerate(zip(sentences, titles, others, strict=True)):
        title_bridges[at] = _tie(tied.get(title), sentence.passage)
        text_bridges[at] = max((_tie(tied.get(name), sentence.passage) for name in named), default=0.0)
    return Paths(others, seeds, title_bridges, text_bridges)


def _tie(strengths: Mapping[int, float] | None, passage: int) -> float:
    """Return how well a name is tied to the question by another passage than this."""
    return max((seed for other, seed in (strengths or {}).items() if other != passage), default=0.0)


class _Asked:
    """The words and names of a question."""

    def __init__(self, query: str, names: Sequence[Collection[str]]) -> None:
        self.query = name_words(query)
        self.names = [frozenset(map(name_words, spellings)) for spellings in names]

    def share_in(self, spoken: str) -> float:
        """Return the share of the question's names that a text holds."""
        if not self.names or not spoken.strip():
            return 0.0
        return sum(any(name in spoken for name in spellings) for spellings in self.names) / len(self.names)

    def has(self, name: str) -> bool:
        """Tell whether the question has a name, by itself or as part of one of its names."""
        return name in self.query or any(name in other for spellings in self.names for other in spellings)

    def leaves(self, named: Named) -> Named:
        """Return the names that the question has not."""
        return {name: type_ for name, type_ in named.items() if not self.has(name)}


def bare_title(sentence: Sentence) -> str:
    """Return the words of the title above a sentence, between spaces and without its parenthesis."""
    return name_words(QUALIFIER.sub("", sentence.title.rstrip()))


def _names_in(sentences: Sequence[Sentence], entity_of: EntityOf | None) -> list[Named]:
    """Return the names in each sentence: of its chunk's entities, else the words with a capital."""
    known = {s.chunk.id: _entities(s.chunk, entity_of) for s in sentences}
    named: list[Named] = []
    for sentence in sentences:
        entities = known[sentence.chunk.id]
        if entities is None:
            called = (name_words(match[0]) for match in _CAPITALISED.finditer(sentence.text))
            named.append({name: "" for name in called if len(name) > _SHORTEST + 1})
        else:
            named.append({name: type_ for name, type_ in entities.items() if name in sentence.spoken})
    return named


def _entities(chunk: Chunk, entity_of: EntityOf | None) -> Named | None:
    """Return the names of a chunk's entities that are written like names, with their types."""
    if entity_of is None or not chunk.entities:
        return None
    entities = [entity_of(id_) for id_ in chunk.entities]
    named = {
        name: entity.type or ""
        for entity in entities
        if entity.name[:1] != entity.name[:1].lower() or entity.type in {"date", "quantity"}
        if len(name := name_words(entity.name)) > _SHORTEST + 1
    }
    return named or None


Expected = Literal["definition", "date", "number", "place", "organisation", "person", "reason"]

_PERSONS = (
    "person|man|woman|king|queen|emperor|president|governor|mayor|minister|leader|founder|director|producer|"
    "actor|actress|author|writer|poet|singer|rapper|composer|musician|artist|painter|scientist|politician|"
    "player|coach|husband|wife|spouse|father|mother|son|daughter|brother|sister"
)
_PLACES = (
    "place|location|city|town|village|capital|parish|borough|county|district|province|state|region|territory|"
    "area|country|nation|continent|island|mountain|river|lake|sea|ocean|street|port|neighbou?rhood|municipality|"
    "building|hall|hotel|restaurant|venue|room"
)
_ORGANISATIONS = (
    "organi[sz]ation|company|firm|manufacturer|publisher|label|studio|network|station|newspaper|magazine|bank|"
    "institution|agency|association|party|church|university|college|school|team|club|league|band|group"
)
_QUANTITIES = "number|amount|population|percentage|area|length|height|depth|weight|age|total|price|cost|size"
_SOONER = r"\b(first|earlier|later)\b"
_WHICH = r"\b(?:what|which)\s+(?:\w+\s+){0,2}"
"""What city, which of the cities, what was the city."""
_OF = "(of|in|on|at|for|from|to|with|by|that|which|who|whose|where|when|name|named|called)"
"""Words of a question about something of a thing, which asks for more than what the thing is."""
_ASKED: Mapping[Expected, str] = {
    "reason": r"\b(why|what caused|what causes|for what reason)\b",
    "date": rf"\bwhen\b|\b(older|oldest|younger|youngest)\b|{_SOONER}.*\bor\b|\bor\b.*{_SOONER}"
    rf"|{_WHICH}(year|date|day|month|decade|century|time)\b",
    "number": rf"\bhow (many|much|old|long|far|large|tall|often|big|high|deep)\b|{_WHICH}({_QUANTITIES})\b",
    "place": rf"\bwhere\b|{_WHICH}({_PLACES})\b",
    "organisation": rf"{_WHICH}({_ORGANISATIONS})\b",
    "definition": rf"^\W*(what|who) (is|are|was|were) (?!.*\b{_OF}\b)[^,]{{1,60}}\W*$|\bwhat does .* mean\b",
    "person": rf"\b(who|whom|whose)\b|{_WHICH}({_PERSONS})\b",
}
_TYPES: Mapping[Expected, frozenset[str]] = {
    "date": frozenset({"date"}),
    "number": frozenset({"quantity"}),
    "place": frozenset({"place"}),
    "organisation": frozenset({"organisation", "person"}),
    "person": frozenset({"person", "organisation"}),
}
"""Types of entities that may be the answer: rules often take a band for a person, and the other way round."""

_NUMBERS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|"
    "eighty|ninety|dozens?|hundreds?|thousands?|millions?"
)
_MONTHS = "January|February|March|April|June|July|August|September|October|November|December"
_DAYS = "(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_NAME = re.compile(r"(?<!^)(?<![.!?]\s)\b[^\W\d_a-zß-öø-ÿ]\w+")
"""A capitalised word that does not open a sentence."""
_HOW_MANY = re.compile(r"\bhow many (?:(?:other|more|different|of the) )?(\w+)", re.IGNORECASE)
_HOW_LONG = re.compile(r"\bhow (?:long|old)\b", re.IGNORECASE)
_SPANS = r"(second|minute|hour|day|night|week|month|year|decade|centur)\w*"
_HELD: Mapping[Expected, re.Pattern[str]] = {
    "definition": re.compile(r"^.{0,80}?\b(is|are|was|were|means|refers to)\b"),
    "date": re.compile(
        rf"\d{{4}}|\d(st|nd|rd|th)\b|\b({_MONTHS})\b|\d May\b|\bMay \d|\b\d\d?:\d\d\b|\b{_DAYS}\b"
    ),
    "number": re.compile(
        rf"\d(?!\d*(st|nd|rd|th)\b)|\b({_NUMBERS})(?!-\w+(st|nd|rd|th)\b|\w)", re.IGNORECASE
    ),
    "place": _NAME,
    "organisation": _NAME,
    "person": _NAME,
    "reason": re.compile(
        r"\b(because|caus\w+|due to|owing to|since|therefore|reasons?|result\w*|led to|so that"
        r"|as a consequence|thanks to|on account of|in order to)\b"
    ),
}


def expected(query: str) -> Expected | None:
    """Return what kind of answer a question asks for by its question word and its noun, if it tells."""
    return next((kind for kind, asked in _ASKED.items() if re.search(asked, query, re.IGNORECASE)), None)


def counted_by(query: str) -> re.Pattern[str] | None:
    """Return how a text writes the number that a question asks for, if it says of what: three spirits."""
    if asked := _HOW_MANY.search(query):
        unit = rf"{re.escape(stem(asked[1].casefold()))}\w*"
    elif _HOW_LONG.search(query):
        unit = _SPANS
    else:
        return None
    return re.compile(rf"(\d|\b(?!one\b)({_NUMBERS})\b)[\w,.-]*(\W+\w+){{0,2}}?\W+{unit}", re.IGNORECASE)


def holds_kind(
    kind: Expected | None, text: str, names: Mapping[str, str], counted: re.Pattern[str] | None = None
) -> float:
    """Tell from 0 to 1 whether a text holds something of a kind.

    `names` are the names in it that the question has not, with their types; `counted` is how a number of what
    is asked for is written. Without a type that fits, a word with a capital may still be the person or place
    that is asked for, which counts half; so does a number of something else.
    """
    if kind is None:
        return 0.0
    if kind == "number" and counted is not None:
        return 1.0 if counted.search(text) else 0.5 * (_HELD[kind].search(text) is not None)
    if not _TYPES.get(kind, frozenset()).isdisjoint(names.values()):
        return 1.0
    if _HELD[kind].search(text) is None:
        return 0.0
    return 0.5 if _HELD[kind] is _NAME else 1.0


_SPEECH = re.compile(
    r"(?i:\b(?:what|how|why|when|where) (?:do|does|did|has|have|had|can|is|are|was|were)\b.{0,80}?"
    r"|\b(?:who|which \w+) )"
    r"(?P<says>\b(says?|said|tell|told|writes?|wrote|written|speaks?|spoke|spoken|talked|argues?|argued)\b)"
    r"(?= (about|of|on|concerning|regarding|against|for|that)\b)"
)
_FRAME = re.compile(
    r"\b(what|which) (is|was|are|were) the (full )?"
    r"(name|title|(?P<date>date|year)|(?P<place>place|location))s? of\b"
    r"|\b(what|which) (kind|sort|type)s? of\b|\b(take|takes|took|taken|taking) place\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"^\W*(?:are|is|was|were|do|does|did|have|has|can)\b.*\b(?:both|same|than|or|and)\b"
    r"|\b(?:which|who|what)\b.*\bor\b|\bbetween\b.*\band\b",
    re.IGNORECASE | re.DOTALL,
)
_SOURCE = re.compile(r"\baccording\b(?= to\b)", re.IGNORECASE)
_RELATION = re.compile(r"(?i:\b(relation|relationship|connection|link)s?(?= (between|of)\b))")


def topic_of(query: str) -> str:
    """Return a question without the words that frame it: "What does Snow say about …" is on no saying."""
    without = _SPEECH.sub(lambda said: said[0][: said.start("says") - said.start()], query)
    return _RELATION.sub("", _SOURCE.sub("", _FRAME.sub(_short_frame, without)))


def _short_frame(frame: re.Match[str]) -> str:
    """Return the question word that says as much: what is the date of, when."""
    return "When " if frame["date"] else "Where " if frame["place"] else " "


def compares(query: str) -> bool:
    """Tell whether a question asks of several things the same: whether both are, which of the two is more."""
    return _COMPARED.search(query) is not None


def is_written_as_name(spellings: Collection[str]) -> bool:
    """Tell whether a name is written with a capital or a digit in one of its spellings: no common noun."""
    return any(name != name.lower() or name[:1].isdigit() for name in spellings)


def without_names(query: str, names: Sequence[Collection[str]]) -> str:
    """Return a question without its names that are written as such: what it asks about them."""
    spellings = {name for every in names if is_written_as_name(every) for name in every}
    for name in sorted(spellings, key=len, reverse=True):
        query = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", query)
    return query


Rarity = Callable[[str], float]
"""Tells how rare a stem is."""
FIT: Mapping[str, float] = {"covered": 4.75, "known": 2.03, "kind": 1.86}
"""Weights of the features of `fit_of`."""
LEAST = 5.92
"""The sum from which on a question is answered."""
HOPS = 2
"""Passages that an answer is put together from, at most."""


@dataclass(frozen=True)
class Candidates:
    """What may answer a question: all sentences that were read, and the best of them."""

    sentences: Sequence[Sentence]
    kind: float
    """How well the best hold what is asked for beside a name or bridge (0 to 1)."""


def alike_rare(_stem: str) -> float:
    """Count all words alike, where no collection tells how rare they are."""
    return 1.0


def is_answered(fit: Mapping[str, float]) -> bool:
    """Tell whether sentences that fit a question so well answer it."""
    return fsum(FIT[name] * value for name, value in fit.items()) >= LEAST


def fit_of(
    query: str, names: Sequence[Collection[str]], candidates: Candidates, rarity: Rarity
) -> dict[str, float]:
    """Return how well candidates fit a question, each from 0 to 1; all are 0 where none of its names is held.

    `covered`: words of the question, by rarity, in the two passages that together hold the most. `known`:
    proper names of the question in any. Both are read with title, metadata and headings. `kind`: the kind of
    thing asked for near a name or a bridge.
    """
    passages = {s.chunk.id: f"{s.title} / {s.about} / {s.chunk.content}" for s in candidates.sentences}
    held = _names_held(names, passages.values())
    if names and not any(held):
        return dict.fromkeys(FIT, 0.0)
    proper = [is_held for is_held, name in zip(held, names, strict=True) if is_written_as_name(name)]
    return {
        "covered": _covered(query, passages.values(), rarity),
        "known": sum(proper) / len(proper) if proper else 1.0,
        "kind": candidates.kind,
    }


def _covered(query: str, passages: Iterable[str], rarity: Rarity) -> float:
    worth = {stem: rarity(stem) for stem in dict.fromkeys(stems(query))}
    held = [worth.keys() & stems_of(passage) for passage in passages]
    together = (set().union(*some) for some in combinations(held, min(HOPS, len(held))))
    most = max(fsum(sorted(map(worth.__getitem__, some))) for some in together)
    return most / (fsum(worth.values()) or 1.0)


def _names_held(names: Sequence[Collection[str]], passages: Iterable[str]) -> list[bool]:
    """Tell which names a passage holds."""
    texts = [name_words(passage) for passage in passages]
    return [any(name_words(name) in text for name in every for text in texts) for every in names]


StatedOf = Callable[[str, Sequence[Collection[str]], Sequence[Sentence]], Doubles]
"""Tells how much of a question with its names each sentence states (n,)."""
Role = Literal["effect", "cause", "prevented", "preventer"]
"""The side of an arrow that a question names, to be told the other."""

_CAUSE = (
    r"(?:caus|produc|occasion|provok|creat|induc)\w*|(?:lead|leads|led) to|(?:bring|brings|brought) about"
    r"|result\w* in"
)
_PREVENT = r"(?:prevent|hinder|avert|avoid|stop)\w*|guard\w* against"
_DOES = r"\bwhat (?:do|does|did|can|could|may|might|will|would)\b.+\b"
_HAS = r"\bwhat (?:(?:has|have|had|can|could|may|might|will|would|first|really) )*"
_IS_THE = r"\bwhat (?:is|are|was|were) the "
_ASKED_RELATION: Mapping[str, tuple[Role, ...]] = {
    rf"{_DOES}(?:{_CAUSE})\W*$|{_IS_THE}(?:effect|result|consequence)s? of\b": ("cause",),
    rf"{_DOES}(?:{_PREVENT})\W*$": ("preventer",),
    rf"{_HAS}(?:{_CAUSE})|{_IS_THE}(?:cause|reason)s? (?:of|for)\b": ("effect",),
    rf"{_HAS}(?:{_PREVENT})": ("prevented",),
    r"\bwhy\b.*(?:\b(?:not|no|never)\b|n['’]t\b)": ("effect", "prevented"),
    r"\b(?:why|for what reason)\b": ("effect",),
}
"""Forms of questions, the first that fits, and which side of an arrow they name."""
_CUES = re.compile(rf"{_CAUSE}|{_PREVENT}|\b(?:effect|result|consequence|cause|reason)s?\b", re.IGNORECASE)
"""Words of a question that say how it asks, not what about."""
CUT = " …"
"""What marks a description that was shortened."""


class Side(NamedTuple):
    """One side of an arrow, and the sentence that states the arrow best."""

    role: Role
    stems: frozenset[str]
    sentence: str


def stated_by(
    graph: GraphView, query: str, names: Sequence[Collection[str]], sentences: Sequence[Sentence]
) -> Doubles:
    """Return the share of a question's words that each sentence states on the side it names (n,).

    "Why did the system fail?" names an effect, "What did the flood cause?" a cause. The side that a question
    names must share a word with it outside its `names`, which may stand in the title. Arrows of the graph are
    stated: what texts only deny, suppose or ask does not count.
    """
    roles, strengths = roles_of(query), np.zeros(len(sentences))
    asked, heads = (frozenset(stems(_CUES.sub(" ", text))) for text in (query, without_names(query, names)))
    if not roles or not asked:
        return strengths
    by_chunk = _sides(graph)
    for at, sentence in enumerate(sentences):
        inside = [
            side.stems
            for side in by_chunk.get(sentence.chunk.id, ())
            if side.role in roles and side.stems & (heads or asked)
            if side.sentence in sentence.line or sentence.line in side.sentence
        ]
        if inside:
            titled = asked & frozenset(stems(sentence.title))
            strengths[at] = max(len(asked & side | titled) for side in inside) / len(asked)
    return strengths


def roles_of(query: str) -> tuple[Role, ...]:
    """Return the sides that a question may name; none where it asks for no cause or effect."""
    return next(
        (roles for asked, roles in _ASKED_RELATION.items() if re.search(asked, query, re.IGNORECASE)), ()
    )


@per_graph
def _sides(graph: GraphView) -> Mapping[str, Sequence[Side]]:
    """Return the sides of the causal arrows of a graph by the chunks that state them."""
    called = {entity.id: entity.name for entity in graph.entities}
    by_chunk: dict[str, list[Side]] = defaultdict(list)
    for arrow in graph.relationships:
        if not (arrow.is_causal and arrow.is_stated and arrow.description):
            continue
        roles: tuple[Role, Role] = (
            ("preventer", "prevented") if arrow.type == "prevents" else ("cause", "effect")
        )
        sentence = " ".join(arrow.description.removesuffix(CUT).split())
        for role, end in zip(roles, (arrow.source_id, arrow.target_id), strict=True):
            side = Side(role, frozenset(stems(called.get(end, ""))), sentence)
            for chunk in arrow.chunk_ids or ():
                by_chunk[chunk].append(side)
    return by_chunk


METHOD = "extractive"
Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]
MAX_SENTENCES = 3
MAX_CONTEXT_TOKENS = 4000
FEATURES = (
    "relation",
    "words",
    "passage",
    "lead",
    "seeds",
    "kind",
    "direct",
    "title_bridges",
    "bridged",
    "stated",
)
"""What the score of a sentence is made of, each from 0 to 1.

Words shared with the question outside its names, and with all of it (BM25, 1 for the best); 1 / rank of the
passage; 1 / place in a passage that begins its document, times its share of that; names of the question; what
kind of thing is asked for; every name and other word of the question; a bridge in the title; any bridge
where there are also `relation` and `kind`; and what a causal arrow in it says of the question.
"""
WEIGHTS = (1.6, 0.3, 0.2, 1.0, 0.5, 1.5, 1.5, 1.0, 2.5, 3.0)
"""Of each of FEATURES: benchmarks/answers/fit.py, rounded; those that it leaves near 0, as they tell nothing
where the answer is two passages away, are set by hand for questions that one sentence answers, as is the
last: the question sets hardly ask for causes."""
PROMPT = 0.5
"""What a word of the turns before a reply counts beside one of its own."""
UNKNOWN_KIND = 0.5
"""What a sentence tells of a question that does not say what kind of thing it asks for."""
DIVERSITY = 0.5
"""How much of its likeness to sentences already chosen a sentence loses (Carbonell & Goldstein 1998, MMR)."""
WORTH = 0.4
"""A further sentence must have this share of the best one's score."""
NO_ANSWER = "The passages do not answer this question."


@dataclass(frozen=True)
class Rated:
    """Sentences as candidates for an answer."""

    features: Doubles
    """One row a sentence, one column each of FEATURES (n, 10)."""
    scores: Doubles
    """0 for what is no candidate (n,)."""
    kind_near: Doubles
    """How well each holds what is asked for, near a name of the question or a bridge to it (n,)."""

    def with_chosen(self, sentences: Sequence[Sentence], chosen: Sequence[int]) -> Candidates:
        """Return what tells whether the chosen sentences answer."""
        return Candidates(sentences, float(self.kind_near[list(chosen)].max()))


def extract_answer(
    query: str,
    chunks: Sequence[Chunk],
    *,
    documents: Mapping[str, Document] | None = None,
    names: Sequence[Collection[str]] = (),
    entity_of: EntityOf | None = None,
    stated_of: StatedOf | None = None,
    rarity_of: Rarity = alike_rare,
    max_sentences: int = MAX_SENTENCES,
    max_context_tokens: int = MAX_CONTEXT_TOKENS,
) -> Noted[Answer]:
    """Return up to `max_sentences` sentences of the chunks (best first) that speak to the query, each cited.

    `names` are what the question names, each in all its spellings; `rarity_of` tells how rare a stem is.
    Where the sentences hold too few of the question's words, or no passage any of its names, the answer is
    not supported and says so.
    """
    sentences, cut = sentences_of(chunks, documents or {}, max_context_tokens)
    answer = extract_from(
        query,
        sentences,
        names=names,
        entity_of=entity_of,
        stated_of=stated_of,
        rarity_of=rarity_of,
        max_sentences=max_sentences,
    )
    return Noted(data=answer, warnings=_over_budget(cut, max_context_tokens))


def extract_from(
    query: str,
    sentences: Sequence[Sentence],
    *,
    names: Sequence[Collection[str]] = (),
    entity_of: EntityOf | None = None,
    stated_of: StatedOf | None = None,
    rarity_of: Rarity = alike_rare,
    max_sentences: int = MAX_SENTENCES,
) -> Answer:
    """Return up to `max_sentences` of the sentences that speak to the query, best first, each cited."""
    topic = topic_of(query)
    candidates = rated(topic, sentences, names, entity_of, stated_of)
    if candidates is None:
        return unanswered(query)
    each = best_of_each(sentences, candidates.scores, names) if compares(query) else ()
    chosen = diverse(sentences, candidates.scores, max_sentences, each)
    read = candidates.with_chosen(sentences, chosen)
    if not is_answered(fit_of(topic, names, read, rarity_of)):
        return unanswered(query)
    return cited(query, [(sentences[i], float(candidates.scores[i])) for i in chosen])


def cited(query: str, chosen: Sequence[tuple[Sentence, float]]) -> Answer:
    """Return sentences and their scores as an answer, in the order given."""
    citations = tuple(sentence.cite(score) for sentence, score in chosen)
    text = " ".join(f"{sentence.line} [{n}]" for n, (sentence, _) in enumerate(chosen, start=1))
    return Answer(query=query, text=text, method=METHOD, citations=citations, supported=True)


def rated(
    query: str,
    sentences: Sequence[Sentence],
    names: Sequence[Collection[str]] = (),
    entity_of: EntityOf | None = None,
    stated_of: StatedOf | None = None,
) -> Rated | None:
    """Return how well each sentence may answer, or None where none has to do with the query.

    A sentence has, that shares a word with it (or replies to one that does), names what it names, or is tied
    to that by a bridge. Where passages name it, or a bridge to it, no other has to do with it.
    """
    if not sentences:
        return None
    bm25 = Bm25([f"{s.speaker} {s.text}" if s.speaker else s.text for s in sentences])
    prompts = Bm25([s.prompt for s in sentences]) if any(s.prompt for s in sentences) else None
    beyond_names = without_names(query, names)
    relation, words = (_shared(text, bm25, prompts) for text in (beyond_names, query))
    paths = paths_of(query, sentences, names, entity_of)
    bridged = np.maximum(paths.title_bridges, paths.text_bridges)
    candidates = (words > 0) | (paths.seeds > 0) | (bridged > 0)
    states = [not is_question(s.text) and any(map(str.isalpha, s.text)) for s in sentences]
    tied = _in_tied(sentences, np.maximum(paths.seeds, bridged))
    stated = stated_of(query, names, sentences) if stated_of else np.zeros(len(sentences))
    if (candidates & tied).any():
        candidates &= tied
    candidates |= stated > 0
    if any(states):  # where all that was read asks, its questions are what it says
        candidates &= states
    if not candidates.any():
        return None
    kind, counted, asked = expected(query), counted_by(query), frozenset(stems(beyond_names))
    held = np.maximum(
        stated, [holds_kind(kind, s.text, n, counted) for s, n in zip(sentences, paths.others, strict=True)]
    )
    features = np.column_stack(
        [
            relation,
            words,
            [1 / (1 + s.passage) for s in sentences],
            _leads(sentences),
            paths.seeds,
            held,
            (paths.seeds == 1) & [asked <= s.stems for s in sentences],
            paths.title_bridges,
            bridged * (relation + held) / 2,
            stated,
        ]
    )
    scores = np.where(candidates, features @ np.array(WEIGHTS), 0.0)
    near = np.maximum(paths.seeds, bridged) if names else np.ones(len(sentences))
    return Rated(features, scores, near * (held if kind else np.maximum(stated, UNKNOWN_KIND)))


def _shared(query: str, bm25: Bm25, prompts: Bm25 | None) -> Doubles:
    """Return the share of the best one's score in words that each sentence, or what it replies to, has."""
    scores = bm25.scores(query) if prompts is None else bm25.scores(query) + PROMPT * prompts.scores(query)
    return scores / (scores.max() or 1.0)


def _in_tied(sentences: Sequence[Sentence], ties: Doubles) -> Flags:
    """Tell which sentences are of a passage that names what the question names, or a bridge to it."""
    tied = {sentence.passage for sentence, tie in zip(sentences, ties.tolist(), strict=True) if tie}
    return np.array([sentence.passage in tied for sentence in sentences])


def _leads(sentences: Sequence[Sentence]) -> list[float]:
    """Return 1 / place of each sentence in a passage that begins its document, times its share of that.

    Texts say first what they are about: an entry of a handbook more than a speech. A passage of one sentence
    is an entry of its own, the turns of a chat are none.
    """
    lengths = Counter(s.passage for s in sentences)
    return [
        0.0
        if s.speaker
        else 1.0
        if lengths[s.passage] == 1
        else (not s.chunk.start) * s.share / (1 + s.place)
        for s in sentences
    ]


def best_of_each(
    sentences: Sequence[Sentence], scores: Doubles, names: Sequence[Collection[str]]
) -> list[int]:
    """Return the best sentence on each proper name, best first: of a passage with that title, if any."""
    chosen: dict[int, float] = {}
    for spellings in filter(is_written_as_name, names):
        wanted = frozenset(map(name_words, spellings))
        titled = [bare_title(sentence) in wanted for sentence in sentences]
        on_it = titled if any(titled) else [s.names(tuple(spellings)) for s in sentences]
        of_name = np.where(on_it, scores, 0.0)
        if of_name.any():
            chosen[int(of_name.argmax())] = float(of_name.max())
    return sorted(chosen, key=lambda at: -chosen[at])


def diverse(sentences: Sequence[Sentence], scores: Doubles, n: int, first: Sequence[int] = ()) -> list[int]:
    """Choose sentences one by one: high in score, unlike those chosen, and worth it beside the best.

    Those of `first` come first.
    """
    left = scores.copy()
    best, chosen = float(scores.max()), list[int]()
    while len(chosen) < n and (len(chosen) < len(first) or left.max() >= WORTH * best):
        step("sentences chosen", len(chosen))
        at = first[len(chosen)] if len(chosen) < len(first) else int(left.argmax())
        chosen.append(at)
        left[at] = -np.inf
        for i, sentence in enumerate(sentences):
            if np.isfinite(left[i]):
                left[i] = min(left[i], scores[i] - DIVERSITY * best * alike(sentence, sentences[at]))
    return chosen


def alike(left: Sentence, right: Sentence) -> float:
    """Return the share of stems that two sentences have in common (Jaccard)."""
    either = left.stems | right.stems
    return len(left.stems & right.stems) / len(either) if either else 0.0


def unanswered(query: str, method: str = METHOD) -> Answer:
    """Say that the passages do not answer."""
    return Answer(query=query, text=NO_ANSWER, method=method, supported=False)


def _over_budget(cut: Sequence[str], budget: int) -> tuple[ToolWarning, ...]:
    if not cut:
        return ()
    message = f"{len(cut)} passages did not fit whole into {budget} tokens; their rest was not read."
    return (ToolWarning(code="context_cut", message=message, records=tuple(cut)),)
