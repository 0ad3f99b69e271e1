"""References in a method: `$links`, `$query.entities`, `$a or $b`, and the conditions made of them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

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
