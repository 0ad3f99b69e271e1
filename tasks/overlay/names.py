"""Find entities and relationships as they are now, by what a caller calls them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import fsum
from typing import Protocol, runtime_checkable

from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.errors import (
    AmbiguousEntityError,
    UnknownEntityError,
    UnknownItemError,
    nearest,
    quoted,
)
from corpusgraph.schemas.graph import DENIED, Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import SHORT_IDS, CreateEntity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.build.aggregate import doubt, micro, noisy_or, shorten
from corpusgraph.tasks.graph.compiled import Ids, compiled
from corpusgraph.tasks.graph.names import (
    ROWS,
    EntityNames,
    NearNames,
    aliases_of,
    is_hand_made,
    naming,
    short_id_of,
    shown_entity,
    text_of_row,
    texts_of,
)
from corpusgraph.tasks.overlay.splits import Asserted, Splits, Telling, Told, splits
from corpusgraph.tasks.overlay.state import HandRelation, MemoryState, Triple, ordered, triple_id

Base = Callable[[str], Entity | None]
"""Id -> the entity as the corpus has it."""
ORIGIN = "memory"


def is_there(state: MemoryState, id_: str, own: Entity | None) -> bool:
    """Whether there is an entity, as it is now; `own` is what the corpus has under its id."""
    if id_ in state.created:
        return True
    return id_ not in state.deleted and (own is not None or id_ in state.named)


def described(state: MemoryState, id_: str, base: Base) -> Entity | None:
    """Return an entity as it is now, or None where there is none. Degree and counts are the corpus's."""
    own = None if id_ in state.deleted else base(id_)
    if not is_there(state, id_, own):
        return None
    if not _is_touched(state, id_) and own is not None:
        return own
    absorbed = _absorbed(state, id_, base)
    made = _made(state, id_)
    name, type_ = _called(state, id_, own, made)
    attributes = dict(own.attributes or {}) if own else {"origin": ORIGIN}
    for one in made:
        attributes = {**one.attributes, **attributes}
    attributes |= _lists(state, id_, name, own, absorbed)
    attributes |= _rows(attributes.pop(ROWS, None), attributes.get("observations", ()))
    is_stub = own is None and type_ is None and id_ in state.created and _is_stub(state.created[id_].made)
    if not is_stub:
        attributes.pop("is_stub", None)
    brought = [_telling(state, id_, one) for one in (*([own] if own else ()), *absorbed)]
    said = [one.description for one in made]
    told = (*brought[:1], *said, *brought[1:]) if own else (*said, *brought)
    number = own.short_id if own else state.entity_numbers.of.get(id_)
    changed = {
        "name": name,
        "type": type_,
        "description": next((text for text in told if text), None),
        "attributes": attributes,
        "short_id": number,
        "is_stub": is_stub or bool(own and own.is_stub),
    }
    return (own or Entity(id=id_)).model_copy(update=changed)


def _rows(kept: object, noted: Iterable[str]) -> JsonDict:
    """Return what a file has beside the words of observations, of those that are still noted."""
    if not isinstance(kept, list):
        return {} if kept is None else {ROWS: kept}
    left = {nfc(text) for text in noted}
    rows = [row for row in kept if nfc(text_of_row(row)) in left]
    return {ROWS: rows} if rows else {}


def _telling(state: MemoryState, id_: str, brought: Entity) -> str | None:
    """Return what describes an entity of the corpus: of an imported one what it noted and is left."""
    taken = state.unobserved.get(id_)
    noted = [nfc(text) for text in _noted(brought)]
    if not taken or not is_hand_made(brought) or not any(text in taken for text in noted):
        return brought.description
    return shorten(" ".join(text for text in noted if text not in taken)) or None


def _is_touched(state: MemoryState, id_: str) -> bool:
    said = (state.created, state.renamed, state.aliases, state.lost_names, state.members, state.gained)
    return any(id_ in kept for kept in said) or id_ in state.observations or id_ in state.unobserved


def _absorbed(state: MemoryState, id_: str, base: Base) -> list[Entity]:
    members = sorted(member for member in state.members.get(id_, ()) if member not in state.deleted)
    return [entity for member in members if (entity := base(member)) is not None]


def _made(state: MemoryState, id_: str) -> list[CreateEntity]:
    hand = state.created.get(id_)
    return [*([hand.made] if hand else ()), *state.gained.get(id_, ())]


