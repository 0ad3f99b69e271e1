"""Extraction by a language model: every chunk is asked about, in one call and rounds of gleaning.

A reply that was cut off at the token limit lacks findings: its chunk is asked about again in two halves.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Literal, NamedTuple, TypeVar, cast

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.evidence import (
    CAUSAL,
    ArgumentRelation,
    Assertion,
    Claim,
    Event,
    Evidence,
    Finding,
    Mention,
)
from corpusgraph.schemas.llm import Prompt, PromptSet, Reply
from corpusgraph.schemas.ports import Accept, LanguageModel
from corpusgraph.schemas.study import LanguageOptions, Ontology
from corpusgraph.tasks.extract.llm.findings import (
    EXTRACTOR,
    STAGE,
    TYPE,
    UNLOCATED,
    Findings,
    Ledger,
    Part,
    Passage,
    Span,
    Types,
    line,
    name_of,
    snake,
)
from corpusgraph.tasks.extract.llm.prompts import (
    SaidClaim,
    SaidEntity,
    SaidEvent,
    SaidEvidence,
    SaidItem,
    SaidRelationship,
    first_prompt,
    found_lines,
    glean_prompt,
    is_wordless,
    items_of,
    label,
    system,
)
from corpusgraph.tasks.extract.name_forms import fold
from corpusgraph.tasks.extract.rules.reading import small, year_of
from corpusgraph.tasks.extract.rules.relative_dates import find_relative
from corpusgraph.tasks.extract.rules.tagger import TOKEN
from corpusgraph.tasks.llm.prompting import ask_all, failure_of
from corpusgraph.tasks.text.dates import FoundDate, find_dates, infer_years, iso_date
from corpusgraph.tasks.text.sentences import sentence_spans
from corpusgraph.tasks.text.wordlist import wordset

_PRONOUNS = wordset(
    "he she it they we you i me him her them us his hers its their theirs this that these those who"
)
_LETTER = re.compile(r"[^\W_]")
MAX_NAME = 300
"""Characters of a name: a longer one is a passage, or a model repeating itself."""


def is_name(name: str) -> bool:
    """Tell a name from what models give for one though told not to: pronouns, marks, whole passages.

    "US" and "IT" are no pronouns.
    """
    pronoun = name.casefold() in _PRONOUNS and (len(name) < 2 or not name.isupper())
    return len(name) <= MAX_NAME and not pronoun and _LETTER.search(name) is not None


class Reading:
    """What is read of one document: all its entities first, for they are the ends of everything else."""

    def __init__(self, document: Document, chunks: Sequence[Chunk], ontology: Ontology) -> None:
        self.document = document
        self.ledger = Ledger(document)
        self.types = Types(ontology)
        self.findings = Findings(document, chunks)
        self._type_of: dict[str, str] = {}
        self._refused: set[str] = set()
        self._named: dict[tuple[str, str], Mention] = {}

    def quote(self, part: Part, item: SaidItem) -> Span | None:
        """Return where an item's quote stands; one that stands nowhere is noted."""
        found = part.find(item.quote)
        if found is None:
            self.ledger.note(part, "quote_not_found", label(item))
        return found

    def is_wordless(self, part: Part, item: SaidItem) -> bool:
        """Tell an item that has a quote and says nothing of it; it is noted."""
        wordless = is_wordless(item)
        if wordless:
            self.ledger.note(part, "unnamed", item.quote)
        return wordless

    def entities(self, part: Part, said: SaidEvidence) -> None:
        """Add a mention for each entity of a reply."""
        for entity in said.entities:
            if not is_name(name_of(entity.name)):
                self.ledger.note(part, "unnamed", entity.name.strip() or entity.quote)
                continue
            quote = self.quote(part, entity)
            type_ = self._type(part, entity) if quote else None
            if quote is not None and type_ is not None:
                self._entity(part, entity, quote, type_)

    def named(self, part: Part, said: str, quote: Span, type_: str | None) -> Mention | None:
        """Return the mention of a name nearest to a quote: inside it, else the entity's, else in the chunk.

        A name that is no entity of the document becomes one of `type_`; None without a type, or where the
        passage does not have it.
        """
        name = name_of(said)
        if not is_name(name):
            return None
        known = self._named.get((part.chunk.id, fold(name)))
        type_ = known.type if known else self._type_of.get(fold(name), type_)
        if type_ is None or (known is None and self.is_refused(name)):
            return None
        place = part.name_within(name, quote) if known else part.name(name, quote)
        return known if place is None else self.findings.mention(name, type_, place, quote)

    def why_missing(self, part: Part, said: str, quote: Span, type_: str | None) -> str:
        """Tell why a name has no mention: the ontology has no type for it, or it is not in the passage."""
        there = type_ is None and part.name(name_of(said), quote) is not None
        return "outside_ontology" if there or self.is_refused(said) else "end_not_found"

    def is_refused(self, name: str) -> bool:
        """Tell whether a name is that of an entity that the ontology does not have."""
        return fold(name_of(name)) in self._refused and fold(name_of(name)) not in self._type_of

    def _entity(self, part: Part, entity: SaidEntity, quote: Span, type_: str) -> None:
        name, about = name_of(entity.name), line(entity.description)
        place = part.name(name, quote)
        if place is None and snake(name) == type_:  # "person", of somebody whom the passage does not name
            self.ledger.note(part, "unnamed", entity.name)
            return
        stated, outside = self.types.attributes(type_, [(one.name, one.value) for one in entity.attributes])
        for one in outside:
            self.ledger.note(part, "outside_ontology", f"{entity.name}: {one}", kept=not self.types.strict)
        made = self.findings.mention(name, type_, place, quote, description=about, stated=stated)
        self._type_of.setdefault(fold(name), made.type)
        self._named.setdefault((part.chunk.id, fold(name)), made)

    def _type(self, part: Part, entity: SaidEntity) -> str | None:
        type_, known = self.types.entity(entity.type)
        if not known:
            kept = not self.types.strict
            self.ledger.note(part, "outside_ontology", f"{entity.name} ({type_})", kept=kept)
            if not kept:
                self._refused.add(fold(name_of(entity.name)))
                return None
        return type_


