"""Teach the reader that ships by a larger one: it labels sentences that nobody annotated.

    python -m benchmarks.parser.teach MPNET OUT TEXTS...

MPNET is a folder with all-mpnet-base-v2 (Apache-2.0). Nine of its layers, the upper five fine-tuned, learn
the relations of the annotated sentences, with the trees that the shipped reader sees. What the teacher then
says of the sentences of TEXTS, files of plain text in English, is written to OUT/taught.jsonl.gz, for
`benchmarks.parser.train --taught`. It takes two hours of two cores, and needs torch and transformers.
"""

import argparse
import gzip
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from transformers import AutoModel

from benchmarks.parser.labels import Text, texts
from benchmarks.parser.train import (
    PIECES,
    PIECES_OF_PAIRS,
    Lists,
    Network,
    Related,
    Sentence,
    Task,
    batched,
    padded,
    related,
    relation_scores,
    train,
)
from corpusgraph.flows.annotate.english import WEIGHTS, WordPieces

FROZEN, LAYERS, WIDTH = 4, 9, 768
EPOCHS = 3
SHORTEST, LONGEST = 6, 60
LEAST = 0.03
"""Of the chance that a pair is related at all; below, it is learned to be none."""


class Teacher(Network):
    """What the shipped network computes, over upper layers of MPNet."""

    def __init__(self, lists: Lists, folder: Path) -> None:
        whole = AutoModel.from_pretrained(folder)
        super().__init__(lists, nn.ModuleList(whole.encoder.layer[FROZEN:LAYERS]), WIDTH)
        self.pieces = WordPieces((folder / "vocab.txt").read_text(encoding="utf-8").split("\n"))
        self.pieces.numbers |= {"[CLS]": self.pieces.numbers["<s>"], "[SEP]": self.pieces.numbers["</s>"]}
        self._whole = (whole.eval(),)  # in a tuple: no weight that is learned
        self._below: dict[Sentence, torch.Tensor] = {}

    def states(self, batch: Sequence[Sentence]) -> torch.Tensor:
        """Return the vectors of pieces; those of the frozen layers are computed once."""
        ids, cases, mask = padded(batch)
        if any(sentence not in self._below for sentence in batch):
            self._read_below(batch, ids, mask)
        below = [self._below[sentence].float() for sentence in batch]
        vectors = nn.utils.rnn.pad_sequence(below, batch_first=True)
        return self._through(self.encoder, vectors + self.case(cases), mask)

    def forget(self) -> None:
        """Drop what was kept of sentences."""
        self._below.clear()

    @torch.no_grad()  # type: ignore[untyped-decorator]  # no stubs
    def _read_below(self, batch: Sequence[Sentence], ids: torch.Tensor, mask: torch.Tensor) -> None:
        whole = self._whole[0]
        vectors = self._through(whole.encoder.layer[:FROZEN], whole.embeddings(input_ids=ids), mask)
        for n, sentence in enumerate(batch):
            self._below[sentence] = vectors[n, : len(sentence.ids)].to(torch.float16)

    def _through(
        self, layers: Iterable[nn.Module], vectors: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        with torch.no_grad():
            distances = self._whole[0].encoder.compute_position_bias(vectors)
        unseen = ((1 - mask) * -1e4)[:, None, None]
        for layer in layers:
            vectors = layer(vectors, unseen, position_bias=distances)[0]
        return vectors


def sentences_of(paths: Iterable[Path], teacher: Teacher, processes: int) -> list[Related]:
    """Return the sentences of texts, each once, as the shipped reader parses them."""
    files = (file for path in paths for file in sorted(path.rglob("*.txt") if path.is_dir() else [path]))
    paragraphs = (
        Text("", "taught", " ".join(paragraph.split()), [])
        for file in files
        for paragraph in file.read_text(encoding="utf-8").split("\n\n")
    )
    sentences = related(WEIGHTS, paragraphs, teacher, processes)
    fitting = (sentence for sentence in sentences if SHORTEST <= len(sentence.words) <= LONGEST)
    return list({sentence.text: sentence for sentence in fitting}.values())


def taught_lines(batch: Sequence[Related], teacher: Teacher) -> Iterator[str]:
    """Yield a line for each sentence: its pairs by the places of their ends, chances of types and stances."""
    with torch.no_grad():
        scores, stance_scores = teacher.pairs(batch, teacher.states(batch))
    for n, sentence in enumerate(batch):
        size, start = len(sentence.ends), sentence.places[0][0]
        places = [sentence.places[end][0] - start for end in sentence.ends]
        chances = torch.softmax(scores[n, :size, :size], -1).double().numpy()
        stances = torch.softmax(stance_scores[n, :size, :size], -1).double().numpy().round(2)
        pairs = []
        for source, target in np.argwhere(1 - chances[:, :, 0] >= LEAST).tolist():
            if source != target:
                row = chances[source, target]
                types = {teacher.types[k]: round(float(row[k]), 3) for k in np.flatnonzero(row >= 0.005)}
                pairs.append([places[source], places[target], types, stances[source, target].tolist()])
        yield json.dumps({"text": sentence.text, "pairs": pairs}) + "\n"


def main() -> None:
    """Train the teacher, measure it, and write what it says of texts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mpnet", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(chosen.threads)
    torch.set_flush_denormal(True)
    chosen.out.mkdir(parents=True, exist_ok=True)
    with np.load(WEIGHTS) as shipped:
        lists = Lists(*(str(shipped[name]).split("\n") for name in Lists._fields))
    teacher = Teacher(lists, chosen.mpnet)
    annotated = (text for text in texts() if text.layer != "judged")
    sentences = related(WEIGHTS, annotated, teacher, chosen.threads)
    for sentence in sentences:
        sentence.bio = None  # names are not for it to learn
    learned = [sentence for sentence in sentences if not sentence.held_out]
    task = Task("relations", teacher.relation_loss, lambda dice: batched(learned, PIECES_OF_PAIRS, dice))
    for _ in train(teacher, [task], EPOCHS, (5e-5, 1e-3), chosen.out / "teacher.pt"):
        for layer in ("annotated", "causal"):
            unlearned = [each for each in sentences if each.held_out and each.layer == layer]
            print(layer, *relation_scores(teacher, unlearned), sep="\n", flush=True)
    teacher.forget()
    teacher.eval()
    sentences = sentences_of(chosen.texts, teacher, chosen.threads)
    print(f"{len(sentences)} sentences", flush=True)
    with gzip.open(chosen.out / "taught.jsonl.gz", "wt", encoding="utf-8") as lines:
        for batch in batched(sentences, PIECES, random.Random(0)):  # noqa: S311  their order
            lines.writelines(taught_lines(batch, teacher))
            teacher.forget()


if __name__ == "__main__":
    main()
