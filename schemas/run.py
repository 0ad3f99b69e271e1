"""What a run tells when it is over."""

from math import fsum
from typing import Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import Described, JsonDict, Noun, Text
from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.llm import StageUsage, Usage
from corpusgraph.schemas.results import ToolError, ToolWarning


class StageReport(Noun):
    """One stage: wall time and what it made."""

    stage: str
    seconds: float
    note: str = ""


class IndexReport(Described):
    """One indexing run. `up_to_date`: nothing had changed, so nothing was done."""

    index: str
    generation: str
    up_to_date: bool
    engine: str
    path: str
    counts: dict[str, int]
    languages: dict[str, int] = Field(default_factory=dict)
    """documents by language, most first; `und` where it is not known"""
    n_extracted: NonNegativeInt = 0
    """documents extracted in this run"""
    n_reused: NonNegativeInt = 0
    """documents whose evidence was cached"""
    n_failures: NonNegativeInt = 0
    n_crashed: NonNegativeInt = 0
    """of the failures, errors of the program: the next run tries these documents again"""
    n_retry: NonNegativeInt = 0
    """of the failures, calls that can be made again"""
    n_left_out: NonNegativeInt = 0
    """lines of notes on findings, most left out"""
    failures: tuple[Failure, ...] = ()
    """the first 20; all are in failures.jsonl"""
    notes: tuple[str, ...] = ()
    """what a person should know of this run"""
    warnings: tuple[ToolWarning, ...] = ()
    """what the index lacks, and how it gets it"""
    usage: tuple[StageUsage, ...] = ()
    """calls of a language model, stage by stage"""
    stages: tuple[StageReport, ...] = ()


class RemovalReport(Described):
    """Documents taken out of an index, or with `dry_run` those that would be."""

    index: str
    documents: tuple[dict[str, str], ...]
    """id, title and source of each"""
    dry_run: bool = False
    report: IndexReport | None = None
    """the run that took them out"""


class DatasetReport(Described):
    """One dataset made for a study."""

    name: str
    kind: str
    summary: str
    """what is in it, in a line"""
    path: str
    bundles: tuple[str, ...] = ()
    """folders below the path, one a target program"""
    n_files: NonNegativeInt = 0
    warnings: tuple[ToolWarning, ...] = ()
    error: ToolError | None = None
    """why it could not be made"""
    fingerprint: str = ""
    """hash of generation, dataset and maker"""
    generation: str = ""
    """the index's, that the bundles were first made from"""
    moved: tuple[str, ...] = ()
    """files that somebody had changed, where they are now: in `previous/`"""
    stale_since: str | None = None
    """generation of the index since which it could not be made: its bundles are older"""


class StudyReport(Described):
    """One run of a study: index, answers, datasets."""

    study: str
    title: str
    engine: str
    watch: str | None = None
    """where the run can be watched"""
    seconds: float
    index: IndexReport
    answers: tuple[dict[str, Any], ...] = ()
    datasets: tuple[DatasetReport, ...] = ()
    path: str


class StageEstimate(Described):
    """What a stage of a run would ask a language model; `exact`: the calls are known, not guessed."""

    stage: str
    calls: NonNegativeInt = 0
    """requests to be paid for"""
    reused: NonNegativeInt = 0
    """prompts that the response cache answers"""
    prompt_tokens: NonNegativeInt = 0
    completion_tokens: NonNegativeInt = 0
    cost: float | None = None
    """US dollars; None where the price is not known"""
    exact: bool = True


class Estimate(Described):
    """What a run would ask a language model, and for how much; nothing of it has been done."""

    study: str
    model: str
    stages: tuple[StageEstimate, ...]
    input_price: float | None = None
    """US dollars per million tokens in"""
    output_price: float | None = None
    """US dollars per million tokens out"""
    completions: str
    """what the number of tokens out is taken from"""
    budget: float | None = None

    @property
    def cost(self) -> float | None:
        """US dollars of all stages; None where the price is not known."""
        costs = [stage.cost for stage in self.stages]
        return None if any(cost is None for cost in costs) else fsum(cost or 0.0 for cost in costs)


class Difference(Described):
    """A result that is not the one expected."""

    file: str
    what: Literal["missing", "unexpected", "changed"]
    at: str = ""
    """where the two first differ"""


class EvidenceChange(Noun):
    """How much of one kind is found in the texts now and was not, or was and is not."""

    kind: Literal["mentions", "relations", "claims", "arguments", "events"]
    added: NonNegativeInt = 0
    removed: NonNegativeInt = 0


class Replication(Described):
    """What an archive says of itself (`data/replication.json`)."""

    study: str
    title: str = ""
    study_file: str
    """path of the study file in the archive"""
    generation: str
    """of the index it was packed with"""
    corpus: dict[str, str]
    """file of the corpus, below the study's folder: its SHA-256"""
    corpus_included: bool = True
    replies: NonNegativeInt = 0
    """stored replies of a language model"""
    evidence: NonNegativeInt = 0
    """documents of which the archive holds what was found in them"""
    results: dict[str, str]
    """file that a run makes: its SHA-256"""
    environment: JsonDict
    """Python, platform and libraries it was packed with"""


