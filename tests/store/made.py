"""A small index by hand: two documents about Broad Street, with every kind of row."""

from typing import Any

import numpy as np

from corpusgraph.flows.store.writer import GenerationWriter
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Mention, Merge
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship, ReportFinding
from corpusgraph.schemas.ports import Floats

TEXTS = {
    "doc_a": "John Snow blamed the Broad Street pump. The pump caused cholera.",
    "doc_b": "武松在景阳冈打虎。 The Board of Health denied it. Nguyễn Huệ read of the pump's water.",
}
DIMENSION = 4
FACTS: JsonDict = {
    "embedder": {"name": "toy/1", "dimension": DIMENSION},
    "config_fingerprint": "c0",
    "corpus_fingerprint": "d0",
}


def document(id_: str, text: str) -> Document:
    return Document(id=id_, title=id_.upper(), text=text, source=f"{id_}.txt", content_hash="h")


def spot(doc: str, start: int, end: int) -> dict[str, Any]:
    place = {"document_id": doc, "chunk_id": f"chk_{doc[-1]}", "start": start, "end": end}
    return place | {"extractor": "hand/1", "sentence_start": 0, "sentence_end": end}


def unit(*values: float) -> Floats:
    row = np.array(values, np.float32)
    return row / np.linalg.norm(row)


DOCUMENTS = [document(id_, text) for id_, text in TEXTS.items()]
CHUNKS = [
    Chunk(id=f"chk_{id_[-1]}", content=text, source_doc=id_, end=len(text), short_id=number, n_tokens=9)
    for number, (id_, text) in enumerate(TEXTS.items())
]
MENTIONS: list[JsonDict] = [
    Mention(
        id="men_1", surface="John Snow", name="John Snow", type="person", **spot("doc_a", 0, 9)
    ).model_dump()
    | {"entity_id": "ent_snow"},
    Mention(id="men_2", surface="pump", name="pump", type="concept", **spot("doc_a", 34, 38)).model_dump()
    | {"entity_id": "ent_pump"},
    Mention(id="men_3", surface="it", name="it", type="concept", **spot("doc_b", 40, 42)).model_dump()
    | {"entity_id": None},
]
ASSERTIONS: list[JsonDict] = [
    Assertion(
        id="asr_1",
        source_mention="men_1",
        target_mention="men_2",
        source="John Snow",
        target="pump",
        type="blames",
        description=TEXTS["doc_a"][:39],
        **spot("doc_a", 0, 39),
    ).model_dump()
    | {"source_id": "ent_snow", "target_id": "ent_pump", "relationship_id": "rel_1"}
]
CLAIMS = [
    Claim(id="clm_1", text="The pump caused cholera.", entities=("men_2", "men_9"), **spot("doc_a", 40, 64)),
    Claim(id="clm_2", text="The Board of Health denied it.", stance="denies", **spot("doc_b", 11, 41)),
]
ARGUMENTS = [
    ArgumentRelation(id="arg_1", source="clm_2", target="clm_1", type="attack", **spot("doc_b", 11, 41))
]
EVENTS = [
    Event(
        id="evt_1",
        case="doc_a",
        activity="blamed",
        text="blamed",
        timestamp="1854-09",
        **spot("doc_a", 0, 39),
    )
]
ENTITIES = [
    Entity(id="ent_pump", name="pump", type="concept", degree=1, short_id=1, description="A pump"),
    Entity(id="ent_snow", name="John Snow", type="person", degree=1, short_id=0, wikidata="Q209"),
    Entity(id="ent_snow_tv", name="John Snow", type="character", degree=0, short_id=2),
]
RELATIONSHIPS = [
    Relationship(
        id="rel_1",
        source_id="ent_snow",
        target_id="ent_pump",
        type="blames",
        weight=2.0,
        chunk_ids=("chk_a",),
        short_id=0,
        description="John Snow blamed the pump.",
    ),
    Relationship(id="rel_2", source_id="ent_pump", target_id="ent_gone"),
]
COMMUNITIES = [
    Community(
        id="com_0", entity_ids=("ent_pump", "ent_snow"), level=0, title="The pump", children=("com_1",)
    ),
    Community(id="com_1", entity_ids=("ent_pump",), level=1, title="The pump", parent_id="com_0", short_id=7),
]
FINDING = ReportFinding(
    text="The pump caused cholera.", chunk_id="chk_b", document_id="doc_b", start=0, end=9
)
REPORTS = [
    CommunityReport(
        id="com_r0",
        community_id="com_0",
        level=0,
        title="Pump",
        summary="Pumps.",
        findings=(FINDING,),
        rating=5,
    )
]
INCIDENCE: list[JsonDict] = [
    {"entity_id": "ent_snow", "chunk_id": "chk_a", "count": 1, "first_start": 0},
    {"entity_id": "ent_pump", "chunk_id": "chk_a", "count": 2, "first_start": 34},
    {"entity_id": "ent_pump", "chunk_id": "chk_b", "count": 1, "first_start": 70},
]
MERGES = [
    Merge(id="mrg_1", name="Snow", type="person", into="ent_snow", into_name="John Snow", rule="surname")
]
FAILURES = [Failure(source="x.pdf", stage="load", code="encrypted", message="Needs a password – „x“.")]
VECTORS: dict[str, Floats] = {
    "chunks": np.stack([unit(1, 0, 0, 0), unit(1, 1, 0, 0)]),
    "entities": np.stack([unit(0, 1, 0, 0), unit(1, 0, 0, 0), unit(1, 0, 0, 0)]),
    "relationships": np.stack([unit(1, 0, 0, 0), np.zeros(DIMENSION, np.float32)]),
    "reports": np.stack([unit(0, 0, 1, 0)]),
}
ROWS: dict[str, list[Any]] = {
    "documents": DOCUMENTS,
    "chunks": CHUNKS,
    "mentions": MENTIONS,
    "assertions": ASSERTIONS,
    "claims": CLAIMS,
    "arguments": ARGUMENTS,
    "events": EVENTS,
    "entities": ENTITIES,
    "relationships": RELATIONSHIPS,
    "communities": COMMUNITIES,
    "reports": REPORTS,
    "incidence": INCIDENCE,
    "merges": MERGES,
    "failures": FAILURES,
}


def fill(writer: GenerationWriter, *, batch: int = 100) -> None:
    """Add every row, `batch` rows at a time."""
    for table, rows in ROWS.items():
        for at in range(0, len(rows), batch):
            vectors = VECTORS.get(table)
            given = None if vectors is None else vectors[at : at + batch]
            writer.add(table, rows[at : at + batch], given)
