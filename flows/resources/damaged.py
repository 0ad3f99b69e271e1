"""A manifest that cannot be read: told, and out of the way of a run that makes the index anew."""

import json
from pathlib import Path

from corpusgraph.flows.resources.disk import guarded
from corpusgraph.flows.resources.lock import single_writer
from corpusgraph.flows.resources.manifest import FILE, FORMAT, Manifest, is_bundle, read_manifest
from corpusgraph.schemas.errors import IndexNotFoundError


def manifest_or_none(folder: Path) -> Manifest | None:
    """Return the manifest of an index; None where there is none, or it cannot be read."""
    try:
        return read_manifest(folder)
    except IndexNotFoundError:
        return None


def forget_damaged_manifest(folder: Path) -> None:
    """Remove a manifest that cannot be read, so that an index is published in its place.

    That of a later version or of a bundle stays, and is told of: IndexNotFoundError.
    """
    if manifest_or_none(folder) is not None or not (folder / FILE).is_file():
        return
    with single_writer(folder), guarded(folder):
        try:
            read_manifest(folder)
        except IndexNotFoundError:
            if is_bundle(folder) or _is_of_later_version(folder / FILE):
                raise
            (folder / FILE).unlink()


def _is_of_later_version(path: Path) -> bool:
    try:
        told = json.loads(path.read_bytes())
    except ValueError:
        return False
    number = told.get("format") if isinstance(told, dict) else None
    return isinstance(number, int) and number > FORMAT
