"""Read passages with the offline extractor: relationships, each with the sentences that state it."""

from collections.abc import Iterator, Sequence

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.stages import Extractor
from corpusgraph.schemas.study import Chunking, Resolution
from corpusgraph.tasks.answer.sentences import Sentence, stretch
from corpusgraph.tasks.index.totals import as_written
from corpusgraph.tasks.reshape.structures import TextCorpus, corpus_of, documents_of


def read_anew(chunks: Sequence[Chunk], extractor: Extractor) -> Iterator[Relationship]:
    """Yield the relationships that the chunks' own texts state, in id order.

    Names are resolved over all the texts together; evidence counts characters of the chunks' documents.
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
    """Return where a sentence stands, as plain values."""
    cited = sentence.cite()
    return cited.model_dump(mode="json", exclude={"score", "document_title"})


def told(relationship: Relationship, source: str, target: str, evidence: Sequence[JsonDict]) -> Relationship:
    """Return a relationship with the names of its ends and its evidence among the attributes."""
    more = {"source_name": source, "target_name": target, "evidence": list(evidence)}
    return relationship.model_copy(update={"attributes": {**(relationship.attributes or {}), **more}})
