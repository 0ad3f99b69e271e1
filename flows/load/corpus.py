"""From sources to documents: the right reader, the metadata table, ids, and the failure ledger."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from corpusgraph.flows.files.ledger import ENDS_RUN, crash
from corpusgraph.flows.load.decoding import Raw, UnusableError, finish, mended_encoding, unreadable
from corpusgraph.flows.load.formats import BY_ENDING, KINDS, OTHER, UNREAD
from corpusgraph.flows.load.rows import open_maybe_gzip, read_rows, rows_of, with_iso_date
from corpusgraph.flows.load.sources import Source, same_file, table_path
from corpusgraph.schemas.base import JsonDict, nfc, stable_id
from corpusgraph.schemas.documents import Document, Failure
from corpusgraph.schemas.errors import CorpusNotFoundError, DuplicateDocumentError, shown
from corpusgraph.schemas.study import Corpus
from corpusgraph.tasks.text.languages import detect, language_code
from corpusgraph.tasks.text.readable import Reading, read

KEYS = ("file", "filename", "path", "source")
"""Columns of the table of metadata that name files."""


class MetadataTable:
    """Rows by file name; remembers which were asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.key: str | None = None
        self._rows: dict[str, JsonDict] = {}
        self._failures: list[Failure] = []
        self._used: dict[str, set[str]] = {}

    def add(self, number: int, row: JsonDict) -> None:
        """Keep a row under the name of its file; the first row of a name counts.

        Parameters
        ----------
        number : int
            Of the row, from 1.
        row : JsonDict
            Column -> cell; a row without a name is noted as a failure.

        """
        self.key = self.key or next((k for k in KEYS if k in row), None)
        if self.key is None:
            return
        name = nfc(str(row.get(self.key) or "").replace("\\", "/").removeprefix("./"))
        if not name:
            self.note("malformed_row", f"row {number} names no file")
        elif name in self._rows:
            self.note("duplicate_row", f"row {number}: {name!r} again")
        else:
            self._rows[name] = {k: v for k, v in row.items() if k != self.key and v not in ("", None)}

    def note(self, code: str, message: str) -> None:
        """Add a line to the failure ledger.

        Parameters
        ----------
        code : str
            Of the condition.
        message : str
            With the number of the row.

        """
        self._failures.append(Failure(source=self.path.name, stage="load", code=code, message=message))

    def row(self, relative: str) -> JsonDict:
        """Return a file's metadata by its path below the corpus, its name, or its name without the ending.

        Parameters
        ----------
        relative : str
            With `/` between folders.

        Returns
        -------
        JsonDict
            Empty where the table has none.

        """
        path = PurePosixPath(relative)
        for key in (relative, path.name, path.stem):
            if key in self._rows:
                self._used.setdefault(key, set()).add(relative)
                return self._rows[key]
        return {}

    def unused(self) -> Iterator[Failure]:
        """Yield a failure for each malformed row, each row without a file, each name that fits several.

        Yields
        ------
        Failure
            To be asked for once all files were read.

        """
        for key in sorted(self._rows):
            files = sorted(self._used.get(key, ()))
            if not files:
                self.note("metadata_without_file", f"no file {key!r} could be read")
            elif len(files) > 1:
                self.note(
                    "ambiguous_metadata", f"{key!r} names {len(files)} files ({files[0]}, …): give paths"
                )
        yield from self._failures


