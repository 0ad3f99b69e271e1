"""The one stage that costs: documents are cut and extracted in batches, each result cached by content."""

import hashlib
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pydantic import TypeAdapter

from corpusgraph.flows.annotate.offline import ReadingOptions, offline_extractor
from corpusgraph.flows.annotate.pipelines import parse_key
from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.files.code_fingerprint import code_fingerprint
from corpusgraph.flows.files.ledger import ENDS_RUN, crash
from corpusgraph.flows.load.openie import OpenieExtractor, given_id
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.evidence import Evidence
from corpusgraph.schemas.stages import Extractor
from corpusgraph.schemas.study import Chunking, IndexOptions
from corpusgraph.tasks.extract.rules.reading import language_of

if TYPE_CHECKING:
    from corpusgraph.flows.models import RunModel

T = TypeVar("T")
STAGE = "extract"
EXTRACTING = (
    "corpusgraph.tasks.build.chunk",
    "corpusgraph.tasks.extract.name_forms",
    "corpusgraph.tasks.extract.rules",
    "corpusgraph.tasks.text",
)
"""Modules whose code decides what is extracted; all of tasks.build decides what is derived."""
READING = (
    "corpusgraph.tasks.extract",
    "corpusgraph.flows.annotate.pipelines",
    "corpusgraph.flows.annotate.recognizers",
)
"""Modules whose code decides what is read off a parsed sentence."""
MODEL_EXTRACTING = (
    *EXTRACTING,
    "corpusgraph.tasks.text.layout",
    "corpusgraph.tasks.build.llm",
    "corpusgraph.tasks.extract.llm",
    "corpusgraph.tasks.extract.llm.stated",
)
"""The same where a language model reads; `llm` holds all that it is asked."""
LOADING = ("corpusgraph.flows.load", "corpusgraph.tasks.text")
"""Packages whose code decides what a document's text and language are."""
EMBEDDING = (
    "corpusgraph.flows.embed.bert",
    "corpusgraph.flows.embed.hashing",
    "corpusgraph.flows.embed.trained",
    "corpusgraph.flows.embed.features",
    "corpusgraph.tasks.digits",
    "corpusgraph.tasks.text.words",
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
    crashed: bool = False
    """Whether an error of the program came between: it is kept without evidence, and read by the next run."""
    parse: str = ""
    """Where the cache keeps its parse; "" where it has none."""
    unparsed: str = ""
    """The language in which it could not be parsed; "" where it was, or was not meant to be."""


@dataclass(frozen=True)
class Parsing:
    """Which texts are parsed by what."""

    fingerprint: str
    languages: frozenset[str]


@dataclass(frozen=True)
class Job:
    """All that a worker needs; small, so that it travels to another process."""

    cache: Path
    chunking: Chunking
    fingerprint: str
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    openie: Path | None = None
    evidence: Path | None = None
    """Cache of evidence that an archive carries: what is in it is not extracted again."""
    parsing: Parsing | None = None
    """None where nothing is parsed: by choice, or because something else reads."""


_extracted: TypeAdapter[Extracted] = TypeAdapter(Extracted)


def make_extractor(
    reading: ReadingOptions, openie: Path | None, cache: StageCache | None = None
) -> Extractor:
    """Return what reads the documents: patterns over parsed sentences, or the findings in a file."""
    return OpenieExtractor(openie) if openie is not None else offline_extractor(reading, cache)


_extractors: dict[str, Extractor] = {}
_making = Lock()


def extractor_of(job: Job) -> Extractor:
    """Return the extractor of a job: a process needs one at a time, its threads share it."""
    key = repr(job)
    with _making:
        if key not in _extractors:
            _extractors.clear()
            _extractors[key] = make_extractor(job.reading, job.openie, StageCache(job.cache))
        return _extractors[key]


def parsing_of(reading: ReadingOptions) -> Parsing | None:
    """Return which texts the annotator of a study parses, None where it has none."""
    annotator = reading.annotator()
    return None if annotator is None else Parsing(annotator.fingerprint, annotator.languages)


def openie_file(options: IndexOptions, base: Path) -> Path | None:
    """Return the file of findings that a study names, from the study file's folder."""
    return None if options.openie is None else base / Path(options.openie).expanduser()


def extraction_fingerprint(options: IndexOptions, base: Path, model: "RunModel | None" = None) -> str:
    """Hash what decides a document's evidence, besides its content."""
    reads = model is not None and model.extracts
    modules = MODEL_EXTRACTING if reads else EXTRACTING
    code = code_fingerprint(*modules, *([] if reads else READING))
    reader = model.extractor.fingerprint if model is not None and reads else _reader(options, base)
    told = [code, options.chunking.model_dump_json(exclude={"preset"}), reader]
    return hashlib.blake2b("\x1f".join(told).encode(), digest_size=16).hexdigest()


def _reader(options: IndexOptions, base: Path) -> str:
    return make_extractor(ReadingOptions.of(options, base), openie_file(options, base)).fingerprint


def config_fingerprint(options: IndexOptions, base: Path, model: "RunModel | None" = None) -> str:
    """Hash everything that decides an index, besides its corpus."""
    code = code_fingerprint("corpusgraph.tasks.build", *READING, *LOADING, *EMBEDDING)
    told = [
        code,
        options.model_dump_json(exclude={"openie", "annotator", "patterns", "names"}),
        _reader(options, base),
    ]
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
    parse, unparsed = _parse_of(job.parsing, document)
    done = Done(document.id, key, store.has(STAGE, key), given_id(document), parse=parse, unparsed=unparsed)
    if done.cached:
        return done
    from corpusgraph.tasks.build.chunk import chunk_document

    if put_carried(job, store, document):
        return done
    extractor = extractor_of(job)
    try:
        chunks = chunk_document(document, job.chunking)
        evidence = extractor.extract(document, chunks)
        data = to_bytes(Extracted(document=document, chunks=tuple(chunks), evidence=evidence))
    except ENDS_RUN:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the other documents are read
        return put_crashed(job, store, document, error)
    store.put(STAGE, key, data)
    return done


def _parse_of(parsing: Parsing | None, document: Document) -> tuple[str, str]:
    """Return where the cache keeps a document's parse, and the language in which it has none."""
    if parsing is None:
        return "", ""
    language = language_of(document)
    if language not in parsing.languages:
        return "", language
    return parse_key(parsing.fingerprint, language, document.text), ""


def key_of(job: Job, document: Document) -> str:
    """Return where the cache keeps what was extracted from a document."""
    told = f"{job.fingerprint}\x1f{document.id}\x1f{document.content_hash}"
    return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def to_bytes(extracted: Extracted) -> bytes:
    """Return what the cache keeps of a document."""
    return _extracted.dump_json(extracted)


def put_crashed(job: Job, store: StageCache, document: Document, error: Exception) -> Done:
    """Keep a document with its failure and no evidence, where no later run takes it for extracted."""
    kept = Extracted(
        document=document,
        chunks=_chunks(job, document),
        evidence=Evidence(document_id=document.id),
        failures=(crash(error, document.source, STAGE),),
    )
    key = f"{key_of(job, document)}-crashed"
    store.put(STAGE, key, to_bytes(kept))
    return Done(document.id, key, cached=False, given_id=given_id(document), crashed=True)


def _chunks(job: Job, document: Document) -> tuple[Chunk, ...]:
    """Return a document's chunks, by which its text is found; none where cutting it is what failed."""
    from corpusgraph.tasks.build.chunk import chunk_document

    try:
        return tuple(chunk_document(document, job.chunking))
    except ENDS_RUN:
        raise
    except Exception:  # noqa: BLE001 - the error is in the ledger already
        return ()


def put_carried(job: Job, store: StageCache, document: Document) -> bool:
    """Keep what an archive carries of a document as extracted from it; tell whether it carries anything."""
    if job.evidence is None:
        return False
    data = StageCache(job.evidence).get(STAGE, carried_key(document.id, document.content_hash))
    if data is None:
        return False
    from corpusgraph.tasks.build.chunk import chunk_document

    carried = Carried.model_validate_json(data)
    chunks = tuple(chunk_document(document, job.chunking))
    extracted = Extracted(
        document=document, chunks=chunks, evidence=carried.evidence, failures=carried.failures
    )
    store.put(STAGE, key_of(job, document), to_bytes(extracted))
    return True


def carried_key(document_id: str, content_hash: str) -> str:
    """Return where carried evidence is kept: by its text alone, whatever program found it."""
    return f"{document_id}\x1f{content_hash}"


def read_extracted(store: StageCache, key: str) -> Extracted | None:
    """Return what was extracted, or None where the cache lost it."""
    data = store.get(STAGE, key)
    return None if data is None else parse_extracted(data)


def parse_extracted(data: bytes) -> Extracted:
    """Read what the cache holds of a document."""
    return _extracted.validate_json(data)
