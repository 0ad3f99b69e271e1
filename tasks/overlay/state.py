"""What the changes of a journal come to over an index: who is there, what was said, what counts as evidence.

What means an entity is an item: an entity of the corpus with all its mentions, one mention once a split looks
at each, or an end of a statement. What says that two items are related is a link: a relationship of the
corpus, an assertion for one, or a statement by hand. Merging, splitting and deleting give items to another
entity or to none, and links follow. Links between the same two entities, of one type, are a relationship.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from itertools import chain, islice, product
from typing import Any, NamedTuple, TypeVar

from corpusgraph.schemas import memory as ops
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import DENIED, Relationship
from corpusgraph.tasks.build.aggregate import MICRO, as_written, micro
from corpusgraph.tasks.graph.names import grouped, other_names
from corpusgraph.tasks.overlay.base import Asserted, Base, Mentioned, Triple
from corpusgraph.tasks.progress import counted

END = "\0"
"""How the keys of the ends of statements begin; one more letter and the link's id follow."""


class HandEvidence(NamedTuple):
    """One statement of a relationship."""

    change: int
    confidence: float
    is_causal: bool
    context: JsonDict | None
    cue: str
    short_id: int


class Item(NamedTuple):
    """What means an entity in the corpus: `origin` is the entity that it was resolved to."""

    origin: str
    mention: Mentioned | None = None

    def goes(self, op: ops.SplitEntity, names: Collection[str]) -> bool:
        """Tell whether a split chooses it; one that was merged before goes back to its own."""
        if self.origin == op.into.id or self.mention is None:
            return self.origin == op.into.id
        spelled = {nfc(text).strip().casefold() for text in (self.mention.surface, self.mention.name)}
        return not spelled.isdisjoint(names) or self.mention.document_id in op.documents


class Link(NamedTuple):
    """Evidence for a relationship of that type between what two items mean."""

    id: str
    source: str
    type: str
    target: str
    own: bool
    """It is said of an entity with itself; else two that were taken for one have none."""
    place: int | None = None
    """The relationship of the corpus that it is, or is evidence for."""
    asserted: Asserted | None = None
    said: HandEvidence | None = None
    reweigh: ops.Reweigh | None = None
    """It is no evidence, but says what the relationship is to weigh."""


class Edge(NamedTuple):
    """A relationship that the memory has a say in, and what it is made of."""

    id: str
    source: str
    type: str
    target: str
    place: int | None
    """Its place in the corpus's graph."""
    parts: tuple[int, ...]
    """Places of relationships that count as a whole."""
    drawn: tuple[Asserted, ...]
    """Evidence that is counted one by one, where a split parted a relationship."""
    said: tuple[HandEvidence, ...]
    reweigh: ops.Reweigh | None
    shown_type: str = ""
    weight: float = 0.0
    is_stated: bool = True
    is_plain: bool = False
    """It is as the corpus has it."""


T = TypeVar("T")
Inner = defaultdict[str, dict[str, Any]]
"""Table -> key -> what it holds, in order."""


def _inner() -> Inner:
    return defaultdict(dict)


