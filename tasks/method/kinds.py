"""What a name in a method holds: the port it was written on, and the parts it has."""

import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any, Literal, cast, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, Entity, Graph, Path, Relationship
from corpusgraph.schemas.results import Scored, Table, ToolInput, spellings
from corpusgraph.tasks.registry import FAMILIES, TOOLS, TOOLS_PACKAGE, Tool, load

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


Form = Literal["as it is", "items", "records", "positive", "listed", "joined"]
"""How a value is handed to a field: as it is; items without scores; as JSON; those with a score not below 0
alone; a text as a list of one; texts joined by ", "."""

OWN = frozenset(ToolInput.model_fields)
"""Fields of every tool that a method does not set."""


def bare(scored: Any) -> Any:
    """Return the noun in a scored item; of a link, the entity it leads to."""
    item = getattr(scored, "item", scored)
    return getattr(item, "entity", item)


def _records(values: Sequence[Any]) -> list[Any]:
    items = [bare(value) for value in values]
    return [i.model_dump(mode="json", exclude_none=True) if isinstance(i, BaseModel) else i for i in items]


FORMS: dict[Form, Callable[[Any], Any]] = {
    "as it is": lambda value: value,
    "items": lambda values: [bare(value) for value in values],
    "records": _records,
    "positive": lambda values: [value for value in values if getattr(value, "score", 0.0) >= 0],
    "listed": lambda value: [value],
    "joined": ", ".join,
}


def _sample(port: str, score: float = 1.0) -> list[Any]:
    """Return three items of a port, to see whether a field takes such things."""
    nouns: dict[str, Callable[[str], Any]] = {
        "entities": lambda i: Entity(id=f"ent_{i}", name=f"name {i}", type="concept"),
        "relationships": lambda i: Relationship(
            id=f"rel_{i}", source_id=f"ent_{i}", target_id="ent_0", type="causes"
        ),
        "chunks": lambda i: Chunk(id=f"chk_{i}", content=f"text {i}", source_doc="doc_0"),
        "communities": lambda i: Community(id=f"com_{i}", entity_ids=("ent_0",), level=0),
        "paths": lambda i: Path(node_ids=(f"ent_{i}", "ent_0"), edge_ids=(f"rel_{i}",)),
    }
    made = [nouns[port](str(i)) for i in range(1, 4)]
    model = scored(LISTS[port])
    return [model(item=item, score=score / rank, rank=rank) for rank, item in enumerate(made, 1)]


def names_of(tool: Tool) -> dict[str, str]:
    """Return every spelling of an argument -> its field; the fields that every tool has are left out."""
    return {name: field for name, field in spellings(tool.input).items() if field not in OWN}


@cache
def adapter(tool: str, field: str) -> TypeAdapter[Any]:
    """Return what validates one field of a tool."""
    return TypeAdapter(TOOLS[tool].input.model_fields[field].rebuild_annotation())


def takes(tool: str, field: str, value: Any) -> bool:
    """Tell whether a field takes a value."""
    try:
        adapter(tool, field).validate_python(value)
    except ValidationError:
        return False
    return True


def form_for(tool: Tool, field: str, kind: Kind) -> Form | None:
    """Return the form in which a field takes a result of a kind, or None where it does not."""
    if kind.port in {TEXT, TEXTS}:
        return _text_form(tool.name, field, kind.port)
    reads = tool.reads.get(field)
    if reads is None:
        return "as it is" if kind.port in {FLAG, VALUE} else None
    if kind.port == VALUE:
        return "as it is"
    if kind.port != reads:
        return None
    return _list_form(tool.name, field, reads) if reads in LISTS else "as it is"


@cache
def _list_form(tool: str, field: str, port: str) -> Form | None:
    forms: tuple[Form, ...] = ("as it is", "items", "records")
    for form in forms:
        if takes(tool, field, FORMS[form](_sample(port))):
            only_positive = form == "as it is" and not takes(tool, field, _sample(port, -1.0))
            return "positive" if only_positive else form
    return None


@cache
def _text_form(tool: str, field: str, kind: str) -> Form | None:
    forms: tuple[Form, ...] = ("as it is", "joined") if kind == TEXTS else ("as it is", "listed")
    sample: Any = ["a name", "a name too"] if kind == TEXTS else "a text"
    return next((form for form in forms if takes(tool, field, FORMS[form](sample))), None)


def stand_in(tool: Tool, field: str, kind: Kind) -> Any:
    """Return a value such as a field will be given, for validating the others beside it; None if unknown."""
    form = form_for(tool, field, kind)
    if form is None or kind.port not in {*LISTS, TEXT, TEXTS}:
        return None
    sample: Any = {TEXT: "a text", TEXTS: ["a name", "a name too"]}.get(kind.port) or _sample(kind.port)
    return FORMS[form](sample)


_NAME = r"\$[A-Za-z_]\w*(?:\.\w+)*"
_ANY = re.compile(rf"{_NAME}(?:\s+or\s+{_NAME})*\Z")
_CONDITION = re.compile(rf"(not\s+)?({_NAME})\Z")


@dataclass(frozen=True)
class Reference:
    """One name and the parts of it asked for: `$query.keywords.low` is query, keywords, low."""

    name: str
    parts: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return it as it is written."""
        return "$" + ".".join((self.name, *self.parts))


@dataclass(frozen=True)
class Condition:
    """`$x`: x holds something; `not $x`: nothing."""

    reference: Reference
    wanted: bool


def is_reference(value: Any) -> bool:
    """Tell whether a value of a method refers to something; `$$` writes a dollar sign."""
    return isinstance(value, str) and value.startswith("$") and not value.startswith("$$")


def literal(value: Any) -> Any:
    """Return a value that refers to nothing as it is meant."""
    return value[1:] if isinstance(value, str) and value.startswith("$$") else value


def parsed(text: str) -> tuple[Reference, ...] | None:
    """Return the references of `$a` or `$a or $b …`, the first of which that holds something counts."""
    if not _ANY.match(text):
        return None
    return tuple(_one(word) for word in text.split() if word != "or")


def condition(text: str) -> Condition | None:
    """Return a condition, or None for what is none."""
    found = _CONDITION.match(text.strip())
    return Condition(_one(found[2]), wanted=not found[1]) if found else None


def _one(text: str) -> Reference:
    name, *parts = text.removeprefix("$").split(".")
    return Reference(name, tuple(parts))


def references_in(value: Any) -> Iterator[str]:
    """Yield every reference inside a value, as it is written."""
    if is_reference(value):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from references_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from references_in(inner)


def find_tool(name: str) -> Tool | None:
    """Return a tool by name or alias, or None."""
    if name not in TOOLS:
        _import_named(name)
    return TOOLS.get(name) or next((tool for tool in load().values() if name in tool.aliases), None)


@lru_cache(maxsize=256)
def _import_named(name: str) -> None:
    """Import the module that holds a tool: its folder and file are in its name, or the file alone."""
    for family in FAMILIES if name.isidentifier() else ():
        stem = name.removeprefix(f"{family}_")
        module = f"{TOOLS_PACKAGE}.{family}.{stem}"
        if find_spec(module) is not None:
            importlib.import_module(module)
            if name in TOOLS:
                return
