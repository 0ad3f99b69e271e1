"""Which kind of result fits which input of a tool, and in what form it is handed over."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter, ValidationError

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, Entity, Path, Relationship
from corpusgraph.schemas.results import ToolInput
from corpusgraph.schemas.spellings import spellings
from corpusgraph.tasks._tool import TOOLS, Tool
from corpusgraph.tasks.method.kinds import FLAG, LISTS, TEXT, TEXTS, VALUE, Kind, scored

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
