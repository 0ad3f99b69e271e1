"""From sources to documents: the right reader, the metadata table, ids, and the failure ledger."""

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

from corpusgraph.flows.resources.loaders.metadata import MetadataTable, find_metadata
from corpusgraph.flows.resources.loaders.raw import Raw, UnusableError
from corpusgraph.flows.resources.loaders.sources import Source
from corpusgraph.schemas.base import JsonDict, stable_id
from corpusgraph.schemas.documents import Document, Failure
from corpusgraph.schemas.errors import CorpusNotFoundError, DuplicateDocumentError
from corpusgraph.schemas.study import Corpus

_ROWS = frozenset({"csv", "tsv", "jsonl", "ndjson", "parquet"})
_PICTURES = frozenset(
    [
        "png",
        "jpg",
        "jpeg",
        "gif",
        "tif",
        "tiff",
        "bmp",
        "webp",
        "mp3",
        "mp4",
        "wav",
        "zip",
        "gz",
        "tar",
        "7z",
        "exe",
        "dll",
        "so",
        "xlsx",
        "xls",
        "pptx",
    ]
)


def load_all(sources: Sequence[Source], corpus: Corpus, base: Path) -> Iterator[Document | Failure]:
    """Stream the documents of a corpus; two that claim one id are an error, none at all too."""
    table = find_metadata(sources, corpus, base)
    seen: dict[str, str] = {}
    for source in sources:
        if table is not None and source.path == table.path:
            continue
        for found in load(source, corpus, table):
            if isinstance(found, Document):
                _refuse_twin(found, seen)
            yield found
    if table is not None:
        yield from table.unused()
    if not seen:
        raise CorpusNotFoundError(
            f"None of the {len(sources)} files of the corpus could be read as a document.",
            hint="`corpusgraph status NAME` shows the failures by name." if sources else None,
        )


def _refuse_twin(document: Document, seen: dict[str, str]) -> None:
    if document.id in seen:
        given = document.metadata.get("id")
        raise DuplicateDocumentError(
            f"Two documents have the id {given!r}: {seen[document.id]} and {document.source}.",
            hint="Give each its own id, or leave the id out: the path then tells them apart.",
        )
    seen[document.id] = document.source


def load(source: Source, corpus: Corpus, table: MetadataTable | None = None) -> Iterator[Document | Failure]:
    """Yield the documents of one file, or the reason why it has none."""
    try:
        for raw in _read(source, corpus):
            if isinstance(raw, UnusableError):
                yield _failure(source, raw)
            elif raw.text.strip():
                yield _document(source, raw, table)
            else:
                yield _failure(source, UnusableError("empty", "the file holds no text"))
    except UnusableError as error:
        yield _failure(source, error)
    except OSError as error:
        yield _failure(source, UnusableError("unreadable", error.strerror or str(error)))


def _failure(source: Source, error: UnusableError) -> Failure:
    return Failure(source=source.relative, stage="load", code=error.code, message=error.message)


def _read(source: Source, corpus: Corpus) -> Iterator[Raw | UnusableError]:
    from corpusgraph.flows.resources.loaders import markup, pdf, rows, text

    data = source.path.read_bytes()
    if not data.strip():
        raise UnusableError("empty", "the file is empty")
    name = source.path.name.lower()
    if name.endswith((".jsonl.gz", ".csv.gz")):
        data, name = gzip.decompress(data), name.removesuffix(".gz")
    kind = name.rpartition(".")[2] if "." in name else ""
    if kind in _ROWS:
        yield from rows.read_rows(data, kind, corpus)
    elif kind in _PICTURES:
        raise UnusableError("unsupported_kind", f"files of kind .{kind} are not read")
    else:
        readers = {
            "md": text.read_markdown,
            "markdown": text.read_markdown,
            "html": markup.read_html,
            "htm": markup.read_html,
            "docx": markup.read_docx,
            "pdf": pdf.read_pdf,
        }
        yield from readers.get(kind, text.read_text)(data, corpus.encoding)


def _document(source: Source, raw: Raw, table: MetadataTable | None) -> Document:
    place = source.relative if raw.key is None else f"{source.relative}#{raw.key}"
    metadata: JsonDict = {**raw.metadata, **(table.row(source.relative) if table else {})}
    title = str(metadata.get("title") or raw.title or Path(source.relative).stem)
    language = metadata.get("language")
    identity = metadata.get("id")
    return Document(
        id=stable_id("doc", "id", str(identity)) if identity else stable_id("doc", "path", place),
        title=title,
        text=raw.text,
        source=place,
        content_hash=_content_hash(title, raw, metadata),
        metadata={k: v for k, v in metadata.items() if k != "title"},
        pages=raw.pages,
        language=str(language) if language else None,
    )


def _content_hash(title: str, raw: Raw, metadata: JsonDict) -> str:
    import hashlib
    import json

    pages = [(p.page, p.start, p.end) for p in raw.pages]
    told = json.dumps([title, metadata, pages], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.blake2b(f"{told}\x1f{raw.text}".encode(), digest_size=16).hexdigest()
