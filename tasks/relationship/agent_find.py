"""Tool 11: let a language model choose the relationships that help to answer a question."""

from typing import Annotated, Literal, Self

from pydantic import AliasChoices, Field, PositiveInt, model_validator

from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, Scored, ToolInput
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.query.given import Graded
from corpusgraph.tasks.query.prompting import query_cut
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.relationship._pruning import prune
from corpusgraph.tasks.relationship._recognition import recognise


class RelationshipAgentFind(ToolInput):
    """A question and what to choose from: the relations of entities, or relationships found before."""

    query: Query
    entity_context: Annotated[Graded | None, Reads("entities")] = Field(
        None,
        validation_alias=AliasChoices("entity_context", "entities"),
        description="prune: the entities whose relations are looked at",
    )
    max_relationships: PositiveInt = Field(
        10,
        validation_alias=AliasChoices("max_relationships", "top_k", "limit"),
        description="how many relationships at most; a relation may have many",
    )
    mode: Literal["prune", "recognition_filter"] = Field(
        "prune",
        description="prune: choose `width` relations of each entity and return their relationships "
        "(Think-on-Graph); recognition_filter: keep those of `relationships` that bear on the question "
        "(HippoRAG 2)",
    )
    width: PositiveInt = Field(3, description="prune: relations to keep of each entity")
    previous: Annotated[Graded | None, Reads("relationships")] = Field(
        None,
        description="prune: relationships walked before; an entity reached by one is not left by its kind",
    )
    relationships: Annotated[Graded | None, Reads("relationships")] = Field(
        None, description="recognition_filter: what to filter; prune: choose among these only"
    )

    @model_validator(mode="after")
    def _has_what_its_mode_needs(self) -> Self:
        needed = "entity_context" if self.mode == "prune" else "relationships"
        if getattr(self, needed) is None:
            raise ValueError(f"mode {self.mode} needs {needed}")
        return self


@tool(
    11,
    writes="relationships",
    needs={"Entity.id", "Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Entity.name", "Relationship.type", "Relationship.weight", "Relationship.keywords"},
    adds={"Scored.score", "Scored.components.outgoing", "Scored.components.weight"},
    cite="Sun et al. 2024, arXiv:2307.07697 (Think-on-Graph); Gutiérrez et al. 2025, arXiv:2502.14802 "
    "(HippoRAG 2); Zhou et al. 2025, arXiv:2503.04338, operator Rel.Agent",
)
def relationship_agent_find(
    ask: RelationshipAgentFind, graph: GraphView, embedder: Embedder, llm: LanguageModel | None
) -> Noted[list[Scored[Relationship]]]:
    """Choose relationships for a question: relations of entities with their edges, or facts that bear on it.

    Pruning, the scores of an entity's relations sum to 1, outgoing and incoming ones apart, and an entity
    with one relation only needs no call. Filtering, relationships keep their scores, and none may be left.
    """
    if ask.mode == "prune":
        chosen = prune(
            ask.query,
            ask.entity_context or [],
            graph,
            embedder,
            llm,
            among=ask.relationships,
            previous=ask.previous or [],
            width=ask.width,
            most=ask.max_relationships,
        )
    else:
        given = ask.relationships or []
        chosen = recognise(ask.query, given, graph, embedder, llm, most=ask.max_relationships)
    short = query_cut(ask.query, llm) if chosen.data else ()
    return chosen.model_copy(update={"warnings": (*short, *chosen.warnings)})