class ReplicationReport(Described):
    """What was packed or checked."""

    study: str
    archive: str
    done: Literal["packed", "checked"]
    same: bool
    """whether the archive, run from nothing, gives the bytes it holds"""
    n_results: NonNegativeInt
    """files compared"""
    n_documents: NonNegativeInt = 0
    n_replies: NonNegativeInt = 0
    bytes: NonNegativeInt = 0
    differences: tuple[Difference, ...] = ()
    from_texts: bool = False
    """whether the texts were read anew for the check"""
    evidence: tuple[EvidenceChange, ...] = ()
    """with from_texts: what is found in the texts now, against the archive"""
    environment: tuple[str, ...] = ()
    """what is not here as it was where the archive was packed"""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether the archive stands: texts that read otherwise on another machine may give other results."""
        return self.same or bool(self.evidence)


class GoldQuestion(Described):
    """A question, the documents that answer it (ids of the corpus file), and the answers that are right."""

    id: str
    question: Text
    gold: tuple[str, ...] = Field(min_length=1)
    answers: tuple[Text, ...] = ()
    """the answer and its other spellings"""
    type: str | None = None
    """kind of question, as the file calls it"""
    hops: PositiveInt | None = None
    """passages that have to be joined to answer it"""


class Interval(Noun):
    """A mean over questions with its bootstrap 95% interval."""

    value: float
    low: float
    high: float


class Outcome(Described):
    """One method's result for one question. Recalls are shares of the gold documents, by k."""

    question: GoldQuestion
    ranked: tuple[str, ...]
    """ids of the documents retrieved, best first, each once"""
    recall: dict[int, float]
    milliseconds: float
    usage: Usage = Usage()
    answer: str = ""
    answer_scores: dict[str, float] | None = Field(
        default=None,
        description="answer_contains (not of yes, no, or what is in the question), answer_exact_match, "
        "answer_f1; None without known answers",
    )
    error: str | None = None
    """why there is no result; nothing is recalled then"""
    warnings: dict[str, str] = Field(default_factory=dict)
    """of the run: code and the first message with it"""


class Latency(Noun):
    """Milliseconds for a question with the index in memory; `first` is that of the first, which reads it."""

    mean: float
    median: float
    p95: float
    first: float


class GroupScores(Described):
    """How one method did over the questions of one type, or with so many hops."""

    group: str
    """type: comparison, or hops: 2"""
    metrics: dict[str, Interval]
    n_questions: NonNegativeInt
    n_answers: NonNegativeInt = 0


class MethodScores(Described):
    """How one method did over all questions."""

    method: str
    metrics: dict[str, Interval]
    """recall@k and, with known answers, answer_…"""
    n_questions: NonNegativeInt
    n_answers: NonNegativeInt = 0
    """questions whose answers are known"""
    usage: Usage
    latency_ms: Latency
    versus: str | None = None
    """the method that `differences` compare with"""
    differences: dict[str, Interval] = Field(default_factory=dict)
    """metric: mean of this method's score less the other's, per question"""
    groups: tuple[GroupScores, ...] = ()
    """by type and by number of hops, where the questions tell"""
    warnings: tuple[ToolWarning, ...] = ()

    def record(self) -> JsonDict:
        """Return one flat object: each metric under its name as a share, its interval beside it.

        Returns
        -------
        JsonDict
            Shares lie between 0 and 1, `latency_ms` is in milliseconds and `cost` in US dollars, None where a
            price is unknown.

        """
        told: dict[str, Any] = {"method": self.method}
        told |= {name: found.value for name, found in self.metrics.items()}
        told |= {f"{name}_interval": [found.low, found.high] for name, found in self.metrics.items()}
        told |= {"n_questions": self.n_questions, "n_answers": self.n_answers}
        told |= {"tokens": self.usage.tokens, "calls": self.usage.calls, "cost": self.usage.cost}
        told["latency_ms"] = self.latency_ms.model_dump()
        if self.versus is not None:
            found = {name: difference.model_dump() for name, difference in self.differences.items()}
            told["difference"] = {"versus": self.versus, **found}
        if self.groups:
            told["groups"] = {
                found.group: {
                    "n_questions": found.n_questions,
                    **{name: at.value for name, at in found.metrics.items()},
                }
                for found in self.groups
            }
        told["warnings"] = [warning.model_dump(mode="json") for warning in self.warnings]
        return told


class EvaluationReport(Noun):
    """One evaluation: its methods in the order asked for, and the folder with tables and plot."""

    index: str
    generation: str
    embedder: str
    n_documents: NonNegativeInt
    k: tuple[int, ...]
    scores: tuple[MethodScores, ...]
    path: str
    files: tuple[str, ...] = ()

    def records(self) -> list[JsonDict]:
        """Return one flat object per method.

        Returns
        -------
        list of JsonDict
            As `MethodScores.record`, with the name of the index, the embedder and the path of the report.

        """
        shared = {"index": self.index, "embedder": self.embedder, "path": self.path}
        return [{**score.record(), **shared} for score in self.scores]
