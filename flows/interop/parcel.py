"""Rows made of another system's files, and how they become a published generation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from corpusgraph.flows.resources.embedders import make_embedder, told
from corpusgraph.flows.resources.latevectors import add_embedded
from corpusgraph.flows.resources.manifest import Manifest
from corpusgraph.flows.resources.store import IndexStore
from corpusgraph.flows.resources.writer import GenerationWriter
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.schemas.evidence import Claim
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship
from corpusgraph.schemas.ports import Embedder
from corpusgraph.schemas.study import IndexOptions
from corpusgraph.tasks.graph.ranking import is_lexical
from corpusgraph.tasks.index.aggregate import Passage
from corpusgraph.tasks.index.embedded import chunk_text, entity_text, relationship_text, report_text

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
    """Publish a parcel as the index `name`; one of that name is an error unless it may be replaced.

    The same parcel gives the same generation id. A journal of memory beside an index stays as it is.
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
    """Raise where an index would be overwritten that the caller did not say may be."""
    if store.manifest(name) is None or replace:
        return
    hint = f"Use --replace to overwrite it, --into {name} to add to its memory, or another name."
    raise InvalidInputError(
        f"There is an index {name!r} in {shown(store.outputs)} already.", hint=hint, code="index_exists"
    )


def completed(parcel: Parcel, options: IndexOptions) -> None:
    """Find communities, and write their reports, where none were given."""
    from corpusgraph.tasks.index.communities import find_communities
    from corpusgraph.tasks.index.reports import write_reports

    if parcel.communities is None:
        parcel.communities = find_communities(parcel.entities, parcel.relationships, options.communities)
        parcel.reports = None
    if parcel.reports is None:
        given = (parcel.communities, parcel.entities, parcel.relationships, parcel.passages)
        parcel.reports = write_reports(*given)


def fill(writer: GenerationWriter, parcel: Parcel, embedder: Embedder) -> None:
    """Write all rows, in order of their ids, with vectors as indexing makes them."""
    alone = not is_lexical(embedder)
    titles = {document.id: document.title for document in parcel.documents}
    names = {entity.id: entity.name for entity in parcel.entities}
    in_text = sorted(parcel.chunks, key=lambda chunk: (chunk.source_doc, chunk.position, chunk.id))
    put = partial(add_embedded, writer, embedder)
    writer.add("documents", _ordered(parcel.documents))
    put("chunks", in_text, lambda chunk: chunk_text(titles.get(chunk.source_doc, ""), chunk.content))
    for table in ("mentions", "assertions"):
        rows: list[JsonDict] = getattr(parcel, table)
        rows.sort(key=lambda row: (row["document_id"], row["start"], row["id"]))
        writer.add(table, rows)
    writer.add("claims", _ordered(parcel.claims))
    parcel.incidence.sort(key=lambda row: (row["chunk_id"], row["entity_id"]))
    writer.add("incidence", parcel.incidence)
    put("entities", _ordered(parcel.entities), partial(entity_text, alone=alone))
    put("relationships", _ordered(parcel.relationships), relationship_text(names, alone=alone))
    writer.add("communities", _ordered(parcel.communities or ()))
    put("reports", _ordered(parcel.reports or ()), partial(report_text, alone=alone))


def _ordered(items: Sequence[N]) -> list[N]:
    return sorted(items, key=lambda item: str(getattr(item, "id", "")))


def _content(parcel: Parcel) -> str:
    """Return a hash of which items there are."""
    digest = blake2b(digest_size=16)
    for items in (parcel.documents, parcel.chunks, parcel.entities, parcel.relationships):
        for item in sorted(str(getattr(one, "id", "")) for one in items):
            digest.update(item.encode())
    return digest.hexdigest()
