"""Time tool 26 and its bundle on a large event log.

    python -m benchmarks.process.run [--events 1000000] [--peer PYTHON] [--write]

The log is drawn with a fixed seed: cases of about ten events, twelve activities, exact seconds, days, months
and years among the dates, one event in five with an end, actors and places. `--peer` names a Python with
pm4py or r4pm in it, which then reads the files; it never runs in ours. CPU is the process's own time.
"""

import argparse
import json
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from corpusgraph.tasks.analysis.process.models import PrepareProcessTrace
from corpusgraph.tasks.analysis.process.timestamps import SECOND, iso, midnight
from corpusgraph.tasks.export.files import Files, file_facts
from corpusgraph.tasks.export.process.bundle import process_bundle, sheets, states, trace_json
from corpusgraph.tasks.export.process.event_logs import by_objects, ocel, xes
from corpusgraph.tasks.tools.prepare import prepare_process_trace

T = TypeVar("T")
ACTIVITIES = [f"activity {letter}" for letter in "abcdefghijkl"]
CUTS = (20, 20, 20, 20, 20, 20, 20, 10, 7, 4)
"""Characters of a timestamp that are kept: seconds, days, months, years."""
MACHINE = f"{platform.machine()}, one process; others were busy on the machine, so that CPU time counts."
PEER = """
import sys, time, json, warnings
warnings.simplefilter("ignore")
import r4pm
began = time.perf_counter()
item = r4pm.import_item("EventLog" if sys.argv[1].endswith("xes") else "OCEL", sys.argv[1])
print(json.dumps(time.perf_counter() - began))
"""


def draw(n: int) -> list[dict[str, Any]]:
    """Return plain records, shuffled so that nothing is in order."""
    pick = random.Random(26)  # noqa: S311 - figures, not secrets
    first, records = midnight(1850), []
    for number in range(n):
        at = first + pick.randrange(50 * 365 * 86_400) * SECOND
        record = {
            "id": f"e{number}",
            "case": f"case {pick.randrange(n // 10 + 1)}",
            "activity": pick.choice(ACTIVITIES),
            "timestamp": iso(at)[: pick.choice(CUTS)],
            "actors": [f"person {pick.randrange(1000)}"],
            "places": [f"place {pick.randrange(100)}"],
        }
        if number % 5 == 0:
            record["end"] = iso(at + 400 * 86_400 * SECOND)
        records.append(record)
    return records


class Clock:
    """Seconds of wall and of CPU for each step, and the most memory so far."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, float, float, float]] = []

    def __call__(self, name: str, step: Callable[[], T]) -> T:
        wall, cpu = time.perf_counter(), time.process_time()
        done = step()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
        self.rows.append((name, time.perf_counter() - wall, time.process_time() - cpu, peak))
        print(f"{name:40} {self.rows[-1][1]:7.1f} {self.rows[-1][2]:7.1f} s {peak:5.1f} GB", file=sys.stderr)
        return done

    def total(self, name: str, steps: tuple[str, ...]) -> None:
        """Add the sum of some steps."""
        some = [row for row in self.rows if row[0] in steps]
        self.rows.append((name, sum(r[1] for r in some), sum(r[2] for r in some), max(r[3] for r in some)))


def measure(n: int, peer: str | None) -> tuple[Clock, Files]:
    """Run the steps one after the other, then the bundle as a whole; each input is let go when it is read."""
    clock, given = Clock(), [draw(n)]
    asked = [
        clock("records to typed input", lambda: PrepareProcessTrace.model_validate({"events": given.pop()}))
    ]
    noted = clock("prepare_process_trace", lambda: prepare_process_trace(asked.pop()))
    trace = noted.data
    clock("log.xes", lambda: len(xes(trace, "log")))
    clock("log.ocel.json and .xml", lambda: sum(map(len, ocel(by_objects(trace)))))
    clock("CSV tables", lambda: [len(one.content()) for one in [*sheets(trace), *states(trace)[0]]])
    clock("trace.json", lambda: len(trace_json(trace)))
    files = clock("the whole bundle", lambda: process_bundle(trace, noted.warnings))
    clock.total("records to bundle", ("records to typed input", "prepare_process_trace", "the whole bundle"))
    if peer:
        _read_by(peer, files, clock)
    return clock, files


def _read_by(peer: str, files: Files, clock: Clock) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("log.xes", "log.ocel.json", "log.ocel.xml"):
            path = Path(folder) / name
            path.write_bytes(files[name])
            done = subprocess.run([peer, "-c", PEER, str(path)], capture_output=True, text=True, check=True)
            seconds = json.loads(done.stdout.splitlines()[-1])
            clock.rows.append((f"r4pm reads {name}", seconds, seconds, 0.0))


def report(n: int, clock: Clock, files: Files) -> str:
    """Return the figures as Markdown."""
    lines = [
        "# Process traces of many events",
        "",
        f"`python -m benchmarks.process.run --events {n}`, Python {platform.python_version()}, {MACHINE}",
        "",
        "| step | wall s | CPU s | peak GB so far |",
        "|---|---:|---:|---:|",
        *(
            f"| {name} | {wall:.1f} | {cpu:.1f} | {f'{peak:.1f}' if peak else ''} |"
            for name, wall, cpu, peak in clock.rows
        ),
        "",
        "| file | MB |",
        "|---|---:|",
        *(f"| {name} | {facts['bytes'] / 1e6:.1f} |" for name, facts in file_facts(files).items()),
    ]
    return "\n".join([*lines, ""])


def main() -> None:
    """Run, print, and with --write keep the figures in RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--peer")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    text = report(asked.events, *measure(asked.events, asked.peer))
    print(text)
    if asked.write:
        Path(__file__).with_name("RESULTS.md").write_text(text)


if __name__ == "__main__":
    main()
