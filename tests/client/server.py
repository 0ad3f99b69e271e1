"""A real HTTP server for the client's tests: it says what a script says, and misbehaves as told."""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

GOOD = '{"name": "Snow", "score": 0.5}'


@dataclass(frozen=True)
class Act:
    """What the server does with a request."""

    content: str | None = GOOD
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    finish: str = "stop"
    tool: str | None = None
    refusal: str | None = None
    usage: bool = True
    error: str = "an error"
    raw: bytes | None = None
    delay: float = 0.0
    drop: bool = False


@dataclass(frozen=True)
class Call:
    """A request as the server saw it."""

    at: float
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    beside: int

    @property
    def messages(self) -> list[Any]:
        """The conversation."""
        return list(self.body["messages"])


Script = Callable[[int, Mapping[str, Any]], Act]


class Server:
    """Answers chat completions on a free loopback port; `calls` are those it got, in order."""

    def __init__(self, script: Script | Act | None = None) -> None:
        self.script: Script = script if callable(script) else (lambda _n, _body: script or Act())
        self.calls: list[Call] = []
        self._under_way = 0
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._http.block_on_close = False
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()

    def begin(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Act:
        """Note a request and decide on it."""
        with self._lock:
            self._under_way += 1
            self.calls.append(Call(time.monotonic(), path, headers, body, self._under_way))
            number = len(self.calls) - 1
        return self.script(number, body)

    def end(self) -> None:
        """Note that a request is over."""
        with self._lock:
            self._under_way -= 1


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            act = server.begin(self.path, dict(self.headers), body)
            try:
                time.sleep(act.delay)
            finally:
                server.end()
            self._write(act, body)

        def _write(self, act: Act, body: Mapping[str, Any]) -> None:
            data = act.raw if act.raw is not None else json.dumps(_completion(act, body)).encode()
            self.send_response(act.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data) + (100 if act.drop else 0)))
            for name, value in act.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)
            self.wfile.flush()
            if act.drop:
                reset = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

        def handle(self) -> None:
            try:
                super().handle()
            except (ConnectionError, TimeoutError):
                self.close_connection = True

        def finish(self) -> None:
            try:
                super().finish()
            except (ConnectionError, TimeoutError):
                self.close_connection = True

    return Handler


def _completion(act: Act, body: Mapping[str, Any]) -> dict[str, Any]:
    if act.status >= 400:
        return {"error": {"message": act.error, "type": "error", "code": None}}
    message: dict[str, Any] = {"role": "assistant", "content": act.content, "refusal": act.refusal}
    if act.tool is not None:
        call = {"id": "c1", "type": "function", "function": {"name": "answer", "arguments": act.tool}}
        message |= {"content": None, "tool_calls": [call]}
    made = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": act.finish, "message": message}],
    }
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return {**made, "usage": usage} if act.usage else made
