"""Train the English pipeline that ships with the package: tags, morphology, lemmas and dependencies.

    python -m benchmarks.parser.train TREEBANK OUT [--epochs 20]

TREEBANK is a folder of a Universal Dependencies treebank (`train.conllu.gz`, `dev.conllu.gz`). Everything but
the weights is decided here: the same seed on the same processor gives the same pipeline.

The weights that ship were made in five steps (an hour and a half of one core); T is what the teacher parsed:

    train TREEBANK A --width 128 --epochs 11                                         dev LAS 80.3
    teacher TREEBANK TEXTS T1 --epochs 2; then T2 --epochs 3 --resume T1/teacher.pt          87.8
    train TREEBANK B --resume A --silver T1 --epochs 3 --learn-rate 0.0008 --dropout 0.12    80.7
    train TREEBANK C --resume B --silver T2 --epochs 3 --learn-rate 0.0008 --dropout 0.1     82.0
    train TREEBANK D --resume C --silver T2 --epochs 3 --learn-rate 0.0003 --dropout 0.08    82.2
"""

import argparse
import gzip
import json
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.language import Language
from spacy.symbols import ORTH
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex
from thinc.api import Adam, fix_random_seed, set_current_ops

from corpusgraph.flows.annotate.pipelines import with_word_classes
from corpusgraph.flows.annotate.products import BlasOps, set_precision

META = {
    "name": "ewt",
    "version": "1.0.0",
    "description": "English dependencies, tags, morphology, lemmas and names, trained on UD English-EWT",
    "author": "corpusgraph",
    "license": "CC-BY-SA-4.0",
    "sources": [
        {
            "name": "Universal Dependencies English Web Treebank (UD_English-EWT), state of 2025-05-10",
            "author": "Natalia Silveira, Timothy Dozat, Marie-Catherine de Marneffe, Samuel Bowman, "
            "Miriam Connor, John Bauer and Christopher D. Manning (2014); Leland Stanford Junior University",
            "license": "CC BY-SA 4.0",
            "url": "https://universaldependencies.org/treebanks/en_ewt/",
        },
        {
            "name": "Sentences of HotpotQA and MuSiQue (Wikipedia), the Federalist, two novels and inaugural "
            "addresses, parsed by a teacher trained on the treebank",
            "author": "contributors of Wikipedia; Yang et al. 2018; Trivedi et al. 2022; the public domain",
            "license": "CC BY-SA 4.0; CC BY 4.0; public domain",
            "url": "https://hotpotqa.github.io/",
        },
        {
            "name": "Names that language models marked, and no person checked, in texts of these sources and "
            "in passages that they wrote: benchmarks/parser/names.jsonl.gz",
            "author": "corpusgraph",
            "license": "CC BY-SA 4.0",
            "url": "https://universaldependencies.org/treebanks/en_ewt/",
        },
    ],
}
CURLY = str.maketrans({"'": "\u2019", '"': "\u201d"})


