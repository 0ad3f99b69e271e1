"""How often questions are declined: those with an answer, and those whose answer was taken away.

    python -m benchmarks.answers.declines FOLDER… [--outputs FOLDER] [--write]

A FOLDER holds corpus.jsonl.gz and queries.jsonl.gz. Its questions are asked of the index of its corpus, and
of the same index without any passage that answers one of them. The threshold is fixed on the even questions
of all folders, so that the share DECLINED of those with an answer is declined, and reported on the odd ones.
"""

import argparse
import tempfile
from collections.abc import Mapping
from math import fsum
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.answers.fit import DECLINED, Array, area, fits
from benchmarks.answers.run import HERE, indexed, without_gold
from corpusgraph.flows.load.questions import read_questions
from corpusgraph.flows.ports import IndexResources
from corpusgraph.tasks.answer.extractive import FIT, LEAST

BEGIN, END = "<!-- declines -->\n", "<!-- end of declines -->\n"
"""What stands between them in RESULTS.md is replaced."""


class Fits(NamedTuple):
    """How well the passages fit each of n questions (n,)."""

    answered: Array
    all_gold: np.ndarray
    """Whether every gold passage was retrieved."""
    removed: Array
    """The same questions, without any gold passage in the index."""

    def part(self, step: slice) -> "Fits":
        """Return some of the questions."""
        return Fits(*(column[step] for column in self))


def fits_of(folder: Path, outputs: Path) -> Fits:
    """Ask the questions of one folder twice."""
    queries = folder / "queries.jsonl.gz"
    questions = read_questions(queries, None)[0]
    opened = indexed(folder / "corpus.jsonl.gz", queries, outputs)
    answered = list(fits(opened, IndexResources(opened), questions))
    removed = list(fits(opened, without_gold(opened, questions), questions))
    return Fits(
        np.array([_sum(fit) for fit, _ in answered]),
        np.array([all_gold for _, all_gold in answered]),
        np.array([_sum(fit) for fit, _ in removed]),
    )


def _sum(fit: Mapping[str, float]) -> float:
    return fsum(FIT[name] * value for name, value in fit.items())


def table(folders: Mapping[str, Fits]) -> list[str]:
    """Write the figures of each folder: at the threshold fixed on even questions, and at that in use."""
    even = np.concatenate([fits.part(slice(0, None, 2)).answered for fits in folders.values()])
    fixed = float(np.quantile(even, DECLINED))
    lines = [
        "| declined | with an answer | of these, all gold retrieved | gold removed | AUC |",
        "|---|---:|---:|---:|---:|",
    ]
    for label, least, step in (
        ("odd, fixed on even", fixed, slice(1, None, 2)),
        ("all, in use", LEAST, slice(None)),
    ):
        for name, every in folders.items():
            fits = every.part(step)
            counted = (fits.answered, fits.answered[fits.all_gold], fits.removed)
            cells = [f"{np.sum(scores < least)} of {len(scores)}" for scores in counted]
            cells.append(f"{area(fits.answered, fits.removed):.3f}")
            lines.append(f"| {name}, {label} ({least:.2f}) | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Measure, print and, with --write, replace the table in RESULTS.md."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--outputs", type=Path, help="where indexes are kept; a scratch folder unless given")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        outputs = given.outputs or Path(scratch)
        outputs.mkdir(parents=True, exist_ok=True)
        lines = table({folder.name: fits_of(folder, outputs) for folder in given.folders})
    print("\n".join(lines))
    if given.write:
        path = HERE / "RESULTS.md"
        before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        told = "\n".join(lines)
        path.write_text(f"{before}{BEGIN}\n{told}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
