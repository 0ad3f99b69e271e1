"""A tool is declared once: `@tool` reads the function's signature, TOOLS holds the result.

A tool is a function `(ask: SomeToolInput, graph: GraphView, …) -> data`; each parameter after the first
is a port it needs, by its type. Every surface (command line, MCP, Prefect, docs) is made from TOOLS.
"""

import importlib
import inspect
import pkgutil
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import (
    CorpusgraphError,
    InvalidInputError,
    MissingResourceError,
    UnknownToolError,
    did_you_mean,
)
from corpusgraph.schemas.graph import Community, Entity, Graph, Path, Relationship
from corpusgraph.schemas.ports import Corpus, Embedder, GraphView, LanguageModel, Memory, Reranker, Vectors
from corpusgraph.schemas.results import Noted, ToolError, ToolInput, ToolResult, ToolWarning
from corpusgraph.schemas.stages import Extractor
from corpusgraph.tasks.table.encodable import legible

WRITTEN: dict[type[BaseModel], str] = {
    Entity: "entities",
    Relationship: "relationships",
    Chunk: "chunks",
    Community: "communities",
    Path: "paths",
    Graph: "subgraph",
}
"""A noun -> the port that a list of it with scores is written on; of a graph, the graph itself."""


def why_empty(data: Any, graph: Any, writes: str, needs: Iterable[str]) -> tuple[ToolWarning, ...]:
    """Return a warning for an empty list: what a tool looks at and the graph lacks, or that nothing fits.

    Parameters
    ----------
    data : Any
        What the tool returned.
    graph : Any
        Its graph, or None where it has none.
    writes : str
        Its port.
    needs : iterable of str
        Attributes it needs, such as Chunk.content.

    Returns
    -------
    tuple of ToolWarning
        `nothing_found`; empty where the data are no list, or not empty.

    """
    if not isinstance(data, list) or data:
        return ()
    nouns = {attribute.partition(".")[0] for attribute in needs}
    kinds = {noun.__name__: port for noun, port in WRITTEN.items() if hasattr(GraphView, port)}
    looked_at = [kind for noun, kind in kinds.items() if noun in nouns or kind == writes]
    lacking = [kind for kind in looked_at if graph is not None and not len(getattr(graph, kind))]
    why = f"the index has no {', no '.join(lacking)}" if lacking else "nothing fits what was asked"
    return (ToolWarning(code="nothing_found", message=f"There are no results: {why}."),)


def invalid_input(error: ValidationError, model: type[BaseModel], what: str) -> InvalidInputError:
    """Say in one line which fields are wrong and, for an unknown one, which it may have meant.

    What holds of many items of a list is said of the first, with how many more there are.

    Parameters
    ----------
    error : ValidationError
        Of the validation.
    model : type of BaseModel
        What was validated, for the names of its fields.
    what : str
        Begins the message, such as the name of a tool.

    Returns
    -------
    InvalidInputError
        To be raised.

    """
    hint, problems = None, dict[tuple[tuple[str, ...], str], list[str]]()
    for problem in error.errors():
        where = ".".join(str(part) for part in problem["loc"]) or "input"
        fields = tuple(part for part in problem["loc"] if isinstance(part, str))
        problems.setdefault((fields, problem["msg"].removeprefix("Value error, ")), []).append(where)
        if problem["type"] == "extra_forbidden":
            hint = hint or did_you_mean(str(problem["loc"][-1]), list(model.model_fields))
    told = (
        f"{places[0]}: {message}" + (f" (and {len(places) - 1:,} more like it)" if places[1:] else "")
        for (_, message), places in problems.items()
    )
    return InvalidInputError(f"{what}: " + "; ".join(told) + ".", hint=hint)


PORTS: dict[str, type] = {
    "graph": GraphView,
    "vectors": Vectors,
    "embedder": Embedder,
    "corpus": Corpus,
    "llm": LanguageModel,
    "memory": Memory,
    "reranker": Reranker,
    "extractor": Extractor,
}
"""Parameter name of a port in a tool's signature -> the port's type."""


@dataclass(frozen=True)
class Reads:
    """Marks an input field as a port of a chain: it reads what another tool writes under `port`."""

    port: str


