"""A corpus made in memory from a few texts: extracted, resolved and derived as an index would be."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field, NonNegativeInt

from corpusgraph.schemas.base import Described, JsonDict, Noun, nfc, stable_id
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.errors import DuplicateDocumentError, InvalidInputError, PreparationError
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Finding, Mention
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import Table, ToolWarning
from corpusgraph.schemas.stages import Extractor
from corpusgraph.schemas.study import Chunking, CommunityOptions, Resolution
from corpusgraph.tasks.analysis.process.timestamps import SECOND, Moment, iso, midnight, parse
from corpusgraph.tasks.build.chunk import chunk_document
from corpusgraph.tasks.build.communities import find_communities
from corpusgraph.tasks.build.derive import Derivation, settled
from corpusgraph.tasks.build.reliance import agreeing, relied_on
from corpusgraph.tasks.build.resolve import resolve
from corpusgraph.tasks.build.survey import survey
from corpusgraph.tasks.dataset.cited import Cited
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.progress import counted, step
from corpusgraph.tasks.table.values import MOST_RECORDS, clean, moment, warning

N = TypeVar("N", bound=BaseModel)


class TextDocument(Described):
    """A text with what is known of it."""

    text: str
    id: str | None = Field(default=None, min_length=1)
    """none: made from the text"""
    title: str = ""
    date: str | int | None = None
    """ISO date: 1854, 1854-09 or 1854-09-08"""
    source: str = ""
    """where the text is from"""
    language: str | None = None
    """such as en; none: as its words tell"""
    metadata: JsonDict = Field(default_factory=dict)
    """author, any field"""


@dataclass(frozen=True)
class TextCorpus:
    """Implements ports.Corpus over the evidence of the texts.

    Attributes
    ----------
    graph : MemoryGraph
        Derived from the evidence.
    documents : sequence of Document
        In order of id.
    mentions : sequence of Mention
        Names in the texts.
    assertions : sequence of Assertion
        Relations in the texts.
    claims : sequence of Claim
        Claims in the texts.
    arguments : sequence of ArgumentRelation
        Attacks and supports between claims.
    events : sequence of Event
        Dated events in the texts.
    resolved : mapping of str to str
        Mention id -> entity id.
    stated : mapping of str to str

    """

    graph: MemoryGraph
    documents: Sequence[Document]
    mentions: Sequence[Mention]
    assertions: Sequence[Assertion]
    claims: Sequence[Claim]
    arguments: Sequence[ArgumentRelation]
    events: Sequence[Event]
    resolved: Mapping[str, str]
    stated: Mapping[str, str]
    """Assertion id -> relationship id."""

    def entity_of(self, mention_id: str) -> str | None:
        """Return the entity a mention was resolved to."""
        return self.resolved.get(mention_id)


def documents_of(texts: Sequence[str | TextDocument]) -> list[Document]:
    """Make a document of each text, in id order; one given twice is one document.

    Parameters
    ----------
    texts : sequence of (str or TextDocument)
        Texts, or documents.

    Returns
    -------
    list of Document
        In Unicode form NFC; see `document_of`.

    Raises
    ------
    DuplicateDocumentError
        `duplicate_document_id` where two different documents have one id.

    """
    made: dict[str, Document] = {}
    for one in texts:
        document = document_of(one)
        if made.setdefault(document.id, document) != document:
            raise DuplicateDocumentError(
                f"Two documents have the id {document.id!r}.", hint="Give each document an id of its own."
            )
    return sorted(made.values(), key=lambda document: document.id)


def document_of(given: str | TextDocument) -> Document:
    """Make a document; one without an id is identified by its text.

    Parameters
    ----------
    given : str or TextDocument
        A text, or a document.

    Returns
    -------
    Document
        In Unicode form NFC.

    """
    one = TextDocument(text=given) if isinstance(given, str) else given
    text = nfc(one.text)
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    id_ = one.id or stable_id("doc", digest)
    return Document(
        id=id_,
        title=one.title if one.title.strip() else id_,
        text=text,
        source=one.source,
        content_hash=digest,
        metadata=one.metadata if one.date is None else {**one.metadata, "date": one.date},
        language=one.language,
    )


def corpus_of(
    texts: Sequence[str | TextDocument],
    *,
    chunking: Chunking,
    resolution: Resolution,
    min_confidence: float | None = None,
    with_communities: bool = False,
    extractor: Extractor,
) -> TextCorpus:
    """Extract, resolve and derive; the same texts give the same corpus in any order.

    Parameters
    ----------
    texts : sequence of (str or TextDocument)
        Texts, or documents.
    chunking : Chunking
        How documents are cut.
    resolution : Resolution
        How names become entities.
    min_confidence : float, optional
        What is less sure is no relationship; unless given, what the extractor doubts is none.
    with_communities : bool, default False
        Whether communities are found.
    extractor : Extractor
        Reads the documents.

    Returns
    -------
    TextCorpus
        Graph, evidence and communities, if asked for, all in memory.

    Raises
    ------
    DuplicateDocumentError
        `duplicate_document_id` where two different documents have one id.

    """
    documents = documents_of(texts)
    chunks = {document.id: chunk_document(document, chunking) for document in documents}
    in_turn = counted(documents, "documents read", every=1)
    extracted = {document.id: extractor.extract(document, chunks[document.id]) for document in in_turn}
    agreed = agreeing(extracted.values(), min_confidence)
    evidence = {id_: relied_on(found, min_confidence, agreed) for id_, found in extracted.items()}
    resolved = resolve(survey((document, evidence[document.id]) for document in documents), resolution)
    derivation = Derivation(resolved, min_confidence)
    in_turn = counted(documents, "documents linked", every=8)
    linked = [derivation.link(d, chunks[d.id], evidence[d.id]) for d in in_turn]
    step("graph: derived", len(documents))
    derived = derivation.finish()
    graph = MemoryGraph(
        derived.entities,
        derived.relationships,
        [chunk for document in documents for chunk in chunks[document.id]],
        find_communities(derived.entities, derived.relationships, CommunityOptions())
        if with_communities
        else (),
        incidence=[row for one in linked for row in one.incidence],
    )
    asserted = settled((row for one in linked for row in one.assertions), derived)
    rows = [row for one in linked for row in one.mentions]
    return TextCorpus(
        graph=graph,
        documents=documents,
        mentions=[_noun(Mention, row) for row in counted(rows, "mentions kept")],
        assertions=[_noun(Assertion, row) for row in counted(asserted, "assertions kept")],
        claims=[_noun(Claim, row) for one in linked for row in one.claims],
        arguments=[_noun(ArgumentRelation, row) for one in linked for row in one.arguments],
        events=[_noun(Event, row) for one in linked for row in one.events],
        resolved={row["id"]: row["entity_id"] for row in rows if row["entity_id"]},
        stated={row["id"]: row["relationship_id"] for row in asserted},
    )


def _noun(kind: type[N], row: Mapping[str, Any]) -> N:
    return kind.model_validate({name: row[name] for name in kind.model_fields})


_TOLD = {
    "illegal_character": "had characters that no text file holds, which are U+FFFD",
    "unparsed_timestamp": "have a date that cannot be read and stays as it is",
    "ambiguous_date": "have a date whose day and month could be exchanged; it is not read",
}


def read_given(given: Sequence[str | TextDocument]) -> tuple[list[TextDocument], tuple[ToolWarning, ...]]:
    """Return the documents with legal characters, and name those that were changed or have a bad date.

    A document is named by its id, or by its place from 1.

    Parameters
    ----------
    given : sequence of (str or TextDocument)
        Texts, or documents.

    Returns
    -------
    (list of TextDocument, tuple of ToolWarning)
        As many documents as texts, in their order; no warning where nothing was changed.

    Raises
    ------
    PreparationError
        `empty_id`.
    InvalidInputError
        For two different dates of one document.

    """
    made = []
    found: dict[str, list[str]] = {code: [] for code in _TOLD}
    for at, document in enumerate(given, 1):
        one = TextDocument(text=document) if isinstance(document, str) else document
        name = str(at) if one.id is None else one.id
        if not name.strip():
            raise PreparationError(f"Document {at} has a blank id.", code="empty_id", hint="Leave id out.")
        fields = one.model_dump()
        legal = _legal(fields)
        if legal != fields:
            found["illegal_character"].append(name)
            one = TextDocument.model_validate(legal)
        if code := _bad_date(one, name):
            found[code].append(f"{name}: {one.date}")
        made.append(one)
    warnings = [warning(code, f"{len(at)} documents {_TOLD[code]}.", at) for code, at in found.items()]
    return made, tuple(chain.from_iterable(warnings))


def _legal(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {_legal(key): _legal(inner) for key, inner in value.items()}
    return [_legal(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _bad_date(one: TextDocument, name: str) -> str | None:
    if one.date is None:
        return None
    other = one.metadata.get("date", one.date)
    if str(other) != str(one.date):
        raise InvalidInputError(
            f"Document {name!r} has two dates: {one.date!r} and, in metadata, {other!r}.",
            hint="Give one of them.",
        )
    found = moment(one.date)
    return found if isinstance(found, str) else None


class TracedPassage(Noun):
    """What a record rests on: `document.text[start:end] == text`, or the title of the document."""

    structure: Literal["node", "edge", "row", "event"]
    record: str
    """Id of the node, edge or event; first cell of the row."""
    document_id: str
    chunk_id: str
    start: NonNegativeInt
    end: NonNegativeInt
    text: str
    place: Literal["text", "title"] = "text"
    stance: Literal["for", "against"] = "for"


class Tracer:
    """Finds the passages of one corpus: sentences for nodes, edges and events, chunks for rows.

    Parameters
    ----------
    corpus : TextCorpus
        The corpus.
    most : int, optional
        Passages of one record; None for all.

    """

    def __init__(self, corpus: TextCorpus, most: int | None = None) -> None:
        self._corpus = corpus
        self._most = most
        self._documents = {document.id: document for document in corpus.documents}

    def of_graph(self, graph: Graph) -> Iterator[TracedPassage]:
        """Yield the sentences that mention each node, then those that state or deny each edge.

        Parameters
        ----------
        graph : Graph
            Made from the corpus.

        Yields
        ------
        TracedPassage
            At most `most` a record.

        """
        of = self._corpus.resolved
        mentions = ((of.get(mention.id), mention) for mention in self._corpus.mentions)
        yield from self._sentences("node", [node.id for node in graph.nodes], mentions)
        stated = self._corpus.stated
        assertions = ((stated.get(one.id), one) for one in self._corpus.assertions)
        yield from self._sentences("edge", [edge.id for edge in graph.edges], assertions)

    def of_events(self, events: Iterable[Event]) -> Iterator[TracedPassage]:
        """Yield the sentence that tells of each event.

        Parameters
        ----------
        events : iterable of Event
            Of the corpus.

        Yields
        ------
        TracedPassage
            One an event.

        """
        for event in events:
            yield self._passage("event", event.id, event)

    def of_table(self, table: Table) -> Iterator[TracedPassage]:
        """Yield the chunks behind each row.

        Parameters
        ----------
        table : Table
            With the ids of the chunks behind each row as `provenance`.

        Yields
        ------
        TracedPassage
            At most `most` a row; none for a table without provenance.

        """
        chunks = {chunk.id: chunk for chunk in self._corpus.graph.chunks}
        for row, behind in zip(table.rows, table.provenance or (), strict=False):
            for chunk in (chunks[id_] for id_ in behind[: self._most]):
                yield TracedPassage(
                    structure="row",
                    record=str(row[0]),
                    document_id=chunk.source_doc,
                    chunk_id=chunk.id,
                    start=chunk.start,
                    end=chunk.end,
                    text=chunk.content,
                )

    def _sentences(
        self,
        structure: Literal["node", "edge"],
        records: Sequence[str],
        found: Iterable[tuple[str | None, Finding]],
    ) -> Iterator[TracedPassage]:
        filed: dict[str, dict[tuple[str, int, str], TracedPassage]] = {record: {} for record in records}
        for record, finding in counted(found, f"passages of each {structure}"):
            if record in filed:
                passage = self._passage(structure, record, finding)
                filed[record].setdefault((passage.document_id, passage.start, passage.stance), passage)
        for record in records:
            yield from (filed[record][key] for key in sorted(filed[record])[: self._most])

    def _passage(
        self, structure: Literal["node", "edge", "event"], record: str, finding: Finding
    ) -> TracedPassage:
        start, end = finding.sentence_start, finding.sentence_end
        document = self._documents[finding.document_id]
        in_title = start == end  # a title that names an entity is no part of the text
        return TracedPassage(
            structure=structure,
            record=record,
            document_id=finding.document_id,
            chunk_id=finding.chunk_id,
            start=start,
            end=end,
            text=document.title if in_title else document.text[start:end],
            place="title" if in_title else "text",
            stance="against" if getattr(finding, "negated", False) else "for",
        )


_OPEN = re.compile(
    r"\b(?:before|after|since|until|till|by|prior to)\s+(?:(?:the|about|around|circa|early|late)\s+)*$",
    re.IGNORECASE,
)
"""What stands before a date that bounds an event and does not date it."""
_LAST = midnight(10_000) - SECOND
"""The last second that four digits of a year can write."""


class TimelineEvent(Event, use_attribute_docstrings=True):
    """An event with the interval its date means, and the names of who and where."""

    begins: str
    """first instant it can have begun, ISO 8601"""
    until: str
    """instant by which it is over, ISO 8601; not part of the interval"""
    actor_names: tuple[str, ...] = ()
    place_names: tuple[str, ...] = ()


class Timeline(Noun):
    """Dated events, in order of the first instant each can mean, then of the last."""

    events: tuple[TimelineEvent, ...] = ()


def _bound(text: str | None) -> Moment | None:
    """Read a bound of the timeline. Raises InvalidInputError for what is no date."""
    moment = None if text is None else parse(text)
    if isinstance(moment, str):
        raise InvalidInputError(f"{text!r} is no date.", hint="Write 1854, 1854-09 or 1854-09-08.")
    return moment


def bounded(corpus: Corpus) -> set[str]:
    """Return the events whose date stands after "before", "since" and the like in their sentence.

    Parameters
    ----------
    corpus : Corpus
        The corpus.

    Returns
    -------
    set of str
        Their ids.

    """
    texts = {document.id: document.text for document in corpus.documents}
    dates = {
        (one.document_id, one.sentence_start, one.attributes.get("iso"))
        for one in corpus.mentions
        if one.type == "date" and _OPEN.search(texts[one.document_id][one.sentence_start : one.start])
    }
    return {
        event.id
        for event in corpus.events
        if event.timestamp_end is None and (event.document_id, event.sentence_start, event.timestamp) in dates
    }


def timeline_of(
    corpus: Corpus, cited: Cited, *, start: str | None, end: str | None, most: int | None
) -> tuple[Timeline, tuple[ToolWarning, ...]]:
    """Order the events whose interval reaches into the period; name those that are left out.

    The period is from the first instant of `start` to the last of `end`: an `end` of 1855 has all of 1855.
    An event "before 1860" is placed at 1860, and named.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    cited : Cited
        Of the same corpus.
    start, end : str or None
        Dates; None for no bound.
    most : int or None
        How many events are listed; None for all.

    Returns
    -------
    (Timeline, tuple of ToolWarning)
        Warnings are `open_interval`, `unparsed_timestamp`, `outside_period` and `list_cut`.

    Raises
    ------
    InvalidInputError
        For a bound that is no date, and an end before the start.

    """
    first, last = _bound(start), _bound(end)
    if first and last and last.until <= first.start:
        raise InvalidInputError(f"The timeline would end ({end}) before it starts ({start}).")
    placed: list[tuple[tuple[int, int, str, int, str], TimelineEvent]] = []
    unread, outside = [], []
    for event in corpus.events:
        begun, ended = parse(event.timestamp), parse(event.timestamp_end or event.timestamp)
        if isinstance(begun, str) or isinstance(ended, str):
            unread.append(f"{event.id}: {event.timestamp}")
            continue
        until = max(begun.until, ended.until)
        if (first and until <= first.start) or (last and begun.start >= last.until):
            outside.append(event.id)
            continue
        row = TimelineEvent(
            **event.model_dump(),
            begins=iso(begun.start).removesuffix("Z"),
            until=iso(min(until, max(_LAST, begun.start))).removesuffix("Z"),
            actor_names=cited.names(event.actors),
            place_names=cited.names(event.places),
        )
        placed.append(((begun.start, until, event.document_id, event.start, event.id), row))
    ordered = [row for _, row in sorted(placed, key=itemgetter(0))]
    listed, cut = tuple(ordered[:most]), ordered[most:] if most else ()
    bounds = bounded(corpus)
    told = (
        ("open_interval", _AT_BOUND, [event.id for event in listed if event.id in bounds]),
        ("unparsed_timestamp", "have a time that cannot be read; they are left out", unread),
        ("outside_period", "are outside the period; they are left out", outside),
        ("list_cut", "come after the most that are asked for; they are left out", [e.id for e in cut]),
    )
    warnings = []
    for code, what, records in told:
        named = records if code == "open_interval" else records[:MOST_RECORDS]
        warnings += warning(code, f"{len(records)} events {what}.", named)
    return Timeline(events=listed), tuple(warnings)


_AT_BOUND = "are dated before or after something; they are placed at that bound"
