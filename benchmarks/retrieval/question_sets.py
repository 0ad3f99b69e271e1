"""Question sets looked at once in each way, so that any number of ways of joining can be tried on them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.retrieval.cloze import SETS, make
from benchmarks.retrieval.rerank import HYBRID, POOL, alone
from corpusgraph.flows.api import open
from corpusgraph.flows.engine import Inline
from corpusgraph.flows.evaluate import Evaluation, document_ids, index_whole, study_of
from corpusgraph.flows.load.questions import read_questions
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.progress import Silent
from corpusgraph.schemas.errors import MissingResourceError
from corpusgraph.schemas.settings import Settings
from corpusgraph.tasks.registry import find
from corpusgraph.tasks.tools.memory.search import Fusion, Hits, blended, fused, lexical, read_text

RANKS = (2, 5)
LEAST = 20
"""Passages of a cloze set."""
Cube = np.ndarray[tuple[int, int, int], np.dtype[np.float64]]
"""(choices, questions, recalls)."""


class Choice(NamedTuple):
    """How lists, or an order and its reading, are joined."""

    fusion: Fusion
    k: int
    weights: tuple[float, ...]

    def __str__(self) -> str:
        """Write it as in a cell."""
        told = f"{self.fusion}, k {self.k}" if self.fusion == "rrf" else self.fusion
        return f"{', '.join(f'{weight:g}' for weight in self.weights)}; {told}"


class Asked(NamedTuple):
    """A question: the documents that answer it, and the passages that each way of looking brings."""

    id: str
    question: str
    gold: frozenset[str]
    parts: Mapping[str, Hits]


class Looked(NamedTuple):
    """A question set, looked at once in each way; `texts` and `documents` by passage."""

    name: str
    family: str
    asked: Sequence[Asked]
    texts: Mapping[str, str]
    documents: Mapping[str, str]

    def recalls(self, question: Asked, ranked: Sequence[str]) -> list[float]:
        """Return recall at each rank of a ranking of passages."""
        found = [self.documents[passage] for passage in ranked]
        return [len(set(found[:k]) & question.gold) / len(question.gold) for k in RANKS]

    def joined(self, question: Asked, choice: Choice, most: int) -> list[tuple[str, float]]:
        """Join the lists of a question; one that is empty has no say, as in the tool."""
        given = zip(HYBRID, choice.weights, strict=True)
        weights = {part: weight for part, weight in given if weight and question.parts[part]}
        lists = {part: question.parts[part] for part in weights}
        return [(hit.id, hit.score) for hit in fused(lists, weights, choice.fusion, most, choice.k)]

    def joinings(self, grid: Sequence[Choice]) -> Cube:
        """Return recalls of each way of joining."""
        rows = [
            [
                self.recalls(question, [id_ for id_, _ in self.joined(question, choice, max(RANKS))])
                for question in self.asked
            ]
            for choice in grid
        ]
        return np.array(rows)

    def rerankings(self, grid: Sequence[Choice], found_by: Sequence[Choice]) -> Cube:
        """Return recalls of each way of re-ranking, averaged over the ways in which it was found."""
        averaged: Cube = np.mean([self._reranked(grid, choice) for choice in found_by], axis=0)
        return averaged

    def _reranked(self, grid: Sequence[Choice], found_by: Choice) -> Cube:
        rows = []
        for question in self.asked:
            found = self.joined(question, found_by, POOL)
            ids, scores = [id_ for id_, _ in found], [score for _, score in found]
            read = lexical(question.question, [self.texts[id_] for id_ in ids]).total.tolist()
            row = []
            for choice in grid:
                again = blended(read, scores, choice.weights[0], choice.fusion, choice.k)
                best = sorted(zip(again, ids, strict=True), key=lambda one: (-round(one[0], 6), one[1]))
                row.append(self.recalls(question, [id_ for _, id_ in best]))
            rows.append(row)
        return np.array(rows).swapaxes(0, 1)


def looked(name: str, family: str, folder: Path, ending: str, settings: Settings, embedder: str) -> Looked:
    """Index a set and ask each of its questions in each way."""
    corpus, queries = (folder / f"{what}.jsonl{ending}" for what in ("corpus", "queries"))
    study = study_of(Evaluation(corpus, queries, ("default",), RANKS, embedder))
    index_whole(study, settings, Inline(), Silent())
    opened = open(study.study, settings.outputs)
    ids, ports, search = document_ids(opened), IndexResources(opened), find("hybrid_search")
    texts: dict[str, str] = {}
    documents: dict[str, str] = {}
    asked = []
    for question in read_questions(queries)[0]:
        parts = {}
        for part in HYBRID:
            given = {"query": question.question, "kind": "chunk", "top_k": 100, **alone(part)}
            try:
                found = search.run(given, ports).data.results
            except MissingResourceError:  # the query leads to no entity
                found = []
            parts[part] = [(hit.item.id, hit.components[f"{part}_score"]) for hit in found]
            texts |= {hit.item.id: read_text(hit.item, opened) for hit in found}
            documents |= {hit.item.id: ids[hit.item.chunk.source_doc] for hit in found}
        asked.append(Asked(question.id, question.question, frozenset(question.gold), parts))
    return Looked(name, family, asked, texts, documents)


def sets(
    folders: Sequence[Path], texts: Sequence[Path], work: Path, settings: Settings, embedder: str
) -> Iterator[Looked]:
    """Yield the question sets, then those made of texts."""
    for folder in folders:
        yield looked(folder.name, folder.name, folder, ".gz", settings, embedder)
    for folder in texts:
        read = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))]
        for what, cut in SETS.items():
            passages = [passage for text in read for passage in cut(text)]
            if len(passages) >= LEAST:
                made = work / f"{folder.name}-{what.replace(' ', '-')}"
                make(passages, made, 150)
                yield looked(f"{folder.name}, {what}", folder.name, made, "", settings, embedder)