CONFIDENCE = 0.8
"""Of what a model gives no confidence."""


class Relations:
    """Collects the assertions of a document: one for each sentence, type and pair of ends."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.assertions: dict[tuple[int, str, str, str], Assertion] = {}

    def add(self, part: Part, said: SaidRelationship) -> None:
        """Add a relationship if its quote and both its ends are in the passage and the ontology has it."""
        reading = self._reading
        quote = reading.quote(part, said)
        if quote is None:
            return
        type_, known = reading.types.relationship(said.type)
        first, last = (reading.types.end(type_, source=source) for source in (True, False))
        source = reading.named(part, said.source, quote, first)
        target = reading.named(part, said.target, quote, last)
        if source is None or target is None:
            ends = ((said.source, first, source), (said.target, last, target))
            missing = {name: end_type for name, end_type, end in ends if end is None}
            why = [reading.why_missing(part, name, quote, end_type) for name, end_type in missing.items()]
            reading.ledger.note(part, max(why), label(said))  # the ontology, where it is one of the reasons
            return
        if source.id == target.id:
            reading.ledger.note(part, "same_ends", label(said))
            return
        strict = reading.types.strict
        fits = known and reading.types.fits(type_, source.type, target.type)
        if not fits:
            reading.ledger.note(part, "outside_ontology", label(said), kept=not strict)
        if fits or not strict:
            self._add(said, type_, (source, target), quote)

    def _add(self, said: SaidRelationship, type_: str, ends: tuple[Mention, Mention], quote: Span) -> None:
        source, target = ends
        where = self._reading.findings.where(quote)
        confidence = CONFIDENCE if said.confidence is None else said.confidence
        located = all(end.attributes.get("located", True) for end in ends)
        key = (where["sentence_start"], fold(source.name), type_, fold(target.name))
        if key in self.assertions:
            return
        self.assertions[key] = Assertion(
            id=Assertion.make_id(source.id, type_, target.id, f"{EXTRACTOR}:{where['sentence_start']}"),
            source_mention=source.id,
            target_mention=target.id,
            source=source.name,
            target=target.name,
            type=type_,
            is_causal=said.is_causal or type_ in CAUSAL or self._reading.types.is_causal(type_),
            negated=said.negated,
            description=line(said.description),
            confidence=round(confidence if located else min(confidence, UNLOCATED), 3),
            cue=line(said.type).replace("_", " ") or None,
            **where,
        )


Granularity = Literal["year", "month", "day", "minute", "second"]

_ISO = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?)?)?", re.ASCII)
_DAY = len("1854-09-08")
_NUMBER = re.compile(r"\d{1,9}")
_LATIN = re.compile("[A-Za-z]{2}")
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_VIETNAMESE = re.compile(
    r"(?:ngày\s+(?P<d>\d{1,2})\s+)?tháng\s+(?P<m>\d{1,2}),?\s+(?:năm\s+)?(?P<y>\d{4})", re.IGNORECASE
)
_BY_LENGTH: dict[int, Granularity] = {4: "year", 7: "month", 10: "day", 16: "minute"}


class Time(NamedTuple):
    """A time or a stretch of it, ISO 8601; `sure` is false where its year stands elsewhere."""

    first: str
    last: str | None
    granularity: Granularity
    sure: bool
    words: str


def read_time(passage: Passage, quote: Span, said: str, year: int | None) -> Time | None:
    """Return when an event was, from the words a model says tell it, or from its quote; None if none do.

    `year` is the document's own. A date without a year has that of the nearest date before it. An ISO date
    that the model made itself holds only where its year is in the passage and its day in the quote.
    """
    said = " ".join(said.split())
    text = ascii_digits(passage.text)
    iso = _valid(said) or iso_date(said)
    words = (passage.find_name(said, quote) or passage.find(said)) if said else None
    if words is not None and (found := _dated(text, words, year)):
        return found
    dates = _times(text, quote, year)
    if iso is None:
        return dates[0] if dates else None
    agreeing = [time for time in dates if time.first.startswith(iso) or iso.startswith(time.first)]
    if agreeing and not (len(iso) > len(agreeing[0].first) and _holds(text, quote, iso)):
        return agreeing[0]
    return _made(text, quote, iso, year, said)


def ascii_digits(text: str) -> str:
    """Return a text of the same length with the digits 0 to 9 for those of other scripts."""
    return _OTHER_DIGIT.sub(lambda digit: str(int(digit[0])), text)


def _times(text: str, span: Span, year: int | None) -> list[Time]:
    """Read the dates in a span, in text order."""
    vietnamese = _VIETNAMESE.search(text, *span)
    if vietnamese:
        iso = "-".join(f"{int(part):02}" for part in vietnamese.group("y", "m", "d") if part)
        if _valid(iso):
            return [Time(iso, None, _BY_LENGTH[len(iso)], sure=True, words=" ".join(vietnamese[0].split()))]
    return [time for date in find_dates(text, *span) if (time := _whole(text, date, year))]


def _holds(text: str, quote: Span, iso: str) -> bool:
    """Tell whether a quote has all numbers of an ISO date: it is written in words that the rules lack.

    Of months written in words, the rules know those of languages in Latin letters.
    """
    year, *rest = [int(part) for part in iso[:10].split("-")]
    wanted = {year, *rest} if _LATIN.search(text, *quote) else {year, *rest[1:]}
    return wanted <= _numbers(text, quote)


def _numbers(text: str, span: Span) -> set[int]:
    return {int(digits) for digits in _NUMBER.findall(text, *span)}


def _dated(text: str, words: Span, year: int | None) -> Time | None:
    """Read a stretch of text as a time: a date, two that bound a range, or one told by an earlier one."""
    found = _times(text, words, year)
    if len(found) == 2 and not found[0].last and not found[1].last and found[0].first <= found[1].first:
        return found[0]._replace(last=found[1].first, words=" ".join(text[slice(*words)].split()))
    if found:
        return found[0]
    before = [date for date in find_dates(text, 0, words[0]) if date.first]
    told = find_relative(text, *words, before[-1] if before else None)
    return _time(text, told[0], sure=False) if told else None


def _whole(text: str, date: FoundDate, year: int | None) -> Time | None:
    """Give a date without a year the one before it in the passage, or the document's own."""
    if date.first is None:
        return None
    if not date.first.startswith("--"):
        return _time(text, date, sure=True)
    _, before = infer_years(find_dates(text, 0, date.start), year)
    fixed = infer_years([date], before)[0][0]
    return _time(text, fixed, sure=False) if fixed.first and not fixed.first.startswith("--") else None


