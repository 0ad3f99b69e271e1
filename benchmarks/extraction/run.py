"""Measure the offline extractor, from the repository's root: `python -m benchmarks.extraction.run`."""

import argparse
import csv
import io
import json
import math
import os
import random
import subprocess
import sys
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import corpusgraph as cg
from benchmarks.extraction.scoring import (
    CAUSAL,
    GOLD,
    SPLITS,
    Score,
    Scores,
    score_annotated,
    score_second_reading,
    score_split,
    sections,
    shipped_extractor,
)
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Evidence

RESULTS = Path(__file__).with_name("RESULTS.md")
ROOT = Path(__file__).resolve().parents[2]
RULES = "e860add"
"""Last revision with the extractor that worked by rules over words."""
KINDS = ("causal", "relation", "argument", "event", "claim", "entity")
COLUMNS = ("id", "kind", "finding", "passage", "right")


# --- the gold passages


def table(splits: dict[str, Scores], rules: dict[str, Scores]) -> Iterator[str]:
    """Yield a Markdown table, one row per score: F1 with its interval, precision, recall, counts."""
    names = list(dict.fromkeys(name for scores in splits.values() for name in scores))
    heads = [f"{s} {column}" for s in splits for column in ("F1 [95%]", "P / R", "found / gold")]
    heads += [f"rules, {s} F1" for s in rules]
    yield f"| | {' | '.join(heads)} |"
    yield "|---|" + "---|" * len(heads)
    for layer, rows in sections(names).items():
        yield f"| **{layer}** |" + " |" * len(heads)
        for row in rows:
            cells = [_cells(scores.get(row)) for scores in splits.values()]
            cells += [f"{scores[row].f1:.2f}" if row in scores else "" for scores in rules.values()]
            yield f"| {row.partition(': ')[2]} | {' | '.join(cells)} |"


def _cells(score: Score | None) -> str:
    if score is None:
        return " | | "
    if not score.expected:
        return f" | | {score.found} / 0"
    low, high = score.interval()
    rates = f"{score.precision:.2f} / {score.recall:.2f}"
    return f"{score.f1:.2f} [{low:.2f}, {high:.2f}] | {rates} | {score.found} / {score.expected}"


def scores_of_rules(splits: Sequence[str], gold: Path) -> dict[str, Scores]:
    """Score the old extractor: this module, run over the package as it was."""
    code = (
        "import json; from pathlib import Path; from benchmarks.extraction.scoring import score_split\n"
        f"scores = {{s: score_split(s, Path({str(gold.resolve())!r})) for s in {list(splits)!r}}}\n"
        "print(json.dumps({s: {row: score.counts for row, score in scores[s].items()} for s in scores}))"
    )
    with TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", RULES], cwd=ROOT, stdout=subprocess.PIPE, check=True)
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(folder, filter="data")
        environment = {**os.environ, "PYTHONPATH": f"{folder}/src"}
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True
        )
    counts = json.loads(run.stdout)
    unseen = ("coreference: ", "causal sentences: arrows")  # it keeps no links; there is no F1 without gold
    return {
        split: {row: Score(counts[split][row]) for row in counts[split] if not row.startswith(unseen)}
        for split in splits
    }


# --- a folder of documents


def documents(folder: Path) -> list[Document]:
    """Return the text files of a folder as documents."""
    return [
        Document(
            id=f.stem, title=f.stem, text=f.read_text("utf-8"), source=f.name, content_hash="", language="en"
        )
        for f in sorted(folder.rglob("*.txt"))
    ]