def find_metadata(corpus: Corpus, base: Path) -> MetadataTable | None:
    """Return the table the study names, or the corpus's own `metadata.*`, or None.

    Parameters
    ----------
    corpus : Corpus
        Of the study.
    base : Path
        Folder of the study file.

    Returns
    -------
    MetadataTable or None
        Read whole.

    Raises
    ------
    CorpusNotFoundError
        Where the named table is not there, cannot be read or names no files.

    """
    path = table_path(corpus, base)
    if path is None:
        return None
    table = MetadataTable(path)
    try:
        for number, row in rows_of(path, None, KEYS):
            if isinstance(row, UnusableError):
                table.note(row.code, row.message)
            else:
                table.add(number, row)
    except (UnusableError, OSError) as error:
        if not corpus.metadata:
            return None  # reading it as documents tells what is wrong with it
        raise CorpusNotFoundError(f"{shown(path)} cannot be read as a table of metadata: {error}.") from None
    if table.key is None and corpus.metadata:
        raise CorpusNotFoundError(
            f"{shown(path)} has no column that names files: it needs one of {', '.join(KEYS)}."
        )
    return table if table.key else None


_MOST_FAILURES = 100
"""Lines of the ledger for one file and one code; the last one counts the rest."""


def load_all(
    sources: Sequence[Source], corpus: Corpus, base: Path, *, partial: bool = False
) -> Iterator[Document | Failure]:
    """Stream the documents of a corpus.

    Parameters
    ----------
    sources : sequence of Source
        Files, as `scan` returns them.
    corpus : Corpus
        How they are read.
    base : Path
        Folder of the study file.
    partial : bool, default False
        The sources are some of the corpus's: its table of metadata has more rows than they need.

    Yields
    ------
    Document or Failure
        In the order of the files; a failure for each part that is none.

    Raises
    ------
    DuplicateDocumentError
        Where two documents claim one id.
    CorpusNotFoundError
        Where there is no document at all.

    """
    table = find_metadata(corpus, base)
    seen: dict[str, str] = {}
    first: Failure | None = None
    for source in sources:
        if table is not None and same_file(source.path, table.path):
            continue
        for found in load(source, corpus, table):
            if isinstance(found, Document):
                _refuse_twin(found, seen)
            else:
                first = first or found
            yield found
    if table is not None and not partial:
        yield from table.unused()
    if not seen:
        reason = f"; the first: {first.source}: {first.message}" if first else ""
        place = shown(base / corpus.path)
        message = f"None of the {len(sources)} files in {place} could be read as a document{reason}."
        raise CorpusNotFoundError(message, hint=f"{KINDS} are read.")


def _refuse_twin(document: Document, seen: dict[str, str]) -> None:
    if document.id in seen:
        own, hint = document.metadata.get("id"), "Rename one of them."
        told = f"Two files have the name {document.source}, one in composed and one in decomposed Unicode."
        if own not in (None, ""):
            told = f"Two documents have the id {own!r}: {seen[document.id]} and {document.source}."
            hint = "Give each its own id, or leave the id out: the path then tells them apart."
        raise DuplicateDocumentError(told, hint=hint)
    seen[document.id] = document.source


def load(source: Source, corpus: Corpus, table: MetadataTable | None = None) -> Iterator[Document | Failure]:
    """Yield the documents of one file, and the reason for each part of it that is none.

    Parameters
    ----------
    source : Source
        A file, as `scan` returns it.
    corpus : Corpus
        How it is read.
    table : MetadataTable, optional
        Of metadata.

    Yields
    ------
    Document or Failure
        Of each kind of failure the first `_MOST_FAILURES`, and how many more there are.

    """
    told: Counter[tuple[str, bool]] = Counter()
    for item in _documents(source, corpus, table):
        kind = (item.code, item.is_left_out) if isinstance(item, Failure) else None
        told.update([kind] if kind else [])
        if kind is None or told[kind] <= _MOST_FAILURES:
            yield item
    for (code, is_note), n in told.items():
        if n > _MOST_FAILURES:
            yield _failure(source, code, f"and {n - _MOST_FAILURES} more of this kind", is_note=is_note)


def _documents(source: Source, corpus: Corpus, table: MetadataTable | None) -> Iterator[Document | Failure]:
    """Yield the documents of a file; an error nobody foresaw costs the one it is of, or the rest of them."""
    try:
        for found in _found(source, corpus):
            if not isinstance(found, Raw):
                yield _failure(source, found.code, found.message, is_note=found.is_note)
                continue
            try:
                yield _document(source, found, table)
            except ENDS_RUN:
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, the other documents are read
                yield crash(error, _place(source, found), "load")
    except ENDS_RUN:
        raise
    except Exception as error:  # noqa: BLE001 - as above
        yield crash(error, source.relative, "load")


