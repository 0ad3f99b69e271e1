"""Tool 22: graph, table and timeline from texts."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import Confidence, JsonDict, Noun
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.results import Noted, Table, ToolInput, ToolWarning
from corpusgraph.schemas.stages import Extractor
from corpusgraph.schemas.study import (
    BundleFormat,
    Chunking,
    Resolution,
    TableDataset,
    UnitOfAnalysis,
    Variable,
)
from corpusgraph.tasks.dataset.cited import Cited
from corpusgraph.tasks.dataset.reshape.structures import (
    TextCorpus,
    TextDocument,
    Timeline,
    TracedPassage,
    Tracer,
    corpus_of,
    document_of,
    read_given,
    timeline_of,
)
from corpusgraph.tasks.dataset.table import build_table
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.table.values import warning
from corpusgraph.tasks.text.languages import detect, language_code

Structure = Literal["graph", "table", "timeline"]
Warnings = tuple[ToolWarning, ...]
_VARIABLES = (Variable(name="mentions", measure="mentions"), Variable(name="relations", measure="relations"))


class GraphConfig(Noun):
    """Which entities and relationships the graph keeps."""

    entity_types: tuple[str, ...] = Field(default=(), description="keep entities of these types; empty: all")
    relationship_types: tuple[str, ...] = Field(default=(), description="keep these types; empty: all")
    min_mentions: NonNegativeInt = 0


class TableConfig(TableDataset):
    """Unit of analysis and variables, as in a study file; nothing is written, so `formats` is not used."""

    name: str = "table"
    unit: UnitOfAnalysis = "entity"
    variables: tuple[Variable, ...] = Field(default=_VARIABLES, min_length=1)
    formats: tuple[BundleFormat, ...] = ()


class TimelineConfig(Noun):
    """Which stretch of time the timeline keeps."""

    start: str | None = Field(default=None, description="ISO date; keep events that can be from then on")
    end: str | None = Field(default=None, description="ISO date; keep events that can have begun by then")
    most: PositiveInt | None = Field(default=None, description="keep so many, the earliest")


class ExtractionConfig(Noun):
    """Settings of the extraction and of each structure."""

    chunking: Chunking = Chunking()
    resolution: Resolution = Resolution()
    min_confidence: Confidence = 0.0
    most_passages: PositiveInt | None = Field(default=None, description="passages a record; none: all")
    graph: GraphConfig = GraphConfig()
    table: TableConfig = TableConfig()
    timeline: TimelineConfig = TimelineConfig()


class SourceDocument(Noun):
    """A document that was read, and which of those given it is."""

    id: str
    title: str
    given: tuple[int, ...] = Field(description="places among the documents given, from 1")
    metadata: JsonDict = Field(default_factory=dict)


class Structures(Noun):
    """The structures asked for, the documents they are from, and the passages behind each record."""

    graph: Graph | None = None
    table: Table | None = None
    timeline: Timeline | None = None
    documents: tuple[SourceDocument, ...] = ()
    passages: tuple[TracedPassage, ...] = ()


class TransformDocumentToStructures(ToolInput):
    """Texts and what to make of them."""

    documents: Annotated[
        list[str | TextDocument],
        Field(min_length=1, description="the texts themselves, or {text, id, title, date, metadata}"),
    ]
    target_structures: Annotated[tuple[Structure, ...], Field(min_length=1)] = Field(
        ("graph",), description="what to make of the documents"
    )
    extraction_config: ExtractionConfig = Field(ExtractionConfig(), description="settings of each structure")


@tool(22, writes="structures", adds={"Entity.id", "Relationship.id", "Event.timestamp"})
def transform_document_to_structures(
    ask: TransformDocumentToStructures, extractor: Extractor
) -> Noted[Structures]:
    """Extract a graph, a table or a timeline from texts, with the offline extractor and without an index.

    Every node, edge, row and event has its passages. Raises InvalidInputError for texts that are all blank,
    DuplicateDocumentError, PreparationError `empty_id`, and the errors of a table's variables.
    """
    config, wanted = ask.extraction_config, ask.target_structures
    given, changed = read_given(ask.documents)
    sources, warnings = _sources(given)
    warnings = changed + warnings
    grouped = config.table.unit == "community" or any(
        v.measure == "community" for v in config.table.variables
    )
    corpus = corpus_of(
        [one for one in given if one.text.strip()],
        extractor=extractor,
        chunking=config.chunking,
        resolution=config.resolution,
        min_confidence=config.min_confidence,
        with_communities=grouped and "table" in wanted,
    )
    warnings += _unparsed(corpus, extractor)
    tracer = Tracer(corpus, config.most_passages)
    made: JsonDict = {"documents": sources}
    passages: list[TracedPassage] = []
    if "graph" in wanted:
        made["graph"], told = _graph(corpus, config.graph)
        passages += tracer.of_graph(made["graph"])
        warnings += told
    if "table" in wanted:
        made["table"], told = build_table(corpus, config.table)
        passages += tracer.of_table(made["table"])
        warnings += told
    if "timeline" in wanted:
        window = config.timeline.model_dump()
        made["timeline"], told = timeline_of(corpus, Cited(corpus), **window)
        passages += tracer.of_events(made["timeline"].events)
        warnings += told if corpus.events else (_nothing("No sentence tells of a dated event."),)
    return Noted[Structures](data=Structures(**made, passages=tuple(passages)), warnings=warnings)


def _sources(given: Sequence[TextDocument]) -> tuple[tuple[SourceDocument, ...], Warnings]:
    """Return the documents in id order; name those that are blank and those given twice."""
    places: dict[str, list[int]] = {}
    documents = {}
    blank = []
    for at, document in enumerate(map(document_of, given), 1):
        if document.text.strip():
            places.setdefault(document.id, []).append(at)
            documents[document.id] = document
        else:
            blank.append(given[at - 1].id or str(at))
    if not documents:
        raise InvalidInputError("documents holds no text.")
    twice = [id_ for id_, at in places.items() if len(at) > 1]
    message = f"{len(twice)} documents are given more than once and count once."
    warnings = (
        *warning("blank_document", f"{len(blank)} documents are blank and left out.", blank),
        *warning("duplicate_identical", message, twice),
    )
    return tuple(
        SourceDocument(id=id_, title=one.title, given=tuple(places[id_]), metadata=one.metadata)
        for id_, one in sorted(documents.items())
    ), warnings


def _unparsed(corpus: TextCorpus, extractor: Extractor) -> Warnings:
    language = {
        one.id: language_code(one.language) if one.language else detect(one.text) for one in corpus.documents
    }
    parsed = {None, *extractor.languages}
    other = tuple(id_ for id_ in language if language[id_] not in parsed)
    codes = ", ".join(sorted({str(language[id_]) for id_ in other}))
    message = (
        f"{len(other)} documents are in a language whose sentences are not parsed ({codes}): "
        "names are read there, and little else."
    )
    return tuple(warning("other_language", message, other))


def _graph(corpus: TextCorpus, config: GraphConfig) -> tuple[Graph, Warnings]:
    types = {name.casefold() for name in config.entity_types}
    nodes = tuple(
        entity
        for entity in corpus.graph.entities
        if (not types or (entity.type or "").casefold() in types)
        and (entity.n_mentions or 0) >= config.min_mentions
    )
    kept = {node.id for node in nodes}
    edges = tuple(
        edge
        for edge in corpus.graph.relationships
        if {edge.source_id, edge.target_id} <= kept
        and (not config.relationship_types or edge.type in config.relationship_types)
    )
    made = Graph(nodes=nodes, edges=edges, metadata={"documents": [d.id for d in corpus.documents]})
    there = {(entity.type or "").casefold() for entity in corpus.graph.entities}
    there |= {edge.type for edge in corpus.graph.relationships}
    absent = sorted({*types, *config.relationship_types} - there)
    if absent:
        return made, (_nothing(f"Nothing is of type {', '.join(absent)}.", absent),)
    if nodes:
        return made, ()
    what = "left by min_mentions and entity_types" if corpus.graph.entities else "found"
    return made, (_nothing(f"No entity was {what}."),)


def _nothing(message: str, records: Sequence[str] = ()) -> ToolWarning:
    return ToolWarning(code="nothing_found", message=message, records=tuple(records))
