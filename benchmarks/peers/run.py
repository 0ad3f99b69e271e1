"""Index one corpus with corpusgraph and its peers side by side, and print one table.

    python -m benchmarks.peers.run CORPUS --home FOLDER [--only NAME ...] [--latency 0 200] [--write]

Each system indexes all texts but the last from nothing, then the same again, then with the last one added,
after a first run on one text that is not counted.
Every measurement is a process of its own: CPU seconds (user and system) and peak memory are those of the
process and its children as the kernel counts them; calls are counted by the model's server.
"""

import argparse
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers.drive import OVERLAP, SIZE
from benchmarks.peers.install import PINS, home_of, python_of
from benchmarks.peers.measuring import measure, model, since

HERE = Path(__file__).resolve().parent
OURS = "corpusgraph"
RUNS = ("fresh", "unchanged", "one added")
HEAD = (
    "| system | latency ms | run | CPU s | wall s | peak MB | calls | repeated | by kind | CPU ratio |\n"
    "|---|--:|---|--:|--:|--:|--:|--:|---|--:|"
)


@dataclass(frozen=True)
class Measured:
    """One run of one system. Times in seconds, memory in MB."""

    system: str
    latency: float
    run: str
    cpu: float
    wall: float
    peak: float
    status: int
    stats: Mapping[str, Any]

    def row(self, fastest: float | None) -> str:
        """Return a line of the table; the last column compares with the fastest peer in the same run."""
        kinds = ", ".join(f"{kind} {n}" for kind, n in sorted(self.stats["calls"].items()))
        ratio = f"{self.cpu / fastest:.2f}" if fastest else ""
        done = self.run if not self.status else f"{self.run} (failed, {self.status})"
        figures = f"{self.cpu:.1f} | {self.wall:.1f} | {self.peak:.0f} | {self.stats['n_calls']:,}"
        repeated = f"{self.stats['n_repeated']:,}"
        return f"| {self.system} | {self.latency:.0f} | {done} | {figures} | {repeated} | {kinds} | {ratio} |"


def command(
    system: str, home: Path, work: Path, docs: Path, url: str, given: argparse.Namespace, run: str
) -> list[str]:
    """Return the command line that indexes a folder."""
    if system != OURS:
        python = str(python_of(home, system))
        made = [
            python,
            str(HERE / "drive.py"),
            system,
            "--work",
            str(work),
            "--docs",
            str(docs),
            "--url",
            url,
        ]
        made += ["--concurrency", str(given.concurrency)]
        flags = (("--update", run == RUNS[2]), ("--tracemalloc", given.tracemalloc))
        return made + [flag for flag, on in flags if on]
    study, profile = work.parent / "study.yml", work.parent / "profile.yml"
    chunking = {"size": SIZE, "overlap": OVERLAP}
    told = {"study": "peers", "corpus": {"path": str(docs)}, "index": {"chunking": chunking}}
    study.write_text(json.dumps(told), encoding="utf-8")  # JSON is YAML
    llm = {"model": "test", "base_url": url, "provider": "compatible"}
    limits = {"concurrency": given.concurrency}
    profile.write_text(json.dumps({"profile": "bench", "llm": llm, "limits": limits}), encoding="utf-8")
    main = [sys.executable, "-m", "corpusgraph.flows.cli.main", "index", str(study)]
    return [*main, "--profile", str(profile), "--outputs", str(work), "--engine", "inline", "--quiet"]


def benchmark(
    system: str, latency: float, texts: Sequence[Path], home: Path, given: argparse.Namespace
) -> Iterator[Measured]:
    """Measure the three runs of one system; the last text is the one that is added."""
    place = home / "runs" / f"{system}-{latency:.0f}"
    shutil.rmtree(place, ignore_errors=True)
    docs, work = place / "docs", place / "work"
    docs.mkdir(parents=True)
    work.mkdir()
    for path in texts[:-1]:
        shutil.copy(path, docs)
    with model(latency) as server:
        for run in RUNS:
            if run == RUNS[2]:
                shutil.copy(texts[-1], docs)
            made = command(system, home, work, docs, server.url, given, run)
            before = server.get("/stats")
            used = measure(made, home, place / f"{run.replace(' ', '-')}.log", given.limit)
            after = since(before, server.get("/stats"))
            yield Measured(system, latency, run, used[0], used[1], used[2], used[3], after)


def repeated(
    system: str, latency: float, texts: Sequence[Path], home: Path, given: argparse.Namespace
) -> list[Measured]:
    """Measure several times, and keep of each run the one of least CPU: others were disturbed."""
    every = [list(benchmark(system, latency, texts, home, given)) for _ in range(given.repeat)]
    return [min(same, key=lambda one: one.cpu) for same in zip(*every, strict=True)]


def table(measured: list[Measured]) -> str:
    """Return the table, each run compared with the fastest peer that finished it."""
    lines = [HEAD]
    for one in measured:
        same = [
            other.cpu
            for other in measured
            if (other.latency, other.run) == (one.latency, one.run)
            and other.system != OURS
            and not other.status
        ]
        lines.append(one.row(min(same, default=None)))
    return "\n".join(lines) + "\n"


def versions(home: Path) -> str:
    """Name what was measured."""
    pinned = [re.sub(r"[<=>].*", "", pins[0]) + " " + pins[0].rpartition("=")[2] for pins in PINS.values()]
    cores = f"{os.cpu_count()} cores"
    return f"{', '.join(pinned)}; Python {sys.version.split()[0]}, {cores}." if home.exists() else cores


def main() -> None:
    """Measure and print the table; `--write` keeps it in RESULTS.md."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--home", help="scratch folder with the peers; default: $PEERS_HOME")
    parser.add_argument("--only", nargs="+", choices=[OURS, *PINS], default=[OURS, *PINS])
    parser.add_argument("--latency", type=float, nargs="+", default=[0.0, 200.0], help="milliseconds")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--repeat", type=int, default=1, help="measure so many times, keep the least CPU")
    parser.add_argument("--limit", type=float, default=480.0, help="seconds of one run")
    parser.add_argument("--tracemalloc", action="store_true", help="leave graphrag's tracing on, as it comes")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    home, measured = home_of(given.home), list[Measured]()
    texts = sorted(given.corpus.glob("*.txt"))
    if len(texts) < 2:
        parser.error(f"{given.corpus} has fewer than two .txt files")
    for system in given.only:
        next(benchmark(system, 0.0, texts[:2], home, given))  # reads its libraries from the disk
    for latency in given.latency:
        for system in given.only:
            measured += repeated(system, latency, texts, home, given)
            print(measured[-len(RUNS)].row(None), file=sys.stderr, flush=True)
    made = table(measured)
    print(made)
    if given.write:
        note = f"Made by `python -m benchmarks.peers.run`: {versions(home)}\n\n"
        (HERE / "RESULTS.md").write_text(note + made, encoding="utf-8")


if __name__ == "__main__":
    main()
