"""From the tables of a Microsoft GraphRAG index to the rows of a generation of ours.

Entities, relationships, text units, communities, reports, claims and documents stay what they are, with their
numbers; ids that are not ours are kept as the attribute `graphrag_id`. What each rests on is located: a
mention where a title stands in a unit that names the entity, an assertion for each relationship and unit.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from pydantic import ValidationError

from corpusgraph.flows.interop.graphrag_cells import foreign, known, numbers, ours, own_id, real
from corpusgraph.flows.interop.graphrag_files import Tables, read_tables
from corpusgraph.flows.interop.graphrag_groups import add_claims, add_communities, add_reports
from corpusgraph.flows.interop.graphrag_located import Located
from corpusgraph.flows.interop.graphrag_texts import add_texts
from corpusgraph.flows.interop.parcel import Parcel
from corpusgraph.flows.interop.report import Notes
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.schemas.graph import Entity, Relationship

RELATED = "relates_to"
STRENGTH = 10.0
"""A model of GraphRAG's rates a relationship from 1 to 10; the weight is the sum over its text units."""


def graphrag_parcel(folder: Path, *, strict: bool = False) -> tuple[Parcel, Notes]:
    """Read a GraphRAG index. If `strict`, a reference to a row that is not there is an error."""
    tables = read_tables(folder)
    _leave_out_loose_ends(tables)
    try:
        parcel = _parcel(folder, tables)
    except ValidationError as error:
        first = error.errors()[0]
        told = f"{error.title}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        hint = "Export it again, or take the column 'corpusgraph' out of its tables."
        raise InvalidInputError(
            f"{shown(folder)} has a row that cannot be read: {told}.", hint=hint, code="broken_row"
        ) from None
    if strict and (unknown := tables.notes.found.get("unknown_reference")):
        raise InvalidInputError(f"{shown(folder)}: {unknown[0]}.", code="unknown_reference")
    return parcel, tables.notes


def _leave_out_loose_ends(tables: Tables) -> None:
    """Leave out relationships of which an end has no name: they join nothing."""
    kept = []
    for place, row in enumerate(tables.of("relationships")):
        if row["source"] is None or row["target"] is None:
            tables.notes.add(
                "broken_row", f"relationships, row {place + 1}: {row['source']} -> {row['target']}"
            )
        else:
            kept.append(row)
    tables.rows["relationships"] = kept


def _parcel(folder: Path, tables: Tables) -> Parcel:
    parcel = Parcel("graphrag", folder.name, facts={"version": tables.version})
    units = add_texts(tables, parcel)
    entities = _entities(tables)
    parcel.entities, by_title = [entity for entity, _ in entities], _by_title(entities, tables.notes)
    relationships = _relationships(tables, parcel, by_title)
    located = Located(parcel, units, tables.notes)
    located.mentions(
        [
            (entity, _titles(entity, row), list(map(str, row.get("text_unit_ids") or ())))
            for entity, row in entities
        ]
    )
    parcel.relationships = located.assertions(relationships)
    _degrees(parcel)
    ids = {str(row["id"]): entity.id for entity, row in entities if row.get("id") is not None}
    edges = {
        str(row["id"]): edge.id
        for edge, row in zip(parcel.relationships, tables.of("relationships"), strict=True)
        if row.get("id") is not None
    }
    add_communities(
        tables, parcel, ids, edges, {title: entity.id for title, entity in by_title.items()}, units
    )
    add_reports(tables, parcel)
    add_claims(tables, parcel, by_title, units, located)
    return parcel


def _entities(tables: Tables) -> list[tuple[Entity, JsonDict]]:
    rows = tables.of("entities")
    found: list[tuple[Entity, JsonDict]] = []
    taken: set[str] = set()
    degrees = {row["title"]: row.get("degree") for row in tables.of("nodes")}
    for row, short_id in zip(rows, numbers(rows, "entities", tables.notes), strict=True):
        title = str(row.get("title") if row.get("title") is not None else row.get("id"))
        type_ = row.get("type") or None
        id_ = own_id(row.get("id"), Entity.make_id(title, type_ or ""))
        if id_ in taken:
            tables.notes.add("duplicate_title", title)
            id_ = Entity.make_id(title, type_ or "", str(row.get("id")) + str(short_id))
        taken.add(id_)
        degree = row.get("degree", degrees.get(title))
        named = {"title", "type", "description", "text_unit_ids", "frequency", "degree"}
        fields: JsonDict = {
            "id": id_,
            "name": _without_qualifier(title, type_, row.get("id")),
            "type": type_,
            "description": row.get("description") or None,
            "attributes": {**foreign(row, id_), **known(row, *named)},
            "short_id": short_id,
            "degree": degree if isinstance(degree, int) and degree >= 0 else None,
        }
        found.append((Entity.model_validate({**fields, **ours(row)}), row))
    return found


