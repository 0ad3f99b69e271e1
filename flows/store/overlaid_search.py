"""Search over an index with a memory laid over it: what was added by hand is searched beside the index."""

import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.postings import cosines, unit
from corpusgraph.flows.store.tables import LEFT_OUT, holds, phrases_of, segmented, text_of
from corpusgraph.flows.store.vectors import DIGITS, KINDS, Hits, best_hits, first_wanted
from corpusgraph.schemas.ports import Embedder, Floats, Ints
from corpusgraph.tasks.build.embedded import chunk_text, entity_text, relationship_text, report_text
from corpusgraph.tasks.graph.ranking import is_lexical
from corpusgraph.tasks.overlay.view import RememberedGraph
from corpusgraph.tasks.text.words import snowball

K1, B = 1.2, 0.75
SAMPLE = 256
"""Items of the index whose lengths tell the average."""
SPARE_ROWS = 1024
"""Rows that no longer count, beyond as many as count, before the rest is read anew."""
_WORD = re.compile(r"\w+(?:['’.]\w+)*")
Embed = Callable[[list[str]], Floats]
Depends = Mapping[str, object]
"""Id of an item that the index does not have, or has otherwise -> what its text depends on."""
Make = Callable[[str], tuple[Any, str]]
"""Makes an item, and the text that its vector is made from."""


def terms(text: str) -> list[str]:
    """Return the words of a text as the full-text index has them: stems, without those it leaves out.

    Parameters
    ----------
    text : str
        Any.

    Returns
    -------
    list of str
        A word comes as often as the text has it.

    """
    stems = (snowball(word.casefold()) for word in _WORD.findall(text))
    return [stem for stem in stems if stem not in LEFT_OUT]