@dataclass(eq=True)
class MemoryState:
    """All that counts of a journal. Ids are those of entities as they are now, merges followed.

    An entity is there if it is in `created`; else if it is not in `deleted`, and in `named` or in the corpus.
    Short ids count from `schemas.memory.SHORT_IDS` over the whole journal, undone changes too, so that a
    number never means something else later.
    """

    base: Base = field(repr=False, compare=False)
    n_changes: int = 0
    undone: dict[int, None] = field(default_factory=dict)
    """Changes that do not count any more."""
    named: dict[str, ops.Named] = field(default_factory=dict)
    """Every entity that an operation in force says something of, as it was first called."""
    created: dict[str, ops.CreateEntity] = field(default_factory=dict)
    unmade: dict[str, None] = field(default_factory=dict)
    """Entities made by hand whose making was undone: what was said of them is dormant."""
    renamed: dict[str, ops.Named] = field(default_factory=dict)
    aliases: Inner = field(default_factory=_inner)
    """Entity -> other names it got by hand: earlier ones, those of what was merged into it, in order."""
    lost_names: Inner = field(default_factory=_inner)
    """Entity of the corpus -> names that it has there, without regard to case, that a split gave away."""
    merged: dict[str, str] = field(default_factory=dict)
    """Entity -> the one it now is, at the end of the chain."""
    members: Inner = field(default_factory=_inner)
    """Entity -> all that were merged into it: `merged` the other way round."""
    gained: dict[str, tuple[ops.CreateEntity, ...]] = field(default_factory=dict)
    """Entity -> how those made by hand that were merged into it were made, in order."""
    deleted: dict[str, ops.Named] = field(default_factory=dict)
    """Entities of which nothing that a corpus says counts; one that was created again is in `created` too."""
    observations: Inner = field(default_factory=_inner)
    """Entity -> sentence -> number of the change that noted it, in order."""
    unobserved: Inner = field(default_factory=_inner)
    """Entity -> sentence that was taken back and was not noted by hand -> number of the change."""

    items: dict[str, Item] = field(default_factory=dict)
    """Mentions, and ends of relationships without evidence, that a split looked at one by one."""
    broken: dict[str, None] = field(default_factory=dict)
    """Entities of the corpus whose mentions are items of their own."""
    means: dict[str, str | None] = field(default_factory=dict)
    """Item -> entity it means, None for nobody; an entity of the corpus that is not here means itself."""
    held: Inner = field(default_factory=_inner)
    """Entity -> items that mean it, but for itself: of the corpus, and ends of statements."""
    links: dict[str, Link] = field(default_factory=dict)
    at: Inner = field(default_factory=_inner)
    """Item of the corpus -> links it is an end of."""
    taken: dict[int, None] = field(default_factory=dict)
    """Relationships of the corpus, by place, that are links, or were taken out."""
    stirred: dict[int, None] = field(default_factory=dict)
    """Relationships of the corpus with an assertion of which an end went to another entity."""
    groups: Inner = field(default_factory=_inner)
    """Relationship, by the id that its triple gives -> links that say it."""
    group_of: dict[str, str] = field(default_factory=dict)
    triples: dict[str, Triple] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    """Relationship, by the id that its triple gives -> what it is made of."""
    counts_for: dict[int, str] = field(default_factory=dict)
    """Relationship of the corpus, by place -> the one of `edges` that it is a part of."""
    touched: dict[str, int] = field(default_factory=dict)
    """Entity -> the last change that had a say in it."""

    called: dict[str, ops.Named] = field(default_factory=dict)
    """Every entity that any operation names, undone ones too, as it was first called."""
    stated: dict[str, Triple] = field(default_factory=dict)
    """Every relationship that any operation names, undone ones too, with the ends it then had."""
    spelled: Inner = field(default_factory=_inner)
    """Name, without regard to case -> entities that were ever called so by hand: where to look for a name."""
    entity_numbers: dict[str, int] = field(default_factory=dict)
    """Short ids in the order in which items are first named: a number never means another item later."""
    relation_numbers: dict[str, int] = field(default_factory=dict)
    cache: dict[str, dict[str, tuple[Any, Any]]] = field(default_factory=dict, repr=False, compare=False)
    """Kind -> item -> what it depends on, and what was made of it: shared by all copies."""
    _dirty: dict[str, None] = field(default_factory=dict, repr=False, compare=False)

    def frozen(self) -> "MemoryState":
        """Return a copy that later changes leave alone."""
        tables = {one.name: copy(getattr(self, one.name)) for one in fields(self) if one.compare}
        for table in (one for one in tables.values() if isinstance(one, defaultdict)):
            table.update({key: dict(held) for key, held in table.items()})
        return replace(self, **tables)

    def cached(self, kind: str, id_: str, depends_on: object, make: Callable[[], T]) -> T:
        """Return what was made of an item, made anew where what it depends on is not what it was."""
        table = self.cache.setdefault(kind, {})
        entry = table.get(id_)
        if entry is None or entry[0] != depends_on:
            entry = table[id_] = depends_on, make()
        made: T = entry[1]
        return made

    def now(self, id_: str) -> str:
        """Return the entity that an entity now is, merges followed."""
        return self.merged.get(id_, id_)

    def is_dormant(self, id_: str) -> bool:
        """Whether what is said of an entity, as it is now, does not count: it was unmade or deleted."""
        return id_ in self.unmade or (id_ in self.deleted and id_ not in self.created)

    def is_there(self, id_: str) -> bool:
        """Whether there is an entity, as it is now."""
        if id_ in self.created or id_ in self.merged or id_ in self.deleted:
            return id_ in self.created
        return id_ in self.named or self.base.place(id_) is not None

    def is_spoken_of(self, id_: str) -> bool:
        """Tell whether anything was said by hand of the entity itself."""
        tables = (self.created, self.renamed, self.aliases, self.lost_names, self.members, self.gained)
        return any(id_ in table for table in (*tables, self.observations, self.unobserved))

    @staticmethod
    def id_of(numbers: dict[str, int], number: int) -> str | None:
        """Return the item of a short id among numbers of the state, or None."""
        place = number - ops.SHORT_IDS
        return next(islice(numbers, place, None)) if 0 <= place < len(numbers) else None

    def items_of(self, id_: str) -> list[str]:
        """Return the items that mean an entity."""
        own = [id_] if id_ not in self.means and self.base.place(id_) is not None else []
        return [*own, *self.held.get(id_, ())]

    def mentions_of(self, id_: str) -> list[Mentioned]:
        """Return the single mentions that mean an entity."""
        items = (self.items.get(key) for key in self.held.get(id_, ()))
        return [item.mention for item in items if item is not None and item.mention is not None]

    def parts(self, id_: str) -> list[str]:
        """Return the entities of the corpus that an entity is made of, itself first."""
        items = (key for key in self.items_of(id_) if key not in self.items and key[0] != END)
        return sorted(items, key=lambda key: (key != id_, key))

    def stated_by(self, id_: str) -> list[Edge]:
        """Return the relationships with statements by hand that an entity is an end of."""
        ends = (key for key in self.held.get(id_, ()) if key[0] == END)
        gids = dict.fromkeys(gid for key in ends if (gid := self.group_of.get(key[2:])))
        return [edge for gid in gids if (edge := self.edges.get(gid)) is not None and edge.said]

    def edge_now(self, place: int) -> Edge | int | None:
        """Return what a relationship of the corpus counts for: itself, by place, if nothing changed it."""
        gid = self.counts_for.get(place)
        if gid is not None:
            return self.edges[gid]
        return None if place in self.taken else place

    def spell(self, id_: str, name: str) -> None:
        """Note that an entity was called so."""
        self.spelled[name.strip().casefold()][id_] = None

    def add_name(self, id_: str, name: str) -> None:
        """Give an entity another name."""
        self.aliases[id_][name] = None
        self.spell(id_, name)

    def touch(self, *ids: str) -> None:
        """Note that an entity reads otherwise now."""
        for id_ in ids:
            self.touched[id_] = self.n_changes

    def touch_around(self, id_: str) -> None:
        """Note that an entity is called otherwise now: so are those whose documents name it."""
        self.touch(id_, *(end for edge in self.stated_by(id_) for end in (edge.source, edge.target)))

    def opened(self, id_: str) -> None:
        """Make links of all relationships of the corpus that an entity is an end of."""
        for part in self.parts(id_):
            for place in self.base.edges_at(part):
                if place not in self.taken:
                    self.taken[place] = None
                    source, target = self.base.ends(place)
                    type_, own = self.base.triple(place)[1], source == target
                    self.add(Link(self.base.relationship_ids[place], source, type_, target, own, place))

    def add(self, link: Link) -> None:
        """Add a link."""
        self.links[link.id] = link
        if link.place is not None:
            for end in (link.source, link.target):
                self.at[end][link.id] = None
        self.regroup(link)

    def links_of(self, item: str) -> list[Link]:
        """Return the links that an item is an end of."""
        ids = (item[2:],) if item[0] == END else self.at.get(item, ())
        return [self.links[id_] for id_ in ids if id_ in self.links]

    def regroup(self, link: Link) -> None:
        """Put a link with those that now say the same."""
        self._ungroup(link)
        source, target = (self.means.get(end, end) for end in (link.source, link.target))
        if source is None or target is None:
            return
        gid = self.group(ordered(source, link.type, target))
        if link.reweigh and (self.weight_of(gid) or (source == target and not link.own)):
            self.drop(link)  # where both of two relationships had a weight, that which was there stays
            return
        self.group_of[link.id] = gid
        self.groups[gid][link.id] = None

    def weight_of(self, gid: str) -> Link | None:
        """Return the link that gives a relationship a weight."""
        links = (self.links[id_] for id_ in self.groups.get(gid, ()))
        return next((link for link in links if link.reweigh), None)

    def _ungroup(self, link: Link) -> None:
        gid = self.group_of.pop(link.id, None)
        if gid is not None:
            self.groups[gid].pop(link.id)
            self._dirty[gid] = None

    def group(self, triple: Triple) -> str:
        """Return the id of a relationship that changed."""
        gid = triple_id(triple)
        self.triples[gid] = triple
        self._dirty[gid] = None
        return gid

    def give(self, items: Iterable[str], entity: str | None) -> None:
        """Let items mean another entity, or none, and their links follow."""
        keys = list(items)
        for key in keys:
            holder = self.means.get(key, key)
            if holder is not None and holder != key:
                self.held[holder].pop(key, None)
            if key == entity:
                self.means.pop(key)
            else:
                self.mean(key, entity)
        for link in {link.id: link for key in keys for link in self.links_of(key)}.values():
            self.regroup(link)

    def break_up(self, part: str) -> None:
        """Look at the mentions of an entity of the corpus, and at its relationships, one by one."""
        self.broken[part] = None
        holder = self.means.get(part, part)
        evidence = self.base.evidence(part)
        for mention in evidence.mentions:
            self._hold(mention.id, Item(part, mention), holder)
        by_relationship = grouped((one.relationship_id, one) for one in evidence.assertions)
        for link in self.links_of(part):
            id_ = self.base.relationship_ids[link.place] if link.place is not None else ""
            self.drop(link)
            singles = [link.asserted] if link.asserted else by_relationship.get(id_, ())
            for one in singles:
                source = one.source_mention if one.source_mention in self.items else one.source_id
                target = one.target_mention if one.target_mention in self.items else one.target_id
                self.add(Link(one.id, source, link.type, target, link.own, link.place, one))
            if not singles:
                own = f"end of {link.id} in {part}"
                self._hold(own, Item(part), holder)
                source, target = (own if end == part else end for end in (link.source, link.target))
                self.add(link._replace(source=source, target=target))

    def mean(self, key: str, entity: str | None) -> None:
        """Let an item mean an entity, or none."""
        self.means[key] = entity
        if entity is not None:
            self.held[entity][key] = None

    def _hold(self, key: str, item: Item, holder: str | None) -> None:
        self.items[key] = item
        self.mean(key, holder)

    def drop(self, link: Link) -> None:
        """Take a link out."""
        del self.links[link.id]
        for end in {link.source, link.target}:
            self.at[end].pop(link.id, None)
        self._ungroup(link)

    def settle(self) -> None:
        """Put together anew each relationship whose links changed."""
        dirty, self._dirty = self._dirty, {}
        for gid in dirty:
            before = self.edges.pop(gid, None)
            for place in before.parts if before else ():
                if self.counts_for.get(place) == gid:
                    del self.counts_for[place]
        for gid in dirty:
            edge = self._joined(gid)
            if edge is not None:
                self.edges[gid] = edge
                self.counts_for.update(dict.fromkeys(edge.parts, gid))
            if edge is None or not edge.is_plain:
                self.touch(self.triples[gid][0], self.triples[gid][2])

    def _joined(self, gid: str) -> Edge | None:
        triple, base = self.triples[gid], self.base
        links = [self.links[id_] for id_ in self.groups.get(gid, ())]
        links = [link for link in links if link.own or triple[0] != triple[2]]
        places = base.edges_of(triple)
        parts = {at for at in places if at not in self.taken}
        parts |= {link.place for link in links if link.place is not None and self._is_whole(link)}
        drawn = tuple(link.asserted for link in links if link.asserted and not self._is_whole(link))
        said = sorted((link.said for link in links if link.said), key=lambda one: one.change)
        if not (parts or drawn or said):
            return None
        reweigh = next((link.reweigh for link in links if link.reweigh), None)
        id_, place = (base.relationship_ids[places[0]], places[0]) if places else (gid, None)
        bare = Edge(id_, *triple, place, tuple(sorted(parts)), drawn, tuple(said), reweigh)
        is_plain = bare[5:9] == ((place,), (), (), None) and base.ends(places[0]) == (triple[0], triple[2])
        type_, weight, is_stated = _measured(base, bare)
        return bare._replace(shown_type=type_, weight=weight, is_stated=is_stated, is_plain=is_plain)

    def _is_whole(self, link: Link) -> bool:
        return link.asserted is None or link.place not in self.stirred


