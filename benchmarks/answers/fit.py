"""Fit what answers are made by: the weights of sentences, and the threshold that declines a question.

    python -m benchmarks.answers.fit FOLDER… [--outputs FOLDER]

A FOLDER holds corpus.jsonl.gz and queries.jsonl.gz. Sentences: the log-probability that a softmax over their
scores draws one with the answer, where the passages hold all gold ones (those not retrieved in place of the
last), with titles and without. Declining: a logistic regression between questions whose gold passages were
all retrieved, and those of the other folders or of an index that lacks all gold passages. Each is fitted on
every other question and measured on the rest, then on all. Turns: the chats that the rules were made on.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from benchmarks.answers.run import HERE, can_be_found, indexed, without_gold
from corpusgraph.flows import api
from corpusgraph.flows.answer import answer_question
from corpusgraph.flows.evaluate import document_ids
from corpusgraph.flows.load.questions import read_questions
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.run import GoldQuestion
from corpusgraph.schemas.study import Question
from corpusgraph.tasks.answer import chat
from corpusgraph.tasks.answer.extractive import (
    FEATURES,
    FIT,
    LEAST,
    MAX_SENTENCES,
    WEIGHTS,
    asked_of,
    fit_of,
    rated,
    worth_telling,
)
from corpusgraph.tasks.answer.sentences import documents_by_id, sentences_of
from corpusgraph.tasks.evaluate.scores import answer_scores

Array = np.ndarray[Any, np.dtype[np.float64]]
MAX_CONTEXT_TOKENS = 12000
"""Of passages that are read, as `generate_answer` does."""
PENALTY = 0.005
"""Of squared weights."""
PENALTY_OF_TURNS = 0.02
"""The same for the few questions on chats."""
DECLINED = 0.035
"""Share of the questions with an answer that may be declined."""


@dataclass(frozen=True)
class Read:
    """Features of the sentences of one question (n, k), which of them hold the answer (n,)."""

    features: Array
    holds: Array


def passages_of(
    opened: OpenIndex, resources: IndexResources, questions: Sequence[GoldQuestion]
) -> Iterator[tuple[GoldQuestion, list[Chunk], list[Chunk]]]:
    """Yield each question with the passages retrieved, and the gold ones that were not."""
    ids = document_ids(opened)
    chunks = {ids[chunk.source_doc]: chunk for chunk in opened.graph.chunks}
    for question in questions:
        asked = Question(ask=question.question)
        answer = answer_question(resources.index, resources["embedder"], asked, resources=resources)
        passages = [scored.item for scored in answer.passages]
        known = {ids[chunk.source_doc] for chunk in passages}
        yield question, passages, [chunks[g] for g in question.gold if g in chunks and g not in known]


def sentences_read(opened: OpenIndex, questions: Sequence[GoldQuestion]) -> Iterator[Read]:
    """Yield the sentences of each question that has an answer to be found, with titles and without."""
    documents = documents_by_id(opened)
    untitled = {id_: document.model_copy(update={"title": id_}) for id_, document in documents.items()}
    for question, passages, missing in passages_of(opened, IndexResources(opened), questions):
        chunks = [*passages[: max(0, len(passages) - len(missing))], *missing]
        asked = asked_of(question.question, opened.graph, opened)
        for known in (documents, untitled) if can_be_found(question) else ():
            sentences, _ = sentences_of(chunks, known, MAX_CONTEXT_TOKENS)
            candidates = rated(asked, sentences)
            if candidates is not None:
                holds = [answer_scores(s.text, question.answers)["answer_contains"] for s in sentences]
                yield Read(candidates.features, np.array(holds))


def fits(
    opened: OpenIndex, resources: IndexResources, questions: Sequence[GoldQuestion]
) -> Iterator[tuple[Mapping[str, float], bool]]:
    """Yield how well passages fit each question, and whether all gold ones are among them."""
    documents = documents_by_id(resources.index)
    for question, passages, missing in passages_of(opened, resources, questions):
        sentences, _ = sentences_of(passages, documents, MAX_CONTEXT_TOKENS)
        asked = asked_of(question.question, resources.index.graph, resources.index)
        candidates = rated(asked, sentences)
        fit: Mapping[str, float] = dict.fromkeys(FIT, 0.0)
        if candidates is not None:
            chosen = worth_telling(sentences, candidates.scores, MAX_SENTENCES)
            fit = fit_of(asked, sentences, candidates, chosen)
        yield fit, not missing


def turns_read(chats: Sequence[Path], outputs: Path) -> Iterator[Read]:
    """Yield the turns of each question on some chats that has an answer."""
    for path in chats:
        asked_in = json.loads(path.read_text(encoding="utf-8"))
        api.index(path.with_suffix(".txt"), path.stem, outputs=outputs)
        documents = documents_by_id(api.open(path.stem, outputs))
        for question in asked_in.get("questions") or asked_in["chat"]:
            passages = api.ask(question["question"], path.stem, outputs=outputs).passages
            sentences, _ = sentences_of([p.item for p in passages], documents, MAX_CONTEXT_TOKENS)
            if sentences:
                features = chat.rated_turns(question["question"], sentences).features
                holds = [answer_scores(s.text, question["answers"])["answer_contains"] for s in sentences]
                yield Read(features, np.array(holds))


def ranking(reads: Sequence[Read], penalty: float = PENALTY) -> Array:
    """Return the weights, none negative, that most probably draw sentences with the answer."""

    def loss(weights: Array) -> tuple[float, Array]:
        total, gradient = 0.0, np.zeros(len(weights))
        for read in reads:
            if read.holds.any():
                drawn = np.exp((scores := read.features @ weights) - scores.max())
                drawn /= drawn.sum()
                right = drawn * read.holds
                total -= float(np.log(right.sum()))
                gradient -= read.features.T @ (right / right.sum() - drawn)
        return total / len(reads) + penalty * float(weights @ weights) / 2, gradient / len(
            reads
        ) + penalty * weights

    n = reads[0].features.shape[1]
    return np.asarray(minimize(loss, np.zeros(n), jac=True, method="L-BFGS-B", bounds=[(0, None)] * n).x)


def hits(reads: Sequence[Read], weights: Sequence[float] | Array) -> str:
    """Return how often the first, and one of the first three, holds the answer."""
    orders = [(read, np.argsort(-(read.features @ np.array(weights)), kind="stable")) for read in reads]
    shares = [np.mean([read.holds[order[:n]].any() for read, order in orders]) for n in (1, MAX_SENTENCES)]
    return f"first {shares[0]:.3f}, first {MAX_SENTENCES} {shares[1]:.3f}"


def declining(answered: Array, unanswered: Array) -> tuple[Array, float]:
    """Return the weights of a logistic regression, both kinds counting alike, and the threshold."""
    rows = np.column_stack([np.ones(len(answered) + len(unanswered)), np.vstack([answered, unanswered])])
    right = np.repeat([1.0, 0.0], [len(answered), len(unanswered)])
    count = np.repeat([0.5 / len(answered), 0.5 / len(unanswered)], [len(answered), len(unanswered)])

    def loss(weights: Array) -> tuple[float, Array]:
        margins = rows @ weights
        sure = 1 / (1 + np.exp(-margins))
        pulled = np.concatenate([[0.0], weights[1:]])
        total = float(count @ np.logaddexp(0, np.where(right, -margins, margins)))
        return total + PENALTY * float(pulled @ pulled) / 4, rows.T @ (
            count * (sure - right)
        ) + PENALTY * pulled / 2

    n = rows.shape[1]
    bounds = [(None, None)] * n
    fitted = np.asarray(minimize(loss, np.zeros(n), jac=True, method="L-BFGS-B", bounds=bounds).x)[1:]
    return fitted, float(np.quantile(answered @ fitted, DECLINED))


def area(answered: Array, unanswered: Array) -> float:
    """Return the area under the ROC curve: how often what is answered fits better."""
    apart = answered[:, None] - unanswered[None]
    return float((apart > 0).mean() + (apart == 0).mean() / 2)


def show_rates(name: str, answered: Array, others: Mapping[str, Array], weights: Array, least: float) -> None:
    """Print area and rates of a threshold."""
    scores = answered @ weights
    print(f"{name}: declined with all gold {np.mean(scores < least):.3f}", end="")
    for what, rows in others.items():
        declined, auc = np.mean(rows @ weights < least), area(scores, rows @ weights)
        print(f"; {what}: declined {declined:.3f}, AUC {auc:.3f}", end="")
    print()


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--outputs", type=Path)
    given = parser.parse_args()
    reads: list[Read] = []
    rows: dict[str, list[list[float]]] = {"gold": [], "other set": [], "gold removed": []}
    with tempfile.TemporaryDirectory() as scratch:
        outputs = given.outputs or Path(scratch)
        sets = {folder.name: read_questions(folder / "queries.jsonl.gz", None)[0] for folder in given.folders}
        for folder in given.folders:
            own, queries = sets[folder.name], folder / "queries.jsonl.gz"
            opened = indexed(folder / "corpus.jsonl.gz", queries, outputs)
            others = [question for name in sets if name != folder.name for question in sets[name]]
            reads += sentences_read(opened, own)
            resources, lacking = IndexResources(opened), without_gold(opened, own)
            rows["gold"] += [list(f.values()) for f, all_gold in fits(opened, resources, own) if all_gold]
            rows["other set"] += [list(f.values()) for f, _ in fits(opened, resources, others)]
            rows["gold removed"] += [list(f.values()) for f, _ in fits(opened, lacking, own)]
        turns = list(
            turns_read([HERE / "chats/flat.json", HERE / "chats/team.json", HERE / "told.json"], outputs)
        )
    weights_of_turns = ranking([read for read in turns if read.holds.any()], PENALTY_OF_TURNS)
    print("turns, fitted on all:", dict(zip(chat.FEATURES, weights_of_turns.round(2).tolist(), strict=True)))
    print("turns, in use:", hits(turns, chat.WEIGHTS))
    print(
        "sentences, held out:",
        *(
            hits(reads[h::4] + reads[h + 1 :: 4], ranking(reads[2 - h :: 4] + reads[3 - h :: 4]))
            for h in (0, 2)
        ),
    )
    print("fitted on all:", dict(zip(FEATURES, ranking(reads).round(2).tolist(), strict=True)))
    print("in use:", hits(reads, WEIGHTS))
    table = {name: np.array(found) for name, found in rows.items()}
    for half in (0, 1):
        fitted = {name: found[half::2] for name, found in table.items()}
        held = {name: found[1 - half :: 2] for name, found in table.items()}
        weights, least = declining(fitted["gold"], np.vstack([fitted["other set"], fitted["gold removed"]]))
        show_rates("held out", held.pop("gold"), held, weights, least)
    gold = table.pop("gold")
    weights, least = declining(gold, np.vstack(list(table.values())))
    print("fitted on all:", dict(zip(FIT, weights.round(2).tolist(), strict=True)), f"least {least:.2f}")
    show_rates("fitted on all", gold, table, weights, least)
    show_rates("in use", gold, table, np.array(list(FIT.values())), LEAST)


if __name__ == "__main__":
    main()
