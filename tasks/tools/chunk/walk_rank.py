"""Rank passages by a walk over one graph of entities and passages."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, NonNegativeInt, PositiveInt, model_validator

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import EntityRef
from corpusgraph.schemas.ports import Corpus, Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning
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

Weight = Annotated[float, Field(ge=0, le=1e6)]
PathWeight = Annotated[float, Field(ge=0, le=20)]
Positive = Annotated[float, Field(ge=1e-3, le=1e6)]
POOL = 1000
"""Passages at least whose vectors are compared with the question: the rest is like none of them."""
HIGHEST = 1e12
"""Of chunks' scores, so that the span between two can be told."""
_EDGES, _WALK, _PATH = EdgeWeights(), WalkOptions(), PathWeights()


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
    damping_factor: float = Field(_WALK.damping, gt=0, lt=1, description="probability of following an edge")
    passage_weight: Weight = Field(
        _WALK.passage_weight,
        description="weight of the best passage beside a seed's; others by min-max likeness ** sharpness",
    )
    sharpness: Positive = Field(
        _WALK.sharpness, description="how much a near passage outweighs a less near one"
    )
    depth: PositiveInt = Field(
        _WALK.depth, description="passages from here on, in order of their texts, start no walk"
    )
    pull: Weight = Field(
        _WALK.pull, description="edges into a passage weigh 1 + pull x likeness ** 2 times as much"
    )
    lean: bool = Field(
        _WALK.lean,
        description="where few passages share a name, no name among the seeds tells a tenth of what the "
        "query's words do, or the walk is spread over a tenth of the passages: the walk counts a quarter and "
        "the texts the rest",
    )
    higher_passages: NonNegativeInt = Field(
        _PATH.higher,
        le=100,
        description="where the walk decides: passages, from the first, from which paths lead on to passages "
        "of other titles, whose score is raised e ** the sum of the four weights below, times the name's "
        "rarity; a tenth of all passages at most; 0: none",
    )
    shared_name_weight: PathWeight = Field(
        _PATH.shared, description="of a path over a name in both passages and not in the query"
    )
    titled_name_weight: PathWeight = Field(
        _PATH.titled, description="more, where the name stands in the title of the second passage, or is it"
    )
    rest_weight: PathWeight = Field(
        _PATH.rest, description="more, times the share of the query's words in the second passage only"
    )
    asked_title_weight: PathWeight = Field(_PATH.asked, description="of a title that stands in the query")
    relation_weight: Weight = Field(_EDGES.relation, description="edges stated by relationships")
    co_occurrence_weight: Weight = Field(
        _EDGES.co_occurrence, description="edges between names of one sentence"
    )
    own_page_weight: Positive = Field(
        _EDGES.own_page, description="edges from entities to the document titled after them"
    )
    title_weight: Weight = Field(
        _EDGES.title, description="edges from entities to the one their document is titled after"
    )
    held_name_weight: Weight = Field(
        _EDGES.held_name, description="edges from names to names inside them, times the share of words"
    )
    synonym_weight: Weight = Field(
        _EDGES.synonym, description="edges between names of like spelling, up to 50,000 names"
    )
    common_noun_weight: Positive = Field(
        _EDGES.common_noun, le=1, description="factor of what leads to a common noun"
    )
    repeats: bool = Field(_EDGES.repeats, description="n mentions in a passage count 1 + ln n")

    @model_validator(mode="before")
    @classmethod
    def _no_chunks_are_none(cls, data: object) -> object:
        if isinstance(data, dict) and data.get("chunks") == []:
            return {**data, "chunks": {}}
        return data

    def edges(self) -> EdgeWeights:
        """Return what the edges weigh."""
        return EdgeWeights(
            relation=self.relation_weight,
            co_occurrence=self.co_occurrence_weight,
            own_page=self.own_page_weight,
            title=self.title_weight,
            held_name=self.held_name_weight,
            synonym=self.synonym_weight,
            common_noun=self.common_noun_weight,
            repeats=self.repeats,
        )

    def walk(self) -> WalkOptions:
        """Return how far the walk may wander."""
        return WalkOptions(
            damping=self.damping_factor,
            passage_weight=self.passage_weight,
            sharpness=self.sharpness,
            depth=self.depth,
            pull=self.pull,
            lean=self.lean,
        )

    def path(self, n_passages: int) -> PathWeights:
        """Return what the steps of a path count."""
        return PathWeights(
            higher=min(self.higher_passages, n_passages // 10),  # of few passages all are near
            shared=self.shared_name_weight,
            titled=self.titled_name_weight,
            rest=self.rest_weight,
            asked=self.asked_title_weight,
        )


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
    passages = passage_graph(graph, corpus, ask.edges())
    starts, warnings = _starts(ask, passages, graph)
    near, alone = _texts(ask, passages, graph, vectors, embedder)
    ranking = passages.rank(starts, near, ask.walk(), alone, ask.query)
    scores = ranking.scores
    if ranking.mode == "graph":
        scores = passages.bridged_to(scores, graph, ask.query, starts, ask.path(len(graph.chunks)))
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
    }
    is_lean = graph.entities and found.mode in told
    return (ToolWarning(code="lean_graph", message=told[found.mode]),) if is_lean else ()
