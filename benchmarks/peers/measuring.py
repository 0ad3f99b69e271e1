"""The model's server in a process of its own, and what another process uses, as the kernel counts it."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.faults.server import listening

ROOT = Path(__file__).resolve().parents[2]


class Model:
    """The model's server, in a process of its own."""

    def __init__(self, latency: float) -> None:
        with listening(0) as sock:
            self.port: int = sock.getsockname()[1]
        command = [sys.executable, "-m", "benchmarks.peers.server", "--port", str(self.port)]
        self._process = subprocess.Popen([*command, "--latency-ms", str(latency)], cwd=ROOT)
        self._wait()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/v1"

    def _wait(self) -> None:
        for _ in range(200):
            try:
                self.get("/stats")
            except OSError:
                time.sleep(0.05)
            else:
                return
        sys.exit("the model's server did not start")

    def get(self, path: str) -> dict[str, Any]:
        """Ask the server about itself."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as reply:
            told: dict[str, Any] = json.load(reply)
        return told

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(10)


@contextmanager
def model(latency: float) -> Iterator[Model]:
    """Run the model's server for a while."""
    server = Model(latency)
    try:
        yield server
    finally:
        server.stop()


def since(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was counted between two moments."""
    made = {kind: n - before["calls"].get(kind, 0) for kind, n in after["calls"].items()}
    counts = {name: after[name] - before[name] for name in ("n_calls", "n_repeated")}
    return {"calls": {kind: n for kind, n in made.items() if n}, **counts}


def environment(home: Path) -> dict[str, str]:
    """Return what a system is started with: nothing may be downloaded, and two threads do."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {
        "TIKTOKEN_CACHE_DIR": str(home / "tiktoken_cache"),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "OPENAI_API_KEY": "none",
        "OMP_NUM_THREADS": "2",
        "NO_PROXY": "127.0.0.1",
    }


def measure(made: list[str], home: Path, log: Path, limit: float) -> tuple[float, float, float, int]:
    """Run a command; return CPU seconds, wall seconds, peak MB and exit status, -9 if it was too long."""
    began = time.perf_counter()
    with log.open("ab") as out:
        process = subprocess.Popen(made, stdout=out, stderr=out, env=environment(home), cwd=log.parent)
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.perf_counter() - began > limit:
                process.kill()
            time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - began
    return used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, process.returncode
