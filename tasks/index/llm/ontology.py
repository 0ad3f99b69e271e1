"""Types and attributes a language model gave, as the study's ontology knows them."""

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.study import AttributeKind, Ontology
from corpusgraph.tasks.index.names import singular
from corpusgraph.tasks.index.rules.dates import find_dates
from corpusgraph.tasks.index.rules.quantities import find_quantities, number
from corpusgraph.tasks.index.rules.tagger import read, tag
from corpusgraph.tasks.index.written_dates import iso_date

Value = str | float | int | bool
TYPE, RELATION = "concept", "relates_to"
"""Of what a model gives no type."""
MAX_TYPE = 60
"""Characters of a type's name: what is longer is none."""

_NO_WORD = re.compile(r"[\W_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NUMBER = re.compile(r"[-+\u2212]?\d+(?:,\d{3})*(?:\.\d+)?")
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_TRUE = frozenset({"true", "yes", "1"})
_FALSE = frozenset({"false", "no", "0"})
_USUAL = {
    "organization": "organisation",
    "company": "organisation",
    "institution": "organisation",
    "people": "person",
    "location": "place",
    "geo": "place",
    "time": "date",
    "number": "quantity",
    "amount": "quantity",
}
"""Other words for the types that the rest of corpusgraph knows."""


@lru_cache(maxsize=4096)
def snake(name: str) -> str:
    """Return a type's name in lower_snake_case: "Born In" -> "born_in"; letters of any script stay."""
    return _NO_WORD.sub("_", _CAMEL.sub("_", nfc(name))).strip("_").casefold()


def _short(name: str) -> str:
    return name if len(name := snake(name)) <= MAX_TYPE else ""


@lru_cache(maxsize=4096)
def _key(name: str) -> str:
    """Return the form under which variants of a type's name are one: case, spaces and plural do not count."""
    return singular(snake(name).replace("_", " ")).replace(" ", "")


class Types:
    """Knows which types, ends and attributes there may be."""

    def __init__(self, ontology: Ontology) -> None:
        self.strict = ontology.strict
        self._ontology = ontology
        self._entities = _keys(ontology.entities)
        self._relationships = _keys(ontology.relationships)
        self._closed = any(kind.attributes for kind in ontology.entities.values())

    def entity(self, said: str) -> tuple[str, bool]:
        """Return a type of entities and whether it may be."""
        known = self._entities.get(_key(said))
        if known is not None:
            return known, True
        name = _short(said) or TYPE
        name = _USUAL.get(_key(name), name)
        known = self._entities.get(_key(name))
        return known or name, known is not None or not self._entities

    def relationship(self, said: str) -> tuple[str, bool]:
        """Return a type of relationships and whether it may be."""
        known = self._relationships.get(_key(said))
        return known or _short(said) or RELATION, known is not None or not self._relationships

    def fits(self, type_: str, source: str, target: str) -> bool:
        """Tell whether a relationship may lead from one type to the other."""
        kind = self._ontology.relationships.get(type_)
        if kind is None:
            return True
        return (not kind.source or source in kind.source) and (not kind.target or target in kind.target)

    def is_causal(self, type_: str) -> bool:
        """Tell whether the ontology calls a relationship causal."""
        kind = self._ontology.relationships.get(type_)
        return kind is not None and kind.is_causal

    def end(self, type_: str, *, source: bool) -> str | None:
        """Return the type of an end that no entity of the reply is: the only one there may be.

        None where the ontology leaves it open and has types of its own.
        """
        kind = self._ontology.relationships.get(type_)
        ends = (kind.source if source else kind.target) if kind else ()
        if len(ends) == 1:
            return ends[0]
        return TYPE if not ends and self.entity(TYPE)[1] else None

    def attributes(self, type_: str, said: Iterable[tuple[str, str]]) -> tuple[dict[str, Value], list[str]]:
        """Return the attributes of an entity, typed, and the names of those that may not be."""
        kind = self._ontology.entities.get(type_)
        known = {_key(name): name for name in kind.attributes} if kind else {}
        kept: dict[str, Value] = {}
        outside = []
        for name, value in said:
            given = known.get(_key(name))
            declared = kind.attributes[given] if kind and given else None
            typed = _typed(value, declared) if declared else _guessed(value)
            wrong = typed is None or (declared is None and self._closed)
            if wrong:
                outside.append(f"{type_}.{snake(name)} = {value[:40]}")
            if not wrong or not self.strict:
                kept.setdefault(given or snake(name), " ".join(value.split()) if typed is None else typed)
        return {name: value for name, value in kept.items() if name}, outside


def _keys(names: Mapping[str, object]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(_key(name), name)
    return found


def _guessed(value: str) -> Value:
    """Return a plain number as one, all else as text."""
    text = " ".join(value.split())
    if not _PLAIN_NUMBER.fullmatch(text) or len(text) > 15:
        return text
    return float(text) if "." in text else int(text)


def _typed(value: str, kind: AttributeKind) -> Value | None:
    """Return a value as its attribute's type; None where it is none, or not one of the values there are."""
    text = " ".join(nfc(value).split())
    if kind.values:
        return next((one for one in kind.values if _key(one) == _key(text) and _key(one)), None)
    if kind.type == "number":
        return number_in(text)
    if kind.type == "date":
        return date_in(text)
    if kind.type == "boolean":
        low = text.casefold()
        return True if low in _TRUE else False if low in _FALSE else None
    return text or None


def number_in(text: str) -> float | None:
    """Return the number of a text that has one and only one: "1,854 feet" is 1854, "$5 million" 5000000."""
    found = _NUMBER.findall(text)
    signed = any(one[0] in "-+\u2212" for one in found)
    if len(found) > 1 or not text:
        return None
    if not signed and not _NUMBER.fullmatch(text):
        amount = amount_in(text) or amount_in(f"{text} items")
        return amount[0] if amount else float(found[0].replace(",", "")) if found else number(text)
    value = float(found[0].replace(",", "").replace("\u2212", "-"))
    return value if math.isfinite(value) else None


def amount_in(text: str) -> tuple[float, str] | None:
    """Return value and unit of a text that is one quantity."""
    sentence = read(text, 0, len(text))
    tag(sentence)
    found = find_quantities(sentence)
    return (found[0].value, found[0].unit or "") if len(found) == 1 else None


def date_in(text: str) -> str | None:
    """Return the date that a text is or has, as ISO 8601."""
    whole = iso_date(text)
    found = [date.first for date in find_dates(text, 0, len(text)) if date.first and date.first[0] != "-"]
    return whole or (found[0] if len(found) == 1 else None)
