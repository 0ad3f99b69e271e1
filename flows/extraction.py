"""Documents are cut into chunks and extracted, in batches, each result cached by content."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from corpusgraph.flows.annotate.offline import ReadingOptions, offline_extractor
from corpusgraph.flows.annotate.pipelines import parse_key
from corpusgraph.flows.files.cache import StageCache, code_fingerprint, fingerprint_of
from corpusgraph.flows.files.ledger import ENDS_RUN, crash
from corpusgraph.flows.load.openie import OpenieExtractor, given_id
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.errors import OutputError
from corpusgraph.schemas.evidence import Evidence
from corpusgraph.schemas.llm import STOPPING
from corpusgraph.schemas.stages import Extractor
from corpusgraph.schemas.study import Chunking, IndexOptions
from corpusgraph.tasks.extract.rules.reading import language_of

if TYPE_CHECKING:
    from corpusgraph.flows.language import RunModel

T = TypeVar("T")
CHUNKED, STAGE = "chunk", "extract"
"""Stages of the cache: documents that are cut and wait, and those that are extracted."""
EXTRACTING = (
    "corpusgraph.configs.lexicons",
    "corpusgraph.tasks.build.chunk",
    "corpusgraph.tasks.extract.name_forms",
    "corpusgraph.tasks.extract.rules",
    "corpusgraph.tasks.text",
)
"""Modules whose code decides what is extracted; all of tasks.build decides what is derived."""
READING = (
    "corpusgraph.configs.lexicons",
    "corpusgraph.tasks.extract",
    "corpusgraph.flows.annotate.pipelines",
    "corpusgraph.flows.annotate.recognizers",
)
"""Modules whose code decides what is read off a parsed sentence."""
MODEL_EXTRACTING = (*EXTRACTING, "corpusgraph.tasks.build.llm", "corpusgraph.tasks.extract.llm")
"""The same where a language model reads; `llm` holds all that it is asked."""
LOADING = ("corpusgraph.configs.lexicons", "corpusgraph.flows.load", "corpusgraph.tasks.text")
"""Packages whose code decides what a document's text and language are."""
EMBEDDING = (
    "corpusgraph.flows.embed.bert",
    "corpusgraph.flows.embed.hashing",
    "corpusgraph.flows.embed.trained",
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


class Cut(NamedTuple):
    """One document of the corpus, cut into chunks, or extracted already."""

    document_id: str
    key: str
    """Where the cache keeps what is extracted from it."""
    given_id: str
    """Id that the corpus gives it."""
    state: Literal["waits", "cached", "carried", "crashed"] = "waits"
    """Whether it waits to be extracted, or was: by an earlier run, by another program, or in vain."""
    n_chunks: int = 0
    parse: str = ""
    """Where the cache keeps its parse; "" where it has none."""
    unparsed: str = ""
    """The language in which it could not be parsed; "" where it was, or was not meant to be."""


class Done(NamedTuple):
    """One document that was extracted."""

    document_id: str
    key: str
    crashed: bool = False
    """Whether an error of the program came between: it is kept without evidence, and read by the next run."""


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
    retry: bool = False
    """Extract those documents again of which a call of a language model failed."""


def make_extractor(
    reading: ReadingOptions, openie: Path | None, cache: StageCache | None = None
) -> Extractor:
    """Return what reads the documents: patterns over parsed sentences, or the findings in a file.

    Parameters
    ----------
    reading : ReadingOptions
        Annotator, patterns and names; not used where `openie` is given.
    openie : Path or None
        File of findings.
    cache : StageCache, optional
        Where parses are kept; None for nowhere.

    Returns
    -------
    Extractor
        Its fingerprint decides whether documents are read anew.

    """
    return OpenieExtractor(openie) if openie is not None else offline_extractor(reading, cache)


_extractors: dict[str, Extractor] = {}
_making = Lock()


def extractor_of(job: Job) -> Extractor:
    """Return the extractor of a job: a process needs one at a time, its threads share it.

    Parameters
    ----------
    job : Job
        Two equal jobs have one.

    Returns
    -------
    Extractor
        The last one is kept.

    """
    key = repr(job)
    with _making:
        if key not in _extractors:
            _extractors.clear()
            _extractors[key] = make_extractor(job.reading, job.openie, StageCache(job.cache))
        return _extractors[key]


def parsing_of(reading: ReadingOptions) -> Parsing | None:
    """Return which texts the annotator of a study parses, None where it has none.

    Parameters
    ----------
    reading : ReadingOptions
        Options of the study.

    Returns
    -------
    Parsing or None
        Fingerprint and languages of the annotator.

    """
    annotator = reading.annotator()
    return None if annotator is None else Parsing(annotator.fingerprint, annotator.languages)


def openie_file(options: IndexOptions, base: Path) -> Path | None:
    """Return the file of findings that a study names, from the study file's folder.

    Parameters
    ----------
    options : IndexOptions
        Of the study.
    base : Path
        Folder that its paths start at.

    Returns
    -------
    Path or None
        None where it names none.

    """
    return None if options.openie is None else base / Path(options.openie).expanduser()


def extraction_fingerprint(options: IndexOptions, base: Path, model: "RunModel | None" = None) -> str:
    """Hash what decides a document's evidence, besides its content.

    Parameters
    ----------
    options : IndexOptions
        Of the study.
    base : Path
        Folder that its paths start at.
    model : RunModel, optional
        Counts where it reads the documents.

    Returns
    -------
    str
        32 hexadecimal digits; another code, lexicon, chunking or reader gives another.

    """
    reads = model is not None and model.extracts
    modules = MODEL_EXTRACTING if reads else EXTRACTING
    code = code_fingerprint(*modules, *([] if reads else READING))
    reader = model.extractor.fingerprint if model is not None and reads else _reader(options, base)
    return fingerprint_of(code, options.chunking.model_dump_json(exclude={"preset"}), reader)


def _reader(options: IndexOptions, base: Path) -> str:
    return make_extractor(ReadingOptions.of(options, base), openie_file(options, base)).fingerprint


def config_fingerprint(options: IndexOptions, base: Path, model: "RunModel | None" = None) -> str:
    """Hash everything that decides an index, besides its corpus.

    Parameters
    ----------
    options : IndexOptions
        Of the study.
    base : Path
        Folder that its paths start at.
    model : RunModel, optional
        Counts where there is one.

    Returns
    -------
    str
        32 hexadecimal digits.

    """
    code = code_fingerprint("corpusgraph.tasks.build", *READING, *LOADING, *EMBEDDING)
    told = [
        code,
        options.model_dump_json(exclude={"openie", "annotator", "patterns", "names"}),
        _reader(options, base),
    ]
    told += [] if model is None else [model.fingerprint]
    return fingerprint_of(*told)


def batches(
    found: Iterable[Document | Failure], size: int, failures: list[Failure]
) -> Iterator[list[Document]]:
    """Group documents; failures go to the ledger on the way.

    Parameters
    ----------
    found : iterable of Document or Failure
        What a corpus was read as.
    size : int
        Documents of a batch, 1 or more.
    failures : list of Failure
        Is added to.

    Yields
    ------
    list of Document
        In order; the last perhaps shorter.

    """

    def documents() -> Iterator[Document]:
        for item in found:
            if isinstance(item, Document):
                yield item
            else:
                log.info("%s: %s", item.source, item.message)
                failures.append(item)

    yield from grouped(documents(), size)


def grouped(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of up to `size` items.

    Parameters
    ----------
    items : iterable of T
        Any number.
    size : int
        1 or more.

    Yields
    ------
    list of T
        In order; the last perhaps shorter.

    """
    rest = iter(items)
    while group := list(islice(rest, size)):
        yield group


def cut_batch(job: Job, documents: Sequence[Document]) -> list[Cut]:
    """Cut the documents that were not extracted before with the same options; runs in any process.

    Parameters
    ----------
    job : Job
        Chunking and cache.
    documents : sequence of Document
        Of one batch.

    Returns
    -------
    list of Cut
        One for each document, in order.

    """
    store = StageCache(job.cache)
    return [cut_one(job, store, document) for document in documents]


def cut_one(job: Job, store: StageCache, document: Document) -> Cut:
    """Cut one document, and keep its chunks until it is extracted.

    Parameters
    ----------
    job : Job
        Chunking and cache.
    store : StageCache
        The cache.
    document : Document
        Whole.

    Returns
    -------
    Cut
        Its state says whether it is extracted already, came with an archive, crashed, or waits.

    """
    parse, unparsed = _parse_of(job.parsing, document)
    cut = Cut(document.id, key_of(job, document), given_id(document), parse=parse, unparsed=unparsed)
    kept = read_extracted(store, cut.key) if job.retry else None
    if store.has(STAGE, cut.key) if not job.retry else kept and not any(f.retry for f in kept.failures):
        return cut._replace(state="cached")
    from corpusgraph.tasks.build.chunk import chunk_document

    whole = Extracted(document=document, chunks=(), evidence=Evidence(document_id=document.id))
    try:
        whole = whole.model_copy(update={"chunks": tuple(chunk_document(document, job.chunking))})
        data = to_bytes(whole)
    except ENDS_RUN:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the other documents are read
        return cut._replace(state="crashed", key=put_crashed(store, cut.key, whole, error).key)
    cut = cut._replace(n_chunks=len(whole.chunks))
    key = carried_key(document.id, document.content_hash)
    brought = StageCache(job.evidence).get(STAGE, key) if job.evidence is not None else None
    if brought is None:
        store.put(CHUNKED, cut.key, data)
        return cut
    carried = Carried.model_validate_json(brought)  # what an archive carries is not extracted again
    found = {"evidence": carried.evidence, "failures": carried.failures}
    store.put(STAGE, cut.key, to_bytes(whole.model_copy(update=found)))
    return cut._replace(state="carried")


def extract_batch(job: Job, cuts: Sequence[Cut]) -> list[Done]:
    """Extract what documents say from their chunks; runs in any process or thread.

    Parameters
    ----------
    job : Job
        Reader and cache.
    cuts : sequence of Cut
        Documents that wait.

    Returns
    -------
    list of Done
        One for each document, in order; one at which the program failed has `crashed`.

    """
    store, extractor = StageCache(job.cache), extractor_of(job)
    done = []
    for cut in cuts:
        whole = read_cut(store, cut)
        try:
            evidence = extractor.extract(whole.document, whole.chunks)
            data = to_bytes(whole.model_copy(update={"evidence": evidence}))
        except ENDS_RUN:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the other documents are read
            done.append(put_crashed(store, cut.key, whole, error))
            continue
        store.put(STAGE, cut.key, data)
        done.append(Done(cut.document_id, cut.key))
    return done


def extract_batch_by_model(job: Job, model: "RunModel", cuts: Sequence[Cut]) -> list[Done]:
    """Ask a language model about all chunks of the documents together; each is cached when whole.

    Parameters
    ----------
    job : Job
        How to extract.
    model : RunModel
        The model; batches share its client, limits and accounts.
    cuts : sequence of Cut
        Documents that wait.

    Returns
    -------
    list of Done
        Nothing of documents that the model was not asked about any more.

    Raises
    ------
    OutputError
        Where the cache has lost one.

    """
    store, client = StageCache(job.cache), model.client
    if not cuts or client.stopped:
        return []
    wholes = [read_cut(store, cut) for cut in cuts]
    try:
        findings = model.extractor.extract_all([(whole.document, list(whole.chunks)) for whole in wholes])
        found = [{"evidence": f.evidence, "failures": (*f.failures, *f.dropped)} for f in findings]
        extracted = [whole.model_copy(update=more) for whole, more in zip(wholes, found, strict=True)]
        data = [to_bytes(whole) for whole in extracted]
    except ENDS_RUN:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the other documents are read
        if len(cuts) == 1:
            return [put_crashed(store, cuts[0].key, wholes[0], error)]
        # Which one it is shows when each is read alone; the response cache has the replies.
        return [done for cut in cuts for done in extract_batch_by_model(job, model, [cut])]
    done = []
    for cut, whole, content in zip(cuts, extracted, data, strict=True):
        if client.stopped and any(failure.code in STOPPING for failure in whole.failures):
            continue  # what is left open is not kept as done
        store.put(STAGE, cut.key, content)
        done.append(Done(cut.document_id, cut.key))
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
    """Return where the cache keeps what was extracted from a document.

    Parameters
    ----------
    job : Job
        Its fingerprint counts.
    document : Document
        Id and content count.

    Returns
    -------
    str
        32 hexadecimal digits.

    """
    return fingerprint_of(job.fingerprint, document.id, document.content_hash)


def to_bytes(extracted: Extracted) -> bytes:
    """Return what the cache keeps of a document.

    Parameters
    ----------
    extracted : Extracted
        Document, chunks and evidence.

    Returns
    -------
    bytes
        JSON; `parse_extracted` reads it.

    """
    return extracted.model_dump_json().encode()


def put_crashed(store: StageCache, key: str, whole: Extracted, error: Exception) -> Done:
    """Keep a document with its failure and no evidence, where no later run takes it for extracted.

    Parameters
    ----------
    store : StageCache
        The cache.
    key : str
        As `key_of` returns it.
    whole : Extracted
        The document, with its chunks.
    error : Exception
        What nobody foresaw.

    Returns
    -------
    Done
        Under a key of its own.

    """
    failure = crash(error, whole.document.source, STAGE)
    store.put(STAGE, f"{key}-crashed", to_bytes(whole.model_copy(update={"failures": (failure,)})))
    return Done(whole.document.id, f"{key}-crashed", crashed=True)


def carried_key(document_id: str, content_hash: str) -> str:
    """Return where carried evidence is kept: by its text alone, whatever program found it.

    Parameters
    ----------
    document_id, content_hash : str
        Of the document.

    Returns
    -------
    str
        Key of the archive's cache.

    """
    return f"{document_id}\x1f{content_hash}"


def read_cut(store: StageCache, cut: Cut) -> Extracted:
    """Return a document that waits to be extracted, with its chunks.

    Parameters
    ----------
    store : StageCache
        The cache.
    cut : Cut
        As `cut_one` returned it.

    Returns
    -------
    Extracted
        With its chunks, without evidence.

    Raises
    ------
    OutputError
        Where the cache lost it.

    """
    data = store.get(CHUNKED, cut.key)
    if data is None:
        raise OutputError(f"The chunks of {cut.document_id} are gone from the cache.", hint="Run again.")
    return parse_extracted(data)


def read_extracted(store: StageCache, key: str) -> Extracted | None:
    """Return what was extracted, or None where the cache lost it.

    Parameters
    ----------
    store : StageCache
        The cache.
    key : str
        As `key_of` returns it.

    Returns
    -------
    Extracted or None
        Document, chunks, evidence and failures.

    """
    data = store.get(STAGE, key)
    return None if data is None else parse_extracted(data)


def parse_extracted(data: bytes) -> Extracted:
    """Read what the cache holds of a document.

    Parameters
    ----------
    data : bytes
        As `to_bytes` wrote it.

    Returns
    -------
    Extracted
        Document, chunks, evidence and failures.

    """
    return Extracted.model_validate_json(data)