def unwrapped(returned: Any) -> Any:
    """Return T of `Noted[T]`: the envelope carries warnings beside the data.

    Parameters
    ----------
    returned : Any
        Annotation of what a tool returns.

    Returns
    -------
    Any
        T, or the annotation itself.

    """
    metadata = getattr(returned, "__pydantic_generic_metadata__", {})
    return metadata["args"][0] if metadata.get("origin") is Noted else returned


def reads_of(ask: type[ToolInput]) -> dict[str, str]:
    """Map field name -> port, from `Annotated[..., Reads("port")]`, also inside `… | None`.

    Parameters
    ----------
    ask : type of ToolInput
        Input of a tool.

    Returns
    -------
    dict of str to str
        Fields without a mark are not in it.

    """
    found: dict[str, str] = {}
    for name, info in ask.model_fields.items():
        inner = (mark for option in get_args(info.annotation) for mark in getattr(option, "__metadata__", ()))
        for mark in (*info.metadata, *inner):
            if isinstance(mark, Reads):
                found.setdefault(name, mark.port)
    return found


TOOLS_PACKAGE = f"{__package__}.tools"
"""Where tools are: a module for each family, or a package of modules, imported when asked for."""
FAMILIES = (
    "entity",
    "relationship",
    "chunk",
    "subgraph",
    "community",
    "transform",
    "prepare",
    "query",
    "answer",
    "memory",
)
F = TypeVar("F", bound=Callable[..., Any])
Effect = Literal["reads", "adds", "changes", "removes"]  # what a tool does to an index
Resources = Mapping[str, Any]
"""Port name -> implementation; what a surface hands to `Tool.call`."""


