"""Tools of this surface: a question answered from end to end, and which indexes and methods there are."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import AliasChoices, Field, PositiveInt

from corpusgraph.flows.calling import Watched, failed, opened_model
from corpusgraph.flows.surfaces.mcp.confine import confined
from corpusgraph.flows.surfaces.mcp.groups import ALWAYS
from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.flows.surfaces.mcp.running import Offered
from corpusgraph.schemas.answer import AnswerResult
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.memory import JOURNAL
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.results import Noted, ToolInput, ToolResult, ToolWarning
from corpusgraph.schemas.study import Question
from corpusgraph.tasks._tool import Tool


class Ask(ToolInput):
    """A question, and how to look for its answer."""

    question: str = Field(
        min_length=1,
        validation_alias=AliasChoices("question", "query"),  # as all other tools call it
        description="the question, in any words",
    )
    method: str = Field(default="default", description="retrieval method; list_methods names them")
    top_k: PositiveInt = Field(default=5, description="passages the answer is taken from")


class ListIndexes(ToolInput):
    """Nothing is asked for."""


class ListMethods(ToolInput):
    """Which methods."""

    query: str = Field(default="", description="only methods whose name, title or description holds this")


class IndexSummary(Noun):
    """An index that can be asked."""

    index: str
    generation: str
    created: str = Field(description="UTC, ISO 8601")
    counts: dict[str, int] = Field(description="documents, chunks, entities, relationships … as indexed")
    changes: int = Field(description="changes by hand, which counts leave out; get_graph_statistics has both")


class MethodSummary(Noun):
    """A retrieval method."""

    method: str
    title: str
    about: str
    cite: str
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class Here:
    """Where a call is made: the server's options, the index it reads, what stands before a language model."""

    options: ServeOptions
    index: str | None
    watched: Watched


def ask(ask: Ask, here: Here) -> AnswerResult:
    """Answer a question from an index, each sentence with a citation of the passage it stands in.

    Begin here for a question; use single tools where you want to choose the steps yourself.
    """
    from corpusgraph.flows.asking import answer
    from corpusgraph.flows.opening import open  # noqa: A004

    question = Question(ask=ask.question, method=ask.method, top_k=ask.top_k, filter=ask.filter)
    with opened_model(here.options.outputs, here.options.profile, here.options.budget) as llm:
        asked: LanguageModel | None = None if llm is None else here.watched(llm)
        return answer(open(here.index, here.options.outputs), question, llm=asked)


def list_indexes(_ask: ListIndexes, here: Here) -> Noted[list[IndexSummary]]:
    """List the indexes: what each is called, when it was made, and how much is in it."""
    from corpusgraph.flows.resources.journal.journal import Journal
    from corpusgraph.flows.resources.store import IndexStore

    store = IndexStore(here.options.outputs)
    found: list[IndexSummary] = []
    warnings: list[ToolWarning] = []
    for name in store.list():
        try:
            one = store.manifest(name)
            changes = Journal(store.folder(name) / JOURNAL).count()
        except CorpusgraphError as error:  # one that is spoilt hides no other
            warnings.append(ToolWarning(code=error.code, message=error.message, records=(name,)))
            continue
        if one is not None:
            facts = {"generation": one.generation, "created": one.created, "counts": one.counts}
            found.append(IndexSummary(index=name, changes=changes, **facts))
    return Noted(data=found, warnings=tuple(warnings))


def list_methods(ask: ListMethods, _here: Here) -> list[MethodSummary]:
    """List the retrieval methods that `ask` takes: name, what it does, and the paper it is from."""
    from corpusgraph.flows.methods import summaries

    found = [MethodSummary.model_validate(one) for one in summaries()]
    wanted = ask.query.casefold()
    return [one for one in found if wanted in f"{one.method} {one.title} {one.about}".casefold()]


_EXTRAS: tuple[tuple[Callable[..., Any], type[ToolInput], Any, tuple[str, ...]], ...] = (
    (ask, Ask, AnswerResult, ("llm",)),
    (list_indexes, ListIndexes, list[IndexSummary], ()),
    (list_methods, ListMethods, list[MethodSummary], ()),
)
_GROUP: dict[str, Literal["answer", "index"]] = {"ask": "answer"}


def extras(options: ServeOptions) -> list[Offered]:
    """Return the tools of this surface."""
    return [_offered(*one, options) for one in _EXTRAS]


def _offered(
    function: Callable[..., Any],
    asked: type[ToolInput],
    output: Any,
    ports: tuple[str, ...],
    options: ServeOptions,
) -> Offered:
    nothing: frozenset[str] = frozenset()
    tool = Tool(
        name=function.__name__,
        number=None,
        function=function,
        input=asked,
        output=output,
        writes="",
        needs=nothing,
        optional=nothing,
        adds=nothing,
        cite="",
        aliases=(),
        ports=ports,
    )

    def run(given: JsonDict, watched: Watched) -> ToolResult:
        here = Here(options, given.get("index", options.index), watched)
        return _answered(tool, given, options, lambda ask: function(ask, here))

    return Offered(tool, run, frozenset({_GROUP.get(tool.name, ALWAYS)}))


def _answered(
    tool: Tool, given: JsonDict, options: ServeOptions, run: Callable[[ToolInput], Any]
) -> ToolResult:
    """Put what the function returns into the envelope."""
    began = time.perf_counter()
    try:
        confined(given, options.outputs)
        ask = tool.ask(given)
        outcome = run(ask)
    except CorpusgraphError as error:
        return failed(error, given)
    spent = round((time.perf_counter() - began) * 1000, 3)
    noted = outcome if isinstance(outcome, Noted) else Noted[Any](data=outcome)
    return ToolResult(
        request_id=ask.request_id,
        success=True,
        data=noted.data,
        warnings=noted.warnings,
        execution_time_ms=spent,
    )
