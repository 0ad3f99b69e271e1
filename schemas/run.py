"""What a run tells when it is over."""

from math import fsum
from typing import Any

from pydantic import Field, NonNegativeInt

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.llm import StageUsage
from corpusgraph.schemas.results import ToolError, ToolWarning


class StageReport(Noun):
    """One stage: wall time and what it made."""

    stage: str
    seconds: float
    note: str = ""


class IndexReport(Noun):
    """One indexing run. `up_to_date`: nothing had changed, so nothing was done."""

    index: str
    generation: str
    up_to_date: bool
    engine: str
    path: str
    counts: dict[str, int]
    languages: dict[str, int] = Field(
        default_factory=dict, description="documents by language, most first; `und` where it is not known"
    )
    n_extracted: NonNegativeInt = Field(default=0, description="documents extracted in this run")
    n_reused: NonNegativeInt = Field(default=0, description="documents whose evidence was cached")
    n_failures: NonNegativeInt = 0
    n_crashed: NonNegativeInt = Field(
        default=0,
        description="of the failures, errors of the program: the next run tries these documents again",
    )
    n_retry: NonNegativeInt = Field(default=0, description="of the failures, calls that can be made again")
    n_left_out: NonNegativeInt = Field(default=0, description="lines of notes on findings, most left out")
    failures: tuple[Failure, ...] = Field(default=(), description="the first 20; all are in failures.jsonl")
    notes: tuple[str, ...] = Field(default=(), description="what a person should know of this run")
    warnings: tuple[ToolWarning, ...] = Field(
        default=(), description="what the index lacks, and how it gets it"
    )
    usage: tuple[StageUsage, ...] = Field(default=(), description="calls of a language model, stage by stage")
    stages: tuple[StageReport, ...] = ()


class RemovalReport(Noun):
    """Documents taken out of an index, or with `dry_run` those that would be."""

    index: str
    documents: tuple[dict[str, str], ...] = Field(description="id, title and source of each")
    dry_run: bool = False
    report: IndexReport | None = Field(default=None, description="the run that took them out")


class DatasetReport(Noun):
    """One dataset made for a study."""

    name: str
    kind: str
    summary: str = Field(description="what is in it, in a line")
    path: str
    bundles: tuple[str, ...] = Field(default=(), description="folders below the path, one a target program")
    n_files: NonNegativeInt = 0
    warnings: tuple[ToolWarning, ...] = ()
    error: ToolError | None = Field(default=None, description="why it could not be made")
    fingerprint: str = Field(default="", description="hash of generation, dataset and maker")
    generation: str = Field(default="", description="the index's, that the bundles were first made from")
    moved: tuple[str, ...] = Field(
        default=(), description="files that somebody had changed, where they are now: in `previous/`"
    )
    stale_since: str | None = Field(
        default=None,
        description="generation of the index since which it could not be made: its bundles are older",
    )


class StudyReport(Noun):
    """One run of a study: index, answers, datasets."""

    study: str
    title: str
    engine: str
    watch: str | None = Field(default=None, description="where the run can be watched")
    seconds: float
    index: IndexReport
    answers: tuple[dict[str, Any], ...] = ()
    datasets: tuple[DatasetReport, ...] = ()
    path: str


class StageEstimate(Noun):
    """What a stage of a run would ask a language model; `exact`: the calls are known, not guessed."""

    stage: str
    calls: NonNegativeInt = Field(default=0, description="requests to be paid for")
    reused: NonNegativeInt = Field(default=0, description="prompts that the response cache answers")
    prompt_tokens: NonNegativeInt = 0
    completion_tokens: NonNegativeInt = 0
    cost: float | None = Field(default=None, description="US dollars; None where the price is not known")
    exact: bool = True


class Estimate(Noun):
    """What a run would ask a language model, and for how much; nothing of it has been done."""

    study: str
    model: str
    stages: tuple[StageEstimate, ...]
    input_price: float | None = Field(default=None, description="US dollars per million tokens in")
    output_price: float | None = Field(default=None, description="US dollars per million tokens out")
    completions: str = Field(description="what the number of tokens out is taken from")
    budget: float | None = None

    @property
    def cost(self) -> float | None:
        """US dollars of all stages; None where the price is not known."""
        costs = [stage.cost for stage in self.stages]
        return None if any(cost is None for cost in costs) else fsum(cost or 0.0 for cost in costs)
