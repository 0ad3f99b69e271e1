"""Time indexing from nothing, an unchanged re-run, and one changed document, at 1, 5 and 25 times a corpus.

    python benchmarks/pipeline/run.py CORPUS [--times 1 5 25] [--write]

Every measurement is a process of its own, so that peak memory is that of the run alone. Copies of a document
differ in name and in the year they mention, so none is found in the cache by accident.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

RUN = """
import json, resource, sys, time
from pathlib import Path
began, cpu = time.perf_counter(), time.process_time()
import corpusgraph
report = corpusgraph.index(sys.argv[1], name="bench", outputs=Path(sys.argv[2]))
told = report.model_dump(mode="json")
told["wall"] = time.perf_counter() - began
told["cpu"] = time.process_time() - cpu
told["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(told))
"""


def copies(corpus: Path, into: Path, times: int) -> float:
    """Write the corpus's texts several times over; return their size in MB."""
    into.mkdir()
    for path in sorted(corpus.glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        for n in range(times):
            (into / f"{path.stem}-{n:02}.txt").write_text(
                re.sub(r"\b178\d\b", str(1700 + n), text), encoding="utf-8"
            )
    return sum(p.stat().st_size for p in into.iterdir()) / 1e6


def measure(corpus: Path, outputs: Path) -> dict[str, Any]:
    """Index in a process of its own."""
    command = [sys.executable, "-c", RUN, str(corpus), str(outputs)]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def row(what: str, mb: float, told: dict[str, Any]) -> str:
    """Return a line of the table."""
    counts = told["counts"]
    extract = next((s["seconds"] for s in told["stages"] if s["stage"] == "extract"), 0.0)
    speed = f"{mb / extract:.2f}" if told["n_extracted"] > 1 else ""
    run = (
        f"{told['n_extracted']:,} | {told['wall']:.2f} | {told['cpu']:.2f} | {told['peak_mb']:.0f} | {speed}"
    )
    graph = f"{counts['entities']:,} | {counts['relationships']:,}"
    return f"| {what} | {counts['documents']:,} | {mb:.1f} | {run} | {graph} |"


HEAD = (
    "| run | documents | MB | extracted | wall s | CPU s | peak MB | extract MB/s | entities | relations |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def main() -> None:
    """Measure and print the table; `--write` keeps it in RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--times", type=int, nargs="+", default=[1, 5, 25])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    lines = [HEAD]
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for times in given.times:
            folder, outputs = Path(scratch, f"x{times}"), Path(scratch, f"out{times}")
            mb = copies(given.corpus, folder, times)
            lines.append(row(f"{times}x, from nothing", mb, measure(folder, outputs)))
            print(lines[-1], flush=True)
            lines.append(row(f"{times}x, unchanged", mb, measure(folder, outputs)))
            print(lines[-1], flush=True)
            first = min(folder.iterdir())
            first.write_text(first.read_text(encoding="utf-8") + "\nOne line more.\n", encoding="utf-8")
            lines.append(row(f"{times}x, one document changed", mb, measure(folder, outputs)))
            print(lines[-1], flush=True)
    if given.write:
        note = f"Made by `python benchmarks/pipeline/run.py` on {os.cpu_count()} cores, one worker.\n\n"
        Path(__file__).with_name("RESULTS.md").write_text(note + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
