"""What weights add to an argument network: gradual strengths, and extensions within a budget."""

from collections.abc import Sequence

import numpy as np

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.prepare.argument.budget import budget_extensions
from corpusgraph.tasks.prepare.argument.checks import Checked
from corpusgraph.tasks.prepare.argument.effort import Effort
from corpusgraph.tasks.prepare.argument.framework import Framework
from corpusgraph.tasks.prepare.argument.gradual import (
    GRADUAL,
    SURE,
    Bearing,
    Relations,
    Strengths,
    depth_of,
    strengths,
)
from corpusgraph.tasks.prepare.argument.nouns import Convergence, PrepareArgumentNetwork
from corpusgraph.tasks.prepare.argument.semantics import Semantics

ATTACK_COST = 1.0
"""What ignoring an attack without a weight costs."""


def of_weights(
    ask: PrepareArgumentNetwork,
    given: Checked,
    direct: Framework,
    wanted: Sequence[Semantics],
    effort: Effort,
    warnings: list[ToolWarning],
) -> tuple[dict[str, object], list[str]]:
    """Return the fields of a weighted network, and what of the budget was not decided."""
    fields = _strengths(ask, given, direct, warnings)
    if ask.budget is None:
        return fields, []
    stated = {(r.source, r.target): r.weight for r in given.relations if r.type == "attack"}
    names = direct.arguments
    costs = [stated.get((names[a], names[b])) or ATTACK_COST for a, b in direct.pairs]
    found, open_ones = budget_extensions(direct, costs, ask.budget, wanted, effort)
    return {**fields, "budget_extensions": found}, [f"budget_{name}" for name in open_ones]


def _strengths(
    ask: PrepareArgumentNetwork, given: Checked, direct: Framework, warnings: list[ToolWarning]
) -> dict[str, object]:
    stated = [claim.weight for claim in given.claims] + [None] * len(given.arguments)
    weights = np.array([ask.base_weight if w is None else w for w in stated], dtype=np.float64)
    attacks = Bearing.of(direct)
    both = Relations(attacks, Bearing.of(Framework.of(direct.arguments, given.supporting())))
    alone = Relations(attacks, Bearing.of(Framework.of(direct.arguments)))
    depths = {id(relations): depth_of(relations) for relations in (both, alone)}
    found: dict[str, dict[str, float] | None] = {}
    told: dict[str, Convergence] = {}
    for name, update in GRADUAL.items():
        relations = alone if name in SURE else both
        depth = depths[id(relations)]
        answer = strengths(relations, weights, update, depth)
        found[name] = dict(zip(direct.arguments, answer.values, strict=True)) if answer.settled else None
        told[name] = _told(answer, sure=name in SURE or depth is not None)
        if not answer.settled:
            message = f"The strengths of {name} did not settle in {answer.rounds} rounds; they were left out."
            warnings.append(ToolWarning(code="no_convergence", message=message, records=(name,)))
    if depths[id(both)] is None:
        unsure = tuple(name for name in GRADUAL if name not in SURE)
        names = ", ".join(unsure)
        message = f"The network has a cycle; {names} are not guaranteed to converge there, or to be unique."
        warnings.append(ToolWarning(code="no_convergence_guarantee", message=message, records=unsure))
    return {"strengths": found, "convergence": told}


def _told(answer: Strengths, *, sure: bool) -> Convergence:
    return Convergence(settled=answer.settled, rounds=answer.rounds, guaranteed=sure)
