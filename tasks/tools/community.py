"""Communities: of entities, of a level, searched by report, and chosen by a language model."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from pydantic import AliasChoices, Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.errors import UnknownItemError
from corpusgraph.schemas.graph import Community
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.tasks.graph.communities import (
    community_of_report,
    deepest_to,
    members_of,
    occurrence,
    reported,
)
from corpusgraph.tasks.graph.inputs import EntityRefs, Query, VectorSearch, resolved
from corpusgraph.tasks.graph.ranking import Row, likeness, nearest, ranked, then
from corpusgraph.tasks.llm.judging import Judged, judge_batches
from corpusgraph.tasks.llm.prompting import (
    cut,
    fenced,
    nothing,
    numbered,
    prompt,
    query_cut,
    question,
    scorer,
)
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.text.words import stems

# Tool 18: the communities that entities belong to.


class CommunityByEntities(ToolInput):
    """Whose communities, down to which level."""

    entities: EntityRefs
    community_level: NonNegativeInt | None = Field(
        None, description="finest level to look at; 0 is the coarsest; all levels, unless given"
    )
    select: Literal["all", "deepest"] = Field(
        "all", description="all communities of an entity, or its finest one alone"
    )
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    18,
    needs="Community.entity_ids, Entity.id",
    optional="Community.level summary rating",
    adds="Scored.score components.entities, Community.title summary rating",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Community.Entity; Edge et al. 2024, arXiv:2404.16130",
    aliases=("T66",),
)
def community_by_entities(ask: CommunityByEntities, graph: GraphView) -> Noted[list[Scored[Community]]]:
    """Return the communities of the entities, those with most of them first, then by rating."""
    level, members, communities = ask.community_level, members_of(graph), graph.communities
    near = {
        entity.id: [i for i in members.get(entity.id, ()) if level is None or communities[i].level <= level]
        for entity in resolved(graph, ask.entities)
    }
    counts = Counter(i for places in near.values() for i in places)
    if ask.select == "deepest":
        finest = {max(places, key=lambda i: (communities[i].level, -i)) for places in near.values() if places}
        counts = Counter({i: count for i, count in counts.items() if i in finest})
    found = [(reported(graph, communities[i]), count) for i, count in sorted(counts.items())]
    rows = ((c, then(count, max(c.rating or 0.0, 0.0)), {"entities": count}) for c, count in found)
    alone = [id_ for id_, places in near.items() if not places]
    message = f"{len(alone)} of the entities are in no community."
    notes = warned("no_community", message, alone, when=alone)
    return Noted(data=ranked(rows, "membership", ask.top_k), warnings=notes)


# Tool 19: the communities of the coarse levels.


class CommunityByLayer(ToolInput):
    """Down to which level, and how big or important at least."""

    max_layer: NonNegativeInt = Field(description="finest level to look at; 0 is the coarsest")
    min_size: PositiveInt | None = Field(None, description="least number of entities")
    min_rating: float | None = Field(None, description="least rating, 0 to 10; one without a rating has 0")
    select: Literal["all", "deepest"] = Field(
        "all", description="every community, or of each entity only the finest one it is in"
    )
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    19,
    needs="Community.level",
    optional="Community.entity_ids chunk_ids summary rating",
    adds="Scored.score components.occurrence, Community.title summary rating",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Community.Layer; Edge et al. 2024, arXiv:2404.16130",
    aliases=("T67",),
)
def community_by_layer(ask: CommunityByLayer, graph: GraphView) -> list[Scored[Community]]:
    """Return the communities at or above a level, those in most chunks first, then by rating."""
    within = [c for c in graph.communities if c.level <= ask.max_layer]
    if ask.select == "deepest":
        within = list(deepest_to(graph, ask.max_layer))
    kept = [reported(graph, c) for c in within if len(c.entity_ids) >= (ask.min_size or 0)]
    kept = [c for c in kept if ask.min_rating is None or (c.rating or 0.0) >= ask.min_rating]
    known = occurrence(graph)
    most = max((known[c.id] for c in kept), default=0) or 1
    rows = (
        (c, then(known[c.id], max(c.rating or 0.0, 0.0)), {"occurrence": known[c.id] / most}) for c in kept
    )
    return ranked(rows, "occurrence", ask.top_k)


# Communities whose reports are nearest to a text.


class CommunityVdbSearch(VectorSearch):
    """What to look for."""

    max_layer: int | None = Field(None, ge=0, description="finest level to look at; 0 is the coarsest")


@tool(
    needs="Community.id",
    optional="Community.level summary title",
    adds="Scored.score, Community.title summary rating",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Community.VDB (appendix B.1)",
)
def community_vdb_search(
    ask: CommunityVdbSearch, graph: GraphView, vectors: Vectors, embedder: Embedder
) -> list[Scored[Community]]:
    """Find the communities whose reports are nearest to the query (cosine)."""
    level = ask.max_layer
    keep = None if level is None else lambda id_: _community(graph, id_).level <= level
    hits = nearest("report", ask.query, ask.top_k, len(graph.reports), vectors, embedder, ask.threshold, keep)
    return ranked(((reported(graph, _community(graph, i)), score, {}) for i, score in hits), hits.scorer)


def _community(graph: GraphView, report_id: str) -> Community:
    found = community_of_report(graph).get(report_id)
    if found is None:
        raise UnknownItemError(f"Unknown report {report_id!r}.", hint="Index the corpus again.")
    return found


# Let a language model walk down the communities and keep those that bear on a question.

RATE = (
    "You are given short reports on parts of a collection. Score each from 0 to 1 by how much it helps to "
    "answer the question: 0 not at all, 1 it answers it. Give one mark for each report: its number, its "
    "score, and why in a few words."
)
INSTEAD = "communities are rated by the likeness of their reports to the question"
WORTH = 0.5
"""Without a model a community shares a word with the question, and is this share as like it as the likest."""


class CommunityAgentSelect(ToolInput):
    """The question, how far down to look, and what is relevant enough to look below."""

    query: Query
    max_layer: NonNegativeInt = Field(
        2,
        validation_alias=AliasChoices("max_layer", "max_level"),
        description="finest level to look at; 0 is the coarsest",
    )
    threshold: float = Field(0.2, gt=0, le=1, description="least score of a relevant community")
    keep_parents: bool = Field(False, description="keep a relevant community beside its relevant parts")
    batch: PositiveInt = Field(10, description="reports that the model rates in one call")
    report_tokens: PositiveInt = Field(300, description="tokens of a report that are read")
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    needs="Community.id level",
    optional="Community.parent_id title summary rating",
    adds="Scored.score, Community.title summary rating",
    cite="Li et al. 2024, dynamic community selection, Microsoft Research; microsoft/graphrag 3.1.2",
)
def community_agent_select(
    ask: CommunityAgentSelect, graph: GraphView, embedder: Embedder, llm: LanguageModel | None
) -> Noted[list[Scored[Community]]]:
    """Rate the coarsest communities for a question, then the parts of the relevant ones, and so on down.

    Where none of a level is relevant so far, all of the next are rated. Score is that of the model, or
    without one the likeness of the report to the question.
    """
    known = {community.id: reported(graph, community) for community in graph.communities}
    levels = sorted({c.level for c in known.values() if c.level <= ask.max_layer})
    relevant: dict[str, float] = {}
    warnings = [*query_cut(ask.query, llm)] if levels else [nothing("community")]
    trace = [] if levels else [warnings[0].message]
    wanted: set[str] = set()
    for level in levels:
        of_level = [c for id_, c in sorted(known.items()) if c.level == level]
        asked = [c for c in of_level if not relevant or c.id in wanted]
        judged, told = _rated(ask, asked, embedder, llm)
        warnings += [warning for warning in told if warning not in warnings]
        rated = [(c, judged.scores.get(at, 0.0), judged.why(at)) for at, c in enumerate(asked)]
        trace += [
            f"level {c.level} {c.title or c.id}: {score:.2f}, "
            f"{'relevant' if score >= ask.threshold else 'not relevant'}{why}"
            for c, score, why in rated
        ]
        chosen = {c.id: score for c, score, _ in rated if score >= ask.threshold}
        if not ask.keep_parents:
            for id_ in chosen:
                relevant.pop(known[id_].parent_id or "", None)
        relevant |= chosen
        wanted |= {id_ for id_, community in known.items() if community.parent_id in chosen}
    rows: list[Row[Community]] = [(known[id_], score, {}) for id_, score in relevant.items()]
    return Noted(
        data=ranked(rows, scorer(llm, warnings), ask.top_k),
        warnings=tuple(warnings),
        reasoning_trace="\n".join(trace),
    )


def _rated(
    ask: CommunityAgentSelect, asked: Sequence[Community], embedder: Embedder, llm: LanguageModel | None
) -> tuple[Judged, list[ToolWarning]]:
    """Return the scores of communities by place, and what there is to say about them.

    Without a model, of a batch, those are rated that share a word with the question and are not far less like
    it than the likest, between the threshold and 1.
    """
    texts = [cut(f"{c.title or ''}. {c.summary or ''}", ask.report_tokens) for c in asked]
    words = set(stems(ask.query))

    def by_likeness(places: range) -> dict[int, float]:
        alike = dict(zip(places, likeness(ask.query, [texts[at] for at in places], embedder), strict=True))
        most = WORTH * max(alike.values(), default=0.0)
        return {
            at: ask.threshold + (1 - ask.threshold) * score
            for at, score in alike.items()
            if score >= most and not words.isdisjoint(stems(texts[at]))
        }

    def prompt_of(places: range) -> Prompt:
        reports = numbered(texts[at] for at in places)
        return prompt(RATE, question(ask.query), fenced("Reports", reports))

    return judge_batches(llm, [c.id for c in asked], ask.batch, prompt_of, by_likeness, INSTEAD)
