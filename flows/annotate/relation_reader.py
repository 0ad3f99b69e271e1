"""The trained reader of relations that ships: a small BERT whose words are joined in pairs, in numpy.

`benchmarks.extraction.train_reader` makes its weights from MiniLM (Wang et al. 2020, arXiv:2002.10957;
all-MiniLM-L6-v2, Apache-2.0) and annotated sentences. Pairs are weighed by a biaffine classifier (Dozat &
Manning 2017, arXiv:1611.01734) beside a layer that knows how far both words are from each other.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from corpusgraph.flows.embed.bert import Bert, batches
from corpusgraph.flows.files.files import file_digest
from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.schemas.ports import Floats
from corpusgraph.tasks.extract.arcs import LEAST, STANCES, Arc, possible_ends
from corpusgraph.tasks.extract.tree import Tree

WEIGHTS = Path(__file__).with_name("relation_reader.npz")
HEADS = 12
"""Of the attention of MiniLM."""
MOST_PIECES = 250
FARTHEST, RUNGS = 7, 15
"""Steps through the tree, and half octaves of words, beyond which ends are equally far."""


class RelationReader:
    """Implements `tasks.extract.arcs.ArcReader`."""

    def __init__(self, path: Path = WEIGHTS) -> None:
        self._path = path

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the weights."""
        return file_digest(self._path, 8).hex()

    def read(self, sentences: Sequence[Tree]) -> list[list[Arc]]:
        """Return the arcs of each sentence that are at least `LEAST` sure."""
        return self._network.read(sentences)

    @cached_property
    def _network(self) -> "_Network":
        with np.load(self._path) as stored:
            return _Network(stored)


