"""Estimate how often readers agree with a causal arrow, from arrows that they judged.

    python -m benchmarks.extraction.reliability            # what the estimate is worth
    python -m benchmarks.extraction.reliability --write    # and write it: configs/reliability/en.yml

`judged.jsonl.gz` holds 2,282 causal arrows and 1,200 other relations that the extractor read off the
Federalist, inaugural addresses, two novels (public domain) and passages of HotpotQA and MuSiQue (Wikipedia,
CC BY-SA 4.0), each with its sentence and the verdict of a reader: right, or what is wrong. The readers were
language models with written instructions (READ.md); eight of them judged 24 arrows in common and agreed on
19 without exception, six judged 12 relations and agreed on all. What is read off the sentences of
`annotated.jsonl.gz` and off the single sentences of the gold's dev half counts too. A quarter of the
documents is held out: nothing is fitted or chosen on it. Only arrows are weighed: of the other relations 3
in 4 are right, whatever their trees look like (ROC AUC 0.6).
"""

import argparse
import gzip
import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import yaml
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from benchmarks.extraction.scoring import ANNOTATED, GOLD
from corpusgraph.flows.annotate.offline import ReadingOptions, offline_extractor
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Assertion
from corpusgraph.tasks.extract import relations
from corpusgraph.tasks.extract.reliability import chance, features, is_reliable

JUDGED = Path(__file__).with_name("judged.jsonl.gz")
WEIGHTS = Path(__file__).resolve().parents[2] / "configs" / "reliability" / "en.yml"
FEWEST = 8
"""Arrows that a feature needs to get a weight."""
STRENGTH = 0.1
"""Inverse strength of the penalty (L2)."""
HEAD = """\
# How often readers agree with a causal arrow: weights of a logistic regression over what its tree looks like
# (tasks/extract/reliability.py), written by `python -m benchmarks.extraction.reliability --write`.
"""


class Case(NamedTuple):
    """An arrow with the features of its tree, and whether it is right."""

    features: dict[str, float]
    right: bool
    document: str
    split: str


class Reader:
    """The extractor, with the features of all that it reads."""

    def __init__(self) -> None:
        self._extractor = offline_extractor(ReadingOptions())
        self._seen: dict[tuple[tuple[int, int], tuple[int, int]], dict[str, float]] = {}
        patch.object(relations, "reliability", self._note).start()

    def _note(self, tree: Any, statement: Any, ends: Any, stance: str, weights: Any) -> float:
        del weights
        self._seen[ends[0].span, ends[1].span] = dict(features(tree, statement, ends, stance))
        return 1.0

    def arrows(self, text: str) -> Iterator[tuple[Assertion, dict[str, float]]]:
        """Yield the causal arrows of a text with their features."""
        self._seen.clear()
        document = Document(id="doc_1", title="", text=text, source="", content_hash="", language="en")
        for arrow in self._extractor.extract(document, []).assertions:
            spans = (arrow.source_start, arrow.source_end), (arrow.target_start, arrow.target_end)
            if arrow.type in ("causes", "prevents") and spans in self._seen:
                yield arrow, self._seen[spans]


