"""Answer a question with sentences of the passages, word for word."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import fsum
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.evidence import Event
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Corpus, GraphView
from corpusgraph.tasks.answer.chat import LEAST as LEAST_OF_TURNS
from corpusgraph.tasks.answer.chat import is_turn, rated_turns
from corpusgraph.tasks.answer.context import Draft
from corpusgraph.tasks.answer.question import (
    CUES,
    WHEN,
    Role,
    asks_when,
    asks_whether,
    compares,
    counted_by,
    defined_by,
    expected,
    holds_kind,
    is_written_as_name,
    matter,
    roles_of,
    time_asked_about,
    titles_in,
    topic_of,
    verdict_of,
    without_names,
)
from corpusgraph.tasks.answer.sentences import CUT, Provenance, Sentence, name_words, stems_of
from corpusgraph.tasks.answer.turns import is_question
from corpusgraph.tasks.graph.compiled import Doubles, per_graph
from corpusgraph.tasks.graph.linking import is_proper, link_names
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.graph.passages import QUALIFIER, passage_graph
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.text.diversity import diverse, jaccard

METHOD = "extractive"
NO_ANSWER = "The passages do not answer this question."
MAX_SENTENCES = 3
Names = Sequence[Collection[str]]
"""What a question names, each in all its spellings."""
EntityOf = Callable[[str], Entity]
"""Finds an entity by its id; one that the graph does not have is a stub that is named as its id."""
StatedOf = Callable[[str, Names, Sequence[Sentence]], Doubles]
"""Tells how much of a question with its names each sentence states (n,)."""
Rarity = Callable[[str], float]
"""Tells how rare a stem is."""


@dataclass(frozen=True)
class Asked:
    """A question, and what there is to tell which sentences answer it.

    Attributes
    ----------
    query : str
        The question.
    names : sequence of collection of str, optional
        What it names, each in all its spellings.
    max_sentences : int, optional
        Of the answer; None for the default.
    entity_of : callable, optional
    stated_of : callable, optional
        Tells what a graph and its events state of the question.
    rarity_of : callable, optional
        Tells how rare a stem is.

    """

    query: str
    names: Names = ()
    max_sentences: int | None = None
    entity_of: EntityOf | None = None
    """Unless given, words with a capital are names."""
    stated_of: StatedOf | None = None
    rarity_of: Rarity = lambda _stem: 1.0
    """Unless given, all words count alike."""


class Rated(NamedTuple):
    """Sentences as candidates for an answer."""

    features: Doubles
    """One row a sentence, one column each of FEATURES (n, 11)."""
    scores: Doubles
    """0 for what is no candidate (n,)."""
    near: Doubles
    """How near each is to a name of the question, or a bridge to it (n,)."""
    kind_near: Doubles
    """How well each holds what is asked for, near a name of the question or a bridge to it (n,)."""


@runtime_checkable
class DatedEvents(Protocol):
    """Finds events by the chunks that state them, or by the beginning of their ISO timestamps."""

    def dated(self, *, chunks: Collection[str] = (), time: str = "") -> Sequence[Event]:
        """Return the events of some chunks, and those of a time.

        Parameters
        ----------
        chunks : collection of str, optional
            Ids of chunks.
        time : str, default ""
            Beginning of an ISO timestamp.

        Returns
        -------
        sequence of Event

        """
        ...


def asked_of(
    query: str, graph: GraphView, corpus: Corpus | None = None, max_sentences: int | None = None
) -> Asked:
    """Return a question with what it names, however it spells it, and what a graph and its texts tell.

    Parameters
    ----------
    query : str
        The question.
    graph : GraphView
        Has the names.
    corpus : Corpus, optional
        Has the texts and events.
    max_sentences : int, optional
        Of the answer; None for the default.

    Returns
    -------
    Asked
        Names, and how to look entities up.

    """

    def stated(text: str, names: Names, sentences: Sequence[Sentence]) -> Doubles:
        happened = happened_by(corpus, query, names, sentences) if isinstance(corpus, DatedEvents) else 0.0
        return np.maximum(stated_by(graph, text, names, sentences), happened)

    linked, unknown = link_names(graph, query)
    bearers = {hit.name: [graph.entity(id_) for id_ in hit.entity_ids] for hit in linked}
    names = [
        [name, _OWNER.sub("", name), *(n for entity in entities for n in (entity.name, *aliases_of(entity)))]
        for name, entities in bearers.items()
        if any(
            is_proper(entity) and is_written_as_name([_ARTICLE.sub("", entity.name)]) for entity in entities
        )
    ]
    return Asked(
        query,
        [*names, *([name] for name in unknown)],
        max_sentences,
        Provenance(graph).entity,
        stated,
        passage_graph(graph, corpus).rarity,
    )


_ARTICLE = re.compile(r"^(?:The|An?) ")
_OWNER = re.compile(r"['’]s$")
"""The ending that says whose: Marley's."""


