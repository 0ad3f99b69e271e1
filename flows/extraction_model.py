"""Extraction by a language model: a batch's chunks are asked together, each document is cached when whole.

A document of which chunks failed is kept with its failures: it is in the index without them, and
`retry-failed` reads it again, when the response cache answers for all the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from corpusgraph.flows.extraction import (
    STAGE,
    Done,
    Extracted,
    Job,
    key_of,
    put_carried,
    put_crashed,
    read_extracted,
    to_bytes,
)
from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.files.ledger import ENDS_RUN
from corpusgraph.flows.load.openie import given_id
from corpusgraph.flows.models import RunModel
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.llm import STOPPING
from corpusgraph.tasks.build.chunk import chunk_document


@dataclass(frozen=True)
class ModelJob:
    """What a thread needs; batches share the client, its limits and its accounts."""

    job: Job
    model: RunModel
    retry: bool = False
    """Read those documents again of which a call failed."""


def extract_batch_by_model(job: ModelJob, documents: Sequence[Document]) -> list[Done]:
    """Extract the documents that the cache does not have; stop without a word once no calls are made."""
    store = StageCache(job.job.cache)
    keys = [key_of(job.job, document) for document in documents]
    cached = [_is_done(job, store, key) for key in keys]
    waiting = [document for document, is_cached in zip(documents, cached, strict=True) if not is_cached]
    carried = {document.id for document in waiting if put_carried(job.job, store, document)}
    fresh = _extract(job, store, [document for document in waiting if document.id not in carried])
    done = {item.document_id: item for item in fresh}
    for document, key, is_cached in zip(documents, keys, cached, strict=True):
        if is_cached or document.id in carried:
            done[document.id] = Done(document.id, key, cached=is_cached, given_id=given_id(document))
    return [done[document.id] for document in documents if document.id in done]


def _is_done(job: ModelJob, store: StageCache, key: str) -> bool:
    if not job.retry:
        return store.has(STAGE, key)
    kept = read_extracted(store, key)
    return kept is not None and not any(failure.retry for failure in kept.failures)


def _extract(job: ModelJob, store: StageCache, documents: Sequence[Document]) -> list[Done]:
    """Extract documents and return those that are kept."""
    if not documents or job.model.client.stopped:
        return []
    try:
        extracted = _read(job, documents)
        data = [to_bytes(item) for item in extracted]
    except ENDS_RUN:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the other documents are read
        if len(documents) == 1:
            return [put_crashed(job.job, store, documents[0], error)]
        # Which one it is shows when each is read alone; the response cache has the replies.
        return [done for document in documents for done in _extract(job, store, [document])]
    kept = []
    for item, content in zip(extracted, data, strict=True):
        if job.model.client.stopped and any(failure.code in STOPPING for failure in item.failures):
            continue  # the run stops before it publishes; what is left open is not kept as done
        document, key = item.document, key_of(job.job, item.document)
        store.put(STAGE, key, content)
        kept.append(Done(document.id, key, cached=False, given_id=given_id(document)))
    return kept


def _read(job: ModelJob, documents: Sequence[Document]) -> list[Extracted]:
    """Ask about all chunks of the documents together."""
    given = [(document, chunk_document(document, job.job.chunking)) for document in documents]
    return [
        Extracted(
            document=document,
            chunks=tuple(chunks),
            evidence=findings.evidence,
            failures=(*findings.failures, *findings.dropped),
        )
        for (document, chunks), findings in zip(given, job.model.extractor.extract_all(given), strict=True)
    ]
