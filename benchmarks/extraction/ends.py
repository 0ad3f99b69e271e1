"""Learn which words belong to the end of a relation: `python -m benchmarks.extraction.ends`, from the root.

Writes the weights of `tasks/extract/ends.py` to configs/lexicons/ends.yml. Learned from `ends.jsonl.gz`:
sentences of `annotated.jsonl.gz`, for whose assertions language models marked the words that each end needs,
with these instructions: as short as keeps the sense, so that the relation could be read without its sentence.

With `--check` it prints how many ends are right, by cross-validation over documents.
"""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from scipy.sparse import csr_matrix

from benchmarks.extraction.logistic import fitted, folds_of
from benchmarks.parser.labels import token_at
from corpusgraph.flows.annotate.english import english_reader
from corpusgraph.schemas.annotation import Arc
from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.tasks.extract.arcs import statement_of
from corpusgraph.tasks.extract.ends import ARTICLES, Branch, branches, phrase_tokens
from corpusgraph.tasks.extract.tree import Tree, trees

MARKED = Path(__file__).with_name("ends.jsonl.gz")
WEIGHTS = Path(__file__).resolve().parents[2] / "configs" / "lexicons" / "ends.yml"
FEWEST = 40
"""Branches that a sign is seen at, to have a weight."""
PENALTY = 3.0
"""Of squared weights."""
LEAST = 30
"""Of a weight, in hundredths; lesser ones are left out, and the others learned again."""
FOLDS = 5


class MarkedEnd(NamedTuple):
    """An end of a relation; `span` are its tokens, half-open."""

    document: str
    kind: str
    is_causal: bool
    tree: Tree
    head: int
    others: tuple[int, ...]
    clause: bool
    span: tuple[int, int]

    def branches(self) -> list[Branch]:
        """Return what may belong to it."""
        return list(branches(self.tree, self.head, self.others, clause=self.clause))

    def read_by(self, weights: Mapping[str, int]) -> tuple[int, int]:
        """Return the tokens that weights give it, half-open."""
        return phrase_tokens(self.tree, self.head, self.others, weights, clause=self.clause)


def marked_ends() -> Iterator[MarkedEnd]:
    """Yield the ends whose head is a token of the tree, as extraction asks for them."""
    with gzip.open(MARKED, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    parsed = english_reader().annotate([row["text"] for row in rows])
    for row, annotation in zip(rows, parsed, strict=True):
        read = trees(row["text"], annotation)
        for assertion in row["assertions"]:
            source, target = (token_at(read, assertion[side][0]) for side in ("source", "target"))
            if source is not None and target is not None:
                (place, source_head), (other_place, target_head) = source, target
                if place == other_place and source_head != target_head:
                    yield from _ends_of(row, assertion, read[place], source_head, target_head)


def _ends_of(
    row: Mapping[str, Any], assertion: Mapping[str, Any], tree: Tree, source: int, target: int
) -> Iterator[MarkedEnd]:
    is_causal = assertion["type"] in CAUSAL
    statement = statement_of(
        tree, Arc(source, target, assertion["type"], 1.0, float(is_causal), denied=False, modality="fact")
    )
    cue = () if statement is None else statement.cue
    if statement is None and assertion["cue"]:
        cue = tuple(range(*tree.range_of(*assertion["cue"])))
    clause = statement is not None and statement.between_clauses
    for side, head, other in (("source", source, target), ("target", target, source)):
        if f"{side}_words" in assertion:
            first, last = tree.range_of(*assertion[f"{side}_words"])
            first += first < head and tree.lows[first] in ARTICLES
            span = first, last
            yield MarkedEnd(row["source"], row["kind"], is_causal, tree, head, (other, *cue), clause, span)


def learned(ends: Sequence[MarkedEnd], below: Sequence[Sequence[Branch]]) -> dict[str, int]:
    """Return the weights of signs, in hundredths: a logistic regression of what belongs to an end."""
    often = Counter(sign for of_end in below for branch in of_end for sign in branch.signs)
    weights = dict.fromkeys((sign for sign, n in sorted(often.items()) if n >= FEWEST), LEAST)
    for _ in range(2):
        weights = _fitted(ends, below, [sign for sign, weight in weights.items() if abs(weight) >= LEAST])
    return {sign: weight for sign, weight in weights.items() if weight}


def _fitted(
    ends: Sequence[MarkedEnd], below: Sequence[Sequence[Branch]], signs: Sequence[str]
) -> dict[str, int]:
    numbers = {sign: number for number, sign in enumerate(signs)}
    rows, inside, sizes = list[list[int]](), list[bool](), list[int]()
    for end, of_end in zip(ends, below, strict=True):
        within = range(*end.span)
        for parent, token, its_signs in of_end:
            if parent in within:
                rows.append([numbers[sign] for sign in its_signs if sign in numbers])
                inside.append(token in within)
                sizes.append(len(end.tree.subtree(token)))
    places = np.cumsum([0, *map(len, rows)])
    held = csr_matrix(
        (np.ones(places[-1]), np.concatenate(rows).astype(int), places), shape=(len(rows), len(signs))
    )
    share = np.sqrt(np.minimum(sizes, 6))  # a long branch counts for more than a word
    weights = fitted(held, np.array(inside, float), share, PENALTY)
    return {sign: round(100 * float(weight)) for sign, weight in zip(signs, weights, strict=True)}


def shared(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Return the F1 of the tokens of one span against another's."""
    both = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    return 2 * both / (one[1] - one[0] + other[1] - other[0])


def checked(ends: Sequence[MarkedEnd]) -> Iterator[str]:
    """Yield which share of ends has the words marked, by weights that have not seen their documents."""
    below = [end.branches() for end in ends]
    fold = folds_of((end.document for end in ends), FOLDS)
    spans: dict[int, tuple[int, int]] = {}
    for held_out in range(FOLDS):
        seen = np.flatnonzero(fold != held_out).tolist()
        weights = learned([ends[n] for n in seen], [below[n] for n in seen])
        spans |= {n: ends[n].read_by(weights) for n in np.flatnonzero(fold == held_out).tolist()}
    kinds = {
        kind: [n for n, end in enumerate(ends) if end.kind == kind] for kind in sorted({e.kind for e in ends})
    }
    chosen = {
        "all": list(range(len(ends))),
        "causal": [n for n, end in enumerate(ends) if end.is_causal],
        "of clauses": [n for n, end in enumerate(ends) if end.clause],
        **kinds,
    }
    for name, places in chosen.items():
        same = [spans[n] == ends[n].span for n in places]
        alike = [shared(spans[n], ends[n].span) for n in places]
        yield f"{name}: {len(places)} ends, {np.mean(same):.3f} as marked, F1 of words {np.mean(alike):.3f}"


def main() -> None:
    """Learn, and write or check."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="cross-validate instead of writing")
    options = parser.parse_args()
    ends = list(marked_ends())
    if options.check:
        print(*checked(ends), sep="\n")
        return
    weights = learned(ends, [end.branches() for end in ends])
    header = "# What belongs to the end of a relation; made by `python -m benchmarks.extraction.ends`.\n"
    body = yaml.safe_dump({"branches": weights}, allow_unicode=True, width=200, sort_keys=True)
    WEIGHTS.write_text(header + body, encoding="utf-8")


if __name__ == "__main__":
    main()
