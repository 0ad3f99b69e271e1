"""The weights of hybrid_search and rerank, chosen on some questions and reported on others.

    python -m benchmarks.retrieval.heldout FOLDER… [--texts FOLDER…] [--embedder hashing] [--write]

A FOLDER holds corpus.jsonl.gz and queries.jsonl.gz; one of --texts .txt files, of which cloze.py makes sets:
a sentence has to find the passage it was taken from. Chosen is what has the best mean of recall@2 and
recall@5; of equals the first of the grid. By halves: a set's questions in two by a hash of their ids, chosen
on one half and reported on the other, and on the other set. By sources: chosen on all sets but those of one
source, each source counting the same, and reported on that one. In brackets 95% intervals, percentiles of
2000 resamples of the questions; behind a figure its difference from the reference, question by question.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from benchmarks.retrieval.question_sets import RANKS, Asked, Choice, Cube, Looked, sets
from benchmarks.retrieval.rerank import HELD_OUT
from corpusgraph.schemas.settings import Settings
from corpusgraph.tasks.evaluate.scores import Matrix, percentile_intervals
from corpusgraph.tasks.tools.memory.search import Fusion

KS = (2, 10, 60)
STEPS = [step / 10 for step in range(11)]
HOW: tuple[tuple[Fusion, int], ...] = (("weighted", 0), *(("rrf", k) for k in KS))
SHARES = [(a / 10, b / 10, (10 - a - b) / 10) for a in range(11) for b in range(11 - a)]
JOINING = [Choice(how, k, weights) for how, k in HOW for weights in SHARES]
RERANKING = [Choice(how, k, (step,)) for how, k in HOW for step in STEPS]
BEFORE = Choice("weighted", 0, (0.2, 0.2, 0.6))
"""The weights of hybrid_search that were not held out."""
BY_WORDS = [Choice("weighted", 0, weights) for weights in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.5, 0.5, 0.0))]
BY_WALK = [Choice("weighted", 0, (0.0, 0.0, 1.0)), Choice("rrf", 10, (0.1, 0.1, 0.8))]
"""Ways to find what is re-ranked: weights of bm25, vector and graph."""
PAIRS = [(i, j) for i, a in enumerate(RERANKING) for j, b in enumerate(RERANKING) if a[:2] == b[:2]]
BOTH = [Choice(*RERANKING[i][:2], (*RERANKING[i].weights, *RERANKING[j].weights)) for i, j in PAIRS]
"""One way of joining for both, with a weight of the order for hits of words and one for those of a walk."""


def half_of(question: Asked) -> int:
    """Return 0 or 1 by a hash of the id."""
    return blake2b(question.id.encode(), digest_size=1).digest()[0] % 2


def best(cubes: Sequence[Cube]) -> int:
    """Return the choice with the best mean of all recalls, each cube counting the same."""
    return int(np.argmax(np.mean([cube.mean(axis=(1, 2)) for cube in cubes], axis=0).round(9)))


def rows(
    given: Sequence[Looked], n_halved: int, cubes: Sequence[Cube], grid: Sequence[Choice], ref: int
) -> Iterator[str]:
    """Yield a row per choice and place where it is reported; the first `n_halved` sets are halved."""
    for at, one in enumerate(given[:n_halved]):
        half = np.array([half_of(question) for question in one.asked])
        for side in (0, 1):
            choice = best([cubes[at][:, half == side]])
            there = [(f"{one.name}, other half", cubes[at][:, half != side])]
            there += [(given[j].name, cubes[j]) for j in range(n_halved) if j != at]
            for name, cube in there:
                yield row(f"{one.name}, half {side + 1}", grid[choice], name, cube[choice], cube[ref])
    families = dict.fromkeys(one.family for one in given)
    joined = {
        family: np.concatenate(
            [cube for one, cube in zip(given, cubes, strict=True) if one.family == family], axis=1
        )
        for family in families
    }
    for family, there_ in joined.items():
        choice = best([cube for name, cube in joined.items() if name != family])
        yield row("the other sources", grid[choice], family, there_[choice], there_[ref])
    choice = best(list(joined.values()))
    for family, there_ in joined.items():
        yield row("all (not held out)", grid[choice], family, there_[choice], there_[ref])


def row(chosen_on: str, choice: Choice, name: str, found: Matrix, before: Matrix) -> str:
    """Write a row: each recall, and what it is above that of the reference, with intervals."""
    mean, low, high = 100 * np.array(percentile_intervals(np.hstack([found, found - before])))
    n = found.shape[1]
    cells = [
        f"{mean[i]:.1f} ({low[i]:.1f} to {high[i]:.1f}), "
        f"{mean[n + i]:+.1f} ({low[n + i]:+.1f} to {high[n + i]:+.1f})"
        for i in range(n)
    ]
    return f"| {chosen_on} | {choice} | {name} ({len(found)}) | {' | '.join(cells)} |"


def tables(given: Sequence[Looked], n_halved: int) -> Iterator[str]:
    """Yield the lines of the tables."""
    yield from head(f"hybrid_search: weights of bm25, vector, graph; reference {BEFORE}", [""])
    yield from rows(given, n_halved, [one.joinings(JOINING) for one in given], JOINING, JOINING.index(BEFORE))
    yield from head(
        "rerank, lexical: prior_weight of hits of words, of a walk; reference the order given",
        ["words ", "walk "],
    )
    as_given = BOTH.index(Choice("weighted", 0, (1.0, 1.0)))
    yield from rows(given, n_halved, [both(one) for one in given], BOTH, as_given)


def both(one: Looked) -> Cube:
    """Return recalls of hits of words and of hits of a walk, side by side."""
    words, walk = (one.rerankings(RERANKING, found_by) for found_by in (BY_WORDS, BY_WALK))
    return np.concatenate([words[[i for i, _ in PAIRS]], walk[[j for _, j in PAIRS]]], axis=2)


def head(title: str, groups: Sequence[str]) -> Iterator[str]:
    """Yield the head of a table."""
    columns = [f"{group}recall@{k}" for group in groups for k in RANKS]
    yield f"\n### {title}\n"
    yield f"| chosen on | choice | reported on (questions) | {' | '.join(columns)} |"
    yield "|---" * (3 + len(columns)) + "|"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--texts", nargs="*", type=Path, default=[])
    parser.add_argument("--embedder", default="hashing")
    parser.add_argument("--write", action="store_true", help="replace the section in RERANK.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        settings = Settings(outputs=work / "outputs")
        given = list(sets(asked.folders, asked.texts, work, settings, asked.embedder))
    lines = list(tables(given, len(asked.folders)))
    print("\n".join(lines))
    if asked.write:
        page = Path(__file__).with_name("RERANK.md")
        before = page.read_text(encoding="utf-8").partition(HELD_OUT)[0].rstrip()
        told = f"{(__doc__ or '').strip()}\n\nEmbedder: {asked.embedder}."
        page.write_text(f"{before}\n\n{HELD_OUT}\n\n{told}\n" + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