def chunks_of_time(query: str, graph: GraphView, corpus: Corpus | None) -> list[Chunk]:
    """Return the first passages that state what happened at the time that a question asks about, if any.

    Parameters
    ----------
    query : str
        The question.
    graph : GraphView
        Has the chunks.
    corpus : Corpus or None
        Has the events, where it is one of `DatedEvents`.

    Returns
    -------
    list of Chunk
        At most three.

    """
    if not isinstance(corpus, DatedEvents) or not (time := time_asked_about(query)):
        return []
    events = sorted(corpus.dated(time=time), key=lambda event: (event.document_id, event.start))
    ids = dict.fromkeys(event.chunk_id for event in events)
    return [graph.chunk(id_) for id_ in list(ids)[:MAX_SENTENCES]]


def extract_from(asked: Asked, sentences: Sequence[Sentence]) -> Answer:
    """Return up to `max_sentences` of the sentences that speak to the query, best first, each cited.

    Parameters
    ----------
    asked : Asked
        The question.
    sentences : sequence of Sentence
        Those that it may be answered with.

    Returns
    -------
    Answer
        `supported` is false where none speaks to it.

    """
    turns = [sentence for sentence in sentences if is_turn(sentence)]
    if not turns:
        return _from_texts(asked, sentences)
    texts = [sentence for sentence in sentences if not is_turn(sentence)]
    answers = [_from_chats(asked, turns), *([_from_texts(asked, texts)] if texts else [])]
    if texts and texts[0].passage < turns[0].passage:
        answers.reverse()
    return next((answer for answer in answers if answer.supported), answers[0])


def _from_chats(asked: Asked, turns: Sequence[Sentence]) -> Answer:
    """Return the turns that answer, or that none does."""
    _, scores, fit = rated_turns(asked.query, turns)
    if fit < LEAST_OF_TURNS:
        return unanswered(asked.query)
    best = np.argsort(-scores, kind="stable")[: asked.max_sentences or MAX_SENTENCES].tolist()
    return _answer(asked, turns, scores, [at for at in best if scores[at] >= WORTH * scores[best[0]]])


def _from_texts(asked: Asked, sentences: Sequence[Sentence]) -> Answer:
    """Return the sentences that answer, or that none does."""
    candidates = rated(asked, sentences)
    if candidates is None:
        return unanswered(asked.query)
    scores = candidates.scores
    each = best_of_each(sentences, scores, asked.names) if compares(asked.query) else ()
    chosen = worth_telling(sentences, scores, asked.max_sentences or MAX_SENTENCES, each)
    fit = fit_of(asked, sentences, candidates, chosen)
    if fsum(FIT[name] * value for name, value in fit.items()) < LEAST:  # here alone a question is declined
        return unanswered(asked.query)
    return _answer(asked, sentences, scores, chosen)


def _answer(asked: Asked, sentences: Sequence[Sentence], scores: Doubles, chosen: Sequence[int]) -> Answer:
    """Return sentences as an answer, with yes or no where the best says it."""
    answer = cited(asked.query, [(sentences[i], float(scores[i])) for i in chosen])
    best = sentences[chosen[0]]
    told = asks_whether(asked.query) and stems_of(asked.query) <= best.stems and verdict_of(best.text)
    return answer.model_copy(update={"text": f"{told}. {answer.text}"}) if told else answer


