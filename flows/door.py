"""What a notebook, the command line and every other surface calls: open an index, ask, call a tool, run."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from corpusgraph.flows.asking import call_tool, run_tool
from corpusgraph.flows.chosen import inline_settings, settings
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
from corpusgraph.schemas.run import IndexReport, RemovalReport, StudyReport
from corpusgraph.schemas.study import Question, Study
from corpusgraph.tasks import _tool
from corpusgraph.tasks.method.meter import Meter

if TYPE_CHECKING:
    from corpusgraph.flows.language import AskedModel
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
    name: str,
    arguments: JsonDict | None = None,
    index: str | None = None,
    outputs: str | Path | None = None,
    *,
    profile: str | None = None,
    budget: float | None = None,
) -> ToolResult:
    """Call a tool and return its envelope; an error is in the envelope, never raised."""
    given = dict(arguments) if isinstance(arguments, Mapping) else {}
    try:
        if arguments is not None and not isinstance(arguments, Mapping):
            raise InvalidInputError(f"{name}: arguments are a mapping of names to values, not {arguments!r}.")
        tool = _tool.find(str(name))
        ask = tool.ask({**given, "index": index} if index else given)
        with _model(outputs, profile, budget, tool) as llm:
            named = index is not None or "index" in given
            return call_tool(tool, ask, _resources(tool, ask, named, outputs, llm))
    except CorpusgraphError as error:
        told = ToolError(code=error.code, message=error.message, hint=error.hint)
        return ToolResult(request_id=str(given.get("request_id") or uuid4()), success=False, error=told)


def _model(
    outputs: str | Path | None, profile: str | None, budget: float | None, tool: _tool.Tool | None = None
) -> AbstractContextManager["AskedModel | None"]:
    """Open the language model for one answer that is waited for; a tool that uses none gets none."""
    from corpusgraph.flows.language import language_model

    if tool is not None and "llm" not in tool.ports:
        return nullcontext()
    given = {"outputs": outputs, "profile": profile, "budget": budget}
    chosen = settings(**{name: value for name, value in given.items() if value is not None})
    return language_model(chosen, waited_for=True)


def _resources(
    tool: _tool.Tool, ask: ToolInput, named: bool, outputs: str | Path | None, llm: "AskedModel | None" = None
) -> Mapping[str, Any]:
    """Open the index the call names, and look at it through its filter; a tool that reads none gets none."""
    if not tool.ports:
        return {}
    meter = None if llm is None else Meter(llm)
    return IndexResources(open(ask.index if named else None, outputs), ask.filter, meter)


class Tools:
    """`cg.tools.<name>(**arguments)`: the tool's data, or the named error raised.

    `index` names the index it reads, `profile` the language model it may use.
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the tool as a function of keyword arguments; `index` names the index it reads."""
        try:
            tool = _tool.find(name)
        except UnknownToolError as error:
            raise AttributeError(str(error)) from None

        def run(
            index: str | None = None,
            outputs: str | Path | None = None,
            profile: str | None = None,
            **arguments: Any,
        ) -> Any:
            ask = tool.ask({**arguments, "index": index} if index else arguments)
            with _model(outputs, profile, None, tool) as llm:
                return run_tool(tool, ask, _resources(tool, ask, index is not None, outputs, llm)).data

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
    profile: str | None = None,
    budget: float | None = None,
) -> "AnswerResult":
    """Answer a question from an index, each sentence cited; `method` is a name or the path of a file.

    With a `filter` such as {"author": "Jay", "date": {"to": "1787"}}, only those documents exist. With a
    `profile` its language model writes the answer, for at most `budget` US dollars.
    """
    from corpusgraph.flows.asking import answer

    fields = {"ask": question, "method": method, "top_k": top_k, "filter": filter}
    asked = made(Question, "ask", fields)
    with _model(outputs, profile, budget) as llm:
        return answer(open(index, outputs), asked, llm=llm)


def index(
    corpus: str | Path | Study,
    name: str | None = None,
    *,
    rebuild: bool = False,
    update: bool = False,
    embedder: str | None = None,
    model: str | None = None,
    from_openie: str | Path | None = None,
    **more: Any,
) -> IndexReport:
    """Index a folder of documents, or the corpus of a study; `more` are fields of Settings.

    With `update`, the documents of a folder or file are put into the index and all others stay.
    `embedder` is hashing or sentence-transformers, `model` that of the latter; `from_openie` is a file with
    lines {id, entities, triples} that were extracted elsewhere.
    """
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.progress import Silent
    from corpusgraph.flows.updating import index_or_update

    study, base = study_of(corpus, name, embedder=embedder, model=model, from_openie=from_openie)
    chosen = inline_settings(**more)
    engine = Inline(chosen.workers)
    return index_or_update(
        study, base, settings=chosen, engine=engine, progress=Silent(), rebuild=rebuild, update=update
    )


def remove(name: str, documents: str | Sequence[str], *, dry_run: bool = False, **more: Any) -> RemovalReport:
    """Take documents out of an index, each named by id, title, source path or a glob of sources.

    Nothing is removed if one is unknown, or with `dry_run`; `more` are fields of Settings.
    """
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.progress import Silent
    from corpusgraph.flows.updating import remove_documents

    wanted = (documents,) if isinstance(documents, str) else tuple(documents)
    chosen = inline_settings(**more)
    return remove_documents(
        name, wanted, settings=chosen, engine=Inline(), progress=Silent(), dry_run=dry_run
    )


def retry_failed(name: str, **more: Any) -> IndexReport:
    """Repeat the calls of a language model that failed when an index was made; `more` are of Settings."""
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.progress import Silent
    from corpusgraph.flows.retrying import retry_failed as again

    return again(name, settings=inline_settings(**more), engine=Inline(), progress=Silent())


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
