"""A model's HTTP endpoint for the real package: vectors of hashed words, and answers in the form that is asked for."""

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

SIZE = 32
"""Numbers of a vector."""
SAID = {
    "rating": 5,
    "reason": "it tells of it",
    "points": [{"description": "Water carried it [Data: Reports (0)]", "score": 90}],
    "intermediate_answer": "# Water",
    "response": "Water carried it.",
    "score": 90,
    "follow_up_queries": ["Who wrote of the water?"],
}
"""What steps of a search look for: a rating, points of a map step, DRIFT's primer and its actions."""


def answer(asked: dict[str, Any]) -> str:
    """Return those of the members that the schema of a call names, where it has one."""
    schema = (asked.get("response_format") or {}).get("json_schema", {}).get("schema", {})
    return json.dumps({key: SAID[key] for key in schema.get("properties", SAID)})


def vector(text: str) -> list[float]:
    """Return how many words of a text fall into each place, with one that is never nought."""
    counts = [0.01] * SIZE
    for word in text.casefold().split():
        counts[zlib.crc32(word.strip(".,:;").encode()) % SIZE] += 1.0
    return counts


class _Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/embeddings"):
            texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
            rows = [
                {"object": "embedding", "index": i, "embedding": vector(str(t))} for i, t in enumerate(texts)
            ]
            self._send({"object": "list", "model": "m", "data": rows, "usage": _used()})
        elif asked.get("stream"):
            self._stream()
        else:
            message = {"role": "assistant", "content": answer(asked)}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            self._send(_completion("chat.completion", choice))

    def _stream(self) -> None:
        first = {
            "index": 0,
            "delta": {"role": "assistant", "content": json.dumps(SAID)},
            "finish_reason": None,
        }
        last: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": "stop"}
        parts = [json.dumps(_completion("chat.completion.chunk", one)) for one in (first, last)]
        self._write("text/event-stream", "".join(f"data: {part}\n\n" for part in (*parts, "[DONE]")).encode())

    def _send(self, value: dict[str, Any]) -> None:
        self._write("application/json", json.dumps(value).encode())

    def _write(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


def _used() -> dict[str, int]:
    return {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def _completion(kind: str, choice: dict[str, Any]) -> dict[str, Any]:
    return {"id": "c", "object": kind, "created": 1, "model": "m", "choices": [choice], "usage": _used()}


@contextmanager
def endpoint() -> Iterator[str]:
    """Serve on a free port of this machine while the block runs; yield the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answering) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()
