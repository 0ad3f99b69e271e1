"""A filter as a person types it: FIELD=VALUE, FIELD=a|b, FIELD!=VALUE, FIELD>=1788, FIELD<=1788."""

import re
from collections.abc import Iterable

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.filters import Condition, DocumentFilter, Excluded, Range

_FORM = re.compile(r"\s*(?P<field>[^=!<>]+?)\s*(?P<sign>!=|>=|<=|=)\s*(?P<value>.*?)\s*", re.DOTALL)
_HINT = "Write FIELD=VALUE, FIELD=a|b, FIELD!=VALUE, FIELD>=1787 or FIELD<=1788."


def parse_filters(texts: Iterable[str]) -> DocumentFilter | None:
    """Read filters; all must hold. The two ends of a range are one condition; without texts, None."""
    found: DocumentFilter = {}
    for text in texts:
        name, condition = parse_filter(text)
        found[name] = _joined(name, found[name], condition) if name in found else condition
    return found or None


def parse_filter(text: str) -> tuple[str, Condition]:
    """Read one filter as a field and its condition."""
    match = _FORM.fullmatch(text)
    if match is None or not match["value"]:
        raise InvalidInputError(f"{text!r} is no filter.", hint=_HINT)
    name, sign, value = match["field"], match["sign"], match["value"]
    if sign == ">=":
        return name, Range.model_validate({"from": value})
    if sign == "<=":
        return name, Range.model_validate({"to": value})
    values = tuple(part.strip() for part in value.split("|"))
    if not all(values):
        raise InvalidInputError(f"{text!r} names an empty value.", hint=_HINT)
    condition = values if len(values) > 1 else values[0]
    return name, Excluded.model_validate({"not": condition}) if sign == "!=" else condition


def _joined(name: str, one: Condition, other: Condition) -> Range:
    """Join the two ends of a range."""
    if isinstance(one, Range) and isinstance(other, Range):
        ends = (
            one.model_dump(by_alias=True, exclude_none=True),
            other.model_dump(by_alias=True, exclude_none=True),
        )
        if not ends[0].keys() & ends[1].keys():
            return Range.model_validate({**ends[0], **ends[1]})
    raise InvalidInputError(f"Two filters are about {name!r}.", hint=f"Several values: {name}=a|b.")
