"""The journal file: lines are only ever added, under a lock, and are on disk when adding returns."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pydantic import ValidationError

from corpusgraph.flows.files.disk import guarded, one_line, sync
from corpusgraph.schemas.errors import IndexLockedError, InvalidInputError, MemoryFileError, shown
from corpusgraph.schemas.memory import JOURNAL, Change
from corpusgraph.tasks.progress import counted

if TYPE_CHECKING:
    from filelock import FileLock

T = TypeVar("T")
VERSION = 1
"""Version of the lines; a line of another is refused."""

_BEGIN = b'{"version":%d,' % VERSION


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
        text = one_line(change.model_dump_json())
        line = _BEGIN + text.encode()[1:] + b"\n"
        seen = _parse(line)
        if seen != change:  # tuples that became lists are fine; what pydantic writes otherwise unasked is not
            json.dumps(change.model_dump(), default=str, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:  # pydantic's errors of writing and reading are ValueErrors
        message = (
            f"The change made by {change.by} cannot be written to the memory: {str(error).splitlines()[0]}."
        )
        hint = "Leave out half characters, what is not JSON, and what is nested hundreds of levels deep."
        raise InvalidInputError(message, hint=hint) from None
    return line, seen


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
    try:
        change = _parse(line)
    except (ValueError, RecursionError) as error:
        raise _unreadable(line, _where(path, number), error) from None
    if change.number != number:
        raise _damaged(f"{_where(path, number)}: has change {change.number} where change {number} belongs.")
    if change.undoes is not None and change.undoes >= number:
        raise _damaged(
            f"{_where(path, number)}: undoes change {change.undoes}, which does not come before it."
        )
    return change


def _where(path: Path, number: int) -> str:
    return f"{shown(path)}, line {number}"


def _parse(line: bytes) -> Change:
    if line.startswith(_BEGIN):
        return Change.model_validate_json(b"{" + line[len(_BEGIN) :])
    record = json.loads(line)
    if not isinstance(record, dict) or record.pop("version", None) != VERSION:
        message = f"is not a change of version {VERSION}"
        raise ValueError(message)
    return Change.model_validate_json(json.dumps(record))


def _unreadable(line: bytes, where: str, error: Exception) -> MemoryFileError:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return _damaged(f"{where}: is not JSON.")
    version = record.get("version") if isinstance(record, dict) else None
    if isinstance(version, int) and version != VERSION:
        message = f"{where}: was written in version {version}; this program reads version {VERSION}."
        return MemoryFileError(
            message, hint="Use the program that wrote it, or a later one.", code="memory_version"
        )
    if isinstance(error, ValidationError):
        problem = error.errors()[0]
        return _damaged(f"{where}: {'.'.join(map(str, problem['loc'])) or 'change'}: {problem['msg']}.")
    return _damaged(f"{where}: {error}.")


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
        status = self._status()
        return status.st_size if status else 0

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
        return self._twice(lambda: self._read(place))

    def count(self) -> int:
        """Return how many changes there are: lines are counted, and only the last is read as a change.

        Of damage further up only `read_from` tells.

        Returns
        -------
        int
            0 where there is no journal.

        Raises
        ------
        MemoryFileError
            Where the last line is no change, or not the change of its number.

        """
        return self._twice(self._count)

    def _twice(self, read: Callable[[], T]) -> T:
        """Read, and once more where a line was no change: a writer may just have cut a torn line off."""
        try:
            return read()
        except MemoryFileError:
            sleep(POLL)
            return read()

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

    def _count(self) -> int:
        lines, _ = self._lines(0)
        if lines:
            decode(lines[-1], self.path, len(lines))
        return len(lines)

    def _read(self, place: Place) -> tuple[list[Change], Place]:
        lines, file = self._lines(place.offset)
        if file is None:
            return [], place
        numbered = enumerate(counted(lines, "changes read"), start=place.lines + 1)
        changes = [decode(line, self.path, number) for number, line in numbered]
        return changes, Place(file, place.offset + sum(map(len, lines)), place.lines + len(lines))

    def _lines(self, offset: int) -> tuple[list[bytes], tuple[int, int] | None]:
        """Return the whole lines behind an offset, and which file they are of; None where there is none."""
        try:
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                file.seek(offset)
                text = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return [], None
        lines = text[: text.rfind(b"\n") + 1].splitlines(keepends=True)
        if lines and b"\0" in lines[-1]:
            lines.pop()
        return lines, (status.st_dev, status.st_ino)


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
