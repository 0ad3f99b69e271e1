"""What a name in a method holds: the port it was written on, and the parts it has."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args, get_origin

from pydantic import BaseModel

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, Entity, Graph, Path, Relationship
from corpusgraph.schemas.results import Scored, Table

LISTS: dict[str, type[BaseModel]] = {
    "entities": Entity,
    "relationships": Relationship,
    "chunks": Chunk,
    "communities": Community,
    "paths": Path,
}
"""Ports that hold a list of scored items -> the item."""

PARTS: dict[str, tuple[str, ...]] = {
    "paths": ("entities", "relationships"),
    "subgraph": ("entities", "relationships"),
}
"""Ports another port's items can be read from: `$tree.entities`. The checker does it by itself."""

TEXT, TEXTS, FLAG, VALUE = "text", "texts", "flag", "value"
"""Kinds that are no ports: a string, a list of them, true or false, and anything else."""


def scored(kind: type[BaseModel]) -> type[Scored[Any]]:
    """Return `Scored[kind]`, for a kind known at run time."""
    return cast("type[Scored[Any]]", Scored.__class_getitem__(kind))


@dataclass(frozen=True)
class Kind:
    """The port of a result, or one of the kinds above; `output` is the type behind it, where one is known.

    `parts` are the names below a query (`$query.entities`) or a loop (`$beam.triples`).
    """

    port: str
    output: Any = None
    parts: "Mapping[str, Kind] | None" = None

    def __str__(self) -> str:
        """Return the name a person reads."""
        return {TEXT: "a text", TEXTS: "a list of texts", FLAG: "true or false", VALUE: "a value"}.get(
            self.port, self.port
        )


def part_of(kind: Kind, name: str) -> Kind | None:
    """Return the kind of `$x.name`, or None where x has no such part."""
    if kind.parts is not None:
        return kind.parts.get(name)
    if name in PARTS.get(kind.port, ()):
        return Kind(name)
    if name == "text" and (kind.port in LISTS or kind.port in {TEXT, TEXTS}):
        return Kind(TEXT)
    fields = _fields(kind.output)
    return kind_of(fields[name].annotation) if name in fields else None


def parts_of(kind: Kind) -> list[str]:
    """Return the names that can follow a reference to something of this kind."""
    if kind.parts is not None:
        return sorted(kind.parts)
    own = [*PARTS.get(kind.port, ()), *(["text"] if kind.port in LISTS else [])]
    return sorted({*own, *_fields(kind.output)})


def _fields(output: Any) -> Mapping[str, Any]:
    return output.model_fields if isinstance(output, type) and issubclass(output, BaseModel) else {}


def kind_of(annotation: Any) -> Kind:
    """Return the kind of a field by its type."""
    options = [a for a in get_args(annotation) if a is not type(None)]
    if get_origin(annotation) in {list, tuple}:
        return _kind_of_list(options[0], annotation) if options else Kind(VALUE, annotation)
    if len(options) == 1 and type(None) in get_args(annotation):
        return kind_of(options[0])
    known = {str: TEXT, bool: FLAG, Graph: "subgraph", Table: "table"}
    bases = annotation.__mro__ if isinstance(annotation, type) else ()
    return Kind(next((known[base] for base in bases if base in known), VALUE), annotation)


def _kind_of_list(item: Any, annotation: Any) -> Kind:
    if item is str:
        return Kind(TEXTS)
    held = _scored_item(item)
    port = next((p for p, noun in LISTS.items() if held is not None and issubclass(held, noun)), None)
    return Kind(port, annotation) if port else Kind(VALUE, annotation)


def _scored_item(item: Any) -> type[BaseModel] | None:
    """Return T of `Scored[T]`, or the noun itself."""
    if not (isinstance(item, type) and issubclass(item, BaseModel)):
        return None
    made = item.__pydantic_generic_metadata__
    if made["origin"] is Scored:
        inner = made["args"][0]
        return inner if isinstance(inner, type) and issubclass(inner, BaseModel) else None
    return item
