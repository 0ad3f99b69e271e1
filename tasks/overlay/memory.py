"""The port Memory over the changes of a list, and how it finds entities and relationships as they are now."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import RLock

from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.errors import UnknownItemError, nearest, quoted
from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import STATED, Change, CreateEntity, Extracted, Observe, Operation, Statement
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.build.aggregate import MAX_KEYWORDS, RelationshipTotal, shorten
from corpusgraph.tasks.graph.names import (
    ROWS,
    aliases_of,
    is_hand_made,
    near_names,
    noted_of,
    only_one,
    short_id_of,
    text_of_row,
)
from corpusgraph.tasks.overlay.base import Base, Triple
from corpusgraph.tasks.overlay.evidence import ORIGIN, Written
from corpusgraph.tasks.overlay.state import Edge, MemoryState, advance, folded, ordered, triple_id, undoing


def described(state: MemoryState, id_: str) -> Entity | None:
    """Return an entity as it is now, or None where there is none. Degree and counts are the corpus's."""
    if not state.is_there(id_):
        return None
    own = None if id_ in state.deleted else state.base.entity(id_)
    if own is not None and not state.is_spoken_of(id_):
        return own
    parts = [part for key in state.parts(id_) if key != id_ and (part := state.base.entity(key)) is not None]
    creations = [*([state.created[id_]] if id_ in state.created else ()), *state.gained.get(id_, ())]
    first = own or (creations[0] if id_ in state.created else state.named[id_])
    named = state.renamed.get(id_, first)
    name, type_ = named.name, named.type or first.type
    attributes = dict(own.attributes or {}) if own else dict(ORIGIN)
    for one in creations:
        attributes = {**one.attributes, **attributes}
    attributes |= _lists(state, id_, name, own, parts)
    attributes |= _rows(attributes.pop(ROWS, None), attributes.get("observations", ()))
    is_bare = own is None and type_ is None and id_ in state.created
    is_stub = is_bare and bool(creations[0].attributes.get("is_stub"))
    if not is_stub:
        attributes.pop("is_stub", None)
    corpus = [_description(state, id_, one) for one in (*([own] if own else ()), *parts)]
    by_hand = [one.description for one in creations]
    texts = (*corpus[:1], *by_hand, *corpus[1:]) if own else (*by_hand, *corpus)
    changed = {
        "name": name,
        "type": type_,
        "description": next((text for text in texts if text), None),
        "attributes": attributes,
        "short_id": own.short_id if own else state.entity_numbers.get(id_),
        "is_stub": is_stub or bool(own and own.is_stub),
    }
    return (own or Entity(id=id_)).model_copy(update=changed)


def _rows(rows: object, noted: Iterable[str]) -> JsonDict:
    """Return what a file has beside the words of observations, of those that are still noted."""
    if not isinstance(rows, list):
        return {} if rows is None else {ROWS: rows}
    left = {nfc(text) for text in noted}
    rows = [row for row in rows if nfc(text_of_row(row)) in left]
    return {ROWS: rows} if rows else {}


def _description(state: MemoryState, id_: str, part: Entity) -> str | None:
    """Return what describes an entity of the corpus: of an imported one what it noted and is left."""
    taken = state.unobserved.get(id_)
    noted = [nfc(text) for text in noted_of(part)]
    if not taken or not is_hand_made(part) or not any(text in taken for text in noted):
        return part.description
    return shorten(" ".join(text for text in noted if text not in taken)) or None


def _lists(state: MemoryState, id_: str, name: str, own: Entity | None, parts: Sequence[Entity]) -> JsonDict:
    """Return the other names and the observations, each where there is one."""
    corpus = [*([own] if own else ()), *parts]
    names = [text for one in corpus for text in still_names(state, one.id, (one.name, *aliases_of(one)))]
    others = [other for other in dict.fromkeys([*names, *state.aliases.get(id_, ())]) if other != name]
    noted = observed(state, id_, corpus)
    has_list = own is not None and "aliases" in (own.attributes or {})
    attributes: JsonDict = {"aliases": others} if others or has_list else {}
    return {**attributes, "observations": noted} if noted or id_ in state.unobserved else attributes


