"""The sentences whose relations are labelled, one form for all files."""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from benchmarks.extraction.scoring import (
    ANNOTATED,
    _places,
    expected_statement,
    is_held_out,
    read_gold,
)
from corpusgraph.flows.annotate.english import KINDS
from corpusgraph.tasks.extract.arcs import NOTHING
from corpusgraph.tasks.extract.tree import Tree

JUDGED = Path(__file__).parents[1] / "extraction" / "judged.jsonl.gz"
NEITHER = ("vague", "modality", "denial", "sign")
"""What was wrong with a judged arrow although its heads are related."""
LETTERS = {kind: letter for letter, kind in KINDS.items()}
"""Kinds of names by the letters of `names.jsonl.gz`."""
Stance = tuple[bool, str]


class Taught(NamedTuple):
    """What a larger reader says of a pair: the chances of types, and of each way to put them."""

    types: Mapping[str, float]
    stances: Sequence[float]


class Label(NamedTuple):
    """Two characters' places, and what joins the words there; None where that does not count."""

    source: int
    target: int
    type: str | None
    stance: Stance | None = None
    taught: Taught | None = None


class Text(NamedTuple):
    """A text with labels; of a causal one only causes are annotated, of a judged one a single pair."""

    id: str
    layer: str
    text: str
    labels: list[Label]
    names: Sequence[tuple[int, int, str]] = ()


def texts() -> Iterator[Text]:
    """Yield all that is learned from or measured."""
    with gzip.open(ANNOTATED, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            labels = [
                Label(a["source"][0], a["target"][0], a["type"], (a["polarity"] == "denied", a["modality"]))
                for a in row["assertions"]
            ]
            names = [(start, end, LETTERS[kind]) for start, end, kind in row["names"] if kind in LETTERS]
            yield Text(row["source"], "annotated", row["text"], labels, names)
    for row in read_gold("gold_assertions_*.jsonl", "dev"):
        gold = [expected_statement(row, assertion) for assertion in row["assertions"]]
        labels = [
            Label(
                (s.source.head or s.source.span)[0],
                (s.target.head or s.target.span)[0],
                None if s.borderline else s.type,
                (s.negated, s.modality),
            )
            for s in gold
        ]
        yield Text(row["id"], "passage", row["text"], labels)
    for row in read_gold("causal_sentences.jsonl", "dev"):
        labels = []
        for arrow in row["arrows"]:
            places = min(
                product(*(_places(row["text"], arrow, end) for end in ("source", "target"))),
                key=lambda pair: abs(pair[0].span[0] - pair[1].span[0]),
            )
            source, target = ((end.head or end.span)[0] for end in places)
            stance = (arrow["polarity"] == "denied", arrow["modality"])
            labels.append(Label(source, target, arrow["type"], stance))
        yield Text(row["id"], "causal", row["text"], labels)
    with gzip.open(JUDGED, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            ends = [row["sentence"].find(row[end]) for end in ("source", "target")]
            learned = row["split"] == "dev" and not row.get("strict")  # strict ones tell how sure it may be
            if learned and min(ends) >= 0 and row.get("wrong") not in NEITHER:
                yield Text(
                    row["document"],
                    "judged",
                    row["sentence"],
                    [Label(ends[0], ends[1], row["type"] if row["right"] else NOTHING)],
                )


def taught_texts(file: Path) -> Iterator[Text]:
    """Yield the sentences that a larger reader labelled (`teach.py`)."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for n, row in enumerate(map(json.loads, lines)):
            labels = [
                Label(source, target, None, taught=Taught(types, stances))
                for source, target, types, stances in row["pairs"]
            ]
            yield Text(f"taught-{n}", "taught", row["text"], labels)


def is_held_out_text(text: Text) -> bool:
    """Tell a text that is measured, and not learned from: thresholds are chosen by those."""
    tenth = text.layer == "causal" and text.id.endswith("0")
    return tenth or (text.layer == "annotated" and is_held_out(text.id))


def token_at(read: Sequence[Tree], character: int) -> tuple[int, int] | None:
    """Return sentence and token of a character; of a part of a name or compound its head."""
    for place, tree in enumerate(read):
        if tree.start <= character < tree.end:
            token = tree.range_of(character, character + 1)[0]
            while tree.relations[token] in ("flat", "compound", "fixed", "goeswith", "det", "amod", "case"):
                if tree.heads[token] == token:
                    break
                token = tree.heads[token]
            return place, token
    return None
