"""Precision, recall and F1 of evidence against hand-annotated passages, by layer, type and kind of text."""

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Evidence

ANNOTATED = Path(__file__).with_name("annotated.jsonl.gz")
SECOND = Path(__file__).with_name("second.jsonl.gz")
GOLD = Path(__file__).resolve().parents[2] / "tests" / "reference" / "extraction"
SPLITS = ("dev", "test")
CAUSAL = ("causes", "prevents")
ASSERTION_TYPES = (*CAUSAL, "part_of", "uses", "depends_on", "is_a", "located_in", "supports", "opposes")
"""Types of the passages with assertions; every other one is `open`."""
ENTITY_TYPES = ("person", "organisation", "place", "date", "quantity", "concept")
PRONOUN = re.compile(
    r"i|me|you|s?he|him|her|it|we|us|they|them|th(?:is|at|ese|ose|ere)|who|whom|which|what|each|none"
    r"|(?:some|any|every|no)(?:one|body|thing)|(?:one|other)s?|\w+sel(?:f|ves)",
    re.IGNORECASE,
)
LAYERS: tuple[str, ...] = (
    "assertions, all kinds",
    "types",
    "stance",
    "causal sentences",
    "relations",
    "coreference",
    "claims",
    "argument links",
    "events",
    "entities",
)
"""Order of the layers in a report; kinds of text follow the assertions of all kinds."""
Record = dict[str, Any]
Span = tuple[int, int]


@dataclass
class Score:
    """Counts of one row, passage by passage.

    Attributes
    ----------
    counts : list of tuple
        Of each passage: right among the found, found, hit among the expected, expected.
    wrong, missed : list of str
        What was found and is not in the gold, and what is there and was not found.

    """

    counts: list[tuple[int, int, int, int]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def found(self) -> int:
        return sum(count[1] for count in self.counts)

    @property
    def expected(self) -> int:
        return sum(count[3] for count in self.counts)

    @property
    def precision(self) -> float:
        return float(_rates(np.array(self.counts).sum(axis=0))[0])

    @property
    def recall(self) -> float:
        return float(_rates(np.array(self.counts).sum(axis=0))[1])

    @property
    def f1(self) -> float:
        return float(_rates(np.array(self.counts).sum(axis=0))[2])

    def interval(self, draws: int = 2000) -> tuple[float, float]:
        """Return the 95% interval of F1 when passages are drawn again with replacement."""
        counts = np.array(self.counts)
        places = np.random.default_rng(0).integers(0, len(counts), (draws, len(counts)))
        low, high = np.percentile(_rates(counts[places].sum(axis=1))[2], [2.5, 97.5])
        return float(low), float(high)


def _rates(sums: Any) -> Any:
    """Return precision, recall and F1 of sums of counts; 0 where there is nothing to divide by."""
    right, found, hit, expected = np.moveaxis(np.asarray(sums, dtype=float), -1, 0)
    precision = np.divide(right, found, out=np.zeros_like(right), where=found > 0)
    recall = np.divide(hit, expected, out=np.zeros_like(hit), where=expected > 0)
    total = precision + recall
    return (
        precision,
        recall,
        np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0),
    )


Scores = dict[str, Score]
Show = Callable[[Any], str]


