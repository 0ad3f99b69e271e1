"""Tool 17: let a language model keep the paths that help to answer a question."""

from typing import Annotated

from pydantic import AliasChoices, BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.graph import EntityRef, Path
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, Scored, ToolInput
from corpusgraph.tasks.graph.inputs import Query, path_of, paths_given
from corpusgraph.tasks.graph.ranking import likeness
from corpusgraph.tasks.graph.verbal import verbalise_path
from corpusgraph.tasks.llm.judging import judge_batches
from corpusgraph.tasks.llm.prompting import (
    fenced,
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
    judged, warnings = judge_batches(
        llm,
        lines,
        PER_CALL,
        lambda at: prompt(FILTER, question(ask.query), fenced("Paths", numbered(lines[at.start : at.stop]))),
        lambda at: dict(zip(at, likeness(ask.query, lines[at.start : at.stop], embedder), strict=True)),
        INSTEAD,
    )
    order = [
        at for at in sorted(judged.scores, key=lambda at: (-judged.scores[at], at)) if judged.scores[at] > 0
    ]
    by = scorer(llm, warnings)
    data = [
        Scored[Path](item=paths[at], score=judged.scores[at], rank=rank, scorer=by)
        for rank, at in enumerate(order[: ask.max_paths], start=1)
    ]
    trace = "\n".join(f"{lines[at]}: {score:.2f}{judged.why(at)}" for at, score in judged.scores.items())
    return Noted(data=data, warnings=(*query_cut(ask.query, llm), *warnings), reasoning_trace=trace)
