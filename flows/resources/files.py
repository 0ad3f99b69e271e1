"""Files, written so that a reader sees the old ones or the new ones, never half of them; and their hashes."""

import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from corpusgraph.flows.resources.disk import guarded, remove_tree, replace_bytes


def file_digest(path: Path, size: int = 16) -> bytes:
    """Return the BLAKE2b hash (RFC 7693) of a file of any length, `size` bytes; raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=size)).digest()


def replace_file(path: Path, data: bytes) -> None:
    """Write a file in one step; raises OutputError where it cannot be written."""
    with guarded(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(path, data)


def replace_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files in one step; a folder of that name is replaced."""
    with guarded(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        try:
            for name, data in files.items():
                target = staging / "new" / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            if path.exists():
                path.rename(staging / "old")
            (staging / "new").rename(path)
        finally:
            remove_tree(staging)


def remove_others(folder: Path, keep: set[str]) -> None:
    """Remove the sub-folders whose names are not to be kept (datasets that a study no longer has)."""
    if not folder.is_dir():
        return
    with guarded(folder):
        for path in sorted(folder.iterdir()):
            if path.is_dir() and path.name not in keep:
                shutil.rmtree(path)
