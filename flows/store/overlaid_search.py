"""Search over an index with a memory laid over it: what was added by hand is indexed apart, in two parts."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.postings import cosines, unit
from corpusgraph.flows.store.tables import LEFT_OUT, holds, phrases_of, segmented, text_of
from corpusgraph.flows.store.text_index import search_texts, text_table
from corpusgraph.flows.store.vectors import DIGITS, KINDS, Hits, best_hits, first_wanted
from corpusgraph.schemas.ports import Embedder, Floats
from corpusgraph.tasks.build.embedded import chunk_text, entity_text, relationship_text, report_text
from corpusgraph.tasks.graph.ranking import is_lexical
from corpusgraph.tasks.overlay.view import RememberedGraph

K1, B = 1.2, 0.75
SAMPLE = 256
"""Items of the index whose lengths tell the average."""
MANY = 64
"""How often a word is in a text, at most, that is told from its score."""
LATE, SHARE = 256, 8
"""Items in the second part, at most: so many, or this part of those in the first."""
_WORD = re.compile(r"\w+(?:['’.]\w+)*")
Depends = Mapping[str, object]
"""Id of an item that the index does not have, or has otherwise -> what its text depends on."""


class Below:
    """What is asked of the texts of one kind in the index below; `counted` keeps how many have a word."""

    def __init__(self, index: "OpenIndex", kind: str, counted: dict[tuple[str, str], int]) -> None:
        self._index, self.kind, self._counted = index, kind, counted
        self.rows = index.manifest.tables[KINDS[kind]].rows

    def length(self, item: Any) -> int:
        """Count the words of an item that are indexed.

        Parameters
        ----------
        item : Any
            Of this kind.

        Returns
        -------
        int
            Without the words that the index leaves out.

        """
        words = _WORD.findall(text_of(self.kind, item))
        return sum(word.casefold() not in LEFT_OUT for word in words)

    @cached_property
    def average(self) -> float | None:
        """Return the average length of a text; None where there is none."""
        items = getattr(self._index.graph, KINDS[self.kind])
        lengths = [self.length(items[at]) for at in range(0, len(items), max(1, len(items) // SAMPLE))]
        return sum(lengths) / len(lengths) if lengths else None

    def having(self, word: str) -> int:
        """Count the items that have a word.

        Parameters
        ----------
        word : str
            In lower case.

        Returns
        -------
        int
            Asked of the index once.

        """
        key = self.kind, word
        if key not in self._counted:
            self._counted[key] = len(self._index.match(self.kind, word, max(self.rows, 1)))
        return self._counted[key]


class Part:
    """Some items with their texts, in tables of their own that are made when they are first searched."""

    def __init__(self, below: Below, depends: Depends, make: Callable[[str], tuple[Any, str]]) -> None:
        self.depends = depends
        self._below, self._make = below, make

    @cached_property
    def rows(self) -> dict[str, tuple[Any, str]]:
        """Return each item, and the text that its vector is made from."""
        rows = {id_: self._make(id_) for id_ in sorted(self.depends)}
        del self._make  # and with it the view that they were made from
        return rows

    @cached_property
    def _table(self) -> Any:
        return text_table(self._below.kind, [item for item, _ in self.rows.values()])

    def vectors(self, embed: Callable[[list[str]], Floats]) -> Floats:
        """Return unit vectors of the texts, in id order (n, dimension).

        Parameters
        ----------
        embed : callable
            Texts -> vectors of length 1.

        Returns
        -------
        Floats
            In the order of `rows`; embedded once.

        """
        if "_vectors" not in vars(self):
            vars(self)["_vectors"] = embed([text for _, text in self.rows.values()])
        rows: Floats = vars(self)["_vectors"]
        return rows

    @cached_property
    def lengths(self) -> dict[str, int]:
        """Return how many words each item has."""
        return {id_: self._below.length(item) for id_, (item, _) in self.rows.items()}

    @cached_property
    def average(self) -> float:
        """Return the average length, as the table has it."""
        return sum(self.lengths.values()) / len(self.lengths) or 1.0

    def weights(self, word: str, everyone: float) -> Hits:
        """Return what a word counts in each item that has it, beside the average length of all texts.

        Parameters
        ----------
        word : str
            In lower case.
        everyone : float
            Average length of all texts, in words.

        Returns
        -------
        Hits
            (id, weight): the part of a BM25 score that does not depend on how many items have the word.

        """
        hits = search_texts(self._table, word, len(self.rows)) if self.rows else []
        rare = _rarity(len(self.rows), len(hits))
        return [(id_, self._weight(id_, score / rare, everyone)) for id_, score in hits]

    def _weight(self, id_: str, weight: float, everyone: float) -> float:
        guess = self.lengths[id_] / self.average
        times = min(range(1, MANY), key=lambda n: abs(_length(weight, n) - guess))
        beside = self.lengths[id_] / everyone
        return times * (K1 + 1) / (times + K1 * (1 - B + B * beside))


class Fresh:
    """What stands in for what the index below has: `hidden` of its items, and others in two parts.

    Items of the early part that are gone or read otherwise by now do not count; the late part has these.
    """

    def __init__(self, below: Below, hidden: Collection[str], early: Part, late: Part, now: Depends) -> None:
        self.hidden, self.early, self.late = frozenset(hidden), early, late
        self._below, self._n_below = below, below.rows - len(self.hidden)
        self.left = {id_ for id_, one in early.depends.items() if now.get(id_) == one and id_ in now}
        """Items of the early part that count."""

    def nearest(self, query: Floats, top_k: int, embed: Callable[[list[str]], Floats]) -> Hits:
        """Return (id, cosine similarity) of the nearest to a unit vector, and of all that are as near.

        Parameters
        ----------
        query : array of float, shape (dimension,)
            Of length 1.
        top_k : int
            Items at most of each part, and those that tie with the last.
        embed : callable
            Texts -> vectors of length 1.

        Returns
        -------
        Hits
            In no order; scores from -1 to 1.

        """
        hits: Hits = []
        for part, counting in ((self.early, self.left), (self.late, self.late.depends)):
            if counting:
                scores = np.round(cosines(part.vectors(embed), query), DIGITS)
                scores[[id_ not in counting for id_ in part.rows]] = -np.inf
                n = min(top_k, len(counting))
                ids = list(part.rows)
                places = np.flatnonzero(scores >= np.partition(scores, -n)[-n]).tolist()
                hits += [(ids[at], round(float(scores[at]), DIGITS)) for at in places]
        return hits

    def matrix(self, embed: Callable[[list[str]], Floats]) -> dict[str, Floats]:
        """Return the vector of each item.

        Parameters
        ----------
        embed : callable
            Texts -> vectors of length 1.

        Returns
        -------
        dict of str to Floats
            Id -> vector, shape (dimension,), of what counts now.

        """
        parts = ((self.early, self.left), (self.late, self.late.depends))
        return {
            id_: row
            for part, counting in parts
            if counting
            for id_, row in zip(part.rows, part.vectors(embed), strict=True)
            if id_ in counting
        }

    @cached_property
    def _lengths(self) -> list[int]:
        early = [n for id_, n in self.early.lengths.items() if id_ in self.left] if self.left else []
        return [*early, *self.late.lengths.values()]

    @cached_property
    def _everyone(self) -> float:
        """Return the average length of all texts, those below too."""
        n, words = len(self._lengths), sum(self._lengths)
        theirs = self._below.average
        of_theirs = (words / n if n else 0.0) if theirs is None else theirs
        return (of_theirs * self._n_below + words) / max(self._n_below + n, 1) or 1.0

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
        scores: dict[str, float] = {}
        for word in dict.fromkeys(_WORD.findall(segmented(query).casefold())):
            early = self.early.weights(word, self._everyone) if self.left else []
            weights = {id_: one for id_, one in early if id_ in self.left}
            weights |= dict(self.late.weights(word, self._everyone))
            n = len(self._lengths) + self._n_below
            rare = _rarity(n, len(weights) + self._below.having(word)) if weights else 0.0
            for id_, weight in weights.items():
                scores[id_] = scores.get(id_, 0.0) + rare * weight
        phrases = phrases_of(query)
        return [
            (id_, round(score, DIGITS))
            for id_, score in scores.items()
            if not phrases or holds(text_of(self._below.kind, self._item(id_)), phrases)
        ]

    def _item(self, id_: str) -> Any:
        return (self.early if id_ in self.left else self.late).rows[id_][0]


def _rarity(n: int, having: int) -> float:
    return math.log1p((n - having + 0.5) / (having + 0.5))


def _length(weight: float, times: int) -> float:
    """Return length over average of a text in which a word that stands so many times has a weight."""
    return ((times * (K1 + 1) / weight - times) / K1 - (1 - B)) / B


def fresh(below: Below, hidden: Collection[str], now: Depends, make: Any, before: "Fresh | None") -> Fresh:
    """Return what stands in for what the index has; few that came since go into the late part.

    Parameters
    ----------
    below : Below
        The index as it is.
    hidden : collection of str
        Ids of the index that no longer count.
    now : Depends
        Id -> what its text depends on, of all that stands in their place.
    make : Any
        Id -> the item, and its text.
    before : Fresh or None
        What was returned last; None at first.

    Returns
    -------
    Fresh
        With the parts of `before` that still hold, so that little is embedded and indexed anew.

    """
    early = before.early if before else Part(below, {}, make)
    late = {id_: one for id_, one in now.items() if early.depends.get(id_, early) != one}
    if len(late) > max(LATE, len(early.depends) // SHARE) or not early.depends:
        return Fresh(below, hidden, Part(below, now, make), Part(below, {}, make), now)
    if before is not None and late == before.late.depends:
        return Fresh(below, hidden, early, before.late, now)
    return Fresh(below, hidden, early, Part(below, late, make), now)


class RememberedVectors:
    """Searches an index and what was added to it by hand; what was made for the memory `before` is used."""

    def __init__(
        self, below: "OpenIndex", graph: RememberedGraph, before: "RememberedVectors | None" = None
    ) -> None:
        self._below, self.graph = below, graph
        same = (
            before is not None and before.graph.state.cache is graph.state.cache
        )  # else changes were undone
        self._before: dict[str, Fresh] = before.fresh if before is not None and same else {}
        self.fresh: dict[str, Fresh] = {}
        """What was looked at so far, by kind."""

    @cached_property
    def embedder(self) -> Embedder:
        """Return that of the index."""
        from corpusgraph.flows.embed.embedders import embedder_for

        return embedder_for(self._below.manifest)

    def nearest(self, kind: str, vector: Floats, top_k: int) -> Hits:
        """Return (id, cosine similarity), best first, ties by id.

        Parameters
        ----------
        kind : str
            entity, relationship, chunk or report.
        vector : array of float, shape (dimension,)
            Of any length but 0.
        top_k : int
            Items at most.

        Returns
        -------
        Hits
            Scores from -1 to 1.

        Raises
        ------
        InvalidInputError
            For an unknown kind or another dimension.

        """
        self._below.nearest(kind, vector, min(top_k, 1))  # refuses an unknown kind, another dimension
        if top_k <= 0:
            return []
        query = unit(np.asarray(vector, np.float32).reshape(1, -1))[0]
        part = self._of(kind)
        hits = _shown(lambda n: self._below.nearest(kind, vector, n), part.hidden, top_k)
        return best_hits(hits + part.nearest(query, top_k, self._embed), top_k)

    def matrix(self, kind: str) -> tuple[list[str], Floats]:
        """Return ids, in order, and their unit vectors (n, dimension).

        Parameters
        ----------
        kind : str
            entity, relationship, chunk or report.

        Returns
        -------
        tuple of list of str and Floats
            Rows in the order of the ids.

        """
        ids, rows = self._below.matrix(kind)
        part = self._of(kind)
        every = {id_: row for id_, row in zip(ids, rows, strict=True) if id_ not in part.hidden}
        every |= part.matrix(self._embed)
        order = sorted(every)
        return order, np.array([every[id_] for id_ in order], np.float32).reshape(-1, rows.shape[1])

    def match(self, kind: str, query: str, top_k: int) -> Hits:
        """Return (id, BM25 score), best first, ties by id; a query without words finds nothing.

        Parameters
        ----------
        kind : str
            entity, relationship, chunk or report.
        query : str
            In any words.
        top_k : int
            Items at most.

        Returns
        -------
        Hits
            Scores above 0.

        Raises
        ------
        InvalidInputError
            For an unknown kind.

        """
        hits = self._below.match(kind, query, min(top_k, 1))  # refuses an unknown kind
        if top_k <= 0 or not query.strip():
            return hits
        part = self._of(kind)
        hits = _shown(lambda n: self._below.match(kind, query, n), part.hidden, top_k)
        return best_hits(hits + part.match(query), top_k)

    def _embed(self, texts: list[str]) -> Floats:
        """Embed texts; what was embedded lately for any memory over the same index is not embedded again."""
        cached = self.graph.base.embedded
        rows = {text: vector for text in texts if (vector := cached.get(text)) is not None}
        missing = sorted({text for text in texts if text not in rows})
        if missing:
            for text, vector in zip(missing, unit(self.embedder.embed(missing)), strict=True):
                cached[text] = rows[text] = vector
        return np.stack([rows[text] for text in texts])

    def _of(self, kind: str) -> Fresh:
        if kind not in self.fresh:
            below = Below(self._below, kind, self.graph.base.counted)
            hidden, now, make = _KIND[kind](self.graph, alone=not is_lexical(self.embedder))
            self.fresh[kind] = fresh(below, hidden, now, make, self._before.get(kind))
        return self.fresh[kind]


Found = tuple[Collection[str], Depends, Callable[[str], tuple[Any, str]]]
"""What of the index is hidden, what stands beside the rest, and how an item and its text are made."""


def _entities(graph: RememberedGraph, *, alone: bool) -> Found:
    state, rows = graph.state, graph.entity_rows
    now = {id_: state.touched.get(id_) for id_ in (*rows.new, *graph.reads_otherwise)}

    def make(id_: str) -> tuple[Any, str]:
        entity = graph.entity_now(id_)
        return entity, entity_text(entity, alone=alone)

    return graph.reads_otherwise.union(_gone(rows.to_here, graph.base.entity_ids)), now, make


def _relationships(graph: RememberedGraph, *, alone: bool) -> Found:
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


def _chunks(graph: RememberedGraph, *, alone: bool) -> Found:  # noqa: ARG001  as the others
    lines = {chunk.id: (one.document.title, chunk) for one in graph.documents for chunk in one.chunks}

    def make(id_: str) -> tuple[Any, str]:
        title, chunk = lines[id_]
        return chunk, chunk_text(title, chunk.content)

    return graph.redactions.chunks, {id_: title for id_, (title, _) in lines.items()}, make


def _reports(graph: RememberedGraph, *, alone: bool) -> Found:
    if graph.reports is graph.base.graph.reports:
        return (), {}, lambda _: (None, "")
    below = {report.id: report for report in graph.base.graph.reports}
    kept = {report.id: report for report in graph.reports}
    hidden = [id_ for id_, report in below.items() if kept.get(id_) != report]
    now = {id_: kept[id_].model_dump_json() for id_ in hidden if id_ in kept}
    return hidden, now, lambda id_: (kept[id_], report_text(kept[id_], alone=alone))


_KIND: dict[str, Callable[..., Found]] = {
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
