"""Learn how likely a relation is right: `python -m benchmarks.extraction.calibrate`, from the root.

Writes the weights of `tasks/extract/chance.py` into the lexicon of English (section `chance`). Learned from

- `judged.jsonl.gz`: findings of this and earlier versions that were read against their sentences; one counts
  where this version finds the same ends in the sentence, a doubtful one half. The split `test` is left out;
- annotated sentences that the trained reader has not learned from. Of these the heads are known: a finding
  with right heads may still have a phrase that is cut; they count a fraction.

With `--check` it prints, by cross-validation over documents, which share of the likeliest findings is right,
and, by kind of text, what strict readers of the split `test` found right of what a graph takes.
"""

import argparse
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.extraction.logistic import fitted, folds_of
from benchmarks.extraction.scoring import (
    ANNOTATED,
    _annotated_statement,
    extract,
    graded,
    is_held_out,
    polarity_and_modality,
    same_type,
    statements,
)
from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.tasks.extract import chance, relations

JUDGED = Path(__file__).with_name("judged.jsonl.gz")
LEXICON = Path(__file__).resolve().parents[2] / "configs" / "lexicons" / "en.yml"
WEIGHT_OF_HEADS = 0.15
"""What an annotated sentence's finding counts beside one that was read."""
LEAST = 0.1
"""Less likely findings are not learned from."""
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
APART = ("bias", "read", "read_alone")
"""Signs that mean something else in the kinds of `OTHERWISE`: what is learned of them there is not kept."""
OTHERWISE = ("taught", "lenient")
"""Sentences that the trained reader has learned from, and findings of which the heads alone were judged."""
PENALTY = 4.0
"""Of squared weights, so that a sign seen seldom counts little."""


class Example(NamedTuple):
    """A finding with its signs; `right` is 1, 0 or, of a doubtful one, 0.5."""

    document: str
    is_causal: bool
    signs: dict[str, float]
    right: float
    weight: float


