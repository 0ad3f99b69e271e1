"""Tool 17: let a language model keep the paths that help to answer a question."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AliasChoices, BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.graph import EntityRef, Path
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.graph.path_inputs import path_of, paths_given
from corpusgraph.tasks.graph.similarity import likeness
from corpusgraph.tasks.graph.verbal import verbalise_path
from corpusgraph.tasks.llm.judging import judge, judging_warnings
from corpusgraph.tasks.llm.prompting import (
    fenced,
    no_llm,
    nothing,
    numbered,
    prompt,
    query_cut,
    question,
    scorer,
)
from corpusgraph.tasks.registry import Reads, tool

FILTER = (
    "You answer questions over a knowledge graph. Each line is a path through the graph. Score each path "
    "from 0 to 1 by how much its facts help to answer the question. Give one mark for each path: its number, "
    "its score, and why in a few words."
)
INSTEAD = "paths are kept by their likeness to the question"
PER_CALL = 40
"""Paths that the model sees at once."""


class SubgraphAgentFilter(ToolInput):
    """The paths and the question."""

    paths: Annotated[list[Path | list[EntityRef]], BeforeValidator(paths_given), Reads("paths")] = Field(
        description="paths, or lists of entities that follow each other; may be empty"
    )
    query: Query
    max_paths: PositiveInt = Field(
        5, validation_alias=AliasChoices("max_paths", "top_k", "limit"), description="how many paths at most"
    )


@tool(
    17,
    writes="paths",
    needs={"Entity.id", "Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Entity.name", "Relationship.type"},
    adds={"Scored.score"},
    cite="Li et al. 2024, arXiv:2405.04819 (DALK); Zhou et al. 2025, arXiv:2503.04338, Subgraph.AgentPath",
    aliases=("T65",),
)
def subgraph_agent_filter(
    ask: SubgraphAgentFilter, graph: GraphView, embedder: Embedder, llm: LanguageModel | None
) -> Noted[list[Scored[Path]]]:
    """Keep the paths that help to answer a question, best first; the score is their relevance from 0 to 1.

    What the model scores 0 is not kept. Without a model, its likeness to the question decides.
    """
    paths = list(dict.fromkeys(path_of(graph, given) for given in ask.paths))
    if not paths:
        none = nothing("path")
        return Noted(data=[], warnings=(none,), reasoning_trace=none.message)
    lines = [verbalise_path(graph, path) for path in paths]
    scores, reasons, warnings = _scored(ask.query, lines, embedder, llm)
    order = sorted((at for at in scores if scores[at] > 0), key=lambda at: (-scores[at], at))[: ask.max_paths]
    by = scorer(llm, warnings)
    kept = [
        Scored[Path](item=paths[at], score=scores[at], rank=rank, scorer=by)
        for rank, at in enumerate(order, start=1)
    ]
    trace = [
        f"{lines[at]}: {scores[at]:.2f}{f' ({why})' if (why := reasons.get(at)) else ''}" for at in scores
    ]
    return Noted(
        data=kept, warnings=(*query_cut(ask.query, llm), *warnings), reasoning_trace="\n".join(trace)
    )


def _scored(
    query: str, lines: Sequence[str], embedder: Embedder, llm: LanguageModel | None
) -> tuple[dict[int, float], dict[int, str], list[ToolWarning]]:
    """Return scores and reasons by place, from the model in batches, or by likeness."""
    if llm is None:
        return dict(enumerate(likeness(query, lines, embedder))), {}, [no_llm(INSTEAD)]
    batches = [range(at, min(at + PER_CALL, len(lines))) for at in range(0, len(lines), PER_CALL)]
    texts = [numbered(lines[at] for at in batch) for batch in batches]
    prompts = [prompt(FILTER, question(query), fenced("Paths", text)) for text in texts]
    judged = judge(llm, prompts, [len(batch) for batch in batches])
    warnings = judging_warnings(judged, [[lines[at] for at in batch] for batch in batches], INSTEAD)
    scores: dict[int, float] = {}
    reasons: dict[int, str] = {}
    for batch, one in zip(batches, judged, strict=True):
        if one.error is not None:
            alike = likeness(query, [lines[at] for at in batch], embedder)
            scores |= dict(zip(batch, alike, strict=True))
        scores |= {batch[at]: one.scores[at] for at in sorted(one.scores)}
        reasons |= {batch[at]: why for at, why in one.reasons.items()}
    return scores, reasons, warnings
