"""What a language model says of one passage. The shape goes with every call, so its words are few."""

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict

from corpusgraph.schemas.llm import Divisible
from corpusgraph.tasks.index.llm.ground import CONTROL, UNSEEN
from corpusgraph.tasks.query.judging import Score
from corpusgraph.tasks.query.prompting import Said

_CONTROL, _UNSEEN = re.compile(f"[{CONTROL}]"), re.compile(f"[{UNSEEN}]")
_DIGITS = re.compile(r"\d{1,9}")
_TRUE = frozenset({"true", "yes", "y", "1", "1.0", "t"})
_FALSE = frozenset({"false", "no", "n", "0", "0.0", "f", "", "none", "null"})
_DENIES = frozenset({"denies", "deny", "denied", "rejects", "negates", "against", "refutes"})


def _text(value: Any) -> Any:
    """Read a text: null is none; a number, a truth value or a list of texts is written out.

    What cannot be seen is left out: it would make two names of one, and files that others cannot read.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        value = ", ".join(value)
    if isinstance(value, str):
        return value if value.isprintable() else _CONTROL.sub(" ", _UNSEEN.sub("", value))
    return str(value) if isinstance(value, int | float) else value


def _words(value: Any) -> Any:
    """Read a text that says something; an empty one is an error, which the schema need not tell."""
    said = _text(value)
    if isinstance(said, str) and not said.strip():
        message = "it is empty"
        raise ValueError(message)
    return said


def _truth(value: Any) -> Any:
    """Read a truth value as models write it: true, "yes", 1, null."""
    if value is None:
        return False
    said = str(value).strip().casefold() if isinstance(value, str | int | float) else value
    return True if said in _TRUE else False if said in _FALSE else value


def _items(value: Any) -> Any:
    """Read a list: null is empty, one item is a list of it."""
    if value is None:
        return []
    return [value] if isinstance(value, dict | str) else value


def _names(value: Any) -> Any:
    """Read names: a list, or one name, or objects that have a name."""
    if isinstance(value, str):
        return [_text(value)] if value.strip() else []
    found = [_text(one.get("name") if isinstance(one, dict) else one) for one in _items(value)]
    return [one for one in found if not _is_nothing(one)]


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _numbers(value: Any) -> Any:
    """Read numbers of claims: [1], ["[1]"], "1, 2"; what is none is left out."""
    if isinstance(value, str):
        return [int(digits) for digits in _DIGITS.findall(value)]
    if isinstance(value, list | tuple):
        return [number for one in value for number in _numbers(one)]
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1:
        return []
    return [int(value)]


def _pairs(value: Any) -> Any:
    """Read attributes: a list of {name, value}, or a mapping of names to values."""
    if isinstance(value, dict) and not {"name", "value"} <= value.keys():
        value = [{"name": name, "value": one} for name, one in value.items()]
    found = _items(value)
    return [one for one in found if not isinstance(one, dict) or not _is_nothing(one.get("value"))]


def _stance(value: Any) -> str:
    return "denies" if isinstance(value, str) and value.strip().casefold() in _DENIES else "asserts"


Text = Annotated[str, BeforeValidator(_text)]
Words = Annotated[str, BeforeValidator(_words)]
"""Of replies that are one thing: of many things, one without words costs no other."""
Truth = Annotated[bool, BeforeValidator(_truth)]
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
Numbers = Annotated[tuple[int, ...], BeforeValidator(_numbers)]


def _bare(schema: dict[str, Any]) -> None:
    """Leave out of a schema what tells a model nothing: titles, defaults, and what the class is for here."""
    schema.pop("title", None)
    schema.pop("description", None)
    for shape in schema.get("properties", {}).values():
        shape.pop("title", None)
        shape.pop("default", None)


class _Bare(Said):
    model_config = ConfigDict(json_schema_extra=_bare)


class SaidAttribute(_Bare):
    """A property of an entity."""

    name: Text
    value: Text


class SaidEntity(_Bare):
    """Somebody or something that the passage names."""

    name: Text
    type: Text
    description: Text = ""
    quote: Text
    attributes: Annotated[tuple[SaidAttribute, ...], BeforeValidator(_pairs)] = ()


class SaidRelationship(_Bare):
    """A directed relation between two entities."""

    source: Text
    target: Text
    type: Text
    description: Text = ""
    is_causal: Truth = False
    negated: Truth = False
    confidence: Score = None
    quote: Text


class SaidEvent(_Bare):
    """Something that happened at a stated time."""

    activity: Text
    time: Text
    actors: Names = ()
    places: Names = ()
    quote: Text


class SaidClaim(_Bare):
    """A proposition put forward; `supports` and `attacks` count the claims of its reply from 1."""

    text: Text
    speaker: Text = ""
    stance: Annotated[Literal["asserts", "denies"], BeforeValidator(_stance)] = "asserts"
    quote: Text
    supports: Numbers = ()
    attacks: Numbers = ()


class SaidEvidence(_Bare, Divisible):
    """All that is said of a passage."""

    entities: Annotated[tuple[SaidEntity, ...], BeforeValidator(_items)]
    relationships: Annotated[tuple[SaidRelationship, ...], BeforeValidator(_items)]
    events: Annotated[tuple[SaidEvent, ...], BeforeValidator(_items)]
    claims: Annotated[tuple[SaidClaim, ...], BeforeValidator(_items)]


SaidItem = SaidEntity | SaidRelationship | SaidEvent | SaidClaim


def items_of(said: SaidEvidence) -> list[SaidItem]:
    """Return everything that a reply holds."""
    return [*said.entities, *said.relationships, *said.events, *said.claims]


def is_wordless(item: SaidItem) -> bool:
    """Tell an item without the name or the words that it is about."""
    if isinstance(item, SaidRelationship):
        return not (item.source.strip() and item.target.strip())
    return not label(item).strip()


def label(item: SaidItem) -> str:
    """Name an item for people."""
    if isinstance(item, SaidRelationship):
        return f"{item.source} -> {item.target} ({item.type})"
    if isinstance(item, SaidEntity):
        return item.name
    return item.activity if isinstance(item, SaidEvent) else item.text
