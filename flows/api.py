"""What a notebook, the command line and every other surface calls: open an index, ask, call a tool, run."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from corpusgraph.flows.answer import answer, call_tool, run_tool
from corpusgraph.flows.engine import How, Inline, whole_first
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.studies import load_study, made, study_of
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import (
    CorpusgraphError,
    IndexNotFoundError,
    InvalidInputError,
    UnknownToolError,
)
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.results import Noted, ToolError, ToolInput, ToolResult
from corpusgraph.schemas.run import EvaluationReport, IndexReport, RemovalReport, StudyReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Question, Study
from corpusgraph.tasks import registry as _tool
from corpusgraph.tasks.method.meter import Meter

if TYPE_CHECKING:
    from corpusgraph.flows.llm.client import Client
    from corpusgraph.flows.store.opened import OpenIndex
    from corpusgraph.schemas.answer import AnswerResult


def settings(**more: Any) -> Settings:
    """Return the settings of the environment with some replaced; an unknown or bad one is an error.

    Parameters
    ----------
    **more : Any
        Fields of `Settings` to replace.

    Returns
    -------
    Settings
        Checked.

    Raises
    ------
    InvalidInputError
        For a setting that there is not, or a value it cannot have.

    """
    return made(Settings, "settings", {**Settings.environment(), **more})


def inline_settings(**more: Any) -> Settings:
    """Return settings for a run in this process; another engine asked for by name is an error.

    Parameters
    ----------
    **more : Any
        Fields of `Settings` to replace.

    Returns
    -------
    Settings
        Engine inline.

    Raises
    ------
    InvalidInputError
        For another engine, for a setting that there is not, or a value it cannot have.

    """
    if more.get("engine", "inline") != "inline":
        hint = "Use `corpusgraph run --engine prefect`, or the flows of corpusgraph.flows.prefect."
        raise InvalidInputError("The notebook door runs inline, in this process.", hint=hint)
    return settings(**more)


def open(name: str | None = None, outputs: str | Path | None = None) -> "OpenIndex":  # noqa: A001 - as cg.open
    """Open the newest generation of an index; without a name, of the only one there is.

    Parameters
    ----------
    name : str, optional
        Name of the index.
    outputs : str or Path, optional
        The folder that indexes are in; that of the settings where there is none.

    Returns
    -------
    OpenIndex
        With what was added by hand; the same object until something is published or added.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index, or without a name none or several.
    MemoryFileError
        Where the changes made by hand cannot be read.

    """
    from corpusgraph.flows.store.store import IndexStore, open_recent

    store = IndexStore(Path(outputs) if outputs else settings().outputs)
    return open_recent(store, name or _only(store.list()))


def _only(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    if not names:
        raise IndexNotFoundError(
            "There is no index yet.", hint="Make one: `corpusgraph run STUDY` or `index FOLDER`."
        )
    raise IndexNotFoundError(
        f"There are several indexes: {', '.join(names)}.",
        hint="Name one: `index` of a tool, --index of a command.",
    )


Watched = Callable[[LanguageModel], LanguageModel]
"""Stands between a tool and the language model it asks."""


def call(
    name: str,
    arguments: JsonDict | None = None,
    index: str | None = None,
    outputs: str | Path | None = None,
    *,
    profile: str | None = None,
    budget: float | None = None,
    bundle: str | Path | None = None,
) -> ToolResult:
    """Call a tool and return its envelope; an error is in the envelope, never raised.

    Parameters
    ----------
    name : str
        Of the tool, or one of its aliases.
    arguments : JsonDict, optional
        Field -> value; none where every field has a default.
    index : str, optional
        Name of the index that it reads; one among the arguments counts too, and else the only one there is.
    outputs : str or Path, optional
        Folder of all indexes; that of the environment unless given.
    profile : str, optional
        Name or path of a profile whose language model the tool may ask.
    budget : float, optional
        US dollars that the model may cost at most.
    bundle : str or Path, optional
        Folder for the files of what tools 23 to 26 prepare; `metadata` then lists them.

    Returns
    -------
    ToolResult
        `data` where `success` is true, else `error` with code, message and hint; warnings in both cases.

    """
    given = dict(arguments) if isinstance(arguments, Mapping) else {}
    try:
        if arguments is not None and not isinstance(arguments, Mapping):
            raise InvalidInputError(f"{name}: arguments are a mapping of names to values, not {arguments!r}.")
        tool = _tool.find(str(name))
        folder = None if bundle is None else Path(bundle)
        return called(tool, given, index, outputs, profile=profile, budget=budget, bundle=folder)
    except CorpusgraphError as error:
        return failed(error, given)


def called(
    tool: _tool.Tool,
    given: JsonDict,
    index: str | None = None,
    outputs: str | Path | None = None,
    *,
    profile: str | None = None,
    budget: float | None = None,
    bundle: Path | None = None,
    watched: Watched = lambda llm: llm,
) -> ToolResult:
    """Call a tool that was found; what keeps it from being called is raised, its own errors are told.

    Parameters
    ----------
    tool : Tool
        Of the registry.
    given : JsonDict
        Field -> value.
    index : str, optional
        Name of the index that it reads.
    outputs : str or Path, optional
        Folder of all indexes; that of the environment unless given.
    profile : str, optional
        Name or path of a profile whose language model the tool may ask.
    budget : float, optional
        US dollars that the model may cost at most.
    bundle : Path, optional
        Folder for the files of what tools 23 to 26 prepare; a bundle that is there is replaced, and what a
        person changed in it stays.
    watched : Watched, default lambda llm: llm
        It is handed the language model and returns what the tool asks in its place.

    Returns
    -------
    ToolResult
        With the tool's own errors; with a bundle, `metadata` has `bundle` and `files`.

    Raises
    ------
    InvalidInputError
        For a bad argument.
    IndexNotFoundError
        Where there is no such index.
    UnknownProfileError
        For a profile that there is not.
    OutputError
        Where the folder of the bundle cannot be written.

    """
    whole_first()
    ask = tool.ask({**given, "index": index} if index else given)
    with opened_model(outputs, profile, budget, tool) as llm:
        named = index is not None or "index" in given
        asked = None if llm is None else watched(llm)
        result = call_tool(tool, ask, _resources(tool, ask, named, outputs, asked))
    if bundle is None or not result.success:
        return result
    from corpusgraph.flows.datasets import write_bundle

    files = write_bundle(Noted(data=result.data, warnings=result.warnings), bundle)
    told = {"bundle": str(bundle), "files": files}
    return result.model_copy(update={"metadata": {**result.metadata, **told}})


def failed(error: CorpusgraphError, given: Mapping[str, Any]) -> ToolResult:
    """Return the envelope of a call that an error kept from being made.

    Parameters
    ----------
    error : CorpusgraphError
        Why there was no call.
    given : mapping of str to Any
        Arguments, for their `request_id`.

    Returns
    -------
    ToolResult
        `success` is false.

    """
    told = ToolError(code=error.code, message=error.message, hint=error.hint)
    return ToolResult(request_id=str(given.get("request_id") or uuid4()), success=False, error=told)


def opened_model(
    outputs: str | Path | None, profile: str | None, budget: float | None, tool: _tool.Tool | None = None
) -> AbstractContextManager["Client | None"]:
    """Open the language model for one answer that is waited for; a tool that uses none gets none.

    Parameters
    ----------
    outputs : str or Path or None
        Folder of all indexes, where replies are kept.
    profile : str or None
        Name or path of a profile; that of the environment unless given.
    budget : float or None
        US dollars at most.
    tool : Tool, optional
        None for whatever needs a model.

    Returns
    -------
    AbstractContextManager[Client or None]
        None inside the `with` statement where no profile is named.

    """
    from corpusgraph.flows.language import language_model

    if tool is not None and "llm" not in tool.ports:
        return nullcontext()
    given = {"outputs": outputs, "profile": profile, "budget": budget}
    chosen = settings(**{name: value for name, value in given.items() if value is not None})
    return language_model(chosen, waited_for=True)


def _resources(
    tool: _tool.Tool,
    ask: ToolInput,
    named: bool,
    outputs: str | Path | None,
    llm: LanguageModel | None = None,
) -> Mapping[str, Any]:
    """Open the index the call names, and look at it through its filter; a tool that reads none gets none.

    Without an index texts are read by what ships; with one, as its documents were.
    """
    if not tool.ports:
        return {}
    if not (named or tool.needs_index):
        from corpusgraph.flows.annotate.offline import default_extractor

        return {"extractor": default_extractor()}
    meter = None if llm is None else Meter(llm)
    return IndexResources(open(ask.index if named else None, outputs), ask.filter, meter)


class Tools:
    """`cg.tools.<name>(**arguments)`: the tool's data, or the named error raised.

    `index` names the index it reads, `profile` the language model it may use, `bundle` a folder for the files
    of what tools 23 to 26 prepare.
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
            bundle: str | Path | None = None,
            **arguments: Any,
        ) -> Any:
            ask = tool.ask({**arguments, "index": index} if index else arguments)
            with opened_model(outputs, profile, None, tool) as llm:
                noted = run_tool(tool, ask, _resources(tool, ask, index is not None, outputs, llm))
            if bundle is not None:
                from corpusgraph.flows.datasets import write_bundle

                write_bundle(noted, Path(bundle))
            return noted.data

        run.__doc__, run.__name__ = tool.function.__doc__, tool.name
        return run

    def __dir__(self) -> list[str]:
        """List the tools."""
        return list(_tool.load())


