"""An opened index with its memory laid over it: the ports Corpus and Vectors see what was added by hand."""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.tables import LEFT_OUT, holds, phrases_of, segmented, text_of
from corpusgraph.flows.store.vectors import KINDS, Hits, best_hits, cosines, first_wanted, unit_rows
from corpusgraph.schemas.evidence import ArgumentRelation, Claim, Event
from corpusgraph.schemas.ports import Embedder, Floats, Ints, VectorStatus
from corpusgraph.tasks.build.embedded import chunk_text, entity_text, relationship_text, report_text
from corpusgraph.tasks.graph.ranking import is_lexical
from corpusgraph.tasks.overlay.view import RememberedEvidence, RememberedGraph
from corpusgraph.tasks.text.words import snowball

if TYPE_CHECKING:
    from corpusgraph.flows.store.memory import IndexMemory


K1, B = 1.2, 0.75
SAMPLE = 256
"""Items of the index whose lengths tell the average."""
_WORD = re.compile(r"\w+(?:['’.]\w+)*")
Embed = Callable[[list[str]], Floats]
Beside = tuple[Collection[str], list[tuple[Any, str]]]
"""Ids of the index that are hidden; items that stand beside the rest, with the texts of their vectors."""


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


class Added:
    """What of one kind stands beside an index in one state of its memory.

    Parameters
    ----------
    below : OpenIndex
        The index; those of its items that are `hidden` do not count.
    kind : str
        A key of `KINDS`.
    beside : Beside
        What is hidden, and what stands beside.
    embed : callable
        Texts -> vectors of length 1.

    """

    def __init__(self, below: OpenIndex, kind: str, beside: Beside, embed: Embed) -> None:
        self.hidden = frozenset(beside[0])
        self.items = [item for item, _ in beside[1]]
        self._below, self._kind, self._embed = below, kind, embed
        self._texts = [text for _, text in beside[1]]

    @cached_property
    def vectors(self) -> Floats:
        """Unit vectors of the items (n, dimension); there has to be one."""
        return self._embed(self._texts)

    @cached_property
    def _words(self) -> list[Counter[str]]:
        return [Counter(terms(text_of(self._kind, item))) for item in self.items]

    def nearest(self, query: Floats) -> Hits:
        """Return (id, cosine similarity) of all items with a unit vector, in no order.

        Parameters
        ----------
        query : array of float, shape (dimension,)
            Of length 1.

        Returns
        -------
        Hits
            Scores from -1 to 1.

        """
        scores = cosines(self.vectors, query).tolist() if self.items else []
        return [(item.id, score) for item, score in zip(self.items, scores, strict=True)]

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
        rows_below = self._below.manifest.tables[KINDS[self._kind]].rows
        n_below, n = rows_below - len(self.hidden), len(self.items)
        lengths: Ints = np.array([words.total() for words in self._words], dtype=np.int64)
        average = (self._average_below * n_below + int(lengths.sum())) / max(n_below + n, 1) or 1.0
        beside, scores = K1 * (1 - B + B * lengths / average), np.zeros(n)
        for word in dict.fromkeys(_WORD.findall(segmented(query).casefold())):
            for term in terms(word):
                times = np.array([words[term] for words in self._words], dtype=np.int64)
                if times.any():
                    having = np.count_nonzero(times)
                    having += len(self._below.match(self._kind, word, max(rows_below, 1)))
                    rare = math.log1p((n_below + n - having + 0.5) / (having + 0.5))
                    scores += rare * times * (K1 + 1) / (times + beside)
        phrases = phrases_of(query)
        return [
            (item.id, score)
            for item, score in zip(self.items, scores.tolist(), strict=True)
            if score and (not phrases or holds(text_of(self._kind, item), phrases))
        ]

    @cached_property
    def _average_below(self) -> float:
        """The average length of a text of the index; where it has none, of those beside it."""
        items = getattr(self._below.graph, KINDS[self._kind])
        some = (items[at] for at in range(0, len(items), max(1, len(items) // SAMPLE)))
        lengths = [len(terms(text_of(self._kind, item))) for item in some]
        lengths = lengths or [words.total() for words in self._words]
        return sum(lengths) / max(len(lengths), 1)


class RememberedVectors:
    """Searches an index and what was added to it by hand, as it was in one state of the memory."""

    def __init__(self, below: OpenIndex, graph: RememberedGraph) -> None:
        self._below, self.graph = below, graph
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
        query = unit_rows(np.asarray(vector, np.float32).reshape(1, -1))[0]
        added = self._of(kind)
        hits = _shown(lambda n: self._below.nearest(kind, vector, n), added.hidden, top_k)
        return best_hits(hits + added.nearest(query), top_k)

    def matrix(self, kind: str) -> tuple[list[str], Floats]:
        """Return ids, in order, and their unit vectors (n, dimension)."""
        ids, rows = self._below.matrix(kind)
        added = self._of(kind)
        every = {id_: row for id_, row in zip(ids, rows, strict=True) if id_ not in added.hidden}
        if added.items:
            every |= {item.id: row for item, row in zip(added.items, added.vectors, strict=True)}
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

    def status(self) -> VectorStatus:
        """Tell what answers searches of the index by vector."""
        return self._below.vector_status()

    def _embed(self, texts: list[str]) -> Floats:
        """Embed texts; what was embedded lately for any memory over the same index is not embedded again."""
        cached = self.graph.base.embedded
        rows = {text: vector for text in texts if (vector := cached.get(text)) is not None}
        missing = sorted({text for text in texts if text not in rows})
        if missing:
            for text, vector in zip(missing, unit_rows(self.embedder.embed(missing)), strict=True):
                cached[text] = rows[text] = vector
        return np.stack([rows[text] for text in texts])

    def _of(self, kind: str) -> Added:
        if kind not in self._added:
            beside = _KIND[kind](self.graph, alone=not is_lexical(self.embedder))
            self._added[kind] = Added(self._below, kind, beside, self._embed)
        return self._added[kind]


def _entities(graph: RememberedGraph, *, alone: bool) -> Beside:
    rows, otherwise = graph.entity_rows, graph.reads_otherwise
    entities = [graph.entity_now(id_) for id_ in dict.fromkeys((*rows.new, *otherwise))]
    hidden = otherwise.union(_gone(rows.to_here, graph.base.nodes.ids))
    return hidden, [(entity, entity_text(entity, alone=alone)) for entity in entities]


def _relationships(graph: RememberedGraph, *, alone: bool) -> Beside:
    edges, ids, rows = graph.edges, graph.base.relationship_ids, graph.relationship_rows
    called_otherwise = {ids[at] for id_ in graph.renamed for at in graph.base.edges_at(id_)}
    called_otherwise = {id_ for id_ in called_otherwise if id_ not in edges and id_ in rows.ids}
    some = [graph.relationship(id_) for id_ in (*edges, *called_otherwise)]
    names = {end: graph.called(end).name for one in some for end in (one.source_id, one.target_id)}
    text = relationship_text(names, alone=alone)
    hidden = {id_ for id_, edge in edges.items() if edge.place is not None} | called_otherwise
    return hidden.union(_gone(rows.to_here, ids)), [(one, text(one)) for one in some]


def _chunks(graph: RememberedGraph, *, alone: bool) -> Beside:  # noqa: ARG001  as the others
    lines = [(chunk, one.document.title) for one in graph.documents for chunk in one.chunks]
    return graph.redactions.chunks, [(chunk, chunk_text(title, chunk.content)) for chunk, title in lines]


def _reports(graph: RememberedGraph, *, alone: bool) -> Beside:
    if graph.reports is graph.base.graph.reports:
        return (), []
    below = {report.id: report for report in graph.base.graph.reports}
    now = {report.id: report for report in graph.reports}
    hidden = [id_ for id_, report in below.items() if now.get(id_) != report]
    return hidden, [(now[id_], report_text(now[id_], alone=alone)) for id_ in hidden if id_ in now]


_KIND: dict[str, Callable[..., Beside]] = {
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


class RememberedIndex(RememberedEvidence, OpenIndex):
    """A generation and its memory as it was when this was first looked at; neither changes under the reader.

    What is read of the generation itself (tables, columns, the failure ledger) is the corpus's alone. Reading
    a journal with a line that is no change raises MemoryFileError.
    """

    _whole: OpenIndex

    def __init__(self, base: OpenIndex, memory: "IndexMemory") -> None:
        vars(self).update({name: vars(base)[name] for name in _SHARED})
        self.views = {}
        self._whole, self.memory = base, memory

    @cached_property
    def graph(self) -> RememberedGraph:
        """Entities, relationships, chunks, communities and reports, with what was added by hand."""
        with self.memory.reading() as state:
            return RememberedGraph(state.frozen())

    @property
    def claims(self) -> Sequence[Claim]:
        """All claims, in text order of each document: the corpus's alone."""
        return self._whole.claims

    @property
    def arguments(self) -> Sequence[ArgumentRelation]:
        """Supports and attacks between claims."""
        return self._whole.arguments

    @property
    def events(self) -> Sequence[Event]:
        """All dated events."""
        return self._whole.events

    @cached_property
    def _vectors(self) -> "RememberedVectors":
        return RememberedVectors(self._whole, self.graph)


_SHARED = ("manifest", "name", "folder", "_compiled", "_database")