def _is_stub(made: CreateEntity) -> bool:
    """Tell one that was made because a relation names it."""
    return bool(made.attributes.get("is_stub"))


def _called(
    state: MemoryState, id_: str, own: Entity | None, made: Sequence[CreateEntity]
) -> tuple[str, str | None]:
    """Return name and type: as renamed, as the corpus has them, as made, as first named."""
    renamed = state.renamed.get(id_)
    first = own or (made[0] if id_ in state.created else state.named[id_])
    return (renamed.name, renamed.type or first.type) if renamed else (first.name, first.type)


def _lists(
    state: MemoryState, id_: str, name: str, own: Entity | None, absorbed: Sequence[Entity]
) -> JsonDict:
    """Return the other names and the observations, each where there is one."""
    names = _other_names(state, id_, own, absorbed)
    others = [other for other in names if other != name]
    said = observed(state, id_, [*([own] if own else ()), *absorbed])
    has_list = own is not None and "aliases" in (own.attributes or {})
    attributes: JsonDict = {"aliases": others} if others or has_list else {}
    return {**attributes, "observations": said} if said or id_ in state.unobserved else attributes


def _other_names(
    state: MemoryState, id_: str, own: Entity | None, absorbed: Sequence[Entity]
) -> Iterable[str]:
    said = [*([own] if own else ()), *absorbed]
    corpus = [name for one in said for name in kept(state, one.id, (one.name, *aliases_of(one)))]
    return dict.fromkeys([*corpus, *state.aliases.get(id_, ())])


def kept(state: MemoryState, id_: str, names: Iterable[str]) -> list[str]:
    """Return the names of an entity of the corpus that no split gave away."""
    lost = state.lost_names.get(id_, ())
    return [name for name in names if name.strip().casefold() not in lost]


def observed(state: MemoryState, id_: str, corpus: Iterable[Entity] = ()) -> list[str]:
    """Return what is noted about an entity: what the corpus brought and was not taken back, then by hand."""
    taken = state.unobserved.get(id_, {})
    brought = [nfc(text) for one in corpus for text in _noted(one)]
    return list(dict.fromkeys([*(t for t in brought if t not in taken), *state.observations.get(id_, ())]))


def _noted(entity: Entity) -> list[str]:
    return texts_of(entity.attributes or {}, "observations")


def triple_of(said: Relationship) -> Triple:
    """Return the relationship as its id has it: the type of one that is only denied says so, its id not."""
    type_ = said.type
    plain = ordered(said.source_id, type_.removeprefix(DENIED), said.target_id)
    return plain if triple_id(plain) == said.id else (said.source_id, type_, said.target_id)


class Triples:
    """The relationships of a corpus by their ends and type.

    Their ids tell, as indexing makes them; where a graph from elsewhere has ids of its own, all are looked at
    once.
    """

    def __init__(self, graph: GraphView) -> None:
        self._graph = graph
        self._state: MemoryState | None = None
        self._regrouped = 0
        self._followed: dict[str, str] = {}
        self._moved: dict[str, Triple] = {}

    def of(self, triple: Triple) -> list[Relationship]:
        """Return the corpus's relationships between two of its entities; most have one or none."""
        if self._listed is not None:
            return [self._graph.relationships[i] for i in self._listed.get(triple_id(triple), ())]
        known = self.known(triple_id(triple))
        return [] if known is None else [known]

    def known(self, ref: EntityRef) -> Relationship | None:
        """Return the corpus's relationship of an id or short id, or None.

        In a graph from elsewhere also by the id that indexing would give it.
        """
        try:
            return self._graph.relationship(ref)
        except UnknownItemError:
            listed = self._listed
            places = listed.get(str(ref)) if listed is not None else None
            return self._graph.relationships[places[0]] if places else None

    def hint(self, ref: EntityRef) -> str | None:
        """Return what the corpus says to an id it does not have."""
        try:
            self._graph.relationship(ref)
        except UnknownItemError as error:
            return error.hint
        return None

    @cached_property
    def _listed(self) -> dict[str, list[int]] | None:
        relationships = self._graph.relationships
        if not relationships or triple_id(triple_of(relationships[0])) == relationships[0].id:
            return None
        listed: dict[str, list[int]] = {}
        for i, one in enumerate(relationships):
            listed.setdefault(triple_id(triple_of(one)), []).append(i)
        return listed

    def moved(self, state: MemoryState, id_: str) -> Triple | None:
        """Return the relationship of an id that merges brought about, with its ends as they are now.

        The relationships of what was merged are looked at once for each merge that moves them.
        """
        if self._state is not state or self._regrouped != state.regrouped:
            self._state, self._regrouped = state, state.regrouped
            self._move_all(state)
        return self._moved.get(id_)

    def _move_all(self, state: MemoryState) -> None:
        if not self._followed.keys() <= state.merged.keys():
            self._followed.clear()
        nodes = compiled(self._graph)
        for member, into in state.merged.items():
            at = nodes.ids.find(member)
            if at is None or self._followed.get(member) == into:
                continue
            self._followed[member] = into
            for edge in nodes.edges_of(at, denied=True).tolist():
                source, type_, target = triple_of(self._graph.relationships[edge])
                ends = ordered(state.now(source), type_, state.now(target))
                self._moved[triple_id(ends)] = ends  # one that is no more is found to be nothing


