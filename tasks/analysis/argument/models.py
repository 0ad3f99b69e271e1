"""Input and result of tool 25: claims, relations, extensions, acceptance, strengths."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from corpusgraph.schemas.base import Described, Noun, OpenNoun, Text
from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.results import ToolInput, ToolWarning
from corpusgraph.tasks.analysis.argument.bipolar import Kind, Reading
from corpusgraph.tasks.analysis.argument.framework import Framework, Label, Pair
from corpusgraph.tasks.analysis.checks import Passage, few, require_known, unique_records
from corpusgraph.tasks.table.values import warning

FrameworkKind = Literal["dung", "bipolar", "weighted"]
RelationType = Literal["attack", "support"]
Mark = Literal["in", "out", "undecided"]
Names = tuple[str, ...]
Sets = tuple[Names, ...]
Pairs = tuple[Pair, ...]


class ArgumentClaim(OpenNoun):
    """A claim, with its initial weight between 0 and 1."""

    id: str
    text: Text = ""
    weight: float | None = None
    speaker: str | None = None
    passages: tuple[Passage, ...] = ()


class ClaimRelation(OpenNoun, use_attribute_docstrings=True):
    """One claim attacks or supports another; the weight of an attack is what ignoring it costs."""

    source: str
    target: str
    type: str
    """attack or support"""
    weight: float | None = None
    passages: tuple[Passage, ...] = ()


class PrepareArgumentNetwork(ToolInput, use_attribute_docstrings=True):
    """Claims, what stands between them, and how they are to be weighed.

    `arguments`, `attacks` and `supports` are for large networks: ids and pairs of ids without text.
    """

    claims: tuple[ArgumentClaim, ...]
    """the claims, each with an id"""
    relations: tuple[ClaimRelation, ...] = ()
    """attacks and supports between claims"""
    framework: FrameworkKind = "dung"
    """how supports and weights are taken"""
    semantics: Names | None = None
    """extensions wanted; None: all"""
    support: Reading = Field(
        default="general",
        description="bipolar: what support means. deductive: who accepts the supporter accepts the "
        "supported; necessary: nobody accepts the supported without the supporter",
    )
    budget: float | None = Field(default=None, ge=0)
    """weighted: total weight of attacks that may be ignored"""
    base_weight: float = Field(default=0.5, ge=0, le=1)
    """weight of a claim without one"""
    arguments: Names = ()
    """ids of more claims, of which nothing else is said"""
    attacks: Pairs = ()
    """more attacks, as pairs of ids"""
    supports: Pairs = ()
    """more supports, as pairs of ids"""
    time_limit: float = Field(default=60, gt=0)
    """seconds for all semantics together, counted in steps of the solver: the same everywhere"""
    explain: bool | None = None
    """say why of each claim; None: where the network is not very large"""
    notes: tuple[ToolWarning, ...] = ()
    """noted earlier; passed on as warnings"""


class Extensions(Noun):
    """Sets of claims that can be held together; None: not computed."""

    conflict_free: Sets | None = None
    admissible: Sets | None = None
    grounded: Names | None = None
    complete: Sets | None = None
    preferred: Sets | None = None
    stable: Sets | None = None
    semi_stable: Sets | None = None
    stage: Sets | None = None
    ideal: Names | None = None
    eager: Names | None = None


class Acceptance(Noun):
    """Claims in some extension, and in every one (all claims, where there is no extension)."""

    credulous: Names
    sceptical: Names


class Labels(Noun):
    """The claims by status under one semantics.

    accepted: in every extension; rejected: attacked by every extension; undecided: all others.
    """

    accepted: Names
    rejected: Names
    undecided: Names


class Standing(Described):
    """What one semantics says of a claim, and why.

    `labels` are those that its labellings give the claim (Wu & Caminada 2010); empty where the extensions
    are too many to list.
    """

    semantics: str
    status: Label
    labels: tuple[Mark, ...] = ()
    why: str
    attackers: Names = ()
    """accepted: all; rejected: the accepted ones; undecided: those not rejected"""
    defenders: dict[str, Names] = Field(default_factory=dict)
    """accepted: attacker -> accepted claims that attack it"""
    cycle: Names = ()
    """undecided: claims of which each is attacked by the next"""


class ClaimStatus(Described):
    """What the grounded labelling says of a claim, and why; `standings` has the other semantics."""

    id: str
    status: Label
    why: str
    attackers: Names = ()
    defenders: Names = ()
    """claims that attack an attacker"""
    supporters: Names = ()
    standings: tuple[Standing, ...] = ()


class DerivedAttack(Noun):
    """An attack that support brings about; `in_force` where the extensions take it into account."""

    source: str
    target: str
    kind: Kind
    in_force: bool = False


class BipolarSets(Noun):
    """d-, s- and c-admissible sets and the largest of each; None: too many to list."""

    d_admissible: Sets | None = None
    s_admissible: Sets | None = None
    c_admissible: Sets | None = None
    d_preferred: Sets | None = None
    s_preferred: Sets | None = None
    c_preferred: Sets | None = None


class Convergence(Described):
    """How strengths were found: whether they settled, in how many rounds, and whether they had to."""

    settled: bool
    rounds: int
    guaranteed: bool
    """no cycle, or a semantics that always converges to one answer"""


class ArgumentNetwork(Described):
    """An argumentation framework with what can be accepted in it."""

    framework: FrameworkKind
    claims: tuple[ArgumentClaim, ...]
    relations: tuple[ClaimRelation, ...]
    arguments: Names = ()
    """claims of a very large network given by id alone"""
    attacks: Pairs = ()
    supports: Pairs = ()
    extensions: Extensions
    acceptance: dict[str, Acceptance]
    labels: dict[str, Labels] = Field(default_factory=dict)
    """semantics -> claims by status"""
    statuses: tuple[ClaimStatus, ...]
    support: Reading | None = None
    """bipolar: the reading of support in force"""
    derived_attacks: tuple[DerivedAttack, ...] = ()
    bipolar: BipolarSets | None = None
    budget: float | None = None
    budget_extensions: dict[str, Sets] = Field(default_factory=dict)
    strengths: dict[str, dict[str, float] | None] = Field(default_factory=dict)
    """gradual semantics -> claim -> strength; None: did not converge"""
    convergence: dict[str, Convergence] = Field(default_factory=dict)
    not_decided: Names = ()
    """what the time limit left open"""

    def every_claim(self) -> tuple[ArgumentClaim, ...]:
        """Return all claims, those given by id alone as records too.

        Returns
        -------
        tuple of ArgumentClaim
            Records first, then those given by id alone, which have neither text nor weight.

        """
        return (*self.claims, *(ArgumentClaim.model_construct(id=one) for one in self.arguments))

    def every_relation(self) -> tuple[ClaimRelation, ...]:
        """Return all relations as stated, those given as pairs as records too.

        Returns
        -------
        tuple of ClaimRelation
            Records first, then pairs: attacks, then supports; none is merged.

        """
        kinds: tuple[tuple[RelationType, Pairs], ...] = (("attack", self.attacks), ("support", self.supports))
        new = ClaimRelation.model_construct  # ids and pairs were checked when they came in
        pairs = (new(source=a, target=b, type=kind) for kind, given in kinds for a, b in given)
        return (*self.relations, *pairs)

    def with_records(self) -> "ArgumentNetwork":
        """Return the same network with all claims and relations as records.

        Returns
        -------
        ArgumentNetwork
            A copy whose `arguments`, `attacks` and `supports` are empty.

        """
        records = {"claims": self.every_claim(), "relations": self.every_relation()}
        return self.model_copy(update={**records, "arguments": (), "attacks": (), "supports": ()})


@dataclass(frozen=True)
class Checked:
    """Claims and relations that can be relied on; what was given as records and what as ids and pairs.

    Attributes
    ----------
    claims : tuple of ArgumentClaim
    relations : tuple of ClaimRelation
    arguments : tuple of str
        Ids of claims given by id alone.
    attacks, supports : tuple of (str, str)
        Relations given as pairs.
    direct : Framework
        The attacks as stated, on all claims in the order given.

    """

    claims: tuple[ArgumentClaim, ...]
    relations: tuple[ClaimRelation, ...]
    arguments: tuple[str, ...]
    attacks: Pairs
    supports: Pairs
    direct: Framework
    """The attacks as stated, on all claims in the order given."""

    def supporting(self) -> frozenset[tuple[str, str]]:
        """Return the ends of all supports.

        Returns
        -------
        frozenset of (str, str)
            (supporter, supported).

        """
        stated = ((r.source, r.target) for r in self.relations if r.type == "support")
        return frozenset(stated).union(self.supports)


def checked(ask: PrepareArgumentNetwork, warnings: list[ToolWarning]) -> Checked:
    """Check claims and relations, and merge what is given twice, with a warning.

    Parameters
    ----------
    ask : PrepareArgumentNetwork
        The call.
    warnings : list of ToolWarning
        Warnings are added to it.

    Returns
    -------
    Checked
        Claims and relations, each once, in the order given.

    Raises
    ------
    PreparationError
        `empty_id`, `duplicate_id`, `dangling_edge`, `unknown_relation_type`, `support_in_dung`,
        `weight_out_of_range`, `weight_not_positive` and whatever else is wrong with a weight.

    """
    claims, twins = unique_records(ask.claims, "claim")
    warnings += twins
    for claim in claims:
        _check_claim(claim, ask.framework)
    arguments = _unique_ids(ask.arguments, {claim.id for claim in claims}, warnings)
    ids = (*(claim.id for claim in claims), *arguments)
    known = set(ids)
    if ask.supports and ask.framework == "dung":
        raise _support_in_dung(" -> ".join(ask.supports[0]))
    merged: list[str] = []
    relations = _merged(ask.relations, ask.framework, known, merged)
    attacks, attacking = _unique_pairs(ask.attacks, "attack", relations, known, merged)
    supports, _ = _unique_pairs(ask.supports, "support", relations, known, merged)
    message = f"Relations given twice were merged, the larger weight kept: {few(merged)}."
    warnings += warning("parallel_edges_merged", message, merged)
    direct = Framework.of(ids, attacking)
    network = Checked(tuple(claims), tuple(relations), arguments, attacks, supports, direct)
    supporting = network.supporting()
    both = [f"{a} -> {b}" for a, b in sorted(supporting & direct.attacks)] if supporting else []
    message = f"Claims that both attack and support each other in one direction: {few(both)}."
    warnings += warning("attack_and_support", message, both)
    return network


def _check_claim(claim: ArgumentClaim, framework: str) -> None:
    _check_weight(f"Claim {claim.id!r}", claim.weight)
    if framework == "weighted" and claim.weight is not None and not 0 <= claim.weight <= 1:
        message = f"Claim {claim.id!r} has the weight {claim.weight:g}, outside 0 to 1."
        raise PreparationError(message, code="weight_out_of_range", hint="Divide by the largest weight.")


def _unique_ids(ids: tuple[str, ...], known: set[str], warnings: list[ToolWarning]) -> tuple[str, ...]:
    seen, twins = dict.fromkeys(known), list[str]()
    for at, name in enumerate(ids, start=1):
        if not name.strip():
            raise PreparationError(
                f"Argument {at} has an empty id.", code="empty_id", hint="Give every record an id of its own."
            )
        if name in seen:
            twins.append(name)
        seen[name] = None
    warnings += warning("duplicate_identical", f"claim given twice, kept once: {few(twins)}.", twins)
    return tuple(seen)[len(known) :]


def _merged(
    given: Iterable[ClaimRelation], framework: str, known: set[str], merged: list[str]
) -> list[ClaimRelation]:
    kept: dict[tuple[str, str, str], ClaimRelation] = {}
    for relation in given:
        _check_relation(relation, framework, known)
        key = (relation.source, relation.target, relation.type)
        first = kept.setdefault(key, relation)
        if first is not relation:
            merged.append(_said(relation))
            kept[key] = _joined(first, relation)
    return list(kept.values())


def _unique_pairs(
    pairs: Pairs, kind: RelationType, relations: Iterable[ClaimRelation], known: set[str], merged: list[str]
) -> tuple[Pairs, Collection[Pair]]:
    """Return the pairs once each and not those of a record, and those of records too."""
    stated = {(r.source, r.target): None for r in relations if r.type == kind}
    every = dict(stated)
    for pair in pairs:
        if not known.issuperset(pair):
            require_known(pair, known, f"Relation {' -> '.join(pair)}", "claim")
        if pair in every:
            merged.append(" -> ".join(pair))
        every[pair] = None
    return tuple(every)[len(stated) :], every


def _check_relation(relation: ClaimRelation, framework: str, known: Collection[str]) -> None:
    if relation.type not in ("attack", "support"):
        raise PreparationError(
            f"Relation {_said(relation)} has the type {relation.type!r}.",
            code="unknown_relation_type",
            hint=did_you_mean(relation.type, ("attack", "support")) or "Use attack or support.",
        )
    require_known((relation.source, relation.target), known, f"Relation {_said(relation)}", "claim")
    if relation.type == "support" and framework == "dung":
        raise _support_in_dung(_said(relation))
    if relation.weight is None:
        return
    _check_weight(f"Relation {_said(relation)}", relation.weight)
    if relation.weight <= 0:
        raise PreparationError(
            f"Relation {_said(relation)} has the weight {relation.weight:g}.",
            code="weight_not_positive",
            hint="Leave out a relation that weighs nothing.",
        )


def _support_in_dung(said: str) -> PreparationError:
    return PreparationError(
        f"Relation {said} is a support, and a Dung framework knows attacks only.",
        code="support_in_dung",
        hint="Use framework bipolar, which translates supports into attacks, or leave the supports out.",
    )


def _check_weight(what: str, weight: float | None) -> None:
    if weight is not None and not math.isfinite(weight):
        raise PreparationError(
            f"{what} has the weight {weight}.",
            code="weight_not_finite",
            hint="Give a finite number, or leave the weight out.",
        )


def _said(relation: ClaimRelation) -> str:
    return f"{relation.source} -> {relation.target}"


def _joined(first: ClaimRelation, other: ClaimRelation) -> ClaimRelation:
    weights = [r.weight for r in (first, other) if r.weight is not None]
    extra = tuple(passage for passage in other.passages if passage not in first.passages)
    return first.model_copy(update={"weight": max(weights, default=None), "passages": first.passages + extra})
