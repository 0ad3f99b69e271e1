"""How long indexing takes beside the time that its calls of a language model need.

    python -m benchmarks.language.latency CORPUS [--latency 200] [--concurrency 8 16] [--size 600] [--write]

The ideal is calls x latency / concurrency: an endpoint that is never idle. `own` is what the same takes
without calls: a second run finds every reply in the cache; the first stage that calls also has the time to
load the libraries for it. The ratio is (wall - own) / ideal. Where calls need the replies of others (reports
level by level), or are fewer than may run at once, part of the endpoint is idle whatever one does.
"""

import argparse
import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
HEAD = "| concurrency | stage | calls | ideal s | wall s | own s | ratio |\n|--:|---|--:|--:|--:|--:|--:|\n"
TITLE = """# Indexing beside a model that takes its time

`python -m benchmarks.language.latency CORPUS`: calls of 200 ms, chunks of 600 tokens, on two cores. The ideal
is calls x latency / concurrency; `own` is the same without calls, and the time to load the libraries for the
first. Where calls are as few as may run at once, or reports rest on others, part of the endpoint is idle.

"""
PATIENCE = 60.0


@dataclass(frozen=True)
class Stage:
    """A stage of a run, or a whole one. Times in seconds; `own` is what it takes without any call."""

    name: str
    calls: int
    ideal: float
    wall: float
    own: float

    @property
    def ratio(self) -> float:
        """Time spent on calls, by what it would be if the endpoint were never idle."""
        return (self.wall - self.own) / self.ideal if self.ideal else math.nan


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and keep the table if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--latency", type=float, default=200.0, help="milliseconds of each call")
    parser.add_argument("--concurrency", type=int, nargs="+", default=[8, 16])
    parser.add_argument("--size", type=int, default=600, help="tokens of a chunk, a sixth of them overlap")
    parser.add_argument("--port", type=int, default=8819)
    parser.add_argument("--write", action="store_true", help="keep the table in RESULTS.md")
    given = parser.parse_args(arguments)
    lines = []
    with server(given.port, given.latency):
        for concurrency in given.concurrency:
            for stage in measured(given, concurrency):
                lines.append(row(concurrency, stage))
                print(lines[-1], flush=True)
    if given.write:
        (HERE / "RESULTS.md").write_text(TITLE + HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def row(concurrency: int, stage: Stage) -> str:
    """Return a stage as a line of the table."""
    ratio = "" if math.isnan(stage.ratio) else f"{stage.ratio:.2f}"
    times = f"{stage.ideal:.2f} | {stage.wall:.2f} | {stage.own:.2f}"
    return f"| {concurrency} | {stage.name} | {stage.calls} | {times} | {ratio} |"


def measured(given: argparse.Namespace, concurrency: int) -> Iterator[Stage]:
    """Index from nothing, then from the response cache alone, and compare stage by stage."""
    with tempfile.TemporaryDirectory() as folder:
        command = prepared(Path(folder), given, concurrency)
        first, wall = indexed(command)
        shutil.rmtree(Path(folder) / "out" / "latency")
        second, own = indexed(command)
    calls = {stage["stage"]: stage["calls"] for stage in first["usage"]}
    mine = {stage["stage"]: stage["seconds"] for stage in second["stages"]}
    each = given.latency / 1000 / concurrency
    load = once = loading()
    for stage in first["stages"]:
        name, seconds = stage["stage"], stage["seconds"]
        if n := calls.get(name, 0):
            yield Stage(name, n, n * each, seconds, mine[name] + once)
            once = 0.0
    total = sum(calls.values())
    yield Stage("all", total, total * each, wall, own + load)


def loading() -> float:
    """Return the seconds that the libraries take to load which speak to an endpoint."""
    code = "import time; from corpusgraph.flows.llm import client; start = time.perf_counter(); "
    code += "from corpusgraph.flows.llm import wire; print(time.perf_counter() - start)"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def prepared(folder: Path, given: argparse.Namespace, concurrency: int) -> list[str]:
    """Write study and profile, and return the command that indexes."""
    study = {
        "study": "latency",
        "corpus": {"path": str(given.corpus.resolve())},
        "index": {"chunking": {"size": given.size, "overlap": given.size // 6}},
    }
    url = f"http://127.0.0.1:{given.port}/v1"
    profile = {"llm": {"model": "m", "base_url": url}, "limits": {"concurrency": concurrency}}
    for name, content in (("study.yml", study), ("profile.yml", profile)):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    made = [sys.executable, "-m", "corpusgraph.flows.cli.main", "index", str(folder / "study.yml")]
    return [*made, "--profile", str(folder / "profile.yml"), "--outputs", str(folder / "out"), "--json"]


def indexed(command: Sequence[str]) -> tuple[dict[str, Any], float]:
    """Run a command and return its report and its wall time."""
    start = time.perf_counter()
    done = subprocess.run([*command, "--quiet"], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout), time.perf_counter() - start


@contextmanager
def server(port: int, latency: float) -> Iterator[None]:
    """Start the model's server in a process of its own, and wait until it answers."""
    command = [sys.executable, "-m", "tests.faults.server", "--port", str(port)]
    running = subprocess.Popen(
        [*command, "--latency-ms", str(latency)], cwd=HERE.parents[1], stdout=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + PATIENCE
        while not answers(port) and time.monotonic() < deadline:
            time.sleep(0.1)
        yield
    finally:
        running.terminate()
        running.wait()


def answers(port: int) -> bool:
    """Tell whether the server is there."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/stats", timeout=1):
            return True
    except OSError:
        return False


if __name__ == "__main__":
    main()
