"""From units to claims, and from connectives and denials to support and attack."""

from bisect import bisect_left

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Mention
from corpusgraph.tasks.index.rules.claims import evaluative, first_person, narrates, units_of
from corpusgraph.tasks.index.rules.findings import EXTRACTOR, Findings, claim_id
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.reading import Reading
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.unit import Unit

ARGUMENTATIVE = 0.3
"""Share of sentences with a modal, evaluation or connective above which a text is read as an argument."""
WEAK = 0.35
EXAMPLES = 4
"""How many claims before "these examples show" are the examples, at most."""
MOST_ATTACKED = 8
"""A denial attacks at most this many statements of what it denies, the nearest ones."""
NEIGHBOUR = 3
"""A connective binds to a claim at most this many sentences back."""


class Argument:
    """Collects the claims of a document, then joins them."""

    def __init__(self, reading: Reading, findings: Findings) -> None:
        self.reading = reading
        self.findings = findings
        self.claims: list[Claim] = []
        self.at: dict[str, int] = {}
        self.relations: dict[str, ArgumentRelation] = {}
        self._by_sentence = _sorted_by_sentence(findings)
        self._causal = [a for a in findings.assertions.values() if a.is_causal]

    def collect(self) -> None:
        """Find the claims in order and link each to its neighbours, then denials to what they deny."""
        units = [units_of(sentence, at) for at, sentence in enumerate(self.reading.sentences)]
        strong = [self._strength(unit) for found in units for unit in found]
        argues = len(strong) >= 6 and sum(s >= 0.4 for s in strong) >= ARGUMENTATIVE * len(strong)
        last: tuple[int, Claim] | None = None
        for found in units:
            made: dict[int, Claim] = {}
            for unit in found:
                claim = self._claim(unit, argues)
                if claim is None:
                    continue
                made[id(unit)] = claim
                self._link(unit, claim, last, made)
                last = (unit.at, claim)
        self._denials()

    def _strength(self, unit: Unit) -> float:
        sentence = self.reading.sentences[unit.at]
        strength = unit.strength
        text = self.findings.document.text
        if evaluative(text[sentence.starts[unit.first] : sentence.ends[unit.last - 1]]):
            strength = max(strength, 0.65)
        if any(self._within(a, unit) for a in self._causal_of(sentence)):
            strength = max(strength, 0.6)
        return strength

    def _causal_of(self, sentence: Sentence) -> list[Assertion]:
        return [a for a in self._by_sentence.get(sentence.start, []) if a.is_causal]

    def _within(self, assertion: Assertion, unit: Unit) -> bool:
        sentence = self.reading.sentences[unit.at]
        return assertion.start < sentence.ends[unit.last - 1] and sentence.starts[unit.first] < assertion.end

    def _claim(self, unit: Unit, argues: bool) -> Claim | None:
        sentence = self.reading.sentences[unit.at]
        strength = self._strength(unit)
        if argues and not strength and (first_person(sentence) or not narrates(sentence, unit)):
            strength = WEAK
        if strength < (WEAK if argues else 0.6) and unit.reason_for is None:
            return None
        start, end = sentence.starts[unit.first], sentence.ends[unit.last - 1]
        text = " ".join(self.findings.document.text[start:end].split())
        claim = Claim(
            id=claim_id(self.findings.document, start, end),
            text=text,
            speaker=self._speaker(unit, sentence),
            stance="denies" if unit.denies else "asserts",
            entities=tuple(m.id for m in self._mentions(start, end)),
            confidence=round(max(strength, WEAK), 3),
            cue=unit.cue or ("causal statement" if strength == 0.6 else "statement in an argument"),
            **self.findings.where(start, end, sentence),
        )
        self.claims.append(claim)
        self.at[claim.id] = unit.at
        return claim

    def _mentions(self, start: int, end: int) -> list[Mention]:
        return self.findings.between(start, end)

    def _speaker(self, unit: Unit, sentence: Sentence) -> str | None:
        """Return the name before the verb of saying; the author where the text says "I"."""
        if unit.speaker:
            first, last = unit.speaker
            for name in self.reading.names[unit.at]:
                if first <= name.first and name.last <= last and name.kind in ("person", "organisation"):
                    return name.text
            meant = self.reading.references.get((unit.at, last - 1)) or self._person_before(
                unit.at, sentence.lows[last - 1]
            )
            if meant:
                return phrase_text(self.reading, *meant)
            if sentence.lows[last - 1] not in ("i", "we"):
                return None
        author = self.findings.document.metadata.get("author")
        return str(author) if author and "i" in sentence.lows else None

    def _person_before(self, at: int, pronoun: str) -> tuple[int, Phrase] | None:
        """Return the last person named before the sentence, for "he" and "she"."""
        if pronoun not in ("he", "she"):
            return None
        for before in range(at, max(-1, at - NEIGHBOUR - 1), -1):
            people = [n for n in self.reading.names[before] if n.kind == "person"]
            if people and before < at:
                return before, Phrase(people[0].first, people[0].last)
        return None

    def _link(self, unit: Unit, claim: Claim, last: tuple[int, Claim] | None, made: dict[int, Claim]) -> None:
        if unit.reason_for is not None:
            conclusion = made.get(id(unit.reason_for))
            if conclusion:
                self._add(claim, conclusion, "support", unit.cue)
            return
        if last is None or unit.at - last[0] > NEIGHBOUR or not unit.kind:
            return
        if unit.kind == "from":
            back = EXAMPLES if unit.cue.startswith("these") else 1
            for reason in self.claims[-1 - back : -1]:
                if unit.at - self.at[reason.id] <= NEIGHBOUR + back - 1:
                    self._add(reason, claim, "support", unit.cue)
        elif unit.kind in ("to", "reason"):
            self._add(claim, last[1], "support", unit.cue)
        else:
            self._add(claim, last[1], "attack", unit.cue)

    def _denials(self) -> None:
        """Let a claim that denies a causal statement attack the nearest claims that make it."""
        stated: dict[tuple[str, str, str], list[Assertion]] = {}
        for assertion in self._causal:
            if not assertion.negated:
                stated.setdefault(statement(assertion), []).append(assertion)
        starts = [claim.start for claim in self.claims]
        for denial in (a for a in self._causal if a.negated):
            near = _nearest(stated.get(statement(denial), []), denial.start)
            attackers = self._holding(denial, starts)
            for assertion in near[:MOST_ATTACKED]:
                for attacked in self._holding(assertion, starts):
                    for attacker in attackers:
                        self._add(attacker, attacked, "attack", f"denies: {denial.cue}")

    def _holding(self, assertion: Assertion, starts: list[int]) -> list[Claim]:
        """Return the claims that overlap an assertion; claims are in text order and do not overlap."""
        last = bisect_left(starts, assertion.end)
        return [c for c in self.claims[max(0, last - 4) : last] if assertion.start < c.end]

    def _add(self, source: Claim, target: Claim, type_: str, cue: str) -> None:
        id_ = stable_id("arg", source.id, target.id, type_)
        if id_ in self.relations or source.id == target.id:
            return
        self.relations[id_] = ArgumentRelation(
            id=id_,
            document_id=source.document_id,
            chunk_id=source.chunk_id,
            start=source.start,
            end=source.end,
            page=source.page,
            extractor=EXTRACTOR,
            confidence=0.6 if not cue.startswith("denies") else 0.5,
            cue=cue,
            sentence_start=source.sentence_start,
            sentence_end=source.sentence_end,
            source=source.id,
            target=target.id,
            type="attack" if type_ == "attack" else "support",
        )


def _sorted_by_sentence(findings: Findings) -> dict[int, list[Assertion]]:
    table: dict[int, list[Assertion]] = {}
    for assertion in findings.assertions.values():
        table.setdefault(assertion.sentence_start, []).append(assertion)
    return table


def phrase_text(reading: Reading, at: int, phrase: Phrase) -> str | None:
    """Return a name as written, without line breaks; None where the phrase is no name."""
    for name in reading.names[at]:
        if name.last == phrase.last and name.first >= phrase.first:
            return name.text
    return None


def _nearest(assertions: list[Assertion], start: int) -> list[Assertion]:
    return sorted(assertions, key=lambda assertion: (abs(assertion.start - start), assertion.id))


def statement(assertion: Assertion) -> tuple[str, str, str]:
    """Return what makes two causal statements the same: type, and the last word of each name."""
    source, target = assertion.source.casefold().split(), assertion.target.casefold().split()
    return assertion.type, source[-1], target[-1]
