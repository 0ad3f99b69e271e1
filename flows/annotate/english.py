"""The trained reader of English that ships: trees, names and relations from one small BERT, in numpy.

`benchmarks.parser.train` makes its weights from MiniLM (Wang et al. 2020, arXiv:2002.10957; all-MiniLM-L6-v2,
Apache-2.0), UD English-EWT and annotated sentences. Heads of words, their relations, and the arcs between
the ends of statements are weighed by biaffine classifiers (Dozat & Manning 2017, arXiv:1611.01734), the last
beside a layer that knows how far both words are from each other; names are marked word by word (BIO).
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import pairwise, product
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from corpusgraph.flows.annotate.paragraphs import LONGEST_SENTENCE, Paragraph, paragraphs
from corpusgraph.flows.embed.bert import Bert, batches, on_one_thread
from corpusgraph.flows.files.cache import code_fingerprint
from corpusgraph.flows.files.disk import file_digest
from corpusgraph.schemas.annotation import Annotation, Arc, Recognized
from corpusgraph.schemas.evidence import CAUSAL, Modality
from corpusgraph.schemas.ports import Floats
from corpusgraph.tasks.extract.arcs import LEAST, possible_ends
from corpusgraph.tasks.extract.tree import Tree, trees
from corpusgraph.tasks.text.sentences import sentence_spans

LANGUAGE = "en"
WEIGHTS = Path(__file__).with_name("english.npz")
HEADS = 12
"""Of the attention of MiniLM."""
MOST_PIECES = 250
"""Of a sentence; one that has more is cut."""
PIECES_OF_WORD = 8
BLOCK = 512
"""Sentences whose vectors are in memory together."""
FARTHEST, RUNGS = 7, 15
"""Steps through the tree, and half octaves of words, beyond which ends are equally far."""
ONE_ROOT = 1e6
"""What a word that hangs from the root costs, so that one does."""
KINDS = {"P": "person", "O": "organisation", "L": "place", "C": "concept"}
_DECIDING = (
    "corpusgraph.flows.annotate.english",
    "corpusgraph.flows.annotate.paragraphs",
    "corpusgraph.flows.embed.bert",
    "corpusgraph.tasks.extract.arcs",
    "corpusgraph.tasks.extract.tree",
    "corpusgraph.tasks.text.sentences",
)
"""Modules whose code decides what is read, besides the weights."""
_MODALITIES: tuple[Modality, ...] = ("fact", "modal", "hypothetical", "asked")
STANCES = tuple(product((False, True), _MODALITIES))
"""Whether it is denied, and how it is put: in the order of the weights, whatever that of `Modality`."""
_ONE_AT_A_TIME = Lock()
"""A tokenizer's vocabulary grows while it reads, which is not safe in threads."""
_CUTS = (";", ":", ",", "—", "--")
_PARTS = re.compile(r"[^\W_]+|[^\w\s]|_")
"""Runs of letters and digits, and every other character but a space alone."""


class Words(NamedTuple):
    """The words of a sentence, where they stand in the text, and their pieces."""

    words: list[str]
    starts: list[int]
    ends: list[int]
    pieces: list[list[int]]

    def part(self, first: int, last: int) -> "Words":
        """Return some of the words."""
        inside = slice(first, last)
        return Words(self.words[inside], self.starts[inside], self.ends[inside], self.pieces[inside])