def cited(query: str, chosen: Sequence[tuple[Sentence, float]]) -> Answer:
    """Return sentences and their scores as an answer, in the order given.

    Parameters
    ----------
    query : str
        The question.
    chosen : sequence of (Sentence, float)
        Best first.

    Returns
    -------
    Answer
        Supported, with [n] after each sentence.

    """
    citations = tuple(sentence.cite(score) for sentence, score in chosen)
    text = " ".join(f"{sentence.line} [{n}]" for n, (sentence, _) in enumerate(chosen, start=1))
    return Answer(query=query, text=text, method=METHOD, citations=citations, supported=True)


def unanswered(query: str, method: str = METHOD) -> Answer:
    """Return the answer that says that the passages do not answer.

    Parameters
    ----------
    query : str
        The question.
    method : str, optional
        Name of who answers.

    Returns
    -------
    Answer
        Not supported.

    """
    return Answer(query=query, text=NO_ANSWER, method=method, supported=False)


FIT: Mapping[str, float] = {"covered": 4.75, "known": 2.03, "kind": 1.86, "missing": -1.0}
"""Weights of the features of `fit_of`."""
LEAST = 5.92
"""The sum from which on a question is answered."""
HOPS = 2
"""Passages that an answer is put together from, at most."""
AROUND = 3
"""Sentences before and after the best one of a passage that are read with it."""
TIED = 0.3
"""How near one of them must be to what the question names."""


def fit_of(
    asked: Asked, sentences: Sequence[Sentence], ratings: Rated, chosen: Sequence[int]
) -> dict[str, float]:
    """Return how well sentences fit a question, each from 0 to 1; all are 0 where none of its names is held.

    `covered`: words of the question, by rarity, around the best sentences of two passages that together hold
    the most, where what it names ties them, else of one. `known`: proper names of the question in any
    passage. Both are read with title and metadata. `kind`: the kind of thing asked for near a name or a
    bridge, in the best of those chosen; `missing`: there is none.

    Parameters
    ----------
    asked : Asked
        The question.
    sentences : sequence of Sentence
        All that were rated.
    ratings : Rated
        Made by `rated`.
    chosen : sequence of int
        Places of those of the answer, at least one.

    Returns
    -------
    dict of str to float
        `covered`, `known`, `kind` and `missing`.

    """
    passages = {s.chunk.id: f"{s.title} / {s.about} / {s.chunk.content}" for s in sentences}.values()
    texts = [name_words(passage) for passage in passages]
    held = [any(name_words(name) in text for name in every for text in texts) for every in asked.names]
    titles = [any(_holds_title(title, passage) for passage in passages) for title in titles_in(asked.query)]
    if not all(titles) or (held and not any(held)):
        return dict.fromkeys(FIT, 0.0)
    proper = [is_held for is_held, name in zip(held, asked.names, strict=True) if is_written_as_name(name)]
    around = _windows(sentences, ratings, stems_of(" ".join(name for every in asked.names for name in every)))
    hops = min(HOPS if asked.names else 1, len(around))
    words, kind = stems_of(topic_of(asked.query)), float(ratings.kind_near[list(chosen)].max())
    return {
        "covered": max(
            covered(words, frozenset().union(*some), asked.rarity_of) for some in combinations(around, hops)
        ),
        "known": sum(proper) / len(proper) if proper else 1.0,
        "kind": kind,
        "missing": float(not kind and expected(asked.query) is not None),
    }


def _holds_title(title: str, passage: str) -> bool:
    """Tell whether a text holds a title, or a word of it with a capital that opens no sentence."""
    if name_words(title) in name_words(passage):
        return True
    named = (word for word in title.split() if word[0].isupper())
    return any(re.search(rf"(?<=[^.!?\n]\s){re.escape(word)}\b", passage) for word in named)


