"""Tools and questions on an index seen through a filter, and what is told beside the result."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from corpusgraph.flows.language import spent, stop_warning
from corpusgraph.flows.ports import IndexResources
from corpusgraph.schemas.errors import (
    CorpusgraphError,
    InvalidInputError,
    MissingAttributeError,
    UnknownEntityError,
    UnknownItemError,
)
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.results import Condition, DocumentFilter, Noted, ToolInput, ToolResult, ToolWarning
from corpusgraph.tasks.method.meter import Meter
from corpusgraph.tasks.registry import Tool
from corpusgraph.tasks.text.languages import UNDETERMINED, detect, language_name, languages_told

if TYPE_CHECKING:
    from corpusgraph.flows.store.opened import OpenIndex
    from corpusgraph.schemas.answer import AnswerResult
    from corpusgraph.schemas.study import Question

FEWEST_IN_LANGUAGE = 0.05
"""Share of the documents in a language from which questions in it are what the index is for."""
_NOT_THERE = frozenset({UnknownEntityError.code, UnknownItemError.code, MissingAttributeError.code})
"""Conditions that an index without a document meets whatever is asked of it."""


def call_tool(tool: Tool, ask: ToolInput, resources: Mapping[str, Any]) -> ToolResult:
    """Call a tool; under a filter that no document satisfies, a name that is not there is no error.

    Parameters
    ----------
    tool : Tool
        The tool.
    ask : ToolInput
        Its input.
    resources : mapping of str to Any
        Port -> what serves it.

    Returns
    -------
    ToolResult
        With the warnings of ports and language model first; an error of the package is in it, not raised.

    """
    try:
        told = warnings_of(resources)
    except CorpusgraphError:  # the tool meets it too, and its envelope tells it
        told = ()
    result = tool.call(ask, resources)
    if told and result.error is not None and result.error.code in _NOT_THERE:
        result = result.model_copy(update={"success": True, "error": None, "data": nothing(tool)})
    llm = resources.get("llm")
    more = {"usage": spent(llm).model_dump(mode="json", exclude={"stage"})} if isinstance(llm, Meter) else {}
    return result.model_copy(
        update={
            "warnings": (*stop_warning(llm), *told, *fallen_back(resources), *result.warnings),
            "metadata": {**result.metadata, **more},
        }
    )


def run_tool(tool: Tool, ask: ToolInput, resources: Mapping[str, Any]) -> Noted[Any]:
    """Run a tool as `call_tool` does; an error is raised.

    Parameters
    ----------
    tool : Tool
        The tool.
    ask : ToolInput
        Its input.
    resources : mapping of str to Any
        Port -> what serves it.

    Returns
    -------
    Noted[Any]
        With the warnings of ports and language model first.

    Raises
    ------
    CorpusgraphError
        What the tool raises, unless no document satisfies the filter and the error says that a name is not
        there.

    """
    told = warnings_of(resources)
    try:
        noted = tool.run(ask, resources)
    except CorpusgraphError as error:
        if not told or error.code not in _NOT_THERE:
            raise
        noted = Noted[Any](data=nothing(tool))
    told = (*stop_warning(resources.get("llm")), *told, *fallen_back(resources))
    return noted.model_copy(update={"warnings": (*told, *noted.warnings)})


def warnings_of(resources: Mapping[str, Any]) -> tuple[ToolWarning, ...]:
    """Return what is to be told of the ports themselves.

    Parameters
    ----------
    resources : mapping of str to Any
        Port -> what serves it.

    Returns
    -------
    tuple of ToolWarning
        Empty unless they are the ports of an index.

    """
    return resources.warnings if isinstance(resources, IndexResources) else ()


def fallen_back(resources: Mapping[str, Any]) -> tuple[ToolWarning, ...]:
    """Return what is to be told after a call: that full-text search answered in the place of vectors.

    Parameters
    ----------
    resources : mapping of str to Any
        Port -> what serves it.

    Returns
    -------
    tuple of ToolWarning
        Empty unless they are the ports of an index.

    """
    return resources.fallen_back if isinstance(resources, IndexResources) else ()


def nothing(tool: Tool) -> Any:
    """Return a result of the tool's type that holds nothing: an empty list, an empty graph; else None.

    Parameters
    ----------
    tool : Tool
        The tool.

    Returns
    -------
    list, mapping, model or None
        Valid as the tool's output, but for None.

    """
    output = TypeAdapter(tool.output)
    empties: tuple[Any, ...] = ([], {})
    for empty in empties:
        try:
            return output.validate_python(empty)
        except ValidationError:
            continue
    return None


def answer(
    opened: "OpenIndex", question: "Question", base: Path | None = None, llm: LanguageModel | None = None
) -> "AnswerResult":
    """Answer a question from the documents that its filter, and its method's, allow.

    With a language model, it writes the answer and does what the method leaves to one; `usage` says what that
    took, and a warning tells where it was not asked to the end.

    Parameters
    ----------
    opened : OpenIndex
        The index.
    question : Question
        With its filter and its method.
    base : Path, optional
        The folder that the path of a method starts from.
    llm : LanguageModel, optional
        Writes the answer, and does what the method leaves to one.

    Returns
    -------
    AnswerResult
        Text, citations, passages and warnings.

    Raises
    ------
    InvalidInputError
        Where the question and its method filter by the same field.
    UnknownMethodError
        For a method that there is not.

    """
    from corpusgraph.flows.retrieve import DEFAULT, answer_question, method_named

    meter = None if llm is None else Meter(llm)
    of_method = None if question.method == DEFAULT else method_named(question.method, base).method.filter
    resources = IndexResources(opened, both(question.filter, of_method), meter)
    found = answer_question(resources.index, resources["embedder"], question, resources=resources, base=base)
    warnings = (
        *stop_warning(llm),
        *other_language(question.ask, opened.manifest.languages),
        *resources.warnings,
        *resources.fallen_back,
        *found.warnings,
    )
    told: dict[str, Any] = {"warnings": warnings}
    if meter is not None:
        told["usage"] = spent(meter)
    return found.model_copy(update=told)


def other_language(question: str, languages: Mapping[str, int]) -> tuple[ToolWarning, ...]:
    """Warn of a question in a language that next to none of an index's documents are in.

    `languages` are the documents by language. Words of two languages seldom match, so that little is found.

    Parameters
    ----------
    question : str
        Its text.
    languages : mapping of str to int
        Code of a language -> documents.

    Returns
    -------
    tuple of ToolWarning
        `question_language`, or nothing.

    """
    known = {code: n for code, n in languages.items() if code != UNDETERMINED}
    asked = detect(question) if known else None
    if asked is None or known.get(asked, 0) >= FEWEST_IN_LANGUAGE * sum(known.values()):
        return ()
    message = (
        f"The question is in {language_name(asked)}, the documents are in another language "
        f"({languages_told(known)}): ask in {language_name(next(iter(known)))} to find more."
    )
    return (ToolWarning(code="question_language", message=message, records=(asked, *known)),)


def both(one: DocumentFilter | None, other: DocumentFilter | None) -> dict[str, Condition]:
    """Join two filters; a field that both are about is InvalidInputError.

    Parameters
    ----------
    one, other : DocumentFilter or None
        None for no filter.

    Returns
    -------
    dict of str to Condition
        Field -> condition.

    Raises
    ------
    InvalidInputError
        Where both are about one field.

    """
    twice = sorted((one or {}).keys() & (other or {}).keys())
    if twice:
        raise InvalidInputError(
            f"The question and its method both filter by {twice[0]!r}.", hint="Leave one of the two out."
        )
    return {**(one or {}), **(other or {})}