def _measured(base: Base, edge: Edge) -> tuple[str, float, bool]:
    """Return type, weight, and whether anything states it; where nothing does, what denies it is weighed."""
    nodes, weight = base.nodes, edge.reweigh.weight if edge.reweigh else None
    asserted = [place for place in edge.parts if nodes.is_stated[place]]
    pro = [*(one.confidence for one in edge.drawn if not one.negated), *(one.confidence for one in edge.said)]
    is_stated = bool(asserted or pro)
    weights = [float(nodes.weight[place]) for place in (asserted if is_stated else edge.parts)]
    more = pro if is_stated else [one.confidence for one in edge.drawn]
    says_so = any(nodes.types[place] == edge.type for place in edge.parts)  # with ids made elsewhere
    shown = edge.type if is_stated or says_so else f"{DENIED}{edge.type}"
    if weight is None and len(weights) == 1 and not more:
        weight = weights[0]
    # in millionths, as indexing adds
    millionths = sum(map(micro, (*weights, *more)))
    return shown, max(millionths, 1) / MICRO if weight is None else weight, is_stated


def names_in(operation: ops.Operation) -> tuple[ops.Named, ...]:
    """Return the entities that an operation names, in order."""
    if isinstance(operation, ops.Named):
        return (operation,)
    held = (getattr(operation, name) for name in type(operation).model_fields)
    several = (one if isinstance(one, tuple) else (one,) for one in held)
    return tuple(one for one in chain.from_iterable(several) if isinstance(one, ops.Named))


