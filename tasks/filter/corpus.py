"""An index as if it held the allowed documents alone: everything derived is derived anew from their evidence.

What stays is the index's own resolution: which mentions are one entity, and the ids that follow from it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Finding, Mention
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import Corpus, GraphView
from corpusgraph.tasks.build.aggregate import Derived, Found, Totals
from corpusgraph.tasks.build.communities import narrowed
from corpusgraph.tasks.build.derive import incidence_rows
from corpusgraph.tasks.build.reports import write_reports
from corpusgraph.tasks.build.resolve import EntityKey, best_form
from corpusgraph.tasks.build.survey import NAMED, Form, Key, form_of, gender_of, key_of, split_title
from corpusgraph.tasks.extract.name_forms import fold
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.text.layout import Layout

KNOWN_ELSEWHERE = frozenset({"gazetteer", "title"})
"""Extractors of mentions that were found by a name known beforehand."""


class Forms:
    """The forms in which one entity is found."""

    def __init__(self) -> None:
        self.counts: Counter[Form] = Counter()

    def see(self, mention: Mention, document: Document) -> None:
        """Take in a mention; one found by a known name, or by the title, names without being counted.

        Parameters
        ----------
        mention : Mention
            Of the entity.
        document : Document
            That it stands in.

        """
        if mention.extractor not in KNOWN_ELSEWHERE:
            self.counts[form_of(mention)] += 1
            return
        _, qualifier = split_title(document.title) if mention.extractor == "title" else ("", "")
        self.counts[Form(mention.name, mention.type, "", qualifier)] += 0

    def key(self, entity: Entity) -> EntityKey:
        """Return the entity as these forms tell it.

        Parameters
        ----------
        entity : Entity
            As the whole index has it.

        Returns
        -------
        EntityKey
            With the same id; name and type are those of the allowed documents.

        """
        qualifier = str((entity.attributes or {}).get("qualifier", ""))
        own = {form: n for form, n in self.counts.items() if self._names(form, entity, qualifier)}
        forms = own or dict(self.counts)
        type_ = entity.type or ""
        if not any(form.type == type_ for form in forms):
            counts: Counter[str] = Counter()
            for form, n in forms.items():
                counts[form.type] += n
            type_ = min(counts, key=lambda type_: (-counts[type_], (*NAMED, type_).index(type_), type_))
        best = best_form(key_of(min(own)) if own else Key(fold(entity.name), type_, qualifier), forms)
        kept = qualifier if any(fold(form.qualifier) == fold(qualifier) for form in self.counts) else ""
        value = str((entity.attributes or {}).get("iso", "")) if type_ == "date" else ""
        return EntityKey(entity.id, _written(best, forms, entity.name), type_, kept, value)

    @staticmethod
    def _names(form: Form, entity: Entity, qualifier: str) -> bool:
        """Tell whether a form is one of the name that the entity's id was made of, not one merged into it."""
        key = key_of(form)
        return Entity.make_id(key.fold, key.type, key.qualifier or qualifier) == entity.id


def _written(best: Form, forms: Iterable[Form], name: str) -> str:
    """Return the name of a form, with the title or the qualifier that tells the entity from another."""
    titles = {f"{gender_of(form).capitalize()} {best.name}" for form in forms if gender_of(form)}
    if name in titles:
        return name
    return f"{best.name} ({best.qualifier})" if best.qualifier else best.name


F = TypeVar("F", bound=Finding)
N = TypeVar("N", Entity, Relationship)


def _of_allowed(noun: type[F], kind: str) -> "cached_property[Sequence[F]]":  # noqa: ARG001
    """Return a property that holds the findings of a kind in allowed documents."""

    def findings(corpus: "FilteredCorpus") -> Sequence[F]:
        return tuple(one for one in getattr(corpus.whole, kind) if one.document_id in corpus.allowed)

    return cached_property(findings)