def over_folder(folder: Path) -> Iterator[str]:
    """Index a folder and yield what the graph holds, and what parsing and extraction cost."""
    with TemporaryDirectory() as outputs:
        cg.index(folder, "folder", outputs=outputs)
        opened: Any = cg.open("folder", outputs)
        entities = set(opened.columns("entities", "id")[0])
        edges = list(zip(*opened.columns("relationships", "source_id", "target_id", "type"), strict=True))
        arguments, events, claims = (
            len(opened.columns(t, "id")[0]) for t in ("arguments", "events", "claims")
        )
    yield f"| entities | {len(entities)} |"
    stated = [edge for edge in edges if edge[2] != "co_occurs_with"]
    for what, rows in (("", edges), (" but co-occurrence", stated)):
        alone = len(entities - {end for edge in rows for end in edge[:2]})
        yield f"| entities without a relationship{what} | {alone} ({alone / max(1, len(entities)):.1%}) |"
    yield f"| causal arrows | {sum(edge[2] in CAUSAL for edge in stated)} |"
    yield f"| other relationships | {sum(edge[2] not in CAUSAL for edge in stated)} |"
    yield f"| argument links | {arguments} |"
    yield f"| claims | {claims} |"
    yield f"| events | {events} |"
    yield from speed(folder)


class _Remembering:
    """An annotator whose parses are at hand, so that extraction can be timed alone."""

    def __init__(self, annotator: Any) -> None:
        self._annotator = annotator
        self._parses: dict[str, Any] = {}
        self.languages, self.fingerprint = annotator.languages, annotator.fingerprint

    def annotate(self, texts: Sequence[str], language: str) -> list[Any]:
        for text in texts:
            if text not in self._parses:
                self._parses[text] = self._annotator.annotate([text], language)[0]
        return [self._parses[text] for text in texts]


def speed(folder: Path) -> Iterator[str]:
    """Yield CPU seconds of the trained reader, and of extraction from what it reads."""
    from corpusgraph.flows.annotate.english import english_reader
    from corpusgraph.flows.annotate.offline import load_patterns
    from corpusgraph.tasks.extract.offline import OfflineExtractor

    texts, annotator = documents(folder), _Remembering(english_reader())
    extractor = OfflineExtractor(annotator, load_patterns())
    annotator.annotate(["Loading is not timed."], "en")
    size, began = sum(len(text.text.encode()) for text in texts) / 1e6, time.process_time()
    annotator.annotate([text.text for text in texts], "en")
    read = time.process_time()
    for text in texts:
        extractor.extract(text, [])
    extracted = time.process_time()
    yield f"| text, MB | {size:.2f} |"
    for stage, seconds in (
        ("trees, names and arcs", read - began),
        ("extraction from them", extracted - read),
    ):
        yield f"| {stage}, CPU seconds | {seconds:.1f} ({size / seconds:.3f} MB/s) |"


# --- reading by hand


def findings(evidence: Evidence, kind: str) -> Iterator[tuple[str, int, int]]:
    """Yield each finding of a kind in words, with the characters of its sentences."""
    words = {claim.id: claim.text for claim in evidence.claims}
    if kind in ("causal", "relation"):
        for a in evidence.assertions:
            is_kind = (a.type in CAUSAL) == (kind == "causal")
            if a.type != "co_occurs_with" and is_kind and not a.doubtful:
                stance = "" if a.modality == "fact" else f" ({a.modality})"
                speaker = f", says {a.speaker}" if a.speaker else ""
                sign = "NOT " if a.negated else ""
                yield (
                    f"{a.source} --{sign}{a.type}--> {a.target}{stance}{speaker}",
                    a.sentence_start,
                    a.sentence_end,
                )
    elif kind == "argument":
        places = {claim.id: claim for claim in evidence.claims}
        for r in evidence.arguments:
            ends = places[r.source], places[r.target]
            text = f"[{words[r.source]}] --{r.type}--> [{words[r.target]}]"
            yield text, min(e.sentence_start for e in ends), max(e.sentence_end for e in ends)
    elif kind == "event":
        for e in evidence.events:
            when = "/".join(filter(None, (e.timestamp, e.timestamp_end)))
            yield (
                f"{'about ' if e.approximate else ''}{when}: {e.activity}: {e.text}",
                e.sentence_start,
                e.sentence_end,
            )
    elif kind == "claim":
        for c in evidence.claims:
            yield f"{c.speaker or 'author'} {c.stance}: {c.text}", c.sentence_start, c.sentence_end
    else:
        for m in evidence.mentions:
            if not m.attributes.get("noun_phrase"):
                yield f"{m.name} [{m.type}]", m.sentence_start, m.sentence_end


