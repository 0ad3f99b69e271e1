"""Input and result of tool 25: claims, relations, extensions, acceptance, strengths."""

from typing import Literal

from pydantic import Field

from corpusgraph.schemas.base import Noun, OpenNoun, Text
from corpusgraph.schemas.results import ToolInput, ToolWarning
from corpusgraph.tasks.prepare._argumentation import Label
from corpusgraph.tasks.prepare._passage import Passage

FrameworkKind = Literal["dung", "bipolar", "weighted"]
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
    """Claims, what stands between them, and how they are to be weighed."""

    claims: tuple[ArgumentClaim, ...]
    relations: tuple[ClaimRelation, ...] = ()
    framework: FrameworkKind = "dung"
    semantics: Names | None = Field(default=None, description="extensions wanted; None: all")
    budget: float | None = Field(
        default=None, ge=0, description="weighted: total weight of attacks that may be ignored"
    )
    base_weight: float = Field(default=0.5, ge=0, le=1, description="weight of a claim without one")
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


class ClaimStatus(Noun):
    """What the grounded labelling says of a claim, and why."""

    id: str
    status: Label
    why: str
    attackers: Names = ()
    defenders: Names = Field(default=(), description="claims that attack an attacker")
    supporters: Names = ()


class DerivedAttack(Noun):
    """An attack that support brings about."""

    source: str
    target: str
    kind: Literal["supported", "secondary", "mediated", "extended"]


class BipolarSets(Noun):
    """d-, s- and c-admissible sets and the largest of each; None: too many to list."""

    d_admissible: Sets | None = None
    s_admissible: Sets | None = None
    c_admissible: Sets | None = None
    d_preferred: Sets | None = None
    s_preferred: Sets | None = None
    c_preferred: Sets | None = None


class ArgumentNetwork(Noun):
    """An argumentation framework with what can be accepted in it."""

    framework: FrameworkKind
    claims: tuple[ArgumentClaim, ...]
    relations: tuple[ClaimRelation, ...]
    extensions: Extensions
    acceptance: dict[str, Acceptance]
    statuses: tuple[ClaimStatus, ...]
    derived_attacks: tuple[DerivedAttack, ...] = ()
    bipolar: BipolarSets | None = None
    budget: float | None = None
    budget_extensions: dict[str, Sets] = Field(default_factory=dict)
    strengths: dict[str, dict[str, float] | None] = Field(
        default_factory=dict, description="gradual semantics -> claim -> strength; None: did not converge"
    )
