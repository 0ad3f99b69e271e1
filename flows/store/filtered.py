"""An opened index seen through a filter: its graph, evidence and search know the allowed documents alone."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from corpusgraph.flows.store.vectors import DIGITS, KINDS, Hits, best_hits, cosines, first_wanted, unit_rows
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.evidence import Event
from corpusgraph.schemas.ports import Embedder, Floats, GraphView, VectorStatus
from corpusgraph.schemas.results import Condition, DocumentFilter, ToolWarning, warned
from corpusgraph.schemas.study import Ontology
from corpusgraph.tasks.build.embedded import writers
from corpusgraph.tasks.filter.conditions import allowed
from corpusgraph.tasks.filter.corpus import FilteredCorpus
from corpusgraph.tasks.graph.ranking import is_lexical

if TYPE_CHECKING:
    from corpusgraph.flows.store.opened import OpenIndex

VIEWS = 8
"""Filtered views kept for each opened index: the ones used last."""
_filter: TypeAdapter[DocumentFilter] = TypeAdapter(DocumentFilter)


class FilteredIndex(FilteredCorpus):
    """A Corpus and Vectors over the documents that a filter allows; made by `filtered`.

    Stored vectors of what reads as before are searched, new ones of what does not.

    Parameters
    ----------
    opened : OpenIndex
        The whole index.
    conditions : mapping of str to Condition
        Field -> condition; all must hold.
    embedder : Embedder
        Of the index: makes vectors of what reads otherwise in the view.

    """

    def __init__(self, opened: "OpenIndex", conditions: Mapping[str, Condition], embedder: Embedder) -> None:
        super().__init__(opened, allowed(opened.documents, conditions))
        self._opened = opened
        self.name, self.manifest = opened.name, opened.manifest
        """The manifest is the generation's: its counts are those of the whole index."""
        self._embedder = embedder
        self.conditions = dict(conditions)
        self._texts: dict[str, Any] = {}
        self._fresh: dict[str, tuple[frozenset[str], list[str], Floats]] = {}

    @property
    def ontology(self) -> Ontology:
        """The ontology it was read by."""
        return self._opened.ontology

    @property
    def warnings(self) -> tuple[ToolWarning, ...]:
        """Tell that no document is allowed."""
        told = _filter.dump_json(self.conditions, by_alias=True, exclude_none=True).decode()
        return warned("filter_empty", f"No document satisfies the filter {told}.", when=not self.allowed)

    def relationship_of(self, assertion_id: str) -> str | None:
        """Return the relationship an assertion is evidence for; None for one in another document.

        Parameters
        ----------
        assertion_id : str
            Id of an assertion (`asr_`).

        Returns
        -------
        str or None
            None also for an unknown one.

        """
        return self._opened.relationship_of(assertion_id) if assertion_id in self._assertion_ids else None

    def dated(self, *, chunks: Collection[str] = (), time: str = "") -> Sequence[Event]:
        """Return the allowed events of some chunks, and of a time."""
        dated = self._opened.dated(chunks=chunks, time=time)
        return [event for event in dated if event.document_id in self.allowed]

    @cached_property
    def _assertion_ids(self) -> frozenset[str]:
        return frozenset(assertion.id for assertion in self.assertions)

    def vector_status(self) -> VectorStatus:
        """Tell what answers searches by vector, and whether it does now."""
        return self._opened.vector_status()

    def nearest(self, kind: str, vector: Floats, top_k: int) -> Hits:
        """Return (id, cosine similarity), best first, ties by id."""
        self._opened.nearest(kind, vector, min(top_k, 1))  # refuses an unknown kind, another dimension
        if top_k <= 0:
            return []
        kept, ids, rows = self._vectors_of(kind)
        scores = np.round(cosines(rows, unit_rows(np.asarray(vector, np.float32).reshape(1, -1))[0]), DIGITS)
        made = [(id_, float(score)) for id_, score in zip(ids, scores, strict=True)]
        n, most = 4 * top_k + 64, min(top_k, len(kept))
        stored = first_wanted(lambda n: self._opened.nearest(kind, vector, n), kept.__contains__, most, n)
        return best_hits(stored + made, top_k)

    def _vectors_of(self, kind: str) -> tuple[frozenset[str], list[str], Floats]:
        """Return the ids whose stored vectors hold, and the others with new vectors, ids in order."""
        if kind not in self._fresh:
            embedder = self._embedder
            now, before = texts_of(self.graph, kind, embedder), texts_of(self._opened.graph, kind, embedder)
            other = sorted(id_ for id_, text in now.items() if text != before.get(id_))
            rows = unit_rows(self._embedder.embed([now[id_] for id_ in other]))
            self._fresh[kind] = frozenset(now.keys() - set(other)), other, rows
        return self._fresh[kind]

    def match(self, kind: str, query: str, top_k: int) -> Hits:
        """Return (id, BM25 score), best first, ties by id; rarity is counted in the allowed documents."""
        from corpusgraph.flows.store.lance import search_texts, text_table

        self._opened.match(kind, query, min(top_k, 1))  # refuses an unknown kind
        items = getattr(self.graph, KINDS[kind])
        if top_k <= 0 or not query.strip() or not items:
            return []
        if kind not in self._texts:
            self._texts[kind] = text_table(kind, items)
        return search_texts(self._texts[kind], query, top_k)


def filtered(
    opened: "OpenIndex", conditions: Mapping[str, Any], embedder: Callable[[], Embedder]
) -> FilteredIndex:
    """Return an index seen through a filter; the views used last are kept with the opened index.

    Parameters
    ----------
    opened : OpenIndex
        The whole index.
    conditions : mapping of str to Any
        Field -> value, list of values, `{from, to}` or `{not}`.
    embedder : callable
        Makes the embedder of the index, where a view has to embed.

    Returns
    -------
    FilteredIndex
        With a warning where no document is left.

    Raises
    ------
    InvalidInputError
        For an unknown field, and for a condition that cannot be read.

    """
    try:
        asked = _filter.validate_python(conditions)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"][:1])
        hint = "A value, a list of values, {from: …, to: …} or {not: …}."
        raise InvalidInputError(f"The filter on {where!r} cannot be read.", hint=hint) from None
    key = _filter.dump_json(asked, by_alias=True).decode()
    view = opened.views.pop(key, None) or FilteredIndex(opened, asked, embedder())
    opened.views[key] = view  # the newest is last
    while len(opened.views) > VIEWS:
        del opened.views[next(iter(opened.views))]
    return view


def texts_of(graph: GraphView, kind: str, embedder: Embedder) -> dict[str, str]:
    """Return the text that tells whether the vector of an item still holds, by id.

    Parameters
    ----------
    graph : GraphView
        The graph, whole or filtered.
    kind : str
        entity, relationship, chunk or report.
    embedder : Embedder
        Decides which text is embedded: a trained one reads other text than a lexical one.

    Returns
    -------
    dict of str to str
        Id -> text; of a chunk "", since it is wholly in a view or not at all.

    """
    items: Sequence[Any] = getattr(graph, KINDS[kind])
    if kind == "chunk":  # a chunk is wholly in the view or not at all
        return dict.fromkeys((item.id for item in items), "")
    names = {entity.id: entity.name for entity in graph.entities}
    write = writers(names, alone=not is_lexical(embedder))[KINDS[kind]]
    return {item.id: write(item) for item in items}
