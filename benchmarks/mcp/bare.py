"""A client that does as little as HTTP allows, to see what the server itself takes."""

import http.client
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

VERSION = "2026-07-28"
NAME = "io.modelcontextprotocol/"
TICKS = os.sysconf("SC_CLK_TCK")


class Bare:
    """One connection that is kept; requests that stand alone."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(str(parts.hostname), parts.port or 80, timeout=300)
        self._path = parts.path

    def call(self, tool: str, arguments: dict[str, object]) -> Any:
        """Call a tool; return its result."""
        meta = {f"{NAME}protocolVersion": VERSION, f"{NAME}clientCapabilities": {}}
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        headers = {
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "mcp-protocol-version": VERSION,
            "mcp-method": "tools/call",
            "mcp-name": tool,
        }
        self._connection.request("POST", self._path, body, headers)
        result = json.loads(self._connection.getresponse().read())["result"]
        if result.get("isError"):
            raise RuntimeError(str(result["content"]))
        return result


def worked(process: int) -> float:
    """Return the CPU seconds that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def children() -> list[int]:
    """Return the processes that this one has started and that run."""
    return [int(one) for one in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