class _Network:
    """The weights, read when a first sentence is."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self._pieces = WordPieces(str(stored["pieces"]).split("\n"))
        self._types = str(stored["types"]).split("\n")
        self._causal = [n for n, type_ in enumerate(self._types) if type_ in CAUSAL]
        self._tags = {tag: n for n, tag in enumerate(str(stored["tags"]).split("\n"))}
        self._relations = {name: n for n, name in enumerate(str(stored["relations"]).split("\n"))}
        names = ("pieces", "types", "tags", "relations")
        self._weights = {name: _numbers(stored, name) for name in stored if name not in names}
        self._bert = Bert(self._weights, HEADS)

    def read(self, sentences: Sequence[Tree]) -> list[list[Arc]]:
        """Return the arcs of each sentence."""
        arcs: list[list[Arc]] = [[] for _ in sentences]
        ends = [possible_ends(tree) for tree in sentences]
        places = [place for place, heads in enumerate(ends) if len(heads) > 1]
        split = {place: self._split(sentences[place]) for place in places}
        places.sort(key=lambda place: len(split[place][0]))
        with threadpool_limits(limits=1, user_api="blas"):
            for batch in batches([len(split[place][0]) for place in places]):
                read_together = [places[n] for n in batch]
                states, starts = self._bert.states([split[place][0] for place in read_together])
                for place, first, last in zip(read_together, starts, starts[1:], strict=False):
                    _, begins, sizes = split[place]
                    words = np.add.reduceat(states[first:last], begins)[1:-1] / sizes[:, None]
                    heads = [head for head in ends[place] if head < len(words)]
                    if len(heads) > 1:
                        arcs[place] = list(self._arcs(sentences[place], heads, words[heads]))
        return arcs

    def _split(self, tree: Tree) -> tuple[Any, Any, Any]:
        """Return the numbers of a sentence's pieces, where each word's begin, and how many it has."""
        numbers = self._pieces.numbers
        ids, begins, sizes = [numbers["[CLS]"]], [0], []
        for pieces in map(self._pieces, tree.words):
            if len(ids) + len(pieces) >= MOST_PIECES:
                break
            begins.append(len(ids))
            sizes.append(len(pieces))
            ids += pieces
        begins.append(len(ids))
        ids.append(numbers["[SEP]"])
        return np.array(ids), np.array(begins), np.array(sizes, np.float32)

    def _arcs(self, tree: Tree, heads: Sequence[int], words: Floats) -> Iterator[Arc]:
        weights = self._weights
        tags = weights["tag"][[self._tags.get(tree.upos[head], 0) for head in heads]]
        relations = weights["relation"][[self._relations.get(tree.deprels[head], 0) for head in heads]]
        words = np.concatenate([words, tags, relations], axis=1)
        sources, targets = (_leaky(_affine(words, weights, name)) for name in ("source", "target"))
        sources, targets = (
            np.concatenate([rows, np.ones((len(heads), 1), np.float32)], axis=1)
            for rows in (sources, targets)
        )
        scores = np.einsum("nie,je->ijn", sources @ weights["pair"], targets, optimize=True)
        rungs, steps = distances(tree, heads)
        joined = _affine(words, weights, "first")[:, None] + _affine(words, weights, "second")[None]
        joined = _leaky(joined + weights["steps"][steps] + weights["rungs"][rungs])
        scores = scores + _affine(joined, weights, "kind")
        chances = _softmax(scores)
        sure = 1 - chances[:, :, 0]
        np.fill_diagonal(sure, 0)
        places = np.argwhere(sure >= LEAST)
        if not len(places):
            return
        rows, columns = places.T
        stances = _affine(joined[rows, columns], weights, "stance").argmax(axis=1)
        for row, column, stance in zip(rows, columns, stances, strict=True):
            chance = chances[row, column]
            type_ = 1 + int(chance[1:].argmax())
            yield Arc(
                heads[row],
                heads[column],
                self._types[type_],
                float(sure[row, column]),
                float(chance[self._causal].sum()),
                *STANCES[int(stance)],
            )


@cache
def relation_reader() -> RelationReader:
    """Return the reader that ships, loaded once."""
    return RelationReader()


def distances(tree: Tree, heads: Sequence[int]) -> tuple[Any, Any]:
    """Return how far heads are from one another: in words, with the side, and in steps through the tree.

    Returns
    -------
    rungs, steps : int arrays (heads, heads)
        Half octaves of words, 1 to 2 `RUNGS` + 1; steps up from the first, times 8, and up from the second.

    """
    at = np.array(heads)
    apart = at[None, :] - at[:, None]
    rungs = np.sign(apart) * np.minimum(np.ceil(np.log2(np.abs(apart) + 1) * 2), RUNGS).astype(int)
    ways = []
    for head in heads:
        way = {head: 0}
        while (above := tree.heads[head]) != head and above not in way:
            way[above] = len(way)
            head = above  # noqa: PLW2901  up to the root
        ways.append(way)
    steps = np.full((len(heads), len(heads)), FARTHEST * 8 + FARTHEST)
    for row, first in enumerate(ways):
        for column, second in enumerate(ways):
            meeting = next((token for token in second if token in first), None)
            if meeting is not None:
                steps[row, column] = 8 * min(first[meeting], FARTHEST) + min(second[meeting], FARTHEST)
    return rungs + RUNGS + 1, steps


class WordPieces:
    """Cuts words into pieces of a vocabulary: the longest from the left, without capitals and accents."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self.numbers = {piece: n for n, piece in enumerate(pieces)}
        self._cut: dict[str, list[int]] = {}

    def __call__(self, word: str) -> list[int]:
        """Return the numbers of a word's pieces, at least one."""
        if word not in self._cut:
            letters = unicodedata.normalize("NFD", word.lower())
            plain = "".join(letter for letter in letters if unicodedata.category(letter) != "Mn")
            cut = [number for part in _parts(plain) for number in self._of_part(part)]
            self._cut[word] = cut or [self.numbers["[UNK]"]]
        return self._cut[word]

    def _of_part(self, part: str) -> Iterator[int]:
        start = 0
        while start < len(part):
            prefix = "##" if start else ""
            ends = range(len(part), start, -1)
            end = next((end for end in ends if prefix + part[start:end] in self.numbers), None)
            if end is None:
                yield self.numbers["[UNK]"]
                return
            yield self.numbers[prefix + part[start:end]]
            start = end


def _parts(text: str) -> Iterator[str]:
    """Yield runs of letters and digits, and every other character but a space alone."""
    run = ""
    for character in text:
        if character.isalnum():
            run += character
            continue
        if run:
            yield run
        run = ""
        if not character.isspace():
            yield character
    if run:
        yield run


def _numbers(stored: Mapping[str, Any], name: str) -> Floats:
    """Return an array as float32; one of int8 is scaled by the array "NAME scale"."""
    values: Floats = stored[name].astype(np.float32)
    return values * stored[f"{name} scale"].astype(np.float32) if f"{name} scale" in stored else values


def _affine(rows: Floats, weights: Mapping[str, Floats], name: str) -> Floats:
    product: Floats = rows @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return product


def _leaky(rows: Floats) -> Floats:
    sloped: Floats = np.maximum(rows, np.float32(0.1) * rows)
    return sloped


def _softmax(scores: Floats) -> Floats:
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Floats = scores / scores.sum(axis=-1, keepdims=True)
    return shares
