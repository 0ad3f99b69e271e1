"""A result as it crosses the wire: structured content for programs, the same as text for older clients."""

from dataclasses import dataclass

from pydantic_core import to_json

from corpusgraph.flows.surfaces.mcp.longtables import shortened
from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.flows.surfaces.mcp.running import Offered
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import ToolResult

TEXT_LIMIT = 256_000
"""Bytes of JSON up to which the text repeats the structured content; an old client gets all of it."""
STRUCTURED_SINCE = "2025-06-18"
"""First protocol version with structured content."""


@dataclass(frozen=True)
class Answered:
    """What a call answers, before the protocol's version shapes it."""

    structured: JsonDict
    is_error: bool
    links: tuple[JsonDict, ...] = ()

    def wire(self, version: str) -> JsonDict:
        """Return the result of tools/call; a client from before structured content gets text alone."""
        text = to_json(self.structured, inf_nan_mode="null").decode()
        if version < STRUCTURED_SINCE:
            return {"content": [{"type": "text", "text": text}], "isError": self.is_error}
        if len(text) > TEXT_LIMIT:
            text = f"{text[:2000]} … the whole result, {len(text):,} characters, is in structuredContent."
        content = [{"type": "text", "text": text}, *self.links]
        found: JsonDict = {"content": content, "structuredContent": self.structured}
        return {**found, "isError": self.is_error, "resultType": "complete"}


def answered(one: Offered, result: ToolResult, options: ServeOptions) -> Answered:
    """Return a result in the shape the tool's output schema declares, long tables cut and linked to."""
    if result.error is not None:
        return told(one, result)
    links: tuple[JsonDict, ...] = ()
    if one.has_tables:
        cut = shortened(result.data, options.rows, None if options.read_only else options.outputs)
        warnings, links = (*result.warnings, *cut.warnings), cut.links
        result = result.model_copy(update={"data": cut.data, "warnings": warnings})
    data = one.adapter.dump_python(result.data, mode="json", by_alias=True)
    around = result.model_dump(mode="json", exclude={"data"})
    if not one.flat:
        return Answered(_in_order({**around, "data": data}), False, links)
    both = [*data.get("warnings", ()), *around["warnings"]]
    return Answered({**data, **({"warnings": both} if both else {})}, False, links)


def told(one: Offered | None, result: ToolResult) -> Answered:
    """Return an error: flat where the tool answers flat, or there is no such tool; else in the envelope."""
    envelope = result.model_dump(mode="json")
    flat = one is None or one.flat
    return Answered({"success": False, "error": envelope["error"]} if flat else envelope, True)


def _in_order(envelope: JsonDict) -> JsonDict:
    return {name: envelope[name] for name in ToolResult.model_fields}
