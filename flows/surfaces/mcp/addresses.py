"""Addresses of what is in an index: corpusgraph://<index>/<kind>/<id>, each part percent-encoded."""

from dataclasses import dataclass
from urllib.parse import parse_qs, quote, unquote, urlsplit

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.errors import InvalidInputError

SCHEME = "corpusgraph"
KINDS = ("entities", "relationships", "chunks", "communities", "reports", "documents")
MANIFEST = "manifest"
RESULTS = "-"
"""Stands where an index's name does, for what is of none: no index begins so."""
INDEXES, TABLES = "indexes", "results"
"""What stands after it: which indexes there are; before a name, a table that was too long for an answer."""


@dataclass(frozen=True)
class Address:
    """What a URI is about."""

    index: str
    kind: str
    id: str | None = None
    after: int = 0
    limit: int | None = None


def address(index: str, kind: str, ref: str | None = None) -> str:
    """Return the URI of the manifest, of a list, or of an item by id or name."""
    parts = [index, kind] if ref is None else [index, kind, ref]
    return f"{SCHEME}://" + "/".join(quote(part, safe="-._~") for part in parts)


def parsed(uri: str) -> Address:
    """Read a URI; one that is none of ours is InvalidInputError."""
    try:
        split = urlsplit(uri)
        index, path = unquote(split.netloc, errors="strict"), split.path.removeprefix("/")
        kind, _, rest = path.partition("/")
        ref = nfc(unquote(rest, errors="strict")) if rest else None
        query = parse_qs(split.query)
        after, limit = (_number(query[name][-1]) if name in query else None for name in ("after", "limit"))
    except ValueError:
        raise _unknown(uri) from None
    known = kind in KINDS or (kind == MANIFEST and ref is None)
    if index == RESULTS:
        known = (kind == INDEXES and ref is None) or (kind == TABLES and ref is not None)
    if split.scheme != SCHEME or not index or not known or (after or 0) < 0 or (limit or 1) < 1:
        raise _unknown(uri)
    return Address(index, kind, ref, after or 0, limit)


def _number(text: str) -> int:
    if not (text.isascii() and text.removeprefix("-").isdigit()):
        raise ValueError(text)
    return int(text)


def _unknown(uri: str) -> InvalidInputError:
    shown = uri if len(uri) <= 200 else f"{uri[:200]}…"
    hint = (
        f"{SCHEME}://INDEX/{MANIFEST}, or INDEX/KIND/ID with a kind of {', '.join(KINDS)}; "
        f"{SCHEME}://{RESULTS}/{INDEXES} lists the indexes."
    )
    return InvalidInputError(f"{shown!r} is no address of this server.", hint=hint, code="unknown_resource")
