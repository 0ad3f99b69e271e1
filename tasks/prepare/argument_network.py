"""Tool 25: claims, attacks and supports as an argumentation framework with what can be accepted."""

from collections.abc import Sequence

from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.results import Noted, ToolWarning
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.prepare._argument_checks import checked_relations
from corpusgraph.tasks.prepare._argument_nouns import (
    Acceptance,
    ArgumentNetwork,
    BipolarSets,
    ClaimRelation,
    DerivedAttack,
    Extensions,
    PrepareArgumentNetwork,
)
from corpusgraph.tasks.prepare._argument_status import statuses
from corpusgraph.tasks.prepare._argumentation import Framework, Pair
from corpusgraph.tasks.prepare._bipolar import Bipolar
from corpusgraph.tasks.prepare._budget import budget_extensions
from corpusgraph.tasks.prepare._checks import unique_records
from corpusgraph.tasks.prepare._gradual import GRADUAL, SURE, causes_first, strengths
from corpusgraph.tasks.prepare._semantics import MAX_LISTED, MAX_PER_PART, SEMANTICS, SINGLE, Semantics
from corpusgraph.tasks.prepare._semantics import Extensions as Found
from corpusgraph.tasks.prepare._semantics import extensions as extensions_of

SMALL = 12
"""Claims up to which conflict-free and admissible sets are listed without being asked for."""

MAX_CELLS = 100_000
"""Members of all listed sets of one kind together, at most."""

_NOT_MAXIMAL = ("conflict_free", "admissible", "complete")


@tool(
    25,
    writes="argument_network",
    needs={"Claim.id", "ArgumentRelation.source", "ArgumentRelation.target", "ArgumentRelation.type"},
    optional={"Claim.text", "Claim.weight", "ArgumentRelation.weight"},
    cite="Dung 1995; Baroni, Caminada & Giacomin 2011; Cayrol & Lagasquie-Schiex 2005; Dunne et al. 2011",
)
def prepare_argument_network(ask: PrepareArgumentNetwork) -> Noted[ArgumentNetwork]:
    """Build an argumentation framework: extensions, what is accepted and why, and for weights strengths.

    `dung` knows attacks only; `bipolar` adds the attacks that support brings about; `weighted` ignores
    attacks up to a budget and gives gradual strengths. Self-attacks are legal.
    Errors: `empty_id`, `duplicate_id`, `dangling_edge`, `support_in_dung`, `unknown_relation_type`,
    `unknown_semantics`, `weight_not_finite`, `weight_not_positive` (of an attack), `weight_out_of_range`
    (of a claim, outside 0 to 1), `budget_too_large`.
    """
    claims, warnings = unique_records(ask.claims, "claim")
    warnings = [*ask.notes, *warnings]
    wanted = _wanted(ask.semantics, len(claims), warnings)
    checked = ask.model_copy(update={"claims": tuple(claims)})
    relations = checked_relations(checked, warnings)
    direct = Framework(tuple(claim.id for claim in claims), _pairs(relations, "attack"))
    bipolar = Bipolar(direct, _pairs(relations, "support"))
    effective = bipolar.complete_attacks if ask.framework == "bipolar" else direct
    found = {name: extensions_of(effective, name) for name in wanted}
    network = ArgumentNetwork(
        framework=ask.framework,
        claims=tuple(claims),
        relations=tuple(relations),
        extensions=Extensions(**_listed(found, effective, warnings)),
        acceptance=_acceptance(found, effective, warnings),
        statuses=statuses(effective, bipolar.supports),
        budget=ask.budget,
    )
    if ask.framework == "bipolar":
        network = network.model_copy(update=_of_support(bipolar, warnings))
    if ask.framework == "weighted":
        network = network.model_copy(update=_of_weights(checked, relations, bipolar, wanted, warnings))
    return Noted(data=network, warnings=tuple(warnings))


def _wanted(names: Sequence[str] | None, size: int, warnings: list[ToolWarning]) -> list[Semantics]:
    if names is None:
        if size <= SMALL:
            return list(SEMANTICS)
        message = f"Conflict-free and admissible sets of more than {SMALL} claims are listed on request only."
        warnings.append(ToolWarning(code="list_cut", message=message))
        return [name for name in SEMANTICS if name not in ("conflict_free", "admissible")]
    for name in names:
        if name not in SEMANTICS:
            raise PreparationError(
                f"Unknown semantics {name!r}.",
                code="unknown_semantics",
                hint=did_you_mean(name, SEMANTICS) or f"Known are {', '.join(SEMANTICS)}.",
            )
    return [name for name in SEMANTICS if name in names]


