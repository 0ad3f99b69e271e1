"""Precision, recall and F1 of evidence against hand-annotated passages, per layer and type."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Evidence
from corpusgraph.tasks.index.extract import OfflineExtractor

GOLD = Path(__file__).resolve().parents[2] / "tests" / "reference" / "extraction" / "gold.jsonl"
Record = dict[str, Any]
Span = tuple[int, int]
Item = tuple[Any, ...]


@dataclass
class Score:
    """Counts of one row: true positives as seen from the extractor and from the gold, found, expected."""

    right: int = 0
    hit: int = 0
    found: int = 0
    expected: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.hit / self.expected if self.expected else 0.0

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


Scores = dict[str, Score]
Fits = Callable[[Item, Item], bool]


def passages(split: str) -> list[Record]:
    """Return the gold passages of a split."""
    records = [json.loads(line) for line in GOLD.read_text(encoding="utf-8").splitlines()]
    return [record for record in records if record["split"] == split]


def extract(gold: Record) -> Evidence:
    """Run the offline extractor on a passage as if it were a document."""
    document = Document(
        id=gold["id"], title=gold["title"], text=gold["text"], source=gold["source"], content_hash=""
    )
    return OfflineExtractor().extract(document, [])


def overlaps(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def span(item: Record) -> Span:
    return item["start"], item["end"]


def count(
    score: Score, found: Iterable[Item], expected: Iterable[Item], fits: Fits, show: Callable[[Item], str]
) -> None:
    """Add the matches of one passage, each item matched at most once in each direction, greedily in order."""
    found, expected = list(found), list(expected)
    left = Counter(range(len(expected)))
    right: set[int] = set()
    for at, item in enumerate(found):
        for k in sorted(left):
            if fits(item, expected[k]):
                del left[k]
                right.add(at)
                break
    score.right += len(right)
    score.hit += len(expected) - len(left)
    score.found += len(found)
    score.expected += len(expected)
    score.wrong += [show(item) for at, item in enumerate(found) if at not in right]
    score.missed += [show(expected[k]) for k in sorted(left)]


def score_split(split: str) -> Scores:
    """Score every layer over the passages of a split."""
    scores: Scores = {}
    for gold in passages(split):
        evidence = extract(gold)
        entities(scores, gold, evidence)
        noun_phrases(scores, gold, evidence)
        relations(scores, gold, evidence)
        events(scores, gold, evidence)
        claims(scores, gold, evidence)
    return scores


def _row(scores: Scores, name: str) -> Score:
    return scores.setdefault(name, Score())


def _text(gold: Record) -> Callable[[Item], str]:
    return lambda item: f"{gold['id']}: {' '.join(gold['text'][item[0] : item[1]].split())} {list(item[2:])}"


def entities(scores: Scores, gold: Record, evidence: Evidence) -> None:
    found = [(m.start, m.end, m.type) for m in evidence.mentions if not m.attributes.get("noun_phrase")]
    expected = [(*span(e), e["type"]) for e in gold["entities"]]
    show = _text(gold)
    for type_ in ("person", "organisation", "place", "date", "quantity", "concept"):
        mine, theirs = [f for f in found if f[2] == type_], [e for e in expected if e[2] == type_]
        count(_row(scores, f"{type_} (exact)"), mine, theirs, lambda a, b: a == b, show)
        count(_row(scores, f"{type_} (relaxed)"), mine, theirs, lambda a, b: overlaps(a[:2], b[:2]), show)
    count(_row(scores, "entities: span and type exact"), found, expected, lambda a, b: a == b, show)
    count(
        _row(scores, "entities: type, spans overlap"),
        found,
        expected,
        lambda a, b: overlaps(a[:2], b[:2]) and a[2] == b[2],
        show,
    )
    count(_row(scores, "entities: span exact"), found, expected, lambda a, b: a[:2] == b[:2], show)


def noun_phrases(scores: Scores, gold: Record, evidence: Evidence) -> None:
    """Compare noun phrases together with names of two or more words, as the guidelines ask."""
    found = {(m.start, m.end) for m in evidence.mentions if m.attributes.get("noun_phrase") or " " in m.name}
    expected = {span(p) for p in gold["noun_phrases"]}
    expected |= {span(e) for e in gold["entities"] if len(e["text"].split()) > 1}
    show = _text(gold)
    mine, theirs = sorted(found), sorted(expected)
    count(_row(scores, "noun phrases: exact"), mine, theirs, lambda a, b: a == b, show)
    count(_row(scores, "noun phrases: overlap"), mine, theirs, overlaps, show)


def relations(scores: Scores, gold: Record, evidence: Evidence) -> None:
    """Compare type, direction and negation; spans need only overlap. Anaphoric ones also apart."""
    by_id = {m.id: m for m in evidence.mentions}
    found = []
    for a in evidence.assertions:
        if a.type != "co_occurs_with":
            source, target = by_id[a.source_mention], by_id[a.target_mention]
            found.append((source.start, source.end, target.start, target.end, a.type, a.negated))
    expected = [(*span(r["source"]), *span(r["target"]), r["type"], r["negated"]) for r in gold["relations"]]
    plain = [
        (*span(r["source"]), *span(r["target"]), r["type"], r["negated"])
        for r in gold["relations"]
        if not r["anaphoric"]
    ]

    def ends(a: Item, b: Item) -> bool:
        return overlaps(a[:2], b[:2]) and overlaps(a[2:4], b[2:4])

    def show(item: Item) -> str:
        text = gold["text"]
        one, two = (" ".join(text[item[k] : item[k + 1]].split()) for k in (0, 2))
        return f"{gold['id']}: {one} --{item[4]}{'!' if item[5] else ''}--> {two}"

    def exact(a: Item, b: Item) -> bool:
        return ends(a, b) and a[4:] == b[4:]

    def joined(a: Item, b: Item) -> bool:
        return ends(a, b) or (overlaps(a[:2], b[2:4]) and overlaps(a[2:4], b[:2]))

    count(_row(scores, "relations: type and direction"), found, expected, exact, show)
    count(_row(scores, "relations: without anaphoric"), found, plain, exact, show)
    count(_row(scores, "relations: joined at all"), found, expected, joined, show)
    causal = ("causes", "prevents")
    count(
        _row(scores, "relations: causal"),
        [f for f in found if f[4] in causal],
        [e for e in expected if e[4] in causal],
        exact,
        show,
    )


def events(scores: Scores, gold: Record, evidence: Evidence) -> None:
    def iso(first: str, last: str | None) -> str:
        return f"{first}/{last}" if last else first

    found = [(e.start, e.end, iso(e.timestamp, e.timestamp_end)) for e in evidence.events]
    expected = [(*span(e), e["date"]) for e in gold["events"]]
    show = _text(gold)
    fits = lambda a, b: overlaps(a[:2], b[:2]) and a[2].split("/")[0] == b[2].split("/")[0]  # noqa: E731
    count(_row(scores, "events: clause and date"), found, expected, fits, show)


def claims(scores: Scores, gold: Record, evidence: Evidence) -> None:
    found = [(c.start, c.end) for c in evidence.claims]
    expected = [span(c) for c in gold["claims"]]
    show = _text(gold)
    count(_row(scores, "claims: overlap half"), found, expected, _half, show)
    by_id = {c.id: (c.start, c.end) for c in evidence.claims}
    links = [(*by_id[r.source], *by_id[r.target], r.type) for r in evidence.arguments]
    theirs = [(*expected[r["source"]], *expected[r["target"]], r["type"]) for r in gold["argument"]]

    def linked(a: Item, b: Item) -> bool:
        return overlaps(a[:2], b[:2]) and overlaps(a[2:4], b[2:4]) and a[4] == b[4]

    def tell(item: Item) -> str:
        text = gold["text"]
        one, two = (" ".join(text[item[k] : item[k + 1]].split())[:80] for k in (0, 2))
        return f"{gold['id']}: [{one}] --{item[4]}--> [{two}]"

    count(_row(scores, "argument links: type"), links, theirs, linked, tell)


def _half(one: Item, other: Item) -> bool:
    """Two claims are one where they share half of the longer one's characters."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return bool(shared * 2 >= max(one[1] - one[0], other[1] - other[0]))
