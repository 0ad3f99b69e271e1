"""Rank passages by a walk over one graph of entities and passages."""

from dataclasses import fields, replace
from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, Field, NonNegativeInt, PositiveInt, model_validator

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import EntityRef
from corpusgraph.schemas.ports import Corpus, Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.inputs import Query, TopK, seeds, summed, weights
from corpusgraph.tasks.graph.linking import bearers, link_names, not_linked
from corpusgraph.tasks.graph.passages import (
    EdgeWeights,
    PassageGraph,
    PassageScores,
    PathWeights,
    TextScore,
    WalkOptions,
    given_scores,
    passage_graph,
    text_scores,
)
from corpusgraph.tasks.graph.ranking import best, ranked
from corpusgraph.tasks.llm.prompting import query_read
from corpusgraph.tasks.registry import Reads, tool

Options = TypeVar("Options", EdgeWeights, WalkOptions, PathWeights)
Weight = Annotated[float, Field(ge=0, le=1e6)]
PathWeight = Annotated[float, Field(ge=0, le=20)]
Positive = Annotated[float, Field(ge=1e-3, le=1e6)]
POOL = 1000
"""Passages at least whose vectors are compared with the question: the rest is like none of them."""
HIGHEST = 1e12
"""Of chunks' scores, so that the span between two can be told."""
_E, _W, _P = EdgeWeights(), WalkOptions(), PathWeights()


class ChunkWalkRank(ToolInput):
    """Where the walk starts, what its edges weigh, and what the passages' own texts count."""

    query: Query
    seed_entities: Annotated[
        list[EntityRef] | dict[EntityRef, Weight] | None,
        BeforeValidator(seeds),
        Reads("entities"),
        Field(description="entities, or entity: weight; unless given, those that the question names"),
    ] = None
    chunks: Annotated[
        dict[EntityRef, float] | None,
        BeforeValidator(weights),
        Reads("chunks"),
        Field(description="chunk: score, on any scale; unless given, as `text` says"),
    ] = None
    text: TextScore = Field(
        "auto",
        description="what scores the passages' texts: bm25; dense (cosine of vectors); mix (half each); "
        "auto: bm25, and where the index has a trained embedder mix for what the walk prefers and leans on; "
        "none: only seeds and chunks",
    )
    top_k: TopK = 10
    reset: Literal["weights", "node_specificity"] = Field(
        "weights",
        description="how much a seed draws the walk back: by its weight (1 in a list), or by weight divided "
        "by the number of chunks that mention it",
    )
    damping_factor: float = Field(
        _W.damping_factor, gt=0, lt=1, description="probability of following an edge"
    )
    passage_weight: Weight = Field(
        _W.passage_weight,
        description="weight of the best passage beside a seed's; others by min-max likeness ** sharpness",
    )
    sharpness: Positive = Field(_W.sharpness, description="how much a near passage outweighs a less near one")
    depth: PositiveInt = Field(
        _W.depth, description="passages from here on, in order of their texts, start no walk"
    )
    pull: Weight = Field(
        _W.pull, description="edges into a passage weigh 1 + pull x likeness ** 2 times as much"
    )
    lean: bool = Field(
        _W.lean,
        description="where few passages share a name, no name among the seeds tells a tenth of what the "
        "query's words do, or the walk is spread over a tenth of the passages: the walk counts a quarter and "
        "the texts the rest",
    )
    higher_passages: NonNegativeInt = Field(
        _P.higher_passages,
        le=100,
        description="where the walk decides: passages, from the first, from which paths lead on to passages "
        "of other titles, whose score is raised e ** the sum of the four weights below, times the name's "
        "rarity; a tenth of all passages at most; 0: none",
    )
    shared_name_weight: PathWeight = Field(
        _P.shared_name_weight, description="of a path over a name in both passages and not in the query"
    )
    titled_name_weight: PathWeight = Field(
        _P.titled_name_weight,
        description="more, where the name stands in the title of the second passage, or is it",
    )
    rest_weight: PathWeight = Field(
        _P.rest_weight, description="more, times the share of the query's words in the second passage only"
    )
    asked_title_weight: PathWeight = Field(
        _P.asked_title_weight, description="of a title that stands in the query"
    )
    relation_weight: Weight = Field(_E.relation_weight, description="edges stated by relationships")
    co_occurrence_weight: Weight = Field(
        _E.co_occurrence_weight, description="edges between names of one sentence"
    )
    own_page_weight: Positive = Field(
        _E.own_page_weight, description="edges from entities to the document titled after them"
    )
    title_weight: Weight = Field(
        _E.title_weight, description="edges from entities to the one their document is titled after"
    )
    held_name_weight: Weight = Field(
        _E.held_name_weight, description="edges from names to names inside them, times the share of words"
    )
    synonym_weight: Weight = Field(
        _E.synonym_weight, description="edges between names of like spelling, up to 50,000 names"
    )
    common_noun_weight: Positive = Field(
        _E.common_noun_weight, le=1, description="factor of what leads to a common noun"
    )
    repeats: bool = Field(_E.repeats, description="n mentions in a passage count 1 + ln n")

    @model_validator(mode="before")
    @classmethod
    def _no_chunks_are_none(cls, data: object) -> object:
        if isinstance(data, dict) and data.get("chunks") == []:
            return {**data, "chunks": {}}
        return data

    def options(self, kind: type[Options]) -> Options:
        """Return some of the options.

        Parameters
        ----------
        kind : type of Options
            A dataclass whose fields are fields of this input.

        Returns
        -------
        Options
            Filled from this input.

        """
        return kind(**{field.name: getattr(self, field.name) for field in fields(kind)})


