"""A small HTTP server that speaks as much of Qdrant's protocol as is used, and can misbehave."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from qdrant_client import QdrantClient
from qdrant_client.models import PointStruct, VectorParams


class FakeQdrant(ThreadingHTTPServer):
    """Answers from a client's memory. `how`: ok, 500, hang, nonsense, empty, or a key that must be sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.how = "ok"
        self.store = QdrantClient(":memory:")
        self.asked: list[str] = []
        self.keys: set[str | None] = set()
        self.freed = threading.Event()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: FakeQdrant

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""

    def _answer(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or b"null")
        path = self.path.partition("?")[0]
        self.server.asked.append(f"{self.command} {path}")
        self.server.keys.add(self.headers.get("api-key"))
        how = self.server.how
        if how == "hang":
            self.server.freed.wait(30)
            return
        if how in {"500", "401"}:
            self._send(int(how), b'{"status": {"error": "no"}}')
        elif how == "nonsense":
            self._send(200, b"<html>a proxy's page</html>")
        elif how == "empty":
            self._send(200, b'{"result": null, "status": "ok", "time": 0}')
        else:
            with self.server.lock:
                status, result = _result(self.server.store, self.command, path, body)
            self._send(status, json.dumps({"result": result, "status": "ok", "time": 0.0}).encode())

    do_GET = do_PUT = do_POST = do_DELETE = _answer  # noqa: N815 - names of the standard library

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _result(  # noqa: PLR0911 - a route each
    store: QdrantClient, method: str, path: str, body: Any
) -> tuple[int, Any]:
    parts = path.strip("/").split("/")
    if parts == ["collections"]:
        return 200, {"collections": [{"name": c.name} for c in store.get_collections().collections]}
    name, rest = parts[1], "/".join(parts[2:])
    there = store.collection_exists(name)
    if rest == "exists":
        return 200, {"exists": there}
    if method == "PUT" and not rest:
        if there:
            return 409, None
        return 200, store.create_collection(name, vectors_config=VectorParams(**body["vectors"]))
    if not there:
        return 404, None
    if method == "DELETE":
        return 200, store.delete_collection(name)
    if rest == "points/count":
        return 200, {"count": store.count(name).count}
    if rest == "points":
        store.upsert(name, points=[PointStruct(**point) for point in body["points"]])
        return 200, {"operation_id": 0, "status": "completed"}
    asked, told = body["query"]["nearest"], body["with_payload"]
    found = store.query_points(name, query=asked, limit=body["limit"], with_payload=told)
    return 200, {"points": [p.model_dump(mode="json") | {"version": 0} for p in found.points]}


@contextmanager
def fake_qdrant() -> Iterator[FakeQdrant]:
    server = FakeQdrant()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.freed.set()
        server.shutdown()
        thread.join()
        server.server_close()
        server.store.close()