@dataclass(frozen=True, eq=False)
class Tool:
    """All that is known about a tool; nothing else describes it.

    Attributes
    ----------
    name : str
        Of its function.
    number : int or None
        In the published list; None for others.
    function : callable
        `(ask, *ports) -> data`.
    input : type of ToolInput
        Model of its arguments.
    output : Any
        Type of its data.
    writes : str
        Port under which a chain may read the data.
    needs : frozenset of str
        Attributes that it cannot do without, such as `Relationship.weight`.
    optional : frozenset of str
        Attributes that it uses where they are there.
    adds : frozenset of str
        Attributes of the output that the input did not have.
    cite : str
        Source of the method.
    aliases : tuple of str
        Other names that it is called by.
    ports : tuple of str
        Parameters of the function after the first.
    reads : mapping of str to str
        Field of the input -> port that it reads.
    effect : Effect
        What a call does to the index.

    """

    name: str
    number: int | None
    function: Callable[..., Any]
    input: type[ToolInput]
    output: Any
    writes: str = ""
    needs: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    adds: frozenset[str] = frozenset()
    cite: str = ""
    aliases: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()
    spares: frozenset[str] = frozenset()
    """Ports the tool can do without: their parameters are typed `… | None`."""
    reads: Mapping[str, str] = field(default_factory=dict)
    effect: Effect = "reads"
    idempotent: bool = True  # a second call with the same arguments leaves the index as the first did

    @property
    def family(self) -> str:
        """The module, or folder of modules, that the tool lives in."""
        return self.function.__module__.removeprefix(f"{TOOLS_PACKAGE}.").partition(".")[0]

    @property
    def needs_index(self) -> bool:
        """Whether a call reads an index; texts are extracted from without one too."""
        return bool(set(self.ports) - {"extractor"})

    @property
    def doc(self) -> str:
        """First line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def long_doc(self) -> str:
        """The function's whole docstring, its paragraphs on one line each."""
        paragraphs = (inspect.getdoc(self.function) or "").split("\n\n")
        return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)

    def input_schema(self) -> JsonDict:
        """JSON schema of the arguments.

        Returns
        -------
        JsonDict
            As a caller may write them, aliases included.

        """
        return self.input.model_json_schema(mode="validation")

    def output_schema(self) -> JsonDict:
        """JSON schema of `ToolResult.data`.

        Returns
        -------
        JsonDict
            As it is written to JSON.

        """
        return TypeAdapter(self.output).json_schema(mode="serialization")

    def ask(self, arguments: JsonDict | ToolInput) -> ToolInput:
        """Validate arguments, turning pydantic's report into one line with a hint.

        Parameters
        ----------
        arguments : JsonDict or ToolInput
            Field -> value, or an input, which is taken as it is.

        Returns
        -------
        ToolInput
            Checked; names are put right as `respelt` does.

        Raises
        ------
        InvalidInputError
            Where an argument is missing, unknown or wrong.

        """
        if isinstance(arguments, self.input):
            return arguments
        try:
            with legible(self.name):
                return self.input.model_validate(arguments)
        except ValidationError as error:
            raise invalid_input(error, self.input, self.name) from None

    def run(self, arguments: JsonDict | ToolInput, resources: Resources) -> Noted[Any]:
        """Run the tool; a condition that it names is raised.

        Parameters
        ----------
        arguments : JsonDict or ToolInput
            Field -> value, or an input.
        resources : Resources
            Port -> implementation.

        Returns
        -------
        Noted[Any]
            Data with warnings, those of the graph last.

        Raises
        ------
        InvalidInputError
            For a bad argument.
        MissingResourceError
            Where the tool needs a port that is not there.
        CorpusgraphError
            Whatever else the tool raises.

        """
        ask = self.ask(arguments)
        ports = {port: self._resource(port, resources) for port in self.ports}
        with legible(self.name):
            outcome = self.function(ask, **ports)
        noted = outcome if isinstance(outcome, Noted) else Noted[Any](data=outcome)
        told = tuple(getattr(ports.get("graph"), "warnings", ()))  # what was repaired in the graph itself
        return noted.model_copy(update={"warnings": (*noted.warnings, *told)}) if told else noted

    def _resource(self, port: str, resources: Resources) -> Any:
        found = resources.get(port)
        if found is None and port not in self.spares:
            raise MissingResourceError(
                f"Tool {self.name!r} needs {port}, and none was given.",
                hint="Name an index (--index NAME), or make one with `corpusgraph index FOLDER`.",
            )
        return found

    def call(self, arguments: JsonDict | ToolInput, resources: Resources) -> ToolResult:
        """Run the tool and answer in the envelope: a named condition is in `error`, never raised.

        Parameters
        ----------
        arguments : JsonDict or ToolInput
            Field -> value, or an input.
        resources : Resources
            Port -> implementation; `metadata` goes into the result as it is.

        Returns
        -------
        ToolResult
            `success` is false exactly where there is an `error`; a defect of the code still raises.

        """
        began = time.perf_counter()
        given = arguments if isinstance(arguments, dict) else arguments.model_dump()
        request_id = str(given.get("request_id") or "")
        noted, error = Noted[Any](data=None), None
        try:
            ask = self.ask(arguments)
            request_id = ask.request_id
            noted = self.run(ask, resources)
        except CorpusgraphError as named:
            error = ToolError(code=named.code, message=named.message, hint=named.hint)
        return ToolResult(
            request_id=request_id,
            success=error is None,
            data=noted.data,
            error=error,
            warnings=noted.warnings or why_empty(noted.data, resources.get("graph"), self.writes, self.needs),
            metadata=dict(resources.get("metadata") or {}),
            execution_time_ms=round((time.perf_counter() - began) * 1000, 3),
            reasoning_trace=noted.reasoning_trace,
        )


TOOLS: dict[str, Tool] = {}


def _port_of(output: Any) -> str:
    """Return the port that a graph, or a list of scored nouns, is written on."""
    item = next(iter(get_args(output)), output)
    held = getattr(item, "__pydantic_generic_metadata__", {}).get("args")
    return WRITTEN[held[0] if held else item]


def _attributes(by_noun: str) -> frozenset[str]:
    """Return `Entity.id name` as Entity.id and Entity.name."""
    parted = (group.partition(".") for group in by_noun.split(", ") if group)
    return frozenset(f"{noun}.{name}" for noun, _, names in parted for name in names.split())