class EnglishReader:
    """Implements `Annotator` for English, with names and arcs."""

    languages = frozenset({LANGUAGE})

    def __init__(self, path: Path = WEIGHTS) -> None:
        self._path = path

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the weights and of the code around them."""
        return f"english-{code_fingerprint(*_DECIDING)[:8]}-{file_digest(self._path, 8).hex()}"

    def annotate(self, texts: Sequence[str], language: str = LANGUAGE) -> list[Annotation]:
        """Read texts, a block of sentences at a time."""
        return [self._annotated(text, language) for text in texts]

    def parsed_words(self, words: Sequence[str]) -> Annotation:
        """Return the annotation of one sentence whose words are given, as if spaces stood between them."""
        ends = np.cumsum([len(word) + 1 for word in words]) - 1
        starts = [int(end) - len(word) for end, word in zip(ends, words, strict=True)]
        text = " ".join(words)
        return self._network.read(text, [self._network.words(words, starts, ends.tolist())])

    def with_arcs(self, text: str, annotation: Annotation) -> Annotation:
        """Return what another pipeline made of an English text, with the arcs that this one sees in it."""
        sentences, arcs, n_tokens = trees(text, annotation), list[Arc](), 0
        for first in range(0, len(sentences), BLOCK):
            block = sentences[first : first + BLOCK]
            arcs += [arc.moved(n_tokens) for arc in self._network.arcs_within(block)]
            n_tokens += sum(map(len, block))
        return replace(annotation, arcs=tuple(arcs))

    @cached_property
    def _network(self) -> "_Network":
        with np.load(self._path) as stored:
            return _Network(dict(stored))  # each array is read from the file when it is asked

    def _annotated(self, text: str, language: str) -> Annotation:
        network = self._network
        with _ONE_AT_A_TIME:
            sentences = [words for line in paragraphs(text) for words in _sentences(line, network)]
        blocks = [
            network.read(text, sentences[first : first + BLOCK]) for first in range(0, len(sentences), BLOCK)
        ]
        return Annotation.joined(language, blocks)


@cache
def english_reader() -> EnglishReader:
    """Return the reader that ships, loaded once."""
    return EnglishReader()


@cache
def tokenizer() -> Any:
    """Return spaCy's tokenizer of English."""
    import spacy

    return spacy.blank(LANGUAGE).tokenizer


def _sentences(line: Paragraph, network: "_Network") -> Iterator[Words]:
    """Yield the sentences of a paragraph, as punctuation divides it; what is too long is cut."""
    tokens = [token for token in tokenizer()(line.text) if not token.is_space]
    begins = [start for start, _ in sentence_spans(line.text)]
    sentence: list[Any] = []
    number = 0
    for token in tokens:
        place = bisect_right(begins, token.idx)
        if sentence and (place != number or token.idx - sentence[0].idx > LONGEST_SENTENCE):
            yield from _words(line, sentence, network)
            sentence = []
        number = place
        sentence.append(token)
    if sentence:
        yield from _words(line, sentence, network)


def _words(line: Paragraph, tokens: Sequence[Any], network: "_Network") -> Iterator[Words]:
    words = network.words(
        [token.text for token in tokens],
        [line.offset(token.idx) for token in tokens],
        [line.offset(token.idx + len(token) - 1) + 1 for token in tokens],
    )
    while (size := _fitting(words)) < len(words.words):
        yield words.part(0, size)
        words = words.part(size, len(words.words))
    yield words


