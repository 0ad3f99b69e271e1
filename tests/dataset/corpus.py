"""A corpus made by hand: three documents, six entities, every kind of evidence, counts known."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Mention
from corpusgraph.schemas.graph import Community, Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph

TEXTS = {
    "doc_a": "John Snow lived in London. Snow saw 616 deaths on 8 September 1854. Foul water caused cholera.",
    "doc_b": "The Board met in London in 1855. The Board doubted Snow.",
    "doc_c": "Nguyễn Văn Á wrote from Huế. 水很脏。",
}
METADATA: dict[str, dict[str, Any]] = {
    "doc_a": {"date": "1854-09-10", "pages": "12", "kind": "pamphlet", "weight": 1.5, "tags": ["water"]},
    "doc_b": {"date": "1855", "pages": "7", "kind": "report", "weight": 2},
    "doc_c": {"date": "1855-03-01", "pages": "", "kind": "letter", "weight": None},
}
ENTITIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "ent_1": ("John Snow", "person", {"born": 1813}),
    "ent_2": ("London", "place", {}),
    "ent_3": ("Board", "organisation", {"born": 1848}),
    "ent_4": ("cholera", "concept", {}),
    "ent_5": ("Foul water", "concept", {}),
    "ent_6": ("Nguyễn Văn Á", "person", {}),
}
MENTIONS = (
    ("doc_a", "John Snow", "person", "ent_1"),
    ("doc_a", "London", "place", "ent_2"),
    ("doc_a", "Snow saw", "person", "ent_1"),
    ("doc_a", "616 deaths", "quantity", None),
    ("doc_a", "8 September 1854", "date", None),
    ("doc_a", "Foul water", "concept", "ent_5"),
    ("doc_a", "cholera", "concept", "ent_4"),
    ("doc_b", "Board met", "organisation", "ent_3"),
    ("doc_b", "London", "place", "ent_2"),
    ("doc_b", "1855", "date", None),
    ("doc_b", "Board doubted", "organisation", "ent_3"),
    ("doc_b", "Snow", "person", "ent_1"),
    ("doc_c", "Nguyễn Văn Á", "person", "ent_6"),
)
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "616 deaths": {"value": 616.0, "unit": "deaths"},
    "8 September 1854": {"iso": "1854-09-08"},
    "1855": {"iso": "1855"},
}
RELATIONSHIPS = (
    ("ent_1", "lives_in", "ent_2", 1.0, False),
    ("ent_5", "causes", "ent_4", 2.0, True),
    ("ent_3", "co_occurs_with", "ent_2", 1.0, False),
    ("ent_3", "doubts", "ent_1", 1.0, False),
    ("ent_1", "doubts", "ent_3", 3.0, False),
)


@dataclass(frozen=True)
class HandMade:
    """Implements ports.Corpus over tuples."""

    graph: MemoryGraph
    documents: Sequence[Document]
    mentions: Sequence[Mention]
    assertions: Sequence[Assertion] = ()
    claims: Sequence[Claim] = ()
    arguments: Sequence[ArgumentRelation] = ()
    events: Sequence[Event] = ()
    resolved: dict[str, str] = field(default_factory=dict)

    def entity_of(self, mention_id: str) -> str | None:
        return self.resolved.get(mention_id)


def place(document: str, surface: str) -> dict[str, Any]:
    """Return the span of a surface, its chunk (one a document) and its whole document as sentence."""
    start = TEXTS[document].index(surface)
    return {
        "document_id": document,
        "chunk_id": f"chk_{document}",
        "start": start,
        "end": start + len(surface),
        "extractor": "hand",
        "sentence_start": 0,
        "sentence_end": len(TEXTS[document]),
    }


def hand_made() -> HandMade:
    documents = [
        Document(id=i, title=i.upper(), text=t, source=f"{i}.txt", content_hash=i, metadata=METADATA[i])
        for i, t in TEXTS.items()
    ]
    chunks = [
        Chunk(id=f"chk_{i}", content=t, source_doc=i, start=0, end=len(t), page=2 if i == "doc_b" else None)
        for i, t in TEXTS.items()
    ]
    mentions: list[Mention] = []
    resolved: dict[str, str] = {}
    for document, surface, type_, entity in MENTIONS:
        id_ = f"men_{document}_{surface}"
        attributes = ATTRIBUTES.get(surface, {})
        mentions.append(
            Mention(
                id=id_,
                surface=surface,
                name=surface,
                type=type_,
                attributes=attributes,
                **place(document, surface),
            )
        )
        if entity:
            resolved[id_] = entity
    entities = [Entity(id=i, name=n, type=t, attributes=a or None) for i, (n, t, a) in ENTITIES.items()]
    relationships = [
        Relationship(id=f"rel_{at}", source_id=s, target_id=t, type=k, weight=w, is_causal=c)
        for at, (s, k, t, w, c) in enumerate(RELATIONSHIPS)
    ]
    incidence = sorted({(resolved[m.id], m.chunk_id, 1) for m in mentions if m.id in resolved})
    communities = [
        Community(id="com_0", entity_ids=("ent_1", "ent_2", "ent_3"), level=0, title="London"),
        Community(id="com_1", entity_ids=("ent_1", "ent_3"), level=1, parent_id="com_0"),
        Community(id="com_2", entity_ids=("ent_4", "ent_5"), level=0, title="Water"),
    ]
    return HandMade(
        graph=MemoryGraph(entities, relationships, chunks, communities, (), incidence),
        documents=documents,
        mentions=mentions,
        assertions=_assertions(),
        claims=[Claim(id="clm_1", text="Foul water caused cholera", **place("doc_a", "Foul water"))],
        events=[
            Event(
                id="evt_1",
                case="doc_a",
                activity="see",
                text="Snow saw 616 deaths",
                timestamp="1854-09-08",
                actors=("men_doc_a_Snow saw",),
                **place("doc_a", "Snow saw"),
            )
        ],
        resolved=resolved,
    )


def _assertions() -> list[Assertion]:
    stated = (
        ("doc_a", "Foul water", "causes", "cholera", True, False),
        ("doc_a", "John Snow", "lives_in", "London", False, False),
        ("doc_b", "Board doubted", "doubts", "Snow", False, False),
        ("doc_b", "Board met", "causes", "London", True, True),
    )
    return [
        Assertion(
            id=f"asr_{at}",
            source_mention=f"men_{document}_{source}",
            target_mention=f"men_{document}_{target}",
            source=source,
            target=target,
            type=kind,
            is_causal=causal,
            negated=negated,
            description="",
            **place(document, source),
        )
        for at, (document, source, kind, target, causal, negated) in enumerate(stated)
    ]