def ordered(source: str, type_: str, target: str) -> Triple:
    """Return a relationship with its ends in the order in which indexing has them."""
    return as_written(source, nfc(type_), target)


@lru_cache(maxsize=4096)
def triple_id(triple: Triple) -> str:
    """Return the id of the relationship; an operation asks for the same one several times."""
    return Relationship.make_id(*triple)


def _create(state: MemoryState, op: ops.CreateEntity) -> None:
    """Make an entity, or one that was deleted or unmade afresh; one that is there by hand stays as it is."""
    if op.id in state.merged or op.id in state.created:
        return
    state.unmade.pop(op.id, None)
    state.created[op.id] = op
    state.named.setdefault(op.id, state.called[op.id])
    for name in other_names(op.attributes):
        state.add_name(op.id, name)
    state.touch_around(op.id)


def _observe(state: MemoryState, op: ops.Observe) -> None:
    if (id_ := _said_of(state, op.entity)) is None:
        return
    noted, taken = state.observations[id_], state.unobserved.get(id_, {})
    for sentence in map(nfc, op.contents):
        if sentence in taken:
            state.unobserved[id_].pop(sentence)
            if id_ not in state.members:
                continue
        noted.setdefault(sentence, state.n_changes)
    state.touch(id_)


def _unobserve(state: MemoryState, op: ops.Unobserve) -> None:
    if (id_ := _meant(state, op.entity)) is None:
        return
    noted = state.observations[id_]
    for sentence in map(nfc, op.contents):
        # one that was noted by hand may be that of an imported entity merged into this one, too
        if noted.pop(sentence, None) is None or id_ in state.members:
            state.unobserved[id_][sentence] = state.n_changes
    state.touch(id_)