def examples() -> Iterator[Example]:
    """Yield what is learned from."""
    taught: list[dict[str, Any]] = []
    annotated: list[dict[str, Any]] = []
    with gzip.open(ANNOTATED, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            (annotated if is_held_out(row["source"]) else taught).append(row)
    yield from _read_examples("\n".join(_letters(row["text"]) for row in taught))
    fits = graded(same_type, polarity_and_modality)
    for record in annotated:
        signs, evidence = _read(record["text"], record)
        gold = [_annotated_statement(assertion) for assertion in record["assertions"]]
        stated = [a for a in evidence.assertions if a.type != "co_occurs_with"]
        for a, found in zip(stated, statements(record, evidence), strict=True):
            held = signs.get(_key(a))
            if held is not None and not found.empty:
                right = float(any(fits(found, other) for other in gold))
                held = _apart(held, "lenient")
                yield Example(record["source"], a.type in CAUSAL, held, right, WEIGHT_OF_HEADS)


def _judged(split: str) -> dict[str, list[dict[str, Any]]]:
    """Return the verdicts on findings of each sentence."""
    judged = defaultdict(list)
    with gzip.open(JUDGED, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["split"] == split:
                judged[row["sentence"]].append(row)
    return judged


def _by_finding(rows: list[dict[str, Any]]) -> dict[tuple[str, str, str, bool], dict[str, Any]]:
    return {(row["source"], row["target"], row["type"], row["denied"]): row for row in rows}


def _read_examples(taught: str) -> Iterator[Example]:
    """Yield the findings that were read; `taught` is what the trained reader has learned from, in letters.

    Of the sentences in it, and of those whose earlier verdicts it learned, it is surer than of new ones.
    """
    for sentence, rows in _judged("dev").items():
        clean = all(row.get("strict") and not row.get("learned") for row in rows)
        is_taught = _letters(sentence) in taught or not clean
        signs, evidence = _read(sentence)
        verdicts = _by_finding(rows)
        for row in rows:  # with the ends that its reader would have liked better, it is right
            source, target = (row.get(f"better_{side}", row[side]) for side in ("source", "target"))
            better = {**row, "right": True, "wrong": ""}
            verdicts.setdefault((source, target, row["type"], row["denied"]), better)
        for a in evidence.assertions:
            verdict = verdicts.get((a.source, a.target, a.type, a.negated))
            held = signs.get(_key(a))
            if verdict is not None and held is not None:
                strict = verdict.get("strict", False)
                weight = 1.0 if strict else 0.25
                right = 0.5 if strict and verdict["wrong"] == "vague" else float(verdict["right"])
                held = _apart(held, "taught") if is_taught else held
                yield Example(verdict["document"], a.type in CAUSAL, held, right, weight)


def _apart(signs: dict[str, float], kind: str) -> dict[str, float]:
    """Add the signs of `APART` once more, for a sentence of a kind of `OTHERWISE` alone."""
    return {**signs, **{f"{kind} {name}": signs[name] for name in APART}}


def _letters(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


def _key(assertion: Any) -> tuple[Any, ...]:
    return (
        assertion.source_start,
        assertion.source_end,
        assertion.target_start,
        assertion.target_end,
        assertion.type,
    )


def _read(text: str, record: dict[str, Any] | None = None) -> tuple[dict[Any, dict[str, float]], Any]:
    """Return the signs of all that could be found in a text, however unlikely, and the findings."""
    seen: dict[Any, dict[str, float]] = {}
    signs_of = chance.signs

    def watched(tree: Any, statement: Any, ends: Any, *rest: Any, **named: Any) -> dict[str, float]:
        held = signs_of(tree, statement, ends, *rest, **named)
        seen[(*ends[0].span, *ends[1].span, statement.type)] = held
        return held

    with (
        patch.object(chance, "signs", watched),
        patch.object(relations, "LIKELY", LEAST),
    ):
        evidence = extract(record or {"id": "read", "text": text}).evidence
    return seen, evidence


def learned(rows: list[Example], names: list[str]) -> np.ndarray:
    """Return the weights of a logistic regression, with a penalty on all but where it begins."""
    every = [*names, *(f"{kind} {name}" for kind in OTHERWISE for name in APART)]
    signs = np.array([[row.signs.get(name, 0.0) for name in every] for row in rows])
    right, weight = (np.array([getattr(row, part) for row in rows]) for part in ("right", "weight"))
    shrunk = PENALTY * np.array([not name.endswith("bias") for name in every])
    return fitted(signs, right, weight, shrunk)[: len(names)]


def checked(rows: list[Example], names: list[str], folds: int = 8) -> Iterator[str]:
    """Yield which share of the likeliest is right, each judged by weights that have not seen its document."""
    fold = folds_of((row.document for row in rows), folds)
    signs = np.array([[row.signs[name] for name in names] for row in rows])
    right, weight = (np.array([getattr(row, part) for row in rows]) for part in ("right", "weight"))
    log_odds = np.zeros(len(rows))
    for held_out in range(folds):
        weights = learned([row for row, of in zip(rows, fold, strict=True) if of != held_out], names)
        log_odds[fold == held_out] = signs[fold == held_out] @ weights
    taught = np.array([row.signs.get("taught bias", 0) for row in rows], dtype=bool)
    for what, wanted in (("read", 1.0), ("annotated", WEIGHT_OF_HEADS)):
        chosen = np.flatnonzero((weight == wanted) & ~taught)
        likeliest = chosen[np.argsort(-log_odds[chosen])]
        for share in SHARES if len(chosen) else ():
            first = likeliest[: int(len(chosen) * share)]
            least = 1 / (1 + np.exp(-log_odds[first[-1]]))
            yield f"{what}: {len(first)} likelier than {least:.2f}, {right[first].mean():.2f} of them right"


def taken() -> Iterator[str]:
    """Yield, by kind of text, what strict readers found right of what a graph takes."""
    read: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for sentence, rows in _judged("test").items():
        verdicts = _by_finding(rows)
        for a in extract({"id": "read", "text": sentence}).evidence.assertions:
            verdict = verdicts.get((a.source, a.target, a.type, a.negated))
            if verdict is not None and verdict.get("strict") and not a.doubtful:
                read[verdict["corpus"], a.type in CAUSAL].append(verdict["wrong"])
    for (corpus, is_causal), wrong in sorted(read.items()):
        right, vague = wrong.count(""), wrong.count("vague")
        kind = "causal arrows" if is_causal else "other relations"
        yield f"{corpus}, {kind}: {right} of {len(wrong)} right, {right + vague} with the doubtful ones"


def main() -> None:
    """Learn, and write or check."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="cross-validate instead of writing")
    options = parser.parse_args()
    rows = list(examples())
    names = [name for name in rows[0].signs if " " not in name]
    lines = ["chance:"]
    for is_causal, kind in ((True, "cause"), (False, "relation")):
        of_kind = [row for row in rows if row.is_causal == is_causal]
        if options.check:
            print(kind, *checked(of_kind, names), sep="\n  ")
        lines += [
            f"  {kind}:",
            *(f"    {n}: {w:.2f}" for n, w in zip(names, learned(of_kind, names), strict=True)),
        ]
    if options.check:
        print(*taken(), sep="\n")
        return
    text = LEXICON.read_text(encoding="utf-8")
    before, _, after = re.split(r"(^chance:\n(?:  .*\n)+)", text, flags=re.MULTILINE)
    LEXICON.write_text(before + "\n".join(lines) + "\n" + after, encoding="utf-8")


if __name__ == "__main__":
    main()