def _windows(sentences: Sequence[Sentence], ratings: Rated, named: frozenset[str]) -> list[frozenset[str]]:
    """Return the stems around the best sentence of each passage, with those of names anywhere in it."""
    best: dict[int, int] = {}
    for at in np.argsort(-ratings.scores, kind="stable").tolist():
        if ratings.scores[at] > 0:
            best.setdefault(sentences[at].passage, at)
    tied, untied = list[frozenset[str]](), list[frozenset[str]]()
    for at in best.values():
        inside = [
            n
            for n in range(max(0, at - AROUND), min(len(sentences), at + AROUND + 1))
            if sentences[n].passage == sentences[at].passage
        ]
        about = stems_of(f"{sentences[at].title} / {sentences[at].about}")
        about |= named & stems_of(sentences[at].chunk.content)
        windows = tied if ratings.near[inside].max() >= TIED else untied
        windows.append(about.union(*(sentences[n].stems for n in inside)))
    return tied or untied or [frozenset()]


def covered(asked: Iterable[str], said: Collection[str], rarity: Rarity) -> float:
    """Return the share of the stems asked for that are said, by rarity.

    Parameters
    ----------
    asked : iterable of str
        Stems.
    said : collection of str
        Stems.
    rarity : callable
        Tells how rare a stem is.

    Returns
    -------
    float
        From 0 to 1.

    """
    worth = {stem: rarity(stem) for stem in set(asked)}
    return fsum(value for stem, value in worth.items() if stem in said) / (fsum(worth.values()) or 1.0)


FEATURES = (
    "around", "relation", "words", "passage", "lead", "seeds", "kind", "direct", "title_bridges", "bridged",
    "stated",
)  # fmt: skip
"""What the score of a sentence is made of, each from 0 to 1.

Words of the question outside its names, by rarity, in it or half in a sentence beside; words shared with the
question outside its names, and with all of it (BM25, 1 for the best); 1 / rank of the passage; 1 / place in a
brief passage that begins its document, times its share of that; names of the question, or of a sentence
before; what kind of thing is asked for; every name and other word of the question; a bridge in the title; any
bridge where there are also `relation` and `kind`; and what a causal arrow in it says of the question.
"""
WEIGHTS = (2.4, 1.2, 1.5, 1.2, 1.5, 0.7, 2.7, 1.4, 2.2, 1.6, 3.0)
"""Of each of FEATURES, as they most probably draw a sentence with the answer, of two-hop questions on entries
and of questions on long texts alike; the last by hand, as hardly any of these asks for a cause."""
ENTRY = 8
"""Sentences of an entry of a handbook: of longer texts, the first says less of what they are about."""
BESIDE = 0.5
"""What a word in a sentence beside counts."""
INHERITED = (0.8, 0.6, 0.5, 0.4, 0.3)
"""What a name in one of the sentences before counts, the nearest first."""
UNKNOWN_KIND = 0.5
"""What a sentence tells of a question that does not say what kind of thing it asks for."""
DIVERSITY = 0.5
"""How much of its likeness to sentences already chosen a sentence loses (Carbonell & Goldstein 1998, MMR)."""
WORTH = 0.4
"""A further sentence must have this share of the best one's score."""


