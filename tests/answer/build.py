"""Documents, a graph with reports over them, and calls of tools with a language model or without."""

from collections.abc import Mapping, Sequence
from typing import Any

from corpusgraph.flows.annotate.offline import default_extractor
from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk, Document, PageSpan
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship, ReportFinding
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.answer.extractive import Asked, extract_from
from corpusgraph.tasks.answer.sentences import sentences_of
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import find
from tests.graph.small import SmallVectors

TEXTS = {
    "d1": (
        "John Snow studied cholera in London. He blamed contaminated water. The Board removed the handle of the "
        "pump in Broad Street. Nobody thanked Snow for the map of the deaths."
    ),
    "d2": (
        "William Farr kept the statistics of London. Farr believed that foul air spread cholera. "
        "Joseph Bazalgette built the sewers, and the sewers carried the filth away."
    ),
}


def document(id_: str) -> Document:
    text = TEXTS[id_]
    half = text.index(". ") + 2
    pages = (PageSpan(page=1, start=0, end=half), PageSpan(page=2, start=half, end=len(text)))
    return Document(id=id_, title=f"Book {id_}", text=text, source=id_, content_hash=id_, pages=pages)


class Corpus:
    """The documents and their graph; no further evidence."""

    mentions = assertions = claims = arguments = events = ()

    def __init__(self, graph: MemoryGraph) -> None:
        self.graph = graph
        self.documents = tuple(document(id_) for id_ in TEXTS)

    def entity_of(self, mention_id: str) -> str | None:
        raise KeyError(mention_id)


def finding(document_id: str, text: str) -> ReportFinding:
    start = TEXTS[document_id].index(text)
    return ReportFinding(
        text=text, chunk_id=f"c_{document_id}", document_id=document_id, start=start, end=start + len(text)
    )


def graph() -> MemoryGraph:
    chunks = [
        Chunk(id=f"c_{id_}", content=text, source_doc=id_, start=0, end=len(text), short_id=n)
        for n, (id_, text) in enumerate(TEXTS.items())
    ]
    entities = [
        Entity(id="snow", name="John Snow", type="person", attributes={"aliases": ["Snow"]}),
        Entity(id="cholera", name="cholera", type="concept"),
        Entity(
            id="farr",
            name="William Farr",
            type="person",
            description="kept the statistics of London",
            attributes={"aliases": ["Farr"]},
        ),
        Entity(id="sewers", name="sewers", type="concept"),
    ]
    relationships = [
        Relationship(
            id="r1",
            source_id="snow",
            target_id="cholera",
            type="studied",
            description="John Snow studied cholera in London.",
            chunk_ids=("c_d1",),
        ),
        Relationship(id="r2", source_id="farr", target_id="cholera", type="believed", chunk_ids=("c_d2",)),
    ]
    communities = [
        Community(
            id="k0", entity_ids=("snow", "cholera", "farr", "sewers"), level=0, title="All", short_id=0
        ),
        Community(id="k1", entity_ids=("snow", "cholera"), level=1, title="Snow, cholera, pump", short_id=1),
        Community(id="k2", entity_ids=("farr", "sewers"), level=1, title="Farr, sewers", short_id=2),
    ]
    findings = {
        "k0": [finding("d1", "John Snow studied cholera in London.")],
        "k1": [
            finding("d1", "John Snow studied cholera in London."),
            finding("d1", "The Board removed the handle of the pump in Broad Street."),
        ],
        "k2": [
            finding("d2", "William Farr kept the statistics of London."),
            finding("d2", "Farr believed that foul air spread cholera."),
        ],
    }
    reports = [
        CommunityReport(
            id=f"rep_{c.id}",
            community_id=c.id,
            level=c.level,
            title=str(c.title),
            summary=" ".join(f.text for f in findings[c.id]),
            findings=tuple(findings[c.id]),
            rating={"k0": 9.0, "k1": 8.0, "k2": 7.0}[c.id],
        )
        for c in communities
    ]
    incidence = [("snow", "c_d1", 2), ("cholera", "c_d1", 1), ("cholera", "c_d2", 1), ("farr", "c_d2", 2)]
    return MemoryGraph(entities, relationships, chunks, communities, reports, incidence)


def call(
    tool: str,
    *,
    llm: LanguageModel | None = None,
    over: MemoryGraph | None = None,
    with_documents: bool = True,
    **arguments: Any,
) -> Noted[Any]:
    """Call a tool with all ports."""
    view = over or graph()
    ports = {
        "graph": view,
        "vectors": SmallVectors(view),
        "embedder": HashingEmbedder(256),
        "corpus": Corpus(view) if with_documents else None,
        "llm": llm,
        "extractor": default_extractor(),
    }
    return find(tool).run(arguments, ports)


def codes(noted: Noted[Any]) -> list[str]:
    """Return the codes of the warnings."""
    return [warning.code for warning in noted.warnings]


def assert_true_to_the_documents(citations: Any) -> None:
    """Each citation's text is the document's text at its place."""
    for citation in citations:
        assert TEXTS[citation.document_id][citation.start : citation.end] == citation.text


def extracted_from(
    query: str, chunks: Sequence[Chunk], documents: Mapping[str, Document] | None = None, **asked: Any
) -> Answer:
    """Answer with sentences of chunks, without a graph."""
    sentences, _ = sentences_of(chunks, documents or {}, 4000)
    return extract_from(Asked(query, **asked), sentences)
