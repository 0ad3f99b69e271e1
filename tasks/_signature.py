"""Reading a tool's signature: its ports, the fields that read another tool's output, its output type."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from corpusgraph.schemas.ports import Corpus, Embedder, GraphView, LanguageModel, Memory, Reranker, Vectors
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.schemas.stages import Extractor

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
    """Return T of `Noted[T]`: the envelope carries warnings beside the data."""
    metadata = getattr(returned, "__pydantic_generic_metadata__", None)
    if metadata and metadata["origin"] is Noted:
        return metadata["args"][0]
    return returned


def ports_of(name: str, parameters: list[str], hints: Mapping[str, Any]) -> tuple[str, ...]:
    for parameter in parameters:
        if PORTS.get(parameter) not in (hints[parameter], *get_args(hints[parameter])):
            message = f"{name}: parameter {parameter!r} is no port; ports are {sorted(PORTS)}"
            raise TypeError(message)
    return tuple(parameters)


def spares_of(parameters: list[str], hints: Mapping[str, Any]) -> frozenset[str]:
    """Return the ports that may be None."""
    return frozenset(name for name in parameters if type(None) in get_args(hints[name]))


def reads_of(ask: type[ToolInput]) -> dict[str, str]:
    """Map field name -> port, from `Annotated[..., Reads("port")]`, also inside `… | None`."""
    found: dict[str, str] = {}
    for name, info in ask.model_fields.items():
        inner = (mark for option in get_args(info.annotation) for mark in getattr(option, "__metadata__", ()))
        for mark in (*info.metadata, *inner):
            if isinstance(mark, Reads):
                found.setdefault(name, mark.port)
    return found