def rated(asked: Asked, sentences: Sequence[Sentence]) -> Rated | None:
    """Return how well each sentence may answer, or None where none has to do with the query.

    A sentence has, that shares a word with it, names what it names, or is tied to that by a bridge. Where
    passages name it, or a bridge to it, no other has to do with it.

    Parameters
    ----------
    asked : Asked
        The question.
    sentences : sequence of Sentence
        n sentences.

    Returns
    -------
    Rated or None
        In the order of the sentences.

    """
    if not sentences:
        return None
    query, names = topic_of(asked.query), asked.names
    bm25 = Bm25([f"{s.speaker} {s.text}" if s.speaker else s.text for s in sentences])
    beyond_names = without_names(query, names)
    relation, words = (scores / (scores.max() or 1.0) for scores in map(bm25.scores, (beyond_names, query)))
    paths = paths_of(query, sentences, names, asked.entity_of)
    lengths = Counter(s.passage for s in sentences)
    brief = [min(1.0, ENTRY / lengths[s.passage]) for s in sentences]  # a mention in a long text ties little
    bridged = np.maximum(paths.title_bridges, paths.text_bridges * brief)
    tie = np.maximum(paths.seeds, bridged)
    candidates = (words > 0) | (tie > 0)
    states = [not is_question(s.text) and any(map(str.isalpha, s.text)) for s in sentences]
    passages = {s.passage for s, strength in zip(sentences, tie.tolist(), strict=True) if strength}
    tied = np.array([s.passage in passages for s in sentences])
    stated = asked.stated_of(query, names, sentences) if asked.stated_of else np.zeros(len(sentences))
    if (candidates & tied).any():
        candidates &= tied
    candidates |= stated > 0
    if any(states):  # where all that was read asks, its questions are what it says
        candidates &= states
    if not candidates.any():
        return None
    kind, beyond = expected(query), stems_of(beyond_names)
    counted = counted_by(query) or (defined_by(query) if kind == "definition" else None)
    kinds = [holds_kind(kind, s.text, n, counted) for s, n in zip(sentences, paths.others, strict=True)]
    held = np.maximum(stated, kinds)
    seeds = _inherited(paths.seeds, sentences)
    near = np.maximum(seeds, bridged) if names else np.ones(len(sentences))
    direct = (paths.seeds == 1) & [beyond <= s.stems for s in sentences]
    features = np.column_stack(
        [
            _around(asked, beyond, sentences),
            relation,
            words,
            [1 / (1 + s.passage) for s in sentences],
            _leads(sentences, lengths, brief),
            seeds,
            held,
            direct,
            paths.title_bridges,
            bridged * (1 - paths.seeds) * (relation + held) / 2,
            stated,
        ]
    )
    scores = np.where(candidates, features @ np.array(WEIGHTS), 0.0)
    floor = np.where(direct | (kind == "reason"), UNKNOWN_KIND / 2, 0.0) if kind else UNKNOWN_KIND
    return Rated(features, scores, near, near * np.maximum(held if kind else stated, floor))


def _inherited(seeds: Doubles, sentences: Sequence[Sentence]) -> Doubles:
    """Return how far each sentence names what is asked about, or follows one that does: "his burial"."""
    passages = np.array([s.passage for s in sentences])
    inherited = seeds.copy()
    for back, share in enumerate(INHERITED, start=1):
        same = passages[back:] == passages[:-back]
        inherited[back:] = np.maximum(inherited[back:], share * seeds[:-back] * same)
    return inherited


def _around(asked: Asked, words: frozenset[str], sentences: Sequence[Sentence]) -> list[float]:
    """Return the share of words, by rarity, that each sentence holds, or half of it one beside it."""
    held, shares = [s.stems & words for s in sentences], []
    rarity = {word: asked.rarity_of(word) for word in words}.__getitem__
    share = cache(lambda said: covered(words, said, rarity))  # most sentences hold the same few
    for at, s in enumerate(sentences):
        near = (n for n in (at - 1, at + 1) if 0 <= n < len(held) and sentences[n].passage == s.passage)
        both = held[at].union(*(held[n] for n in near))
        alone, together = share(held[at]), share(both)
        shares.append(alone + BESIDE * (together - alone))
    return shares


def _leads(sentences: Sequence[Sentence], lengths: Mapping[int, int], brief: Sequence[float]) -> list[float]:
    """Return 1 / place of each sentence in a passage that begins its document, times its share of that.

    Texts say first what they are about: an entry of a handbook more than a speech. A passage of one sentence
    is an entry of its own, the turns of a chat are none.
    """
    return [
        0.0
        if s.speaker
        else 1.0
        if lengths[s.passage] == 1 and len(s.text) > len(s.chunk.content) / 2
        else (not s.chunk.start) * s.share * short / (1 + s.place)
        for s, short in zip(sentences, brief, strict=True)
    ]


