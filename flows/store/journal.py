"""The journal file: lines are only ever added, under a lock, and are on disk when adding returns."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from corpusgraph.flows.files.disk import guarded, one_line, sync
from corpusgraph.schemas.errors import IndexLockedError, InvalidInputError, MemoryFileError, shown
from corpusgraph.schemas.memory import JOURNAL, Change
from corpusgraph.tasks.progress import counted

if TYPE_CHECKING:
    from filelock import FileLock

VERSION = 1
"""Version of the lines; a line of another is refused."""


def encode(change: Change) -> tuple[bytes, Change]:
    """Return a change as a line, and the change that every reader of the line will see.

    Parameters
    ----------
    change : Change
        With its number.

    Returns
    -------
    tuple of bytes and Change
        The line ends in a line feed; the change is what `decode` returns of it.

    Raises
    ------
    InvalidInputError
        For what no line can hold: half characters, infinity, nesting without end.

    """
    try:
        fields = json.dumps(change.model_dump(), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        line = f'{{"version":{VERSION},{one_line(fields)[1:]}\n'.encode()
        return line, Change.model_validate_json(fields)
    except (TypeError, ValueError, RecursionError) as error:  # pydantic's errors of reading are ValueErrors
        why = str(error).splitlines()[0]
        message = f"The change made by {change.by} cannot be written to the memory: {why}."
        hint = "Leave out half characters, what is not JSON, and what is nested hundreds of levels deep."
        raise InvalidInputError(message, hint=hint) from None


def decode(line: bytes, path: Path, number: int) -> Change:
    """Return the change of a line; each line has the number of its change.

    Parameters
    ----------
    line : bytes
        Without or with its line feed.
    path : Path
        The journal, for messages.
    number : int
        Of the line, from 1.

    Returns
    -------
    Change
        As it was added.

    Raises
    ------
    MemoryFileError
        `memory_version` for a line that another version wrote, else `invalid_memory`.

    """
    where = f"{shown(path)}, line {number}"
    try:
        record = json.loads(line)
        version = record.pop("version", None) if isinstance(record, dict) else None
        change = Change.model_validate(record) if version == VERSION else None
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(map(str, problem["loc"])) or "change"
        raise _damaged(f"{where}: {field}: {problem['msg']}.") from None
    except (ValueError, RecursionError):
        raise _damaged(f"{where}: is not JSON.") from None
    if change is None and isinstance(version, int):
        message = f"{where}: was written in version {version}; this program reads version {VERSION}."
        raise MemoryFileError(
            message, hint="Use the program that wrote it, or a later one.", code="memory_version"
        )
    if change is None:
        raise _damaged(f"{where}: is not a change of version {VERSION}.")
    if change.number != number:
        raise _damaged(f"{where}: has change {change.number} where change {number} belongs.")
    if change.undoes is not None and change.undoes >= number:
        raise _damaged(f"{where}: undoes change {change.undoes}, which does not come before it.")
    return change


def _damaged(message: str) -> MemoryFileError:
    hint = "Nothing was changed. Mend the line by hand, from a copy, or move the file away to begin anew."
    return MemoryFileError(message, hint=hint)


FILE = JOURNAL
LOCK = "memory.lock"
WAIT = 30.0
"""Seconds to wait for the lock; it is held for one line at a time."""
POLL = 0.001
"""Seconds between two looks at a lock that another process has."""

_OPENED = os.O_CREAT | os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)
_sync_data = getattr(os, "fdatasync", os.fsync)


class Place(NamedTuple):
    """How far a journal was read: of which file, how many bytes, how many lines.

    Attributes
    ----------
    file : tuple of int and int
        Device and number of the file.
    offset : int
        Bytes read.
    lines : int
        Lines read.

    """

    file: tuple[int, int] = (0, 0)
    offset: int = 0
    lines: int = 0


class Journal:
    """The journal at a path, which need not exist yet. Readers take no lock.

    What a process that was killed left of a line, without its end, is no change: readers pass it over and the
    next writer cuts it off. The same holds for a last line with zero bytes in it, as after a power cut.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def size(self) -> int:
        """Return the size in bytes; 0 where there is no journal.

        Returns
        -------
        int
            A line that is being written counts as far as it is there.

        """
        return status.st_size if (status := self._status()) else 0

    def read_from(self, place: Place = Place()) -> tuple[list[Change], Place]:  # noqa: B008  # is immutable
        """Return the changes after a place, and the place after them.

        Parameters
        ----------
        place : Place, default Place()
            Where reading ended before; the beginning unless named.

        Returns
        -------
        tuple of list of Change and Place
            A line without its end, that a writer has not finished or a crash cut off, is not read yet.

        Raises
        ------
        MemoryFileError
            For a line that is no change.

        """
        try:
            return self._read(place)
        except MemoryFileError:  # a writer may just have cut a torn line off
            sleep(POLL)
            return self._read(place)

    def is_continued(self, place: Place) -> bool:
        """Whether the file is still the one that was read up to a place; else it is to be read anew.

        Parameters
        ----------
        place : Place
            Where reading ended before.

        Returns
        -------
        bool
            True also for the beginning.

        """
        status = self._status()
        if place.offset == 0 or status is None:
            return place.offset == 0
        return (status.st_dev, status.st_ino) == place.file and status.st_size >= place.offset

    @contextmanager
    def writing(self, wait: float = WAIT) -> Iterator[None]:
        """Hold the writers' lock: no other thread or process adds meanwhile.

        Parameters
        ----------
        wait : float, default WAIT
            Seconds until it gives up.

        Yields
        ------
        None
            While the lock is held.

        Raises
        ------
        IndexLockedError
            `memory_locked`, when another does not let go.
        OutputError
            If the folder cannot be written.

        """
        from filelock import Timeout

        with guarded(self.path.parent):
            self.path.parent.stat()  # the lock would make a folder that is not there
            try:
                self._lock.acquire(timeout=wait, poll_interval=POLL)
            except Timeout:
                message = f"The memory in {shown(self.path.parent)} is being written for {wait:g} s already."
                hint = "Stop the process that holds it, or wait; reading goes on meanwhile."
                raise IndexLockedError(message, hint=hint, code="memory_locked") from None
        try:
            yield
        finally:
            self._lock.release()

    def append(self, change: Change, place: Place) -> tuple[Change, Place]:
        """Add a line after a place, while `writing`; it is on disk when this returns.

        Parameters
        ----------
        change : Change
            With the number that follows the last.
        place : Place
            The end of what was read while `writing`.

        Returns
        -------
        tuple of Change and Place
            The change as every reader sees it, and the place after it.

        Raises
        ------
        InvalidInputError
            For a change that no line can hold; nothing is added then.
        OutputError
            If the file cannot be written; nothing is added then.

        """
        line, change = encode(change)
        with guarded(self.path.parent):
            is_new = not self.path.exists()
            handle = os.open(self.path, _OPENED, 0o666)
            try:
                _add(handle, line, place.offset)
                status = os.fstat(handle)
            finally:
                os.close(handle)
            if is_new:
                sync(self.path.parent)
        after = Place((status.st_dev, status.st_ino), place.offset + len(line), place.lines + 1)
        return change, after

    def _status(self) -> os.stat_result | None:
        try:
            return self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None

    @cached_property
    def _lock(self) -> "FileLock":
        from filelock import FileLock

        return FileLock(self.path.with_name(LOCK))  # held by a thread, for itself

    def _read(self, place: Place) -> tuple[list[Change], Place]:
        try:
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                file.seek(place.offset)
                text = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return [], place
        lines = text[: text.rfind(b"\n") + 1].splitlines(keepends=True)
        if lines and b"\0" in lines[-1]:
            lines.pop()
        numbered = enumerate(counted(lines, "changes read"), start=place.lines + 1)
        changes = [decode(line, self.path, number) for number, line in numbered]
        offset = place.offset + sum(map(len, lines))
        return changes, Place((status.st_dev, status.st_ino), offset, place.lines + len(lines))


def _add(handle: int, line: bytes, end: int) -> None:
    """Write a line at the end of what was read and sync it; what is behind that, or fails, is cut off."""
    if os.fstat(handle).st_size > end:
        os.ftruncate(handle, end)
    try:
        rest = memoryview(line)
        while rest:
            rest = rest[os.write(handle, rest) :]
        _sync_data(handle)
    except BaseException:
        os.ftruncate(handle, end)
        raise
