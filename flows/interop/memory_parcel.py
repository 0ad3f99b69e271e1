"""A memory that another system kept: as the rows of a generation, as changes to an index, and out of one."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import count

from corpusgraph.flows.interop.parcel import (
    GivenEntity,
    GivenExtraction,
    GivenMemory,
    GivenRelation,
    Parcel,
    as_in_file,
    beside_ours,
    entity_ids,
)
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError
from corpusgraph.schemas.evidence import Mention
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.memory import (
    IMPORT,
    CreateEntity,
    Extracted,
    Named,
    Observe,
    Operation,
    Relate,
    checked_context,
)
from corpusgraph.schemas.ports import GraphView, Memory
from corpusgraph.tasks.build.aggregate import CERTAIN, Passage, shorten
from corpusgraph.tasks.build.derive import Gazetteer
from corpusgraph.tasks.graph.names import aliases_of, grouped, is_hand_made, texts_of
from corpusgraph.tasks.overlay.evidence import (
    Called,
    Line,
    Spot,
    Statement,
    evidence_of,
    notebook,
    notebook_id,
    starts_of,
    stated,
)
from corpusgraph.tasks.overlay.state import HandEvidence

OBSERVATIONS = "observations"
LEAST = 1e-6
"""Weight of a relation that its file is not sure of at all: a weight is above 0."""


class Names:
    """Which entities a line names; of several of one name, the one the line is about."""

    def __init__(self, entities: Mapping[str, GivenEntity]) -> None:
        self.called = {id_: Called(nfc(entity.name), entity.type) for id_, entity in entities.items()}
        self._named = grouped((called.name, id_) for id_, called in self.called.items())
        self._gazetteer = Gazetteer({name: name for name in self._named})

    def spots(self, line: str, about: str) -> list[Spot]:
        """Return the names in a line, in order; a name that is several entities' counts for `about` alone.

        Parameters
        ----------
        line : str
            In NFC.
        about : str
            Id of the entity that the line is about.

        Returns
        -------
        list of Spot
            Offsets count characters of the line.

        """
        spots = []
        for start, end, name in self._gazetteer.find(line):
            ids = self._named[name]
            if about in ids or len(ids) == 1:
                id_ = about if about in ids else ids[0]
                spots.append(Spot(id_, self.called[id_], start, end))
        return spots

    def observed(self, observation: str, about: str, details: JsonDict | None) -> Line:
        """Write an observation down, with the entity's name before it unless it says that itself.

        Parameters
        ----------
        observation : str
            As it was kept.
        about : str
            Id of the entity.
        details : JsonDict or None
            What else was kept of it.

        Returns
        -------
        Line
            In NFC, with the places of all names in it.

        """
        line = nfc(observation)
        spots = self.spots(line, about)
        if all(spot.entity_id != about for spot in spots):
            name = self.called[about].name
            line, head = nfc(f"{name}: {observation}"), Spot(about, self.called[about], 0, len(name))
            behind = self.spots(line[head.end :], about)
            shifted = (one._replace(start=one.start + head.end, end=one.end + head.end) for one in behind)
            spots = [head, *shifted]
        return Line(line, tuple(spots), metadata=details)


def memory_parcel(memory: GivenMemory) -> Parcel:
    """Make the rows of a generation; the confidence of each relation is its weight, too.

    Parameters
    ----------
    memory : GivenMemory
        Read from files.

    Returns
    -------
    Parcel
        Each observation and relation is a line of a document, so that it can be cited.

    """
    parcel = Parcel(memory.format, memory.source, facts=dict(memory.facts))
    ids = entity_ids(memory.entities)
    entities = dict(zip(ids, memory.entities, strict=True))
    names = Names(entities)
    lines = {
        id_: [
            names.observed(text, id_, details)
            for text, details in zip(entity.observations, entity.details, strict=True)
        ]
        for id_, entity in entities.items()
    }
    near: dict[str, set[str]] = defaultdict(set)
    related: dict[str, tuple[GivenRelation, int]] = {}
    numbers = numbers_of([relation.number for relation in memory.relations])
    for relation, number in zip(memory.relations, numbers, strict=True):
        ends = ids[relation.source], ids[relation.target]
        edge = Statement(Relationship.make_id(ends[0], relation.type, ends[1]), relation.type)
        related[edge.id] = relation, number
        said = HandEvidence(0, relation.confidence, relation.is_causal, relation.context, IMPORT, number)
        head, tail = (Spot(id_, names.called[id_]) for id_ in ends)
        lines[ends[0]].append(stated(edge, head, tail, said)._replace(metadata=None))
        if ends[0] != ends[1]:
            near[ends[0]].add(ends[1])
            near[ends[1]].add(ends[0])
    for id_, some in lines.items():
        if some:  # one of which nothing is said has no notebook
            _write(parcel, id_, entities[id_], some, related)
    n_mentions = Counter[str]()
    sources: dict[str, str] = {}
    for row in parcel.incidence:
        n_mentions[row["entity_id"]] += row["count"]
        sources.setdefault(row["entity_id"], row["chunk_id"])
    sources |= {id_: parcel.passages[id_].chunk_id for id_ in ids if id_ in parcel.passages}
    numbers = numbers_of([entity.number for entity in memory.entities])
    parcel.entities = [
        Entity(
            id=id_,
            name=entity.name,
            type=entity.type,
            description=shorten(" ".join(entity.observations)) or None,
            attributes=beside_ours(entity.attributes) | {OBSERVATIONS: entity.observations, "origin": IMPORT},
            source_ref=sources.get(id_),
            short_id=number,
            degree=len(near[id_]),
            n_mentions=n_mentions[id_],
            is_stub=entity.is_stub,
        )
        for (id_, entity), number in zip(entities.items(), numbers, strict=True)
    ]
    return parcel


def _write(
    parcel: Parcel,
    id_: str,
    entity: GivenEntity,
    lines: Sequence[Line],
    related: Mapping[str, tuple[GivenRelation, int]],
) -> None:
    """Add the notebook of an entity, a chunk for each line; what is added later has documents of its own."""
    metadata = {"origin": IMPORT} | ({"entity_type": entity.type} if entity.type else {})
    document = notebook(notebook_id(id_), entity.name, lines, f"{parcel.source}#{entity.name}", metadata)
    parcel.documents.append(document)
    for place in starts_of(lines):
        chunk, mentions, assertions = evidence_of(document.id, *place, IMPORT)
        parcel.chunks.append(chunk)
        parcel.mentions += [{**mention.__dict__, "entity_id": named} for mention, named in mentions]
        for named in chunk.entities or ():
            starts = [mention.start for mention, means in mentions if means == named]
            where = {"entity_id": named, "chunk_id": chunk.id}
            parcel.incidence.append({**where, "count": len(starts), "first_start": min(starts)})
        passage = Passage(document.id, chunk.id, chunk.start, chunk.end, None, chunk.content)
        parcel.passages.setdefault(id_, passage)
        for assertion, edge_id in assertions:
            edge = _relationship(*related[edge_id], edge_id, chunk, mentions)
            ends = {"source_id": edge.source_id, "target_id": edge.target_id, "relationship_id": edge_id}
            parcel.assertions.append({**assertion.__dict__, **ends})
            parcel.relationships.append(edge)
            parcel.passages[edge_id] = passage


def _relationship(
    relation: GivenRelation, number: int, id_: str, line: Chunk, ends: Sequence[tuple[Mention, str]]
) -> Relationship:
    context = {"context": relation.context} if relation.context is not None else {}
    return Relationship(
        id=id_,
        source_id=ends[0][1],
        target_id=ends[1][1],
        type=relation.type,
        weight=max(relation.confidence, LEAST),
        confidence=relation.confidence,
        is_causal=relation.is_causal,
        description=line.content,
        attributes={**beside_ours(relation.attributes), **context},
        short_id=number,
        n_evidence=1,
        chunk_ids=(line.id,),
    )


def numbers_of(given: Sequence[int | None]) -> list[int]:
    """Return the numbers given, the first of equal ones; else the next that nobody has, from 1, in order.

    Parameters
    ----------
    given : sequence of int or None
        None where there is none.

    Returns
    -------
    list of int
        In the same order, all different.

    """
    taken, used = {number for number in given if number is not None}, set[int]()
    free = (number for number in count(1) if number not in taken)
    numbers = []
    for number in given:
        numbers.append(next(free) if number is None or number in used else number)
        used.add(numbers[-1])
    return numbers


def kept_memory(index: OpenIndex, memory: Memory | None, format_: str) -> GivenMemory:
    """Return entities, observations and relations of an index, in order of their short ids.

    An entity of a corpus that nothing was observed of tells its description, the best sentence about it.

    Parameters
    ----------
    index : OpenIndex
        With its memory.
    memory : Memory or None
        The port, for the extraction log; None for none.
    format_ : str
        Of the file that is to be written.

    Returns
    -------
    GivenMemory
        Attributes as a file is to have them.

    """
    kept = GivenMemory(format_, index.name, facts=dict(index.manifest.facts.get("import") or {}))
    places: dict[str, int] = {}
    for place, entity in enumerate(sorted(index.graph.entities, key=_in_order)):
        places[entity.id] = place
        attributes: JsonDict = dict(entity.attributes or {})
        noted = attributes.get(OBSERVATIONS)
        if noted is None:
            noted = [entity.description] if entity.description and not is_hand_made(entity) else []
        written = attributes.pop("written", None)
        is_same = isinstance(written, str) and nfc(written) == entity.name
        given = GivenEntity(
            name=written if is_same else entity.name,
            type=entity.type,
            observations=[str(text) for text in noted],
            attributes=as_in_file(attributes),
            number=entity.short_id,
            is_stub=entity.is_stub,
        )
        kept.entities.append(given)
    for edge in sorted(index.graph.relationships, key=_in_order):
        if edge.source_id not in places or edge.target_id not in places:
            continue
        attributes = dict(edge.attributes or {})
        context = attributes.get("context")
        relation = GivenRelation(
            source=places[edge.source_id],
            target=places[edge.target_id],
            type=edge.type,
            confidence=1.0 if edge.confidence >= CERTAIN else edge.confidence,
            is_causal=edge.is_causal,
            context=context if isinstance(context, dict) else None,
            attributes=as_in_file(attributes),
            number=edge.short_id,
        )
        kept.relations.append(relation)
    for change, line in memory.extractions() if memory is not None else ():
        if line.entity.id in places:
            at = change.at.replace("T", " ").removesuffix("+00:00")
            kept.log.append(GivenExtraction(places[line.entity.id], line.found, at))
    return kept


def _in_order(item: Entity | Relationship) -> tuple[bool, int, str]:
    return item.short_id is None, item.short_id or 0, item.id


def operations(memory: GivenMemory, index: OpenIndex) -> list[Operation]:
    """Return what adds a memory to an index as one change; what the index holds already is not made again.

    An entity of the same name and type, whatever their case, is the same; so is one that only a relation
    names, where one entity of the index goes by that name.

    Parameters
    ----------
    memory : GivenMemory
        Read from files.
    index : OpenIndex
        It is added to.

    Returns
    -------
    list of Operation
        Entities, then observations, then relations.

    """
    named, made = _named(memory, index.graph)
    there = {entity.id: texts_of(entity.attributes or {}, OBSERVATIONS) for entity in index.graph.entities}
    for stub, name in zip(memory.entities, named, strict=True):
        if stub.is_stub and name.id in there:
            memory.notes.drop("missing_entity", stub.told)
    changes: list[Operation] = list(made)
    for entity, name in zip(memory.entities, named, strict=True):
        observed = frozenset(there.get(name.id, ()))
        if new := tuple(text for text in entity.observations if text not in observed):
            changes.append(Observe(entity=name, contents=new))
    stated = {index.relationship_of(row.id) for row in index.assertions if row.cue == IMPORT}
    edges = index.graph.relationships if stated else ()
    triples = {(edge.source_id, edge.type, edge.target_id) for edge in edges if edge.id in stated}
    for relation in memory.relations:
        source, target = named[relation.source], named[relation.target]
        if (source.id, relation.type, target.id) not in triples:
            change = Relate(
                source=source,
                target=target,
                type=relation.type,
                confidence=relation.confidence,
                is_causal=relation.is_causal,
                context=_context(relation, memory),
                cue=IMPORT,
            )
            changes.append(change)
    return changes


def _context(relation: GivenRelation, memory: GivenMemory) -> JsonDict | None:
    """Return what is kept with a relation; what no line of the journal may hold is told of and left out."""
    try:
        return None if relation.context is None else checked_context(relation.context)
    except ValueError as error:
        memory.notes.add("context_left_out", f"{relation.where}: the context {error}")
        return None


def extractions(memory: GivenMemory, graph: GraphView) -> list[tuple[str, Extracted]]:
    """Return the lines of the extraction log with their times: SQLite's (UTC, with a space) in ISO 8601.

    Parameters
    ----------
    memory : GivenMemory
        Read from files.
    graph : GraphView
        Of the index that it is added to.

    Returns
    -------
    list of tuple of str and Extracted
        In the order of the log.

    """
    named, _ = _named(memory, graph)
    lines = []
    for line in memory.log:
        at = line.at.strip().replace(" ", "T", 1)
        at = f"{at}+00:00" if len(at) == len("2025-11-28T10:00:00") else at
        lines.append((at, Extracted(entity=named[line.entity], found=line.found)))
    return lines


def _named(memory: GivenMemory, graph: GraphView) -> tuple[list[Named], Sequence[CreateEntity]]:
    """Return how each entity is named in the index, and those that have to be made."""

    def key(name: str, type_: str | None) -> tuple[str, str]:
        return nfc(name).casefold(), (type_ or "").casefold()

    ids = {entity.id for entity in graph.entities}
    by_name = {key(entity.name, entity.type): entity for entity in reversed(list(graph.entities))}
    named, made = [], []
    for id_, entity in zip(entity_ids(memory.entities), memory.entities, strict=True):
        same = None if id_ in ids else by_name.get(key(entity.name, entity.type))
        if same is None and id_ not in ids and entity.is_stub:
            same = _called(entity.name, graph)
        if same is not None:
            named.append(Named(id=same.id, name=same.name, type=same.type))
            continue
        named.append(Named(id=id_, name=entity.name, type=entity.type))
        if id_ not in ids:
            attributes = beside_ours(entity.attributes)
            if entity.number is not None:  # what it had elsewhere: here it gets one of its own
                attributes = {**attributes, "imported_id": entity.number}
            attributes = {**attributes, **({"is_stub": True} if entity.is_stub else {})}
            made.append(CreateEntity(id=id_, name=entity.name, type=entity.type, attributes=attributes))
    return named, made


def _called(name: str, graph: GraphView) -> Entity | None:
    """Return the one entity of that name, of whatever type; None where there is none, or several."""
    try:
        entity = graph.entity(name)
    except (UnknownEntityError, AmbiguousEntityError):
        return None
    names = {nfc(other).casefold() for other in (entity.name, *aliases_of(entity))}
    return entity if nfc(name).casefold() in names else None
