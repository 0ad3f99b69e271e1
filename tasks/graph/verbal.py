"""Relationships and paths in words: `John Snow -[lived in]-> London <-[part of]- Soho`."""

from itertools import pairwise

from corpusgraph.schemas.graph import Entity, Path, Relationship
from corpusgraph.schemas.ports import GraphView

DESCRIPTION = 200
"""Characters of a description that a line shows."""


def relation_words(type_: str) -> str:
    """Return a relationship's type in words: `lived_in` is "lived in".

    Parameters
    ----------
    type_ : str
        Type of a relationship.

    Returns
    -------
    str
        Underscores are blanks.

    """
    return type_.replace("_", " ")


def step(type_: str, *, outgoing: bool) -> str:
    """Return the arrow of a relation, seen from the left: `-[lived in]->` or `<-[lived in]-`.

    Parameters
    ----------
    type_ : str
        Type of the relationship.
    outgoing : bool
        Whether it points to the right.

    Returns
    -------
    str
        It stands between the names of two entities.

    """
    return f"-[{relation_words(type_)}]->" if outgoing else f"<-[{relation_words(type_)}]-"


def verbalise(graph: GraphView, relationship: Relationship) -> str:
    """Return a relationship in one line, from source to target.

    Parameters
    ----------
    graph : GraphView
        Where the entities' names are.
    relationship : Relationship
        A relationship of the graph.

    Returns
    -------
    str
        Such as `John Snow -[lived in]-> London`.

    """
    source, target = graph.entity(relationship.source_id), graph.entity(relationship.target_id)
    return f"{source.name} {step(relationship.type, outgoing=True)} {target.name}"


def verbalise_path(graph: GraphView, path: Path) -> str:
    """Return a path in one line; each arrow points the way its relationship does.

    Parameters
    ----------
    graph : GraphView
        Where names and types are.
    path : Path
        A path of the graph.

    Returns
    -------
    str
        Such as `John Snow -[lived in]-> London <-[part of]- Soho`.

    """
    line = [graph.entity(id_).name for id_ in path.node_ids[:1]]
    for (here, there), edge_id in zip(pairwise(path.node_ids), path.edge_ids, strict=True):
        edge = graph.relationship(edge_id)
        outgoing = edge.source_id == here and edge.target_id == there
        line += [step(edge.type, outgoing=outgoing), graph.entity(there).name]
    return " ".join(line)


def described(entity: Entity) -> str:
    """Return an entity in one line: name, type, and how its description begins.

    Parameters
    ----------
    entity : Entity
        An entity.

    Returns
    -------
    str
        The description's first 200 characters at most.

    """
    kind = f" ({entity.type})" if entity.type else ""
    about = " ".join((entity.description or "").split())[:DESCRIPTION]
    return f"{entity.name}{kind}{': ' + about if about else ''}"
