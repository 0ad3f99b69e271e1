"""Tool 22: graph, table and timeline from texts."""

from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from corpusgraph.schemas.base import Confidence, Noun
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.evidence import Event
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.results import Noted, Table, ToolInput, ToolWarning
from corpusgraph.schemas.study import Chunking, Resolution, TableDataset, UnitOfAnalysis, Variable
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.dataset.periods import read_date
from corpusgraph.tasks.dataset.table import build_table
from corpusgraph.tasks.dataset.texts import TextCorpus, corpus_of

Structure = Literal["graph", "table", "timeline"]
_VARIABLES = (Variable(name="mentions", measure="mentions"), Variable(name="relations", measure="relations"))


class GraphConfig(Noun):
    """Which entities and relationships the graph keeps."""

    entity_types: tuple[str, ...] = Field(default=(), description="keep entities of these types; empty: all")
    relationship_types: tuple[str, ...] = Field(default=(), description="keep these types; empty: all")
    min_mentions: int = Field(default=0, ge=0)


class TableConfig(Noun):
    """Unit of analysis and variables, as in a study file."""

    unit: UnitOfAnalysis = "entity"
    variables: tuple[Variable, ...] = Field(default=_VARIABLES, min_length=1)
    entity_types: tuple[str, ...] = ()
    min_mentions: int = Field(default=0, ge=0)
    period: Literal["year", "month", "day"] = "year"


class TimelineConfig(Noun):
    """Which stretch of time the timeline keeps."""

    start: str | None = Field(default=None, description="ISO date; keep events from then on")
    end: str | None = Field(default=None, description="ISO date; keep events that begin by then")
    most: PositiveInt | None = Field(default=None, description="keep so many, the earliest")


class ExtractionConfig(Noun):
    """Settings of the extraction and of each structure."""

    chunking: Chunking = Chunking()
    resolution: Resolution = Resolution()
    min_confidence: Confidence = 0.0
    graph: GraphConfig = GraphConfig()
    table: TableConfig = TableConfig()
    timeline: TimelineConfig = TimelineConfig()


class Timeline(Noun):
    """Dated events, in order of the first instant each can mean."""

    events: tuple[Event, ...] = ()


class Structures(Noun):
    """The structures asked for; the others are None."""

    graph: Graph | None = None
    table: Table | None = None
    timeline: Timeline | None = None


class TransformDocumentToStructures(ToolInput):
    """Texts and what to make of them."""

    documents: Annotated[list[str], Field(min_length=1, description="the texts themselves")]
    target_structures: Annotated[tuple[Structure, ...], Field(min_length=1)] = ("graph",)
    extraction_config: ExtractionConfig = ExtractionConfig()


@tool(22, writes="structures", adds={"Entity.id", "Relationship.id", "Event.timestamp"})
def transform_document_to_structures(ask: TransformDocumentToStructures) -> Noted[Structures]:
    """Extract a graph, a table or a timeline from texts, with the offline extractor and without an index.

    Raises InvalidInputError for texts that are all blank, and the errors of a table's variables.
    """
    if not any(text.strip() for text in ask.documents):
        raise InvalidInputError("documents holds no text.")
    config = ask.extraction_config
    grouped = config.table.unit == "community" or any(
        v.measure == "community" for v in config.table.variables
    )
    corpus = corpus_of(
        ask.documents,
        chunking=config.chunking,
        resolution=config.resolution,
        min_confidence=config.min_confidence,
        with_communities=grouped and "table" in ask.target_structures,
    )
    table, warnings = None, tuple[ToolWarning, ...]()
    if "table" in ask.target_structures:
        dataset = TableDataset(
            name="table", **{k: getattr(config.table, k) for k in TableConfig.model_fields}
        )
        table, warnings = build_table(corpus, dataset)
    made = Structures(
        graph=_graph(corpus, config.graph) if "graph" in ask.target_structures else None,
        table=table,
        timeline=_timeline(corpus, config.timeline) if "timeline" in ask.target_structures else None,
    )
    return Noted[Structures](data=made, warnings=warnings)


def _graph(corpus: TextCorpus, config: GraphConfig) -> Graph:
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
    return Graph(nodes=nodes, edges=edges, metadata={"documents": [d.id for d in corpus.documents]})


def _timeline(corpus: TextCorpus, config: TimelineConfig) -> Timeline:
    first, last = (_limit(text) for text in (config.start, config.end))
    placed = []
    for event in corpus.events:
        found = read_date(event.timestamp)
        begins = found.instant.isoformat() if found else event.timestamp
        if (first is None or begins >= first) and (last is None or begins <= last):
            placed.append((begins, event.document_id, event.start, event.id, event))
    ordered = [event for *_, event in sorted(placed, key=lambda entry: entry[:4])]
    return Timeline(events=tuple(ordered[: config.most]))


def _limit(text: str | None) -> str | None:
    if text is None:
        return None
    found = read_date(text)
    if found is None:
        raise InvalidInputError(f"{text!r} is no date.", hint="Write 1854, 1854-09 or 1854-09-08.")
    return found.instant.isoformat()
