"""Files, written so that a reader sees the old ones or the new ones, never half of them; and their hashes."""

import glob
import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from corpusgraph.flows.files.disk import guarded, remove_tree, replace_bytes

_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})
OLD = "old"
"""Where a folder is put aside while the new one takes its place."""


def file_digest(path: Path, size: int = 16) -> bytes:
    """Return the BLAKE2b hash (RFC 7693) of a file of any length.

    Parameters
    ----------
    path : Path
        Of a file.
    size : int, default 16
        Bytes of the hash, 1 to 64.

    Returns
    -------
    bytes
        Not in hexadecimal.

    Raises
    ------
    OSError
        Where the file cannot be read.

    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=size)).digest()


def one_line(text: str) -> str:
    """Return JSON on one line, also for readers that take Unicode's other line ends for ends."""
    return text.translate(_LINE_ENDS)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file in one step.

    Parameters
    ----------
    path : Path
        Its folder is made where it is not there.
    data : bytes
        The whole content.

    Raises
    ------
    OutputError
        Where it cannot be written.

    """
    with guarded(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(path, data)


def replace_folder(path: Path, files: Mapping[str, bytes], kept: Mapping[str, Path]) -> None:
    """Write a folder of files in one step, with files of the old one that are `kept` under these names.

    All else in a folder of that name goes.

    Parameters
    ----------
    path : Path
        Of the folder.
    files : mapping of str to bytes
        Relative name -> content.
    kept : mapping of str to Path
        Relative name -> file of the old folder.

    Raises
    ------
    OutputError
        Where it cannot be written; it is then as it was.

    """
    with guarded(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        old, new = staging / OLD, staging / "new"
        try:
            new.mkdir()
            for name, data in files.items():
                target = new / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            for name, source in kept.items():
                _link(source, new / name)
            if path.exists():
                path.rename(old)
            new.rename(path)
        except BaseException:
            if old.exists() and not path.exists():
                old.rename(path)
            raise
        finally:
            remove_tree(staging)


def bring_back(path: Path) -> None:
    """Put back the folder that a run killed between two renames had put aside.

    Parameters
    ----------
    path : Path
        Of the folder; nothing is done where it is there.

    """
    for old in [] if path.exists() else path.parent.glob(f".{glob.escape(path.name)}.*/{OLD}"):
        with guarded(path):
            old.rename(path)
            remove_tree(old.parent)
        return


def _link(source: Path, target: Path) -> None:
    """Have a file in another folder too; where the file system has no links, as a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