@dataclass
class PartedEvidence:
    """What the corpus says of relationships with evidence that went to another entity."""

    out: set[str] = field(default_factory=set)
    """Relationships of the corpus that are counted one piece of evidence at a time."""
    now: dict[str, Triple] = field(default_factory=dict)
    """Relationship that some of this evidence is for -> its ends, and its type."""
    said: defaultdict[str, list[Relationship]] = field(default_factory=lambda: defaultdict(list))
    """The same -> each piece as a relationship of its own."""


class Parting:
    """Parts the relationships of a graph; again only after a merge, split, deletion or removal."""

    def __init__(self, graph: GraphView, triples: Triples, telling: Telling | None) -> None:
        self._graph, self._triples = graph, triples
        self._telling: Telling = telling or (lambda _: Told((), ()))
        self._state: MemoryState | None = None
        self._n = 0
        self._found = PartedEvidence()

    def of(self, state: MemoryState) -> PartedEvidence:
        """Return what the splits of a state part."""
        if self._state is not state or self._n != len(state.steps):
            self._found = self._parted(splits(state, self._telling, self._bare))
            self._state, self._n = state, len(state.steps)
        return self._found

    def _parted(self, made: Splits) -> PartedEvidence:
        found = PartedEvidence()
        for one in made.assertions:
            found.out.add(one.relationship_id)
            if one.id in made.ends:
                source, target = made.ends[one.id]
                _say(found, (source, one.type, target), _single(one, source, target))
        for id_, ends in made.chosen.items():
            found.out.add(id_)
            whole = self._triples.known(id_)
            if whole is not None and ends is not None:
                _say(found, (ends[0], triple_of(whole)[1], ends[1]), whole)
        return found

    def _bare(self, entities: frozenset[str]) -> list[tuple[str, Triple]]:
        nodes = compiled(self._graph)
        places = (at for id_ in sorted(entities) if (at := nodes.ids.find(id_)) is not None)
        edges = dict.fromkeys(edge for at in places for edge in nodes.edges_of(at, denied=True).tolist())
        whole = (self._graph.relationships[edge] for edge in edges)
        return [(one.id, triple_of(one)) for one in whole]


def _say(found: PartedEvidence, triple: Triple, piece: Relationship) -> None:
    ends = ordered(*triple)
    found.now[triple_id(ends)] = ends
    found.said[triple_id(ends)].append(piece)


def _single(one: Asserted, source: str, target: str) -> Relationship:
    return Relationship(
        id=triple_id(ordered(source, one.type, target)),
        source_id=source,
        target_id=target,
        type=f"{DENIED}{one.type}" if one.negated else one.type,
        weight=one.confidence,
        confidence=one.confidence,
        is_causal=one.is_causal and not one.negated,
        negated_weight=one.confidence if one.negated else 0.0,
        n_evidence=1,
    )


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


NEWEST = 100
"""Names that are compared one by one before all are counted again."""


@runtime_checkable
class _Named(Protocol):
    @property
    def names(self) -> EntityNames: ...


def names_of(graph: GraphView) -> EntityNames:
    """Return what the entities of a graph are called; a graph that keeps that itself is asked."""
    if isinstance(graph, _Named):
        return graph.names
    entities = graph.entities
    return EntityNames(Ids(tuple(e.id for e in entities)), entities, lambda: naming(entities))


