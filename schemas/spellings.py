"""Other spellings of a tool's arguments: those of the servers whose tools these are, and of their clients."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import AliasChoices, BaseModel

TYPES = ("relationship_types", "edge_types", "relation_types", "relation_type", "relationship_type")
SAME = (("top_k", "limit", "max_results"), TYPES)
"""Names of one thing: where a tool takes one of them, the others say the same."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def respelt(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments under names that a model has; what it has none for, or twice, stays as it is.

    `maxResults` is max_results, a name of `SAME` the one that the model has, and one type a list of it
    where the model takes several.
    """
    known = spellings(model)
    taken = {known[name] for name in given if name in known}
    found: dict[str, Any] = {}
    for name, value in given.items():
        field = known.get(name) or _meant(known, name)
        is_new = field is not None and name not in known and field not in taken
        if is_new:
            taken.add(str(field))
        several = field in TYPES and str(field).endswith("s") and isinstance(value, str)
        found[str(field) if is_new else name] = [value] if several else value
    return found


@cache
def spellings(model: type[BaseModel]) -> dict[str, str]:
    """Return each declared spelling of an argument -> its field."""
    found: dict[str, str] = {}
    for name, info in model.model_fields.items():
        also = info.validation_alias
        choices = also.choices if isinstance(also, AliasChoices) else [also]
        found |= {choice: name for choice in choices if isinstance(choice, str)} | {name: name}
    return found


def _meant(known: Mapping[str, str], name: str) -> str | None:
    """Return the field that a name, which is no declared one, can only mean; None where it is none's."""
    plain = _HUMP.sub("_", name).lower()
    if plain in known:
        return known[plain]
    fields = {known[other] for same in SAME if plain in same for other in same if other in known}
    return fields.pop() if len(fields) == 1 else None