tools = Tools()


__all__ = ["ask", "call", "evaluate", "index", "open", "remove", "retry_failed", "run", "tools"]


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
    watched: Watched = lambda llm: llm,
) -> "AnswerResult":
    """Answer a question from an index, each sentence cited.

    Parameters
    ----------
    question : str
        In any words.
    index : str, optional
        Name of the index; the only one there is unless given.
    method : str
        Name of a method, or path of its file.
    top_k : int
        Passages that the answer is taken from, 1 or more.
    filter : dict, optional
        Such as {"author": "Jay", "date": {"to": "1787"}}: only those documents exist.
    outputs : str or Path, optional
        Folder of all indexes; that of the environment unless given.
    profile : str, optional
        Name or path of a profile whose language model writes the answer.
    budget : float, optional
        US dollars that the model may cost at most.
    watched : callable
        It is handed the model and returns what is asked in its place.

    Returns
    -------
    AnswerResult
        Text, citations, passages, warnings and what it cost.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index, or none or several and no name.
    UnknownMethodError, MethodFileError, MethodCheckError
        For a method that there is not, cannot be read or cannot run.
    InvalidInputError
        For an empty question or a bad argument.

    """
    fields = {"ask": question, "method": method, "top_k": top_k, "filter": filter}
    asked = made(Question, "ask", fields)
    with opened_model(outputs, profile, budget) as llm:
        return answer(open(index, outputs), asked, llm=None if llm is None else watched(llm))