def judged_cases(reader: Reader) -> Iterator[Case]:
    """Yield what readers judged, as far as it is still read so."""
    sentences = defaultdict(list)
    with gzip.open(JUDGED, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            sentences[row["corpus"], row["document"], row["sentence"]].append(row)
    for (corpus, document, sentence), rows in sentences.items():
        for arrow, values in reader.arrows(sentence):
            for row in rows:
                right = _verdict(row, arrow, sentence)
                if right is not None:
                    yield Case(values, right, f"{corpus} {document}", row["split"])
                    break


def _verdict(row: Mapping[str, Any], arrow: Assertion, sentence: str) -> bool | None:
    """Return whether an arrow is right by what was said of one like it; None where it is another."""
    if arrow.type != row["type"] or arrow.modality not in ("fact", "modal"):
        return None
    ends = [
        " ".join(sentence[start:end].split())
        for start, end in (
            (arrow.source_start, arrow.source_end),
            (arrow.target_start, arrow.target_end),
        )
    ]
    same = ends == [row["source"], row["target"]]
    alike = all(a in b or b in a for a, b in zip(ends, (row["source"], row["target"]), strict=True))
    if row["right"]:
        return arrow.negated == row["denied"] if alike else None
    if row["wrong"] == "denial" and alike:
        return bool(arrow.negated != row["denied"])
    return False if same else None


def gold_cases(reader: Reader) -> Iterator[Case]:
    """Yield what is read off the single sentences of the gold's dev half."""
    for line in (GOLD / "causal_sentences.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["split"] != "dev":
            continue
        for arrow, values in reader.arrows(row["text"]):
            ends = (
                row["text"][arrow.source_start : arrow.source_end],
                row["text"][arrow.target_start : arrow.target_end],
            )
            right = any(
                _holds(ends[0], gold["source_head"]) and _holds(ends[1], gold["target_head"])
                for gold in row["arrows"]
            )
            yield Case(values, right, f"gold {row['id']}", "dev")


def annotated_cases(reader: Reader) -> Iterator[Case]:
    """Yield what is read off the annotated sentences; a quarter of their documents is held out."""
    with gzip.open(ANNOTATED, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            gold = [(a["source"], a["target"], a["type"]) for a in row["assertions"]]
            for arrow, values in reader.arrows(row["text"]):
                right = any(
                    arrow.source_start <= source[0] < arrow.source_end
                    and arrow.target_start <= target[0] < arrow.target_end
                    and type_ == arrow.type
                    for source, target, type_ in gold
                )
                held_out = zlib.crc32(row["source"].encode()) % 4 == 0
                yield Case(values, right, f"annotated {row['source']}", "test" if held_out else "dev")


def _holds(end: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", end, re.IGNORECASE) is not None


def fitted(cases: list[Case]) -> dict[str, float]:
    """Return feature -> weight, "" the intercept."""
    often = Counter(name for case in cases for name in case.features)
    chosen = {name for name, n in often.items() if n >= FEWEST}
    rows = [{name: value for name, value in case.features.items() if name in chosen} for case in cases]
    table = DictVectorizer()
    model = LogisticRegression(C=STRENGTH, max_iter=5000)
    model.fit(table.fit_transform(rows), [case.right for case in cases])
    weights = dict(zip(table.get_feature_names_out(), model.coef_[0], strict=True))
    return {"": float(model.intercept_[0])} | {name: float(weight) for name, weight in weights.items()}


def chances(cases: list[Case], weights: Mapping[str, float]) -> np.ndarray:
    """Return the estimated chance of each case."""
    return np.array([chance(case.features.items(), weights) for case in cases])


def described(name: str, cases: list[Case], estimated: np.ndarray) -> str:
    """Return a line: how many there are, how many are right, and of those that are kept."""
    right = np.array([case.right for case in cases])
    lengths = [round(np.exp(4 * case.features["length"])) for case in cases]
    sure = np.array([is_reliable(each, length) for each, length in zip(estimated, lengths, strict=True)])
    area = roc_auc_score(right, estimated)
    return (
        f"{name}: {len(cases)} arrows, {right.mean():.2f} right; ROC AUC {area:.2f}; "
        f"kept {sure.sum()}, {right[sure].mean():.2f} right (estimated {estimated[sure].mean():.2f}), "
        f"{right[sure].sum() / right.sum():.2f} of the right ones"
    )


def main() -> None:
    """Fit on the dev documents, say what it is worth by cross-validation and on the test documents."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write configs/reliability/en.yml")
    chosen = parser.parse_args()
    reader = Reader()
    judged = [*judged_cases(reader), *annotated_cases(reader)]
    own = list(gold_cases(reader))
    dev = [case for case in (*judged, *own) if case.split == "dev"]
    test = [case for case in judged if case.split == "test"]
    crossed = np.zeros(len(dev))
    for fold, rest in GroupKFold(10).split(dev, groups=[case.document for case in dev]):
        crossed[rest] = chances([dev[n] for n in rest], fitted([dev[n] for n in fold]))
    weights = fitted(dev)
    print(described("dev documents, cross-validated", dev, crossed))
    print(described("test documents", test, chances(test, weights)))
    print(described("single sentences of the gold", own, chances(own, weights)))
    if chosen.write:
        rounded = {name: round(weight, 3) for name, weight in sorted(weights.items()) if abs(weight) >= 0.005}
        body = yaml.safe_dump({"language": "en", "weights": rounded}, sort_keys=False, allow_unicode=True)
        WEIGHTS.parent.mkdir(exist_ok=True)
        WEIGHTS.write_text(HEAD + body, encoding="utf-8")


if __name__ == "__main__":
    main()
