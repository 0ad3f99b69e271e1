"""What was found in the texts, carried by an archive: another processor may read a text otherwise.

A parser of language decides by sums of many numbers, and where two readings are nearly as good, the last
digits of the sums tell. A rerun therefore takes the evidence as it was found; the texts can be read anew to
see what differs.
"""

import gzip
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from corpusgraph.flows.extraction import STAGE, Carried, Extracted, carried_key, parse_extracted
from corpusgraph.flows.files.cache import StageCache
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.evidence import Evidence
from corpusgraph.schemas.run import EvidenceChange

KINDS = {
    "mentions": "mentions",
    "relations": "assertions",
    "claims": "claims",
    "arguments": "arguments",
    "events": "events",
}
"""What is compared -> the field of Evidence that holds it."""


def pack_evidence(cache: Path, file: Path) -> int:
    """Write what a run extracted, one line for each document in order of id, and return how many there are.

    The texts are not in it, nor their chunks: a rerun has them from the corpus.

    Parameters
    ----------
    cache : Path
        Cache of a finished run.
    file : Path
        Where to write, compressed by gzip.

    Returns
    -------
    int
        Documents.

    """
    n_documents = 0
    with file.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
        for extracted in _extracted(cache):
            n_documents += 1
            carried = Carried(
                document_id=extracted.document.id,
                content_hash=extracted.document.content_hash,
                evidence=extracted.evidence,
                failures=extracted.failures,
            )
            packed.write(carried.model_dump_json(exclude_defaults=True).encode() + b"\n")
    return n_documents


def unpack_evidence(file: Path, folder: Path) -> None:
    """Put the evidence of each document where a run looks for it (`Settings.evidence`).

    Parameters
    ----------
    file : Path
        What `pack_evidence` wrote.
    folder : Path
        The cache that a run reads.

    Raises
    ------
    InvalidInputError
        For a file of another version, or a damaged one.

    """
    store = StageCache(folder)
    for carried in _lines(file):
        key = carried_key(carried.document_id, carried.content_hash)
        store.put(STAGE, key, carried.model_dump_json(exclude_defaults=True).encode())


def compare_evidence(file: Path, cache: Path) -> list[EvidenceChange]:
    """Count what a run found in the texts and the archive does not have, and the other way round.

    Parameters
    ----------
    file : Path
        What `pack_evidence` wrote.
    cache : Path
        Cache of a finished run.

    Returns
    -------
    list of EvidenceChange
        One for each kind that differs.

    Raises
    ------
    InvalidInputError
        For a file of another version, or a damaged one.

    """
    added, removed = Counter[str](), Counter[str]()
    packed = {carried.document_id: carried.evidence for carried in _lines(file)}

    def compare(before: Evidence | None, after: Evidence | None) -> None:
        for kind, field in KINDS.items():
            old, new = (_counted(getattr(evidence, field, ())) for evidence in (before, after))
            added[kind] += (new - old).total()
            removed[kind] += (old - new).total()

    for extracted in _extracted(cache):
        compare(packed.pop(extracted.document.id, None), extracted.evidence)
    for evidence in packed.values():
        compare(evidence, None)
    return [
        EvidenceChange(kind=kind, added=added[kind], removed=removed[kind])
        for kind in KINDS
        if added[kind] or removed[kind]
    ]


def _extracted(cache: Path) -> Iterator[Extracted]:
    """Yield what the cache of a finished run holds, in order of id of document; one is read at a time."""
    store = StageCache(cache)
    files = {parse_extracted(store.read(path) or b"").document.id: path for path in store.files(STAGE)}
    for _, path in sorted(files.items()):
        yield parse_extracted(store.read(path) or b"")


def _counted(items: Iterable[Noun]) -> Counter[str]:
    return Counter(item.model_dump_json() for item in items)


def _lines(file: Path) -> Iterator[Carried]:
    """Read line by line; evidence of another version may have fields that this one does not know."""
    try:
        with gzip.open(file, "rb") as packed:
            for line in packed:
                yield Carried.model_validate_json(line)
    except (OSError, EOFError, zlib.error, ValidationError):
        raise InvalidInputError(
            f"{file.name} of the archive cannot be read by this version of corpusgraph.",
            hint="Install the version in its folder `code`, or read the texts anew with --from-texts.",
        ) from None