def index(
    corpus: str | Path | Study,
    name: str | None = None,
    *,
    rebuild: bool = False,
    update: bool = False,
    embedder: str | None = None,
    model: str | None = None,
    from_openie: str | Path | None = None,
    progress: Progress | None = None,
    **more: Any,
) -> IndexReport:
    """Index a folder of documents, or the corpus of a study.

    Parameters
    ----------
    corpus : str, Path or Study
        A folder, a file of documents, a study file (.yml) or a study.
    name : str, optional
        Name of the index of a folder; the folder's own unless given.
    rebuild : bool
        Make everything anew, also what has not changed.
    update : bool
        Put the documents of a folder or file into the index, in which all others stay.
    embedder : str, optional
        hashing or sentence-transformers.
    model : str, optional
        Model of sentence-transformers.
    from_openie : str or Path, optional
        A file with lines {id, entities, triples} that were extracted elsewhere.
    progress : Progress, optional
        Hears how the stages get on.
    **more : Any
        Fields of `Settings`.

    Returns
    -------
    IndexReport
        What was done, counted, and what failed.

    Raises
    ------
    CorpusNotFoundError
        Where there is nothing to read.
    InvalidInputError
        For a bad argument.

    """
    from corpusgraph.flows.update import index_or_update

    study, base = study_of(corpus, name, embedder=embedder, model=model, from_openie=from_openie)
    return index_or_update(study, base, rebuild=rebuild, update=update, **_inline(progress, more))


