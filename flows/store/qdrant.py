"""Qdrant as what answers searches by vector: a server, or a folder without one. An optional extra.

`pip install 'corpusgraph[qdrant]'` brings the client; CORPUSGRAPH_VECTORS=qdrant chooses it, with
CORPUSGRAPH_QDRANT_URL (and CORPUSGRAPH_QDRANT_API_KEY) or CORPUSGRAPH_QDRANT_PATH. The index's own files stay
complete: a generation's vectors are copied to a collection of their own when they are first searched.
"""

import atexit
import math
import os
import pickle
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, RLock
from typing import Any, TypeVar
from urllib.parse import urlsplit

from corpusgraph.flows.files.manifest import Manifest
from corpusgraph.flows.store.vectors import SPARE, Hits, LanceVectors, best_hits
from corpusgraph.schemas.errors import InvalidInputError, VectorsUnreachableError
from corpusgraph.schemas.ports import Floats, VectorStatus
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
    """Return where Qdrant is by the settings; None where it is not chosen.

    Parameters
    ----------
    chosen : Settings
        Of the environment or a profile.

    Returns
    -------
    Place or None
        A server or a folder, with the prefix of collections and the seconds to wait.

    Raises
    ------
    InvalidInputError
        For neither or both of server and folder, and for an address that is none.

    """
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
    """Return the client of a place; a folder can be open in one process only.

    Parameters
    ----------
    place : Place
        As `place_in` returns it.

    Returns
    -------
    Any
        Of qdrant_client, one for each place until `close_all`.

    """
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


def close_all() -> None:
    """Close every client: folders can be opened by other processes again."""
    with _making:
        for client in _clients.values():
            client.close()
        _clients.clear()


def failures() -> tuple[type[Exception], ...]:
    """Return what a Qdrant that does not answer, or answers nonsense, raises.

    Returns
    -------
    tuple of type of Exception
        For an `except` clause.

    """
    from qdrant_client.http.exceptions import ApiException

    # A folder: locked by another process (RuntimeError), not writable, or not what the client wrote.
    folder = (RuntimeError, OSError, sqlite3.Error, pickle.UnpicklingError, EOFError, ValueError)
    # A server: an answer without what the client takes for granted.
    nonsense = (AssertionError, AttributeError, KeyError, TypeError)
    return (ApiException, *folder, *nonsense)


T = TypeVar("T")
RETRY = 15.0
"""Seconds for which a Qdrant that did not answer is not asked again: each question would wait for it."""
BATCH = 256
"""Vectors sent at a time."""
LONGEST = 200
"""Letters of a reason that are told."""
_INSTALL = "pip install 'corpusgraph[qdrant]'."

_down: dict[Place, tuple[float, str]] = {}
_complete: set[tuple[Place, str]] = set()