class Names:
    """Resolves references to entities and relationships over a generation and the state of its memory.

    The order is that of `EntityNames`: id, name as written, name without regard to case, another name, short
    id; the first of these that fits any entity decides. Finding looks only at what bears the name, so it does
    not grow with the changes; the state may be brought on meanwhile.
    """

    def __init__(self, graph: GraphView, state: MemoryState, telling: Telling | None = None) -> None:
        self._graph, self.state, self._telling = graph, state, telling
        self._near_hand = 0, NearNames(())

    @cached_property
    def _base(self) -> EntityNames:
        return names_of(self._graph)

    @cached_property
    def _triples(self) -> Triples:
        return Triples(self._graph)

    @cached_property
    def _parting(self) -> Parting:
        return Parting(self._graph, self._triples, self._telling)

    def find(self, ref: EntityRef) -> Entity:
        """Return the entity, or raise UnknownEntityError or AmbiguousEntityError with the candidates."""
        if isinstance(ref, str):
            ref = nfc(ref)
            if (entity := self.at(ref)) is not None:
                return entity
        found = self._numbered(ref) if isinstance(ref, int) else self._called(ref)
        if len(found) == 1:
            return found[0]
        raise self._ambiguous(ref, found) if found else self._unknown(ref)

    def at(self, id_: str) -> Entity | None:
        """Return the entity of an id, merges followed, or None."""
        return described(self.state, self.state.now(id_), self._base.with_id)

    def relationship(self, ref: EntityRef) -> Relationship:
        """Return the relationship of an id or short id, or raise UnknownItemError with near matches."""
        return Relations(self._triples, self.state, self.at, self._parting).find(ref)

    def _called(self, ref: str) -> Sequence[Entity]:
        folded = ref.strip().casefold()
        ids = [entity.id for entity in self._base.called(ref)]
        bearers = self._now([*ids, *self.state.spelled.get(folded, ())])
        fits: dict[int, list[Entity]] = {}
        for entity in bearers:
            fits.setdefault(_level(entity, ref, folded), []).append(entity)
        best = min(fits, default=NONE)
        if best < NONE:
            return fits[best]
        number = short_id_of(ref)
        return () if number is None else self._numbered(number)

    def _numbered(self, number: int) -> Sequence[Entity]:
        if number >= SHORT_IDS and (id_ := self.state.entity_numbers.id_of(number)) is not None:
            found = self._now([id_])
            if found:
                return found
        return self._now(entity.id for entity in self._base.numbered(number))

    def _now(self, ids: Iterable[str]) -> list[Entity]:
        """Return the entities that these now are, each once, in id order."""
        now = sorted({self.state.now(id_) for id_ in ids})
        return [entity for id_ in now if (entity := self.at(id_)) is not None]

    def _ambiguous(self, ref: EntityRef, found: Sequence[Entity]) -> AmbiguousEntityError:
        listed = ", ".join(shown_entity(entity) for entity in found)
        return AmbiguousEntityError(
            f"{quoted(ref)} names {len(found)} entities: {listed}.", hint="Give an id."
        )

    def _unknown(self, ref: EntityRef) -> UnknownEntityError:
        return UnknownEntityError(f"Unknown entity {quoted(ref)}.", hint=lambda: self._meant(str(ref)))

    def _meant(self, name: str) -> str | None:
        """Name the entities that look like a name: made only when the hint is looked at."""
        like = [*self._base.like(name), *self._like_by_hand(name)]
        near = nearest(name, {one.name for known in like for one in self._called(known)})
        bearers = [one for known in near for one in self._called(known) if one.name == known]
        return f"Did you mean {' or '.join(shown_entity(e) for e in bearers)}?" if bearers else None

    def _like_by_hand(self, name: str) -> list[str]:
        """Return names by hand that look like a name; they are counted again when a tenth more has come."""
        spelled = list(self.state.spelled)
        n, near = self._near_hand
        if not n <= len(spelled) <= NEWEST + 1.1 * n:
            n, near = self._near_hand = len(spelled), NearNames(spelled)
        return [*near.like(name), *nearest(name, spelled[n:])]


NONE = 3
"""No level: not called so any more."""


def _level(entity: Entity, ref: str, folded: str) -> int:
    """Return how a name fits: as written, without regard to case, as another name, not at all."""
    if entity.name == ref:
        return 0
    if entity.name.casefold() == folded:
        return 1
    return 2 if folded in {name.casefold() for name in aliases_of(entity)} else NONE