def still_names(state: MemoryState, id_: str, names: Iterable[str]) -> list[str]:
    """Return the names of an entity of the corpus that no split gave away."""
    lost = state.lost_names.get(id_, ())
    return [name for name in names if name.strip().casefold() not in lost]


def observed(state: MemoryState, id_: str, corpus: Iterable[Entity] = ()) -> list[str]:
    """Return what is noted about an entity: what the corpus brought and was not taken back, then by hand."""
    taken = state.unobserved.get(id_, {})
    texts = (nfc(text) for one in corpus for text in noted_of(one))
    return list(dict.fromkeys([*(t for t in texts if t not in taken), *state.observations.get(id_, ())]))


class Names:
    """Resolves references to entities and relationships over a generation and the state of its memory.

    The order is that of `EntityNames`: id, name as written, name without regard to case, another name, short
    id; the first of these that fits any entity decides. Finding looks only at what bears the name, so it does
    not grow with the changes; the state may be brought on meanwhile.
    """

    def __init__(self, state: MemoryState) -> None:
        self.state = state

    def find(self, ref: EntityRef) -> Entity:
        """Return the entity, or raise UnknownEntityError or AmbiguousEntityError with the candidates."""
        if isinstance(ref, str):
            ref = nfc(ref)
            if (entity := described(self.state, self.state.now(ref))) is not None:
                return entity
        entities = self._numbered(ref) if isinstance(ref, int) else self._named(ref)
        return only_one(ref, entities, self._like)

    def edge(self, ref: EntityRef) -> Edge | int:
        """Return a relationship of the memory, or the place of one of the corpus, by id or short id.

        An id from before a merge leads to what it is now. Raises UnknownItemError with near matches.
        """
        state, base, number = self.state, self.state.base, short_id_of(ref)
        if isinstance(ref, str) and ref in state.edges:
            return state.edges[ref]
        id_ = state.id_of(state.relation_numbers, number) if number is not None else ref
        triple = state.stated.get(id_) if isinstance(id_, str) else None
        if triple is None:
            place = base.edge_place(ref) if isinstance(ref, str) else None
            place = self._numbered_edge(ref) if place is None else place
            if place is not None and (edge := state.edge_now(place)) is not None:
                return edge
            triple = None if place is None else base.triple(place)
        edge = None if triple is None else self._between(triple)
        if edge is None:
            raise UnknownItemError(f"Unknown relationship {quoted(ref)}.", hint=lambda: self._like_edge(ref))
        return edge

    def _between(self, triple: Triple) -> Edge | int | None:
        state = self.state
        now = ordered(state.now(triple[0]), triple[1], state.now(triple[2]))
        edge = state.edges.get(triple_id(now))
        return edge or next((at for at in state.base.edges_of(now) if at not in state.taken), None)

    def _numbered_edge(self, ref: EntityRef) -> int | None:
        """Return the place of a relationship of the corpus by its short id, or the id that indexing gives."""
        try:
            return self.state.base.edge_place(self.state.base.graph.relationship(ref).id)
        except UnknownItemError:
            return next(iter(self.state.base.made_ids.get(str(ref), ())), None)

    def _like_edge(self, ref: EntityRef) -> str | None:
        state = self.state
        hand = [id_ for id_, triple in state.stated.items() if self._between(triple) is not None]
        near = near_names(str(ref), hand)
        if near:
            return f"Did you mean {' or '.join(map(repr, near))}?"
        try:
            state.base.graph.relationship(ref)
        except UnknownItemError as error:
            return error.hint
        return None

    def _named(self, ref: str) -> Sequence[Entity]:
        folded = ref.strip().casefold()
        ids = [entity.id for entity in self.state.base.names.called(ref)]
        near = self._now([*ids, *self.state.spelled.get(folded, ())])
        as_written = [entity for entity in near if entity.name == ref]
        in_any_case = [entity for entity in near if entity.name.casefold() == folded]
        otherwise = [entity for entity in near if folded in map(str.casefold, aliases_of(entity))]
        number = short_id_of(ref)
        numbered = [] if number is None else self._numbered(number)
        return as_written or in_any_case or otherwise or numbered

    def _numbered(self, number: int) -> Sequence[Entity]:
        by_hand = self.state.id_of(self.state.entity_numbers, number)
        entities = self._now([by_hand]) if by_hand is not None else []
        return entities or self._now(entity.id for entity in self.state.base.names.numbered(number))

    def _now(self, ids: Iterable[str]) -> list[Entity]:
        """Return the entities that these now are, each once, in id order."""
        now = sorted({self.state.now(id_) for id_ in ids})
        return [entity for id_ in now if (entity := described(self.state, id_)) is not None]

    def _like(self, name: str) -> list[Entity]:
        """Return the entities with a name that looks like a name."""
        like = [*self.state.base.names.like(name), *near_names(name, self.state.spelled)]
        near = nearest(name, {one.name for text in like for one in self._named(text)})
        return [one for text in near for one in self._named(text) if one.name == text]


