"""Parse the raw text of a treebank and write it as CoNLL-U, for the scorer of the CoNLL 2018 shared task.

    python -m benchmarks.parser.score TREEBANK/test.conllu.gz OUT
    udeval OUT/gold.conllu OUT/system.conllu        # the scorer is in the environment of `make oracles`

Prints the tokens parsed in a second of one core.
"""

import argparse
import gzip
import time
from itertools import pairwise
from pathlib import Path

from benchmarks.parser.train import paragraphs
from corpusgraph.flows.annotate.pipelines import shipped_annotator


def main() -> None:
    """Write gold and system files, print the speed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebank", type=Path)
    parser.add_argument("out", type=Path)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    with gzip.open(chosen.treebank, "rt", encoding="utf-8") as lines:
        (chosen.out / "gold.conllu").write_text("".join(lines), encoding="utf-8")
    raw = [raw_text(paragraph.words, paragraph.spaces) for paragraph in paragraphs(chosen.treebank, 10**9)]
    text = "\n\n".join(raw)
    annotator = shipped_annotator()
    annotator.annotate(["It works."], "en")
    began = time.process_time()
    parsed = annotator.annotate([text], "en")[0]
    seconds = time.process_time() - began
    print(f"{len(parsed):,} tokens, {len(parsed) / seconds:,.0f} per CPU second")
    bounds = [*parsed.sentences, len(parsed)]
    with (chosen.out / "system.conllu").open("w", encoding="utf-8") as out:
        for first, last in pairwise(bounds):
            for token in range(first, last):
                head = parsed.heads[token]
                form = text[parsed.starts[token] : parsed.ends[token]]
                cells = [
                    str(token - first + 1),
                    form,
                    parsed.lemmas[token],
                    parsed.upos[token],
                    "_",
                    parsed.feats[token] or "_",
                    "0" if head == token else str(head - first + 1),
                    "root" if head == token else parsed.deprels[token],
                    "_",
                    "_",
                ]
                out.write("\t".join(cells) + "\n")
            out.write("\n")


def raw_text(words: list[str], spaces: list[bool]) -> str:
    """Return the text that words were split from."""
    return "".join(word + " " * space for word, space in zip(words, spaces, strict=True)).strip()


if __name__ == "__main__":
    main()