class Paragraph:
    """Sentences that stand together in the treebank, with the text that they were split from."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.spaces: list[bool] = []
        self.pos: list[str] = []
        self.morphs: list[str] = []
        self.lemmas: list[str] = []
        self.heads: list[int] = []
        self.deps: list[str] = []
        self.starts: list[bool] = []

    def add(self, rows: list[list[str]], glued: dict[int, bool]) -> None:
        """Append a sentence; `glued` says of a word inside a multi-word token whether a space follows it."""
        base = len(self.words)
        for place, row in enumerate(rows):
            self.words.append(row[1])
            self.spaces.append(glued.get(int(row[0]), "SpaceAfter=No" not in row[9]))
            self.pos.append(row[3])
            self.morphs.append("" if row[5] == "_" else row[5])
            self.lemmas.append("" if row[2] == "_" and row[1] != "_" else row[2])
            self.heads.append(base + (int(row[6]) - 1 if row[6] != "0" else place))
            self.deps.append("ROOT" if row[6] == "0" else row[7])
            self.starts.append(place == 0)

    def doc(self, vocab: spacy.vocab.Vocab) -> Doc:
        """Return the reference."""
        return Doc(
            vocab,
            words=self.words,
            spaces=self.spaces,
            pos=self.pos,
            morphs=self.morphs,
            lemmas=self.lemmas,
            heads=self.heads,
            deps=self.deps,
            sent_starts=list(self.starts),
        )


def paragraphs(path: Path, longest: int = 12) -> Iterator[Paragraph]:
    """Yield the paragraphs of a CoNLL-U file, cut after `longest` sentences."""
    paragraph, rows, n_sentences = Paragraph(), [], 0
    glued: dict[int, bool] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith(("# newpar", "# newdoc")) and paragraph.words:
                yield paragraph
                paragraph, n_sentences = Paragraph(), 0
            elif line[0].isdigit():
                cells = line.rstrip("\n").split("\t")
                if "-" in cells[0]:
                    first, last = map(int, cells[0].split("-"))
                    glued |= dict.fromkeys(range(first, last), False)
                    glued[last] = "SpaceAfter=No" not in cells[9]
                elif "." not in cells[0]:
                    rows.append(cells)
            elif not line.strip() and rows:
                paragraph.add(rows, glued)
                rows, glued, n_sentences = [], {}, n_sentences + 1
                if n_sentences == longest:
                    yield paragraph
                    paragraph, n_sentences = Paragraph(), 0
    if paragraph.words:
        yield paragraph


RUNS = r"([!?.]{2,}|[=*_~#$<>+^|-]{2,})"
SPELLINGS = {
    **{
        word: (word,)
        for word in ("b/c", "w/o", "c/o", "No.", "Ft.", "e-mail", "E-mail", "e-mails", "E-mails")
    },
    "wanna": ("wan", "na"),
    "outta": ("out", "ta"),
    "dunno": ("du", "n", "no"),
    "alot": ("a", "lot"),
    "gonna": ("gon", "na"),
    "gotta": ("got", "ta"),
}


def cut_as_in_the_treebank(nlp: Language) -> None:
    """Set the tokenizer's rules: a run of marks is one token; slashes, ampersands, some hyphens are cut."""
    cutter: Any = nlp.tokenizer
    defaults: Any = nlp.Defaults
    infixes = [
        *defaults.infixes,
        RUNS,
        r"(?<=[A-Za-z])[/&](?=[A-Za-z])",
        r"(?<=[A-Za-z])[-–](?=[0-9])",
        r"(?<=[a-z]{2})[?!,;:(](?=[A-Za-z])",
        r"(?<=[A-Za-z0-9])[\"<>;](?=[A-Za-z0-9<\"])",
        r"\)(?=[.(:])",
    ]
    cutter.prefix_search = compile_prefix_regex([RUNS, *defaults.prefixes]).search
    cutter.suffix_search = compile_suffix_regex([RUNS, *defaults.suffixes]).search
    cutter.infix_finditer = compile_infix_regex(infixes).finditer
    cutter.token_match = re.compile(r"(?:\d{3}-)?\d{3}-\d{4}|\d{1,2}-[A-Z][a-z]{2}-\d{2,4}").fullmatch
    rules = {word: parts for word, parts in cutter.rules.items() if word.lower() != "and/or"}
    cutter.rules = rules | {word: [{ORTH: part} for part in parts] for word, parts in SPELLINGS.items()}


def encoder(width: int, depth: int, rows: list[int]) -> dict[str, Any]:
    """Return what makes vectors of words: their hashed parts, `rows` of each, and the words beside them."""
    return {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": width,
            "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE", "TAG"],
            "rows": rows,
            "include_static_vectors": False,
        },
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2",
            "width": width,
            "depth": depth,
            "window_size": 1,
            "maxout_pieces": 3,
        },
    }


def pipeline(width: int, depth: int, hidden: int) -> Language:
    """Return the untrained pipeline: one shared encoder, three small heads."""
    nlp = spacy.blank("en")
    cut_as_in_the_treebank(nlp)
    nlp.add_pipe("tok2vec", config={"model": encoder(width, depth, rows=[4500, 1000, 2000, 1000, 100])})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": width, "upstream": "tok2vec"}
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}
    nlp.add_pipe("morphologizer", config={"model": tagger})
    nlp.add_pipe(
        "parser",
        config={
            "learn_tokens": False,
            "min_action_freq": 5,
            "model": {
                "@architectures": "spacy.TransitionBasedParser.v2",
                "state_type": "parser",
                "extra_state_tokens": False,
                "hidden_width": hidden,
                "maxout_pieces": 2,
                "use_upper": True,
                "tok2vec": listener,
            },
        },
    )
    nlp.add_pipe("trainable_lemmatizer", config={"model": tagger, "min_tree_freq": 3, "backoff": "orth"})
    return nlp


def augmented(text_words: list[str], dice: random.Random) -> list[str]:
    """Return the words as another printer sets them: curly quotes, all lower case, all capitals."""
    roll = dice.random()
    if roll < 0.04:
        return [word.lower() for word in text_words]
    if roll < 0.05:
        return [word.upper() for word in text_words]
    if roll < 0.15:
        return [word.translate(CURLY) for word in text_words]
    return text_words


def example(nlp: Language, paragraph: Paragraph, dice: random.Random | None = None) -> Example:
    """Return a paragraph as the tokenizer cuts it beside the reference."""
    words, paragraph_words = paragraph.words, paragraph.words
    if dice is not None:
        words = augmented(words, dice)
    paragraph.words = words
    reference = paragraph.doc(nlp.vocab)
    paragraph.words = paragraph_words
    return Example(with_word_classes(nlp.make_doc(reference.text)), reference)


