"""Where Qdrant is, and one client for each place in a process."""

import atexit
import math
import os
import pickle
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, RLock
from typing import Any
from urllib.parse import urlsplit

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.settings import Settings

API_KEY = "CORPUSGRAPH_QDRANT_API_KEY"  # the name of the variable; the key itself is kept nowhere
_clients: "dict[Place, Any]" = {}
_making = Lock()
_locks: "Mapping[Place, RLock]" = defaultdict(RLock)


@dataclass(frozen=True)
class Place:
    """A Qdrant server or, with `path`, a folder; `timeout` in seconds."""

    url: str | None
    path: Path | None
    prefix: str
    timeout: float

    @property
    def shown(self) -> str:
        """Return address or folder without what could be a password."""
        if self.path is not None:
            return str(self.path)
        parts = urlsplit(str(self.url))
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def place_in(chosen: Settings) -> Place | None:
    """Return where Qdrant is by the settings; None where it is not chosen."""
    if chosen.vectors != "qdrant":
        return None
    if (chosen.qdrant_url is None) == (chosen.qdrant_path is None):
        raise InvalidInputError(
            "CORPUSGRAPH_VECTORS is qdrant; set CORPUSGRAPH_QDRANT_URL or CORPUSGRAPH_QDRANT_PATH as well.",
            hint="A server has an address such as http://127.0.0.1:6333; without one, name a folder.",
        )
    url = chosen.qdrant_url
    if url is not None and (urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname):
        raise InvalidInputError(f"{url!r} is no address of a server.", hint="Such as http://127.0.0.1:6333.")
    path = None if chosen.qdrant_path is None else chosen.qdrant_path.expanduser().resolve()
    return Place(url, path, chosen.qdrant_prefix, chosen.qdrant_timeout)


def client_of(place: Place) -> Any:
    """Return the client of a place; a folder can be open in one process only."""
    from qdrant_client import QdrantClient

    with _making:
        if place not in _clients:
            if place.path is not None:
                place.path.parent.mkdir(parents=True, exist_ok=True)
                made = QdrantClient(path=str(place.path), force_disable_check_same_thread=True)
            else:
                made = QdrantClient(
                    url=place.url,
                    api_key=os.environ.get(API_KEY),
                    timeout=math.ceil(place.timeout),
                    prefer_grpc=False,
                    check_compatibility=False,
                )
            if not _clients:
                atexit.register(close_all)  # a client that is not closed complains when the interpreter goes
            _clients[place] = made
        return _clients[place]


def lock_of(place: Place) -> AbstractContextManager[Any]:
    """Return what lets one thread at a time use a folder; a server looks after itself."""
    return _locks[place] if place.path is not None else nullcontext()


def close_all() -> None:
    """Close every client: folders can be opened by other processes again."""
    with _making:
        for client in _clients.values():
            client.close()
        _clients.clear()


def failures() -> tuple[type[Exception], ...]:
    """Return what a Qdrant that does not answer, or answers nonsense, raises."""
    from qdrant_client.http.exceptions import ApiException

    # A folder: locked by another process (RuntimeError), not writable, or not what the client wrote.
    folder = (RuntimeError, OSError, sqlite3.Error, pickle.UnpicklingError, EOFError, ValueError)
    # A server: an answer without what the client takes for granted.
    nonsense = (AssertionError, AttributeError, KeyError, TypeError)
    return (ApiException, *folder, *nonsense)
