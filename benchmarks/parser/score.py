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

from corpusgraph.flows.annotate.english import english_reader


def main() -> None:
    """Write gold and system files, print the speed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebank", type=Path)
    parser.add_argument("out", type=Path)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    gold = gzip.decompress(chosen.treebank.read_bytes()).decode()
    (chosen.out / "gold.conllu").write_text(gold, encoding="utf-8")
    text = raw_text(gold)
    annotator = english_reader()
    annotator.annotate(["It works."])
    began = time.process_time()
    parsed = annotator.annotate([text])[0]
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


def raw_text(treebank: str) -> str:
    """Return the text that was annotated: sentences divided by a space, paragraphs by a blank line."""
    text = ""
    for line in treebank.splitlines():
        if line.startswith(("# newpar", "# newdoc")):
            text = text.rstrip() + "\n\n"
        elif line.startswith("# text = "):
            text += line.removeprefix("# text = ") + " "
    return text.strip()


if __name__ == "__main__":
    main()