def joined(items: list[Paragraph], dice: random.Random) -> Iterator[Paragraph]:
    """Yield the paragraphs shuffled, some short neighbours as one: texts without blank lines are read too."""
    order = list(range(len(items)))
    place = 0
    groups: list[list[int]] = []
    while place < len(order):
        size = 2 if dice.random() < 0.25 else 1
        groups.append(order[place : place + size])
        place += size
    dice.shuffle(groups)
    for group in groups:
        whole = Paragraph()
        for at in group:
            base = len(whole.words)
            for name in ("words", "spaces", "pos", "morphs", "lemmas", "deps", "starts"):
                getattr(whole, name).extend(getattr(items[at], name))
            whole.heads.extend(base + head for head in items[at].heads)
            whole.spaces[-1] = True
        yield whole


def silver_paragraphs(nlp: Language, folder: Path) -> list[Paragraph]:
    """Return what the teacher parsed; it gives no lemmas, so those of the pipeline to go on from are kept."""
    items = [paragraph for path in sorted(folder.glob("*.conllu.gz")) for paragraph in paragraphs(path)]
    docs = nlp.pipe(with_word_classes(Doc(nlp.vocab, words=item.words, spaces=item.spaces)) for item in items)
    for item, doc in zip(items, docs, strict=True):
        item.lemmas = [token.lemma_ for token in doc]
    return items


def batches(examples: Iterator[Example], words: int) -> Iterator[list[Example]]:
    """Group examples of together about `words` words."""
    batch: list[Example] = []
    size = 0
    for item in examples:
        batch.append(item)
        size += len(item.reference)
        if size >= words:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def write(nlp: Language, folder: Path) -> None:
    """Write a pipeline, in half precision, with no words but those that labels and edit trees are made of."""
    set_precision(nlp, "float16")
    nlp.to_disk(folder)
    set_precision(nlp, "float32")
    edits = srsly.read_msgpack(folder / "trainable_lemmatizer" / "trees")["trees"]
    hashes = {edit[end] for edit in edits for end in ("orig", "subst") if end in edit}
    labels = {label for labels in nlp.pipe_labels.values() for label in labels}
    parts = {part for label in labels for part in re.split(r"[|=]", str(label))}
    path = folder / "vocab" / "strings.json"
    words = json.loads(path.read_text(encoding="utf-8"))
    needed = [
        word
        for word in words
        if nlp.vocab.strings[word] in hashes or word in labels or word in parts or "=" in word
    ]
    path.write_text(json.dumps(needed, ensure_ascii=False, indent=0), encoding="utf-8")


def main() -> None:
    """Train, keep the best of all epochs by LAS on the dev part, write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebank", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--width", type=int, default=96)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--dropout", type=float, default=0.15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--learn-rate", type=float, default=0.001)
    parser.add_argument("--resume", type=Path, help="a trained pipeline to go on from")
    parser.add_argument("--silver", type=Path, help="a folder of what the teacher parsed (`.conllu.gz`)")
    parser.add_argument("--limit", type=int, default=None)
    chosen = parser.parse_args()
    fix_random_seed(chosen.seed)
    set_current_ops(BlasOps())
    dice = random.Random(chosen.seed)  # noqa: S311 - no secret
    nlp = spacy.load(chosen.resume) if chosen.resume else pipeline(chosen.width, chosen.depth, chosen.hidden)
    cut_as_in_the_treebank(nlp)
    train = list(paragraphs(chosen.treebank / "train.conllu.gz"))[: chosen.limit]
    silver = silver_paragraphs(nlp, chosen.silver) if chosen.silver else []
    dev = list(paragraphs(chosen.treebank / "dev.conllu.gz"))[: chosen.limit]
    if chosen.resume:
        # spaCy does not restore which label an edit tree has: all would be trained to the first
        lemmatizer: Any = nlp.get_pipe("trainable_lemmatizer")
        lemmatizer.tree2label = {tree: label for label, tree in enumerate(lemmatizer.cfg["labels"])}
    else:
        nlp.initialize(lambda: [example(nlp, paragraph) for paragraph in train])
    optimizer = Adam(chosen.learn_rate, L2=0.01, grad_clip=1.0, L2_is_weight_decay=True, use_averages=True)
    best, started = 0.0, time.process_time()
    for epoch in range(chosen.epochs):
        losses: dict[str, float] = {}
        size = 2000 if chosen.resume else int(400 * min(5.0, 1.25**epoch))
        examples = (example(nlp, paragraph, dice) for paragraph in joined([*train, *silver], dice))
        for batch in batches(examples, size):
            nlp.update(batch, sgd=optimizer, losses=losses, drop=chosen.dropout)
        with nlp.use_params(optimizer.averages):
            score = nlp.evaluate([example(nlp, paragraph) for paragraph in dev])
            row = {
                name: round(score[name] or 0.0, 4)
                for name in ("pos_acc", "lemma_acc", "dep_uas", "dep_las", "sents_f")
            }
            print(epoch, row, round(time.process_time() - started), "CPU s", flush=True)
            if score["dep_las"] > best:
                best = score["dep_las"]
                nlp.meta.update(META, performance=row)
                write(nlp, chosen.out)
                (chosen.out.parent / f"{chosen.out.name}.json").write_text(
                    json.dumps(vars(chosen), default=str, indent=1, sort_keys=True)
                )


if __name__ == "__main__":
    main()