class QdrantVectors(LanceVectors):
    """The vectors of one generation in Qdrant, with the same ids and scores as its own files give.

    A search that Qdrant does not answer raises VectorsUnreachableError; full-text search is the index's own.
    """

    def __init__(self, folder: Path, manifest: Manifest, matrix_rows: int, place: Place) -> None:
        super().__init__(folder, manifest, matrix_rows)
        self._place = place

    def nearest(self, kind: str, vector: Floats, top_k: int) -> Hits:
        """Return (id, cosine similarity), best first, ties by id.

        Raises
        ------
        VectorsUnreachableError
            Where Qdrant does not answer.

        """
        rows, unit = self.asked(kind, vector)
        if rows == 0 or top_k <= 0 or not unit.any():
            return super().nearest(kind, vector, top_k)  # nothing to compare
        return self._reached(lambda client: self._searched(client, kind, unit, top_k))

    def status(self) -> VectorStatus:
        """Ask Qdrant whether it is there.

        Returns
        -------
        VectorStatus
            With the reason where it does not answer; this raises nothing.

        """
        installed = find_spec("qdrant_client") is not None
        told = {"backend": "qdrant", "available": installed, "connected": True, "where": self._place.shown}
        try:
            self._reached(lambda client: client.get_collections())
        except VectorsUnreachableError as error:
            told |= {"connected": False, "problem": error.message}
        return VectorStatus.model_validate(told)

    def push(self, kind: str) -> str:
        """Copy the vectors of a kind to Qdrant unless they are there, and return the collection's name.

        Parameters
        ----------
        kind : str
            entity, relationship, chunk or report.

        Returns
        -------
        str
            See `collection`.

        Raises
        ------
        VectorsUnreachableError
            Where Qdrant does not answer.

        """
        return self._reached(lambda client: self._pushed(client, kind))

    def collection(self, kind: str) -> str:
        """Return the name of the collection: prefix, index, serial and id of the generation, kind.

        Parameters
        ----------
        kind : str
            entity, relationship, chunk or report.

        Returns
        -------
        str
            Another for each generation, so that readers of an older one are not disturbed.

        """
        made = self._manifest
        return f"{self._place.prefix}.{made.index}.{made.serial}.{made.generation}.{kind}"

    def _searched(self, client: Any, kind: str, unit: Floats, top_k: int) -> Hits:
        from qdrant_client.models import SearchParams

        is_exact = SearchParams(exact=self.is_exact(kind)) if self._place.path is None else None
        name = self._pushed(client, kind)
        total, limit = self.count(kind), top_k + SPARE
        while True:
            try:
                points = client.query_points(  # a folder compares all
                    name,
                    query=unit.tolist(),
                    limit=min(limit, total),
                    with_payload=["id"],
                    search_params=is_exact,
                ).points
            except failures() as error:
                if getattr(error, "status_code", None) != 404 or (self._place, name) not in _complete:
                    raise
                _complete.discard((self._place, name))  # somebody removed it: copy again
                name = self._pushed(client, kind)
                continue
            hits = best_hits(((point.payload["id"], point.score) for point in points), top_k)
            is_all = limit >= total or len(points) < limit or len(hits) < top_k
            if is_all or hits[-1][1] > round(points[-1].score, 6):
                return hits
            limit *= 8  # ties reach beyond what was asked for

    def _pushed(self, client: Any, kind: str) -> str:
        """Copy the vectors of a kind unless as many are there; a copy that was cut short is made again."""
        from qdrant_client.models import Distance, VectorParams

        name = self.collection(kind)
        if (self._place, name) in _complete:
            return name
        if not client.collection_exists(name):  # unit vectors, whose inner product is their cosine
            dimension = self._manifest.embedder.dimension if self._manifest.embedder else 1
            try:
                client.create_collection(name, VectorParams(size=dimension, distance=Distance.DOT))
            except failures():
                if not client.collection_exists(name):  # else another process was quicker
                    raise
        if client.count(name, exact=True).count != self.count(kind):
            ids, rows = self.matrix(kind)
            payload = [{"id": id_} for id_ in ids]
            client.upload_collection(name, rows, payload, range(len(ids)), BATCH, max_retries=1, wait=True)
            self._remove_older(client, kind)
        _complete.add((self._place, name))
        return name

    def _remove_older(self, client: Any, kind: str) -> None:
        """Remove the collections of generations before the previous one, whose files are gone as well."""
        before = f"{self._place.prefix}.{self._manifest.index}."
        for held in client.get_collections().collections:
            serial, _, rest = held.name.removeprefix(before).partition(".")
            ours = held.name.startswith(before) and serial.isdecimal() and rest.startswith("gen_")
            if ours and rest.endswith(f".{kind}") and int(serial) < self._manifest.serial - 1:
                client.delete_collection(held.name)

    def _reached(self, ask: Callable[[Any], T]) -> T:
        """Ask Qdrant; what keeps it from answering is VectorsUnreachableError, also for some time after."""
        since, why = _down.get(self._place, (-math.inf, ""))
        if time.monotonic() - since < RETRY:
            raise self._unreachable(why)
        if find_spec("qdrant_client") is None:
            raise self._unreachable("its client is not installed", hint=_INSTALL)
        try:
            # one thread at a time uses a folder; a server looks after itself
            with _locks[self._place] if self._place.path is not None else nullcontext():
                found = ask(client_of(self._place))
        except failures() as error:
            why = _reason(error)
            _down[self._place] = time.monotonic(), why
            raise self._unreachable(why) from error
        _down.pop(self._place, None)
        return found

    def _unreachable(self, why: str, hint: str | None = None) -> VectorsUnreachableError:
        message = f"Qdrant at {self._place.shown} does not answer: {why}."
        return VectorsUnreachableError(message, hint=hint or "Start it, or set CORPUSGRAPH_VECTORS=lance.")


def _reason(error: BaseException) -> str:
    """Say in a line why there is no answer."""
    source = getattr(error, "source", None) or error
    status = getattr(error, "status_code", None)
    if status is not None:
        return f"it answers {status} {getattr(error, 'reason_phrase', '')}".strip()
    told = str(source).strip().partition("\n")[0].rstrip(".")
    if len(told) > LONGEST:  # a path may stand before what matters
        told = f"{told[: LONGEST // 2]} … {told[-LONGEST // 2 :]}"
    return told or type(source).__name__


def forget() -> None:
    """Ask again at once, and look again what is there."""
    _down.clear()
    _complete.clear()