@tool(
    writes="chunks",
    needs={"Chunk.id", "Chunk.content"},
    optional={
        "Chunk.entities",
        "Chunk.source_doc",
        "Entity.name",
        "Relationship.source_id",
        "Relationship.type",
    },
    adds={"Scored.score", "Scored.components.walk", "Scored.components.text"},
    cite="Gutiérrez et al. 2025, arXiv:2502.14802 (HippoRAG 2)",
)
def chunk_walk_rank(
    ask: ChunkWalkRank,
    graph: GraphView,
    vectors: Vectors | None,
    embedder: Embedder | None,
    corpus: Corpus | None,
) -> Noted[list[Scored[Chunk]]]:
    """Rank chunks by personalised PageRank over one graph of entities and passages.

    `scorer` tells what decided: graph; text, where there are no seeds; or graph and text, where the graph has
    little to say and the walk counts a quarter.
    """
    asked, short = query_read(ask.query)
    ask = ask.model_copy(update={"query": asked})
    passages = passage_graph(graph, corpus, ask.options(EdgeWeights))
    starts, warnings = _starts(ask, passages, graph)
    near, alone = _texts(ask, passages, graph, vectors, embedder)
    ranking = passages.rank(starts, near, ask.options(WalkOptions), alone, ask.query)
    scores = ranking.scores
    if ranking.mode == "graph":
        path = ask.options(PathWeights)
        higher = min(path.higher_passages, len(graph.chunks) // 10)  # of few passages all are near
        path = replace(path, higher_passages=higher)
        scores = passages.bridged_to(scores, graph, ask.query, starts, path)
    rows = (
        (graph.chunks[i], scores[i], {"walk": float(ranking.walked[i]), "text": float(ranking.likeness[i])})
        for i in best(scores, ask.top_k)
    )
    return Noted(data=ranked(rows, ranking.mode), warnings=(*short, *warnings, *_leaned(ranking, graph)))


def _starts(
    ask: ChunkWalkRank, passages: PassageGraph, graph: GraphView
) -> tuple[dict[str, float], tuple[ToolWarning, ...]]:
    """Return entity id -> weight of the seeds that are in a chunk."""
    given = ask.seed_entities
    if given is None:
        named, unknown = link_names(graph, ask.query)
        return passages.seeds(bearers(named)), not_linked(unknown)
    pairs = given.items() if isinstance(given, dict) else ((ref, 1.0) for ref in dict.fromkeys(given))
    found = summed((graph.entity(ref).id, float(weight)) for ref, weight in pairs)
    chunks = graph.entity_chunks()
    there = {id_: weight for id_, weight in found.items() if chunks[id_]}
    if ask.reset == "node_specificity":
        there = {id_: weight / len(chunks[id_]) for id_, weight in there.items()}
    return there, ()


def _texts(
    ask: ChunkWalkRank,
    passages: PassageGraph,
    graph: GraphView,
    vectors: Vectors | None,
    embedder: Embedder | None,
) -> tuple[Doubles, Doubles]:
    """Return the passages' scores for the walk, and those that do better alone."""
    if ask.chunks is None:
        n = max(POOL, ask.depth, ask.top_k)
        return text_scores(ask.text, ask.query, passages, vectors, embedder, n)
    given = summed((passages.chunk_at[graph.chunk(ref).id], score) for ref, score in ask.chunks.items())
    if not all(abs(score) <= HIGHEST for score in given.values()):
        raise InvalidInputError(
            f"The scores of chunks must be between {-HIGHEST:g} and {HIGHEST:g}.",
            hint="Leave out what has no score.",
        )
    scores = given_scores(given, len(passages.chunk_at))
    return scores, scores


def _leaned(found: PassageScores, graph: GraphView) -> tuple[ToolWarning, ...]:
    """Return a warning where the graph had little say; of a method that reads none, none is expected."""
    told = {
        "text": "No entity to start from is in a passage: the passages' texts decide.",
        "graph and text": "The graph has little to say: the walk counts a quarter, the texts the rest.",
    }.get(found.mode, "")
    return warned("lean_graph", told, when=told and graph.entities)
