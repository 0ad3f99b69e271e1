"""Small graphs with known communities."""

from collections.abc import Iterable

from corpusgraph.schemas.graph import Entity, Relationship


def graph(
    edges: Iterable[tuple[str, str] | tuple[str, str, float]], types: dict[str, str] | None = None
) -> tuple[list[Entity], list[Relationship]]:
    """Make a graph whose entities have the names given, in id order."""
    edges = list(edges)
    names = sorted({name for edge in edges for name in edge[:2]})
    of_type = {name: (types or {}).get(name, "person") for name in names}
    ids = {name: Entity.make_id(name, of_type[name]) for name in names}
    entities = [Entity(id=ids[name], name=name, type=of_type[name]) for name in names]
    return sorted(entities, key=lambda entity: entity.id), [
        Relationship(
            id=Relationship.make_id(ids[edge[0]], f"links{position}", ids[edge[1]]),
            source_id=ids[edge[0]],
            target_id=ids[edge[1]],
            weight=edge[2] if len(edge) > 2 else 1.0,
            keywords=("links",),
            chunk_ids=(f"chk_{position}",),
        )
        for position, edge in enumerate(edges)
    ]
