"""A real server in a process of its own, and a bare socket to speak to it as no client library would."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

TOKEN = "t0ken-of-the-tests_0123456789"  # noqa: S105
COMMAND = [sys.executable, "-m", "corpusgraph.flows.cli.main", "serve"]
PATIENCE = 120.0
"""Seconds to wait for a busy machine."""


@dataclass(frozen=True)
class Live:
    """A server that runs: where it listens, its process, what it wrote to stderr so far."""

    url: str
    port: int
    process: "subprocess.Popen[str]"
    said: list[str]

    def end(self, how: int = signal.SIGTERM) -> int:
        """Tell it to end; return its exit code."""
        self.process.send_signal(how)
        return self.process.wait(PATIENCE)


def environment(token: str | None = None) -> dict[str, str]:
    """Return the environment of a server: without settings of the person who runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CORPUSGRAPH_")}
    return kept if token is None else {**kept, "CORPUSGRAPH_TOKEN": token}


@contextmanager
def live(outputs: Path, *options: str, token: str | None = TOKEN, cwd: Path | None = None) -> Iterator[Live]:
    """Start `corpusgraph serve --transport http` on a free port; end it."""
    command = [*COMMAND, "--transport", "http", "--port", "0", "--outputs", str(outputs), *options]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(token), cwd=cwd
    )
    assert process.stderr is not None
    assert process.stdout is not None
    said: list[str] = []
    reader = Thread(target=said.extend, args=(process.stderr,), daemon=True)
    try:
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"http://\S+:(\d+)/mcp", line):
                break
        else:
            raise AssertionError(f"the server did not start: {''.join(said)}")
        reader.start()
        yield Live(found[0], int(found[1]), process, said)
    finally:
        with suppress(subprocess.TimeoutExpired):
            process.terminate()
            process.wait(30)
        process.kill()
        process.wait(PATIENCE)
        if reader.ident is not None:
            reader.join(PATIENCE)
        process.stderr.close()
        process.stdout.close()


def head(method: str = "POST", *lines: str, token: str | None = TOKEN, host: str = "127.0.0.1") -> bytes:
    """Return the head of a request."""
    bearer = [f"Authorization: Bearer {token}"] if token else []
    accept = "Accept: application/json, text/event-stream"
    own = [f"{method} /mcp HTTP/1.1", f"Host: {host}", accept, "Content-Type: application/json"]
    return "\r\n".join([*own, *bearer, *lines, "", ""]).encode("latin-1")


@contextmanager
def connection(server: Live, seconds: float = PATIENCE) -> Iterator[socket.socket]:
    """Open a bare connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as sock:
        yield sock


def reply(sock: socket.socket) -> bytes:
    """Return what is sent until the head is whole, or the connection ends; a reset is an end."""
    got = b""
    with suppress(ConnectionError):
        while b"\r\n\r\n" not in got and (more := sock.recv(65536)):
            got += more
    return got


def status(sock: socket.socket) -> int | None:
    """Return the status of the reply, or None where the connection was closed without one."""
    got = reply(sock)
    return int(got.split(b" ", 2)[1]) if got.startswith(b"HTTP/") else None


def exchange(server: Live, *parts: bytes) -> int | None:
    """Send bytes on a connection of their own; return the status of the reply, or None."""
    with connection(server) as sock:
        with suppress(ConnectionError):
            for part in parts:
                sock.sendall(part)
        return status(sock)


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Return every file below a folder with its size and time of change."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}