def _without_qualifier(title: str, type_: str | None, id_: object) -> str:
    """Return the name of an entity of ours that shares it with another: titles are keys in GraphRAG."""
    for qualifier in (type_, id_):
        ending = f" ({qualifier})"
        if qualifier and title.endswith(ending) and isinstance(id_, str):
            name = title.removesuffix(ending)
            if id_ == Entity.make_id(name, type_ or ""):
                return name
    return title


def _titles(entity: Entity, row: JsonDict) -> list[str]:
    return list(dict.fromkeys((entity.name, nfc(str(row.get("title") or entity.name)))))


def _by_title(entities: list[tuple[Entity, JsonDict]], notes: Notes) -> dict[str, Entity]:
    found: dict[str, Entity] = {}
    for entity, row in entities:
        title = nfc(str(row.get("title") if row.get("title") is not None else entity.name))
        if title in found:
            notes.add("duplicate_title", f"{title}: its relationships go to the first of that title")
        found.setdefault(title, entity)
    return found


def _relationships(
    tables: Tables, parcel: Parcel, by_title: dict[str, Entity]
) -> list[tuple[Relationship, list[str]]]:
    rows = tables.of("relationships")
    taken: set[str] = set()
    found = []
    free = count(1 + max((entity.short_id or 0 for entity in parcel.entities), default=0))
    for row, short_id in zip(rows, numbers(rows, "relationships", tables.notes), strict=True):
        ends = [
            _end(nfc(str(row[end])), parcel, by_title, free, tables.notes) for end in ("source", "target")
        ]
        kind = str(row.get("type") or RELATED)
        id_ = own_id(row.get("id"), Relationship.make_id(ends[0].id, kind, ends[1].id))
        if id_ in taken:
            tables.notes.add("duplicate_edge", f"{row['source']} -> {row['target']}")
            id_ = Relationship.make_id(ends[0].id, f"{kind}#{short_id}", ends[1].id)
        taken.add(id_)
        units = [str(unit) for unit in row.get("text_unit_ids") or ()]
        named = {"source", "target", "type", "description", "weight", "combined_degree", "text_unit_ids"}
        weight = _weight(row, tables.notes)
        fields: JsonDict = {
            "id": id_,
            "source_id": ends[0].id,
            "target_id": ends[1].id,
            "type": kind,
            "weight": weight,
            "confidence": _confidence(weight, len(units), is_ours=id_ == row.get("id")),
            "description": row.get("description") or None,
            "attributes": {**foreign(row, id_), **known(row, *named)},
            "short_id": short_id,
            "n_evidence": len(units),
        }
        found.append((Relationship.model_validate({**fields, **ours(row)}), units))
    return found


def _end(
    title: str, parcel: Parcel, by_title: dict[str, Entity], free: Iterator[int], notes: Notes
) -> Entity:
    """Return the entity of a title; one that is missing is made (C30), with the next free number."""
    if title not in by_title:
        notes.add("missing_entity", title)
        made = Entity(id=Entity.make_id(title, ""), name=title, short_id=next(free), is_stub=True)
        by_title[title] = made
        parcel.entities.append(made)
    return by_title[title]


def _weight(row: JsonDict, notes: Notes) -> float:
    given = row.get("weight", 1.0)
    weight = real(given)
    if weight is not None and weight > 0:
        return weight
    notes.add("value_repaired", f"{row['source']} -> {row['target']}: weight {given!r}")
    return 1.0


def _confidence(weight: float, n_units: int, *, is_ours: bool) -> float:
    """Return how sure each piece of evidence is: the mean strength, of 10 where a model gave it."""
    mean = weight / max(n_units, 1)
    return round(min(1.0, mean if is_ours or mean <= 1 else mean / STRENGTH), 6)


def _degrees(parcel: Parcel) -> None:
    """Count neighbours where the tables do not say how many an entity has."""
    near: dict[str, set[str]] = defaultdict(set)
    for edge in parcel.relationships:
        if edge.source_id != edge.target_id and edge.is_stated:
            near[edge.source_id].add(edge.target_id)
            near[edge.target_id].add(edge.source_id)
    parcel.entities = [
        entity if entity.degree is not None else entity.model_copy(update={"degree": len(near[entity.id])})
        for entity in parcel.entities
    ]