def _relate(state: MemoryState, op: ops.Relate) -> None:
    """Add a statement; of two entities that were taken for one since, there is none."""
    ends = _ends(state, op)
    if ends is None or _is_joined(op, ends):
        return
    for named in (op.source, op.target):
        _said_of(state, named)
    number = state.relation_numbers[triple_id(ordered(op.source.id, op.type, op.target.id))]
    said = HandEvidence(state.n_changes, op.confidence, op.is_causal, op.context, op.cue, number)
    _link(state, ends, said=said)


def _link(state: MemoryState, ends: Triple, **what: Any) -> None:
    id_ = f"{state.n_changes}:{len(state.links)}"
    source, target = f"{END}>{id_}", f"{END}<{id_}"
    state.mean(source, ends[0])
    state.mean(target, ends[2])
    state.add(Link(id_, source, ends[1], target, ends[0] == ends[2], **what))


def _unrelate(state: MemoryState, op: ops.Unrelate) -> None:
    """Take out what was stated, and what the corpus says of the two and of all merged into them."""
    if (ends := _ends(state, op)) is None:
        return
    # what is said of it with itself is another matter
    is_own = ends[0] == ends[2] and not _is_joined(op, ends)
    gid = state.group(ends)
    for id_ in list(state.groups.get(gid, ())):
        if (ends[0] == ends[2] and state.links[id_].own) == is_own:
            state.drop(state.links[id_])
    for one, other in product(state.parts(ends[0]), state.parts(ends[2])):
        if (one == other) == is_own:
            _take_out(state, ordered(one, ends[1], other))


