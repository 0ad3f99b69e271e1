"""Checks of tool 25: weights, types and ends of relations; doubled relations merged."""

import math
from collections.abc import Collection

from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.prepare._argument_nouns import ClaimRelation, PrepareArgumentNetwork
from corpusgraph.tasks.prepare._checks import require_known


def checked_relations(ask: PrepareArgumentNetwork, warnings: list[ToolWarning]) -> list[ClaimRelation]:
    """Check claims and relations, and merge relations of one type between the same claims."""
    known = {claim.id for claim in ask.claims}
    kept: dict[tuple[str, str, str], ClaimRelation] = {}
    merged = []
    for claim in ask.claims:
        _check_weight(f"Claim {claim.id!r}", claim.weight)
        if ask.framework == "weighted" and claim.weight is not None and not 0 <= claim.weight <= 1:
            message = f"Claim {claim.id!r} has the weight {claim.weight:g}, outside 0 to 1."
            raise PreparationError(message, code="weight_out_of_range")
    for relation in ask.relations:
        _check_relation(relation, ask.framework, known)
        key = (relation.source, relation.target, relation.type)
        first = kept.setdefault(key, relation)
        if first is not relation:
            merged.append(_said(relation))
            kept[key] = _joined(first, relation)
    if merged:
        message = f"Relations given twice were merged, the larger weight kept: {', '.join(merged)}."
        warnings.append(ToolWarning(code="parallel_edges_merged", message=message, records=tuple(merged)))
    both = [_said(r) for k, r in kept.items() if k[2] == "attack" and (*k[:2], "support") in kept]
    if both:
        message = f"Claims that both attack and support each other in one direction: {', '.join(both)}."
        warnings.append(ToolWarning(code="attack_and_support", message=message, records=tuple(both)))
    return list(kept.values())


def _check_relation(relation: ClaimRelation, framework: str, known: Collection[str]) -> None:
    if relation.type not in ("attack", "support"):
        raise PreparationError(
            f"Relation {_said(relation)} has the type {relation.type!r}.",
            code="unknown_relation_type",
            hint=did_you_mean(relation.type, ("attack", "support")) or "Use attack or support.",
        )
    require_known((relation.source, relation.target), known, f"Relation {_said(relation)}", "claim")
    if relation.type == "support" and framework == "dung":
        raise PreparationError(
            f"Relation {_said(relation)} is a support, and a Dung framework knows attacks only.",
            code="support_in_dung",
            hint="Use framework bipolar, or leave the supports out.",
        )
    _check_weight(f"Relation {_said(relation)}", relation.weight)
    if relation.weight is not None and relation.weight <= 0:
        raise PreparationError(
            f"Relation {_said(relation)} has the weight {relation.weight:g}.",
            code="weight_not_positive",
            hint="Leave out a relation that weighs nothing.",
        )


def _check_weight(what: str, weight: float | None) -> None:
    if weight is not None and not math.isfinite(weight):
        raise PreparationError(f"{what} has the weight {weight}.", code="weight_not_finite")


def _said(relation: ClaimRelation) -> str:
    return f"{relation.source} -> {relation.target}"


def _joined(first: ClaimRelation, other: ClaimRelation) -> ClaimRelation:
    weights = [r.weight for r in (first, other) if r.weight is not None]
    extra = tuple(passage for passage in other.passages if passage not in first.passages)
    return first.model_copy(update={"weight": max(weights, default=None), "passages": first.passages + extra})
