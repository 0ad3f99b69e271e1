"""Tool 25: claims, attacks and supports as an argumentation framework with what can be accepted."""

from collections.abc import Sequence
from functools import partial

from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.results import Noted, ToolWarning
from corpusgraph.tasks.analysis.argument.bipolar import IN_FORCE, Bipolar
from corpusgraph.tasks.analysis.argument.framework import Framework
from corpusgraph.tasks.analysis.argument.models import (
    ArgumentNetwork,
    BipolarSets,
    Checked,
    ClaimStatus,
    DerivedAttack,
    Extensions,
    PrepareArgumentNetwork,
    checked,
)
from corpusgraph.tasks.analysis.argument.semantics import QUICK_FIRST, SEMANTICS, Semantics, extensions
from corpusgraph.tasks.analysis.argument.semantics import Extensions as Sets
from corpusgraph.tasks.analysis.argument.solver import Effort
from corpusgraph.tasks.analysis.argument.status import Found, acceptance, labels, listed, rows_of, statuses
from corpusgraph.tasks.analysis.argument.strength import of_weights
from corpusgraph.tasks.analysis.checks import check_writable
from corpusgraph.tasks.registry import tool

SMALL = 12
"""Claims up to which conflict-free and admissible sets are listed without being asked for."""

AS_RECORDS = 50_000
"""Claims and relations given by id alone that come back as records; more of them stay ids and pairs."""

MAX_EXPLAINED = 500_000
"""Claims and attacks, times semantics, up to which reasons are given without being asked for."""


@tool(
    25,
    writes="argument_network",
    needs={"Claim.id", "ArgumentRelation.source", "ArgumentRelation.target", "ArgumentRelation.type"},
    optional={"Claim.text", "Claim.weight", "ArgumentRelation.weight"},
    cite="Dung 1995; Baroni, Caminada & Giacomin 2011; Cayrol & Lagasquie-Schiex 2005; Dunne et al. 2011",
)
def prepare_argument_network(ask: PrepareArgumentNetwork) -> Noted[ArgumentNetwork]:
    """Build an argumentation framework: extensions, what is accepted and why, and for weights strengths.

    `dung` knows attacks only; `bipolar` adds the attacks that support brings about, as `support` is read;
    `weighted` ignores attacks up to a budget and gives gradual strengths. Self-attacks are legal.
    What the time limit leaves open is in `not_decided`.
    Errors: `empty_id`, `duplicate_id`, `dangling_edge`, `support_in_dung`, `unknown_relation_type`,
    `unknown_semantics`, `weight_not_finite`, `weight_not_positive` (of a relation), `weight_out_of_range`
    (of a claim, outside 0 to 1), `budget_too_large`, `too_many_derived_attacks`.
    """
    check_writable({"claims": ask.claims, "relations": ask.relations, "arguments": ask.arguments})
    warnings = list(ask.notes)
    given = checked(ask, warnings)
    wanted = _wanted(ask.semantics, len(given.direct.arguments), warnings)
    direct = given.direct
    bipolar = Bipolar(direct, given.supporting(), ask.support)
    effective = bipolar.effective if ask.framework == "bipolar" else direct
    effort, found = Effort(ask.time_limit), Found()
    quick = [name for name in QUICK_FIRST if name in wanted]
    found.search({name: partial(extensions, effective, name) for name in quick}, effort)
    network = ArgumentNetwork.model_construct(  # its parts are checked; a million names need no second look
        framework=ask.framework,
        claims=given.claims,
        relations=given.relations,
        arguments=given.arguments,
        attacks=given.attacks,
        supports=given.supports,
        extensions=Extensions.model_validate(listed(wanted, found, warnings)),
        acceptance=acceptance(wanted, found, warnings),
        labels=labels(wanted, found),
        statuses=_statuses(ask, given, effective, found, warnings),
        budget=ask.budget,
    )
    if ask.framework == "bipolar":
        network = network.model_copy(update=_of_support(bipolar, found, effort, warnings))
    if ask.framework == "weighted":
        more, left = of_weights(ask, given, direct, wanted, effort, warnings)
        network = network.model_copy(update=more)
        found.open_ones += left
    found.tell_open(wanted, ask.time_limit, warnings)
    network = network.model_copy(update={"not_decided": tuple(found.open_ones)})
    if given.relations or len(direct.arguments) + len(given.attacks) + len(given.supports) <= AS_RECORDS:
        network = network.with_records()
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


def _statuses(
    ask: PrepareArgumentNetwork,
    given: Checked,
    framework: Framework,
    found: Found,
    warnings: list[ToolWarning],
) -> tuple[ClaimStatus, ...]:
    """Say why of each claim, unless it is not wanted or would be very much."""
    told: dict[str, Sets] = {name: found.sets[name] for name in SEMANTICS if name in found.sets}
    work = (len(framework.arguments) + len(framework.sources)) * (1 + len(told))
    if ask.explain is None and work > MAX_EXPLAINED:
        message = "The network is very large: reasons are given on request only (explain: true)."
        warnings.append(ToolWarning(code="list_cut", message=message, records=("statuses",)))
        return ()
    if ask.explain is False:
        return ()
    if "grounded" not in told:
        told = {"grounded": extensions(framework, "grounded"), **told}
    return statuses(framework, given.supporting(), told)


def _of_support(
    bipolar: Bipolar, found: Found, effort: Effort, warnings: list[ToolWarning]
) -> dict[str, object]:
    in_force = IN_FORCE[bipolar.reading]
    derived = [
        DerivedAttack(source=a, target=b, kind=kind, in_force=kind in in_force)
        for kind, pairs in bipolar.derived.items()
        for a, b in sorted(pairs)
    ]
    tasks = bipolar.admissible_sets()
    found.search(tasks, effort)
    sets = {name: rows_of(name, found.sets[name], warnings) for name in tasks if name in found.sets}
    return {
        "support": bipolar.reading,
        "derived_attacks": tuple(derived),
        "bipolar": BipolarSets(**sets),
    }
