"""Files and folders, written so that a crash leaves the old or the new, what stops a write, and hashes."""

import errno
import glob
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident

from corpusgraph.schemas.errors import OutputError, shown

_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_WRAPPED = re.compile(r"(?:os error|errno) (\d+)", re.IGNORECASE)


@contextmanager
def guarded(folder: Path) -> Iterator[None]:
    """Turn whatever the system says about a failed write below `folder` into one OutputError.

    Lance reports system errors as RuntimeError with the number in the text, Arrow as OSError.

    Parameters
    ----------
    folder : Path
        For the message.

    Yields
    ------
    None
        While the body runs.

    Raises
    ------
    OutputError
        With the system's reason and what to do.

    """
    try:
        yield
    except (OSError, RuntimeError) as error:
        wrapped = _WRAPPED.search(str(error))
        number = error.errno if isinstance(error, OSError) else None
        if number is None and wrapped is None:
            raise
        number = number if number is not None else int(wrapped[1]) if wrapped else 0
        hint = "Set CORPUSGRAPH_OUTPUTS to a folder you may write to."
        if number in _SPACE:
            hint = "Free some space and run again; what was there before is untouched."
        message = f"Cannot write to {shown(folder)}: {os.strerror(number).lower()}."
        raise OutputError(message, hint=hint) from error


def replace_bytes(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Put `data` at `path` in one step; if `durable`, file and folder are synced to survive a power cut.

    Parameters
    ----------
    path : Path
        In a folder that is there.
    data : bytes
        The whole content.
    durable : bool, default True
        Sync file and folder, to survive a power cut.

    """
    with replacing(path, durable=durable) as temporary:
        temporary.write_bytes(data)


@contextmanager
def replacing(path: Path, *, durable: bool = True) -> Iterator[Path]:
    """Give a path beside `path` to write to; what is there at the end takes its place in one step.

    Parameters
    ----------
    path : Path
        In a folder that is there.
    durable : bool, default True
        Sync file and folder, to survive a power cut.

    Yields
    ------
    Path
        To write to; it is removed where the body raises.

    """
    temporary = path.with_name(f".{path.name}-{os.getpid()}-{get_ident()}.tmp")
    try:
        yield temporary
        if durable:
            sync(temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync(path.parent)


def sync(path: Path) -> None:
    """Force a file or a folder's entries to disk; Windows, which cannot, is left to its own ways."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_tree(folder: Path) -> None:
    """Force a folder and everything in it to disk."""
    for place, _, names in os.walk(folder):
        for name in names:
            sync(Path(place, name))
        sync(Path(place))


def remove_tree(folder: Path) -> None:
    """Remove a folder with its content; one that is not there is fine."""
    if folder.exists():
        shutil.rmtree(folder)


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
