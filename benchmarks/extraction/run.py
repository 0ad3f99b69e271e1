"""Measure the offline extractor, from the repository's root: `python -m benchmarks.extraction.run`."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from benchmarks.extraction.scoring import GOLD, SPLITS, Score, Scores, score_split, sections

RESULTS = Path(__file__).with_name("RESULTS.md")


def tables(splits: dict[str, Scores]) -> Iterator[str]:
    """Yield the lines of one Markdown table per layer: F1 with its interval, precision, recall."""
    names = list(dict.fromkeys(name for scores in splits.values() for name in scores))
    yield "| | " + " | ".join(f"{s} F1 [95%] | {s} P | {s} R | {s} found / gold" for s in splits) + " |"
    yield "|---|" + "---|" * (4 * len(splits))
    for layer, rows in sections(names).items():
        yield f"| **{layer}** |" + " |" * (4 * len(splits))
        for row in rows:
            cells = [_cells(scores.get(row)) for scores in splits.values()]
            yield f"| {row.partition(': ')[2]} | " + " | ".join(cells) + " |"


def _cells(score: Score | None) -> str:
    if score is None:
        return " | | |"
    low, high = score.interval()
    rates = f"{score.precision:.2f} | {score.recall:.2f}"
    return f"{score.f1:.2f} [{low:.2f}, {high:.2f}] | {rates} | {score.found} / {score.expected}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--errors", metavar="LAYER", help="list the errors of a layer on the dev passages")
    parser.add_argument("--split", choices=SPLITS, help="one split only")
    parser.add_argument("--gold", type=Path, default=GOLD, help="folder of the gold files")
    options = parser.parse_args()
    if options.errors:
        for name, score in score_split("dev", options.gold).items():
            if name.startswith(options.errors):
                print(name, "wrong:", *score.wrong, sep="\n  ")
                print(name, "missed:", *score.missed, sep="\n  ")
        return
    chosen = [options.split] if options.split else SPLITS
    print("\n".join(tables({split: score_split(split, options.gold) for split in chosen})))


if __name__ == "__main__":
    main()
