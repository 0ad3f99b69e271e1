"""Call a tool by name: with the index it names, the language model it may use, and a bundle of its result."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from corpusgraph.flows.answer import call_tool, run_tool
from corpusgraph.flows.engine import whole_first
from corpusgraph.flows.open_index import open, settings
from corpusgraph.flows.ports import IndexResources
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, UnknownToolError
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.results import Noted, ToolError, ToolInput, ToolResult
from corpusgraph.tasks import registry as _tool
from corpusgraph.tasks.method.meter import Meter

if TYPE_CHECKING:
    from corpusgraph.flows.language import AskedModel

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
        Folder for the files of what tools 23 to 26 prepare.
    watched : Watched, default lambda llm: llm
        It is handed the language model and returns what the tool asks in its place.

    Returns
    -------
    ToolResult
        With the tool's own errors.

    Raises
    ------
    InvalidInputError
        For a bad argument.
    IndexNotFoundError
        Where there is no such index.
    UnknownProfileError
        For a profile that there is not.

    """
    whole_first()
    ask = tool.ask({**given, "index": index} if index else given)
    with opened_model(outputs, profile, budget, tool) as llm:
        named = index is not None or "index" in given
        asked = None if llm is None else watched(llm)
        result = call_tool(tool, ask, _resources(tool, ask, named, outputs, asked))
    return result if bundle is None else with_bundle(result, bundle)


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
) -> AbstractContextManager["AskedModel | None"]:
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
    AbstractContextManager[AskedModel or None]
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


def with_bundle(result: ToolResult, folder: Path) -> ToolResult:
    """Write the bundle of a result, and say in its metadata where it is; an error has none.

    Parameters
    ----------
    result : ToolResult
        Of a tool that prepares a bundle.
    folder : Path
        A bundle that is there is replaced; what a person changed in it stays.

    Returns
    -------
    ToolResult
        `metadata` has `bundle` and `files`.

    Raises
    ------
    OutputError
        Where the folder cannot be written.

    """
    if not result.success:
        return result
    from corpusgraph.flows.datasets import write_bundle

    files = write_bundle(Noted(data=result.data, warnings=result.warnings), folder)
    told = {"bundle": str(folder), "files": files}
    return result.model_copy(update={"metadata": {**result.metadata, **told}})


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