def _time(text: str, date: FoundDate, *, sure: bool) -> Time:
    words = " ".join(text[date.start : date.end].split())
    return Time(date.first or "", date.last, cast("Granularity", date.granularity), sure, words)


def _valid(text: str) -> str | None:
    """Return an ISO 8601 date that the calendar and the clock have."""
    if not _ISO.fullmatch(text):
        return None
    try:
        datetime.fromisoformat(text if len(text) > _DAY else f"{text}-01-01"[:_DAY])
    except ValueError:
        return None
    return text.replace(" ", "T").removesuffix("Z")


def _made(text: str, quote: Span, iso: str, year: int | None, said: str) -> Time | None:
    """Accept an ISO date that the model made, of words the rules cannot read, if its numbers are there."""
    in_quote = _numbers(text, quote)
    wanted = int(iso[:4])
    if wanted != year and wanted not in _numbers(text, (0, len(text))):
        return None
    told = int(iso[8:10]) if len(iso) >= 10 else wanted
    if told not in in_quote:  # the day, or of a date without one the year
        return None
    return Time(iso, None, _BY_LENGTH.get(len(iso), "second"), wanted in in_quote, said)


EVENT_CONFIDENCE, INFERRED = 0.8, 0.6
"""Of an event or a claim, and of an event whose year stands elsewhere."""