def best_of_each(sentences: Sequence[Sentence], scores: Doubles, names: Names) -> list[int]:
    """Return the best sentence on each proper name, best first: of a passage with that title, if any.

    Parameters
    ----------
    sentences : sequence of Sentence
        n sentences.
    scores : array of float, shape (n,)
        A score each.
    names : sequence of collection of str
        Each in all its spellings.

    Returns
    -------
    list of int
        Places.

    """
    chosen: dict[int, float] = {}
    for spellings in filter(is_written_as_name, names):
        wanted = frozenset(map(name_words, spellings))
        titled = [bare_title(sentence) in wanted for sentence in sentences]
        on_it = titled if any(titled) else [s.names(tuple(spellings)) for s in sentences]
        of_name = np.where(on_it, scores, 0.0)
        if of_name.any():
            chosen[int(of_name.argmax())] = float(of_name.max())
    return sorted(chosen, key=lambda at: -chosen[at])


def worth_telling(
    sentences: Sequence[Sentence], scores: Doubles, n: int, first: Sequence[int] = ()
) -> list[int]:
    """Choose sentences one by one: high in score, unlike those chosen, and worth it beside the best.

    Parameters
    ----------
    sentences : sequence of Sentence
        m sentences.
    scores : array of float, shape (m,)
        A score each.
    n : int
        How many are chosen, at most.
    first : sequence of int, optional
        Places that are chosen before others, best first.

    Returns
    -------
    list of int
        Places, in the order chosen.

    """

    def likenesses(at: int) -> list[float]:
        return [jaccard(sentence.stems, sentences[at].stems) for sentence in sentences]

    return diverse(scores, likenesses, n, penalty=DIVERSITY, least=WORTH, first=first)


Named = Mapping[str, str]
"""Names, as words between spaces, and the types of their entities, blank where they are not known."""

_CAPITALISED = re.compile(
    r"[A-ZÀ-ÖØ-Þ][\w'’.-]*(?:\s+(?:of|the|de|du|von|van|and|&)?\s*[A-ZÀ-ÖØ-Þ][\w'’.-]*)*"
)
_SHORTEST = 2
"""Letters of a name that may be a bridge."""


class Paths(NamedTuple):
    """What each of n sentences has to do with the names of a question."""

    others: Sequence[Named]
    """The names in it that the question has not."""
    seeds: Doubles
    """Share of the question's names that it names, or the title and the metadata above it (n,)."""
    title_bridges: Doubles
    """How well a sentence of another passage ties the title of its passage to the question (n,)."""
    text_bridges: Doubles
    """The same for the best of the names in it (n,)."""


def paths_of(query: str, sentences: Sequence[Sentence], names: Names, entity_of: EntityOf | None) -> Paths:
    """Return how sentences are tied to what the question names.

    Without `entity_of`, or for chunks that do not tell their entities, words with a capital are names.

    Parameters
    ----------
    query : str
        The question.
    sentences : sequence of Sentence
        n sentences.
    names : sequence of collection of str
        What the question names, each in all its spellings.
    entity_of : callable or None
        Finds an entity by its id.

    Returns
    -------
    Paths
        In the order of the sentences.

    """
    asked = name_words(query)
    spelled = [frozenset(map(name_words, spellings)) for spellings in names]

    def has(name: str) -> bool:
        return name in asked or any(name in other for spellings in spelled for other in spellings)

    def share_in(text: str) -> float:
        return sum(any(name in text for name in spellings) for spellings in spelled) / (len(spelled) or 1)

    titles = [bare_title(sentence) for sentence in sentences]
    others = [
        {name: type_ for name, type_ in named.items() if not has(name)}
        for named in _names_in(sentences, entity_of)
    ]
    seeds = [
        max(share_in(s.spaced), float(title in asked)) for s, title in zip(sentences, titles, strict=True)
    ]
    places = {title for title in titles if title.strip() and not has(title)}
    tied: dict[str, dict[int, float]] = defaultdict(dict)
    for sentence, named, seed in zip(sentences, others, seeds, strict=True):
        for name in [*named, *(title for title in places if title in sentence.spoken)] if seed else ():
            tied[name][sentence.passage] = max(seed, tied[name].get(sentence.passage, 0.0))

    def tie(name: str, passage: int) -> float:
        """Return how well a name is tied to the question by another passage than this."""
        return max((seed for other, seed in tied.get(name, {}).items() if other != passage), default=0.0)

    return Paths(
        others,
        np.array(seeds),
        np.array([tie(title, s.passage) for s, title in zip(sentences, titles, strict=True)]),
        np.array(
            [
                max((tie(name, s.passage) for name in named), default=0.0)
                for s, named in zip(sentences, others, strict=True)
            ]
        ),
    )


