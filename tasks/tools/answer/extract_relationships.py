"""T55: what passages or texts say of how things are related, with the evidence."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from corpusgraph.schemas.base import Confidence, JsonDict
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import Corpus, GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolInput, warned
from corpusgraph.schemas.stages import Extractor
from corpusgraph.schemas.study import Chunking, Resolution
from corpusgraph.tasks.answer.context import Chunks
from corpusgraph.tasks.answer.sentences import Provenance, Sentence, stretch
from corpusgraph.tasks.build.aggregate import CO_OCCURRENCE, as_written
from corpusgraph.tasks.dataset.reshape.structures import TextCorpus, corpus_of, documents_of
from corpusgraph.tasks.graph.compiled import relationship_chunks
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.registry import Reads, tool


def read_anew(chunks: Sequence[Chunk], extractor: Extractor) -> Iterator[Relationship]:
    """Yield the relationships that the chunks' own texts state, in id order.

    Names are resolved over all the texts together; evidence counts characters of the chunks' documents.

    Parameters
    ----------
    chunks : sequence of Chunk
        Blank ones are left out.
    extractor : Extractor
        Reads their texts.

    Yields
    ------
    Relationship
        With names of the ends and evidence among the attributes.

    """
    readable = [chunk for chunk in chunks if chunk.content.strip()]
    if not readable:
        return
    corpus = corpus_of(
        [c.content for c in readable], chunking=Chunking(), resolution=Resolution(), extractor=extractor
    )
    chunk_of = {documents_of([chunk.content])[0].id: chunk for chunk in reversed(readable)}
    evidence: dict[str, dict[tuple[str, int, int], JsonDict]] = {}
    for assertion in corpus.assertions:
        id_ = _relationship_id(corpus, assertion)
        if id_ is not None and assertion.is_put_forward:
            found = _found(assertion, chunk_of[assertion.document_id])
            place = (found["document_id"] or found["chunk_id"], found["start"], found["end"])
            evidence.setdefault(id_, {}).setdefault(place, found)
    for relationship in corpus.graph.relationships:
        found_here = list(evidence.get(relationship.id, {}).values())
        chunk_ids = tuple(dict.fromkeys(found["chunk_id"] for found in found_here))
        source, target = (corpus.graph.entity(end).name for end in ends_of(relationship))
        placed = relationship.model_copy(update={"chunk_ids": chunk_ids, "short_id": None})
        yield told(placed, source, target, found_here)


def ends_of(relationship: Relationship) -> tuple[str, str]:
    """Return the ids of both ends."""
    return relationship.source_id, relationship.target_id


def _relationship_id(corpus: TextCorpus, assertion: Assertion) -> str | None:
    """Return the relationship an assertion is evidence for, or None where an end is no entity."""
    source, target = (corpus.entity_of(m) for m in (assertion.source_mention, assertion.target_mention))
    if source is None or target is None:
        return None
    return Relationship.make_id(*as_written(source, assertion.type, target))


def _found(assertion: Assertion, chunk: Chunk) -> JsonDict:
    sentence = stretch(chunk, assertion.sentence_start, assertion.sentence_end)
    more = {"confidence": assertion.confidence, "negated": assertion.negated, "cue": assertion.cue}
    return {**evidence_of(sentence), **more}


def evidence_of(sentence: Sentence) -> JsonDict:
    """Return where a sentence stands, as plain values.

    Parameters
    ----------
    sentence : Sentence
        Of a chunk.

    Returns
    -------
    JsonDict
        Text, ids of chunk and document, and characters.

    """
    cited = sentence.cite()
    return cited.model_dump(mode="json", exclude={"score", "document_title"})


def told(relationship: Relationship, source: str, target: str, evidence: Sequence[JsonDict]) -> Relationship:
    """Return a relationship with the names of its ends and its evidence among the attributes.

    Parameters
    ----------
    relationship : Relationship
        Is copied.
    source, target : str
        Names of its ends.
    evidence : sequence of JsonDict
        As `evidence_of` returns it.

    Returns
    -------
    Relationship
        A copy.

    """
    more = {"source_name": source, "target_name": target, "evidence": list(evidence)}
    return relationship.model_copy(update={"attributes": {**(relationship.attributes or {}), **more}})


class ExtractRelationships(ToolInput):
    """Passages of the index, or texts."""

    chunks: Annotated[Chunks | None, Reads("chunks")] = Field(
        None, description="chunks by id or short id, or with their content"
    )
    texts: list[str] | None = Field(None, description="texts, whether indexed or not")
    source: Literal["auto", "index", "text"] = Field(
        "auto",
        description="index: what the index already states for the chunks; text: read them anew; "
        "auto: the index where it has something for a chunk",
    )
    relationship_types: list[str] | None = Field(None, description="keep these types only")
    min_confidence: Confidence = Field(0.0, description="leave out what is less sure")
    co_occurrence: bool = Field(False, description=f"keep {CO_OCCURRENCE}: names in one sentence, no more")
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")

    @model_validator(mode="after")
    def _holds_something(self) -> Self:
        if not self.chunks and not self.texts:
            raise ValueError("nothing to read: give chunks or texts")
        return self


@tool(
    writes="relationships",
    needs={"Chunk.content"},
    optional={"Chunk.source_doc", "Chunk.start", "Chunk.relationships", "Relationship.chunk_ids"},
    adds={
        "Scored.score",
        "Scored.components.confidence",
        "Scored.components.evidence",
        "Relationship.id",
        "Relationship.attributes",
    },
    aliases=("T55",),
)
def extract_relationships(
    ask: ExtractRelationships, graph: GraphView, corpus: Corpus | None, extractor: Extractor
) -> Noted[list[Scored[Relationship]]]:
    """Return the relationships that passages state, surest first, each with its sentences in `attributes`.

    `attributes.evidence` lists text, chunk, document, start and end; `source_name` and `target_name` name the
    ends. Read from texts, ids are those an index would give the same names.
    """
    chunks = [c if isinstance(c, Chunk) else graph.chunk(c) for c in ask.chunks or ()]
    provenance = Provenance(graph, corpus)
    stated = _stated(graph, chunks) if ask.source != "text" else {}
    anew = [c for c in chunks if ask.source == "text" or (ask.source == "auto" and c.id not in stated)]
    anew += [Chunk(id=f"text_{n}", content=text) for n, text in enumerate(ask.texts or (), start=1)]
    of_index = sorted({id_ for ids in stated.values() for id_ in ids})
    here = {chunk.id for chunk in chunks}
    found = {id_: _of_index(graph.relationship(id_), provenance, here) for id_ in of_index}
    for relationship in read_anew(anew, extractor):
        known = found.get(relationship.id)
        found[relationship.id] = _joined(known, relationship) if known else relationship
    kept = [r for r in found.values() if _keeps(ask, r)]
    why = "The texts state no relationship that the rules find."
    if found:
        why = f"{len(found)} relationships were found, and none is of the kind asked for."
    notes = warned("no_relationships", why, when=not kept)
    rows = (
        (r, r.confidence, {"confidence": r.confidence, "evidence": float(len(_evidence(r)))}) for r in kept
    )
    return Noted(data=ranked(rows, "confidence", ask.top_k), warnings=notes)


def _stated(graph: GraphView, chunks: Sequence[Chunk]) -> dict[str, list[str]]:
    """Return chunk id -> ids of the relationships that the index says it states."""
    wanted = {chunk.id for chunk in chunks}
    found: dict[str, list[str]] = {}
    for id_, chunk_ids in relationship_chunks(graph).items():
        for chunk_id in wanted.intersection(chunk_ids):
            found.setdefault(chunk_id, []).append(id_)
    return found


def _of_index(relationship: Relationship, provenance: Provenance, here: set[str]) -> Relationship:
    """Return a relationship of the index with the sentences that state it, those of the chunks first."""
    sentences, _ = provenance.of_relationship(relationship, 0)
    inside = [sentence for sentence in sentences if sentence.chunk.id in here] or sentences
    source, target = (provenance.entity(end).name for end in ends_of(relationship))
    return told(relationship, source, target, [evidence_of(sentence) for sentence in inside])


def _joined(known: Relationship, read: Relationship) -> Relationship:
    """Return what the index states with the evidence of what was read anew."""
    attributes = known.attributes or {}
    return known.model_copy(
        update={"attributes": {**attributes, "evidence": [*_evidence(known), *_evidence(read)]}}
    )


def _evidence(relationship: Relationship) -> list[JsonDict]:
    found: list[JsonDict] = (relationship.attributes or {}).get("evidence", [])
    return found


def _keeps(ask: ExtractRelationships, relationship: Relationship) -> bool:
    if ask.relationship_types is not None:
        wanted = relationship.type in ask.relationship_types
    else:
        wanted = ask.co_occurrence or relationship.type != CO_OCCURRENCE
    return wanted and relationship.confidence >= ask.min_confidence
