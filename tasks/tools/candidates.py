"""What an agent's tool is given to choose from: scored or not, and in a loop perhaps nothing."""

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator

from corpusgraph.schemas.graph import EntityRef
from corpusgraph.tasks.graph.inputs import reference, references


def graded(values: Any) -> Any:
    """Return id -> score of scored items, the best score of each; ids of a list of anything else.

    Parameters
    ----------
    values : Any
        What a caller gave; what is no list is returned as it is.

    Returns
    -------
    Any
        In order of first appearance.

    """
    if not isinstance(values, list | tuple) or not values:
        return values
    scores = [_field(value, "score") for value in values]
    if not all(isinstance(score, int | float) for score in scores):
        return references(values)
    best: dict[Any, Any] = {}
    for value, score in zip(values, scores, strict=True):
        key = reference(value)
        if not isinstance(key, str | int):
            return values
        best[key] = max(score, best.get(key, score))
    return best


def _field(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None) if isinstance(value, BaseModel) else None


def _finite(values: list[EntityRef] | dict[EntityRef, float]) -> list[EntityRef] | dict[EntityRef, float]:
    wrong = [key for key, value in grades(values).items() if not math.isfinite(value)]
    if wrong:
        raise ValueError(f"scores must be finite; these are not: {', '.join(map(repr, wrong))}")
    return values


Graded = Annotated[list[EntityRef] | dict[EntityRef, float], BeforeValidator(graded), AfterValidator(_finite)]
"""Items by id or short id, or id: score; results of other tools are taken as they are; may be empty."""


def grades(given: list[EntityRef] | dict[EntityRef, float]) -> dict[EntityRef, float]:
    """Return the score of each item, 1 where none was given.

    Parameters
    ----------
    given : list of EntityRef or dict of EntityRef to float
        As `graded` returns it.

    Returns
    -------
    dict of EntityRef to float
        In the same order.

    """
    return dict(given) if isinstance(given, dict) else dict.fromkeys(given, 1.0)
