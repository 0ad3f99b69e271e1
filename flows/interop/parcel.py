"""Rows made of another system's files, and how they become a published generation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import Field

from corpusgraph.flows.embed.embedders import make_embedder, told
from corpusgraph.flows.files.manifest import Manifest
from corpusgraph.flows.store.late_vectors import add_embedded, add_graph
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.flows.store.writer import GenerationWriter
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.schemas.evidence import Claim
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship
from corpusgraph.schemas.memory import is_deeper
from corpusgraph.schemas.ports import Embedder
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import IndexOptions
from corpusgraph.tasks.build.aggregate import Passage
from corpusgraph.tasks.build.embedded import chunk_text
from corpusgraph.tasks.graph.names import ROWS

N = TypeVar("N", bound=Noun)


@dataclass
class Parcel:
    """Everything a generation holds. Rows of evidence are mappings with the ids they were resolved to.

    Communities and reports that are None are made by publishing: none were given.
    """

    format: str
    source: str
    documents: list[Document] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    mentions: list[JsonDict] = field(default_factory=list)
    assertions: list[JsonDict] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    incidence: list[JsonDict] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    relationships: list[Relationship] = field(default_factory=list)
    communities: list[Community] | None = None
    reports: list[CommunityReport] | None = None
    passages: dict[str, Passage] = field(default_factory=dict)
    facts: JsonDict = field(default_factory=dict)


def publish(
    parcel: Parcel, name: str, outputs: Path, *, replace: bool = False, options: IndexOptions | None = None
) -> Manifest:
    """Publish a parcel as an index; a journal of memory beside it stays as it is.

    Parameters
    ----------
    parcel : Parcel
        Communities and reports are added where it has none.
    name : str
        Of the index.
    outputs : Path
        Folder of all indexes.
    replace : bool, default False
        Whether an index of that name may be replaced.
    options : IndexOptions, optional
        Embedder and communities; defaults unless given.

    Returns
    -------
    Manifest
        The same parcel gives the same generation id.

    Raises
    ------
    InvalidInputError
        `index_exists`, where there is one and it may not be replaced.
    IndexLockedError
        If another process is writing.
    OutputError
        If the folder cannot be written.

    """
    store = IndexStore(outputs)
    refuse_existing(store, name, replace=replace)
    chosen = options or IndexOptions()
    embedder = make_embedder(chosen)
    completed(parcel, chosen)
    with store.write(name) as writer:
        refuse_existing(store, name, replace=replace)
        fill(writer, parcel, embedder)
        facts = {
            "import": {"format": parcel.format, "source": parcel.source, **parcel.facts},
            "embedder": told(embedder),
            "config_fingerprint": f"import/{parcel.format}",
            "corpus_fingerprint": f"import:{_content(parcel)}",
        }
        return writer.publish(facts)


def refuse_existing(store: IndexStore, name: str, *, replace: bool) -> None:
    """Check that an index does not exist, or may be overwritten.

    Parameters
    ----------
    store : IndexStore
        The indexes of a folder.
    name : str
        Of the index.
    replace : bool
        Whether it may be overwritten.

    Raises
    ------
    InvalidInputError
        `index_exists`.

    """
    if store.manifest(name) is None or replace:
        return
    hint = f"Use --replace to overwrite it, --into {name} to add to its memory, or another name."
    raise InvalidInputError(
        f"There is an index {name!r} in {shown(store.outputs)} already.", hint=hint, code="index_exists"
    )


def completed(parcel: Parcel, options: IndexOptions) -> None:
    """Find communities, and write their reports, where none were given.

    Parameters
    ----------
    parcel : Parcel
        Is changed.
    options : IndexOptions
        Say how communities are found.

    """
    from corpusgraph.tasks.build.communities import find_communities
    from corpusgraph.tasks.build.reports import write_reports

    if parcel.communities is None:
        parcel.communities = find_communities(parcel.entities, parcel.relationships, options.communities)
        parcel.reports = None
    if parcel.reports is None:
        given = (parcel.communities, parcel.entities, parcel.relationships, parcel.passages)
        parcel.reports = write_reports(*given)


def fill(writer: GenerationWriter, parcel: Parcel, embedder: Embedder) -> None:
    """Write all rows, in order of their ids, with vectors as indexing makes them.

    Parameters
    ----------
    writer : GenerationWriter
        Of the generation.
    parcel : Parcel
        Complete.
    embedder : Embedder
        Makes the vectors.

    """
    titles = {document.id: document.title for document in parcel.documents}

    def titled(chunk: Chunk) -> str:
        return chunk_text(titles.get(chunk.source_doc, ""), chunk.content)

    in_text = sorted(parcel.chunks, key=lambda chunk: (chunk.source_doc, chunk.position, chunk.id))
    writer.add("documents", _ordered(parcel.documents))
    add_embedded(writer, embedder, "chunks", in_text, titled)
    for table in ("mentions", "assertions"):
        rows: list[JsonDict] = getattr(parcel, table)
        rows.sort(key=lambda row: (row["document_id"], row["start"], row["id"]))
        writer.add(table, rows)
    writer.add("claims", _ordered(parcel.claims))
    parcel.incidence.sort(key=lambda row: (row["chunk_id"], row["entity_id"]))
    writer.add("incidence", parcel.incidence)
    graph = (_ordered(parcel.entities), _ordered(parcel.relationships))
    add_graph(writer, embedder, *graph, _ordered(parcel.communities or ()), _ordered(parcel.reports or ()))


def _ordered(items: Sequence[N]) -> list[N]:
    return sorted(items, key=lambda item: str(getattr(item, "id", "")))


def _content(parcel: Parcel) -> str:
    """Return a hash of which items there are."""
    digest = blake2b(digest_size=16)
    for items in (parcel.documents, parcel.chunks, parcel.entities, parcel.relationships):
        for item in sorted(str(getattr(one, "id", "")) for one in items):
            digest.update(item.encode())
    return digest.hexdigest()


SHOWN = 200
"""Records told of with each warning."""

_SAID: Mapping[str, str] = {
    "blob_left_out": "Columns of bytes were left out",
    "broken_line": "Lines could not be read and were left out",
    "broken_row": "Rows could not be read and were left out",
    "communities_made": "Communities and reports that the folder lacks were made",
    "context_left_out": "Contexts too deep or too large for a memory were left out",
    "duplicate_entity": "Entities that occur again were taken for one",
    "duplicate_relation": "Relationships that occur again were taken for one",
    "duplicate_edge": "Relationships that join the same entities again were kept beside the first",
    "duplicate_id": "Rows that share an id were kept apart; what names it means the first",
    "duplicate_row": "Rows that occur again were left out",
    "duplicate_title": "Entities that share a title were kept apart",
    "elsewhere_in_document": "Texts that do not stand in their document became documents of their own",
    "embeddings_left_out": "Columns of vectors were left out, and vectors were made anew",
    "missing_entity": "Relationships point to entities that are missing; these were made",
    "missing_table": "Tables are missing",
    "numbers_given_anew": "Numbers that are missing or occur twice were given anew",
    "older_table": "Tables that an older version left were left out",
    "unknown_reference": "References to rows that are not there were left out",
    "value_repaired": "Values outside their range were repaired",
    "without_type": "Entities without a type",
}


@dataclass
class Notes:
    """Collects what there is to warn of; one warning a code, in the order the codes came up."""

    found: dict[str, list[str]] = field(default_factory=dict)

    def add(self, code: str, record: str) -> None:
        """Note that a condition holds of a record.

        Parameters
        ----------
        code : str
            Of the condition, a key of the texts that tell of it.
        record : str
            What it holds of, as a person finds it.

        """
        self.found.setdefault(code, []).append(record)

    def drop(self, code: str, record: str) -> None:
        """Take back what was noted of a record, if it was.

        Parameters
        ----------
        code : str
            Of the condition.
        record : str
            As it was noted.

        """
        if record in self.found.get(code, ()):
            self.found[code].remove(record)
            self.found = {code: records for code, records in self.found.items() if records}

    def warnings(self) -> tuple[ToolWarning, ...]:
        """Return one warning for each condition, with the first records it holds of.

        Returns
        -------
        tuple of ToolWarning
            In the order in which conditions were first met; `SHOWN` records each.

        """
        return tuple(
            ToolWarning(
                code=code, message=f"{_SAID[code]}: {len(records):,}.", records=tuple(records[:SHOWN])
            )
            for code, records in self.found.items()
        )


class ImportReport(Noun):
    """What an import did: `generation` is that of a new index, `change` what was added to an old one."""

    index: str
    format: str = Field(description="graphrag, sqlite or jsonl, with its version where there is one")
    source: str = Field(description="the file or folder that was read")
    generation: str | None = None
    change: int | None = Field(default=None, description="number of the change in the journal; undo takes it")
    counts: dict[str, int] = Field(description="rows per table, or what was added")
    warnings: tuple[ToolWarning, ...] = ()
    path: str = Field(default="", description="folder of the index")


class ExportReport(Noun):
    """What an export wrote."""

    index: str
    format: str
    files: tuple[str, ...]
    counts: dict[str, int]
    warnings: tuple[ToolWarning, ...] = ()


IN_FILE = "in_file"
"""Attribute with the members of a file that are called like attributes of ours, as they stand there."""
OURS = frozenset({"observations", "context", "aliases", "n_documents", "roles", "origin"})
"""Attributes that an index gives its nouns itself: written elsewhere, or counted anew from evidence."""
DEEPEST = 100
"""Levels of JSON that are read; what writes an index can take a few more."""


@dataclass(slots=True)
class GivenEntity:
    """An entity as a file has it."""

    name: str
    type: str | None = None
    observations: list[str] = field(default_factory=list)
    attributes: JsonDict = field(default_factory=dict)
    number: int | None = None
    is_stub: bool = False
    told: str = ""
    """Of a stub: what was noted of it."""

    @property
    def rows(self) -> list[Any]:
        """What the file that it was imported from had for each observation; empty where nothing was kept."""
        rows = self.attributes.get(ROWS)
        return rows if isinstance(rows, list) else []

    @property
    def details(self) -> list[JsonDict | None]:
        """What a file kept of each observation beside its words, one for each observation."""
        if len(self.rows) != len(self.observations):
            return [None for _ in self.observations]
        return [row if isinstance(row, dict) else None for row in self.rows]


@dataclass(slots=True)
class GivenRelation:
    """A relation between two entities by their places in the list; confidence is how sure it is, 0 to 1."""

    source: int
    target: int
    type: str
    confidence: float = 1.0
    is_causal: bool = False
    context: JsonDict | None = None
    attributes: JsonDict = field(default_factory=dict)
    number: int | None = None
    where: str = ""
    """Line or row of the file."""


@dataclass(slots=True)
class GivenExtraction:
    """A line of the extraction log."""

    entity: int
    found: int
    at: str


@dataclass
class GivenMemory:
    """All that a file holds, in its order."""

    format: str
    source: str
    entities: list[GivenEntity] = field(default_factory=list)
    relations: list[GivenRelation] = field(default_factory=list)
    log: list[GivenExtraction] = field(default_factory=list)
    facts: JsonDict = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)


class MemoryFormat(NamedTuple):
    """How another system keeps a memory in a file."""

    endings: tuple[str, ...]
    """Of the files that are written so."""
    fits: Callable[[Path], bool]
    """Tells a file of it by what is in it."""
    read: Callable[..., GivenMemory]
    """Reads a file; with `strict`, what cannot be used is an error."""
    write: Callable[[GivenMemory, Path], dict[str, int]]
    """Writes a file in one step, and counts what is in it."""


def entity_ids(entities: Sequence[GivenEntity]) -> list[str]:
    """Return an id for each entity: that of its name and type, and one of its own for a homonym.

    Parameters
    ----------
    entities : sequence of GivenEntity
        Some perhaps of one name and type.

    Returns
    -------
    list of str
        In the same order, all different.

    """
    taken: set[str] = set()
    ids = []
    for place, entity in enumerate(entities):
        type_ = entity.type or ""
        for qualifier in ("", entity.name, f"{entity.name}#{place}"):
            id_ = Entity.make_id(entity.name, type_, qualifier)
            if id_ not in taken:
                break
        taken.add(id_)
        ids.append(id_)
    return ids


def beside_ours(attributes: JsonDict) -> JsonDict:
    """Return attributes with a second copy of those that an index writes over.

    Parameters
    ----------
    attributes : JsonDict
        As a file has them.

    Returns
    -------
    JsonDict
        The second copy stands under `IN_FILE`.

    """
    own = {key: value for key, value in attributes.items() if key in OURS}
    return {**attributes, IN_FILE: own} if own else attributes


def as_in_file(attributes: JsonDict) -> JsonDict:
    """Return the attributes that a file is to have: without those of the index, and with its own again.

    Parameters
    ----------
    attributes : JsonDict
        As an index has them.

    Returns
    -------
    JsonDict
        What `beside_ours` was given.

    """
    kept = {key: value for key, value in attributes.items() if key not in OURS and key != IN_FILE}
    own = attributes.get(IN_FILE)
    return {**kept, **own} if isinstance(own, dict) else kept


def clean(text: str) -> str:
    """Replace what no text may hold: halves of characters that were cut in two.

    Parameters
    ----------
    text : str
        As a file was decoded.

    Returns
    -------
    str
        "?" in their place.

    """
    return text.encode(errors="replace").decode() if not text.isascii() else text


def add_stub(memory: GivenMemory, stub: GivenEntity) -> int:
    """Put in an entity that a relation points to and nobody described, and note that.

    Parameters
    ----------
    memory : GivenMemory
        Is changed.
    stub : GivenEntity
        With what is to be told of it.

    Returns
    -------
    int
        Its place among the entities.

    """
    stub.is_stub = True
    memory.notes.add("missing_entity", stub.told)
    memory.entities.append(stub)
    return len(memory.entities) - 1


def is_too_deep(value: Any) -> bool:
    """Tell whether JSON is nested deeper than is read.

    Parameters
    ----------
    value : Any
        As `json.loads` returns it.

    Returns
    -------
    bool
        Beyond `DEEPEST` levels.

    """
    return is_deeper(value, DEEPEST)
