"""What a notebook, the command line and every other surface calls: open an index, ask, call a tool, run."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from corpusgraph.flows.asking import call_tool, run_tool
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.studies import load_study, made, study_of
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import (
    CorpusgraphError,
    IndexNotFoundError,
    InvalidInputError,
    UnknownToolError,
)
from corpusgraph.schemas.results import ToolError, ToolInput, ToolResult
from corpusgraph.schemas.run import IndexReport, StudyReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Question, Study
from corpusgraph.tasks import _tool

if TYPE_CHECKING:
    from corpusgraph.flows.resources.opened import OpenIndex
    from corpusgraph.schemas.answer import AnswerResult
    from corpusgraph.schemas.evaluation import EvaluationReport


def open(name: str | None = None, outputs: str | Path | None = None) -> "OpenIndex":  # noqa: A001 - as cg.open
    """Open the newest generation of an index; without a name, of the only one there is."""
    from corpusgraph.flows.resources.recent import open_recent
    from corpusgraph.flows.resources.store import IndexStore

    store = IndexStore(Path(outputs) if outputs else settings().outputs)
    return open_recent(store, name or _only(store.list()))


def _only(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    if not names:
        raise IndexNotFoundError(
            "There is no index yet.", hint="Make one: `corpusgraph run STUDY` or `index FOLDER`."
        )
    raise IndexNotFoundError(f"There are several indexes: {', '.join(names)}.", hint="Name one with --index.")


def call(
    name: str, arguments: JsonDict | None = None, index: str | None = None, outputs: str | Path | None = None
) -> ToolResult:
    """Call a tool and return its envelope; an error is in the envelope, never raised."""
    given = dict(arguments) if isinstance(arguments, Mapping) else {}
    try:
        if arguments is not None and not isinstance(arguments, Mapping):
            raise InvalidInputError(f"{name}: arguments are a mapping of names to values, not {arguments!r}.")
        tool = _tool.find(str(name))
        ask = tool.ask({**given, "index": index} if index else given)
        resources = _resources(tool, ask, index is not None or "index" in given, outputs)
    except CorpusgraphError as error:
        told = ToolError(code=error.code, message=error.message, hint=error.hint)
        return ToolResult(request_id=str(given.get("request_id") or uuid4()), success=False, error=told)
    return call_tool(tool, ask, resources)


def _resources(
    tool: _tool.Tool, ask: ToolInput, named: bool, outputs: str | Path | None
) -> Mapping[str, Any]:
    """Open the index the call names, and look at it through its filter; a tool that reads none gets none."""
    if not tool.ports:
        return {}
    return IndexResources(open(ask.index if named else None, outputs), ask.filter)


class Tools:
    """`cg.tools.<name>(**arguments)`: the tool's data, or the named error raised."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the tool as a function of keyword arguments; `index` names the index it reads."""
        try:
            tool = _tool.find(name)
        except UnknownToolError as error:
            raise AttributeError(str(error)) from None

        def run(index: str | None = None, outputs: str | Path | None = None, **arguments: Any) -> Any:
            ask = tool.ask({**arguments, "index": index} if index else arguments)
            return run_tool(tool, ask, _resources(tool, ask, index is not None, outputs)).data

        run.__doc__, run.__name__ = tool.function.__doc__, tool.name
        return run

    def __dir__(self) -> list[str]:
        """List the tools."""
        return list(_tool.load())


tools = Tools()


def ask(
    question: str,
    index: str | None = None,
    *,
    method: str = "default",
    top_k: int = 5,
    filter: JsonDict | None = None,  # noqa: A002
    outputs: str | Path | None = None,
) -> "AnswerResult":
    """Answer a question from an index, each sentence cited; `method` is a name or the path of a file.

    With a `filter` such as {"author": "Jay", "date": {"to": "1787"}}, only those documents exist.
    """
    from corpusgraph.flows.asking import answer

    fields = {"ask": question, "method": method, "top_k": top_k, "filter": filter}
    return answer(open(index, outputs), made(Question, "ask", fields))


def settings(**more: Any) -> Settings:
    """Return the settings of the environment with some replaced; an unknown or bad one is an error."""
    return made(Settings, "settings", {**Settings.environment(), **more})


def inline_settings(**more: Any) -> Settings:
    """Return settings for a run in this process; another engine asked for by name is an error."""
    if more.get("engine", "inline") != "inline":
        hint = "Use `corpusgraph run --engine prefect`, or the flows of corpusgraph.flows.surfaces.prefect."
        raise InvalidInputError("The notebook door runs inline, in this process.", hint=hint)
    return settings(**more)


def index(
    corpus: str | Path | Study,
    name: str | None = None,
    *,
    rebuild: bool = False,
    embedder: str | None = None,
    model: str | None = None,
    from_openie: str | Path | None = None,
    **more: Any,
) -> IndexReport:
    """Index a folder of documents, or the corpus of a study; `more` are fields of Settings.

    `embedder` is hashing or sentence-transformers, `model` that of the latter; `from_openie` is a file with
    lines {id, entities, triples} that were extracted elsewhere.
    """
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.index import index_corpus
    from corpusgraph.flows.progress import Silent

    study, base = study_of(corpus, name, embedder=embedder, model=model, from_openie=from_openie)
    chosen = inline_settings(**more)
    engine = Inline(chosen.workers)
    return index_corpus(study, base, settings=chosen, engine=engine, progress=Silent(), rebuild=rebuild)


def run(
    study: str | Path | Study, corpus: str | Path | None = None, *, rebuild: bool = False, **more: Any
) -> StudyReport:
    """Run a study in this process: index, answers, datasets; `more` are fields of Settings."""
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.progress import Silent
    from corpusgraph.flows.study import run_study

    asked, base = load_study(study, corpus)
    chosen = inline_settings(**more)
    engine = Inline(chosen.workers)
    return run_study(asked, base, settings=chosen, engine=engine, progress=Silent(), rebuild=rebuild)


def evaluate(
    corpus: str | Path,
    queries: str | Path,
    methods: str | Sequence[str] = "default",
    *,
    k: Sequence[int] = (2, 5),
    embedder: str = "hashing",
    limit: int | None = None,
    from_openie: str | Path | None = None,
    **more: Any,
) -> "EvaluationReport":
    """Measure methods on questions whose documents are known; `more` are fields of Settings."""
    from corpusgraph.flows import evaluate as flow
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.progress import Silent

    names = (methods,) if isinstance(methods, str) else tuple(methods)
    openie = Path(from_openie) if from_openie else None
    asked = flow.Evaluation(Path(corpus), Path(queries), names, tuple(k), embedder, limit, openie)
    return flow.evaluate(asked, settings=inline_settings(**more), engine=Inline(), progress=Silent())