# Relationships


def relationship_of(base: Base, edge: Edge | int, document: Written | None) -> Relationship:
    """Return a relationship as indexing would derive it from all its evidence; a place, as it is there."""
    if isinstance(edge, int) or edge.is_plain:
        return base.graph.relationships[edge if isinstance(edge, int) else edge.parts[0]]
    parts = [base.graph.relationships[place] for place in edge.parts]
    lines = [c for c in (document.chunks if document else ()) if edge.id in (c.relationships or ())]
    total = RelationshipTotal(edge.id, edge.source, edge.target, edge.type)
    for place, part in zip(edge.parts, parts, strict=True):
        total.add(part, is_stated=bool(base.nodes.is_stated[place]))
    for one in edge.drawn:
        total.see(one.confidence, negated=one.negated, is_causal=one.is_causal, cue=None)
    for said in edge.said:
        total.see(said.confidence, negated=False, is_causal=said.is_causal, cue=None)
    total.found_in([*(one.chunk_id for one in edge.drawn), *(chunk.id for chunk in lines)])
    total.documents += bool(lines)
    now = total.relationship(0)
    counting = [part for place, part in zip(edge.parts, parts, strict=True) if base.nodes.is_stated[place]]
    counting = counting if edge.is_stated else parts
    surest = sorted(edge.drawn, key=lambda one: (-one.confidence, one.id))
    texts = (
        *(part.description for part in counting),
        *(one.description for one in surest if one.negated != edge.is_stated),
        *(chunk.content for chunk in lines),
    )
    words = [word for part in parts for word in part.keywords or ()]
    words += [one.cue.casefold() for one in edge.said if one.cue not in STATED]
    update: JsonDict = {
        "source_id": edge.source,
        "target_id": edge.target,
        "type": edge.shown_type,
        "weight": edge.weight,
        "confidence": _confidence(now.confidence, counting, edge),
        "description": next((text for text in texts if text), None),
        "keywords": tuple(dict.fromkeys(words))[:MAX_KEYWORDS],
        "attributes": _attributes(parts, edge, now.attributes or {}),
        **{name: getattr(now, name) for name in ("is_causal", "negated_weight", "n_evidence", "chunk_ids")},
    }
    if edge.place is not None:
        return base.graph.relationships[edge.place].model_copy(update=update)
    numbers = [*sorted(one.short_id for one in edge.said)[:1], *(part.short_id for part in parts)]
    return now.model_copy(update={**update, "short_id": next(iter(numbers), None)})


def _confidence(joined: float, counting: Sequence[Relationship], edge: Edge) -> float:
    """Return the confidence set by hand; else what one has alone; else that of all evidence."""
    if edge.reweigh and edge.reweigh.confidence is not None:
        return edge.reweigh.confidence
    wholes = [part.confidence for part in counting]
    if len(wholes) == 1 and not edge.said and all(one.negated == edge.is_stated for one in edge.drawn):
        return wholes[0]
    # who states it by hand may be certain
    return max([joined, *wholes, *(one.confidence for one in edge.said if one.confidence == 1)])


def _attributes(parts: Sequence[Relationship], edge: Edge, counts: JsonDict) -> JsonDict:
    """Join attributes, those of the first part first; the newest context is told."""
    joined: JsonDict = {}
    for part in reversed(parts):
        joined |= part.attributes or {}
    joined |= {name: n for name, n in counts.items() if n}
    contexts = [one.context for one in edge.said if one.context]
    return {**joined, **({"context": contexts[-1]} if contexts else {}), **({} if parts else ORIGIN)}