class Events:
    """Collects the dated events of a document."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._year = year_of(reading.document)
        self._said_by: dict[tuple[int, int, str], str] = {}
        self.events: dict[tuple[int, str, str], Event] = {}

    def add(self, part: Part, said: SaidEvent) -> None:
        """Add an event if the passage has its quote and tells its time."""
        quote = self._reading.quote(part, said)
        if quote is None or self._reading.is_wordless(part, said):
            return
        time = read_time(part.passage, part.inside(quote), said.time, self._year)
        if time is None:
            self._reading.ledger.note(part, "undated_event", label(said))
        elif self._said_by.setdefault((*quote, time.first), part.chunk.id) == part.chunk.id:
            sentence = self._reading.findings.layout.sentence_of(*quote)[0]
            key = (sentence, time.first, fold(said.activity))
            if key not in self.events:
                self.events[key] = self._event(part, said, quote, time)

    def _event(self, part: Part, said: SaidEvent, quote: Span, time: Time) -> Event:
        reading = self._reading
        document, activity = reading.document, line(said.activity)
        actors, places = self._named(part, said, quote, TYPE), self._named(part, said, quote, "place")
        return Event(
            id=stable_id("evt", document.id, *quote, time.first, fold(activity), EXTRACTOR),
            case=document.id,
            activity=activity,
            text=line(document.text[slice(*quote)]),
            timestamp=time.first,
            timestamp_end=time.last,
            granularity=time.granularity,
            actors=actors,
            places=places,
            confidence=EVENT_CONFIDENCE if time.sure else INFERRED,
            cue=time.words or None,
            **reading.findings.where(quote),
        )

    def _named(self, part: Part, said: SaidEvent, quote: Span, type_: str) -> tuple[str, ...]:
        """Return the mentions of an event's places, or of its actors; it is kept without the others."""
        reading = self._reading
        wanted = type_ if reading.types.entity(type_)[1] else None
        found: dict[str, None] = {}
        for name in said.places if type_ == "place" else said.actors:
            mention = reading.named(part, name, quote, wanted)
            if mention is not None:
                found[mention.id] = None
            elif is_name(name_of(name)):
                why = reading.why_missing(part, name, quote, wanted)
                reading.ledger.note(part, why, f"{label(said)}: {name}", kept=True)
        return tuple(found)


