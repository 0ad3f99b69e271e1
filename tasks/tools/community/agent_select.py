"""Let a language model walk down the communities and keep those that bear on a question."""

from collections.abc import Mapping, Sequence

from pydantic import AliasChoices, Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.graph import Community
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning
from corpusgraph.tasks.graph.communities import reported
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.graph.ranking import Row, ranked
from corpusgraph.tasks.graph.similarity import likeness
from corpusgraph.tasks.llm.judging import judge, judging_warnings
from corpusgraph.tasks.llm.prompting import (
    cut,
    fenced,
    no_llm,
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
        scores, reasons, told = _rated(ask, asked, embedder, llm)
        warnings += [warning for warning in told if warning not in warnings]
        trace += _traced(ask, asked, scores, reasons)
        wanted |= _go_down(ask, asked, scores, known, relevant)
    rows: list[Row[Community]] = [(known[id_], score, {}) for id_, score in relevant.items()]
    return Noted(
        data=ranked(rows, scorer(llm, warnings), ask.top_k),
        warnings=tuple(warnings),
        reasoning_trace="\n".join(trace),
    )


def _traced(
    ask: CommunityAgentSelect,
    asked: Sequence[Community],
    scores: Mapping[str, float],
    reasons: Mapping[str, str],
) -> list[str]:
    """Return in words how each community was rated, and whether the walk goes below it."""
    lines = []
    for community in asked:
        score = scores.get(community.id, 0.0)
        why = f" ({reasons[community.id]})" if reasons.get(community.id) else ""
        goes_on = "relevant" if score >= ask.threshold else "not relevant"
        lines.append(
            f"level {community.level} {community.title or community.id}: {score:.2f}, {goes_on}{why}"
        )
    return lines


def _go_down(
    ask: CommunityAgentSelect,
    asked: Sequence[Community],
    scores: Mapping[str, float],
    known: Mapping[str, Community],
    relevant: dict[str, float],
) -> set[str]:
    """Add what is relevant of a level, each in place of its parent; return the parts to rate next."""
    found = [community for community in asked if scores.get(community.id, 0.0) >= ask.threshold]
    if not ask.keep_parents:
        for community in found:
            relevant.pop(community.parent_id or "", None)
    relevant.update((community.id, scores[community.id]) for community in found)
    kept = {community.id for community in found}
    return {id_ for id_, community in known.items() if community.parent_id in kept}


def _rated(
    ask: CommunityAgentSelect, asked: Sequence[Community], embedder: Embedder, llm: LanguageModel | None
) -> tuple[dict[str, float], dict[str, str], list[ToolWarning]]:
    """Return the score of each community, the model's reasons, and what there is to say about it."""
    texts = [cut(f"{c.title or ''}. {c.summary or ''}", ask.report_tokens) for c in asked]
    if llm is None or not asked:
        return _by_likeness(ask, asked, texts, embedder), {}, [no_llm(INSTEAD)] if llm is None else []
    batches = [slice(at, at + ask.batch) for at in range(0, len(asked), ask.batch)]
    prompts = [_prompt(ask.query, texts[batch]) for batch in batches]
    judged = judge(llm, prompts, [len(texts[batch]) for batch in batches])
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for batch, one in zip(batches, judged, strict=True):
        if one.error is not None:
            scores |= _by_likeness(ask, asked[batch], texts[batch], embedder)
        scores |= {asked[batch][at].id: score for at, score in one.scores.items()}
        reasons |= {asked[batch][at].id: why for at, why in one.reasons.items()}
    ids = [[community.id for community in asked[batch]] for batch in batches]
    return scores, reasons, judging_warnings(judged, ids, INSTEAD)


def _prompt(query: str, texts: Sequence[str]) -> Prompt:
    return prompt(RATE, question(query), fenced("Reports", numbered(texts)))


def _by_likeness(
    ask: CommunityAgentSelect, communities: Sequence[Community], texts: Sequence[str], embedder: Embedder
) -> dict[str, float]:
    """Rate those that share a word with the question and are not far less like it than the likest.

    The scores lie between the threshold and 1.
    """
    alike = likeness(ask.query, texts, embedder)
    most, words = max(alike, default=0.0), set(stems(ask.query))
    return {
        community.id: ask.threshold + (1 - ask.threshold) * score
        for community, text, score in zip(communities, texts, alike, strict=True)
        if score >= WORTH * most and not words.isdisjoint(stems(text))
    }
