"""What a call of a tool does in its thread: the tools of the registry, as every other surface calls them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from corpusgraph.flows.calling import Watched, called, failed
from corpusgraph.flows.surfaces.mcp.confine import below, confined
from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.flows.surfaces.mcp.shapes import has_tables, is_flat
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.results import ToolResult
from corpusgraph.tasks._tool import Tool

Run = Callable[[JsonDict, Watched], ToolResult]
"""Arguments, and what stands before the language model -> the envelope."""


@dataclass(frozen=True)
class Offered:
    """A tool as this server offers it; what is told of it is worked out once."""

    tool: Tool
    run: Run
    groups: frozenset[str]
    bundle: bool = False
    """Whether a call may name a folder for files."""

    @cached_property
    def flat(self) -> bool:
        """Whether the data stands at the top level of the answer."""
        return is_flat(self.tool)

    @cached_property
    def has_tables(self) -> bool:
        """Whether the data may hold tables."""
        return has_tables(self.tool)

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """Writes the tool's data."""
        return TypeAdapter(self.tool.output)

    @property
    def reads(self) -> bool:
        """Whether a call leaves the index as it is."""
        return self.tool.effect == "reads"

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.tool.name


def registered(tool: Tool, options: ServeOptions, groups: frozenset[str]) -> Offered:
    """Offer a tool of the registry."""
    bundles = tool.family == "prepare"

    def run(given: JsonDict, watched: Watched) -> ToolResult:
        arguments = dict(given)
        try:
            confined(arguments, options.outputs)
            folder = _folder(arguments.pop("bundle", None), options) if bundles else None
            result = called(
                tool,
                arguments,
                None if "index" in arguments else options.index,
                options.outputs,
                profile=options.profile,
                budget=options.budget,
                bundle=folder,
                watched=watched,
            )
            return result if folder is None else _named(result, folder, options)
        except CorpusgraphError as error:
            return failed(error, given)

    return Offered(tool, run, groups, bundle=bundles and not options.read_only)


def _folder(name: Any, options: ServeOptions) -> Path | None:
    """Return the folder that a call names for its files, below outputs and nowhere else."""
    if name is None:
        return None
    if options.read_only:
        raise refused("A bundle is files, and this server writes none.")
    return below(options.outputs, name)


def _named(result: ToolResult, folder: Path, options: ServeOptions) -> ToolResult:
    """Tell a client where its files are below outputs, not where on this machine."""
    where = folder.relative_to(options.outputs.resolve()).as_posix()
    told = {**result.metadata, **({"bundle": where} if "bundle" in result.metadata else {})}
    return result.model_copy(update={"metadata": told})


def refused(message: str) -> CorpusgraphError:
    """Return the error of what a read-only server does not do."""
    hint = "The server was started with --read-only; ask whoever runs it."
    return CorpusgraphError(message, hint=hint, code="read_only")
