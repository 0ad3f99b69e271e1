"""Whether what was found is enough to answer."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, PositiveInt

from corpusgraph.schemas.answer import Sufficiency
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning
from corpusgraph.tasks.answer.context import Chunks, Paths, Relationships
from corpusgraph.tasks.answer.extractive import COVERED, covered
from corpusgraph.tasks.extract.query_names import query_names
from corpusgraph.tasks.extract.question import LONGEST, without
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.graph.path_inputs import path_of
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.graph.verbal import verbalise, verbalise_path
from corpusgraph.tasks.llm.prompting import (
    Said,
    ask_all,
    cut,
    cut_warning,
    fenced,
    llm_failed,
    no_llm,
    prompt,
    query_cut,
    question,
)
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.text.words import spaced, stems

SUFFICE = (
    "Decide whether the evidence, with what everyone knows, is enough to answer the question. Say true or "
    "false, and in one sentence why: what answers it, or what is missing."
)
INSTEAD = f"evidence is enough where it holds {COVERED:.0%} of what the question asks beside its names"


class QuerySufficiency(ToolInput):
    """The question and the evidence for an answer."""

    query: Query
    paths: Annotated[Paths, Reads("paths")] = Field(
        default_factory=list, description="paths through the graph"
    )
    relationships: Annotated[Relationships, Reads("relationships")] = Field(
        default_factory=list, description="relationships found"
    )
    chunks: Annotated[Chunks, Reads("chunks")] = Field(default_factory=list, description="passages read")
    max_context_tokens: PositiveInt = Field(4000, description="the evidence is read until these are spent")


class Verdict(Said):
    """Whether the evidence is enough, and why."""

    sufficient: bool
    reason: str = ""


@tool(
    writes="sufficiency",
    optional={
        "Entity.name",
        "Relationship.type",
        "Relationship.source_id",
        "Relationship.target_id",
        "Chunk.content",
    },
    adds={"Sufficiency.sufficient", "Sufficiency.reason", "Sufficiency.coverage"},
    cite="Sun et al. 2024, arXiv:2307.07697 (Think-on-Graph)",
)
def query_sufficiency(
    ask: QuerySufficiency, graph: GraphView, llm: LanguageModel | None
) -> Noted[Sufficiency]:
    """Tell whether the evidence is enough to answer the question, and why; no evidence never is."""
    evidence = _evidence(ask, graph)
    if not evidence:
        return _noted(Sufficiency(sufficient=False, reason="There is no evidence."))
    short = query_cut(ask.query, llm, rules=LONGEST)
    if llm is None:
        return _noted(_by_coverage(ask.query, evidence), *short, no_llm(INSTEAD))
    text = "\n".join(evidence)
    shown = cut(text, ask.max_context_tokens)
    warnings = [*short]
    if shown != text:
        warnings.append(cut_warning("The evidence", ask.max_context_tokens))
    asked = prompt(SUFFICE, question(ask.query), fenced("Evidence", shown))
    reply = ask_all(llm, [asked], Verdict)[0]
    if reply.value is None:
        warnings.append(llm_failed(reply.error or "", INSTEAD))
        return _noted(_by_coverage(ask.query, evidence), *warnings)
    verdict = Sufficiency(sufficient=reply.value.sufficient, reason=reply.value.reason)
    return _noted(verdict, *warnings)


def _noted(verdict: Sufficiency, *warnings: ToolWarning) -> Noted[Sufficiency]:
    why = verdict.reason or (
        "The evidence is enough." if verdict.sufficient else "The evidence is not enough."
    )
    return Noted(data=verdict, warnings=warnings, reasoning_trace=why)


def _evidence(ask: QuerySufficiency, graph: GraphView) -> list[str]:
    """Return the evidence in lines, each once: paths, relationships, passages."""
    edges = [r if isinstance(r, Relationship) else graph.relationship(r) for r in ask.relationships]
    chunks = [c if isinstance(c, Chunk) else graph.chunk(c) for c in ask.chunks]
    paths = [path_of(graph, path) for path in ask.paths if path.node_ids]
    lines = [verbalise_path(graph, path) for path in paths]
    lines += [verbalise(graph, edge) for edge in edges]
    lines += [chunk.content for chunk in chunks]
    return list(dict.fromkeys(line for line in lines if line.strip()))


def _by_coverage(query: str, evidence: Sequence[str]) -> Sufficiency:
    """Judge by the words: what stands next to a name is found with the name, and says little by itself."""
    asked = query[:LONGEST]
    names = query_names(asked)
    said = spaced(" ".join(evidence))
    unnamed = [name for name in names if spaced(name) not in said]
    if names and len(unnamed) == len(names):
        return Sufficiency(
            sufficient=False, reason=f"The evidence does not name {', '.join(names)}.", coverage=0.0
        )
    beside = without(asked, names)
    wanted = beside if stems(beside) else asked
    held = frozenset(stems(" ".join(evidence)))
    share = round(covered(stems(wanted), held, Bm25(evidence).rarity), 6)
    missing = [stem for stem in dict.fromkeys(stems(wanted)) if stem not in held]
    lack = f"; missing: {', '.join(missing[:10])}" if missing else ""
    return Sufficiency(
        sufficient=share >= COVERED,
        reason=f"The evidence holds {share:.0%} of what is asked{lack}.",
        coverage=share,
    )
