"""Measure the offline extractor, from the repository's root: `python -m benchmarks.extraction.run`."""

import argparse
import time
from collections.abc import Iterable
from pathlib import Path

from benchmarks.extraction.scoring import Scores, extract, passages, score_split
from corpusgraph.schemas.documents import Document
from corpusgraph.tasks.index.extract import OfflineExtractor

RESULTS = Path(__file__).with_name("RESULTS.md")
MARK = "<!-- tables: written by benchmarks/extraction/run.py -->"


def table(splits: dict[str, Scores]) -> Iterable[str]:
    """Yield the lines of a Markdown table: one row per layer, precision, recall and F1 per split."""
    yield "| layer | " + " | ".join(f"{s} P | {s} R | {s} F1 | {s} found / gold" for s in splits) + " |"
    yield "|---|" + "---|" * (4 * len(splits))
    for row in next(iter(splits.values())):
        cells = []
        for scores in splits.values():
            score = scores[row]
            cells += [f"{x:.2f}" for x in (score.precision, score.recall, score.f1)]
            cells.append(f"{score.found} / {score.expected}")
        yield f"| {row} | " + " | ".join(cells) + " |"


def speed(folder: Path | None, rounds: int = 3) -> str:
    """Return megabytes of text per CPU second, the best of some rounds, over the texts of a folder."""
    if folder is None:
        texts = [str(gold["text"]) for split in ("dev", "test") for gold in passages(split)]
    else:
        texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))]
    documents = [
        Document(id=f"doc_{at}", title="", text=text, source="", content_hash="", language="en")
        for at, text in enumerate(texts)
    ]
    size, best = sum(len(text.encode()) for text in texts), float("inf")
    for _ in range(rounds):
        began = time.process_time()
        for document in documents:
            OfflineExtractor().extract(document, [])
        best = min(best, time.process_time() - began)
    rate, total = size / best / 1e6, size / 1e6
    return f"{rate:.2f} MB of text per CPU second over {total:.2f} MB in {len(texts)} documents"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help=".txt files for the speed; default: the passages")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {RESULTS.name}")
    parser.add_argument("--errors", metavar="LAYER", help="list the errors of a layer on the dev passages")
    options = parser.parse_args()
    extract(passages("dev")[0])
    splits = {split: score_split(split) for split in ("dev", "test")}
    if options.errors:
        for name, score in splits["dev"].items():
            if name.startswith(options.errors):
                print(name, "wrong:", *score.wrong, sep="\n  ")
                print(name, "missed:", *score.missed, sep="\n  ")
        return
    report = "\n".join([*table(splits), "", f"Speed: {speed(options.folder)}."])
    print(report)
    if options.write:
        head = RESULTS.read_text(encoding="utf-8").partition(MARK)[0]
        RESULTS.write_text(f"{head}{MARK}\n\n{report}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
