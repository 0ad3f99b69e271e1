"""Which documents of an index a person means by id, title, path or glob."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from corpusgraph.flows.given import Ref, file_of
from corpusgraph.flows.resources.loaders.walk import matcher
from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError, did_you_mean

_GLOB = frozenset("*?[")
Named = dict[str, list[Ref]]


def select(held: Sequence[Ref], wanted: Sequence[str], root: Path) -> list[Ref]:
    """Return the documents named, in id order; `root` is the folder that paths are below.

    A name is an id, a source (a file, or `file#row`), a path to a file below `root`, a title, or a glob of
    sources. Raises UnknownItemError for one that fits none, InvalidInputError for a title of several.
    """
    if not wanted:
        how = "Name them by id, title, source or glob of sources."
        raise InvalidInputError("Which documents are to be removed?", hint=how)
    places, titles = _known(held)
    chosen: dict[str, Ref] = {}
    for written in wanted:
        name = nfc(str(written))
        found = places.get(name) or places.get(_below(name, root))
        found = found or _titled(name, titles) or _globbed(name, held)
        if not found:
            hint = did_you_mean(name, sorted({*places, *titles}))
            raise UnknownItemError(f"No document is called {name!r}; nothing was removed.", hint=hint)
        chosen |= {ref["id"]: ref for ref in found}
    return [chosen[number] for number in sorted(chosen)]


def _known(held: Sequence[Ref]) -> tuple[Named, Named]:
    """Return the documents by id, source and file, and by title."""
    places: Named = defaultdict(list)
    titles: Named = defaultdict(list)
    for ref in held:
        for place in {ref["id"], ref["source"], file_of(ref["source"])}:
            places[place].append(ref)
        titles[ref["title"]].append(ref)
    return dict(places), dict(titles)


def _titled(name: str, titles: Named) -> list[Ref]:
    found = titles.get(name, [])
    if len(found) > 1:
        ids = ", ".join(ref["id"] for ref in found[:5])
        message = f"{len(found)} documents are titled {name!r}; nothing was removed."
        raise InvalidInputError(message, hint=f"Name their ids: {ids}.")
    return found


def _globbed(name: str, held: Sequence[Ref]) -> list[Ref]:
    if not _GLOB & set(name):
        return []
    pattern = matcher((name,))
    return [r for r in held if pattern.fullmatch(r["source"]) or pattern.fullmatch(file_of(r["source"]))]


def _below(name: str, root: Path) -> str:
    """Return a path the way sources are told: below the root."""
    path = Path(name).expanduser().resolve()
    return nfc(path.relative_to(root).as_posix()) if path.is_relative_to(root) else name