def bare_title(sentence: Sentence) -> str:
    """Return the words of the title above a sentence, between spaces and without its parenthesis.

    Parameters
    ----------
    sentence : Sentence
        A sentence.

    Returns
    -------
    str
        Case-folded.

    """
    return name_words(QUALIFIER.sub("", sentence.title.rstrip()))


def _names_in(sentences: Sequence[Sentence], entity_of: EntityOf | None) -> list[Named]:
    """Return the names in each sentence: of its chunk's entities, else the words with a capital."""
    known = {s.chunk.id: _entities(s.chunk, entity_of) for s in {s.chunk.id: s for s in sentences}.values()}
    named: list[Named] = []
    for sentence in sentences:
        if entities := known[sentence.chunk.id]:
            named.append({name: type_ for name, type_ in entities.items() if name in sentence.spoken})
        else:
            called = (name_words(match[0]) for match in _CAPITALISED.finditer(sentence.text))
            named.append({name: "" for name in called if len(name) > _SHORTEST + 1})
    return named


def _entities(chunk: Chunk, entity_of: EntityOf | None) -> Named:
    """Return the names of a chunk's entities that are written like names, with their types."""
    entities = [entity_of(id_) for id_ in chunk.entities or ()] if entity_of else []
    return {
        name: entity.type or ""
        for entity in entities
        if entity.name[:1] != entity.name[:1].lower() or entity.type in {"date", "quantity"}
        if len(name := name_words(entity.name)) > _SHORTEST + 1
    }


class Side(NamedTuple):
    """One side of an arrow, and the sentence that states the arrow best.

    Attributes
    ----------
    role : Role
        Which side it is.
    stems : frozenset of str
        Of the name of its entity.
    sentence : str
        On one line.

    """

    role: Role
    stems: frozenset[str]
    sentence: str


def stated_by(graph: GraphView, query: str, names: Names, sentences: Sequence[Sentence]) -> Doubles:
    """Return the share of a question's words that each sentence states on the side it names (n,).

    "Why did the system fail?" names an effect, "What did the flood cause?" a cause. The side that a question
    names must share a word with it outside its `names`, which may stand in the title. Arrows of the graph are
    stated: what texts only deny, suppose or ask does not count.

    Parameters
    ----------
    graph : GraphView
        Has the arrows.
    query : str
        The question.
    names : sequence of collection of str
        What it names, each in all its spellings.
    sentences : sequence of Sentence
        n sentences.

    Returns
    -------
    array of float, shape (n,)
        From 0 to 1.

    """
    roles, strengths = roles_of(query), np.zeros(len(sentences))
    asked, heads = (stems_of(CUES.sub(" ", text)) for text in (query, without_names(query, names)))
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
            titled = asked & stems_of(sentence.title)
            strengths[at] = max(len(asked & side | titled) for side in inside) / len(asked)
    return strengths


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
            side = Side(role, stems_of(called.get(end, "")), sentence)
            for chunk in arrow.chunk_ids or ():
                by_chunk[chunk].append(side)
    return by_chunk


