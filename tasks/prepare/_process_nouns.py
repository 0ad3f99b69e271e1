"""Input and result of tool 26: events, cases, what follows what, and what the evidence says."""

from typing import Literal

from pydantic import AliasChoices, Field, field_validator

from corpusgraph.schemas.base import Noun, OpenNoun, Text
from corpusgraph.schemas.results import ToolInput, ToolWarning
from corpusgraph.tasks.prepare._passage import Passage
from corpusgraph.tasks.prepare._timestamps import Precision

Resolution = Literal["seconds", "minutes", "hours", "days"]
TestKind = Literal["straw_in_the_wind", "hoop", "smoking_gun", "doubly_decisive"]
Names = tuple[str, ...]


class PieceOfEvidence(Noun):
    """How probable this observation is if a hypothesis is true, and if it is false."""

    hypothesis: str = "H"
    p_e_given_h: float = Field(
        ge=0, le=1, validation_alias=AliasChoices("p_e_given_h", "p_e_h", "P(E|H)"), description="P(E|H)"
    )
    p_e_given_not_h: float = Field(
        ge=0,
        le=1,
        validation_alias=AliasChoices("p_e_given_not_h", "p_e_not_h", "P(E|not H)"),
        description="P(E|not H)",
    )
    observed: bool = Field(default=True, description="false: looked for and not found")


class ProcessEvent(OpenNoun):
    """Something that happened in a case at a time."""

    id: str
    case: str | None = None
    activity: Text
    timestamp: str
    end: str | None = None
    actors: Names = ()
    evidence: tuple[PieceOfEvidence, ...] = ()
    passages: tuple[Passage, ...] = ()

    @field_validator("timestamp", "end", mode="before")
    @classmethod
    def _a_year_may_be_a_number(cls, value: object) -> object:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("evidence", mode="before")
    @classmethod
    def _one_piece_is_a_list_of_one(cls, value: object) -> object:
        return [] if value is None else [value] if isinstance(value, dict) else value


class PrepareProcessTrace(ToolInput):
    """Events to put in order."""

    events: tuple[ProcessEvent, ...]
    entities: Names = Field(default=(), description="actors to report on, seen or not")
    temporal_resolution: Resolution = "days"
    day_first: bool | None = Field(default=None, description="how to read 03/04/1854; None: not at all")
    priors: dict[str, float] = Field(
        default_factory=dict, description="hypothesis -> probability before the evidence; 0.5 unless given"
    )
    notes: tuple[ToolWarning, ...] = Field(default=(), description="noted earlier; passed on as warnings")


class TracedEvent(OpenNoun):
    """An event in its place. `start` to `until` (excluded) are the instants its timestamp can mean."""

    id: str
    case: str
    activity: Text
    position: int = Field(description="from 1 in its case")
    start: str = Field(description="ISO 8601, UTC")
    until: str
    bucket: str = Field(description="start, floored to the resolution")
    precision: Precision
    finish: str | None = Field(default=None, description="when it ended, where that was given")
    timestamp: str = Field(description="as given")
    end: str | None = None
    actors: Names = ()
    passages: tuple[Passage, ...] = ()


class SetAside(Noun):
    """An event that could not be used, with its text as given."""

    id: str
    code: str
    timestamp: str


class Tie(Noun):
    """Events of one case in one bucket: their order is finer than the resolution, or unknown."""

    case: str
    bucket: str
    events: Names
    same_instant: bool


class Case(Noun):
    """A case with its course."""

    case: str
    n_events: int
    start: str
    finish: str
    duration_seconds: float = Field(description="from the first start to the last finish or start")
    variant: int = Field(description="number of its variant, from 1")


class Variant(Noun):
    """A sequence of activities and the cases that took it, most frequent first."""

    activities: Names
    cases: Names


class Follows(Noun):
    """How often one activity directly follows another, and after how long, start to start."""

    source: str
    target: str
    count: int
    n_certain: int = Field(description="times the intervals do not overlap, so that the order is certain")
    mean_seconds: float
    min_seconds: float
    max_seconds: float


class EvidenceTest(Noun):
    """One observation weighed: kind of test (Van Evera 1997), and the hypothesis before and after."""

    event: str
    hypothesis: str
    observed: bool
    kind: TestKind
    p_e_given_h: float
    p_e_given_not_h: float
    likelihood_ratio: float | None = Field(description="None: the observation is impossible if H is false")
    prior: float
    posterior: float


class ProcessTrace(Noun):
    """An ordered log with its directly-follows graph, variants and evidence tests."""

    temporal_resolution: Resolution
    events: tuple[TracedEvent, ...]
    cases: tuple[Case, ...]
    variants: tuple[Variant, ...]
    directly_follows: tuple[Follows, ...]
    start_activities: dict[str, int]
    end_activities: dict[str, int]
    activities: dict[str, int]
    actors: dict[str, Names] = Field(description="actor -> ids of events, in order")
    ties: tuple[Tie, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    evidence_tests: tuple[EvidenceTest, ...] = ()
    posteriors: dict[str, float] = Field(default_factory=dict)
