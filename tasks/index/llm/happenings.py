"""Events and claims from what a model said; the same one in the overlap of two chunks is one."""

from collections import defaultdict
from collections.abc import Sequence

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import ArgumentRelation, Claim, Event
from corpusgraph.tasks.index.llm.entities import Reading, is_name
from corpusgraph.tasks.index.llm.findings import EXTRACTOR, Part, line, name_of
from corpusgraph.tasks.index.llm.ground import Span
from corpusgraph.tasks.index.llm.ontology import TYPE
from corpusgraph.tasks.index.llm.said import SaidClaim, SaidEvent, label
from corpusgraph.tasks.index.llm.times import Time, read_time
from corpusgraph.tasks.index.names import fold

CONFIDENCE, INFERRED = 0.8, 0.6
"""Of an event or a claim, and of an event whose year stands elsewhere."""


class Events:
    """Collects the dated events of a document."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._year = _year(reading.document)
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
            confidence=CONFIDENCE if time.sure else INFERRED,
            cue=time.words or None,
            **reading.findings.where(quote),
        )

    def _named(self, part: Part, said: SaidEvent, quote: Span, type_: str) -> tuple[str, ...]:
        """Return the mentions of an event's places, or of its actors; it is kept without the others."""
        reading, wanted = self._reading, self._type(type_)
        found: dict[str, None] = {}
        for name in said.places if type_ == "place" else said.actors:
            mention = reading.named(part, name, quote, wanted)
            if mention is not None:
                found[mention.id] = None
            elif is_name(name_of(name)):
                why = reading.why_missing(part, name, quote, wanted)
                reading.ledger.note(part, why, f"{label(said)}: {name}", kept=True)
        return tuple(found)

    def _type(self, type_: str) -> str | None:
        """Return the type of somebody or somewhere that is no entity of the document."""
        return type_ if self._reading.types.entity(type_)[1] else None


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
            told = [(n, "support") for n in one.supports] + [(n, "attack") for n in one.attacks]
            for number, kind in told if source else ():
                target = claims[number - 1] if 0 < number <= len(claims) else None
                if source and target and target.id != source.id:
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
            self.claims[number] = self._made(number, said, quote)
            self._at[quote].append((part.chunk.id, self.claims[number]))
        return self.claims[number]

    def _made(self, number: str, said: SaidClaim, quote: Span) -> Claim:
        return Claim(
            id=number,
            text=line(said.text),
            speaker=name_of(said.speaker) or None,
            stance=said.stance,
            confidence=CONFIDENCE,
            **self._reading.findings.where(quote),
        )

    def _argument(self, source: Claim, target: Claim, kind: str) -> None:
        number = stable_id("arg", source.id, target.id, kind)
        where = self._reading.findings.where((source.start, source.end))
        ends = {"id": number, "source": source.id, "target": target.id, "type": kind}
        made = ArgumentRelation.model_validate({**ends, "confidence": CONFIDENCE, **where})
        self.arguments.setdefault(number, made)


def _year(document: Document) -> int | None:
    """Return the year of the document itself: it dates a letter's "8 September"."""
    digits = str(document.metadata.get("date", ""))[:4]
    return int(digits) if len(digits) == 4 and digits.isdigit() else None
