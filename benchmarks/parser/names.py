"""Train the recogniser of names that ships as a component of the English pipeline.

    python -m benchmarks.parser.names OUT [--silver SILVER] [--epochs 10]

It is a transition-based recogniser (spaCy's `ner`) with an encoder of its own, smaller than the parser's:
what the parser's makes of a text helps too little. OUT gets the shipped pipeline with the component. SILVER
are texts that a larger recogniser has read, see `benchmarks.parser.names_teacher`. The weights that ship were
made in two steps (twenty minutes of one core); F1 of exact spans on the dev part, by type P, O, L, C:

    names_teacher TEXTS SILVER       texts of 470,000 words, as for the parser    .90 .79 .87 .68
    names OUT --silver SILVER --epochs 9                                          .78 .67 .77 .54

The annotation
--------------
`names.jsonl.gz` has a text a line, with its `names` as [start, end, type] (P person, O organisation, L place,
C other name) and its `part` (train, dev, test): 6,122 sentences of UD_English-EWT (train and dev) that hold a
proper noun, 1,100 passages of Wikipedia from MuSiQue and HotpotQA, 2,344 sentences of UD_English-EWT
without a proper noun, which are taken to hold no name, and 1,600 passages that language models wrote.
Language models read the texts after the guidelines in `names.md` and marked the names; no person has
checked them. Texts and annotation: CC BY-SA 4.0, as the treebank and Wikipedia are.
"""

import argparse
import gzip
import json
import random
import time
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.training import Example
from thinc.api import Adam, fix_random_seed, set_current_ops

from benchmarks.parser.train import CURLY, META, batches, encoder, write
from corpusgraph.flows.annotate.pipelines import SHIPPED, with_word_classes
from corpusgraph.flows.annotate.products import BlasOps, set_precision

DATA = Path(__file__).parent / "names.jsonl.gz"
LABELS = {"P": "PERSON", "O": "ORG", "L": "LOC", "C": "MISC"}
Row = dict[str, Any]


def recogniser(nlp: Language, width: int) -> Any:
    """Add the untrained component."""
    model = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "ner",
        "extra_state_tokens": False,
        "hidden_width": 64,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": encoder(width, depth=4, rows=[5000, 1000, 2500, 1000, 100]),
    }
    component: Any = nlp.add_pipe("ner", config={"model": model})
    for label in LABELS.values():
        component.add_label(label)
    return component


def read_rows(path: Path) -> list[Row]:
    """Return the lines of a file of annotated texts."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def augmented(text: str, dice: random.Random) -> str:
    """Return a text as another printer sets it, now and then: lower case, capitals, curly quotes."""
    roll = dice.random()
    if roll < 0.04:
        changed = text.lower()
    elif roll < 0.06:
        changed = text.upper()
    else:
        changed = text.translate(CURLY) if roll < 0.15 else text
    return changed if len(changed) == len(text) else text


def example(nlp: Language, row: Row, dice: random.Random | None = None) -> Example:
    """Return a text as the pipeline cuts it beside its names."""
    text = augmented(row["text"], dice) if dice else row["text"]
    reference = nlp.make_doc(text)
    spans = [
        reference.char_span(start, end, label=LABELS[kind], alignment_mode="expand")
        for start, end, kind in row["names"]
    ]
    reference.set_ents(spacy.util.filter_spans([span for span in spans if span is not None]))
    return Example(with_word_classes(nlp.make_doc(text)), reference)


def scores_on(nlp: Language, component: Any, rows: list[Row]) -> dict[str, Any]:
    """Return F1 of all, and precision, recall and F1 by label."""
    examples = [example(nlp, row) for row in rows]
    for item in examples:
        item.predicted = component(item.predicted)
    score = component.score(examples)
    types = {label: [round(of[part], 3) for part in "prf"] for label, of in score["ents_per_type"].items()}
    return {"all": round(score["ents_f"], 4)} | dict(sorted(types.items()))


def main() -> None:
    """Train, keep the best of all epochs by F1 on the dev part, write the pipeline."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--silver", type=Path)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--width", type=int, default=80)
    parser.add_argument("--dropout", type=float, default=0.2)
    chosen = parser.parse_args()
    fix_random_seed(1)
    set_current_ops(BlasOps())
    dice = random.Random(1)  # noqa: S311 - no secret
    nlp = spacy.load(SHIPPED["en"], exclude=["ner"])
    set_precision(nlp, "float32")
    rows = read_rows(DATA)
    train = [row for row in rows if row["part"] == "train"]
    dev = [row for row in rows if row["part"] == "dev"]
    items = [*train, *(read_rows(chosen.silver) if chosen.silver else ())]
    component = recogniser(nlp, chosen.width)
    component.initialize(lambda: [example(nlp, row) for row in train[:300]], nlp=nlp)
    optimizer = Adam(0.001, L2=0.01, grad_clip=1.0, L2_is_weight_decay=True, use_averages=True)
    best, began = 0.0, time.process_time()
    for epoch in range(chosen.epochs):
        optimizer.learn_rate = 0.001 * min(1.0, 2 * (1 - epoch / chosen.epochs))
        dice.shuffle(items)
        size = int(400 * min(5.0, 1.25**epoch))
        with nlp.select_pipes(enable=["ner"]):
            for batch in batches((example(nlp, row, dice) for row in items), size):
                nlp.update(batch, sgd=optimizer, drop=chosen.dropout)
        with component.model.use_params(optimizer.averages):
            scores = scores_on(nlp, component, dev)
            print(epoch, scores, round(time.process_time() - began), "CPU s", flush=True)
            if scores["all"] > best:
                best = scores["all"]
                nlp.meta.update(META, performance=nlp.meta["performance"] | {"names": scores})
                write(nlp, chosen.out)


if __name__ == "__main__":
    main()