def tool(
    number: int | None = None,
    *,
    writes: str = "",
    needs: str = "",
    optional: str = "",
    adds: str = "",
    cite: str = "",
    aliases: tuple[str, ...] = (),
    effect: Effect = "reads",
    idempotent: bool = True,
) -> Callable[[F], F]:
    """Register a function as the tool named after it; the function itself is returned unchanged.

    Parameters
    ----------
    number : int, optional
        Of the tool in the published list, None for others.
    writes : str, optional
        Port under which a chain may read what it returns; that of its type in `WRITTEN`, unless given.
    needs : str, optional
        Attributes that the tool cannot do without, by noun: `"Entity.id, Relationship.weight type"`.
    optional : str, optional
        Attributes that it uses where they are there, in the same way.
    adds : str, optional
        Attributes of the output that the input did not have, in the same way; scores of a list are known.
    cite : str, default ''
        Source of the method.
    aliases : tuple of str, optional
        Other names that it is called by.
    effect : Effect, default 'reads'
        What a call does to the index.
    idempotent : bool, default True
        Whether a second call with the same arguments leaves the index as the first did.

    Returns
    -------
    callable
        Decorator of a function `(ask, *ports) -> data`.

    Raises
    ------
    TypeError
        Where a parameter after the first is no port.
    ValueError
        Where another module has a tool of that name.

    """

    def register(function: F) -> F:
        hints = get_type_hints(function, include_extras=True)
        first, *ports = inspect.signature(function).parameters
        for port in ports:
            if PORTS.get(port) not in (hints[port], *get_args(hints[port])):
                raise TypeError(
                    f"{function.__name__}: parameter {port!r} is no port; ports are {sorted(PORTS)}"
                )
        output = unwrapped(hints["return"])
        made = Tool(
            name=function.__name__,
            number=number,
            function=function,
            input=hints[first],
            output=output,
            writes=writes or _port_of(output),
            needs=_attributes(needs),
            optional=_attributes(optional),
            adds=_attributes(f"Scored.score, {adds}" if get_origin(output) is list else adds),
            cite=cite,
            aliases=aliases,
            ports=tuple(ports),
            spares=frozenset(port for port in ports if type(None) in get_args(hints[port])),
            reads=reads_of(hints[first]),
            effect=effect,
            idempotent=idempotent,
        )
        if made.name in TOOLS and TOOLS[made.name].function.__module__ != function.__module__:
            raise ValueError(f"two tools are named {made.name!r}")
        TOOLS[made.name] = made
        return function

    return register


@cache
def load() -> dict[str, Tool]:
    """Import every tool module once and return TOOLS, in order of number, then name.

    Returns
    -------
    dict of str to Tool
        Name -> tool; the same object at every call.

    """
    for module in pkgutil.walk_packages(importlib.import_module(TOOLS_PACKAGE).__path__, f"{TOOLS_PACKAGE}."):
        importlib.import_module(module.name)
    ordered = sorted(TOOLS.values(), key=lambda t: (t.number is None, t.number or 0, t.name))
    TOOLS.clear()
    TOOLS.update({t.name: t for t in ordered})
    return TOOLS


def find_tool(name: str) -> Tool | None:
    """Return a tool by name or alias, or None; most are found without importing those of other families.

    Parameters
    ----------
    name : str
        Name or alias.

    Returns
    -------
    Tool or None
        What is declared of it.

    """
    if name not in TOOLS:
        family = name.partition("_")[0]
        importlib.import_module(f"{TOOLS_PACKAGE}.{family if family in FAMILIES else 'answer'}")
    return TOOLS.get(name) or next((t for t in load().values() if name in (t.name, *t.aliases)), None)


def find(name: str) -> Tool:
    """Return a tool by name or alias.

    Parameters
    ----------
    name : str
        Name or alias, as spelt in the list of tools.

    Returns
    -------
    Tool
        What is declared of it.

    Raises
    ------
    UnknownToolError
        With names that look like it.

    """
    if (found := find_tool(name)) is None:
        names = [*load(), *(alias for t in load().values() for alias in t.aliases)]
        hint = did_you_mean(name, names) or "`corpusgraph tools` lists them."
        raise UnknownToolError(f"Unknown tool {name!r}.", hint=hint)
    return found