def _pairs(relations: Sequence[ClaimRelation], kind: str) -> frozenset[Pair]:
    return frozenset((r.source, r.target) for r in relations if r.type == kind)


def _listed(
    found: dict[Semantics, Found | None], framework: Framework, warnings: list[ToolWarning]
) -> dict[str, object]:
    lists: dict[str, object] = {}
    for name, answer in found.items():
        rows = _rows(name, answer, framework, warnings)
        lists[name] = rows[0] if rows and name in SINGLE else rows
    return lists


def _rows(
    name: str, answer: Found | None, framework: Framework, warnings: list[ToolWarning]
) -> tuple[tuple[str, ...], ...] | None:
    """List the sets; of very many maximal ones some are listed, of very many others none."""
    if answer is None:
        message = f"A connected part has more than {MAX_PER_PART} {name} sets; they were left out."
        warnings.append(ToolWarning(code="too_many_extensions", message=message))
        return None
    most = min(MAX_LISTED, max(1, MAX_CELLS // max(1, len(framework.arguments))))
    if answer.count <= most:
        return tuple(answer.listed(framework, most))
    told = f"There are {_magnitude(answer.count)} {name} sets"
    if name.endswith(_NOT_MAXIMAL):
        message = f"{told}; they were left out."
        warnings.append(ToolWarning(code="too_many_extensions", message=message))
        return None
    warnings.append(ToolWarning(code="list_cut", message=f"{told}; {most} are listed."))
    return tuple(answer.listed(framework, most))


def _magnitude(count: int) -> str:
    return f"{count:,}" if count < 10**9 else f"about 10^{len(str(count)) - 1}"


def _acceptance(
    found: dict[Semantics, Found | None], framework: Framework, warnings: list[ToolWarning]
) -> dict[str, Acceptance]:
    accepted: dict[str, Acceptance] = {}
    everything = frozenset(framework.arguments)
    for name, answer in found.items():
        if answer is None:
            continue
        if not answer.count:
            message = f"There is no {name} extension; so every claim is in all of them, and none in any."
            warnings.append(ToolWarning(code="no_extension", message=message))
        accepted[name] = Acceptance(
            credulous=framework.in_order(answer.credulous()),
            sceptical=framework.in_order(answer.sceptical(everything)),
        )
    return accepted


def _of_support(bipolar: Bipolar, warnings: list[ToolWarning]) -> dict[str, object]:
    derived = [
        DerivedAttack.model_validate({"source": a, "target": b, "kind": kind})
        for kind, pairs in bipolar.derived().items()
        for a, b in sorted(pairs)
    ]
    sets = {
        name: _rows(name, answer, bipolar.direct, warnings)
        for name, answer in bipolar.admissible_sets().items()
    }
    return {"derived_attacks": tuple(derived), "bipolar": BipolarSets(**sets)}


def _of_weights(
    ask: PrepareArgumentNetwork,
    relations: Sequence[ClaimRelation],
    bipolar: Bipolar,
    wanted: Sequence[Semantics],
    warnings: list[ToolWarning],
) -> dict[str, object]:
    weights = {c.id: ask.base_weight if c.weight is None else c.weight for c in ask.claims}
    found: dict[str, dict[str, float] | None] = {}
    for name, update in GRADUAL.items():
        supports = frozenset[Pair]() if name in SURE else bipolar.supports
        answer = strengths(bipolar.direct, supports, weights, update)
        found[name] = dict(answer.values) if answer.converged else None
        if not answer.converged:
            message = f"The strengths of {name} did not settle; they were left out."
            warnings.append(ToolWarning(code="no_convergence", message=message))
    if causes_first(bipolar.direct, bipolar.supports) is None:
        names = ", ".join(name for name in GRADUAL if name not in SURE)
        message = f"The network has a cycle; {names} are not guaranteed to converge there, or to be unique."
        warnings.append(ToolWarning(code="no_convergence_guarantee", message=message))
    budgeted = {}
    if ask.budget is not None:
        costs = {(r.source, r.target): r.weight or 1.0 for r in relations if r.type == "attack"}
        budgeted = budget_extensions(bipolar.direct, costs, ask.budget, wanted)
    return {"strengths": found, "budget_extensions": budgeted}
