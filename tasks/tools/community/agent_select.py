"""Let a language model walk down the communities and keep those that bear on a question."""

from collections.abc import Sequence

from pydantic import AliasChoices, Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.graph import Community
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning
from corpusgraph.tasks.graph.communities import reported
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.graph.ranking import Row, likeness, ranked
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
    writes="communities",
    needs={"Community.id", "Community.level"},
    optional={"Community.parent_id", "Community.title", "Community.summary", "Community.rating"},
    adds={"Scored.score", "Community.title", "Community.summary", "Community.rating"},
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