def _take_out(state: MemoryState, triple: Triple) -> None:
    """Take out what the corpus says of two of its entities, or denies by the name of the denial."""
    base, (source, type_, target) = state.base, triple
    denied = base.edges_of((source, type_.removeprefix(DENIED), target)) if type_.startswith(DENIED) else []
    shown = [place for place in denied if base.nodes.types[place] == type_]
    for place in (*base.edges_of(triple), *shown):
        link = state.links.get(base.relationship_ids[place])
        if place not in state.taken:
            state.taken[place] = None
            state.group(base.triple(place))
        elif place in shown and link is not None:
            state.drop(link)


def _reweigh(state: MemoryState, op: ops.Reweigh) -> None:
    if (ends := _ends(state, op)) is None or _is_joined(op, ends):
        return
    before = state.weight_of(state.group(ends))
    if before is None or before.reweigh is None:
        _link(state, ends, reweigh=op)
        return
    weight = before.reweigh.weight if op.weight is None else op.weight
    confidence = before.reweigh.confidence if op.confidence is None else op.confidence
    op = op.model_copy(update={"weight": weight, "confidence": confidence})
    state.links[before.id] = before._replace(reweigh=op)


def _rename(state: MemoryState, op: ops.Rename) -> None:
    """Give a name; those it had stay as other names."""
    if (id_ := _said_of(state, op.entity)) is None:
        return
    before = state.renamed.get(id_)
    for name in (*([before.name] if before else ()), op.entity.name):
        state.add_name(id_, name)
    state.renamed[id_] = ops.Named(id=id_, name=op.name, type=op.type or (before.type if before else None))
    state.spell(id_, op.name)
    state.touch_around(id_)


def _merge(state: MemoryState, op: ops.MergeEntities) -> None:
    if (into := _said_of(state, op.into)) is None:
        return
    for named in op.sources:
        source = _meant(state, named)
        if source is not None and source != into:
            _join(state, source, into, named)


def _join(state: MemoryState, source: str, into: str, named: ops.Named) -> None:
    """Let all that is known of `source` be known of `into`."""
    state.touch_around(source)
    state.opened(source)
    state.give(state.items_of(source), into)
    for member in (source, *sorted(state.members.pop(source, ()))):
        state.merged[member] = into
        state.members[into][member] = None
    renamed, first = state.renamed.pop(source, None), state.called.get(source, named)
    known = (*([renamed.name] if renamed else ()), *state.aliases.pop(source, ()))
    for name in (named.name, first.name, *known):
        state.add_name(into, name)
    for table in ("observations", "unobserved"):
        for sentence, number in getattr(state, table).pop(source, {}).items():
            getattr(state, table)[into].setdefault(sentence, number)
    made = state.created.pop(source, None)
    gained = (*state.gained.get(into, ()), *([made] if made else ()), *state.gained.pop(source, ()))
    if gained:
        state.gained[into] = gained
    state.named.pop(source, None)
    state.touch(into)


