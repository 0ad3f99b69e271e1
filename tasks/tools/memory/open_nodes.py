"""Entities by name, with their relations."""

from pydantic import AliasChoices, Field

from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.graph.compiled import node_of
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import KnowledgeGraph, Ref, shown
from corpusgraph.tasks.tools.memory.create_entities import REFERENCE


class OpenNodes(ToolInput):
    """Which entities."""

    names: list[Ref] = Field(
        max_length=1000,
        validation_alias=AliasChoices("names", "entityNames", "entity_names", "entities"),
        description="the entities, by name, id or short id",
    )


@tool(
    writes="memory",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Entity.name", "Entity.type", "Entity.attributes", "Relationship.type"},
    cite=REFERENCE,
)
def open_nodes(ask: OpenNodes, graph: GraphView) -> Noted[KnowledgeGraph]:
    """Return entities and their relations; a name that is not there is told in a warning, no error."""
    nodes: list[int] = []
    told: list[ToolWarning] = []
    for name in ask.names:
        try:
            nodes.append(node_of(graph, name))
        except (UnknownEntityError, AmbiguousEntityError) as error:
            told += warned(error.code, str(error), [str(name)])
    part, left_out = shown(graph, nodes)
    return Noted(data=part, warnings=(*told, *relations_left_out(left_out)))


def relations_left_out(n: int) -> tuple[ToolWarning, ...]:
    """Tell of relations that did not fit the answer."""
    message = f"{n:,} relations were left out, those with the least evidence; get_related lists them."
    return warned("graph_truncated", message, when=n)