class Claims:
    """Collects the claims of a document and what supports and attacks what."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._at: dict[Span, list[tuple[str, Claim]]] = defaultdict(list)
        self.claims: dict[str, Claim] = {}
        self.arguments: dict[str, ArgumentRelation] = {}

    def add(self, part: Part, said: Sequence[SaidClaim]) -> None:
        """Add the claims of a reply; their numbers count the claims of this reply from 1."""
        claims = [self._claim(part, one) for one in said]
        for one, source in zip(said, claims, strict=True):
            if source is not None:
                targets = {"support": one.supports, "attack": one.attacks}
                for kind, number in ((kind, n) for kind, numbers in targets.items() for n in numbers):
                    target = claims[number - 1] if 0 < number <= len(claims) else None
                    if target and target.id != source.id:
                        self._argument(source, target, kind)

    def with_entities(self) -> list[Claim]:
        """Return the claims with the mentions inside them, once all mentions are known."""
        inside = self._reading.findings.inside
        return [
            claim.model_copy(update={"entities": tuple(m.id for m in inside((claim.start, claim.end)))})
            for claim in self.claims.values()
        ]

    def _claim(self, part: Part, said: SaidClaim) -> Claim | None:
        quote = self._reading.quote(part, said)
        if quote is None or self._reading.is_wordless(part, said):
            return None
        sentence = self._reading.findings.layout.sentence_of(*quote)[0]
        number = stable_id("clm", self._reading.document.id, sentence, fold(said.text), EXTRACTOR)
        before = [claim for chunk_id, claim in self._at[quote] if chunk_id != part.chunk.id]
        if number not in self.claims and before:
            return before[0]
        if number not in self.claims:
            self.claims[number] = Claim(
                id=number,
                text=line(said.text),
                speaker=name_of(said.speaker) or None,
                stance=said.stance,
                confidence=EVENT_CONFIDENCE,
                **self._reading.findings.where(quote),
            )
            self._at[quote].append((part.chunk.id, self.claims[number]))
        return self.claims[number]

    def _argument(self, source: Claim, target: Claim, kind: str) -> None:
        number = stable_id("arg", source.id, target.id, kind)
        where = self._reading.findings.where((source.start, source.end))
        ends = {"id": number, "source": source.id, "target": target.id, "type": kind}
        made = ArgumentRelation.model_validate({**ends, "confidence": EVENT_CONFIDENCE, **where})
        self.arguments.setdefault(number, made)


F = TypeVar("F", bound=Finding)
Heard = tuple[Part, SaidEvidence]
"""A chunk, and what a model said of it in one round."""


def evidence_of(
    document: Document, chunks: Sequence[Chunk], heard: Sequence[Heard], ontology: Ontology
) -> tuple[Evidence, tuple[Failure, ...]]:
    """Return the evidence of a document, and what was left out of it by chunk and reason.

    `heard` is what a model said of each chunk, in their order, round by round; the result depends on nothing
    else.
    """
    reading = Reading(document, chunks, ontology)
    for part, said in heard:
        reading.entities(part, said)
    relations, events, claims = Relations(reading), Events(reading), Claims(reading)
    for part, said in heard:
        for relationship in said.relationships:
            relations.add(part, relationship)
        for event in said.events:
            events.add(part, event)
        claims.add(part, said.claims)
    made = Evidence(
        document_id=document.id,
        mentions=_ordered(reading.findings.mentions.values()),
        assertions=_ordered(relations.assertions.values()),
        claims=_ordered(claims.with_entities()),
        arguments=_ordered(claims.arguments.values()),
        events=_ordered(events.events.values()),
        lower_words=lower_words(document.text),
    )
    return made, reading.ledger.lines()


def lower_words(text: str) -> dict[str, int]:
    """Count the words in lower case, as rules do: the survey tells names from common words by them."""
    counts: Counter[str] = Counter()
    for piece, n in Counter(text.split()).items():
        for word in (piece,) if piece.isalpha() and piece != "cannot" else TOKEN.findall(piece):
            counts[word] += n
    return small(counts)


def _ordered(findings: Iterable[F]) -> tuple[F, ...]:
    return tuple(sorted(findings, key=lambda finding: (finding.start, finding.end, finding.id)))


VERSION = "2"
"""Raise it with every change of how replies are read."""
SHORTEST = 200
"""Characters of a text below which it is not divided: what a model says of so little, it says without end."""
MOST_WRONG = 0.5
"""Share of a reply's items that may lack words, or a quote from the passage; with more, it is worthless."""
_GAP = re.compile(r"(?<=\S)\s+(?=\S)")
SHOWN = 3
SHOWN_CHARACTERS = 80
"""Wrong quotes told to the model, and how much of each."""


