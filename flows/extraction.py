"""The one stage that costs: documents are cut and extracted in batches, each result cached by content."""

import hashlib
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pydantic import TypeAdapter

from corpusgraph.flows.resources.cache import StageCache
from corpusgraph.flows.resources.codeprint import code_fingerprint
from corpusgraph.flows.resources.openie import OpenieExtractor, given_id
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.evidence import Evidence
from corpusgraph.schemas.stages import Extractor
from corpusgraph.schemas.study import Chunking, IndexOptions

if TYPE_CHECKING:
    from corpusgraph.flows.models import RunModel

T = TypeVar("T")
STAGE = "extract"
EXTRACTING = ("chunk", "extract", "sentences", "tokens", "rules")
"""Modules of tasks.index whose code decides what is extracted; all of it decides what is derived."""
MODEL_EXTRACTING = (*EXTRACTING, "layout", "llm", "names", "stated", "written_dates")
"""The same where a language model reads; `llm` holds all that it is asked."""
EMBEDDING = (
    "corpusgraph.flows.resources.embedder",
    "corpusgraph.flows.resources.embedder_sentences",
    "corpusgraph.flows.resources.features",
    "corpusgraph.tasks.digits",
    "corpusgraph.tasks.graph.words",
)
"""Modules whose code decides the vectors."""

log = logging.getLogger(__name__)


class Extracted(Noun):
    """What the cache holds of one document."""

    document: Document
    chunks: tuple[Chunk, ...]
    evidence: Evidence
    failures: tuple[Failure, ...] = ()


class Carried(Noun):
    """What a replication archive holds of one document: all but the text and its chunks."""

    document_id: str
    content_hash: str
    evidence: Evidence
    failures: tuple[Failure, ...] = ()


class Done(NamedTuple):
    """One document of a finished batch."""

    document_id: str
    key: str
    cached: bool
    given_id: str
    """Id that the corpus gives it."""


@dataclass(frozen=True)
class Job:
    """All that a worker needs; small, so that it travels to another process."""

    cache: Path
    chunking: Chunking
    fingerprint: str
    openie: Path | None = None
    evidence: Path | None = None
    """Cache of evidence that an archive carries: what is in it is not extracted again."""


_extracted: TypeAdapter[Extracted] = TypeAdapter(Extracted)


def make_extractor(openie: Path | None) -> Extractor:
    """Return what reads the documents: rules, or the findings in a file."""
    if openie is not None:
        return OpenieExtractor(openie)
    from corpusgraph.tasks.index.extract import OfflineExtractor

    return OfflineExtractor()


@lru_cache(maxsize=2)
def extractor_of(job: Job) -> Extractor:
    """Return the extractor of a job: a process needs one."""
    return make_extractor(job.openie)


def openie_file(options: IndexOptions, base: Path) -> Path | None:
    """Return the file of findings that a study names, from the study file's folder."""
    return None if options.openie is None else base / Path(options.openie).expanduser()


def extraction_fingerprint(options: IndexOptions, base: Path, model: "RunModel | None" = None) -> str:
    """Hash what decides a document's evidence, besides its content."""
    reads = model is not None and model.extracts
    modules = MODEL_EXTRACTING if reads else EXTRACTING
    code = code_fingerprint(*(f"corpusgraph.tasks.index.{module}" for module in modules))
    reader = model.extractor.fingerprint if model is not None and reads else _reader(options, base)
    told = [code, options.chunking.model_dump_json(exclude={"preset"}), reader]
    return hashlib.blake2b("\x1f".join(told).encode(), digest_size=16).hexdigest()


def _reader(options: IndexOptions, base: Path) -> str:
    return make_extractor(openie_file(options, base)).fingerprint


def config_fingerprint(options: IndexOptions, base: Path, model: "RunModel | None" = None) -> str:
    """Hash everything that decides an index, besides its corpus."""
    code = code_fingerprint("corpusgraph.tasks.index", *EMBEDDING)
    told = [code, options.model_dump_json(exclude={"openie"}), _reader(options, base)]
    told += [] if model is None else [model.fingerprint]
    return hashlib.blake2b("\x1f".join(told).encode(), digest_size=16).hexdigest()


def batches(
    found: Iterable[Document | Failure], size: int, failures: list[Failure]
) -> Iterator[list[Document]]:
    """Group documents; failures go to the ledger on the way."""
    yield from grouped(without_failures(found, failures), size)


def without_failures(found: Iterable[Document | Failure], failures: list[Failure]) -> Iterator[Document]:
    """Yield the documents and keep the failures."""
    for item in found:
        if isinstance(item, Failure):
            log.info("%s: %s", item.source, item.message)
            failures.append(item)
        else:
            yield item


def grouped(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of up to `size` items."""
    group: list[T] = []
    for item in items:
        group.append(item)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


def extract_batch(job: Job, documents: Sequence[Document]) -> list[Done]:
    """Extract the documents that the cache does not have; runs in any process or thread."""
    store = StageCache(job.cache)
    return [extract_one(job, store, document) for document in documents]


def extract_one(job: Job, store: StageCache, document: Document) -> Done:
    """Extract one document, unless its content was extracted before with the same options."""
    key = key_of(job, document)
    if store.has(STAGE, key):
        return Done(document.id, key, cached=True, given_id=given_id(document))
    from corpusgraph.tasks.index.chunk import chunk_document

    if not put_carried(job, store, document):
        chunks = chunk_document(document, job.chunking)
        evidence = extractor_of(job).extract(document, chunks)
        put_extracted(store, key, Extracted(document=document, chunks=tuple(chunks), evidence=evidence))
    return Done(document.id, key, cached=False, given_id=given_id(document))


def key_of(job: Job, document: Document) -> str:
    """Return where the cache keeps what was extracted from a document."""
    told = f"{job.fingerprint}\x1f{document.id}\x1f{document.content_hash}"
    return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def put_carried(job: Job, store: StageCache, document: Document) -> bool:
    """Keep what an archive carries of a document as extracted from it; tell whether it carries anything."""
    if job.evidence is None:
        return False
    data = StageCache(job.evidence).get(STAGE, carried_key(document.id, document.content_hash))
    if data is None:
        return False
    from corpusgraph.tasks.index.chunk import chunk_document

    carried = Carried.model_validate_json(data)
    chunks = tuple(chunk_document(document, job.chunking))
    extracted = Extracted(
        document=document, chunks=chunks, evidence=carried.evidence, failures=carried.failures
    )
    put_extracted(store, key_of(job, document), extracted)
    return True


def carried_key(document_id: str, content_hash: str) -> str:
    """Return where carried evidence is kept: by its text alone, whatever program found it."""
    return f"{document_id}\x1f{content_hash}"


def put_extracted(store: StageCache, key: str, made: Extracted) -> None:
    """Keep what was extracted from a document."""
    store.put(STAGE, key, _extracted.dump_json(made))


def read_extracted(store: StageCache, key: str) -> Extracted | None:
    """Return what was extracted, or None where the cache lost it."""
    data = store.get(STAGE, key)
    return None if data is None else parse_extracted(data)


def parse_extracted(data: bytes) -> Extracted:
    """Read what the cache holds of a document."""
    return _extracted.validate_json(data)