class FilteredCorpus:
    """A Corpus that sees some documents of another. Sequences keep their order, items their ids.

    Parameters
    ----------
    whole : Corpus
        The corpus.
    allowed : frozenset of str
        Ids of the documents that it sees.

    """

    def __init__(self, whole: Corpus, allowed: frozenset[str]) -> None:
        self.whole = whole
        self.allowed = allowed

    @cached_property
    def documents(self) -> Sequence[Document]:
        """The allowed documents, in id order."""
        return tuple(document for document in self.whole.documents if document.id in self.allowed)

    mentions = _of_allowed(Mention, "mentions")
    """Their mentions, in text order of each document."""
    assertions = _of_allowed(Assertion, "assertions")
    """Their assertions."""
    claims = _of_allowed(Claim, "claims")
    """Their claims."""
    arguments = _of_allowed(ArgumentRelation, "arguments")
    """Supports and attacks between their claims."""
    events = _of_allowed(Event, "events")
    """Their events."""

    def entity_of(self, mention_id: str) -> str | None:
        """Return the entity a mention was resolved to; None for a mention in another document."""
        return self.whole.entity_of(mention_id) if mention_id in self._mention_ids else None

    @cached_property
    def _mention_ids(self) -> frozenset[str]:
        return frozenset(mention.id for mention in self.mentions)

    @cached_property
    def graph(self) -> GraphView:
        """The graph that the allowed documents are evidence for."""
        whole = self.whole.graph
        chunks = [chunk for chunk in whole.chunks if chunk.source_doc in self.allowed]
        known = {entity.id: entity for entity in whole.entities}
        found, incidence = self._derived(known, chunks)
        entities = _as_in(found.entities, known)
        relationships = _as_in(found.relationships, {edge.id: edge for edge in whole.relationships})
        communities = narrowed(whole.communities, entities, relationships)
        reports = write_reports(communities, entities, relationships, found.passages)
        return MemoryGraph(entities, relationships, chunks, communities, reports, incidence)

    def _derived(
        self, known: Mapping[str, Entity], chunks: Sequence[Chunk]
    ) -> tuple[Derived, list[JsonDict]]:
        """Count the evidence of the allowed documents, as indexing counts that of all."""
        keys = self._keys(known)
        of_mention = {
            mention.id: keys[entity]
            for mention in self.mentions
            if (entity := self.whole.entity_of(mention.id))
        }
        mentions, assertions = by_document(self.mentions), by_document(self.assertions)
        events, parts = by_document(self.events), grouped((chunk.source_doc, chunk) for chunk in chunks)
        totals, incidence = Totals(), list[JsonDict]()
        for document in self.documents:
            layout = Layout(document, parts.get(document.id, []))
            entities = ((mention, of_mention.get(mention.id)) for mention in mentions[document.id])
            rows: list[Found] = [({**m.__dict__, "entity_id": e.id if e else None}, e) for m, e in entities]
            totals.count_mentions(layout, rows)
            incidence += incidence_rows(layout, rows)
            totals.count_dates(events[document.id], of_mention)
            totals.count_assertions(layout, assertions[document.id], of_mention)
        return totals.derived(), incidence

    def _keys(self, known: Mapping[str, Entity]) -> dict[str, EntityKey]:
        """Return name and type of each entity by id, chosen anew where other documents had a say in them."""
        documents = {document.id: document for document in self.documents}
        forms: dict[str, Forms] = {}
        shared: set[str] = set()
        for mention in self.whole.mentions:
            entity = self.whole.entity_of(mention.id)
            if entity is None:
                continue
            if mention.document_id in documents:
                forms.setdefault(entity, Forms()).see(mention, documents[mention.document_id])
            else:
                shared.add(entity)
        shared -= getattr(self.whole, "named_by_hand", frozenset())
        return {
            id_: seen.key(known[id_]) if id_ in shared else _as_it_is(known[id_])
            for id_, seen in forms.items()
        }


def by_document(findings: Sequence[F]) -> defaultdict[str, list[F]]:
    """Gather findings by their document.

    Parameters
    ----------
    findings : sequence of F
        Of all documents.

    Returns
    -------
    defaultdict of str to list of F
        In their order.

    """
    return defaultdict(list, grouped((finding.document_id, finding) for finding in findings))


def _as_it_is(entity: Entity) -> EntityKey:
    attributes = entity.attributes or {}
    qualifier, value = str(attributes.get("qualifier", "")), str(attributes.get("iso", ""))
    return EntityKey(entity.id, entity.name, entity.type or "", qualifier, value)


def _as_in(items: Sequence[N], known: Mapping[str, N]) -> list[N]:
    """Give items the short ids they have in the index."""
    return [
        item.model_copy(update={"short_id": old.short_id, "has_embedding": old.has_embedding})
        for item in items
        for old in (known[item.id],)
    ]