def sample(kind: str, size: int, folder: Path, seed: int) -> list[tuple[str, ...]]:
    """Draw findings of a kind from the texts of a folder, each with its sentences, for a reader to judge."""
    rows = []
    for document in documents(folder):
        for text, start, end in findings(shipped_extractor().extract(document, []), kind):
            passage = " ".join(document.text[start:end].split())
            rows.append((f"{document.id}:{start}", kind, " ".join(text.split()), passage, ""))
    return random.Random(seed).sample(rows, min(size, len(rows)))  # noqa: S311


def judged(file: Path) -> Iterator[str]:
    """Yield the share judged right of each kind with its Wilson interval; unjudged rows are left out."""
    verdicts: dict[str, Counter[bool]] = defaultdict(Counter)
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            verdict = row["right"].strip().lower()
            if verdict:
                verdicts[row["kind"]][verdict in ("1", "y", "yes", "true")] += 1
    for kind, counts in verdicts.items():
        right, total = counts[True], counts.total()
        low, high = wilson(right, total)
        yield f"| {kind} | {right} / {total} | {right / total:.2f} [{low:.2f}, {high:.2f}] |"


def wilson(right: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95% score interval of a share (Wilson 1927)."""
    share, square = right / total, z * z / total
    middle = share + square / 2
    width = z * math.sqrt(share * (1 - share) / total + square / total / 4)
    return (middle - width) / (1 + square), (middle + width) / (1 + square)


def put(section: str, lines: Iterable[str], *, write: bool) -> None:
    """Print lines, and renew that section of the results between its markers."""
    report = "\n".join(lines)
    print(report)
    if write:
        begin, end = f"<!-- {section} -->", f"<!-- /{section} -->"
        text = RESULTS.read_text("utf-8")
        head, rest = text.split(begin)
        RESULTS.write_text(f"{head}{begin}\n\n{report}\n\n{end}{rest.split(end)[1]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=SPLITS, help="one split only")
    parser.add_argument("--gold", type=Path, default=GOLD, help="folder of the gold files")
    parser.add_argument("--errors", metavar="LAYER", help="list the errors of a layer on the dev passages")
    parser.add_argument("--old", action="store_true", help="compare with the extractor by rules over words")
    parser.add_argument(
        "--annotated", action="store_true", help="read the annotated sentences instead of the gold"
    )
    parser.add_argument("--folder", type=Path, help="texts to index and to time, or to draw from")
    parser.add_argument("--sample", nargs=2, metavar=("KIND", "N"), help=f"draw findings: {', '.join(KINDS)}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--judge", type=Path, metavar="CSV", help="a sample whose column `right` was filled in"
    )
    parser.add_argument("--write", action="store_true", help=f"renew the tables of {RESULTS.name}")
    options = parser.parse_args()
    if options.sample and (options.folder is None or options.sample[0] not in KINDS):
        parser.error(f"--sample takes a kind ({', '.join(KINDS)}) and a number, and needs --folder")
    if options.errors:
        errors(options.errors, options.gold)
    elif options.sample:
        kind, size = options.sample
        rows = sample(kind, int(size), options.folder, options.seed)
        csv.writer(sys.stdout).writerows([COLUMNS, *rows])
    elif options.judge:
        lines = ["| kind | right / read | precision [95%] |", "|---|---|---|", *judged(options.judge)]
        put("read", lines, write=options.write)
    elif options.annotated:
        both = {"program": score_annotated(), "second annotator": score_second_reading()}
        put("annotated", table(both, {}), write=options.write)
    elif options.folder:
        put("folder", ["| | |", "|---|---|", *over_folder(options.folder)], write=options.write)
    else:
        chosen = [options.split] if options.split else SPLITS
        splits = {split: score_split(split, options.gold) for split in chosen}
        rules = scores_of_rules(chosen, options.gold) if options.old else {}
        put("scores", table(splits, rules), write=options.write)


def errors(layer: str, gold: Path) -> None:
    """List what is wrong and what is missing, of the dev passages alone."""
    for name, score in score_split("dev", gold).items():
        if name.startswith(layer):
            print(name, "wrong:", *score.wrong, sep="\n  ")
            print(name, "missed:", *score.missed, sep="\n  ")


if __name__ == "__main__":
    main()
