"""From a reading to evidence: mentions, assertions, claims, arguments, events."""

from bisect import bisect_right
from collections.abc import Sequence

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.evidence import Event, Evidence
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.index.rules.argue import Argument
from corpusgraph.tasks.index.rules.assertions import co_occurrences, relations
from corpusgraph.tasks.index.rules.clauses import Clauses
from corpusgraph.tasks.index.rules.dates import FoundDate
from corpusgraph.tasks.index.rules.events import find_events
from corpusgraph.tasks.index.rules.findings import Findings
from corpusgraph.tasks.index.rules.mentions import entities, phrase_mention
from corpusgraph.tasks.index.rules.reading import Reading
from corpusgraph.tasks.index.rules.scripts import caseless, find_repeated


def assemble(reading: Reading, chunks: Sequence[Chunk]) -> Evidence:
    """Collect everything the rules find."""
    findings = Findings(reading.document, chunks)
    happened: list[Event] = []
    for at, sentence in enumerate(counted(reading.sentences, "sentences understood", every=64)):
        named = entities(reading, findings, at)
        clauses = Clauses(sentence, reading.phrases[at])
        relations(reading, findings, at, clauses)
        happened += events(reading, findings, at, clauses)
        co_occurrences(findings, reading, at, named)
    if caseless(reading.document.text):
        _repeated(reading, findings)
    argument = Argument(reading, findings)
    argument.collect()
    ordered = sorted(findings.mentions.values(), key=lambda m: (m.start, m.end))
    return Evidence(
        document_id=reading.document.id,
        mentions=tuple(ordered),
        assertions=tuple(sorted(findings.assertions.values(), key=lambda a: (a.start, a.end, a.id))),
        claims=tuple(argument.claims),
        arguments=tuple(sorted(argument.relations.values(), key=lambda r: (r.start, r.id))),
        events=tuple(happened),
        lower_words=reading.lower_words,
    )


def _repeated(reading: Reading, findings: Findings) -> None:
    """Add what repeats in a text whose script has no capitals."""
    starts = [sentence.start for sentence in reading.sentences]
    taken = sorted(findings.mentions)
    for start, end, kind, confidence in find_repeated(reading.document.text):
        near = bisect_right(taken, (start, end))
        if any(s < end and start < e for s, e in taken[max(0, near - 3) : near + 3]):
            continue
        at = bisect_right(starts, start) - 1
        if at >= 0 and end <= reading.sentences[at].end:
            findings.mention(start, end, kind, reading.sentences[at], confidence=confidence, cue="repeated")


def events(reading: Reading, findings: Findings, at: int, clauses: Clauses) -> list[Event]:
    """Return the dated events of a sentence; actors: its subject, else its persons and organisations."""
    made = []
    for found in find_events(reading, at, clauses):
        sentence = reading.sentences[at]
        start, end = sentence.starts[found.first], sentence.ends[found.last - 1]
        inside = findings.between(start, end)
        subjects = [phrase_mention(reading, findings, at, phrase) for phrase in found.subjects]
        actors = [m for m in subjects if m.type in ("person", "organisation")] or [
            m for m in inside if m.type in ("person", "organisation")
        ]
        made.append(
            Event(
                id=stable_id("evt", reading.document.id, start, end, found.date.start),
                case=reading.document.id,
                activity=found.activity,
                text=" ".join(reading.document.text[start:end].split()),
                timestamp=found.date.first or "",
                timestamp_end=found.date.last,
                granularity=found.date.granularity,
                actors=tuple(dict.fromkeys(m.id for m in actors)),
                places=tuple(dict.fromkeys(m.id for m in inside if m.type == "place")),
                confidence=0.6 if found.date.year_inferred else 0.75,
                cue=_time_words(reading, at, found.date),
                **findings.where(start, end, sentence),
            )
        )
    return made


def _time_words(reading: Reading, at: int, date: FoundDate) -> str:
    """Return the words that tell the time, marked where they tell it by an earlier date."""
    words = " ".join(reading.document.text[date.start : date.end].split())
    return f"relative: {words}" if date in reading.relative[at] else words
