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
    put_extracted,
    read_extracted,
)
from corpusgraph.flows.models import RunModel
from corpusgraph.flows.resources.cache import StageCache
from corpusgraph.flows.resources.openie import given_id
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.llm import STOPPING
from corpusgraph.tasks.index.chunk import chunk_document


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
    done = [_is_done(job, store, key) for key in keys]
    waiting = [document for document, is_done in zip(documents, done, strict=True) if not is_done]
    fresh = {document.id for document in waiting if put_carried(job.job, store, document)}
    fresh |= _extract(job, store, [document for document in waiting if document.id not in fresh])
    return [
        Done(document.id, key, cached=is_done, given_id=given_id(document))
        for document, key, is_done in zip(documents, keys, done, strict=True)
        if is_done or document.id in fresh
    ]


def _is_done(job: ModelJob, store: StageCache, key: str) -> bool:
    if not job.retry:
        return store.has(STAGE, key)
    kept = read_extracted(store, key)
    return kept is not None and not any(failure.retry for failure in kept.failures)


def _extract(job: ModelJob, store: StageCache, documents: Sequence[Document]) -> set[str]:
    """Extract documents and return the ids of those that are kept."""
    if not documents or job.model.client.stopped:
        return set()
    given = [(document, chunk_document(document, job.job.chunking)) for document in documents]
    kept = set()
    for (document, chunks), found in zip(given, job.model.extractor.extract_all(given), strict=True):
        if job.model.client.stopped and any(failure.code in STOPPING for failure in found.failures):
            continue  # the run stops before it publishes; what is left open is not kept as done
        failures = (*found.failures, *found.dropped)
        made = Extracted(document=document, chunks=tuple(chunks), evidence=found.evidence, failures=failures)
        put_extracted(store, key_of(job.job, document), made)
        kept.add(document.id)
    return kept
