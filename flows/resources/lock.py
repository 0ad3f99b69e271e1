"""One writer per index: a lock the system gives back when its process dies, and a note of who holds it."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpusgraph.flows.resources.disk import guarded, replace_bytes
from corpusgraph.flows.resources.manifest import now
from corpusgraph.schemas.errors import IndexLockedError

LOCK = "lock"
OWNER = "lock.owner.json"


@contextmanager
def single_writer(folder: Path) -> Iterator[None]:
    """Hold the writer's lock of an index's folder; if another has it, raise IndexLockedError at once.

    The lock is the operating system's (flock), so that of a process that died is free; its note is
    overwritten.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK)
    try:
        with guarded(folder):
            lock.acquire(timeout=0)
    except Timeout:
        raise _locked(folder) from None
    try:
        with guarded(folder):
            replace_bytes(folder / OWNER, _owner())
        yield
    finally:
        (folder / OWNER).unlink(missing_ok=True)
        lock.release()


def _owner() -> bytes:
    note = {"pid": os.getpid(), "host": socket.gethostname(), "started": now()}
    return json.dumps(note).encode() + b"\n"


def _locked(folder: Path) -> IndexLockedError:
    hint = "Wait for it, or stop that process; the published generation can be read meanwhile."
    try:
        note = json.loads((folder / OWNER).read_bytes())
    except (FileNotFoundError, json.JSONDecodeError):
        # It took the lock this instant and has not signed yet, or is just letting go.
        return IndexLockedError(f"Index {folder.name!r} is being written by another process.", hint=hint)
    who = f"process {note['pid']} on {note['host']} since {note['started']}"
    return IndexLockedError(f"Index {folder.name!r} is being written by {who}.", hint=hint)