def overlaps(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def half(one: Span, other: Span) -> bool:
    """Return whether two spans share half of the longer one's characters."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared * 2 >= max(one[1] - one[0], other[1] - other[0])


def span(record: Record) -> Span:
    return record["start"], record["end"]


def tally(
    score: Score,
    found: Sequence[Any],
    expected: Sequence[Any],
    fits: Callable[[Any, Any], float | bool],
    show: Show,
    *,
    many: bool = False,
) -> None:
    """Add one passage: each item matched once, best fits first, or with `many` as often as it fits.

    An expected item marked `borderline` neither credits nor blames, nor does a found one that fits nothing
    else. A found one marked `empty` can be a hit but is not counted in precision.
    """
    fit = sorted(
        ((-float(fits(a, b)), i, k) for i, a in enumerate(found) for k, b in enumerate(expected)),
        key=lambda f: f,
    )
    right: set[int] = set()
    hit: set[int] = set()
    for value, i, k in fit:
        if value and not _marked(expected[k], "borderline") and (many or (i not in right and k not in hit)):
            right.add(i)
            hit.add(k)
    excused = {i for value, i, k in fit if value and _marked(expected[k], "borderline")} - right
    counted = {i for i, a in enumerate(found) if i not in excused and not _marked(a, "empty")}
    wanted = {k for k, b in enumerate(expected) if not _marked(b, "borderline")}
    score.counts.append((len(right & counted), len(counted), len(hit), len(wanted)))
    score.wrong += [show(found[i]) for i in sorted(counted - right)]
    score.missed += [show(expected[k]) for k in sorted(wanted - hit)]


def _marked(item: Any, mark: str) -> bool:
    return bool(getattr(item, mark, False))


def read_gold(pattern: str, split: str, folder: Path = GOLD) -> list[Record]:
    """Return the records of a split from the gold files whose name fits a pattern."""
    lines = [line for file in sorted(folder.glob(pattern)) for line in file.read_text("utf-8").splitlines()]
    return [record for record in map(json.loads, lines) if record["split"] == split]


@cache
def shipped_extractor() -> Any:
    """Return the extractor as it comes with the package; in an old revision the one by rules over words."""
    try:
        from corpusgraph.flows.annotate.offline import default_extractor
    except ImportError:
        return import_module("corpusgraph.tasks.extract.query_names").OfflineExtractor()
    return default_extractor()


class Reading(NamedTuple):
    """What the extractor says of a passage, and what it took each pronoun and description for."""

    evidence: Evidence
    references: list[tuple[Span, Span]]


def extract(record: Record) -> Reading:
    """Run the extractor on a passage as if it were a document."""
    document = Document(
        id=record["id"],
        title=record.get("title", ""),
        text=record["text"],
        source=record.get("source", ""),
        content_hash="",
        language="en",
    )
    contexts: list[Any] = []
    try:
        offline: Any = import_module("corpusgraph.tasks.extract.offline")
    except ImportError:
        return Reading(shipped_extractor().extract(document, []), [])
    resolve = offline.resolve_references

    def watched(context: Any) -> None:
        resolve(context)
        contexts.append(context)

    with patch.object(offline, "resolve_references", watched):
        evidence = shipped_extractor().extract(document, [])
    return Reading(
        evidence,
        [
            ((tree.starts[token], tree.ends[token]), (reference.mention.start, reference.mention.end))
            for context in contexts
            for (sentence, token), reference in context.references.items()
            for tree in [context.trees[sentence]]
        ],
    )


def score_split(split: str, folder: Path = GOLD) -> Scores:
    """Score every layer over the passages of a split; a row is named `layer: what`."""
    scores: Scores = {}
    for record in read_gold("gold.jsonl", split, folder):
        reading = extract(record)
        entities(scores, record, reading.evidence)
        relations(scores, record, reading.evidence)
        arguments(scores, record, reading.evidence)
        events(scores, record, reading.evidence)
    for record in read_gold("gold_assertions_*.jsonl", split, folder):
        reading = extract(record)
        gold = [expected_statement(record, assertion) for assertion in record["assertions"]]
        found = statements(record, reading.evidence)
        for kind in (record["kind"], "all kinds"):
            assertions(scores, f"assertions, {kind}", record, found, gold)
        assertion_types(scores, record, reading.evidence, gold)
        stances(scores, record, reading.evidence, gold)
        entities(scores, record, reading.evidence)
        coreference(scores, record, reading)
        arguments(scores, record, reading.evidence)
        events(scores, record, reading.evidence)
    for record in read_gold("causal_sentences.jsonl", split, folder):
        causal_sentence(scores, record)
    return scores


def is_held_out(source: str) -> bool:
    """Tell the fifth of the annotated sources that is measured on."""
    return zlib.crc32(source.encode()) % 5 == 0


def score_annotated(file: Path = ANNOTATED) -> Scores:
    """Score the assertions of single sentences of natural text, by the kind of text they are from.

    Only those that the trained reader has not learned from are read.
    Only the head word of each end is annotated. A sentence is read alone, so that no pronoun is resolved, and
    what a pronoun is an end of is missed.
    """
    scores: Scores = {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for record in filter(lambda row: is_held_out(row["source"]), map(json.loads, lines)):
            gold = [_annotated_statement(assertion) for assertion in record["assertions"]]
            named = [s for s in gold if not any(_is_empty(record, end) for end in (s.source, s.target))]
            found = statements(record, extract(record).evidence)
            for kind in (record["kind"], "all kinds"):
                assertions(scores, f"assertions, {kind}", record, found, gold)
            tally(
                _row(scores, "assertions, all kinds: joined, pronouns left out"),
                found,
                named,
                graded(),
                _show_statement(record),
                many=True,
            )
    return scores


def score_second_reading(file: Path = SECOND) -> Scores:
    """Score a second annotator, who read some held-out sentences by the same guidelines.

    What two annotators do not agree upon, no program can have right.
    """
    scores: Scores = {}
    with gzip.open(ANNOTATED, "rt", encoding="utf-8") as lines:
        natural = {row["id"]: row for row in map(json.loads, lines)}
    single = {row["id"]: row for row in read_gold("causal_sentences.jsonl", "test")}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            found = [_annotated_statement(assertion) for assertion in row["assertions"]]
            if row["id"] in natural:
                record = natural[row["id"]]
                gold = [_annotated_statement(assertion) for assertion in record["assertions"]]
                assertions(scores, "assertions, all kinds", record, found, gold)
            else:
                record = single[row["id"]]
                causal_rows(scores, "causal sentences", record, found, arrows_of(record))
    return scores


def _row(scores: Scores, name: str) -> Score:
    return scores.setdefault(name, Score())


def _words(record: Record, place: Span, longest: int = 70) -> str:
    return " ".join(record["text"][slice(*place)].split())[:longest]


# --- entities


class Named(NamedTuple):
    """An entity at a place."""

    span: Span
    type: str


def entities(scores: Scores, record: Record, evidence: Evidence) -> None:
    found = [
        Named((m.start, m.end), m.type) for m in evidence.mentions if not m.attributes.get("noun_phrase")
    ]
    expected = [Named(span(e), e["type"]) for e in record["entities"]]

    def show(item: Named) -> str:
        return f"{record['id']}: {_words(record, item.span)} [{item.type}]"

    def exact(a: Named, b: Named) -> bool:
        return a == b

    def near(a: Named, b: Named) -> bool:
        return overlaps(a.span, b.span) and a.type == b.type

    for type_ in (*ENTITY_TYPES, "all types"):
        of_type = [e for e in found if type_ in (e.type, "all types")]
        wanted = [e for e in expected if type_ in (e.type, "all types")]
        tally(_row(scores, f"entities: {type_}, exact"), of_type, wanted, exact, show)
        tally(_row(scores, f"entities: {type_}, overlap"), of_type, wanted, near, show)


# --- relations and assertions


class End(NamedTuple):
    """One end: where it stands, its head word (gold only), and what a pronoun there refers to."""

    span: Span
    head: Span | None = None
    antecedent: Span | None = None


class Statement(NamedTuple):
    """A directed relation, found or in the gold."""

    source: End
    target: End
    type: str
    lemma: str = ""
    cue: Span | None = None
    negated: bool = False
    modality: str = "fact"
    speaker: str | None = None
    borderline: bool = False
    empty: bool = False
    doubtful: bool = False


def statements(record: Record, evidence: Evidence) -> list[Statement]:
    """Return what the extractor found, without the co-occurrences."""
    by_id = {mention.id: mention for mention in evidence.mentions}
    rows = []
    for a in evidence.assertions:
        if a.type == "co_occurs_with":
            continue
        ends = []
        for end in ("source", "target"):
            mention = by_id[getattr(a, f"{end}_mention")]
            own = (mention.start, mention.end)
            ends.append(End(_place(a, end) or own, antecedent=own))
        rows.append(
            Statement(
                ends[0],
                ends[1],
                a.type,
                lemma=a.type.split("_")[0],
                cue=_place(a, "cue"),
                negated=a.negated,
                modality=getattr(a, "modality", "fact"),
                speaker=getattr(a, "speaker", None),
                doubtful=getattr(a, "doubtful", False),
                empty=a.type not in ASSERTION_TYPES and any(_is_empty(record, end) for end in ends),
            )
        )
    return rows


def _place(assertion: Any, part: str) -> Span | None:
    """Return the characters of an end or of the cue; an old extractor does not tell."""
    start, end = (getattr(assertion, f"{part}_{edge}", None) for edge in ("start", "end"))
    return None if start is None or end is None else (start, end)


def _is_empty(record: Record, end: End) -> bool:
    """Return whether an end is but a pronoun that is not resolved."""
    return end.antecedent in (None, end.span) and bool(
        PRONOUN.fullmatch(record["text"][slice(*end.span)].strip())
    )


def expected_statement(record: Record, assertion: Record) -> Statement:
    """Return an assertion of the gold as a statement."""
    ends = []
    for end in (assertion["source"], assertion["target"]):
        first = record["text"].index(end["head"], end["start"])
        antecedent = span(end["antecedent"]) if end.get("antecedent") else None
        ends.append(End(span(end), (first, first + len(end["head"])), antecedent))
    return Statement(
        ends[0],
        ends[1],
        assertion["type"],
        lemma=(assertion["lemma"] or "").split(" ")[0],
        cue=span(assertion["cue"]) if assertion["cue"] else None,
        negated=assertion["polarity"] == "denied",
        modality=assertion["modality"],
        speaker=assertion["attributed_to"],
        borderline=bool(assertion.get("borderline")),
    )


def _annotated_statement(assertion: Record) -> Statement:
    """Return an assertion of an annotated sentence, of which only the head words are marked."""
    source, target = (End(tuple(assertion[end]), tuple(assertion[end])) for end in ("source", "target"))
    return Statement(
        source,
        target,
        assertion["type"] if assertion["type"] in ASSERTION_TYPES else "open",
        cue=tuple(assertion["cue"]) if assertion["cue"] else None,
        negated=assertion["polarity"] == "denied",
        modality=assertion["modality"],
    )


def same_end(found: End, gold: End) -> bool:
    """Return whether a found end or what it refers to holds the gold's head, or lies at its antecedent."""
    first, last = gold.head or gold.span
    if any(place and place[0] <= first and last <= place[1] for place in (found.span, found.antecedent)):
        return True
    if gold.antecedent is None:
        return False
    return any(place and overlaps(place, gold.antecedent) for place in (found.span, found.antecedent))


def right_heads(a: Statement, b: Statement) -> bool:
    """Return whether two statements join the same heads; `written_by` is "wrote" from its other end."""
    if same_end(a.source, b.source) and same_end(a.target, b.target):
        return True
    return (
        b.type == "open"
        and a.type.endswith("_by")
        and same_end(a.source, b.target)
        and same_end(a.target, b.source)
    )


def same_lemma(a: Statement, b: Statement) -> bool:
    """Return whether two open statements have one verb; a type as `written_by` has it in its cue."""
    return a.lemma == b.lemma or bool(a.cue and b.cue and overlaps(a.cue, b.cue))


def same_type(a: Statement, b: Statement) -> bool:
    return a.type == b.type if b.type != "open" else a.type not in ASSERTION_TYPES


def put_alike(a: Statement, b: Statement) -> float:
    return (a.negated == b.negated) + (a.modality == b.modality)


def graded(*conditions: Callable[[Statement, Statement], bool]) -> Callable[[Statement, Statement], float]:
    """Return a fit of statements with right heads that meet all conditions, the better the more they share.

    A borderline one excuses whatever joins its heads.
    """

    def fits(a: Statement, b: Statement) -> float:
        if not right_heads(a, b) or not (b.borderline or all(condition(a, b) for condition in conditions)):
            return 0.0
        return 1.0 + same_type(a, b) + 0.25 * put_alike(a, b) + 0.1 * same_lemma(a, b)

    return fits


def polarity_and_modality(a: Statement, b: Statement) -> bool:
    return a.negated == b.negated and a.modality == b.modality


def exact_type(a: Statement, b: Statement) -> bool:
    return same_type(a, b) and (b.type != "open" or same_lemma(a, b))


def _show_statement(record: Record) -> Show:
    def show(item: Statement) -> str:
        marks = f"{'!' if item.negated else ''}{item.type}{'/' + item.lemma if item.type == 'open' else ''}"
        source, target = _words(record, item.source.span), _words(record, item.target.span)
        modality = "" if item.modality == "fact" else f" ({item.modality})"
        return f"{record['id']}: {source} --{marks}--> {target}{modality}"

    return show


def causal_rows(
    scores: Scores, layer: str, record: Record, found: list[Statement], gold: list[Statement]
) -> None:
    """Count the causal arrows: right heads, also right type, also polarity and modality."""
    mine = [s for s in found if s.type in CAUSAL]
    theirs = [s for s in gold if s.type in CAUSAL or s.borderline]
    show = _show_statement(record)
    sure = [s for s in mine if not s.doubtful]
    tally(_row(scores, f"{layer}: causal, right heads, not doubtful"), sure, theirs, graded(), show)
    for what, conditions in (
        ("right heads", ()),
        ("and type", (same_type,)),
        ("and type, polarity, modality", (same_type, polarity_and_modality)),
    ):
        tally(_row(scores, f"{layer}: causal, {what}"), mine, theirs, graded(*conditions), show)


def assertions(
    scores: Scores, layer: str, record: Record, found: list[Statement], gold: list[Statement]
) -> None:
    """Count the assertions of a passage: joined, type, polarity and modality."""
    show = _show_statement(record)
    causal_rows(scores, layer, record, found, gold)
    tally(_row(scores, f"{layer}: joined"), found, gold, graded(), show, many=True)
    sure = [s for s in found if not s.doubtful]
    tally(_row(scores, f"{layer}: and type, not doubtful"), sure, gold, graded(same_type), show)
    for what, conditions in (
        ("and type", (same_type,)),
        ("and type, same verb", (exact_type,)),
        ("and type, polarity, modality", (same_type, polarity_and_modality)),
    ):
        tally(_row(scores, f"{layer}: {what}"), found, gold, graded(*conditions), show)


def assertion_types(scores: Scores, record: Record, evidence: Evidence, gold: list[Statement]) -> None:
    """Count the assertions of each type: right heads and right type."""
    found, show = statements(record, evidence), _show_statement(record)
    for type_ in (*ASSERTION_TYPES, "open"):
        mine = [s for s in found if s.type == type_ or (type_ == "open" and s.type not in ASSERTION_TYPES)]
        theirs = [s for s in gold if s.type == type_ or s.borderline]
        tally(_row(scores, f"types: {type_}"), mine, theirs, graded(), show)
        if type_ == "open":
            tally(_row(scores, "types: open, same verb"), mine, theirs, graded(same_lemma), show)


STANCES: dict[str, Callable[[Statement], bool]] = {
    "denied": lambda s: s.negated,
    "modal": lambda s: s.modality == "modal",
    "hypothetical": lambda s: s.modality == "hypothetical",
    "asked": lambda s: s.modality == "asked",
    "attributed": lambda s: bool(s.speaker),
}


def stances(scores: Scores, record: Record, evidence: Evidence, gold: list[Statement]) -> None:
    """Count the assertions that are put in a certain way: right heads, and put so in the gold as well."""
    found, show = statements(record, evidence), _show_statement(record)

    def same_speaker(a: Statement, b: Statement) -> bool:
        return right_heads(a, b) and share_a_word(a.speaker, b.speaker)

    for stance, holds in STANCES.items():
        mine, theirs = [s for s in found if holds(s)], [s for s in gold if holds(s) or s.borderline]
        tally(_row(scores, f"stance: {stance}"), mine, theirs, graded(), show)
    tally(_row(scores, "stance: attributed, right speaker"), mine, theirs, same_speaker, show)


def share_a_word(one: str | None, other: str | None) -> bool:
    """Return whether two names have a word in common, articles apart."""
    names = [set((name or "").lower().split()) - {"the", "a", "an", "of"} for name in (one, other)]
    return bool(names[0] & names[1])


def causal_sentence(scores: Scores, record: Record) -> None:
    """Count the causal arrows of a single sentence; those that look causal and are not also apart."""
    gold, found = arrows_of(record), statements(record, extract(record).evidence)
    causal_rows(scores, "causal sentences", record, found, gold)
    if not gold:
        arrows, show = [s for s in found if s.type in CAUSAL], _show_statement(record)
        tally(_row(scores, "causal sentences: arrows where there is none"), arrows, [], right_heads, show)


def arrows_of(record: Record) -> list[Statement]:
    """Return the annotated arrows of a single sentence."""
    gold = []
    for arrow in record["arrows"]:
        ends = min(
            product(*(_places(record["text"], arrow, end) for end in ("source", "target"))),
            key=lambda pair: abs(pair[0].span[0] - pair[1].span[0]),
        )
        gold.append(
            Statement(
                ends[0],
                ends[1],
                arrow["type"],
                negated=arrow["polarity"] == "denied",
                modality=arrow["modality"],
            )
        )
    return gold


def _places(text: str, arrow: Record, end: str) -> Iterator[End]:
    """Yield where an end may stand: its words may stand in the sentence twice, and mean the nearer ones."""
    words, head = arrow[f"{end}_text"], arrow[f"{end}_head"]
    for match in re.finditer(re.escape(words), text):
        first = match.start() + text[match.start() :].index(head)
        yield End(match.span(), (first, first + len(head)))


def relations(scores: Scores, record: Record, evidence: Evidence) -> None:
    """Compare type, direction and denial where spans need only overlap, over the passages of `gold.jsonl`."""
    found, show = statements(record, evidence), _show_statement(record)
    # the type says as much as the verb here; what no type of the gold fits is an open relation
    found = [s._replace(empty=False) for s in found]
    expected = [
        Statement(End(span(r["source"])), End(span(r["target"])), r["type"], negated=r["negated"])
        for r in record["relations"]
    ]
    plain = [s for s, r in zip(expected, record["relations"], strict=True) if not r["anaphoric"]]
    vocabulary = relation_types()

    def ends(a: Statement, b: Statement) -> bool:
        return _near(a.source, b.source) and _near(a.target, b.target)

    def exact(a: Statement, b: Statement) -> bool:
        typed = a.type == b.type or (b.type == "relates_to" and a.type not in vocabulary)
        return ends(a, b) and typed and a.negated == b.negated

    def joined(a: Statement, b: Statement) -> bool:
        return ends(a, b) or (_near(a.source, b.target) and _near(a.target, b.source))

    tally(_row(scores, "relations: type and direction"), found, expected, exact, show)
    tally(_row(scores, "relations: without anaphoric"), found, plain, exact, show)
    tally(_row(scores, "relations: joined at all"), found, expected, joined, show)
    mine, theirs = ([s for s in side if s.type in CAUSAL] for side in (found, expected))
    tally(_row(scores, "relations: causal"), mine, theirs, exact, show)


def _near(found: End, gold: End) -> bool:
    return any(place and overlaps(place, gold.span) for place in (found.span, found.antecedent))


@cache
def relation_types() -> frozenset[str]:
    """Return the types that the gold file names, of any split."""
    return frozenset(
        r["type"] for split in SPLITS for g in read_gold("gold.jsonl", split) for r in g["relations"]
    )


# --- coreference, claims, arguments, events


FIRST_PERSONS = frozenset({"i", "me", "my", "mine", "myself"})
"""Words that the gold gives no antecedent."""


class Link(NamedTuple):
    """A pronoun or description, and the places that count as its antecedent."""

    span: Span
    antecedents: tuple[Span, ...]


def coreference(scores: Scores, record: Record, reading: Reading) -> None:
    """Count the links whose antecedent overlaps, is one further back in the chain, or has the same words."""
    nearest = [(span(link), span(link["antecedent"])) for link in record["coreference"]]

    def chain(place: Span) -> tuple[Span, ...]:
        places = [place]
        for current in places:
            places += [b for a, b in nearest if overlaps(a, current) and b not in places]
        return tuple(places)

    expected = [Link(pronoun, chain(antecedent)) for pronoun, antecedent in nearest]
    found = [
        Link(pronoun, (antecedent,))
        for pronoun, antecedent in reading.references
        if _words(record, pronoun).lower() not in FIRST_PERSONS
    ]

    def fits(a: Link, b: Link) -> bool:
        return overlaps(a.span, b.span) and any(
            overlaps(a.antecedents[0], place) or _words(record, a.antecedents[0]) == _words(record, place)
            for place in b.antecedents
        )

    def show(item: Link) -> str:
        return f"{record['id']}: {_words(record, item.span)} = {_words(record, item.antecedents[0])}"

    tally(_row(scores, "coreference: links"), found, expected, fits, show)


class Asserted(NamedTuple):
    """A claim and who makes it."""

    span: Span
    speaker: str | None


class Bearing(NamedTuple):
    """One claim for or against another."""

    source: Span
    target: Span
    type: str


def arguments(scores: Scores, record: Record, evidence: Evidence) -> None:
    """Count claims that share half of the longer one, reported ones with their speaker, and their links."""
    found = [Asserted((c.start, c.end), c.speaker) for c in evidence.claims]
    expected = [Asserted(span(c), c.get("speaker")) for c in record["claims"]]

    def show(item: Asserted) -> str:
        return f"{record['id']}: {_words(record, item.span, 120)} [{item.speaker}]"

    def alike(a: Asserted, b: Asserted) -> bool:
        return half(a.span, b.span)

    def same_speaker(a: Asserted, b: Asserted) -> bool:
        return alike(a, b) and share_a_word(a.speaker, b.speaker)

    tally(_row(scores, "claims: overlap half"), found, expected, alike, show)
    reported, wanted = ([c for c in side if c.speaker] for side in (found, expected))
    tally(_row(scores, "claims: reported, with speaker"), reported, wanted, same_speaker, show)
    by_id = {c.id: (c.start, c.end) for c in evidence.claims}
    links = [Bearing(by_id[r.source], by_id[r.target], r.type) for r in evidence.arguments]
    gold = [
        Bearing(expected[r["source"]].span, expected[r["target"]].span, r["type"]) for r in record["argument"]
    ]

    def linked(a: Bearing, b: Bearing) -> bool:
        return half(a.source, b.source) and half(a.target, b.target) and a.type == b.type

    def tell(item: Bearing) -> str:
        source, target = _words(record, item.source, 80), _words(record, item.target, 80)
        return f"{record['id']}: [{source}] --{item.type}--> [{target}]"

    tally(_row(scores, "argument links: type"), links, gold, linked, tell)


class Dated(NamedTuple):
    """A clause with its date."""

    span: Span
    date: str
    approximate: bool


def events(scores: Scores, record: Record, evidence: Evidence) -> None:
    """Count the events whose clause overlaps and whose date begins alike, and whether it is approximate."""
    found = [
        Dated((e.start, e.end), e.timestamp.split("T")[0], bool(getattr(e, "approximate", False)))
        for e in evidence.events
    ]
    expected = [
        Dated(span(e), e["date"].split("/")[0].split("T")[0], bool(e.get("approximate")))
        for e in record["events"]
    ]

    def fits(a: Dated, b: Dated) -> bool:
        return overlaps(a.span, b.span) and a.date == b.date

    def show(item: Dated) -> str:
        return (
            f"{record['id']}: {'about ' if item.approximate else ''}{item.date} {_words(record, item.span)}"
        )

    tally(_row(scores, "events: clause and date"), found, expected, fits, show)
    if "kind" in record:
        both: Callable[[Dated, Dated], bool] = lambda a, b: fits(a, b) and a.approximate == b.approximate  # noqa: E731
        tally(_row(scores, "events: and approximate"), found, expected, both, show)


def sections(scores: Iterable[str]) -> dict[str, list[str]]:
    """Return the rows of each layer, in the order of a report."""
    layers: dict[str, list[str]] = {}
    for name in scores:
        layers.setdefault(name.partition(": ")[0], []).append(name)
    order = {name: place for place, name in enumerate(LAYERS)}

    def rank(layer: str) -> float:
        return order.get(layer, 0.5)

    return {layer: layers[layer] for layer in sorted(layers, key=rank)}
