"""Inverse cloze on any texts: a sentence taken out of a passage has to find the passage again.

    python -m benchmarks.retrieval.cloze FOLDER… [--questions 150] [--embedder hashing] [--write]

A folder holds .txt files. Three sets are made of each (Lee et al. 2019, arXiv:1906.00300): paragraphs; those
of them without a name inside a sentence; and, where people speak, runs of 3 to 6 quoted lines, as in a chat.
No passage has a title of its own. `TELLING`, `FLAT` and `LEANING` (tasks/graph/passages.py) were
chosen with them in view.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.retrieval.run import MARK
from corpusgraph.flows.engine import Inline
from corpusgraph.flows.evaluate import Evaluation, evaluate
from corpusgraph.flows.progress import Silent
from corpusgraph.schemas.run import Interval, MethodScores
from corpusgraph.schemas.settings import Settings
from corpusgraph.tasks.text.sentences import sentence_spans

HERE = Path(__file__).parent
BEGIN, END = f"{MARK}\n", "<!-- end of cloze -->\n"
METHODS = ("bm25", "dense", "default")
RANKS = (1, 5)
WORDS = 6
"""Of a sentence that is asked, at least."""
LINES = 6
"""Quoted lines of a passage at most; at least half as many."""
_QUOTED = re.compile(r"['\"‘“]")
_NAME = re.compile(r"(?<=[a-z,;] )(?!I\b)[A-Z]")
Passage = list[str]


def paragraphs(text: str) -> Iterator[Passage]:
    """Yield the paragraphs of three sentences or more, as sentences."""
    for block in re.split(r"\n\s*\n", text):
        said = [" ".join(block[a:b].split()) for a, b in sentence_spans(block)]
        if len(said) >= 3:
            yield said


def without_names(text: str) -> Iterator[Passage]:
    """Yield the paragraphs with no capital inside a sentence."""
    return (said for said in paragraphs(text) if not _NAME.search(" ".join(said)))


def spoken(text: str) -> Iterator[Passage]:
    """Yield runs of paragraphs that begin with a quotation mark, cut into passages."""
    run: Passage = []
    for block in [*re.split(r"\n\s*\n", text), ""]:
        line = " ".join(block.split())
        if line and _QUOTED.match(line):
            run.append(line)
        elif len(run) >= LINES // 2:
            yield from (run[i : i + LINES] for i in range(0, len(run), LINES))
            run = []
        else:
            run = []


SETS: dict[str, Callable[[str], Iterator[Passage]]] = {
    "paragraphs": paragraphs,
    "without names": without_names,
    "speech": spoken,
}


def make(passages: Sequence[Passage], folder: Path, n: int) -> int:
    """Write a corpus and about `n` questions, spread evenly over it; return how many questions."""
    cut = []
    for passage in passages:
        askable = [i for i, sentence in enumerate(passage) if len(sentence.split()) >= WORDS]
        cut.append(askable[len(askable) // 2] if len(askable) >= 2 else None)
    asked = [i for i, place in enumerate(cut) if place is not None]
    asked = [asked[i * len(asked) // n] for i in range(n)] if len(asked) > n else asked
    chosen = set(asked)
    rows, questions = [], []
    for i, (passage, place) in enumerate(zip(passages, cut, strict=True)):
        taken = place if i in chosen else None
        rows.append({"id": f"p{i}", "text": " ".join(s for j, s in enumerate(passage) if j != taken)})
        if taken is not None:
            questions.append({"id": f"q{i}", "question": passage[taken], "gold": [f"p{i}"]})
    folder.mkdir(parents=True)
    for name, lines in (("corpus.jsonl", rows), ("queries.jsonl", questions)):
        told = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / name).write_text(told, encoding="utf-8")
    return len(questions)


def measured(folder: Path, settings: Settings, embedder: str) -> tuple[MethodScores, ...]:
    """Evaluate the methods on one set."""
    asked = Evaluation(folder / "corpus.jsonl", folder / "queries.jsonl", METHODS, RANKS, embedder)
    return evaluate(asked, settings=settings, engine=Inline(), progress=Silent()).scores


def line(label: str, scores: Sequence[MethodScores]) -> str:
    """Write a row: each method's recall, and how far the default is from BM25."""
    cells = ["/".join(f"{100 * s.metrics[f'recall@{k}'].value:.1f}" for k in RANKS) for s in scores]
    apart = [_difference(scores[-1].differences[f"recall@{k}"]) for k in RANKS]
    return f"| {label} | {' | '.join([*cells, *apart])} |"


def _difference(found: Interval) -> str:
    return f"{100 * found.value:+.1f} ({100 * found.low:+.1f} to {100 * found.high:+.1f})"


def table(folders: Sequence[Path], n: int, embedder: str, work: Path) -> Iterator[str]:
    """Yield the lines of the table, as they are measured."""
    yield (
        f"| recall@{RANKS[0]}/recall@{RANKS[1]} | {' | '.join(METHODS)} | "
        + " | ".join(f"default less BM25, recall@{k} (95%)" for k in RANKS)
        + " |"
    )
    yield "|---" * (len(METHODS) + len(RANKS) + 1) + "|"
    settings = Settings(outputs=work / "outputs")
    for folder in folders:
        texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))]
        for name, cut in SETS.items():
            passages = [passage for text in texts for passage in cut(text)]
            if len(passages) < 20:
                continue
            made = work / f"{folder.name}-{name.replace(' ', '-')}"
            asked = make(passages, made, n)
            label = f"{folder.name}, {name} ({len(passages)} passages, {asked} questions)"
            yield line(label, measured(made, settings, embedder))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, default=150, help="of each set, at most")
    parser.add_argument("--embedder", default="hashing", help="hashing or sentence-transformers")
    parser.add_argument("--write", action="store_true", help="replace the table in RESULTS.md")
    given = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as work:
        for told in table(given.folders, given.questions, given.embedder, Path(work)):
            print(told, flush=True)
            lines.append(told)
    if given.write:
        _write("\n".join(lines), given.embedder)


def _write(told: str, embedder: str) -> None:
    path = HERE / "RESULTS.md"
    before, _, after = path.read_text(encoding="utf-8").partition(BEGIN)
    head = (
        "## Inverse cloze on other texts\n\n`python -m benchmarks.retrieval.cloze FOLDER… --write`, embedder "
        f"{embedder}: a sentence has to find its passage again. `TELLING`, `FLAT` and `LEANING` "
        "(tasks/graph/passages.py) were chosen with these texts in view.\n\n"
    )
    rest = after.partition(END)[2]
    path.write_text(f"{before.rstrip()}\n\n{BEGIN}{head}{told}\n{END}{rest}", encoding="utf-8")


if __name__ == "__main__":
    main()
