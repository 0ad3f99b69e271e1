"""Remove what is in a folder, following no link out of it."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from corpusgraph.flows.resources.disk import guarded
from corpusgraph.flows.resources.lock import single_writer

_LEFTOVERS = (".staging*", ".*.tmp")


def clear(folder: Path, names: Sequence[str]) -> None:
    """Remove files and folders by name, in order, and what an interrupted run left.

    A link in the folder's own place is removed and not followed. IndexLockedError while another writes.
    """
    if folder.is_symlink():
        with guarded(folder):
            folder.unlink()
        return
    if not folder.is_dir():
        return
    with single_writer(folder), guarded(folder):
        for name in names:
            _remove(folder / name)
        for pattern in _LEFTOVERS:
            for path in sorted(folder.glob(pattern)):
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)  # removes links in it, never what they lead to
    else:
        path.unlink(missing_ok=True)
