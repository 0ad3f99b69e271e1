"""Keep the facts that bear on a question: HippoRAG 2's recognition memory."""

from collections.abc import Sequence

from pydantic import Field

from corpusgraph.schemas.graph import EntityRef, Relationship
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, Scored, ToolWarning
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.graph.words import stems
from corpusgraph.tasks.query.judging import ItemNumber, unknown_ids
from corpusgraph.tasks.query.likeness import likeness
from corpusgraph.tasks.query.prompting import (
    Said,
    ask_all,
    fenced,
    llm_failed,
    no_llm,
    nothing,
    numbered,
    prompt,
    question,
    scorer,
)
from corpusgraph.tasks.query.verbal import verbalise

RECOGNISE = (
    "You answer questions over a knowledge graph. Give the numbers of the facts that bear on the question "
    "or on a step towards its answer, and leave out the others; none may remain. Say why in a sentence."
)
INSTEAD = "facts are kept that share a word with the question and are at least half as like it as the likest"
WORTH = 0.5
"""Without a model, a fact must be this share as like the question as the likest fact."""


class Recognised(Said):
    """The facts that bear on the question."""

    facts: tuple[ItemNumber, ...] = Field(description="numbers of the facts; may be empty")
    why: str = ""


def recognise(
    query: str,
    relationships: list[EntityRef] | dict[EntityRef, float],
    graph: GraphView,
    embedder: Embedder,
    llm: LanguageModel | None,
    *,
    most: int,
) -> Noted[list[Scored[Relationship]]]:
    """Return the relationships that bear on the question with the scores they had, or 1 / (1 + place)."""
    facts = _facts(graph, relationships)
    if not facts:
        none = nothing("relationship")
        return Noted(data=[], warnings=(none,), reasoning_trace=none.message)
    lines = [verbalise(graph, edge) for edge, _ in facts]
    kept, warnings, why = _kept(query, lines, embedder, llm)
    rows = ((facts[at][0], facts[at][1], {"place": at + 1.0}) for at in kept)
    data = ranked(rows, scorer(llm, warnings), most)
    trace = [f"{line}: {'kept' if at in kept else 'left out'}" for at, line in enumerate(lines)]
    return Noted(data=data, warnings=tuple(warnings), reasoning_trace=why or "\n".join(trace))


def _facts(
    graph: GraphView, given: list[EntityRef] | dict[EntityRef, float]
) -> list[tuple[Relationship, float]]:
    pairs = (
        given.items() if isinstance(given, dict) else ((ref, 1 / (1 + at)) for at, ref in enumerate(given))
    )
    found: dict[str, tuple[Relationship, float]] = {}
    for ref, score in pairs:
        edge = graph.relationship(ref)
        found.setdefault(edge.id, (edge, score))
    return list(found.values())


def _kept(
    query: str, lines: Sequence[str], embedder: Embedder, llm: LanguageModel | None
) -> tuple[list[int], list[ToolWarning], str | None]:
    """Return the places of the facts to keep, warnings, and why."""
    if llm is None:
        return _by_likeness(query, lines, embedder), [no_llm(INSTEAD)], None
    asked = prompt(RECOGNISE, question(query), fenced("Facts", numbered(lines)))
    reply = ask_all(llm, [asked], Recognised, lambda _, said: _wrong(said, len(lines)))[0]
    if reply.value is None:
        return _by_likeness(query, lines, embedder), [llm_failed(reply.error or "", INSTEAD)], None
    named = list(dict.fromkeys(reply.value.facts))
    strange = [number for number in named if not 1 <= number <= len(lines)]
    kept = [number - 1 for number in named if 1 <= number <= len(lines)]
    return kept, unknown_ids(strange), reply.value.why or None


def _wrong(said: Recognised, n: int) -> str | None:
    """Accept a reply that names a fact, or none at all."""
    if not said.facts or any(1 <= number <= n for number in said.facts):
        return None
    return f"No fact has such a number: they are numbered from 1 to {n}; name none where none helps."


def _by_likeness(query: str, lines: Sequence[str], embedder: Embedder) -> list[int]:
    alike, asked = likeness(query, lines, embedder), set(stems(query))
    least = WORTH * max(alike)
    return [at for at, line in enumerate(lines) if alike[at] >= least and not asked.isdisjoint(stems(line))]
