"""Search over an index with a memory laid over it: what was added by hand is indexed apart, in two parts."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.postings import cosines, unit
from corpusgraph.flows.store.tables import LEFT_OUT, holds, phrases_of, segmented, text_of
from corpusgraph.flows.store.text_index import search_texts, text_table
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import Embedder, Floats
from corpusgraph.tasks.build.embedded import chunk_text, entity_text, relationship_text, report_text
from corpusgraph.tasks.graph.compiled import Ids
from corpusgraph.tasks.graph.ranking import is_lexical
from corpusgraph.tasks.overlay.delta import News, news
from corpusgraph.tasks.overlay.evidence import Written
from corpusgraph.tasks.overlay.view import RememberedGraph

K1, B = 1.2, 0.75
SAMPLE = 256
"""Items of the index whose lengths tell the average."""
MANY = 64
"""How often a word is in a text, at most, that is told from its score."""
LATE, SHARE = 256, 8
"""Items in the second table, at most: so many, or this part of those in the first."""
_WORD = re.compile(r"\w+(?:['’.]\w+)*")
_DIGITS = 6
_KINDS = {"entity": "entities", "relationship": "relationships", "chunk": "chunks", "report": "reports"}


class Below:
    """What is asked of the texts of one kind in the index below; `counted` keeps how many have a word."""

    def __init__(self, index: "OpenIndex", kind: str, counted: dict[tuple[str, str], int]) -> None:
        self._index, self.kind, self._counted = index, kind, counted
        self.rows = index.manifest.tables[_KINDS[kind]].rows

    def length(self, item: Any) -> int:
        """Count the words of an item that are indexed."""
        words = _WORD.findall(text_of(self.kind, item))
        return sum(word.casefold() not in LEFT_OUT for word in words)

    @cached_property
    def average(self) -> float | None:
        """Return the average length of a text; None where there is none."""
        items = getattr(self._index.graph, _KINDS[self.kind])
        lengths = [self.length(items[at]) for at in range(0, len(items), max(1, len(items) // SAMPLE))]
        return sum(lengths) / len(lengths) if lengths else None

    def having(self, word: str) -> int:
        """Count the items that have a word."""
        key = self.kind, word
        if key not in self._counted:
            self._counted[key] = len(self._index.match(self.kind, word, max(self.rows, 1)))
        return self._counted[key]


class Part:
    """Some items in a table of their own."""

    def __init__(self, below: Below, items: Mapping[str, Any]) -> None:
        self.items = items
        self._below = below

    @cached_property
    def _table(self) -> Any:
        return text_table(self._below.kind, list(self.items.values()))

    @cached_property
    def lengths(self) -> dict[str, int]:
        """Return how many words each item has."""
        return {id_: self._below.length(item) for id_, item in self.items.items()}

    @cached_property
    def average(self) -> float:
        """Return the average length, as the table has it."""
        return sum(self.lengths.values()) / len(self.lengths) or 1.0

    def weights(self, word: str, everyone: float) -> list[tuple[str, float]]:
        """Return what a word counts in each item that has it, beside the average length of all texts."""
        hits = search_texts(self._table, word, len(self.items)) if self.items else []
        rare = _rarity(len(self.items), len(hits))
        return [(id_, self._weight(id_, score / rare, everyone)) for id_, score in hits]

    def _weight(self, id_: str, weight: float, everyone: float) -> float:
        guess = self.lengths[id_] / self.average
        times = min(range(1, MANY), key=lambda n: abs(_length(weight, n) - guess))
        beside = self.lengths[id_] / everyone
        return times * (K1 + 1) / (times + K1 * (1 - B + B * beside))


class FreshText:
    """The texts of new items of one kind; of an item that is in both parts the late one counts."""

    def __init__(self, below: Below, n_hidden: int, early: Part, late: Part) -> None:
        self._below, self._n_below = below, below.rows - n_hidden
        self._early, self._late = early, late

    @classmethod
    def of(cls, below: Below, n_hidden: int, items: Mapping[str, Any]) -> "FreshText":
        """Return the texts of some items."""
        return cls(below, n_hidden, Part(below, items), Part(below, {}))

    def more(self, n_hidden: int, items: Mapping[str, Any]) -> "FreshText":
        """Return these and those of others, or of some as they are now."""
        late = {**self._late.items, **items}
        if len(late) > max(LATE, len(self._early.items) // SHARE):
            return FreshText.of(self._below, n_hidden, {**self._early.items, **late})
        part = Part(self._below, late) if items else self._late
        return FreshText(self._below, n_hidden, self._early, part)

    @cached_property
    def _lengths(self) -> tuple[int, int]:
        """Return how many items there are, and how many words they have."""
        late = self._late.lengths
        early = [n for id_, n in self._early.lengths.items() if id_ not in late]
        return len(early) + len(late), sum(early) + sum(late.values())

    @cached_property
    def _everyone(self) -> float:
        """Return the average length of all texts, those below too."""
        n, words = self._lengths
        theirs = self._below.average
        of_theirs = (words / n if n else 0.0) if theirs is None else theirs
        return (of_theirs * self._n_below + words) / max(self._n_below + n, 1) or 1.0

    def match(self, query: str) -> list[tuple[str, float]]:
        """Return (id, BM25 score) of the items that match, in no order."""
        found: dict[str, float] = {}
        for word in dict.fromkeys(_WORD.findall(segmented(query).casefold())):
            weights = dict(self._early.weights(word, self._everyone))
            weights = {id_: one for id_, one in weights.items() if id_ not in self._late.items}
            weights |= dict(self._late.weights(word, self._everyone))
            n = self._lengths[0] + self._n_below
            rare = _rarity(n, len(weights) + self._below.having(word)) if weights else 0.0
            for id_, weight in weights.items():
                found[id_] = found.get(id_, 0.0) + rare * weight
        kept, phrases = {**self._early.items, **self._late.items}, phrases_of(query)
        return [
            (id_, round(score, _DIGITS))
            for id_, score in found.items()
            if not phrases or holds(text_of(self._below.kind, kept[id_]), phrases)
        ]


def _rarity(n: int, having: int) -> float:
    return math.log1p((n - having + 0.5) / (having + 0.5))


def _length(weight: float, times: int) -> float:
    """Return length over average of a text in which a word that stands so many times has a weight."""
    return ((times * (K1 + 1) / weight - times) / K1 - (1 - B)) / B


class Fresh(NamedTuple):
    """What stands in for what the index below has: `hidden` of its items, and others with their texts."""

    hidden: frozenset[str]
    items: Mapping[str, Any]
    texts: Mapping[str, str]
    since: Mapping[str, str]
    """The texts of the items that were not there before, or were others; all where there was no before."""

    def more(self, hidden: Iterable[str], items: Mapping[str, Any], texts: Mapping[str, str]) -> "Fresh":
        """Return the same with more of all."""
        return Fresh(self.hidden.union(hidden), {**self.items, **items}, {**self.texts, **texts}, texts)


NOTHING = Fresh(frozenset(), {}, {}, {})


class Freshness:
    """Works it out for a view; `alone`: whether a vector is of a text alone, without names beside it."""

    def __init__(self, graph: RememberedGraph, *, alone: bool) -> None:
        self._graph, self._alone = graph, alone

    def of(self, kind: str, before: Fresh = NOTHING, told: News | None = None) -> Fresh:
        """Return it for a kind of item: all of it, or, with what is told, from that of the view before."""
        if kind == "entity":
            return self._entities(before, told)
        if kind == "relationship":
            return self._relationships(before, told)
        return self._chunks(before, told) if kind == "chunk" else self._reports()

    def _entities(self, before: Fresh, told: News | None) -> Fresh:
        graph, rows = self._graph, self._graph.entity_rows
        if told is not None:
            ids = [id_ for id_ in told.entities if rows.is_new(id_) or id_ in graph.reads_otherwise]
            hidden = graph.reads_otherwise.intersection(ids)
        else:
            hidden = frozenset(id_ for id_ in graph.reads_otherwise if graph.roster.there(id_))
            ids = sorted({*rows.new, *hidden})
            hidden |= _gone(graph, "entity_rows")
        find, entities = Ids(rows).find, graph.entities
        items: dict[str, Entity] = {id_: entities[at] for id_ in ids if (at := find(id_)) is not None}
        texts = {id_: entity_text(item, alone=self._alone) for id_, item in items.items()}
        return before.more(hidden, items, texts)

    def _relationships(self, before: Fresh, told: News | None) -> Fresh:
        graph, edges = self._graph, self._graph.base.edges
        if told is not None:
            ids = {graph.patch.by_hand[id_] for id_ in told.relations}
            hidden = frozenset(id_ for id_ in ids if id_ not in graph.patch.new)
        else:
            places = {*graph.patch.changed, *edges.at(graph.renamed)} - graph.patch.gone
            hidden = frozenset(edges.relationships.ids[place] for place in places)
            ids = {*graph.relationship_rows.new, *hidden}
            hidden |= _gone(graph, "relationship_rows")
        items: dict[str, Relationship] = {id_: graph.relationship(id_) for id_ in sorted(ids)}
        ends = {end for one in items.values() for end in (one.source_id, one.target_id)}
        names = {end: graph.roster.called(end).name for end in sorted(ends)}
        write = relationship_text(names, alone=self._alone)
        return before.more(hidden, items, {id_: write(item) for id_, item in items.items()})

    def _chunks(self, before: Fresh, told: News | None) -> Fresh:
        papers: Iterable[Written] = self._graph.papers.all
        if told is not None:
            own = (self._graph.papers.of(id_) for id_ in told.sources)
            papers = [paper for paper in own if paper is not None]
        lines = [
            (paper.document.title, one)
            for paper in papers
            for one in paper.chunks
            if one.id not in before.items
        ]
        items = {chunk.id: chunk for _, chunk in lines}
        texts = {chunk.id: chunk_text(title, chunk.content) for title, chunk in lines}
        hidden = () if told is not None else self._graph.changed.withheld.chunks
        return before.more(hidden, items, texts)

    def _reports(self) -> Fresh:
        graph = self._graph
        if graph.reports is graph.base.graph.reports:
            return NOTHING
        kept = {report.id: report for report in graph.reports}
        below = {report.id: report for report in graph.base.graph.reports}
        pairs = ((id_, kept.get(id_), report) for id_, report in below.items())
        hidden = {id_ for id_, now, report in pairs if now is not report and now != report}
        items = {id_: kept[id_] for id_ in sorted(hidden) if id_ in kept}
        texts = {id_: report_text(item, alone=self._alone) for id_, item in items.items()}
        return NOTHING.more(hidden, items, texts)


def _gone(graph: RememberedGraph, rows: str) -> frozenset[str]:
    overlay = getattr(graph, rows)
    return frozenset(overlay.base[place] for place in overlay.out.tolist())


Embed = Callable[[list[str]], Floats]
Hits = list[tuple[str, float]]
_VECTOR_DIGITS = 6  # as in the search of the index below
_ROOM = 64


class _Buffer:
    """Rows that several versions share, each knowing how many are its own: the newest may add some."""

    def __init__(self, rows: Floats) -> None:
        self.rows, self.used = rows, len(rows)
        self.lock = Lock()


class Rows:
    """Unit vectors by id, a row each; of an id with several rows the last counts."""

    def __init__(
        self, buffer: _Buffer, ids: list[str], alive: NDArray[np.bool_], row: dict[str, int]
    ) -> None:
        self._buffer, self._ids, self._alive, self._row = buffer, ids, alive, row

    @classmethod
    def empty(cls, dimension: int) -> "Rows":
        """Return none."""
        rows = np.zeros((0, dimension), np.float32)
        return cls(_Buffer(rows), [], np.zeros(0, dtype=bool), {})

    def more(self, found: Mapping[str, Floats]) -> "Rows":
        """Return these and others; an id that is there gets another vector."""
        if not found:
            return self
        start, new = len(self._ids), np.stack(list(found.values()))
        alive = np.concatenate([self._alive, np.ones(len(found), dtype=bool)])
        alive[[self._row[id_] for id_ in found if id_ in self._row]] = False
        row = {**self._row, **{id_: start + i for i, id_ in enumerate(found)}}
        return Rows(self._written(new), [*self._ids, *found], alive, row)

    def _written(self, new: Floats) -> _Buffer:
        """Write rows after ours: where nobody else did, and there is room, into the same buffer."""
        buffer, start = self._buffer, len(self._ids)
        end = start + len(new)
        with buffer.lock:
            if buffer.used == start and end <= len(buffer.rows):
                buffer.rows[start:end] = new
                buffer.used = end
                return buffer
            rows = np.zeros((end + max(_ROOM, end // 2), new.shape[1]), np.float32)
            rows[:start] = buffer.rows[:start]
        rows[start:end] = new
        grown = _Buffer(rows)
        grown.used = end
        return grown

    def nearest(self, query: Floats, top_k: int) -> Hits:
        """Return (id, cosine similarity) of the nearest to a unit vector, and of all that are as near."""
        n = int(self._alive.sum())
        if not n or top_k <= 0:
            return []
        scores = np.round(cosines(self._buffer.rows[: len(self._ids)], query), _VECTOR_DIGITS)
        scores[~self._alive] = -np.inf
        least = -np.partition(-scores, min(top_k, n) - 1)[min(top_k, n) - 1]
        return [
            (self._ids[at], round(float(scores[at]), _VECTOR_DIGITS))
            for at in np.flatnonzero(scores >= least)
        ]

    def matrix(self) -> tuple[list[str], Floats]:
        """Return ids and their vectors (n, dimension), in no order."""
        places = np.flatnonzero(self._alive)
        return [self._ids[at] for at in places.tolist()], self._buffer.rows[places]


class FreshRows:
    """The vectors of texts by id; those that came last are embedded when they are first searched."""

    def __init__(self, embed: Embed, known: Rows, waiting: Mapping[str, str]) -> None:
        self._embed, self._known, self._waiting = embed, known, waiting

    def more(self, texts: Mapping[str, str]) -> "FreshRows":
        """Return these and those of other texts."""
        if "all" in vars(self):
            return FreshRows(self._embed, self.all, texts)
        return FreshRows(self._embed, self._known, {**self._waiting, **texts})

    @cached_property
    def all(self) -> Rows:
        """Return all, embedded."""
        if not self._waiting:
            return self._known
        texts = sorted(set(self._waiting.values()))
        found = dict(zip(texts, unit(self._embed(texts)), strict=True))
        return self._known.more({id_: found[text] for id_, text in sorted(self._waiting.items())})


class RememberedVectors:
    """Searches an index and what was added to it by hand.

    What was worked out for the memory `before` is brought on where additions are all that came since.
    """

    def __init__(
        self, below: "OpenIndex", graph: RememberedGraph, before: "RememberedVectors | None" = None
    ) -> None:
        self._below, self.graph = below, graph
        self._fresh: dict[str, Fresh] = {}
        self._rows: dict[str, FreshRows] = {}
        self._texts: dict[str, FreshText] = {}
        told = news(before.graph.state, graph.state) if before is not None else None
        if before is not None and told is not None:
            self._bring_on(before, told)

    def _bring_on(self, before: "RememberedVectors", told: News) -> None:
        if "embedder" in vars(before):
            vars(self)["embedder"] = before.embedder
        known, rows, texts = before.made
        for kind, fresh in known.items():
            found = self._fresh[kind] = self._freshness.of(kind, fresh, told)
            if kind in rows:
                others = {id_: text for id_, text in found.since.items() if fresh.texts.get(id_) != text}
                self._rows[kind] = rows[kind].more(others)
            if kind in texts:
                since = {id_: found.items[id_] for id_ in found.since}
                self._texts[kind] = texts[kind].more(len(found.hidden), since)

    @property
    def made(self) -> "tuple[dict[str, Fresh], dict[str, FreshRows], dict[str, FreshText]]":
        """Return what was worked out so far, by kind."""
        return dict(self._fresh), dict(self._rows), dict(self._texts)

    @cached_property
    def embedder(self) -> Embedder:
        """Return that of the index."""
        from corpusgraph.flows.embed.embedders import embedder_for

        return embedder_for(self._below.manifest)

    @cached_property
    def _freshness(self) -> Freshness:
        return Freshness(self.graph, alone=not is_lexical(self.embedder))

    def nearest(self, kind: str, vector: Floats, top_k: int) -> Hits:
        """Return (id, cosine similarity), best first, ties by id."""
        self._below.nearest(kind, vector, min(top_k, 1))  # refuses an unknown kind, another dimension
        if top_k <= 0:
            return []
        query = unit(np.asarray(vector, np.float32).reshape(1, -1))[0]
        made = self._vectors(kind).nearest(query, top_k)
        found = _shown(lambda n: self._below.nearest(kind, vector, n), self._of(kind).hidden, top_k)
        return sorted(found + made, key=lambda hit: (-hit[1], hit[0]))[:top_k]

    def matrix(self, kind: str) -> tuple[list[str], Floats]:
        """Return ids, in order, and their unit vectors (n, dimension)."""
        below, rows = self._below.matrix(kind)
        hidden = self._of(kind).hidden
        more, made = self._vectors(kind).matrix()
        kept = [i for i, id_ in enumerate(below) if id_ not in hidden]
        ids = [*(below[i] for i in kept), *more]
        order = sorted(range(len(ids)), key=ids.__getitem__)
        return [ids[i] for i in order], np.concatenate([rows[kept], made.reshape(-1, rows.shape[1])])[order]

    def match(self, kind: str, query: str, top_k: int) -> Hits:
        """Return (id, BM25 score), best first, ties by id; a query without words finds nothing."""
        found = self._below.match(kind, query, min(top_k, 1))  # refuses an unknown kind
        if top_k <= 0 or not query.strip():
            return found
        fresh = self._of(kind)
        hits = _shown(lambda n: self._below.match(kind, query, n), fresh.hidden, top_k)
        made = self._text(kind, fresh).match(query) if fresh.items else []
        return sorted(hits + made, key=lambda hit: (-hit[1], hit[0]))[:top_k]

    def _text(self, kind: str, fresh: Fresh) -> "FreshText":

        if kind not in self._texts:
            below = Below(self._below, kind, self.graph.base.counted)
            self._texts[kind] = FreshText.of(below, len(fresh.hidden), fresh.items)
        return self._texts[kind]

    def _vectors(self, kind: str) -> Rows:
        if kind not in self._rows:
            empty = Rows.empty(self.embedder.dimension)
            self._rows[kind] = FreshRows(self._embed, empty, self._of(kind).texts)
        return self._rows[kind].all

    def _embed(self, texts: list[str]) -> Floats:
        """Embed texts; what was embedded lately for any memory over the same index is not embedded again."""
        kept = self.graph.base.embedded
        known = {text: vector for text in texts if (vector := kept.get(text)) is not None}
        missing = [text for text in texts if text not in known]
        if missing:
            for text, vector in zip(missing, unit(self.embedder.embed(missing)), strict=True):
                kept[text] = known[text] = vector
        return np.stack([known[text] for text in texts])

    def _of(self, kind: str) -> Fresh:
        if kind not in self._fresh:
            self._fresh[kind] = self._freshness.of(kind)
        return self._fresh[kind]


def _shown(ask: Callable[[int], Hits], hidden: frozenset[str], top_k: int) -> Hits:
    """Ask for more until enough of the answer is not hidden."""
    n = top_k + min(len(hidden), 64)
    while True:
        hits: Sequence[tuple[str, float]] = ask(n)
        found = [hit for hit in hits if hit[0] not in hidden]
        if len(found) >= top_k or len(hits) < n:
            return found[:top_k]
        n *= 8
