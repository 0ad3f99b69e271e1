"""How long an argument network takes: a million claims grounded, hard semantics of generated instances.

    python -m benchmarks.argument.run [--claims 1000000] [--write]

Large: random attacks, three times as many as claims, given as pairs to the tool `prepare_argument_network`;
the time is that of the whole call, validation of the input included; memory is the peak of the process, of
which the input itself takes a part. Generated: instances as those of the ICCMA competitions (Erdős-Rényi,
Barabási-Albert), with what was decided under a limit of so many seconds' worth of steps.
"""

import argparse
import random
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import networkx as nx
import numpy as np

from corpusgraph.tasks.analysis.argument.models import PrepareArgumentNetwork
from corpusgraph.tasks.tools.prepare import prepare_argument_network

HERE = Path(__file__).resolve().parent
LIMIT = 10.0
WANTED = ("grounded", "ideal", "stable", "preferred")
LARGE = """| kind | claims | attacks | s | CPU s | input MB | peak MB | accepted |
|---|--:|--:|--:|--:|--:|--:|--:|
"""
HARD = """| instance | claims | attacks | left open | CPU s | acceptance of | sets of | not decided |
|---|--:|--:|--:|--:|---|---|---|
"""
TITLE = """# Argument networks

`python -m benchmarks.argument.run --write`, on two cores that were shared with other work; `CPU s` is the
time that the process itself worked.

"""
BETWEEN = f"""
Generated instances (`left open`: by the grounded labels), all of {", ".join(WANTED)}, limit {LIMIT:g}
seconds' worth of steps for all together:

"""


def large(kind: str, size: int) -> str:
    """Measure the grounded extension of a random network; run in a process of its own."""
    chance = np.random.default_rng(1)
    a, b = chance.integers(0, size, 3 * size), chance.integers(0, size, 3 * size)
    if kind == "acyclic":
        a, b = np.minimum(a, b), np.maximum(a, b)
    ids = [f"c{i}" for i in range(size)]
    pairs = [(ids[x], ids[y]) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    before, began, worked = _peak(), time.perf_counter(), time.process_time()
    ask = PrepareArgumentNetwork.model_validate(
        {"claims": [], "arguments": ids, "attacks": pairs, "semantics": ["grounded"]}
    )
    found = prepare_argument_network(ask).data
    taken = f"{time.perf_counter() - began:.1f} | {time.process_time() - worked:.1f}"
    accepted = len(found.labels["grounded"].accepted)
    return f"| {kind} | {size:,} | {len(found.attacks):,} | {taken} | {before} | {_peak()} | {accepted:,} |"


def _peak() -> int:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def generated() -> list[tuple[str, int, list[tuple[str, str]]]]:
    """Return the instances: name, number of claims, attacks."""
    found = []
    for n, p in ((200, 0.02), (500, 0.01), (1000, 0.005), (2000, 0.003)):
        edges = nx.gnp_random_graph(n, p, seed=1, directed=True).edges
        found.append((f"Erdős-Rényi p={p:g}", n, [(f"c{a}", f"c{b}") for a, b in edges]))
    for n in (200, 500, 1000, 2000):
        chance = random.Random(1)  # noqa: S311 - a graph, not a secret
        pairs: list[tuple[str, str]] = []
        for a, b in nx.barabasi_albert_graph(n, 2, seed=1).edges:
            pairs.append((f"c{a}", f"c{b}") if chance.random() < 0.5 else (f"c{b}", f"c{a}"))
            if chance.random() < 0.3:
                pairs.append((pairs[-1][1], pairs[-1][0]))
        found.append(("Barabási-Albert m=2", n, pairs))
    return found


def hard(name: str, size: int, pairs: list[tuple[str, str]]) -> str:
    """Measure all of WANTED on one instance."""
    ids = tuple(f"c{i}" for i in range(size))
    began = time.process_time()
    ask = PrepareArgumentNetwork(
        claims=(), arguments=ids, attacks=tuple(pairs), semantics=WANTED, time_limit=LIMIT
    )
    found = prepare_argument_network(ask).data
    taken = time.process_time() - began
    listed = [one for one in WANTED if getattr(found.extensions, one) is not None]
    cells = (
        f"{size:,}",
        f"{len(pairs):,}",
        f"{len(found.labels['grounded'].undecided):,}",
        f"{taken:.1f}",
        ", ".join(found.acceptance),
        ", ".join(listed),
        ", ".join(found.not_decided) or "-",
    )
    return f"| {name} | {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and with --write keep the result beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, default=1_000_000)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--large", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.large:
        sys.stdout.write(large(asked.large, asked.claims) + "\n")
        return
    rows = []
    for kind in ("random", "acyclic"):
        command = [
            sys.executable,
            "-m",
            "benchmarks.argument.run",
            "--large",
            kind,
            "--claims",
            str(asked.claims),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows.append(done.stdout.strip().splitlines()[-1])
    text = TITLE + LARGE + "\n".join(rows) + "\n" + BETWEEN + HARD
    text += "\n".join(hard(*one) for one in generated()) + "\n"
    sys.stdout.write(text)
    if asked.write:
        (HERE / "RESULTS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
