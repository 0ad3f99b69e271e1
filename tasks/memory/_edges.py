"""Which relationships of a graph a tool looks at, and the graph of those alone."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import AliasChoices, Field

from corpusgraph.schemas.errors import did_you_mean
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.graph.compiled import CompiledGraph, compiled
from corpusgraph.tasks.memory._asked import listed

Types = Annotated[
    list[str] | None,
    Field(
        validation_alias=AliasChoices("relationship_types", "relation_types", "edge_types"),
        description="look at these types only",
    ),
]
Least = Annotated[float, Field(ge=0, description="look at relationships of at least this weight")]


def chosen(arrays: CompiledGraph, types: Sequence[str] | None, min_weight: float) -> CompiledGraph:
    """Return the graph of some stated relationships; nodes stay, and numbers of edges change."""
    if types is None and min_weight <= 0 and not len(arrays.denied):
        return arrays
    keep: NDArray[np.bool_] = arrays.is_stated & (arrays.weight >= min_weight)
    if types is not None:
        keep = keep & arrays.of_types(types)
    return CompiledGraph(
        ids=arrays.ids,
        source=arrays.source[keep],
        target=arrays.target[keep],
        weight=arrays.weight[keep],
        type_code=arrays.type_code[keep],
        type_names=arrays.type_names,
    )


def no_entity_of_type(type_: str, known: Sequence[str]) -> ToolWarning:
    """Tell that no entity is of a type, with the nearest of those that there are, or the first of them."""
    hint = did_you_mean(type_, known) or (f"There are {listed(known)}." if known else "")
    message = f"No entity is of type {type_!r}. {hint}".strip()
    return ToolWarning(code="unknown_type", message=message, records=(type_,))


def unknown_types(graph: GraphView, types: Sequence[str] | None) -> tuple[ToolWarning, ...]:
    """Tell of types that no relationship has, with the nearest that there are."""
    known = compiled(graph).type_names
    wrong = sorted(set(types or ()) - set(known))
    if not wrong:
        return ()
    hints = [hint for name in wrong[:5] if (hint := did_you_mean(name, known))]
    message = " ".join([f"No relationship is of type {', '.join(map(repr, wrong[:5]))}.", *hints])
    return (ToolWarning(code="unknown_type", message=message, records=tuple(wrong)),)
