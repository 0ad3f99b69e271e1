"""A process that adds to a journal: `python -m tests.journal.writer FOLDER NAME COUNT`.

Each number that it was given is printed as soon as adding returned: what is printed must survive anything.
"""

import sys
from pathlib import Path

from corpusgraph.flows.store.memory import IndexMemory
from corpusgraph.schemas.memory import Observe
from tests.journal.making import Generation, keep, making, named, relating


def main(folder: str, name: str, count: str) -> None:
    memory = IndexMemory(Path(folder), Generation())
    keep(memory, making(name))
    for k in range(int(count)):
        text = f"{name} {k} " + "Tề Thiên " * (k % 400)  # lines from 300 bytes to 5 kB
        change = keep(memory, relating(name, "John Snow"), Observe(entity=named(name), contents=(text,)))
        sys.stdout.write(f"{change.number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
