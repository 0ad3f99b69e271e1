"""Answer a question from an index: by a method, its answer cited, and why there is none."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from corpusgraph.flows.files.yaml_file import is_path
from corpusgraph.flows.methods import load_method
from corpusgraph.schemas.answer import Answer, AnswerResult
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.evidence import Event
from corpusgraph.schemas.method import MethodCheck, MethodResult, Step
from corpusgraph.schemas.ports import Corpus, Embedder, Vectors
from corpusgraph.schemas.results import Scored, ToolWarning
from corpusgraph.schemas.study import Question
from corpusgraph.tasks.answer.extractive import METHOD

DEFAULT = "default"


class Index(Corpus, Vectors, Protocol):
    """An opened generation of an index: evidence, graph and search."""

    def dated(self, *, chunks: Collection[str] = (), time: str = "") -> Sequence[Event]:
        """Return the events that some chunks state, and those whose timestamps begin with a time, if any.

        Parameters
        ----------
        chunks : collection of str
            Ids of chunks.
        time : str
            How a timestamp begins, such as 1854-09; nothing: no events by time.

        Returns
        -------
        sequence of Event
            Each once.

        """
        ...


def check_method(name: str, base: Path | None = None) -> None:
    """Raise for a method that there is not, cannot be read or cannot run.

    Parameters
    ----------
    name : str
        Name of a method, or path of its file.
    base : Path, optional
        Where paths start.

    Raises
    ------
    UnknownMethodError, MethodFileError, MethodCheckError

    """
    method_named(name, base)


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
    if not question.ask.strip():
        raise InvalidInputError("The question is empty.", hint="Ask something, in any words.")
    ports = resources or {"graph": index.graph, "vectors": index, "corpus": index, "embedder": embedder}
    check = method_named(question.method, base)
    return by_method(_reading(question.top_k) if question.method == DEFAULT else check, question, ports)


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
    from corpusgraph.tasks.registry import find

    passages = found.passages[: question.top_k]
    given = {"query": question.ask, "chunks": [scored.item for scored in passages]}
    answer: Answer = find("generate_answer").run(given, resources).data
    if not answer.supported:
        return found, declined
    message = (
        f"What the method put together does not answer: the {len(passages)} passages it led to were read."
    )
    warning = ToolWarning(code="passages_read", message=message, records=_ids(passages))
    told = found.model_copy(update={"warnings": (*found.warnings, warning)})
    return told, answer.model_copy(update={"context": declined.context})


def _told(found: MethodResult, answer: Answer, passages: Sequence[Scored[Chunk]]) -> AnswerResult:
    return AnswerResult(
        **dict(answer),
        retrieval=found.method,
        mode=(passages[0].scorer if passages else None) or "",
        passages=tuple(passages),
        entities=found.entities,
        usage=found.usage,
        warnings=(*found.warnings, *_why_declined(found, answer, passages)),
        trace=found.trace,
    )


def _why_declined(
    found: MethodResult, answer: Answer, passages: Sequence[Scored[Chunk]]
) -> Iterator[ToolWarning]:
    """Yield the step that was empty, and that the passages were read in vain."""
    from corpusgraph.tasks.method.run import empty_step

    if answer.supported:
        return
    if empty := empty_step(found.trace):
        yield empty
    if passages and answer.method == METHOD:
        message = f"{len(passages)} passages were read, but what fits the question best does not answer it."
        yield ToolWarning(code="poor_fit", message=message, records=_ids(passages))


def _ids(passages: Sequence[Scored[Chunk]]) -> tuple[str, ...]:
    return tuple(scored.item.id for scored in passages)


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