# The port


class ScratchMemory:
    """A Memory that is gone with its process. `state` is what the changes come to."""

    def __init__(self, graph: GraphView, changes: Sequence[Change] = ()) -> None:
        self._lock, self._changes, self._laid_over = RLock(), list(changes), Base(graph)
        self._names: Names | None = None
        self._put_together: list[Change] | None = None
        """The changes that the state is of; another list is another journal."""

    @property
    def base(self) -> Base:
        """What the memory is laid over."""
        return self._laid_over

    @property
    def state(self) -> MemoryState:
        """What the changes come to: not to be changed, and brought on by the next change."""
        return self._current().state

    @contextmanager
    def reading(self) -> Iterator[MemoryState]:
        """Give the state after all changes there are; it stays as it is, and is only lent, meanwhile.

        Other threads wait: copy what is to be kept (`frozen`), and add nothing meanwhile.
        """
        with self._lock:
            yield self.state

    def find(self, ref: EntityRef) -> Entity:
        """Find an entity as it is now by id, short id or name."""
        with self._lock:
            return self._current().find(ref)

    def observations(self, entity_id: str) -> Sequence[str]:
        """Return what was noted about an entity by hand, in order."""
        with self.reading() as state:
            return tuple(observed(state, state.now(entity_id)))

    def relationship(self, ref: EntityRef) -> Relationship:
        """Find a relationship as it is now by id or short id; the lines that state it are not filled in."""
        with self._lock:
            return relationship_of(self.base, self._current().edge(ref), None)

    def statements(self, relationship_id: str) -> Sequence[Statement]:
        """Return what was stated by hand of a relationship, as it is now, in order."""
        with self.reading() as state:
            edge = state.edges.get(relationship_id)
            return edge.said if edge else ()

    def changes(self) -> Sequence[Change]:
        """Return all changes, in order, also those that were undone."""
        with self._lock:
            return tuple(self._read())

    def handled(self) -> Sequence[str]:
        """Return the entities that were ever made or noted by hand, in the order in which they first were."""
        operations = (operation for change in self.changes() for operation in change.operations)
        made = (op for op in operations if isinstance(op, CreateEntity | Observe))
        return tuple(dict.fromkeys(op.id if isinstance(op, CreateEntity) else op.entity.id for op in made))

    def undone(self) -> frozenset[int]:
        """Return the numbers of the changes that do not count any more."""
        with self.reading() as state:
            return frozenset(state.undone)

    def extractions(self) -> Sequence[tuple[Change, Extracted]]:
        """Return the extraction log, in order, without what was undone."""
        undone = self.undone()
        pairs = ((c, op) for c in self.changes() if c.number not in undone for op in c.operations)
        return tuple((change, one) for change, one in pairs if isinstance(one, Extracted))

    def record(self, operations: Sequence[Operation], *, by: str, request_id: str, at: str) -> Change:
        """Append a change and return it."""
        with self._adding():
            number = len(self._read()) + 1
            change = Change(number=number, at=at, by=by, request_id=request_id, operations=tuple(operations))
            return self._append(change)

    def undo(self, number: int, *, by: str, request_id: str, at: str) -> Change:
        """Append the undoing of a change; one that is unknown or undone already is an error."""
        with self._adding():
            changes, gone = self.changes(), self.undone()
            return self._append(undoing(changes, gone, number, by=by, request_id=request_id, at=at))

    def _adding(self) -> AbstractContextManager[object]:
        """Let nobody else add meanwhile."""
        return self._lock

    def _append(self, change: Change) -> Change:
        self._changes.append(change)
        return change

    def _read(self) -> list[Change]:
        """Return all changes there are: hold the lock."""
        return self._changes

    def _current(self) -> Names:
        """Return what finds things in the state after all changes: hold the lock."""
        changes = self._read()
        names, n = self._names, self._names.state.n_changes if self._names else 0
        if names is None or self._put_together is not changes:
            names = self._names = Names(folded(changes, self.base))
        elif any(change.undoes is not None for change in changes[n:]):
            names.state = folded(changes, self.base)
        else:
            for change in changes[n:]:
                advance(names.state, change)
        self._put_together = changes
        return names
