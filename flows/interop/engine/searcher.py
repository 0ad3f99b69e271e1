"""An open index of a tool: the newest of what is published and remembered, asked in the tool's mode."""

import re
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from corpusgraph.flows.interop.engine.config import chosen_model
from corpusgraph.flows.interop.engine.errors import NotInitializedError
from corpusgraph.flows.interop.engine.indexer import log_warning
from corpusgraph.flows.interop.engine.models import (
    MODES,
    ExecutionConfig,
    GraphRAGConfig,
    SearchResult,
    has_level,
    method_of,
)
from corpusgraph.flows.interop.engine.storage import GraphRAGStorage
from corpusgraph.flows.language import AskedModel, hurried
from corpusgraph.flows.store.recent import RecentIndexes
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.answer import AnswerResult, ContextPiece, PieceKind
from corpusgraph.schemas.errors import IndexNotFoundError
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import Question

if TYPE_CHECKING:
    from corpusgraph.flows.store.opened import OpenIndex

MOST_SOURCES = 5
_MARKS = re.compile(r"(?:\[\d+\])+")
_NUMBER = re.compile(r"\d+")


def ask(
    opened: "OpenIndex", query: str, mode: str, level: int, llm: LanguageModel | None = None
) -> AnswerResult:
    """Answer a question by the method of a mode.

    Parameters
    ----------
    opened : OpenIndex
        With its memory.
    query : str
        In any words.
    mode : str
        One of `MODES`, or the name of a method.
    level : int
        Of communities, from 0, the coarsest.
    llm : LanguageModel, optional
        Writes the answer; None for the rules.

    Returns
    -------
    AnswerResult
        With warnings of ports and model first.

    Raises
    ------
    InvalidInputError
        For an empty question.

    """
    from corpusgraph.flows.answer import answer
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
    """Return an answer as the contract has it.

    The marks [n] of the response count the sources: two sentences of one document have one mark. A line break
    in the name of a file becomes a space, so that it adds no line to the formatted text.

    Parameters
    ----------
    answer : AnswerResult
        Of `ask`.
    mode : str
        As the tool names it.
    sources : mapping of str to str
        Id of a document -> its path.

    Returns
    -------
    SearchResult
        Sources in the order of their marks.

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
    """Return the ids of the pieces of a kind that an answer was made from.

    Parameters
    ----------
    pieces : iterable of ContextPiece
        Of the context of an answer.
    kind : PieceKind
        Such as entity.

    Returns
    -------
    set of str
        Each once.

    """
    return {piece.id for piece in pieces if piece.kind == kind}


def renumbered(text: str, numbers: Mapping[int, int]) -> str:
    """Replace the numbers of citations in a text by those of their documents, each once in a row of marks.

    Parameters
    ----------
    text : str
        With marks [n].
    numbers : mapping of int to int
        Number of a citation -> that of its document.

    Returns
    -------
    str
        A number that is not in `numbers` stays.

    """

    def mark(found: re.Match[str]) -> str:
        said = [int(number) for number in _NUMBER.findall(found[0])]
        kept = dict.fromkeys(numbers.get(number, number) for number in said)
        return "".join(f"[{number}]" for number in kept)

    return _MARKS.sub(mark, text)


def format_result(result: SearchResult) -> str:
    """Write a result as section 9 of the contract does: mode, response, what it used, five sources.

    Parameters
    ----------
    result : SearchResult
        Of a question.

    Returns
    -------
    str
        Markdown; sources beyond the fifth are left out.

    """
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

T = TypeVar("T")


class Searcher:
    """Answers questions from a tool's index; may be asked by several threads."""

    def __init__(
        self, storage: GraphRAGStorage, settings: GraphRAGConfig, execution: ExecutionConfig
    ) -> None:
        self._store = IndexStore(storage.storage_dir.parent)
        self._name = storage.tool.name
        self._settings = settings
        self._lock = Lock()
        self._recent = RecentIndexes(1)
        self._sources: tuple[OpenIndex, dict[str, str]] | None = None
        self._chosen = chosen_model("search_model", settings.search_model, execution)
        self._llm: AskedModel | None = None
        if self._chosen.profile is not None and self._chosen.why is None:
            profile = hurried(self._chosen.profile)
            self._llm = AskedModel(profile, storage.storage_dir.parent, execution.budget)

    @property
    def warnings(self) -> tuple[ToolWarning, ...]:
        """What is done otherwise than the tool says."""
        told = list(self._chosen.warnings)
        mode, given = self._settings.search_mode, self._settings.model_fields_set
        if "community_level" in given and not has_level(mode):
            message = f"search_mode {mode} reads no communities, so that community_level has no effect."
            told.append(ToolWarning(code="community_level_unused", message=message))
        return tuple(told)

    def warm(self) -> None:
        """Open the index and the model, so that the first question does not wait, and say what is missing."""
        for warning in self.warnings:
            log_warning(warning)
        method_of(self._settings.search_mode, self._settings.community_level)
        _ = self.opened().graph
        if self._llm is not None:
            _ = self._llm.name  # opens the client, of which several threads would open one each

    def opened(self) -> "OpenIndex":
        """Return the index, opened anew where another generation was published or something was added.

        Returns
        -------
        OpenIndex
            With its memory, the same one for as long as nothing changes.

        """
        return self._recent.open(self._store, self._name)

    def answer(self, query: str) -> "AnswerResult":
        """Answer a question in the tool's mode.

        Parameters
        ----------
        query : str
            In any words.

        Returns
        -------
        AnswerResult
            With citations and the steps of the method.

        """
        return self._with_index(lambda opened: self._answer(opened, query))

    def result(self, query: str) -> SearchResult:
        """Answer a question in the tool's mode, as the contract has it.

        Parameters
        ----------
        query : str
            In any words.

        Returns
        -------
        SearchResult
            Before it is formatted.

        """

        def asked(opened: "OpenIndex") -> SearchResult:
            answer = self._answer(opened, query)
            return result_of(answer, self._settings.search_mode, self._paths(opened))

        return self._with_index(asked)

    def _with_index(self, work: "Callable[[OpenIndex], T]") -> T:
        """Do something with the index; once more where its tables went away under the reader's hands."""
        opened = self._there()
        try:
            return work(opened)
        except (IndexNotFoundError, OSError, RuntimeError, ValueError):  # as each reader says it
            if not self._is_gone(opened):
                raise
        self._recent.clear()
        return work(self._there())

    def _there(self) -> "OpenIndex":
        """Return the open index; one that was cleared or damaged meanwhile is, to the contract, none yet."""
        try:
            return self.opened()
        except IndexNotFoundError as error:
            message = f"The index of {self._name!r} cannot be opened any more: {error.message}"
            raise NotInitializedError(message, hint="Await initialize() again.") from error

    def _is_gone(self, opened: "OpenIndex") -> bool:
        """Tell whether so many generations were published meanwhile that the one that was read is removed."""
        from corpusgraph.flows.store.writer import KEEP

        manifest = self._store.manifest(self._name)
        return manifest is not None and manifest.serial >= opened.manifest.serial + KEEP

    def _answer(self, opened: "OpenIndex", query: str) -> "AnswerResult":
        mode, level = self._settings.search_mode, self._settings.community_level
        return ask(opened, query, mode, level, self._llm)

    def _paths(self, opened: "OpenIndex") -> dict[str, str]:
        """Return the paths of documents below the source, by id; read once per generation."""
        with self._lock:
            if self._sources is None or self._sources[0] is not opened:
                paths = {document.id: document.source for document in opened.documents}
                self._sources = opened, paths
            return self._sources[1]

    def close(self) -> None:
        """Let go of the index and the language model; no search may be under way."""
        self._recent.clear()
        if self._llm is not None:
            self._llm.close()
