"""Recall of passages on question sets: first stages, the default method, its parts left out one by one.

    python benchmarks/retrieval/run.py FOLDER… [--minilm] [--methods default,hipporag2] [--write]

A folder holds corpus.jsonl.gz, queries.jsonl.gz and perhaps openie.jsonl.gz. Beside each figure of all
questions stand those of every other question, even and odd: what helps one half only is luck. Methods in code
quotes ran through `evaluate`, with the median time of a question.
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corpusgraph.flows.api import open
from corpusgraph.flows.engine import Inline
from corpusgraph.flows.evaluate import Evaluation, document_ids, evaluate, index_whole, study_of
from corpusgraph.flows.load.questions import read_questions
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.progress import Silent
from corpusgraph.schemas.settings import Settings
from corpusgraph.tasks.registry import find

HERE = Path(__file__).parent
RANKS = (2, 5)
MARK = "<!-- cloze -->"
"""Where the table of cloze.py begins in RESULTS.md."""
HEADING = "\n## "
"""Before the sections of RESULTS.md that are not this table's."""
TEXTS: dict[str, dict[str, Any]] = {"BM25": {"text": "bm25"}, "dense": {"text": "dense"}}
WITHOUT: dict[str, dict[str, Any]] = {
    "edges between names that hold one another": {"held_name_weight": 0},
    "edges between names of like spelling": {"synonym_weight": 0},
    "edges of relationships": {"relation_weight": 0},
    "edges to the title's entity": {"title_weight": 0},
    "the heavier edge to an entity's own page": {"own_page_weight": 1},
    "counting repeats": {"repeats": False},
    "the small weight of common nouns": {"common_noun_weight": 1},
    "pull to passages like the question": {"pull": 0},
    "the cut at 200 passages": {"depth": 1_000_000},
    "sharpness": {"sharpness": 1},
    "passages among the seeds": {"passage_weight": 0},
    "high damping (0.5)": {"damping_factor": 0.5},
    "leaning on the words": {"lean": False},
    "paths": {"higher_passages": 0},
    "paths over any shared name": {"shared_name_weight": 0},
    "more for a path to a title": {"titled_name_weight": 0},
    "more for a path to the question's rest": {"rest_weight": 0},
    "titles that stand in the question": {"asked_title_weight": 0},
}
WITH: dict[str, dict[str, Any]] = {
    "edges of co-occurrence": {"co_occurrence_weight": 0.2},
    "BM25 mixed into the passages' scores": {"text": "mix"},
}
Recalls = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Asked:
    """One question set, and how its corpus is indexed."""

    folder: Path
    settings: Settings
    embedder: str = "hashing"
    openie: bool = False

    def evaluation(self, methods: Sequence[str] = ("default",)) -> Evaluation:
        """Return what `corpusgraph evaluate` takes."""
        return Evaluation(
            self.folder / "corpus.jsonl.gz",
            self.folder / "queries.jsonl.gz",
            tuple(methods),
            RANKS,
            self.embedder,
            from_openie=self.folder / "openie.jsonl.gz" if self.openie else None,
        )

    def walks(
        self, variants: Mapping[str, Mapping[str, Any]], *, named: bool
    ) -> Iterator[tuple[str, Recalls]]:
        """Yield recall (questions, ranks) of variants of the walk; unless `named`, from no entity."""
        study = study_of(self.evaluation())
        index_whole(study, self.settings, Inline(), Silent())
        opened = open(study.study, self.settings.outputs)
        ids, ports = document_ids(opened), IndexResources(opened)
        link, walk = find("entity_query_link"), find("chunk_walk_rank")
        questions = read_questions(self.folder / "queries.jsonl.gz")[0]
        seeds = [link.run({"query": q.question}, ports).data if named else [] for q in questions]
        for label, options in variants.items():
            recalls = []
            for question, start in zip(questions, seeds, strict=True):
                asked = {"query": question.question, "seed_entities": start, "top_k": max(RANKS), **options}
                found = [ids[scored.item.source_doc] for scored in walk.run(asked, ports).data]
                recalls.append([_recall(found[:k], question.gold) for k in RANKS])
            yield label, np.array(recalls)

    def methods(self, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield recall and median milliseconds a question, with its answer, as `evaluate` tells them."""
        asked, engine = self.evaluation(names), Inline()
        for score in evaluate(asked, settings=self.settings, engine=engine, progress=Silent()).scores:
            told = "/".join(f"{100 * score.metrics[f'recall@{k}'].value:.1f}" for k in RANKS)
            yield f"`{score.method}`", f"{told}, {score.latency_ms.median:.0f} ms"


def _recall(found: Sequence[str], gold: Sequence[str]) -> float:
    return len(set(found) & set(gold)) / len(set(gold))


def cell(recalls: Recalls) -> str:
    """Write recall of all, and of the even and odd questions."""
    parts = [recalls, recalls[::2], recalls[1::2]] if len(recalls) > 1 else [recalls]
    told = ["/".join(f"{100 * value:.1f}" for value in part.mean(axis=0)) for part in parts]
    return told[0] + (f" ({', '.join(told[1:])})" if len(told) > 1 else "")


def rows(folder: Path, settings: Settings, *, minilm: bool, methods: Sequence[str]) -> dict[str, str]:
    """Return the column of one question set."""
    found: dict[str, str] = {}
    default: dict[str, dict[str, Any]] = {"default": {}}
    everything = default | {f"without {k}": v for k, v in WITHOUT.items()}
    everything |= {f"with {k}": v for k, v in WITH.items()}
    kinds = ["hashing", *(["sentence-transformers"] if minilm else [])]
    for embedder in kinds:
        asked = Asked(folder, settings, embedder)
        mark = "MiniLM" if embedder != "hashing" else "no weights"
        texts = TEXTS if embedder == "hashing" else {"dense": TEXTS["dense"]}
        for label, recalls in asked.walks(texts, named=False):
            found[f"{label} alone, {mark}"] = cell(recalls)
        for label, recalls in asked.walks(everything, named=True):
            found[f"{label}, {mark}"] = cell(recalls)
        openie = Asked(folder, settings, embedder, openie=True)
        if (folder / "openie.jsonl.gz").is_file():
            for label, recalls in openie.walks({"default": {}}, named=True):
                found[f"{label} on a language model's triples, {mark}"] = cell(recalls)
            for label, told in openie.methods(methods):
                found[f"{label} on a language model's triples, {mark}"] = told
        for label, told in asked.methods(methods):
            found[f"{label}, {mark}"] = told
    return found


def table(columns: Mapping[str, Mapping[str, str]]) -> str:
    """Write a Markdown table: a line per variant, a column per question set."""
    labels = dict.fromkeys(label for column in columns.values() for label in column)
    lines = [f"| recall@2/recall@5 | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    lines += [
        f"| {label} | {' | '.join(column.get(label, '-') for column in columns.values())} |"
        for label in labels
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--minilm", action="store_true", help="also with the extra sentence-transformers")
    parser.add_argument("--methods", default="bm25,dense,default", help="through `evaluate`, between commas")
    parser.add_argument("--outputs", type=Path, default=None, help="folder of the indexes [a temporary one]")
    parser.add_argument("--write", action="store_true", help="write RESULTS.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        settings = Settings(outputs=given.outputs or Path(temporary))
        methods = [name for name in given.methods.split(",") if name]
        columns = {
            folder.name: rows(folder, settings, minilm=given.minilm, methods=methods)
            for folder in given.folders
        }
    told = table(columns)
    print(told)
    if given.write:
        head = (
            "# Retrieval\n\n`python benchmarks/retrieval/run.py FOLDER… --minilm --write`. Recall@2/recall@5"
            " in percent; in brackets those of the even and the odd questions.\n\n"
        )
        path = HERE / "RESULTS.md"
        written = path.read_text(encoding="utf-8") if path.is_file() else ""
        _, heading, others = written.partition(HEADING)
        path.write_text(f"{head}{told}\n{heading}{others}", encoding="utf-8")


if __name__ == "__main__":
    main()
