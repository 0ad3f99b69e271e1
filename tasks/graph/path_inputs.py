"""Paths as callers and other tools give them: as they are, scored, or as entities that follow each other."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import EntityRef, Path
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.graph.inputs import references


def paths_given(values: Any) -> Any:
    """Return scored paths without their scores, and lists of entities as lists of references."""
    return [_path(value) for value in values] if isinstance(values, list | tuple) else values


def _path(value: Any) -> Any:
    held = value.get("item") if isinstance(value, Mapping) else getattr(value, "item", None)
    if held is not None:
        return _path(held)
    return references(value) if isinstance(value, list | tuple) else value


def path_of(graph: GraphView, given: Path | list[EntityRef]) -> Path:
    """Return a path whose entities and relationships are in the graph, by their ids.

    Entities alone are joined by the heaviest relationship between each two. A path whose relationships do
    not join its entities is InvalidInputError.
    """
    refs = given if isinstance(given, list) else list(given.node_ids)
    if not refs:
        raise InvalidInputError("A path has at least one entity.", hint="Leave empty paths out.")
    nodes = [graph.entity(ref).id for ref in refs]
    if isinstance(given, list):
        return Path(
            node_ids=tuple(nodes), edge_ids=tuple(_heaviest(graph, *pair) for pair in pairwise(nodes))
        )
    edges = [graph.relationship(ref) for ref in given.edge_ids]
    joined = [{edge.source_id, edge.target_id} for edge in edges]
    if joined != [set(pair) for pair in pairwise(nodes)]:
        raise InvalidInputError(
            f"The relationships {list(given.edge_ids)} do not join the entities {list(given.node_ids)}.",
            hint="A path has one relationship less than entities, each between two that follow each other.",
        )
    return given.model_copy(update={"node_ids": tuple(nodes), "edge_ids": tuple(edge.id for edge in edges)})


def _heaviest(graph: GraphView, here: str, there: str) -> str:
    arrays = compiled(graph)
    near = (graph.relationships[int(at)] for at in arrays.edges_of(arrays.at[here]))
    between = [edge for edge in near if {edge.source_id, edge.target_id} == {here, there}]
    if not between:
        names = f"{graph.entity(here).name!r} and {graph.entity(there).name!r}"
        raise InvalidInputError(
            f"There is no relationship between {names}.", hint="Give paths with their edge_ids."
        )
    return min(between, key=lambda edge: (-edge.weight, edge.id)).id
