"""Entities and triples extracted elsewhere, say by a language model: JSON Lines, one line a document.

A line is `{"id": …, "entities": […], "triples": [[subject, predicate, object], …]}`; the id is that of the
corpus file's row, or the document's own. The shape is HippoRAG's open information extraction.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from corpusgraph.flows.files.disk import file_digest
from corpusgraph.flows.load.decoding import UnusableError
from corpusgraph.flows.load.rows import rows_of
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.schemas.evidence import Evidence
from corpusgraph.tasks.build.triples import VERSION, Triple, evidence_of

STAGE = "openie"
SHOWN = 5
"""Ids told of many."""


class Found(NamedTuple):
    """What was extracted from one document."""

    entities: tuple[str, ...]
    triples: tuple[Triple, ...]


NOTHING = Found((), ())
Openie = tuple[dict[str, Found], tuple[Failure, ...]]
"""What a file holds, by document, and the lines of it that could not be used."""


class OpenieExtractor:
    """Implements `ports.Extractor` over a file; a document that the file does not know has no evidence.

    Parameters
    ----------
    path : Path
        JSON lines {id, entities, triples}.

    Raises
    ------
    InvalidInputError
        For a file that cannot be read.

    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digest = digest_of(path)

    @property
    def fingerprint(self) -> str:
        """Identify the file by its content."""
        return f"openie-{VERSION}-{self._digest}"

    @property
    def languages(self) -> frozenset[str]:
        """No sentence is parsed: what it says stands in the file."""
        return frozenset()

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> Evidence:
        """Return the document's entities and triples, located in its text.

        Parameters
        ----------
        document : Document
            Its id in the corpus is looked up.
        chunks : sequence of Chunk
            Of the document.

        Returns
        -------
        Evidence
            Nothing where the file has no line of it.

        """
        found, _ = read_openie(self._path, self._digest)
        return evidence_of(document, chunks, *found.get(given_id(document), NOTHING))

    def failures(self, documents: Collection[str]) -> list[Failure]:
        """Return what could not be used: bad lines, ids without a document, documents without a line.

        Parameters
        ----------
        documents : collection of str
            Ids as the corpus gives them.

        Returns
        -------
        list of Failure
            Ids that have no match are named in one failure, the first of them.

        """
        found, failures = read_openie(self._path, self._digest)
        unknown, missing = sorted(found.keys() - set(documents)), sorted(set(documents) - found.keys())
        told = [*failures]
        if unknown:
            message = f"{len(unknown)} ids are no document of the corpus: {_some(unknown)}"
            told.append(self._failure("unknown_document", message))
        if missing:
            message = f"{len(missing)} documents of the corpus are not in the file: {_some(missing)}"
            told.append(self._failure("no_extraction", message))
        return told

    def _failure(self, code: str, message: str) -> Failure:
        return Failure(source=self._path.name, stage=STAGE, code=code, message=message)


def given_id(document: Document) -> str:
    """Return the id that a corpus gives a document: that of its row, else the document's own.

    Parameters
    ----------
    document : Document
        Loaded.

    Returns
    -------
    str
        As the file of triples names it.

    """
    return str(document.metadata.get("id") or document.id)


def digest_of(path: Path) -> str:
    """Hash a file; one that cannot be read is InvalidInputError.

    Parameters
    ----------
    path : Path
        Of any length.

    Returns
    -------
    str
        32 hexadecimal digits.

    Raises
    ------
    InvalidInputError
        For a file that cannot be read.

    """
    try:
        return file_digest(path).hex()
    except OSError as error:
        hint = "It has lines {id, entities, triples}."
        raise InvalidInputError(f"{shown(path)} cannot be read: {error.strerror}.", hint=hint) from None


@lru_cache(maxsize=2)
def read_openie(path: Path, digest: str) -> Openie:  # noqa: ARG001 - a changed file is another
    """Read a file once; lines of one id add up.

    Parameters
    ----------
    path : Path
        JSON lines {id, entities, triples}.
    digest : str
        Of its content: a changed file is read anew.

    Returns
    -------
    Openie
        By id, and what could not be used.

    """
    found: dict[str, Found] = {}
    failures: list[Failure] = []
    for number, row in _rows(path):
        try:
            id_, here, problems = _line(row)
        except UnusableError as error:
            failures.append(_bad(path, number, error.code, str(error)))
            continue
        before = found.get(id_, NOTHING)
        found[id_] = Found(before.entities + here.entities, before.triples + here.triples)
        if problems:
            failures.append(_bad(path, number, "malformed_triple", f"left out: {_some(problems)}"))
    return found, tuple(failures)


def _rows(path: Path) -> Iterator[tuple[int, Any]]:
    if not path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        raise InvalidInputError(f"{shown(path)} is no JSON Lines.", hint="Name a .jsonl or .jsonl.gz file.")
    try:
        yield from rows_of(path, None, ("id",))
    except UnusableError as error:
        yield 0, error


def _bad(path: Path, number: int, code: str, message: str) -> Failure:
    return Failure(source=f"{path.name}#{number}", stage=STAGE, code=code, message=message)


def _line(row: Any) -> tuple[str, Found, list[str]]:
    """Return a line's id and findings, and what of them is malformed."""
    if isinstance(row, UnusableError):
        raise row
    id_, entities, triples = row.get("id"), row.get("entities") or [], row.get("triples") or []
    if id_ in (None, ""):
        raise UnusableError("malformed_row", "the line has no id")
    if not isinstance(entities, list) or not isinstance(triples, list):
        raise UnusableError("malformed_row", "entities and triples are lists")
    names = tuple(name for name in entities if isinstance(name, str) and name.strip())
    good = tuple(Triple(*triple) for triple in triples if _is_triple(triple))
    problems = [repr(name) for name in entities if not isinstance(name, str)]
    problems += [repr(triple) for triple in triples if not _is_triple(triple)]
    return str(id_), Found(names, good), problems


def _is_triple(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(isinstance(part, str) for part in value)


def _some(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
    return ", ".join(text[:80] for text in texts[:SHOWN]) + more