class ModelFindings(NamedTuple):
    """What a model found in one document.

    `failures` are chunks of which a call failed: the evidence is without them. `dropped` counts findings
    that were left out, and such as were kept though the ontology does not have them; and it names the chunks
    that were asked about in parts.
    """

    evidence: Evidence
    failures: tuple[Failure, ...]
    dropped: tuple[Failure, ...]


@dataclass
class _Work:
    """A chunk that is being asked about, or a part of one."""

    place: int
    document: Document
    part: Part
    is_half: bool = False
    before: tuple[SaidEvidence, ...] = ()
    """What was said of it while it was asked about together with its other half."""
    said: list[SaidEvidence] = field(default_factory=list)
    failure: Failure | None = None
    halves: tuple["_Work", ...] = ()

    @property
    def heard(self) -> list[SaidEvidence]:
        """All replies so far."""
        return [*self.before, *self.said]

    def hear(self, reply: Reply[SaidEvidence]) -> bool:
        """Take a reply, and tell whether it says anything that those before it did not."""
        if reply.value is None:
            self.failure = failure_of(reply, STAGE, self.document.source, self.part.chunk.id, self._where)
            return False
        known = {name.casefold() for name in found_lines(self.heard, names_apart=True)}
        told = _found_in(self.part, reply.value)
        self.said.append(reply.value)
        return any(name.casefold() not in known for name in found_lines([told], names_apart=True))

    def divide(self) -> tuple["_Work", ...]:
        """Return the halves to ask about instead, none where the text is too short to be divided."""
        self.halves = tuple(
            _Work(self.place, self.document, part, True, tuple(_found_in(part, said) for said in self.heard))
            for part in map(Part, halves_of(self.part.chunk))
        )
        return self.halves

    def parts(self) -> Iterator["_Work"]:
        """Yield this and what it was divided into, in the order of the text."""
        yield self
        for half in self.halves:
            yield from half.parts()

    def note(self) -> Failure:
        """Return the line of the ledger that says where it was divided."""
        at = self.halves[1].part.chunk.start
        message = (
            f"{self._where}the reply was cut off at the token limit: asked in two parts, divided at {at}"
        )
        source, item = self.document.source, self.part.chunk.id
        return Failure(source=source, stage=STAGE, code="asked_in_parts", message=message, item=item)

    @property
    def _where(self) -> str:
        """Name the characters of a part of a chunk; empty for a whole one."""
        chunk = self.part.chunk
        return f"characters {chunk.start} to {chunk.end}: " if self.is_half else ""


