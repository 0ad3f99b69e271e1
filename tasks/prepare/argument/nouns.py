"""Input and result of tool 25: claims, relations, extensions, acceptance, strengths."""

from typing import Literal

from pydantic import Field

from corpusgraph.schemas.base import Noun, OpenNoun, Text
from corpusgraph.schemas.results import ToolInput, ToolWarning
from corpusgraph.tasks.prepare.argument.bipolar import Kind, Reading
from corpusgraph.tasks.prepare.argument.framework import Label
from corpusgraph.tasks.prepare.argument.pairs import Pairs
from corpusgraph.tasks.prepare.passage import Passage

FrameworkKind = Literal["dung", "bipolar", "weighted"]
RelationType = Literal["attack", "support"]
Mark = Literal["in", "out", "undecided"]
Names = tuple[str, ...]
Sets = tuple[Names, ...]


class ArgumentClaim(OpenNoun):
    """A claim, with its initial weight between 0 and 1."""

    id: str
    text: Text = ""
    weight: float | None = None
    speaker: str | None = None
    passages: tuple[Passage, ...] = ()


class ClaimRelation(OpenNoun):
    """One claim attacks or supports another; the weight of an attack is what ignoring it costs."""

    source: str
    target: str
    type: str = Field(description="attack or support")
    weight: float | None = None
    passages: tuple[Passage, ...] = ()


class PrepareArgumentNetwork(ToolInput):
    """Claims, what stands between them, and how they are to be weighed.

    `arguments`, `attacks` and `supports` are for large networks: ids and pairs of ids without text.
    """

    claims: tuple[ArgumentClaim, ...] = Field(description="the claims, each with an id")
    relations: tuple[ClaimRelation, ...] = Field((), description="attacks and supports between claims")
    framework: FrameworkKind = Field("dung", description="how supports and weights are taken")
    semantics: Names | None = Field(default=None, description="extensions wanted; None: all")
    support: Reading = Field(
        default="general",
        description="bipolar: what support means. deductive: who accepts the supporter accepts the "
        "supported; necessary: nobody accepts the supported without the supporter",
    )
    budget: float | None = Field(
        default=None, ge=0, description="weighted: total weight of attacks that may be ignored"
    )
    base_weight: float = Field(default=0.5, ge=0, le=1, description="weight of a claim without one")
    arguments: Names = Field(default=(), description="ids of more claims, of which nothing else is said")
    attacks: Pairs = Field(default=(), description="more attacks, as pairs of ids")
    supports: Pairs = Field(default=(), description="more supports, as pairs of ids")
    time_limit: float = Field(
        default=60,
        gt=0,
        description="seconds for all semantics together, counted in steps of the solver: the same everywhere",
    )
    explain: bool | None = Field(
        default=None, description="say why of each claim; None: where the network is not very large"
    )
    notes: tuple[ToolWarning, ...] = Field(default=(), description="noted earlier; passed on as warnings")


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


class Standing(Noun):
    """What one semantics says of a claim, and why.

    `labels` are those that its labellings give the claim (Wu & Caminada 2010); empty where the extensions
    are too many to list.
    """

    semantics: str
    status: Label
    labels: tuple[Mark, ...] = ()
    why: str
    attackers: Names = Field(
        default=(), description="accepted: all; rejected: the accepted ones; undecided: those not rejected"
    )
    defenders: dict[str, Names] = Field(
        default_factory=dict, description="accepted: attacker -> accepted claims that attack it"
    )
    cycle: Names = Field(default=(), description="undecided: claims of which each is attacked by the next")


class ClaimStatus(Noun):
    """What the grounded labelling says of a claim, and why; `standings` has the other semantics."""

    id: str
    status: Label
    why: str
    attackers: Names = ()
    defenders: Names = Field(default=(), description="claims that attack an attacker")
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


class Convergence(Noun):
    """How strengths were found: whether they settled, in how many rounds, and whether they had to."""

    settled: bool
    rounds: int
    guaranteed: bool = Field(description="no cycle, or a semantics that always converges to one answer")


class ArgumentNetwork(Noun):
    """An argumentation framework with what can be accepted in it."""

    framework: FrameworkKind
    claims: tuple[ArgumentClaim, ...]
    relations: tuple[ClaimRelation, ...]
    arguments: Names = Field(default=(), description="claims of a very large network given by id alone")
    attacks: Pairs = ()
    supports: Pairs = ()
    extensions: Extensions
    acceptance: dict[str, Acceptance]
    labels: dict[str, Labels] = Field(default_factory=dict, description="semantics -> claims by status")
    statuses: tuple[ClaimStatus, ...]
    support: Reading | None = Field(default=None, description="bipolar: the reading of support in force")
    derived_attacks: tuple[DerivedAttack, ...] = ()
    bipolar: BipolarSets | None = None
    budget: float | None = None
    budget_extensions: dict[str, Sets] = Field(default_factory=dict)
    strengths: dict[str, dict[str, float] | None] = Field(
        default_factory=dict, description="gradual semantics -> claim -> strength; None: did not converge"
    )
    convergence: dict[str, Convergence] = Field(default_factory=dict)
    not_decided: Names = Field(default=(), description="what the time limit left open")

    def every_claim(self) -> tuple[ArgumentClaim, ...]:
        """Return all claims, those given by id alone as records too."""
        return (*self.claims, *(ArgumentClaim.model_construct(id=one) for one in self.arguments))

    def every_relation(self) -> tuple[ClaimRelation, ...]:
        """Return all relations as stated, those given as pairs as records too."""
        kinds: tuple[tuple[RelationType, Pairs], ...] = (("attack", self.attacks), ("support", self.supports))
        new = ClaimRelation.model_construct  # ids and pairs were checked when they came in
        pairs = (new(source=a, target=b, type=kind) for kind, given in kinds for a, b in given)
        return (*self.relations, *pairs)

    def with_records(self) -> "ArgumentNetwork":
        """Return the same network with all claims and relations as records."""
        records = {"claims": self.every_claim(), "relations": self.every_relation()}
        return self.model_copy(update={**records, "arguments": (), "attacks": (), "supports": ()})