class Rows:
    """Items of one kind beside those of the index, a row for each way an item ever read.

    Rows are only added, so that whoever searches an earlier state of the memory still finds what it counts.
    Words and vectors are made of the rows that have none yet when they are first asked for.
    """

    def __init__(self, below: "OpenIndex", kind: str) -> None:
        self.kind, self.items, self._texts = kind, list[Any](), list[str]()
        self.n_below: int = below.manifest.tables[KINDS[kind]].rows
        self._below, self._lock = below, Lock()
        self._last: dict[str, tuple[object, int]] = {}
        self._lengths = array("q")
        self._postings: dict[str, tuple[array[int], array[int]]] = {}
        self._having: dict[str, int] = {}
        self._vectors, self._n_vectors = np.zeros((0, 0), np.float32), 0

    def of(self, now: Depends, make: Make) -> Ints:
        """Return the rows of some items as they read now (n,).

        Parameters
        ----------
        now : Depends
            Id -> what its text depends on.
        make : Make
            Id -> the item, and its text.

        Returns
        -------
        array of int, shape (n,)
            In the order of `now`.

        """
        places = np.empty(len(now), dtype=np.int64)
        with self._lock:
            for at, (id_, depends) in enumerate(now.items()):
                last = self._last.get(id_)
                if last is None or last[0] != depends:
                    item, text = make(id_)
                    last = self._last[id_] = depends, len(self.items)
                    self.items.append(item)
                    self._texts.append(text)
                places[at] = last[1]
        return places

    def vectors(self, embed: Embed) -> Floats:
        """Return the unit vectors of all rows (rows, dimension).

        Parameters
        ----------
        embed : Embed
            Texts -> vectors of length 1.

        Returns
        -------
        array of float, shape (rows, dimension)
            Each embedded once.

        """
        with self._lock:
            if new := self._texts[self._n_vectors :]:
                rows, n = embed(new), len(self._texts)
                if len(self._vectors) < n:  # room for as many again: a change adds a few
                    room = np.empty((2 * n, rows.shape[1]), np.float32)
                    room[: self._n_vectors] = self._vectors[: self._n_vectors].reshape(-1, rows.shape[1])
                    self._vectors = room
                self._vectors[self._n_vectors : n] = rows
                self._n_vectors = n
            return self._vectors[: self._n_vectors]

    def lengths(self) -> Ints:
        """Return how many words each row has (rows,).

        Returns
        -------
        array of int, shape (rows,)
            Without the words that the index leaves out.

        """
        with self._lock:
            for row in range(len(self._lengths), len(self.items)):
                words = terms(text_of(self.kind, self.items[row]))
                self._lengths.append(len(words))
                for word, n in Counter(words).items():
                    rows, times = self._postings.setdefault(word, (array("q"), array("q")))
                    rows.append(row)
                    times.append(n)
            return np.array(self._lengths, dtype=np.int64)

    def with_word(self, word: str, counts: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Return the rows that have a word, of those that count (rows,), and how often.

        Parameters
        ----------
        word : str
            A stem, as `terms` returns it.
        counts : array of bool, shape (rows,)
            Which rows count.

        Returns
        -------
        tuple of array of int, shape (k,), twice
            Rows in order, and how often each has the word.

        """
        with self._lock:
            rows, times = self._postings.get(word, (array("q"), array("q")))
            every, often = np.array(rows, dtype=np.int64), np.array(times, dtype=np.int64)
        n = int(np.searchsorted(every, len(counts)))  # others were added since
        here = counts[every[:n]]
        return every[:n][here], often[:n][here]

    @cached_property
    def average_below(self) -> float | None:
        """Return the average length of a text of the index; None where there is none."""
        items = getattr(self._below.graph, KINDS[self.kind])
        some = (items[at] for at in range(0, len(items), max(1, len(items) // SAMPLE)))
        lengths = [len(terms(text_of(self.kind, item))) for item in some]
        return sum(lengths) / len(lengths) if lengths else None

    def having_below(self, word: str) -> int:
        """Count the items of the index that have a word.

        Parameters
        ----------
        word : str
            In lower case.

        Returns
        -------
        int
            Asked of the index once.

        """
        if word not in self._having:
            self._having[word] = len(self._below.match(self.kind, word, max(self.n_below, 1)))
        return self._having[word]


class Added:
    """What stands beside an index in one state of its memory: `hidden` of the index do not count."""

    def __init__(self, rows: Rows, hidden: Collection[str], now: Depends, make: Make) -> None:
        self.hidden, self._rows, self._here = frozenset(hidden), rows, rows.of(now, make)

    def nearest(self, query: Floats, top_k: int, embed: Embed) -> Hits:
        """Return (id, cosine similarity) of the nearest to a unit vector, and of all that are as near.

        Parameters
        ----------
        query : array of float, shape (dimension,)
            Of length 1.
        top_k : int
            Items at most, and those that tie with the last.
        embed : callable
            Texts -> vectors of length 1.

        Returns
        -------
        Hits
            In no order; scores from -1 to 1.

        """
        if not len(self._here):
            return []
        scores = np.round(cosines(self._rows.vectors(embed), query)[self._here], DIGITS)
        n = min(top_k, len(scores))
        places = np.flatnonzero(scores >= np.partition(scores, -n)[-n])
        return list(zip(self._ids(self._here[places]), scores[places].tolist(), strict=True))

    def matrix(self, embed: Embed) -> dict[str, Floats]:
        """Return the vector of each item."""
        if not len(self._here):
            return {}
        return dict(zip(self._ids(self._here), self._rows.vectors(embed)[self._here], strict=True))

    def match(self, query: str) -> Hits:
        """Return (id, BM25 score) of the items that match, in no order.

        Parameters
        ----------
        query : str
            In any words; phrases in quotes have to stand word for word.

        Returns
        -------
        Hits
            Scored as if these and the items below were one index (Robertson & Zaragoza 2009).

        """
        rows = self._rows
        lengths = rows.lengths()
        counts = np.zeros(len(lengths), dtype=bool)
        counts[self._here] = True
        n_below, n = rows.n_below - len(self.hidden), len(self._here)
        own, scores = int(lengths[self._here].sum()), np.zeros(len(lengths))
        below = rows.average_below
        average = ((own / n if n else 0.0) if below is None else below) * n_below + own
        average = average / max(n_below + n, 1) or 1.0
        for word in dict.fromkeys(_WORD.findall(segmented(query).casefold())):
            for term in terms(word):
                at, times = rows.with_word(term, counts)
                if len(at):
                    having = len(at) + rows.having_below(word)
                    rare = math.log1p((n_below + n - having + 0.5) / (having + 0.5))
                    beside = K1 * (1 - B + B * lengths[at] / average)
                    scores[at] += rare * times * (K1 + 1) / (times + beside)
        hits, phrases = np.flatnonzero(scores).tolist(), phrases_of(query)
        return [
            (rows.items[at].id, round(float(scores[at]), DIGITS))
            for at in hits
            if not phrases or holds(text_of(rows.kind, rows.items[at]), phrases)
        ]

    def _ids(self, rows: Ints) -> list[str]:
        return [self._rows.items[at].id for at in rows.tolist()]


class RememberedVectors:
    """Searches an index and what was added to it by hand; what was made for the memory `before` is used."""

    def __init__(
        self, below: "OpenIndex", graph: RememberedGraph, before: "RememberedVectors | None" = None
    ) -> None:
        self._below, self.graph = below, graph
        # another cache: changes were undone, and what a text depends on may mean another text
        same = before is not None and before.graph.state.cache is graph.state.cache
        self.rows: dict[str, Rows] = dict(before.rows) if before is not None and same else {}
        self._added: dict[str, Added] = {}

    @cached_property
    def embedder(self) -> Embedder:
        """Return that of the index."""
        from corpusgraph.flows.embed.embedders import embedder_for

        return embedder_for(self._below.manifest)

    def nearest(self, kind: str, vector: Floats, top_k: int) -> Hits:
        """Return (id, cosine similarity), best first, ties by id."""
        self._below.nearest(kind, vector, min(top_k, 1))  # refuses an unknown kind, another dimension
        if top_k <= 0:
            return []
        query = unit(np.asarray(vector, np.float32).reshape(1, -1))[0]
        added = self._of(kind)
        hits = _shown(lambda n: self._below.nearest(kind, vector, n), added.hidden, top_k)
        return best_hits(hits + added.nearest(query, top_k, self._embed), top_k)

    def matrix(self, kind: str) -> tuple[list[str], Floats]:
        """Return ids, in order, and their unit vectors (n, dimension)."""
        ids, rows = self._below.matrix(kind)
        added = self._of(kind)
        every = {id_: row for id_, row in zip(ids, rows, strict=True) if id_ not in added.hidden}
        every |= added.matrix(self._embed)
        order = sorted(every)
        return order, np.array([every[id_] for id_ in order], np.float32).reshape(-1, rows.shape[1])

    def match(self, kind: str, query: str, top_k: int) -> Hits:
        """Return (id, BM25 score), best first, ties by id; a query without words finds nothing."""
        hits = self._below.match(kind, query, min(top_k, 1))  # refuses an unknown kind
        if top_k <= 0 or not query.strip():
            return hits
        added = self._of(kind)
        hits = _shown(lambda n: self._below.match(kind, query, n), added.hidden, top_k)
        return best_hits(hits + added.match(query), top_k)

    def _embed(self, texts: list[str]) -> Floats:
        """Embed texts; what was embedded lately for any memory over the same index is not embedded again."""
        cached = self.graph.base.embedded
        rows = {text: vector for text in texts if (vector := cached.get(text)) is not None}
        missing = sorted({text for text in texts if text not in rows})
        if missing:
            for text, vector in zip(missing, unit(self.embedder.embed(missing)), strict=True):
                cached[text] = rows[text] = vector
        return np.stack([rows[text] for text in texts])

    def _of(self, kind: str) -> Added:
        if kind not in self._added:
            hidden, now, make = _KIND[kind](self.graph, alone=not is_lexical(self.embedder))
            rows = self.rows.get(kind)
            if rows is None or len(rows.items) > 2 * len(now) + SPARE_ROWS:
                rows = self.rows[kind] = Rows(self._below, kind)
            self._added[kind] = Added(rows, hidden, now, make)
        return self._added[kind]


Changed = tuple[Collection[str], Depends, Make]
"""What of the index is hidden, what stands beside the rest, and how an item and its text are made."""


def _entities(graph: RememberedGraph, *, alone: bool) -> Changed:
    state, rows = graph.state, graph.entity_rows
    now = {id_: state.touched.get(id_) for id_ in (*rows.new, *graph.reads_otherwise)}

    def make(id_: str) -> tuple[Any, str]:
        entity = graph.entity_now(id_)
        return entity, entity_text(entity, alone=alone)

    return graph.reads_otherwise.union(_gone(rows.to_here, graph.base.entity_ids)), now, make


def _relationships(graph: RememberedGraph, *, alone: bool) -> Changed:
    edges, ids, rows = graph.edges, graph.base.relationship_ids, graph.relationship_rows
    called_otherwise = {ids[at] for id_ in graph.renamed for at in graph.base.edges_at(id_)}
    called_otherwise = {id_ for id_ in called_otherwise if id_ not in edges and id_ in rows.ids}
    now: dict[str, object] = {
        id_: (edge, graph.called(edge.source).name, graph.called(edge.target).name)
        for id_, edge in edges.items()
    }
    for id_ in called_otherwise:
        now[id_] = [graph.called(end).name for end in graph.base.ends(graph.base.edge_place(id_) or 0)]

    def make(id_: str) -> tuple[Any, str]:
        one = graph.relationship(id_)
        names = {end: graph.called(end).name for end in (one.source_id, one.target_id)}
        return one, relationship_text(names, alone=alone)(one)

    hidden = {id_ for id_, edge in edges.items() if edge.place is not None} | called_otherwise
    return hidden.union(_gone(rows.to_here, ids)), now, make


def _chunks(graph: RememberedGraph, *, alone: bool) -> Changed:  # noqa: ARG001  as the others
    lines = {chunk.id: (one.document.title, chunk) for one in graph.documents for chunk in one.chunks}

    def make(id_: str) -> tuple[Any, str]:
        title, chunk = lines[id_]
        return chunk, chunk_text(title, chunk.content)

    return graph.redactions.chunks, {id_: title for id_, (title, _) in lines.items()}, make


def _reports(graph: RememberedGraph, *, alone: bool) -> Changed:
    if graph.reports is graph.base.graph.reports:
        return (), {}, lambda _: (None, "")
    below = {report.id: report for report in graph.base.graph.reports}
    kept = {report.id: report for report in graph.reports}
    hidden = [id_ for id_, report in below.items() if kept.get(id_) != report]
    now = {id_: kept[id_].model_dump_json() for id_ in hidden if id_ in kept}
    return hidden, now, lambda id_: (kept[id_], report_text(kept[id_], alone=alone))


_KIND: dict[str, Callable[..., Changed]] = {
    "entity": _entities,
    "relationship": _relationships,
    "chunk": _chunks,
    "report": _reports,
}


def _gone(to_here: Any, ids: Sequence[str]) -> Iterable[str]:
    return (ids[at] for at in np.flatnonzero(to_here < 0).tolist())


def _shown(ask: Callable[[int], Hits], hidden: frozenset[str], top_k: int) -> Hits:
    """Ask for more until enough of the answer is not hidden."""
    return first_wanted(ask, lambda id_: id_ not in hidden, top_k, top_k + min(len(hidden), 64))