def _split(state: MemoryState, op: ops.SplitEntity) -> None:
    """Make a second entity and give it what the operation lists; one merged before gets its own back."""
    id_, new = _said_of(state, op.entity), op.into.id
    if id_ is None or new == id_ or state.now(new) not in {new, id_}:
        return
    if state.merged.pop(new, None) is not None:
        state.members[id_].pop(new, None)
        if taken := state.unobserved.get(id_):  # of whom it was taken back is not known: of both, then
            state.unobserved[new].update(taken)
    state.created.setdefault(new, ops.CreateEntity(id=new, name=op.into.name, type=op.into.type))
    state.unmade.pop(new, None)
    state.named.setdefault(new, state.called[new])
    _split_names(state, id_, new, [op.into.name, *op.names])
    for sentence in map(nfc, op.observations):
        if sentence in state.observations.get(id_, {}):
            state.observations[new].setdefault(sentence, state.observations[id_].pop(sentence))
    _split_items(state, id_, op)
    state.touch_around(id_)
    state.touch(new)


def _split_names(state: MemoryState, id_: str, new: str, names: list[str]) -> None:
    """Names go from who has them now: what is merged with it later keeps those it has."""
    lost = {nfc(name).strip().casefold(): None for name in names}
    for part in (id_, *state.members.get(id_, ())):
        state.lost_names[part].update(lost)
    aliases = state.aliases[id_]
    for name in [name for name in aliases if name.strip().casefold() in lost]:
        del aliases[name]
    for name in names:
        state.add_name(new, nfc(name))


def _split_items(state: MemoryState, id_: str, op: ops.SplitEntity) -> None:
    state.opened(id_)
    if op.names or op.documents or op.relationships:
        for part in state.parts(id_):
            if part not in state.broken and part != op.into.id:
                state.break_up(part)
    names = {nfc(name).strip().casefold() for name in op.names}
    items, wanted = state.items_of(id_), {*op.relationships}
    going = {key: None for key in items if state.items.get(key, Item(key)).goes(op, names)}
    for link in (link for key in items for link in state.links_of(key)) if wanted else ():
        gid = state.group_of.get(link.id)
        said_by = {gid, None if link.place is None else state.base.relationship_ids[link.place]}
        if gid and wanted & said_by and (link.own or state.triples[gid][0] != state.triples[gid][2]):
            ends = (end for end in (link.source, link.target) if end not in state.broken)
            going |= {end: None for end in ends if state.means.get(end, end) == id_}
    for link in (link for key in going for link in state.links_of(key) if link.asserted):
        state.stirred[link.place or 0] = None
        if (gid := state.group_of.get(link.id)) is not None:  # so far all of one relationship say the same
            state.group(state.triples[gid])
    state.give(going, op.into.id)


def _delete(state: MemoryState, op: ops.DeleteEntity) -> None:
    """Forget all that was said of an entity by hand, and leave out what the corpus says of it."""
    if (id_ := _meant(state, op.entity)) is None:
        return
    state.touch_around(id_)
    state.opened(id_)
    state.give(state.items_of(id_), None)
    for member in (id_, *sorted(state.members.pop(id_, ()))):
        state.deleted[member] = state.called.get(member, ops.Named(id=member, name=member))
        state.merged.pop(member, None)
        state.means[member] = None
    for table in ("created", "renamed", "aliases", "gained", "observations", "unobserved", "named"):
        getattr(state, table).pop(id_, None)


_APPLY: dict[type[Any], Callable[[MemoryState, Any], None]] = {
    ops.CreateEntity: _create,
    ops.Observe: _observe,
    ops.Unobserve: _unobserve,
    ops.Relate: _relate,
    ops.Unrelate: _unrelate,
    ops.Reweigh: _reweigh,
    ops.Rename: _rename,
    ops.MergeEntities: _merge,
    ops.SplitEntity: _split,
    ops.DeleteEntity: _delete,
}


def _meant(state: MemoryState, named: ops.Named) -> str | None:
    """Return the entity meant, as it is now; None where what is said of it is dormant."""
    id_ = state.now(named.id)
    return None if state.is_dormant(id_) else id_


