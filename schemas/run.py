"""What a run tells when it is over."""

from typing import Any

from pydantic import Field, NonNegativeInt

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.documents import Failure
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
    n_extracted: NonNegativeInt = Field(default=0, description="documents extracted in this run")
    n_reused: NonNegativeInt = Field(default=0, description="documents whose evidence was cached")
    n_failures: NonNegativeInt = 0
    failures: tuple[Failure, ...] = Field(default=(), description="the first 20; all are in failures.jsonl")
    stages: tuple[StageReport, ...] = ()


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
