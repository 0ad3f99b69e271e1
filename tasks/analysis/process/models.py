"""Input and result of tool 26: events, cases, what follows what, and what the evidence says."""

import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AliasChoices,
    BeforeValidator,
    Field,
    model_validator,
)

from corpusgraph.schemas.base import Described, Noun, OpenNoun, Text
from corpusgraph.schemas.results import Table, ToolInput, ToolWarning
from corpusgraph.tasks.analysis.checks import Passage
from corpusgraph.tasks.analysis.process.timestamps import Open, Precision


def as_rows(value: Any) -> Any:
    """Return a table, a frame of polars or pandas, or a mapping of columns as records without empty cells.

    Parameters
    ----------
    value : Any
        What a caller gives as events; anything else is returned as it is.

    Returns
    -------
    Any
        A list of dicts, or the value itself where it is none of these, for the model to judge.

    Raises
    ------
    ValueError
        For columns of different lengths.

    """
    if isinstance(value, Table):
        return _filled(value.records())
    if hasattr(value, "to_dicts"):
        return _filled(value.to_dicts())
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return _filled(value.to_dict("records"))
    if isinstance(value, Mapping) and value and all(isinstance(cells, list) for cells in value.values()):
        if len({len(cells) for cells in value.values()}) > 1:
            raise ValueError("the columns have different lengths")
        return _filled(dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True))
    return value


def _filled(rows: Iterable[dict[Any, Any]]) -> list[dict[str, Any]]:
    return [{str(key): cell for key, cell in row.items() if not _is_empty(cell)} for row in rows]


def _is_empty(cell: Any) -> bool:
    """Tell whether a cell is missing: None, NaN or NaT, which differs from itself."""
    return cell is None or (not isinstance(cell, (str, list, tuple, dict)) and bool(cell != cell))  # noqa: PLR0124


Resolution = Literal["seconds", "minutes", "hours", "days", "months", "years"]
TestKind = Literal["straw_in_the_wind", "hoop", "smoking_gun", "doubly_decisive"]
Names = tuple[str, ...]
Probability = Annotated[float, Field(ge=0, le=1)]


def _as_text(value: Any) -> Any:
    """Return numbers, and dates of Python and pandas, as text: a year or a case may be a number."""
    if value.__class__ is str or isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float) and math.isnan(value):  # what pandas writes where there is nothing
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    return value.isoformat() if hasattr(value, "isoformat") else value


def _one_is_a_list_of_one(value: Any) -> Any:
    return () if value is None else (value,) if isinstance(value, (dict, str, PieceOfEvidence)) else value


Said = Annotated[str, BeforeValidator(_as_text)]
Stated = Annotated[str, BeforeValidator(lambda value: "" if value is None else _as_text(value))]


class PieceOfEvidence(Described):
    """How probable this observation is if a hypothesis is true, and if it is false; or under each rival."""

    hypothesis: str = "H"
    p_e_given_h: Probability | None = Field(
        default=None, validation_alias=AliasChoices("p_e_given_h", "p_e_h", "P(E|H)")
    )
    """P(E|H)"""
    p_e_given_not_h: Probability | None = Field(
        default=None, validation_alias=AliasChoices("p_e_given_not_h", "p_e_not_h", "P(E|not H)")
    )
    """P(E|not H)"""
    likelihoods: dict[str, Probability] = Field(default_factory=dict)
    """instead: P(E|H) of each rival hypothesis, of which exactly one is true"""
    observed: bool = True
    """false: looked for and not found"""
    clue: str = ""
    """what was looked for"""
    passages: tuple[Passage, ...] = ()
    """where it is said; else the event's"""

    @model_validator(mode="after")
    def _one_way_or_the_other(self) -> Self:
        both = self.p_e_given_h is not None and self.p_e_given_not_h is not None
        neither = self.p_e_given_h is None and self.p_e_given_not_h is None
        if not ((neither and len(self.likelihoods) > 1) or (both and not self.likelihoods)):
            raise ValueError("give p_e_given_h and p_e_given_not_h, or the likelihoods of two rivals or more")
        return self


class ProcessEvent(OpenNoun, use_attribute_docstrings=True):
    """Something that happened in a case at a time."""

    id: Said
    case: Said | None = None
    activity: Text
    timestamp: Stated = ""
    """ISO 8601, EDTF (1854~, 185X, 1854/1856) or words (circa 1854, before 1854)"""
    end: Said | None = None
    """when it was over"""
    actors: Annotated[Names, BeforeValidator(_one_is_a_list_of_one)] = ()
    places: Annotated[Names, BeforeValidator(_one_is_a_list_of_one)] = ()
    evidence: Annotated[tuple[PieceOfEvidence, ...], BeforeValidator(_one_is_a_list_of_one)] = ()
    passages: tuple[Passage, ...] = ()
    origin: str | None = None
    """id that copies of one event share, where it belongs to several cases"""