def _said_of(state: MemoryState, named: ops.Named) -> str | None:
    """Return the entity meant and keep it alive, should the corpus lose it."""
    id_ = _meant(state, named)
    if id_ is not None and id_ not in state.named:
        state.named[id_] = state.called.get(id_, named)
        state.touch(id_)
    return id_


def _ends(state: MemoryState, op: ops.OfRelationship) -> Triple | None:
    source, target = _meant(state, op.source), _meant(state, op.target)
    return None if source is None or target is None else ordered(source, op.type, target)


def _is_joined(op: ops.OfRelationship, ends: Triple) -> bool:
    """Tell whether what is said of two entities is of one now, as after a merge; `ends` as they are now."""
    return ends[0] == ends[2] and op.source.id != op.target.id


def undone(changes: Sequence[ops.Change]) -> dict[int, None]:
    """Return the numbers of the changes that do not count: undone, and their undoing not undone."""
    out: dict[int, None] = {}
    for change in reversed(changes):  # whether an undoing counts is known once all later ones are
        if change.undoes is not None and change.number not in out:
            out[change.undoes] = None
    return out


def folded(changes: Iterable[ops.Change], base: Base) -> MemoryState:
    """Return the state after all changes, in order of their numbers, over what a corpus says."""
    every = tuple(changes)
    state = MemoryState(base, undone=undone(every))
    operations = [operation for change in every for operation in change.operations]
    if any(isinstance(operation, ops.SplitEntity) for operation in operations):
        base.read({named.id for operation in operations for named in names_in(operation)})
    for change in counted(every, "changes put together"):
        advance(state, change)
    return state


def advance(state: MemoryState, change: ops.Change) -> None:
    """Bring a state on by the next change, in time that does not grow with the journal.

    After an undoing all changes are to be folded again.
    """
    state.n_changes = change.number
    counts = change.number not in state.undone
    for operation in change.operations:
        _note(state, operation)
        if counts and not isinstance(operation, ops.Extracted):
            _APPLY[type(operation)](state, operation)
            state.settle()
        elif isinstance(operation, ops.CreateEntity | ops.SplitEntity):
            made = operation.id if isinstance(operation, ops.CreateEntity) else operation.into.id
            known = (state.created, state.named, state.merged)  # it may be there for another reason
            if not any(made in table for table in known) and state.base.place(made) is None:
                state.unmade[made] = None


def _note(state: MemoryState, operation: ops.Operation) -> None:
    """Give numbers, and keep what entities were first called, whether or not the operation counts."""
    for named in names_in(operation):
        if named.id not in state.called:
            state.called[named.id] = ops.Named(id=named.id, name=named.name, type=named.type)
            state.spell(named.id, named.name)
            state.entity_numbers[named.id] = ops.SHORT_IDS + len(state.entity_numbers)
    if isinstance(operation, ops.OfRelationship):
        triple = ordered(operation.source.id, operation.type, operation.target.id)
        state.stated.setdefault(triple_id(triple), triple)
        if isinstance(operation, ops.Relate):
            state.relation_numbers.setdefault(triple_id(triple), ops.SHORT_IDS + len(state.relation_numbers))


def undoing(
    changes: Sequence[ops.Change], undone: Collection[int], number: int, *, by: str, request_id: str, at: str
) -> ops.Change:
    """Return the next change, that undoes change `number`; an undoing can be undone too.

    Raises InvalidInputError, `unknown_change` with the numbers there are, or `already_undone` with the change
    that undid it.
    """
    if not 1 <= number <= len(changes):
        there = f"Changes are numbered 1 to {len(changes)}." if changes else "Nothing was changed yet."
        raise InvalidInputError(f"There is no change {number}.", hint=there, code="unknown_change")
    if number in undone:
        by_whom = max(c.number for c in changes if c.undoes == number and c.number not in undone)
        hint = f"Change {by_whom} undid it; undo that one to bring it back."
        raise InvalidInputError(f"Change {number} is undone already.", hint=hint, code="already_undone")
    return ops.Change(number=len(changes) + 1, at=at, by=by, request_id=request_id, undoes=number)
