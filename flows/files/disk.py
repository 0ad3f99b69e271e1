"""Writing so that a crash leaves the old content or the new, and naming what stops a write."""

import errno
import os
import re
import shutil
from collections.abc import Iterator
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