def remove(
    name: str,
    documents: str | Sequence[str],
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    **more: Any,
) -> RemovalReport:
    """Take documents out of an index; nothing is removed if one of them is unknown.

    Parameters
    ----------
    name : str
        Name of the index.
    documents : str or sequence of str
        Each an id, a title, a source path or a glob of sources.
    dry_run : bool
        Only tell what would be removed.
    progress : Progress, optional
        Hears how the stages get on.
    **more : Any
        Fields of `Settings`.

    Returns
    -------
    RemovalReport
        Documents removed, and chunks, entities and relationships that went with them; with `dry_run`, that
        would go.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index.
    UnknownItemError
        For a document that is not there.
    InvalidInputError
        For a title of several documents, for none named, and where no document would be left.

    """
    from corpusgraph.flows.update import remove_documents

    wanted = (documents,) if isinstance(documents, str) else tuple(documents)
    return remove_documents(name, wanted, dry_run=dry_run, **_inline(progress, more))


def retry_failed(name: str, *, progress: Progress | None = None, **more: Any) -> IndexReport:
    """Repeat the calls of a language model that failed when an index was made.

    Parameters
    ----------
    name : str
        Name of the index.
    progress : Progress, optional
        Hears how the stages get on.
    **more : Any
        Fields of `Settings`.

    Returns
    -------
    IndexReport
        What was asked again, and what of it failed once more.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index.

    """
    from corpusgraph.flows.update import retry_failed as again

    return again(name, **_inline(progress, more))


def run(
    study: str | Path | Study,
    corpus: str | Path | None = None,
    *,
    rebuild: bool = False,
    progress: Progress | None = None,
    **more: Any,
) -> StudyReport:
    """Run a study in this process: index, answers, datasets.

    Parameters
    ----------
    study : str, Path or Study
        A study file (.yml) or a study.
    corpus : str or Path, optional
        Documents, in place of the study's own.
    rebuild : bool
        Make the index anew, also what has not changed.
    progress : Progress, optional
        Hears how the stages get on.
    **more : Any
        Fields of `Settings`.

    Returns
    -------
    StudyReport
        Paths of what was written, counts and warnings of each step.

    Raises
    ------
    StudyFileError
        For a file that cannot be read as a study.
    CorpusgraphError
        For whatever the study names that is not there or does not fit, before anything is done.

    """
    from corpusgraph.flows.study import run_study

    asked, base = load_study(study, corpus)
    return run_study(asked, base, rebuild=rebuild, **_inline(progress, more))


def evaluate(
    corpus: str | Path,
    queries: str | Path,
    methods: str | Sequence[str] = "default",
    *,
    k: Sequence[int] = (2, 5),
    embedder: str = "hashing",
    limit: int | None = None,
    from_openie: str | Path | None = None,
    progress: Progress | None = None,
    **more: Any,
) -> EvaluationReport:
    """Measure methods on questions whose documents are known.

    Parameters
    ----------
    corpus : str or Path
        A file with lines {id, title, text}.
    queries : str or Path
        A JSON Lines file of questions, each with the ids of the documents that answer it (`gold`).
    methods : str or sequence of str
        Names of methods or paths of their files; others are compared with the first.
    k : sequence of int
        Ranks at which recall is measured, 1 or more.
    embedder : str
        hashing or sentence-transformers.
    limit : int, optional
        Questions at most.
    from_openie : str or Path, optional
        A file with lines {id, entities, triples} that were extracted elsewhere.
    progress : Progress, optional
        Hears how it gets on.
    **more : Any
        Fields of `Settings`.

    Returns
    -------
    EvaluationReport
        Recall at each k, scores of answers, latency in milliseconds and usage, by method.

    Raises
    ------
    InvalidInputError
        For bad questions, k, limit or methods, before anything is indexed.
    CorpusNotFoundError
        For a corpus or file of extracted triples that is not there.

    """
    from corpusgraph.flows import evaluate as flow

    names = (methods,) if isinstance(methods, str) else tuple(methods)
    openie = Path(from_openie) if from_openie else None
    asked = flow.Evaluation(Path(corpus), Path(queries), names, tuple(k), embedder, limit, openie)
    return flow.evaluate(asked, **_inline(progress, more))


def _inline(progress: Progress | None, more: JsonDict) -> How:
    """Return what a flow runs by in this process."""
    from corpusgraph.flows.progress import Silent

    chosen = inline_settings(**more)
    return {"settings": chosen, "engine": Inline(chosen.workers), "progress": progress or Silent()}
