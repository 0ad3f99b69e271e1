"""A relationship as it is now: what the corpus says of its ends, and what was stated by hand."""

from collections.abc import Callable
from itertools import product
from math import fsum

from corpusgraph.schemas.errors import UnknownItemError, quoted
from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import SHORT_IDS
from corpusgraph.tasks.graph.names import NearNames, short_id_of
from corpusgraph.tasks.index.aggregate import doubt, micro, noisy_or
from corpusgraph.tasks.remember.operations import ordered, triple_id
from corpusgraph.tasks.remember.parted import Parting
from corpusgraph.tasks.remember.state import HandRelation, MemoryState, Triple
from corpusgraph.tasks.remember.triples import Triples, triple_of

MICRO = 1_000_000


def is_removed(state: MemoryState, said: Relationship) -> bool:
    """Whether what the corpus says of a relationship no longer counts: `said` is as the corpus has it."""
    shown = triple_id(ordered(said.source_id, said.type, said.target_id))
    return shown in state.removed or triple_id(triple_of(said)) in state.removed


class Relations:
    """Finds relationships over a generation and the state of its memory."""

    def __init__(
        self, triples: Triples, state: MemoryState, at: Callable[[str], Entity | None], parting: Parting
    ) -> None:
        self._triples, self._state, self._at = triples, state, at
        self._parted = parting.of(state)

    def find(self, ref: EntityRef) -> Relationship:
        """Return the relationship of an id or short id; an id from before a merge leads to what it is now."""
        ends = self._ends(ref)
        found = None if ends is None else self.of(ends)
        if found is None:
            raise UnknownItemError(f"Unknown relationship {quoted(ref)}.", hint=lambda: self._hint(ref))
        return found

    def of(self, ends: Triple) -> Relationship | None:
        """Return the relationship between two entities as they are now, or None."""
        if self._at(ends[0]) is None or self._at(ends[2]) is None:
            return None
        id_ = triple_id(ends)
        hand, said = self._state.relations.get(id_), self._said(ends)
        if hand is None and not said:
            return None
        made = said[0] if hand is None and len(said) == 1 else _joined(ends, hand, said)
        if said and (said[0].source_id, said[0].target_id) == (ends[0], ends[2]):
            id_ = said[0].id  # a graph from elsewhere keeps its own
        made = made.model_copy(update={"id": id_, "source_id": ends[0], "target_id": ends[2]})
        return self._reweighed(ends, made)

    def _ends(self, ref: EntityRef) -> Triple | None:
        """Return what a reference is about, with its ends as they are now."""
        state, number = self._state, short_id_of(ref)
        if isinstance(ref, str):
            if (hand := state.relations.get(ref)) is not None:
                return hand.source, hand.type, hand.target
            if (stated := state.stated.get(ref)) is not None:
                return self._now(stated)
            if (weight := state.reweighed.get(ref)) is not None:
                return ordered(weight.source.id, weight.type, weight.target.id)
        if number is not None and number >= SHORT_IDS:
            id_ = state.relation_numbers.id_of(number)
            if id_ is not None:
                return self._now(state.stated[id_])
        return self._ends_in_corpus(ref)

    def _ends_in_corpus(self, ref: EntityRef) -> Triple | None:
        known, state = self._triples.known(ref), self._state
        if known is not None:
            return self._now(triple_of(known))
        if (went := self._parted.now.get(str(ref))) is not None:
            return went
        return self._triples.moved(state, ref) if isinstance(ref, str) and state.merged else None

    def _now(self, triple: Triple) -> Triple:
        return ordered(self._state.now(triple[0]), triple[1], self._state.now(triple[2]))

    def _said(self, ends: Triple) -> list[Relationship]:
        """Return what the corpus says of two entities and of all merged into them."""
        pairs = product(self._all(ends[0]), self._all(ends[2]))
        own = ends[0] == ends[2]  # of two that were taken for one there is none
        found = [
            said
            for one, other in pairs
            if (one == other) == own
            for said in self._triples.of(ordered(one, ends[1], other))
        ]
        whole = [o for o in found if not is_removed(self._state, o) and o.id not in self._parted.out]
        return [*whole, *self._parted.said.get(triple_id(ends), ())]

    def _all(self, id_: str) -> list[str]:
        every = (id_, *sorted(self._state.members.get(id_, ())))
        return [one for one in every if one not in self._state.deleted]

    def _reweighed(self, ends: Triple, relationship: Relationship) -> Relationship:
        weight = self._state.reweighed.get(triple_id(ends))
        if weight is None:
            return relationship
        given = {"weight": weight.weight, "confidence": weight.confidence}
        return relationship.model_copy(update={k: v for k, v in given.items() if v is not None})

    def _hint(self, ref: EntityRef) -> str | None:
        hand = [id_ for id_, triple in self._state.stated.items() if self.of(self._now(triple)) is not None]
        near = NearNames(hand).like(str(ref))
        return f"Did you mean {' or '.join(map(repr, near))}?" if near else self._triples.hint(ref)


def _joined(ends: Triple, hand: HandRelation | None, said: list[Relationship]) -> Relationship:
    """Add up what indexing would: weights, noisy-or of confidences, evidence; denials only as denials."""
    stated = hand.evidence if hand else []
    denied = [one for one in said if one.type != ends[1]]
    asserted = [one for one in said if one.type == ends[1]]
    counted = asserted or ([] if stated else denied)
    weights = [*(micro(one.confidence) for one in stated), *(round(one.weight * MICRO) for one in counted)]
    doubts = [*(doubt(one.confidence) for one in stated), *(doubt(one.confidence) for one in counted)]
    numbers = [one.short_id for one in counted if one.short_id is not None]
    numbers = numbers or ([hand.short_id] if hand else [])
    first = said[0] if said else Relationship(id=triple_id(ends), source_id=ends[0], target_id=ends[2])
    return first.model_copy(
        update={
            "id": triple_id(ends),
            "source_id": ends[0],
            "target_id": ends[2],
            "type": ends[1] if stated or asserted else first.type,
            "weight": max(sum(weights), 1) / MICRO,
            "confidence": noisy_or(sum(doubts)),
            "is_causal": any([*(one.is_causal for one in stated), *(one.is_causal for one in said)]),
            "negated_weight": fsum(one.negated_weight for one in said),
            "n_evidence": len(stated) + sum(one.n_evidence or 1 for one in counted),
            "short_id": min(numbers) if numbers else None,
        }
    )
