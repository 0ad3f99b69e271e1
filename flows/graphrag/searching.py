"""Asking an index in a tool's mode, and telling the answer the way the contract formats it."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from corpusgraph.flows.graphrag.models import SearchResult
from corpusgraph.flows.graphrag.modes import MODES, method_of
from corpusgraph.schemas.answer import AnswerResult, ContextPiece, PieceKind
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.study import Question

if TYPE_CHECKING:
    from corpusgraph.flows.resources.opened import OpenIndex

MOST_SOURCES = 5
_MARKS = re.compile(r"(?:\[\d+\])+")
_NUMBER = re.compile(r"\d+")


def ask(
    opened: "OpenIndex", query: str, mode: str, level: int, llm: LanguageModel | None = None
) -> AnswerResult:
    """Answer a question by the method of a mode. InvalidInputError for an empty question."""
    from corpusgraph.flows.asking import answer
    from corpusgraph.flows.language import spent, stop_warning
    from corpusgraph.flows.ports import IndexResources
    from corpusgraph.flows.retrieve import DEFAULT, by_method
    from corpusgraph.flows.studies import made
    from corpusgraph.tasks.method.meter import Meter

    question = made(Question, "search", {"ask": query, "method": MODES.get(mode, mode)})
    if question.method == DEFAULT:
        return answer(opened, question, llm=llm)
    meter = None if llm is None else Meter(llm)
    check = method_of(mode, level)
    resources = IndexResources(opened, check.method.filter, meter)
    found = by_method(check, question, resources)
    usage = {} if meter is None else {"usage": spent(meter)}
    warnings = (*stop_warning(llm), *resources.warnings, *resources.fallen_back, *found.warnings)
    return found.model_copy(update={"warnings": warnings, **usage})


def result_of(answer: AnswerResult, mode: str, sources: Mapping[str, str]) -> SearchResult:
    """Return an answer as the contract has it; `sources` are paths of documents by their ids.

    The marks [n] of the response count the sources: two sentences of one document have one mark. A line
    break in the name of a file becomes a space, so that it adds no line to the formatted text.
    """
    named = [sources.get(citation.document_id, citation.document_title) for citation in answer.citations]
    distinct = list(dict.fromkeys(named))
    numbers = {n: distinct.index(name) + 1 for n, name in enumerate(named, start=1)}
    pieces = answer.context.pieces if answer.context is not None else ()
    entities = used(pieces, "entity") or {scored.item.id for scored in answer.entities}
    return SearchResult(
        response=renumbered(answer.text, numbers),
        sources=tuple(" ".join(name.splitlines()) for name in distinct),
        entities_used=len(entities),
        communities_used=len(used(pieces, "community")),
        search_mode=mode,
        written_by=answer.method,
        warnings=answer.warnings,
    )


def used(pieces: Iterable[ContextPiece], kind: PieceKind) -> set[str]:
    """Return the ids of the pieces of a kind that an answer was made from."""
    return {piece.id for piece in pieces if piece.kind == kind}


def renumbered(text: str, numbers: Mapping[int, int]) -> str:
    """Replace the numbers of citations in a text by those of their documents, each once in a row of marks."""

    def mark(found: re.Match[str]) -> str:
        said = [int(number) for number in _NUMBER.findall(found[0])]
        kept = dict.fromkeys(numbers.get(number, number) for number in said)
        return "".join(f"[{number}]" for number in kept)

    return _MARKS.sub(mark, text)


def format_result(result: SearchResult) -> str:
    """Write a result as section 9 of the contract does: mode, response, what it used, five sources."""
    used_of_it = f"Entities: {result.entities_used} | Communities: {result.communities_used}"
    lines = [
        f"**GraphRAG {result.search_mode.title()} Search Result**",
        "",
        result.response,
        "",
        "---",
        f"*Mode: {result.search_mode} | {used_of_it}*",
    ]
    if result.sources:
        lines += ["", "**Sources:**", *(f"- {source}" for source in result.sources[:MOST_SOURCES])]
    return "\n".join(lines)


_format_result = format_result
"""The contract's own name for it."""