def happened_by(corpus: DatedEvents, query: str, names: Names, sentences: Sequence[Sentence]) -> Doubles:
    """Return how much of a question of when, or of what happened then, each sentence's events state (n,).

    An event must do what the question asks about, in its own words; the names may stand in its sentence or in
    the title: the share of the question's words in these is what it states. Of a time that is asked about,
    any event of it states all.

    Parameters
    ----------
    corpus : DatedEvents
        Has the events.
    query : str
        The question.
    names : sequence of collection of str
        What it names, each in all its spellings.
    sentences : sequence of Sentence
        n sentences.

    Returns
    -------
    array of float, shape (n,)
        From 0 to 1.

    """
    time, strengths = time_asked_about(query), np.zeros(len(sentences))
    if not sentences or not (time or asks_when(query)):
        return strengths
    asked, heads = (stems_of(WHEN.sub(" ", text)) for text in (query, without_names(query, names)))
    for event in corpus.dated(chunks={sentence.chunk.id for sentence in sentences}):
        does = time or stems_of(f"{event.activity} {event.text}") & (heads or asked)
        if not does or not event.timestamp.startswith(time):
            continue
        for at, sentence in enumerate(sentences):
            inside = sentence.start <= event.start < sentence.end
            if inside and sentence.chunk.source_doc == event.document_id:
                words = sentence.stems | stems_of(f"{event.activity} {sentence.title}")
                share = 1.0 if time else len(asked & words) / len(asked)
                strengths[at] = max(strengths[at], share)
    return strengths


MAX_THEMES = 5
COVERED = 0.4
"""The least share of the question's words, by rarity, that evidence for all of it holds."""
SAME_MEMBERS = 0.5
"""A community that shares so much of its members with those chosen tells of the same thing."""
SAME_WORDS = 0.5
"""A finding so like one already chosen says nothing new (Jaccard index of stems)."""


def theme_answer(
    query: str, drafts: Sequence[Draft], names: Names = (), n: int = MAX_THEMES
) -> Answer | None:
    """Return the best finding of up to `n` communities that share few members, cited; None without support.

    Communities rank by rating, then size; where the question says about what, by its words too, and without
    enough of them there is no answer.

    Parameters
    ----------
    query : str
        A question about the whole.
    drafts : sequence of Draft
        Of communities, with their findings as sentences; others are left aside.
    names : sequence of collection of str, optional
        What the question names, each in all its spellings.
    n : int, optional
        How many communities.

    Returns
    -------
    Answer or None

    """
    reports = [draft for draft in drafts if draft.kind == "community" and draft.sentences]
    strict = any(draft.telling for draft in reports)  # not every language ends its sentences with a mark
    findings = [draft.telling if strict else draft.sentences for draft in reports]
    sentences = [sentence for told in findings for sentence in told]
    if not sentences or (names and not any(s.names(list(n)) for s in sentences for n in names)):
        return None
    about, bm25 = matter(query), Bm25([sentence.text for sentence in sentences])
    read = " ".join(f"{' '.join(draft.names)} {draft.text}" for draft in reports)
    if about and covered(stems_of(about), stems_of(read), bm25.rarity) < COVERED:
        return None
    scores = bm25.scores(about)
    by_report = np.split(scores / (scores.max() or 1.0), np.cumsum([len(told) for told in findings])[:-1])
    chosen = _chosen(reports, findings, by_report, n)
    return cited(query, chosen) if chosen else None


def _chosen(
    reports: Sequence[Draft], findings: Sequence[Sequence[Sentence]], scores: Sequence[Doubles], n: int
) -> list[tuple[Sentence, float]]:
    """Take one finding of each community in turn, those that tell of the same members last."""
    worth = [draft.rating / 10 + float(s.max(initial=0.0)) for draft, s in zip(reports, scores, strict=True)]
    order = sorted(range(len(reports)), key=lambda i: (-worth[i], -len(reports[i].members), reports[i].id))
    seen: set[str] = set()
    again: set[int] = set()
    for at in order:
        members = reports[at].members
        if members and len(members & seen) / len(members) > SAME_MEMBERS:
            again.add(at)
        seen |= members
    chosen: list[tuple[Sentence, float]] = []
    for at in sorted(order, key=again.__contains__):
        # First what can be understood alone, then what shares most words; of equals the first.
        best_first = sorted(
            zip(findings[at], scores[at], strict=True),
            key=lambda pair: (pair[0].is_fragment, pair[0].leans, -float(pair[1])),
        )
        told = [sentence.stems for sentence, _ in chosen]
        new = (s for s, _ in best_first if all(jaccard(s.stems, stems) < SAME_WORDS for stems in told))
        if len(chosen) < n and (finding := next(new, None)):
            chosen.append((finding, worth[at]))
    return chosen
