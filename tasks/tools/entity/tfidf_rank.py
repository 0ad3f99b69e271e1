"""Tool 7: rank entities by the words they share with a text."""

from typing import Annotated

import numpy as np
from pydantic import AliasChoices, Field, NonNegativeInt

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.graph.compiled import node_of, per_graph
from corpusgraph.tasks.graph.inputs import EntityRefs, Query, TopK
from corpusgraph.tasks.graph.names import beside
from corpusgraph.tasks.graph.ranking import best, ranked
from corpusgraph.tasks.graph.terms import TfIdf
from corpusgraph.tasks.registry import Reads, tool


class EntityTfidfRank(ToolInput):
    """What to look for, and among which entities."""

    query: Query
    top_k: TopK = 10
    doc_frequency_threshold: float | None = Field(
        None,
        gt=0,
        le=1,
        validation_alias=AliasChoices("doc_frequency_threshold", "max_df"),
        description="leave out words in more than this share of all entities",
    )
    min_df: NonNegativeInt = Field(1, description="leave out words in fewer entities")
    candidates: Annotated[EntityRefs | None, Reads("entities")] = Field(
        None, description="rank these only; all entities, unless given"
    )


@tool(
    7,
    writes="entities",
    needs={"Entity.id"},
    optional={"Entity.name", "Entity.description"},
    adds={"Scored.score"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.TF-IDF; Salton & Buckley 1988",
)
def entity_tfidf_rank(ask: EntityTfidfRank, graph: GraphView) -> list[Scored[Entity]]:
    """Rank entities by the TF-IDF cosine of name and description with the query; no match, no entity."""
    scores = entity_tfidf(graph).scores(
        ask.query, min_df=ask.min_df, max_df=ask.doc_frequency_threshold or 1.0
    )
    if ask.candidates is not None:
        kept = np.unique([node_of(graph, ref) for ref in ask.candidates])
        among = np.zeros_like(scores)
        among[kept] = scores[kept]
        scores = among
    return ranked(((graph.entities[i], scores[i], {}) for i in best(scores, ask.top_k)), "tfidf")


@per_graph
def entity_tfidf(graph: GraphView) -> TfIdf:
    """Return the TF-IDF vectors of all entities.

    Parameters
    ----------
    graph : GraphView
        Of the index.

    Returns
    -------
    TfIdf
        In the order of the entities.

    """
    return TfIdf([text_of(entity) for entity in graph.entities])


def text_of(entity: Entity) -> str:
    """Return name, description and what was noted by hand beside it.

    Parameters
    ----------
    entity : Entity
        Of the graph.

    Returns
    -------
    str
        A line each.

    """
    return "\n".join((entity.name, *([entity.description] if entity.description else ()), *beside(entity)))
