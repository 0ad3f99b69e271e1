"""Index documents in memory: the stages of indexing without a store."""

from collections.abc import Mapping, Sequence

from corpusgraph.flows.annotate.offline import default_extractor
from corpusgraph.flows.pipeline import with_contents
from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Mention
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.study import Chunking, CommunityOptions, Resolution
from corpusgraph.tasks.build.chunk import chunk_document
from corpusgraph.tasks.build.communities import find_communities
from corpusgraph.tasks.build.derive import Derivation, Linked
from corpusgraph.tasks.build.reports import write_reports
from corpusgraph.tasks.build.resolve import resolve
from corpusgraph.tasks.build.survey import survey
from corpusgraph.tasks.graph.view import MemoryGraph


class MemoryCorpus:
    """A Corpus made from documents at once."""

    def __init__(self, documents: Sequence[Document], resolution: Resolution | None = None) -> None:
        self.documents: Sequence[Document] = sorted(documents, key=lambda document: document.id)
        chunks = {
            d.id: chunk_document(d, Chunking(unit="sentences", size=2, overlap=0)) for d in self.documents
        }
        extractor = default_extractor()
        found = [(d, extractor.extract(d, chunks[d.id])) for d in self.documents]
        derivation = Derivation(resolve(survey(found), resolution or Resolution()))
        linked = [derivation.link(d, chunks[d.id], evidence) for d, evidence in found]
        derived = derivation.finish()
        communities = find_communities(derived.entities, derived.relationships, CommunityOptions(max_size=4))
        reports = write_reports(communities, derived.entities, derived.relationships, derived.passages)
        filled = [
            c for d, one in zip(self.documents, linked, strict=True) for c in with_contents(chunks[d.id], one)
        ]
        incidence = [row for one in linked for row in one.incidence]
        self.graph: GraphView = MemoryGraph(
            derived.entities, derived.relationships, filled, communities, reports, incidence
        )
        self._fill(linked)

    def _fill(self, linked: Sequence[Linked]) -> None:
        rows = [row for one in linked for row in one.mentions]
        self._entities: Mapping[str, str | None] = {row["id"]: row["entity_id"] for row in rows}
        self.mentions: Sequence[Mention] = [Mention.model_validate(_known(Mention, row)) for row in rows]
        self.assertions: Sequence[Assertion] = [
            Assertion.model_validate(_known(Assertion, row)) for one in linked for row in one.assertions
        ]
        self.claims: Sequence[Claim] = [Claim.model_validate(row) for one in linked for row in one.claims]
        self.arguments: Sequence[ArgumentRelation] = [
            ArgumentRelation.model_validate(row) for one in linked for row in one.arguments
        ]
        self.events: Sequence[Event] = [Event.model_validate(row) for one in linked for row in one.events]

    def entity_of(self, mention_id: str) -> str | None:
        return self._entities.get(mention_id)


def _known(noun: type[Mention | Assertion], row: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if name in noun.model_fields}


def document(name: str, text: str, **metadata: object) -> Document:
    return Document(
        id=stable_id("doc", name),
        title=name,
        text=text,
        source=f"{name}.txt",
        content_hash=name,
        metadata=metadata,
    )