class PrepareProcessTrace(ToolInput, use_attribute_docstrings=True):
    """Events to put in order."""

    events: Annotated[tuple[ProcessEvent, ...], BeforeValidator(as_rows)]
    """what happened, each with case, activity and timestamp"""
    entities: Names = ()
    """actors to report on, seen or not"""
    temporal_resolution: Resolution = "days"
    """events in one such span of time have no order among them"""
    day_first: bool | None = None
    """how to read 03/04/1854; None: not at all"""
    priors: dict[str, float] = Field(default_factory=dict)
    """hypothesis -> probability before the evidence; 0.5 unless given, equal among rivals"""
    notes: tuple[ToolWarning, ...] = ()
    """noted earlier; passed on as warnings"""


class TracedEvent(OpenNoun, use_attribute_docstrings=True):
    """An event in its place. `start` to `until` (excluded) are the instants its timestamp can mean."""

    id: str
    case: str
    """case"""
    activity: Text
    """what happened"""
    position: int
    """place in the case, from 1"""
    start: str
    """first instant it can mean, ISO 8601 in UTC; years before 0 and after 9999 have a sign"""
    until: str
    """the instant after the last it can mean"""
    bucket: str
    """start, floored to the resolution"""
    precision: Precision
    """how exact the text is: century to second, or a range"""
    open: Open | None = None
    """side the text leaves open: the bound there is the one it gives"""
    approximate: bool = False
    """circa: it may lie on either side of the interval"""
    finish: str | None = None
    """when it ended, where that was given"""
    timestamp: str
    """as given"""
    end: str | None = None
    actors: Names = ()
    """who took part"""
    places: Names = ()
    """where"""
    passages: tuple[Passage, ...] = ()
    origin: str | None = None


class SetAside(Described):
    """An event that could not be used, with its text as given."""

    id: str
    code: str
    """why"""
    timestamp: str
    """as stated"""
    readings: Names = ()
    """what an ambiguous date can mean"""


class Tie(Noun):
    """Events of one case in one bucket: their order is finer than the resolution, or unknown."""

    case: str
    bucket: str
    events: Names
    same_instant: bool


class UncertainOrder(Described):
    """Two events of a case that may have come in either order, or at one time."""

    case: str
    """case"""
    first: str
    """id of the event that is put first"""
    second: str
    """id of the other"""
    relations: Names
    """relations of the first to the second that can hold (Allen 1983)"""


class Case(Described):
    """A case with its course."""

    case: str
    """case"""
    n_events: int
    """events"""
    start: str
    """first start"""
    finish: str
    """last finish, or last start"""
    duration_seconds: float
    """from start to finish, in seconds"""
    variant: int
    """number of its variant, from 1"""
    n_uncertain: int = 0
    """successions whose order is not certain"""


class Variant(Described):
    """A sequence of activities and the cases that took it, most frequent first."""

    activities: Names
    cases: Names
    share: float = 0
    """of all cases"""


class Follows(Described):
    """How often one activity directly follows another, and after how long, start to start."""

    source: str
    """activity"""
    target: str
    """activity that directly follows"""
    count: int
    """how often"""
    n_certain: int
    """times the intervals do not overlap, so that the order is certain"""
    mean_seconds: float
    """mean time from start to start, in seconds"""
    min_seconds: float
    """shortest"""
    max_seconds: float
    """longest"""
    median_seconds: float
    """median"""


class EvidenceTest(Described):
    """One observation weighed: kind of test (Van Evera 1997), and the hypothesis before and after."""

    event: str
    """event that is the evidence"""
    hypothesis: str
    """what it speaks to"""
    clue: str = ""
    """what was looked for"""
    observed: bool
    """false: looked for and not found"""
    kind: TestKind
    """of test; among rivals: against the one that explains it best"""
    p_e_given_h: float
    """P(E|H)"""
    p_e_given_not_h: float
    """P(E|not H); among rivals their mean, as probable as they were"""
    likelihood_ratio: float | None
    """of what was observed; none: impossible if H is false"""
    weight_db: float | None = None
    """weight of evidence in decibels, 10 log10 of the ratio; none: infinite"""
    prior: float
    """P(H) before"""
    posterior: float
    """P(H) after"""
    passages: tuple[Passage, ...] = ()


class ProcessTrace(Described):
    """An ordered log with its directly-follows graph, variants and evidence tests."""

    temporal_resolution: Resolution
    events: tuple[TracedEvent, ...]
    cases: tuple[Case, ...]
    variants: tuple[Variant, ...]
    directly_follows: tuple[Follows, ...]
    start_activities: dict[str, int]
    end_activities: dict[str, int]
    activities: dict[str, int]
    actors: dict[str, Names]
    """actor -> ids of events, in order"""
    ties: tuple[Tie, ...] = ()
    uncertain_order: tuple[UncertainOrder, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    evidence_tests: tuple[EvidenceTest, ...] = ()
    posteriors: dict[str, float] = Field(default_factory=dict)
    log_odds: dict[str, float | None] = Field(default_factory=dict)
    """natural logarithm of the posterior odds; None: certain or refuted"""
