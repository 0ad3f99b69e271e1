"""What re-ranking by words and joining ways of looking do for recall, on question sets.

    python benchmarks/retrieval/rerank.py FOLDER… [--embedder sentence-transformers] [--outputs DIR] [--write]

A folder holds corpus.jsonl.gz and queries.jsonl.gz. Each row is a way of finding 50 passages, then the same
passages re-ranked by the tool rerank, kind lexical, as it comes and by the reading alone (prior_weight 0).
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from corpusgraph.flows.api import open
from corpusgraph.flows.engine import Inline
from corpusgraph.flows.evaluate import Evaluation, document_ids, index_whole, study_of
from corpusgraph.flows.load.questions import read_questions
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.progress import Silent
from corpusgraph.schemas.settings import Settings
from corpusgraph.tasks.registry import find

POOL = 50
RANKS = (2, 5, 10)
KEPT, HELD_OUT = "## Defaults", "## Held out"
"""Where in RERANK.md begins what this program leaves as it is, and in it what heldout.py writes."""
HYBRID = {"bm25": "bm25_weight", "vector": "vector_weight", "graph": "graph_weight"}
Ranked = Sequence[str]
Found = tuple[Ranked, Ranked]
"""Documents found, and those that answer the question."""


def alone(part: str) -> dict[str, Any]:
    """Return what has hybrid_search look in one way only."""
    return {option: float(name == part) for name, option in HYBRID.items()}


ASKED: dict[str, dict[str, Any]] = {
    "bm25": alone("bm25"),
    "vector": alone("vector"),
    "graph": alone("graph"),
    "bm25 + vector": {"bm25_weight": 0.5, "vector_weight": 0.5, "graph_weight": 0, "fusion": "weighted"},
    "hybrid": {},
    "hybrid as it was (0.2, 0.2, 0.6; weighted)": {
        "bm25_weight": 0.2,
        "vector_weight": 0.2,
        "graph_weight": 0.6,
        "fusion": "weighted",
    },
}

AGAIN: dict[str, dict[str, Any]] = {"re-ranked": {}, "re-ranked, reading alone": {"prior_weight": 0}}


def rows(folder: Path, settings: Settings, embedder: str) -> Iterator[tuple[str, str]]:
    """Yield the label of a way of looking and its figures, then those after re-ranking."""
    asked = Evaluation(
        folder / "corpus.jsonl.gz", folder / "queries.jsonl.gz", ("default",), (2, 5), embedder
    )
    study = study_of(asked)
    index_whole(study, settings, Inline(), Silent())
    opened = open(study.study, settings.outputs)
    ids, ports = document_ids(opened), IndexResources(opened)
    questions = read_questions(folder / "queries.jsonl.gz")[0]
    search, again = find("hybrid_search"), find("rerank")
    for label, options in ASKED.items():
        found: list[Found] = []
        ordered: dict[str, list[Found]] = {how: [] for how in AGAIN}
        for question in questions:
            given = {"query": question.question, "kind": "chunk", "top_k": POOL, "pool": 100, **options}
            results = search.run(given, ports).data.results
            found.append((_documents(results, ids), question.gold))
            for how, more in AGAIN.items():
                given = {"query": question.question, "items": results, "top_k": POOL, **more}
                ordered[how].append((_documents(again.run(given, ports).data.results, ids), question.gold))
        yield label, figures(found)
        yield from ((f"{label}, {how}", figures(better)) for how, better in ordered.items())


def _documents(results: Sequence[Any], ids: Mapping[str, str]) -> Ranked:
    return [ids[hit.item.chunk.source_doc] for hit in results]


def figures(found: Sequence[Found]) -> str:
    """Write recall at each rank in percent, and the mean reciprocal rank of the first gold passage."""
    first = [next((1 / at for at, id_ in enumerate(ranked, 1) if id_ in gold), 0.0) for ranked, gold in found]
    return "/".join(f"{100 * _recall(found, k):.1f}" for k in RANKS) + f", {np.mean(first):.3f}"


def _recall(found: Sequence[Found], k: int) -> float:
    return float(np.mean([len(set(ranked[:k]) & set(gold)) / len(set(gold)) for ranked, gold in found]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--embedder", default="hashing")
    parser.add_argument("--outputs", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        settings = Settings(outputs=args.outputs or Path(made))
        columns = {folder.name: dict(rows(folder, settings, args.embedder)) for folder in args.folders}
    labels = list(next(iter(columns.values())))
    head = f"recall@{'/'.join(map(str, RANKS))}, MRR; embedder {args.embedder}"
    lines = [f"| {head} | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    lines += [f"| {label} | {' | '.join(column[label] for column in columns.values())} |" for label in labels]
    print("\n".join(lines))
    if args.write:
        page = Path(__file__).with_name("RERANK.md")
        told = (__doc__ or "").partition("\n\n")[0]
        _, mark, rest = page.read_text(encoding="utf-8").partition(KEPT)
        lines += ["", f"{mark}{rest}".rstrip()] if mark else []
        page.write_text(f"# Re-ranking\n\n{told}\n\n" + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