class ModelExtractor:
    """Finds evidence by a language model; every item of it is quoted from its passage."""

    def __init__(self, llm: LanguageModel, options: LanguageOptions, prompts: PromptSet) -> None:
        self._llm = llm
        self._options = options
        self._prompts = prompts
        self._system = system(options, prompts)

    @property
    def fingerprint(self) -> str:
        """Identify the model, what it is told and how its replies are read."""
        model = getattr(self._llm, "fingerprint", self._llm.name)
        ontology = self._options.ontology.model_dump_json()
        told = [VERSION, model, self._system, self._prompts.glean, str(self._options.gleanings), ontology]
        digest = hashlib.blake2b("\x1f".join(told).encode(), digest_size=8).hexdigest()
        return f"llm-{VERSION}-{digest}"

    def prompts(self, document: Document, chunks: Sequence[Chunk]) -> list[Prompt]:
        """Return the prompts of the first round, one for each chunk."""
        return [first_prompt(self._system, document, chunk) for chunk in chunks]

    def extract_all(self, given: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[ModelFindings]:
        """Return what each document says, in order; all chunks are asked about together.

        A chunk whose call failed is a failure of its document and nothing else.
        """
        works = [
            _Work(place, document, Part(chunk))
            for place, (document, chunks) in enumerate(given)
            for chunk in chunks
        ]
        waiting = self._round(works, self._first)
        for _ in range(self._options.gleanings):
            waiting = self._round(waiting, self._glean)
        asked = {place: list(group) for place, group in groupby(works, key=lambda work: work.place)}
        return [
            self._findings(document, chunks, [part for work in asked.get(place, []) for part in work.parts()])
            for place, (document, chunks) in enumerate(given)
        ]

    def _round(self, works: Sequence[_Work], prompt: Callable[[_Work], Prompt]) -> list[_Work]:
        """Ask about chunks and return those that had something new to say: more may be found there."""
        news: list[_Work] = []
        while works:
            parts = [work.part for work in works]
            replies = ask_all(self._llm, [prompt(work) for work in works], SaidEvidence, acceptor(parts))
            halves: list[_Work] = []
            for work, reply in zip(works, replies, strict=True):
                if reply.code == "truncated_reply" and work.divide():
                    halves += work.halves
                elif work.hear(reply):
                    news.append(work)
            works = halves
        return news

    def _first(self, work: _Work) -> Prompt:
        return first_prompt(self._system, work.document, work.part.chunk)

    def _glean(self, work: _Work) -> Prompt:
        return glean_prompt(self._system, self._prompts, work.document, work.part.chunk, work.heard)

    def _findings(self, document: Document, chunks: Sequence[Chunk], works: Sequence[_Work]) -> ModelFindings:
        heard = [(work.part, said) for work in works for said in work.said]
        evidence, dropped = evidence_of(document, chunks, heard, self._options.ontology)
        failures = tuple(work.failure for work in works if work.failure)
        return ModelFindings(evidence, failures, (*(work.note() for work in works if work.halves), *dropped))


def acceptor(parts: Sequence[Part]) -> Accept[SaidEvidence]:
    """Return what refuses a reply most of which is empty or not quoted from the passage it is about."""

    def accept(place: int, said: SaidEvidence) -> str | None:
        items = items_of(said)
        wrong = [item.quote for item in items if parts[place].find(item.quote) is None]
        wordless = sum(map(is_wordless, items))
        if max(len(wrong), wordless) <= MOST_WRONG * len(items):
            return None
        if len(wrong) < wordless:
            return f"{wordless} of {len(items)} items have no name or text; leave them out."
        shown = "; ".join(repr(quote[:SHOWN_CHARACTERS]) for quote in dict.fromkeys(wrong[:SHOWN]))
        return f"These quotes are not in the passage: {shown}; quote it word for word."

    return accept


def _found_in(part: Part, said: SaidEvidence) -> SaidEvidence:
    """Return the items of a reply whose quotes are in the passage."""
    kept: dict[str, Iterable[object]] = {
        name: tuple(item for item in getattr(said, name) if part.find(item.quote))
        for name in SaidEvidence.model_fields
    }
    return said.model_copy(update=kept)


def halves_of(chunk: Chunk) -> tuple[Chunk, ...]:
    """Return the two halves of a chunk's text, divided where the sentence nearest the middle begins.

    In one sentence (a list, a table) it is divided at a space; none are returned where there is none, or the
    text is too short. The halves keep the chunk's id: they are parts of it, with offsets of the document.
    """
    text = chunk.content
    if len(text.strip()) < SHORTEST:
        return ()
    borders = [start for start, _ in sentence_spans(text)[1:]] or [gap.end() for gap in _GAP.finditer(text)]
    if not borders:
        return ()
    border = min(borders, key=lambda at: abs(2 * at - len(text)))
    middle, end = chunk.start + border, chunk.start + len(text)
    return (
        chunk.model_copy(update={"content": text[:border], "end": middle}),
        chunk.model_copy(update={"content": text[border:], "start": middle, "end": end}),
    )
