"""Answer a question from an index by a method, call a tool on it, and tell what is to be told beside."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import TypeAdapter, ValidationError

from corpusgraph.flows.files.yaml_file import is_path
from corpusgraph.flows.language import spent, stop_warning
from corpusgraph.flows.methods import load_method
from corpusgraph.flows.ports import IndexResources
from corpusgraph.schemas.answer import Answer, AnswerResult
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import (
    CorpusgraphError,
    InvalidInputError,
    MissingAttributeError,
    UnknownEntityError,
    UnknownItemError,
)
from corpusgraph.schemas.method import MethodCheck, MethodResult, Step
from corpusgraph.schemas.ports import Corpus, Embedder, LanguageModel, Vectors
from corpusgraph.schemas.results import (
    Condition,
    DocumentFilter,
    Noted,
    Scored,
    ToolInput,
    ToolResult,
    ToolWarning,
    warned,
)
from corpusgraph.schemas.study import Question
from corpusgraph.tasks.answer.extractive import METHOD, DatedEvents
from corpusgraph.tasks.method.meter import Meter
from corpusgraph.tasks.registry import Tool, find
from corpusgraph.tasks.text.languages import UNDETERMINED, detect, language_name, languages_told

if TYPE_CHECKING:
    from corpusgraph.flows.store.opened import OpenIndex

DEFAULT = "default"


class Index(Corpus, Vectors, DatedEvents, Protocol):
    """An opened generation of an index: evidence, graph and search."""


def method_named(name: str, base: Path | None = None) -> MethodCheck:
    """Return a method that can run, by name or path of a file.

    Parameters
    ----------
    name : str
        Name of a method, or path of its file.
    base : Path, optional
        Where paths start.

    Returns
    -------
    MethodCheck
        Remembered until the file changes.

    Raises
    ------
    UnknownMethodError, MethodFileError, MethodCheckError

    """
    path = base / name if base is not None and is_path(name) else Path(name)
    changed = path.stat().st_mtime_ns if is_path(name) and path.is_file() else 0
    return _method_of(name, base, changed)


@lru_cache(maxsize=64)
def _method_of(name: str, base: Path | None, _changed: int) -> MethodCheck:
    from corpusgraph.tasks.method.check import checked

    return checked(load_method(name, base))


def answer_question(
    index: Index,
    embedder: Embedder,
    question: Question,
    *,
    resources: Mapping[str, Any] | None = None,
    base: Path | None = None,
) -> AnswerResult:
    """Answer a question by its method, with a citation for every sentence.

    Parameters
    ----------
    index : Index
        An opened generation.
    embedder : Embedder
        Makes vectors of questions.
    question : Question
        With method and `top_k`; its filter is not applied here (see `flows.answer`).
    resources : mapping of str to Any, optional
        The ports of tools; those of the index unless given.
    base : Path, optional
        Where the path of a method starts.

    Returns
    -------
    AnswerResult
        Text, citations, passages, warnings and the steps of the method.

    Raises
    ------
    InvalidInputError
        For an empty question.
    UnknownMethodError, MethodFileError
        For a method that there is not, or cannot be read.
    MethodCheckError
        For a method that cannot run.

    """
    ports = resources or {"graph": index.graph, "vectors": index, "corpus": index, "embedder": embedder}
    return by_method(_check_of(question, base), question, ports)


def _check_of(question: Question, base: Path | None) -> MethodCheck:
    return _reading(question.top_k) if question.method == DEFAULT else method_named(question.method, base)


def by_method(check: MethodCheck, question: Question, resources: Mapping[str, Any]) -> AnswerResult:
    """Answer by a method that was checked.

    What a method hands to the answer may be a few sentences of its reports or triples: where these do not
    answer, and there is no language model, the passages that it led to are read themselves.

    Parameters
    ----------
    check : MethodCheck
        The method.
    question : Question
        What is asked.
    resources : mapping of str to Any
        The ports of tools.

    Returns
    -------
    AnswerResult
        With warnings that say why there is no answer, where there is none.

    """
    from corpusgraph.tasks.method.run import run_method

    found = run_method(check, question.ask, resources)
    answer = found.answer or Answer(query=question.ask, text="", method="none", supported=False)
    passages = found.passages[: question.top_k]
    if passages and answer.method == METHOD and not answer.supported and resources.get("llm") is None:
        found, answer = _reread(question, found, answer, resources)
    return _told(found, answer, passages)


def _reread(
    question: Question, found: MethodResult, declined: Answer, resources: Mapping[str, Any]
) -> tuple[MethodResult, Answer]:
    """Answer from the passages themselves, which a warning tells; where they do not, change nothing."""
    passages = found.passages[: question.top_k]
    given = {"query": question.ask, "chunks": [scored.item for scored in passages]}
    answer: Answer = find("generate_answer").run(given, resources).data
    if not answer.supported:
        return found, declined
    message = (
        f"What the method put together does not answer: the {len(passages)} passages it led to were read."
    )
    ids = tuple(scored.item.id for scored in passages)
    warning = ToolWarning(code="passages_read", message=message, records=ids)
    return found.model_copy(update={"warnings": (*found.warnings, warning)}), answer.model_copy(
        update={"context": declined.context}
    )


def _told(found: MethodResult, answer: Answer, passages: Sequence[Scored[Chunk]]) -> AnswerResult:
    """Return the answer; one that declines with the step that was empty, and the passages read in vain."""
    from corpusgraph.tasks.method.run import empty_step

    warnings = found.warnings
    if not answer.supported and (empty := empty_step(found.trace)):
        warnings += (empty,)
    message = f"{len(passages)} passages were read, but what fits the question best does not answer it."
    in_vain = not answer.supported and passages and answer.method == METHOD
    warnings += warned("poor_fit", message, (scored.item.id for scored in passages), when=in_vain)
    return AnswerResult(
        **dict(answer),
        retrieval=found.method,
        mode=(passages[0].scorer if passages else None) or "",
        passages=tuple(passages),
        entities=found.entities,
        usage=found.usage,
        warnings=warnings,
        trace=found.trace,
    )


@lru_cache(maxsize=64)
def _reading(top_k: int) -> MethodCheck:
    """Return the method `default` with so many passages."""
    check = method_named(DEFAULT)
    steps = tuple(
        step.model_copy(update={"inputs": {**step.inputs, "top_k": top_k}})
        if isinstance(step, Step) and "top_k" in step.inputs
        else step
        for step in check.method.steps
    )
    return check.model_copy(update={"method": check.method.model_copy(update={"steps": steps})})


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
        told = getattr(resources, "warnings", ())
    except CorpusgraphError:  # the tool meets it too, and its envelope tells it
        told = ()
    result = tool.call(ask, resources)
    if told and result.error is not None and result.error.code in _NOT_THERE:
        result = result.model_copy(update={"success": True, "error": None, "data": nothing(tool)})
    llm = resources.get("llm")
    more = {"usage": spent(llm).model_dump(mode="json", exclude={"stage"})} if isinstance(llm, Meter) else {}
    return result.model_copy(
        update={
            "warnings": (*stop_warning(llm), *told, *getattr(resources, "fallen_back", ()), *result.warnings),
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
    told = getattr(resources, "warnings", ())
    try:
        noted = tool.run(ask, resources)
    except CorpusgraphError as error:
        if not told or error.code not in _NOT_THERE:
            raise
        noted = Noted[Any](data=nothing(tool))
    told = (*stop_warning(resources.get("llm")), *told, *getattr(resources, "fallen_back", ()))
    return noted.model_copy(update={"warnings": (*told, *noted.warnings)})


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
    output, empties = TypeAdapter[Any](tool.output), list[Any]([[], {}])
    for empty in empties:
        with suppress(ValidationError):
            return output.validate_python(empty)
    return None


def answer(
    opened: "OpenIndex",
    question: Question,
    base: Path | None = None,
    llm: LanguageModel | None = None,
    check: MethodCheck | None = None,
) -> AnswerResult:
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
    check : MethodCheck, optional
        The method, where it is not the one that the question names.

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
    meter = None if llm is None else Meter(llm)
    check = check or _check_of(question, base)
    resources = IndexResources(opened, both(question.filter, check.method.filter), meter)
    found = by_method(check, question, resources)
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
