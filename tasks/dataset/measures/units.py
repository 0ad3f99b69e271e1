"""Units of analysis: the rows of a dataset, each with the sentences that are about it."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import combinations
from sys import intern
from typing import Any, Literal, TypeVar

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Assertion, Claim, Event, Finding, Mention
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import Column, ToolWarning
from corpusgraph.schemas.study import TableDataset, UnitOfAnalysis
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.table.values import Moment, sure_moment, warning
from corpusgraph.tasks.text.sentences import sentence_spans

Sentence = tuple[str, int]
"""A document's id and the ordinal of one of its sentences."""
F = TypeVar("F", bound=Finding)
T = TypeVar("T")

_IDEOGRAPH = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_IDEOGRAPH}]|(?:(?![{_IDEOGRAPH}])[^\W_])+(?:['’-](?:(?![{_IDEOGRAPH}])[^\W_])+)*")


class Reading:
    """Mentions, assertions, claims and events of a corpus, each filed under its sentence.

    Parameters
    ----------
    corpus : Corpus
        The corpus.

    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.documents: Mapping[str, Document] = {document.id: document for document in corpus.documents}
        self._kept: dict[Hashable, Any] = {}

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` makes, made once for a key: several variables ask for one graph.

        Parameters
        ----------
        key : Hashable
            Says what is made.
        make : callable
            Called for the first such key.

        Returns
        -------
        T
            Whatever `make` returned the first time.

        """
        if key not in self._kept:
            self._kept[key] = make()
        made: T = self._kept[key]
        return made

    def spans(self, document_id: str) -> list[tuple[int, int]]:
        """Return the sentences of a document as character spans.

        Parameters
        ----------
        document_id : str
            Id of a document.

        Returns
        -------
        list of (int, int)
            (start, end) each, in order.

        """
        return self.once(("spans", document_id), lambda: sentence_spans(self.documents[document_id].text))

    def at(self, document_id: str, start: int) -> Sentence:
        """Return the sentence that holds a character.

        Parameters
        ----------
        document_id : str
            Id of a document.
        start : int
            Offset of the character, from 0.

        Returns
        -------
        Sentence
            The last one that begins there or before.

        """
        spans = self.spans(document_id)
        return document_id, max(bisect_right(spans, start, key=lambda span: span[0]) - 1, 0)

    def text(self, sentence: Sentence) -> str:
        """Return the text of a sentence.

        Parameters
        ----------
        sentence : Sentence
            Document and ordinal.

        Returns
        -------
        str
            As the document has it.

        """
        start, end = self.spans(sentence[0])[sentence[1]]
        return self.documents[sentence[0]].text[start:end]

    def words(self, sentence: Sentence) -> int:
        """Count words: runs of letters and digits, joined by apostrophe or hyphen; an ideograph is a word.

        Parameters
        ----------
        sentence : Sentence
            Document and ordinal.

        Returns
        -------
        int
            From 0.

        """
        return len(self.tokens(sentence))

    def tokens(self, sentence: Sentence) -> list[str]:
        """Return the words of a sentence, without regard to case.

        Parameters
        ----------
        sentence : Sentence
            Document and ordinal.

        Returns
        -------
        list of str
            Case-folded, in order.

        """
        return self.once(
            ("tokens", sentence),
            lambda: [intern(word.casefold()) for word in _WORD.findall(self.text(sentence))],
        )

    def _filed(self, findings: Iterable[F]) -> Mapping[Sentence, Sequence[F]]:
        known = (finding for finding in findings if finding.document_id in self.documents)
        return grouped((self.at(finding.document_id, finding.start), finding) for finding in known)

    @cached_property
    def mentions(self) -> Mapping[Sentence, Sequence[Mention]]:
        """Mentions by sentence."""
        return self._filed(self.corpus.mentions)

    @cached_property
    def assertions(self) -> Mapping[Sentence, Sequence[Assertion]]:
        """Assertions by sentence, without those that deny, suppose or ask."""
        return self._filed(assertion for assertion in self.corpus.assertions if assertion.is_stated)

    @cached_property
    def claims(self) -> Mapping[Sentence, Sequence[Claim]]:
        """Claims by sentence."""
        return self._filed(self.corpus.claims)

    @cached_property
    def events(self) -> Mapping[Sentence, Sequence[Event]]:
        """Dated events by sentence."""
        return self._filed(self.corpus.events)

    @cached_property
    def entity_ids(self) -> Mapping[str, str]:
        """Return mention id -> entity id, for every mention that is of an entity."""
        of = self.corpus.entity_of
        return {mention.id: found for mention in self.corpus.mentions if (found := of(mention.id))}

    @cached_property
    def by_entity(self) -> Mapping[str, Mapping[Sentence, Sequence[Mention]]]:
        """Return entity id -> its sentences in order -> its mentions there."""
        filed: dict[str, dict[Sentence, list[Mention]]] = defaultdict(lambda: defaultdict(list))
        for sentence in sorted(self.mentions):
            for mention in self.mentions[sentence]:
                if mention.id in self.entity_ids:
                    filed[self.entity_ids[mention.id]][sentence].append(mention)
        return filed


def cue_pattern(cues: Sequence[str]) -> re.Pattern[str]:
    """Compile cues: whole words or phrases without regard to case; `contagi*` matches any ending.

    Parameters
    ----------
    cues : sequence of str
        Words or phrases.

    Returns
    -------
    re.Pattern[str]
        Any one of the cues; a cue of ideographs is found inside a run of them.

    """
    parts = []
    for cue in cues:
        stem = r"\s+".join(re.escape(part) for part in cue.rstrip("*").split())
        bounded = not re.search(rf"[{_IDEOGRAPH}]", cue)
        end = r"\w*" if cue.endswith("*") else r"(?!\w)" if bounded else ""
        parts.append((r"(?<!\w)" if bounded else "") + stem + end)
    return re.compile("|".join(parts), re.IGNORECASE)


SCOPES: dict[UnitOfAnalysis, str] = {
    "entity": "the sentences that mention the entity",
    "document": "the document's sentences",
    "chunk": "the sentences that begin in the chunk",
    "event": "the sentence that tells the event",
    "community": "the sentences that mention a member",
    "pair": "the sentences that mention both",
    "entity_period": "the sentences of the period that mention the entity",
}


@dataclass(frozen=True)
class Unit:
    """A row to be: id, leading cells, sentences, the entities it stands for, the chunks behind it.

    Attributes
    ----------
    id : str
        Rows are in its order.
    lead : tuple of Any
        Cells of the leading columns.
    sentences : sequence of Sentence
        Those that are about it.
    chunks : tuple of str
        Ids of the chunks behind it.
    attributes : JsonDict
        Its fields by name.
    entities : tuple of str, optional
        Ids of the entities it stands for.

    """

    id: str
    lead: tuple[Any, ...]
    sentences: Sequence[Sentence]
    chunks: tuple[str, ...]
    attributes: JsonDict
    entities: tuple[str, ...] = ()


_SHOWN: Mapping[str, tuple[str, ...]] = {
    "entity": ("id", "name"),
    "pair": ("id", "source", "target"),
    "entity_period": ("id", "name", "period"),
}
_FORMULAS = {
    "id": "identifier in the index; of a pair and of a panel two parts joined by |",
    "name": "name of the entity",
    "title": "title, of a chunk that of its document, of an event its activity; else the identifier",
    "source": "name of the entity whose identifier comes first",
    "target": "name of the entity whose identifier comes second",
    "period": "year, month or day, ISO 8601",
}


def leads(dataset: TableDataset) -> tuple[Column, ...]:
    """Return the leading columns, which say what a row is.

    Parameters
    ----------
    dataset : TableDataset
        What the study asks for.

    Returns
    -------
    tuple of Column
        `id` first, then what people know the unit by.

    """
    unit = dataset.unit.replace("_", " by ")
    return tuple(
        Column(
            name=name,
            dtype="text",
            label=f"{'Identifier' if name == 'id' else name.capitalize()} of the {unit}",
            unit={"id": "identifier", "period": dataset.period}.get(name, "text"),
            formula=_FORMULAS[name],
            source="index",
            role={"id": "id", "period": "time"}.get(name),
        )
        for name in _SHOWN.get(dataset.unit, ("id", "title"))
    )


def units_of(reading: Reading, dataset: TableDataset) -> list[Unit]:
    """Return the units in id order; those of a panel are made by `panel`.

    Parameters
    ----------
    reading : Reading
        The corpus.
    dataset : TableDataset
        What the study asks for; no panel.

    Returns
    -------
    list of Unit
        Each with its entities, sentences, chunks and attributes.

    """
    return sorted(_MAKERS[dataset.unit](reading, dataset), key=lambda unit: unit.id)


def chosen_entities(reading: Reading, dataset: TableDataset) -> list[Entity]:
    """Return the entities of the wanted types with enough mentions.

    Parameters
    ----------
    reading : Reading
        The corpus.
    dataset : TableDataset
        Its `entity_types` and `min_mentions`.

    Returns
    -------
    list of Entity
        In the order of the graph.

    """
    types = {name.casefold() for name in dataset.entity_types}
    kept = [e for e in reading.corpus.graph.entities if not types or (e.type or "").casefold() in types]
    if not dataset.min_mentions:
        return kept
    counts = {e.id: sum(map(len, reading.by_entity.get(e.id, {}).values())) for e in kept}
    return [e for e in kept if counts[e.id] >= dataset.min_mentions]


def entity_attributes(entity: Entity) -> JsonDict:
    """Return the entity's own attributes and fields; a field wins over an attribute of its name.

    Parameters
    ----------
    entity : Entity
        The entity.

    Returns
    -------
    JsonDict
        Field or attribute -> value.

    """
    fields = entity.model_dump(exclude={"attributes"})
    return {**(entity.attributes or {}), **fields}


def document_attributes(document: Document) -> JsonDict:
    """Return the document's metadata and fields, without its text.

    Parameters
    ----------
    document : Document
        The document.

    Returns
    -------
    JsonDict
        Field or key -> value; fields win, and those without a value are left out.

    """
    fields = document.model_dump(include={"id", "title", "source", "language"})
    return {**document.metadata, **{key: value for key, value in fields.items() if value is not None}}


def _entities(reading: Reading, dataset: TableDataset) -> Iterator[Unit]:
    chunks = reading.corpus.graph.entity_chunks()
    for e in chosen_entities(reading, dataset):
        sentences, behind = list(reading.by_entity.get(e.id, {})), tuple(chunks.get(e.id, ()))
        yield Unit(e.id, (e.id, e.name), sentences, behind, entity_attributes(e), (e.id,))


def _documents(reading: Reading, _: TableDataset) -> Iterator[Unit]:
    placed = ((chunk.source_doc, (chunk.position, chunk.id)) for chunk in reading.corpus.graph.chunks)
    chunks = grouped(placed)
    for d in reading.corpus.documents:
        sentences = [(d.id, at) for at in range(len(reading.spans(d.id)))]
        behind = tuple(id_ for _, id_ in sorted(chunks.get(d.id, [])))
        yield Unit(d.id, (d.id, d.title or d.id), sentences, behind, document_attributes(d))


def _chunks(reading: Reading, _: TableDataset) -> Iterator[Unit]:
    for chunk in reading.corpus.graph.chunks:
        document = reading.documents[chunk.source_doc]
        first, after = (bisect_left(reading.spans(document.id), (at,)) for at in (chunk.start, chunk.end))
        inside = [(document.id, at) for at in range(first, after)]
        fields = chunk.model_dump(exclude={"metadata", "entities", "relationships"})
        attributes = {**document_attributes(document), **(chunk.metadata or {}), **fields}
        yield Unit(chunk.id, (chunk.id, document.title or document.id), inside, (chunk.id,), attributes)


def _events(reading: Reading, _: TableDataset) -> Iterator[Unit]:
    for event in reading.corpus.events:
        document = reading.documents[event.document_id]
        attributes = document_attributes(document) | event.model_dump(exclude={"actors", "places"})
        named = (reading.entity_ids.get(mention) for mention in (*event.actors, *event.places))
        entities = tuple(dict.fromkeys(filter(None, named)))
        told = [reading.at(document.id, event.start)]
        yield Unit(event.id, (event.id, event.activity), told, (event.chunk_id,), attributes, entities)


def _communities(reading: Reading, _: TableDataset) -> Iterator[Unit]:
    chunks = reading.corpus.graph.entity_chunks()
    for community in reading.corpus.graph.communities:
        id_, members = community.id, community.entity_ids
        sentences = sorted({s for member in members for s in reading.by_entity.get(member, {})})
        named = dict.fromkeys(chunk for member in members for chunk in chunks.get(member, ()))
        behind = community.chunk_ids or tuple(named)
        fields = community.model_dump(exclude={"entity_ids", "relationship_ids", "chunk_ids", "children"})
        yield Unit(id_, (id_, community.title or id_), sentences, behind, fields, members)


def _pairs(reading: Reading, dataset: TableDataset) -> Iterator[Unit]:
    """Pair entities that a sentence names together or a stated relationship joins; the smaller id first."""
    entities = {e.id: e for e in chosen_entities(reading, dataset)}
    shared: dict[tuple[str, str], list[Sentence]] = defaultdict(list)
    for sentence in sorted(reading.mentions):
        named = {reading.entity_ids.get(m.id, "") for m in reading.mentions[sentence]} & entities.keys()
        for pair in combinations(sorted(named), 2):
            shared[pair].append(sentence)
    stated: dict[tuple[str, str], list[str]] = defaultdict(list)
    known = {chunk.id for chunk in reading.corpus.graph.chunks}
    for r in reading.corpus.graph.relationships:
        ends = min(r.source_id, r.target_id), max(r.source_id, r.target_id)
        if entities.keys() >= {*ends} and ends[0] != ends[1] and r.is_stated:
            shared.setdefault(ends, [])
            stated[ends] += [chunk for chunk in r.chunk_ids or () if chunk in known]
    held = {id_: entity_attributes(entity) for id_, entity in entities.items()}
    for (a, b), sentences in shared.items():
        id_ = f"{a}|{b}"
        attributes = {f"source.{key}": value for key, value in held[a].items()}
        attributes |= {f"target.{key}": value for key, value in held[b].items()}
        chunks = (*mention_chunks(reading, (a, b), sentences), *stated[a, b])
        lead = (id_, entities[a].name, entities[b].name)
        yield Unit(id_, lead, sentences, tuple(dict.fromkeys(chunks)), attributes, (a, b))


def mention_chunks(
    reading: Reading, entities: Iterable[str], sentences: Sequence[Sentence]
) -> tuple[str, ...]:
    """Return the chunks in which these sentences mention these entities, in text order.

    Parameters
    ----------
    reading : Reading
        The corpus.
    entities : iterable of str
        Ids of entities that have mentions.
    sentences : sequence of Sentence
        The sentences.

    Returns
    -------
    tuple of str
        Ids, each once.

    """
    found = (
        mention
        for sentence in sentences
        for entity in entities
        for mention in reading.by_entity[entity].get(sentence, ())
    )
    return tuple(dict.fromkeys(mention.chunk_id for mention in found))


_MAKERS = {
    "entity": _entities,
    "document": _documents,
    "chunk": _chunks,
    "event": _events,
    "community": _communities,
    "pair": _pairs,
}

DATE_FIELDS = ("date", "year", "published", "publication_date", "created")
_LENGTHS = {"year": 4, "month": 7, "day": 10}
_PRECISIONS = {"year": 0, "month": 1, "day": 2, "instant": 3}
Period = Literal["year", "month", "day"]


def period_number(name: str) -> int:
    """Return a number of which the next period has the next: `1854`, `1854-09` or `1854-09-08`.

    Parameters
    ----------
    name : str
        A year, month or day, ISO 8601.

    Returns
    -------
    int
        The year, the months from the year 0, or the day of the proleptic Gregorian calendar.

    """
    parts = [int(part) for part in name.split("-")]
    if len(parts) == 3:
        return date(*parts).toordinal()
    return parts[0] if len(parts) == 1 else parts[0] * 12 + parts[1] - 1


def period_name(number: int, period: Period) -> str:
    """Return the name of the period that `period_number` gives a number.

    Parameters
    ----------
    number : int
        Made by `period_number`.
    period : Period
        Which kind of period it is.

    Returns
    -------
    str
        ISO 8601.

    """
    if period == "day":
        return date.fromordinal(number).isoformat()
    return f"{number:04}" if period == "year" else f"{number // 12:04}-{number % 12 + 1:02}"


def dated(reading: Reading, period: Period) -> tuple[dict[Sentence, str], list[ToolWarning]]:
    """Return sentence -> period (`1854`, `1854-09` or `1854-09-08`) for every sentence with mentions.

    A date coarser than the period places nothing; the documents are named in a warning, as are those
    with sentences that have no date at all. Dates are read once for a reading.

    Parameters
    ----------
    reading : Reading
        The corpus.
    period : Period
        How long a period is.

    Returns
    -------
    (dict of Sentence to str, list of ToolWarning)
        Warnings are `coarser_than_resolution` and `undated`.

    """
    return reading.once(("dated", period), lambda: _dated(reading, period))


def _dated(reading: Reading, period: Period) -> tuple[dict[Sentence, str], list[ToolWarning]]:
    by_document = {
        d.id: _first_date(d.metadata.get(name) for name in DATE_FIELDS) for d in reading.corpus.documents
    }
    dated: dict[Sentence, str] = {}
    coarse, undated = dict[str, None](), dict[str, None]()
    for sentence in sorted(reading.mentions):
        found = by_document[sentence[0]] or _first_date(
            mention.attributes.get("iso") for mention in reading.mentions[sentence] if mention.type == "date"
        )
        if found is None:
            undated[sentence[0]] = None
        elif _PRECISIONS[found.precision] < _PRECISIONS[period]:
            coarse[sentence[0]] = None
        else:
            dated[sentence] = found.instant.date().isoformat()[: _LENGTHS[period]]
    message = f"Sentences of {len(coarse)} documents have dates coarser than a {period}; they are left out."
    warnings = warning("coarser_than_resolution", message, coarse)
    message = f"Sentences of {len(undated)} documents have no date; they are left out."
    return dated, [*warnings, *warning("undated", message, undated)]


def _first_date(values: Iterable[Any]) -> Moment | None:
    return next(filter(None, map(sure_moment, values)), None)
