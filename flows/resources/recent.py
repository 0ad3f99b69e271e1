"""The indexes opened last in this process: a second question finds them warm."""

from typing import TYPE_CHECKING

from corpusgraph.flows.resources.manifest import FILE

if TYPE_CHECKING:
    from pathlib import Path

    from corpusgraph.flows.resources.opened import OpenIndex
    from corpusgraph.flows.resources.store import IndexStore

KEPT = 2
"""Opened indexes that are kept; each holds what was read of it."""

_recent: "dict[Path, tuple[int, OpenIndex]]" = {}


def open_recent(store: "IndexStore", name: str) -> "OpenIndex":
    """Return the opened index of a name, the same one for as long as no other generation is published.

    Raises IndexNotFoundError with the nearest names.
    """
    manifest = store.manifest(name)
    place = store.folder(name).resolve()
    changed = (place / FILE).stat().st_mtime_ns if manifest else 0
    known = _recent.pop(place, None)
    if known is None or known[0] != changed or known[1].manifest != manifest:
        known = changed, store.open(name)
    _recent[place] = known
    while len(_recent) > KEPT:
        del _recent[next(iter(_recent))]
    return known[1]