def _fitting(words: Words) -> int:
    """Return how many words are read together: all, or those up to a mark within what fits."""
    ends = np.cumsum([len(pieces) for pieces in words.pieces])
    most = int(np.searchsorted(ends, MOST_PIECES, side="right"))
    if most == len(words.words):
        return most
    marks = (at for at in range(most, most // 2, -1) if words.words[at - 1] in _CUTS)
    return next(marks, most)


class _Network:
    """The weights, read when a first sentence is."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        lists = {name: str(array).split("\n") for name, array in stored.items() if array.dtype.kind == "U"}
        self._pieces = WordPieces(lists["pieces"])
        self._types = lists["types"]
        self._causal = [n for n, type_ in enumerate(self._types) if type_ in CAUSAL]
        self._tags = {tag: n for n, tag in enumerate(lists["tags"])}
        self._relations = {name: n for n, name in enumerate(lists["relations"])}
        self._labels = [tuple(label.split("|", 1)) for label in lists["labels"]]
        self._lemmas = dict(line.split("\t") for line in lists["lemmas"])
        self._deprels, self._scripts, self._bio = lists["deprels"], lists["scripts"], lists["bio"]
        self._weights = {name: _numbers(stored, name) for name in stored if name not in lists}
        self._bert = Bert(self._weights, HEADS)
        # relation x dependent x head -> one product for all relations
        label = self._weights.pop("label")
        self._label = np.ascontiguousarray(label.transpose(1, 0, 2).reshape(label.shape[1], -1))
        before = [[name[:1] != "I" or last[1:] == name[1:] for name in self._bio] for last in self._bio]
        self._follows = np.where(before, 0, -np.inf).astype(np.float32)

    def words(self, words: Sequence[str], starts: Sequence[int], ends: Sequence[int]) -> Words:
        """Return words with their pieces."""
        pieces = [self._pieces(word)[:PIECES_OF_WORD] for word in words]
        return Words(list(words), list(starts), list(ends), pieces)

    def _vectors(self, sentences: Sequence[Words]) -> list[Floats]:
        """Return the vectors of the words of each sentence, of those that fit: (words, dimension)."""
        numbers, cases = self._pieces.numbers, self._weights["case"]
        opening, closing = numbers["[CLS]"], numbers["[SEP]"]
        ids: list[Any] = []
        begins: list[Any] = []
        beside: list[Any] = []
        for sentence in sentences:
            ends = np.cumsum([0, *map(len, sentence.pieces)])
            size = int(np.searchsorted(ends, MOST_PIECES, side="right")) - 1
            flat = [piece for pieces in sentence.pieces[:size] for piece in pieces]
            case = [case_of(word) for word in sentence.words[:size]]
            ids.append(np.array([opening, *flat, closing]))
            begins.append(ends[: size + 1] + 1)
            beside.append(np.array([0, *np.repeat(case, np.diff(ends[: size + 1])), 0], int))
        vectors: list[Any] = [None] * len(sentences)
        order = sorted(range(len(sentences)), key=lambda place: len(ids[place]))
        for batch in batches([len(ids[place]) for place in order]):
            places = [order[n] for n in batch]
            shift = cases[np.concatenate([beside[place] for place in places])]
            states, starts = self._bert.states([ids[place] for place in places], shift)
            for place, start in zip(places, starts, strict=False):
                at = begins[place]
                sums = np.add.reduceat(states, start + at, axis=0)[:-1]
                vectors[place] = sums / np.diff(at)[:, None].astype(np.float32)
        return vectors

    def read(self, text: str, sentences: Sequence[Words]) -> Annotation:
        """Return the annotation of some sentences of a text."""
        with on_one_thread():
            vectors = self._vectors(sentences)
            parts = [self._parsed(*both) for both in zip(sentences, vectors, strict=True)]
            block = Annotation.joined(LANGUAGE, parts)
            return replace(block, arcs=tuple(self._arcs_within(trees(text, block), vectors)))

    def arcs_within(self, sentences: Sequence[Tree]) -> list[Arc]:
        """Return the arcs of sentences that another pipeline parsed, ends counted from the first token."""
        words = [self.words(tree.words, tree.starts, tree.ends) for tree in sentences]
        with on_one_thread():
            return list(self._arcs_within(sentences, self._vectors(words)))

    def _arcs_within(self, sentences: Sequence[Tree], vectors: Sequence[Floats]) -> Iterator[Arc]:
        n_tokens = 0
        for tree, words in zip(sentences, vectors, strict=True):
            yield from (arc.moved(n_tokens) for arc in self._arcs(tree, words))
            n_tokens += len(tree)

    def _parsed(self, sentence: Words, words: Floats) -> Annotation:
        """Return tags, lemmas, tree and names of a sentence."""
        weights = self._weights
        labels = [self._labels[n] for n in _affine(words, weights, "tagger").argmax(axis=1)]
        scripts = [self._scripts[n] for n in _affine(words, weights, "lemma").argmax(axis=1)]
        lemmas = [
            self._lemmas.get(f"{word.lower()} {tag}") or lemma_after(script, word)
            for word, (tag, _), script in zip(sentence.words, labels, scripts, strict=True)
        ]
        whole = np.concatenate([weights["root"][None], words])
        dependents = _with_one(_leaky(_affine(words, weights, "dep")))
        scores = dependents @ weights["arc"] @ _leaky(_affine(whole, weights, "head")).T
        heads = best_tree(scores)
        below = _with_one(_leaky(_affine(words, weights, "depl")))
        above = _with_one(_leaky(_affine(whole[heads], weights, "headl")))
        product = (below @ self._label).reshape(len(words), len(self._deprels), -1)
        relations = np.einsum("nre,ne->nr", product, above).argmax(axis=1)
        upos, feats = zip(*labels, strict=True)
        return Annotation(
            LANGUAGE,
            tuple(sentence.starts),
            tuple(sentence.ends),
            tuple(lemmas),
            upos,
            tuple("" if feat == "_" else feat for feat in feats),
            tuple(place if head == 0 else head - 1 for place, head in enumerate(heads.tolist())),
            tuple(
                "root" if head == 0 else self._deprels[relation]
                for head, relation in zip(heads.tolist(), relations, strict=True)
            ),
            (0,),
            tuple(self._names(sentence, _affine(words, weights, "name"))),
        )

    def _names(self, sentence: Words, scores: Floats) -> Iterator[Recognized]:
        """Yield the names on the best path through the labels of the words (Viterbi)."""
        logs = np.log(_softmax(scores))
        total = np.where([label[:1] == "I" for label in self._bio], -np.inf, logs[0])
        back = []
        for row in logs[1:]:
            ways = total[:, None] + self._follows
            back.append(ways.argmax(axis=0))
            total = ways.max(axis=0) + row
        path = [int(total.argmax())]
        for best in reversed(back):
            path.append(int(best[path[-1]]))
        path.reverse()
        first = None
        for place, (label, following) in enumerate(pairwise([*path, 0])):
            if self._bio[label][:1] == "B":
                first = place
            if first is not None and self._bio[following][:1] != "I":
                sure = float(np.exp(logs[range(first, place + 1), path[first : place + 1]].mean()))
                kind = KINDS[self._bio[label][1:]]
                yield Recognized(sentence.starts[first], sentence.ends[place], kind, round(sure, 2))
                first = None

    def _arcs(self, tree: Tree, vectors: Floats) -> Iterator[Arc]:
        """Yield the relations between two words of a sentence that are at least `LEAST` sure."""
        weights = self._weights
        heads = [head for head in possible_ends(tree) if head < len(vectors)]
        if len(heads) < 2:
            return
        tags = weights["tag"][[self._tags.get(tree.upos[head], 0) for head in heads]]
        relations = weights["relation"][[self._relations.get(tree.deprels[head], 0) for head in heads]]
        words = np.concatenate([vectors[heads], tags, relations], axis=1)
        sources, targets = (_with_one(_leaky(_affine(words, weights, name))) for name in ("source", "target"))
        scores = np.einsum("nie,je->ijn", sources @ weights["pair"], targets, optimize=True)
        rungs, steps = distances(tree, heads)
        joined = _affine(words, weights, "first")[:, None] + _affine(words, weights, "second")[None]
        joined = _leaky(joined + weights["steps"][steps] + weights["rungs"][rungs])
        chances = _softmax(scores + _affine(joined, weights, "kind"))
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
                round(float(sure[row, column]), 2),  # digits that any processor agrees on
                round(float(chance[self._causal].sum()), 2),
                *STANCES[int(stance)],
            )


def best_tree(scores: Any) -> Any:
    """Return the heads of the tree with the highest sum of scores: one word is its root, no arcs cross.

    Eisner 1996, every length of span at a time. Less than one arc in a hundred crosses another in English.

    Parameters
    ----------
    scores : float array (words, words + 1)
        How well each word hangs from the root (column 0) and from each word.

    Returns
    -------
    int array (words,)
        0 for the root, else the number of the head, from 1.

    """
    size = len(scores) + 1
    weights = np.full((size, size), -np.inf)  # node, head
    weights[1:] = scores
    weights[1:, 0] -= ONE_ROOT
    # Sums of spans: all hangs below the first or the last node (`down`, `up`), also with an arc between these
    # two (`joined_down`, `joined_up`). A row for each length, a column for each first or last node.
    down_by_first, down_by_last, up_by_first, up_by_last, joined_down, joined_up = np.full(
        (6, size, size), -np.inf
    )
    for rows in (down_by_first, down_by_last, up_by_first, up_by_last):
        rows[0] = 0.0
    cut, down_cut, up_cut = np.zeros((3, size, size), int)
    for length in range(1, size):
        first, last = slice(0, size - length), slice(length, size)
        pairs = np.arange(size - length), np.arange(length, size)
        halves = down_by_first[:length, first] + up_by_last[length - 1 :: -1, last]
        cut[pairs], best = halves.argmax(axis=0), halves.max(axis=0)
        joined_up[length, last] = best + weights[pairs]
        joined_down[length, first] = best + weights[pairs[::-1]]
        halves = up_by_first[:length, first] + joined_up[length:0:-1, last]
        up_cut[pairs] = halves.argmax(axis=0)
        up_by_first[length, first] = up_by_last[length, last] = halves.max(axis=0)
        halves = joined_down[1 : length + 1, first] + down_by_last[length - 1 :: -1, last]
        down_cut[pairs] = halves.argmax(axis=0) + 1
        down_by_first[length, first] = down_by_last[length, last] = halves.max(axis=0)
    heads = np.zeros(size, int)
    spans = [(0, size - 1, True)]
    while spans:
        first_node, last_node, is_down = spans.pop()
        if first_node == last_node:
            continue
        if is_down:
            node = first_node + down_cut[first_node, last_node]
            heads[node] = first_node
            spans.append((node, last_node, True))
            last_node = node
        else:
            node = first_node + up_cut[first_node, last_node]
            heads[node] = last_node
            spans.append((first_node, node, False))
            first_node = node
        middle = first_node + cut[first_node, last_node]
        spans += [(first_node, middle, True), (middle + 1, last_node, False)]
    return heads[1:]


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
    size = len(tree)
    # steps from a head up to each token, `size` where the token is not above it
    depth = np.full((len(heads), size), size)
    for row, head in enumerate(heads):
        token, n_steps = head, 0
        while depth[row, token] == size:
            depth[row, token] = n_steps
            token, n_steps = tree.heads[token], n_steps + 1
    both = depth[:, None, :] + depth[None, :, :]
    meeting = both.argmin(axis=2)
    up = np.take_along_axis(depth, meeting, axis=1)
    down = np.take_along_axis(depth, meeting.T, axis=1).T
    return rungs + RUNGS + 1, 8 * np.minimum(up, FARTHEST) + np.minimum(down, FARTHEST)


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
            cut = [number for part in _PARTS.findall(plain) for number in self._of_part(part)]
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


def case_of(word: str) -> int:
    """Return how a word is written: small, with a capital, all capitals, mixed, a number, or no letters.

    MiniLM reads small letters.
    """
    if not word.isalpha():
        return 5 if word[:1].isalnum() else 0
    if word.islower():
        return 1
    if word.isupper():
        return 3 if len(word) > 1 else 2
    return 2 if word.istitle() else 4


def lemma_after(script: str, word: str) -> str:
    """Return a word after a script: small or as it is, without its last letters, with others."""
    case, n_cut, suffix = script.split("|", 2)
    base = word.lower() if case == "L" else word
    return (base[: len(base) - int(n_cut)] + suffix if int(n_cut) <= len(base) else base) or word


def _numbers(stored: Mapping[str, Any], name: str) -> Floats:
    """Return an array as float32; one of int8 is scaled by the array "NAME scale"."""
    values: Floats = stored[name].astype(np.float32)
    return values * stored[f"{name} scale"].astype(np.float32) if f"{name} scale" in stored else values


def _affine(rows: Floats, weights: Mapping[str, Floats], name: str) -> Floats:
    product: Floats = rows @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return product


def _with_one(rows: Floats) -> Floats:
    return np.concatenate([rows, np.ones((len(rows), 1), np.float32)], axis=1)


def _leaky(rows: Floats) -> Floats:
    sloped: Floats = np.maximum(rows, np.float32(0.1) * rows)
    return sloped


def _softmax(scores: Floats) -> Floats:
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Floats = scores / scores.sum(axis=-1, keepdims=True)
    return shares