def _place(source: Source, raw: Raw) -> str:
    return source.relative if raw.key is None else f"{source.relative}#{raw.key}"


def _failure(source: Source, code: str, message: str, *, is_note: bool) -> Failure:
    item = source.relative if is_note else None
    return Failure(source=source.relative, stage="load", code=code, message=message, item=item)


def _found(source: Source, corpus: Corpus) -> Iterator[Raw | UnusableError]:
    """Yield what a file holds; no text in it is a failure too."""
    try:
        for raw in _read(source, corpus):
            yield from [raw] if isinstance(raw, UnusableError) else _readable(raw)
    except UnusableError as error:
        yield error
    except OSError as error:
        yield UnusableError("unreadable", error.strerror or str(error))


def _readable(raw: Raw) -> Iterator[Raw | UnusableError]:
    """Yield a document with what of its text can be read, and what was done to it.

    A reader of pages has done this page by page.
    """
    yield from raw.problems
    text, n_mended = (raw.text, 0) if raw.pages else finish(raw.text)
    reading = Reading(text, 0, 0) if raw.pages else read(text)
    row = f"row {raw.key}: " if raw.key is not None else ""
    if n_mended:
        yield mended_encoding(n_mended, row)
    if not reading.text.strip() and not reading.n_lost:
        yield UnusableError("empty", "the file holds no text")
        return
    if reading.n_lost:
        yield unreadable(reading, row)
    if not reading.is_unreadable:
        title = finish(raw.title)[0] if raw.title else None
        metadata = {key: finish(v)[0] if isinstance(v, str) else v for key, v in raw.metadata.items()}
        yield replace(raw, text=reading.text, title=title, metadata=metadata)


def _read(source: Source, corpus: Corpus) -> Iterator[Raw | UnusableError]:
    if source.problem is not None:
        raise UnusableError("unreadable", source.problem)
    plain = source.path.name.lower().removesuffix(".gz")
    ending = plain.rpartition(".")[2] if "." in plain else ""
    if source.path.stat().st_size == 0:
        raise UnusableError("empty", "the file is empty")
    if ending in UNREAD:
        raise UnusableError("unsupported_kind", f"files of kind .{ending} are not read")
    if (read := BY_ENDING.get(ending, OTHER).read) is None:
        yield from read_rows(source.path, corpus)
        return
    with open_maybe_gzip(source.path) as stream:
        data = stream.read()
    if not data.strip():
        raise UnusableError("empty", "the file is empty")
    yield from read(data, corpus.encoding)


def _document(source: Source, raw: Raw, table: MetadataTable | None) -> Document:
    place = _place(source, raw)
    metadata = with_iso_date({**raw.metadata, **(table.row(source.relative) if table else {})})
    title = str(metadata.get("title") or raw.title or PurePosixPath(source.relative.removesuffix(".gz")).stem)
    stated = metadata.get("language") or metadata.get("lang")
    language = language_code(str(stated)) if stated else detect(raw.text)
    identity = metadata.get("id")
    is_named = identity not in (None, "")
    pages = [(page.page, page.start, page.end) for page in raw.pages]
    parts = json.dumps([title, metadata, pages, language], sort_keys=True, ensure_ascii=False)
    digest = hashlib.blake2b(f"{parts}\x1f{raw.text}".encode(), digest_size=16)
    return Document(
        id=stable_id("doc", "id", str(identity)) if is_named else stable_id("doc", "path", place),
        title=title,
        text=raw.text,
        source=place,
        content_hash=digest.hexdigest(),
        metadata={k: v for k, v in metadata.items() if k != "title"},
        pages=raw.pages,
        language=language,
    )
