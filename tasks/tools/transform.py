"""Graphs, tables and texts, turned into each other."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, NonNegativeInt, PositiveInt, Tag

from corpusgraph.schemas.base import Confidence, JsonDict, Noun
from corpusgraph.schemas.errors import (
    InvalidInputError,
    MissingAttributeError,
    PreparationError,
    did_you_mean,
)
from corpusgraph.schemas.evidence import MIN_CONFIDENCE
from corpusgraph.schemas.graph import Entity, Graph
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
from corpusgraph.tasks.dataset.reshape.graph_tables import (
    GraphTables,
    Shape,
    TableFormat,
    attribute_names,
    checked,
    edge_table,
    graph_of,
    lost_in_columns,
    neighbour_columns,
    node_table,
    packed,
    read_csv,
    with_columns,
)
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
from corpusgraph.tasks.dataset.reshape.table_graph import (
    Naming,
    RelationshipRule,
    check_columns,
    infer_graph,
    is_edge_table,
    names_in,
    read_edges,
    read_neighbours,
    read_nodes,
    stub_warning,
)
from corpusgraph.tasks.dataset.table import build_table
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.table.encodable import check_encodable, not_encodable
from corpusgraph.tasks.table.frames import check_table, loose_table
from corpusgraph.tasks.table.values import warning
from corpusgraph.tasks.text.languages import detect, language_code

# Tool 20: a graph as tables.


class TransformGraphToTable(ToolInput):
    """Which graph, which attributes, which shape."""

    subgraph: Annotated[Graph, Reads("subgraph")] = Field(description="nodes and edges")
    node_attributes: list[str] | None = Field(
        default=None, description="attributes and fields to include beside id, name, type; none given: all"
    )
    edge_as_columns: bool = Field(
        default=False,
        description="true: one column per relationship type holding neighbour ids; false: a table of edges",
    )
    shape: Shape = Field(
        default="wide",
        description="wide: a row per node or edge; long: a row per value (record, variable, value, type)",
    )
    output_format: TableFormat = Field(
        default="dataframe",
        description="dataframe: typed columns and rows; csv, parquet: files; json, records: dictionaries",
    )


@tool(20, writes="table", needs="Entity.id", optional="Entity.name type attributes, Relationship.type weight")
def transform_graph_to_table(ask: TransformGraphToTable) -> Noted[GraphTables]:
    """Turn a graph into tables from which `transform_table_to_graph` makes the same graph again.

    An edge to a missing node stays (warning `dangling_edge`). What a shape cannot hold is named:
    `edge_details_left_out`, `attributes_left_out`. Raises MissingAttributeError for an attribute no node
    has, PreparationError `duplicate_id`, `empty_id`, `weight_not_finite`, and InvalidInputError for text
    that UTF-8 cannot hold.
    """
    graph, warnings = checked(ask.subgraph)
    if ask.node_attributes is not None:
        warnings += _check_attributes(graph, ask.node_attributes)
    if ask.edge_as_columns:
        tables, told = _with_neighbours(graph, ask.node_attributes)
        warnings += told
    else:
        tables = {"nodes": node_table(graph.nodes, ask.node_attributes), "edges": edge_table(graph.edges)}
    check_encodable(tables, _of_itself(graph))
    made = packed(tables, ask.output_format, ask.shape, _of_itself(graph))
    return Noted[GraphTables](data=made, warnings=warnings)


def _of_itself(graph: Graph) -> JsonDict:
    told = {} if graph.metadata is None else {"metadata": graph.metadata}
    return {**told, **(graph.model_extra or {})}


def _with_neighbours(
    graph: Graph, attributes: Sequence[str] | None
) -> tuple[dict[str, Table], tuple[ToolWarning, ...]]:
    """Return the nodes with neighbours; a node that only an edge names gets a stub to hold its column."""
    known = {node.id for node in graph.nodes}
    missing = sorted({edge.source_id for edge in graph.edges} - known)
    nodes = (*graph.nodes, *(Entity(id=id_, is_stub=True) for id_ in missing))
    warnings = lost_in_columns(graph.edges)
    message = f"{len(missing)} nodes are only named by edges; they got stubs."
    warnings += tuple(warning("stub_entities", message, missing))
    table = node_table(nodes, attributes)
    whole = graph.model_copy(update={"nodes": nodes})
    neighbours = neighbour_columns(whole, [column.name for column in table.columns])
    return {"nodes": with_columns(table, neighbours)}, warnings


def _check_attributes(graph: Graph, wanted: Sequence[str]) -> tuple[ToolWarning, ...]:
    """Raise for a name that no node has; name what is left out."""
    known = attribute_names(graph.nodes)
    for name in wanted:
        if name not in known:
            raise MissingAttributeError(
                f"No node has an attribute {name!r}.",
                hint=did_you_mean(name, known) or f"There are {', '.join(known)}.",
            )
    whole = ("Entity.attributes", "Entity.extra")
    held = (column.source for column in node_table(graph.nodes).columns if column.source not in whole)
    shown = {one.removeprefix("Entity.").removeprefix("attributes.").removeprefix("extra.") for one in held}
    left = sorted(shown - {"id", "name", "type", "description", *wanted})
    message = f"{len(left)} attributes of nodes are left out, as asked: {', '.join(left)}."
    return tuple(warning("attributes_left_out", message, left))


# Tool 21: a graph from tables.


def _loose(data: Any) -> Any:
    """Accept CSV text beside what `loose_table` accepts."""
    return read_csv(data) if isinstance(data, str) else loose_table(data)


LooseTable = Annotated[
    Table, BeforeValidator(_loose, json_schema_input_type=list[JsonDict] | str | Table | JsonDict)
]


class KeyedTables(Noun):
    """A table of nodes, and a table whose cells name them by a key."""

    nodes: LooseTable
    table: LooseTable
    key: str = Field(default="id", description="column of nodes that the cells of table name")


def _shape(data: Any) -> str:
    if isinstance(data, KeyedTables) or (isinstance(data, Mapping) and "table" in data):
        return "keyed"
    both = isinstance(data, GraphTables) or (isinstance(data, Mapping) and "columns" not in data)
    return "graph" if both else "table"


def _as_tables(data: Any) -> Any:
    """Accept nodes and edges as rows, frames or loose tables, beside every format that tool 20 writes."""
    if not isinstance(data, Mapping) or data.get("format") not in (None, "dataframe"):
        return data
    kept = {name: data[name] for name in GraphTables.model_fields if data.get(name) is not None}
    parts = {name: data[name] for name in ("nodes", "edges") if data.get(name) is not None}
    named = {name: t if isinstance(t, Table) else _named(name, _loose(t)) for name, t in parts.items()}
    return {"format": "dataframe", **kept, **named}


def _named(name: str, table: Any) -> Any:
    if isinstance(table, Table):
        return table.model_copy(update={"name": name})
    return {**table, "name": name} if isinstance(table, Mapping) else table


TableData = Annotated[
    Annotated[LooseTable, Tag("table")]
    | Annotated[GraphTables, BeforeValidator(_as_tables), Tag("graph")]
    | Annotated[KeyedTables, Tag("keyed")],
    Discriminator(_shape),
]
Rules = Annotated[
    tuple[RelationshipRule, ...],
    BeforeValidator(
        lambda rules: [rules] if isinstance(rules, dict) else rules,
        json_schema_input_type=list[RelationshipRule] | RelationshipRule,
    ),
]


class TransformTableToGraph(ToolInput):
    """The table, which columns hold entities, and how they are related."""

    table_data: Annotated[TableData, Reads("table")] = Field(
        description="rows [{…}], a table {columns, rows}, a data frame, CSV text, {nodes, edges} as tool 20 "
        "writes, or {nodes, table}: the cells of table name nodes"
    )
    entity_columns: list[str] = Field(default_factory=list, description="columns containing entities")
    relationship_rules: Rules = Field(
        default=(), description="one rule or several; none: entities of one row co-occur"
    )
    entity_types: dict[str, str] = Field(
        default_factory=dict,
        description="column: type of the entities in it; else person, place … by its name",
    )
    separators: dict[str, Annotated[str, Field(min_length=1)]] = Field(
        default_factory=dict, description="column: what stands between several names in one cell, such as ;"
    )


@tool(21, adds="Entity.id, Relationship.id")
def transform_table_to_graph(ask: TransformTableToGraph) -> Noted[Graph]:
    """Make a graph from a table: each name in an entity column is an entity, rules make the edges.

    With one entity column, the row describes that entity: its other columns are attributes. Tables of
    nodes and edges give their graph back. A key that leads to no node gets a stub. Raises PreparationError
    `unknown_variable`, `empty_table`, `duplicate_id`, `empty_id`, `mixed_types`, `weight_not_positive`,
    `weight_not_finite`, and InvalidInputError.
    """
    try:
        return _graph_of(ask.table_data, ask)
    except UnicodeEncodeError as error:  # ids are hashes of the UTF-8 text
        raise not_encodable(error) from None


def _graph_of(data: Table | GraphTables | KeyedTables, ask: TransformTableToGraph) -> Noted[Graph]:
    if isinstance(data, GraphTables):
        return _given_back(data)
    if isinstance(data, KeyedTables):
        return _keyed(data, ask)
    check_table(data)
    if not ask.entity_columns:
        if is_edge_table(data):
            return _with_stubs(Graph(edges=read_edges(data)))
        raise InvalidInputError("entity_columns is empty.", hint="Name the columns that hold entities.")
    naming = Naming(types=ask.entity_types, separators=ask.separators)
    naming.homes |= {
        rule.target_col: rule.source_col
        for rule in ask.relationship_rules
        if rule.kind == "foreign_key" and rule.source_col and rule.target_col
    }
    graph, warnings = infer_graph(data, ask.entity_columns, ask.relationship_rules, naming)
    return Noted[Graph](data=graph, warnings=warnings)


def _given_back(data: GraphTables) -> Noted[Graph]:
    tables = data.tables()
    if not tables:
        raise InvalidInputError("table_data holds neither nodes nor edges.")
    nodes, edges = tables.get("nodes"), tables.get("edges")
    made = graph_of(data) | {"nodes": read_nodes(nodes) if nodes else ()}
    made["edges"] = (*(read_edges(edges) if edges else ()), *(read_neighbours(nodes) if nodes else ()))
    return _with_stubs(Graph.model_validate(made))


def _keyed(data: KeyedTables, ask: TransformTableToGraph) -> Noted[Graph]:
    """Join the nodes of one table by another, whose cells name them by their keys."""
    check_table(data.nodes)
    check_table(data.table)
    check_columns(data.nodes, [data.key])
    described, told = checked(Graph(nodes=read_nodes(data.nodes)))
    named = zip(data.nodes.column(data.key), read_nodes(data.nodes), strict=True)
    keys: dict[str, str] = {}
    for value, node in named:
        for key in names_in(value):
            if keys.setdefault(key, node.id) != node.id:
                message = f"Two nodes have the key {key!r} in {data.key!r}."
                raise PreparationError(message, code="duplicate_id", hint="Use id, or another column.")
    rows_own = {rule.source_col for rule in ask.relationship_rules if rule.kind in ("foreign_key", "nary")}
    ends = [end for rule in ask.relationship_rules for end in (rule.source_col, rule.target_col) if end]
    homes = {name: data.key for name in (*ask.entity_columns, *ends) if name not in rows_own}
    naming = Naming(types=ask.entity_types, separators=ask.separators, homes=homes, keys=keys)
    if not homes and not rows_own:
        raise InvalidInputError(
            "Nothing says which columns of table name nodes.", hint="Give entity_columns."
        )
    made, more = infer_graph(data.table, ask.entity_columns, ask.relationship_rules, naming)
    graph, again = checked(made.model_copy(update={"nodes": (*described.nodes, *made.nodes)}))
    return Noted[Graph](data=graph, warnings=(*told, *more, *again))


def _with_stubs(graph: Graph) -> Noted[Graph]:
    """Add a stub for each node an edge leads to and no row describes."""
    graph, warnings = checked(graph)
    known = {node.id for node in graph.nodes}
    missing = sorted({end for edge in graph.edges for end in (edge.source_id, edge.target_id)} - known)
    if not missing:
        return Noted[Graph](data=graph, warnings=warnings)
    kept = tuple(told for told in warnings if told.code != "dangling_edge")
    nodes = (*graph.nodes, *(Entity(id=id_, is_stub=True) for id_ in missing))
    return Noted[Graph](
        data=graph.model_copy(update={"nodes": nodes}), warnings=(*kept, *stub_warning(missing))
    )


# Tool 22: graph, table and timeline from texts.

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
    min_confidence: Confidence | None = Field(default=None, description=MIN_CONFIDENCE)
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


@tool(22, writes="structures", adds="Entity.id, Relationship.id, Event.timestamp")
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
    in_table = {config.table.unit, *(variable.measure for variable in config.table.variables)}
    corpus = corpus_of(
        [one for one in given if one.text.strip()],
        extractor=extractor,
        chunking=config.chunking,
        resolution=config.resolution,
        min_confidence=config.min_confidence,
        with_communities="table" in wanted and "community" in in_table,
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
    sources = (
        SourceDocument(id=id_, title=one.title, given=tuple(places[id_]), metadata=one.metadata)
        for id_, one in sorted(documents.items())
    )
    return tuple(sources), warnings


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
