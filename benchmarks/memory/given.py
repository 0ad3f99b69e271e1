"""What the measurements of a memory share: their options, an index of a size, and where figures are kept."""

import argparse
import os
import platform
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.operators.synthetic import Made, draw, write
from corpusgraph.flows.store.store import IndexStore

NAME = "bench"
"""Name of the index."""


def options(told: str | None, entities: int, relationships: int) -> argparse.ArgumentParser:
    """Return a parser with the options of all; `told` is the program's docstring."""
    parser = argparse.ArgumentParser(description=told, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entities", type=int, default=entities)
    parser.add_argument("--relationships", type=int, default=relationships)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--write", action="store_true")
    return parser


@contextmanager
def indexed(given: argparse.Namespace) -> Iterator[tuple[Made, Path]]:
    """Yield the graph and the outputs folder of an index of it, published where there was none."""
    made = draw(given.entities, given.relationships)
    with tempfile.TemporaryDirectory() as scratch:
        outputs = given.index or Path(scratch)
        if IndexStore(outputs).manifest(NAME) is None:
            write(made, outputs, max(1, given.entities // 2))
        yield made, outputs


def shown(lines: Iterable[str]) -> str:
    """Print lines as they come, and return them."""
    kept = []
    for line in lines:
        kept.append(line)
        print(line, flush=True)
    return "\n".join(kept) + "\n"


def keep(given: argparse.Namespace, program: str, file: str, told: str) -> None:
    """Write figures beside the program where that was asked for, and say what they were made on."""
    if not given.write:
        return
    machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    on = f"{given.entities:,} entities and {given.relationships:,} relationships"
    head = f"Made by `python -m benchmarks.memory.{program} --write` on {machine}, on an index of {on}"
    Path(__file__).with_name(file).write_text(f"{head}{told}", encoding="utf-8")
