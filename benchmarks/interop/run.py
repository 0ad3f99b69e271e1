"""Time the import of a GraphRAG index, its export and the first search, by size.

    python -m benchmarks.interop.run [--sizes 2000 4000 8000 16000] [--write]

CPU seconds of the whole process, with all its threads: the machine may be busy with other work.
"""

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from benchmarks.interop.tables import Rows, ordinary, repeated, write
from corpusgraph.flows import api
from corpusgraph.flows.interop.sources import export_graphrag, import_index

NOTES = """
Text units have 200 words each, and for each of them there is an entity, a relationship, and 0.55 of a
community with a report. `again` is the time over that of half the size: 2 is linear. The first search is
`local_search` of an index that nobody has opened, with the libraries loaded (else it takes 1 s more). The
repeated text is one text unit that 80 entities stand in and all 44 reports cite. The machine was busy with
other work, which is in CPU seconds, too, where cores share a cache.
"""
HEAD = (
    "| {} | MB of text | import | again | export | again | first search, ms |\n|---|--:|--:|--:|--:|--:|--:|"
)


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds of a piece of work."""
    began = time.process_time()
    work()
    return time.process_time() - began


def searched(outputs: Path) -> None:
    """Search, and stop where that fails."""
    found = api.call("local_search", {"query": "Who knows whom?"}, index="bench", outputs=outputs)
    if not found.success:
        raise SystemExit(str(found.error))


def measured(rows: dict[str, Rows]) -> tuple[float, list[float]]:
    """Return megabytes of text, and the seconds of import, export and first search."""
    size = sum(len(row["text"]) for row in rows["documents"]) / 1e6
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        write(home / "theirs", rows)
        imported = cpu(lambda: import_index(home / "theirs", "bench", outputs=home / "out"))
        first = cpu(lambda: searched(home / "out"))  # before the export, which opens the index, too
        exported = cpu(lambda: export_graphrag("bench", home / "ours", outputs=home / "out"))
    return size, [imported, exported, first]


def table(label: str, sizes: list[int], make: Callable[[int], dict[str, Rows]]) -> Iterator[str]:
    """Measure each size, and yield the lines of a table."""
    yield HEAD.format(label)
    before: list[float] = []
    for size in sizes:
        megabytes, took = measured(make(size))
        again = [f"{now / then:.1f}" for now, then in zip(took, before, strict=True)] if before else [""] * 3
        cells = [f"{size:,}", f"{megabytes:.1f}", f"{took[0]:.1f}", again[0], f"{took[1]:.1f}", again[1]]
        yield f"| {' | '.join(cells)} | {1e3 * took[2]:.0f} |"
        before = took


def main() -> None:
    """Measure and print; `--write` keeps it in RESULTS.md."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 4000, 8000, 16_000])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    measured(ordinary(20))  # libraries are loaded, and nothing is measured
    lines = []
    repeats = table("characters repeated", [325_000, 650_000, 1_300_000], repeated)
    for told in chain(table("text units", given.sizes, ordinary), [""], repeats):
        lines.append(told)
        print(told, flush=True)
    if given.write:
        machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
        head = f"Made by `python -m benchmarks.interop.run --write` on {machine}. CPU seconds.\n\n"
        body = "\n".join(lines)
        Path(__file__).with_name("RESULTS.md").write_text(f"{head}{body}\n{NOTES}", encoding="utf-8")


if __name__ == "__main__":
    main()
