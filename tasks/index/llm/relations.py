"""Assertions from the relationships that a model named."""

from corpusgraph.schemas.evidence import CAUSAL, Assertion, Mention
from corpusgraph.tasks.index.llm.entities import Reading
from corpusgraph.tasks.index.llm.findings import EXTRACTOR, UNLOCATED, Part, line
from corpusgraph.tasks.index.llm.ground import Span
from corpusgraph.tasks.index.llm.ontology import TYPE
from corpusgraph.tasks.index.llm.said import SaidRelationship, label
from corpusgraph.tasks.index.names import fold

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
        first, last = self._end(type_, source=True), self._end(type_, source=False)
        source = reading.named(part, said.source, quote, first)
        target = reading.named(part, said.target, quote, last)
        if source is None or target is None:
            missing = {said.source: first} if source is None else {}
            missing |= {said.target: last} if target is None else {}
            self._without_end(part, said, quote, missing)
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

    def _end(self, type_: str, *, source: bool) -> str | None:
        """Return the type of an end that is no entity of the document."""
        types = self._reading.types
        return types.end(type_, source=source) or (None if types.strict else TYPE)

    def _without_end(
        self, part: Part, said: SaidRelationship, quote: Span, missing: dict[str, str | None]
    ) -> None:
        """Note why ends are missing; the ontology, where it is the reason for one of them."""
        why = [self._reading.why_missing(part, name, quote, type_) for name, type_ in missing.items()]
        self._reading.ledger.note(part, max(why), label(said))

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
