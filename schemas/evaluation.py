"""Questions with known answers, and how well methods retrieve what answers them."""

from typing import Any

from pydantic import Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import JsonDict, Noun, Text
from corpusgraph.schemas.llm import Usage
from corpusgraph.schemas.results import ToolWarning


class GoldQuestion(Noun):
    """A question, the documents that answer it (ids of the corpus file), and the answers that are right."""

    id: str
    question: Text
    gold: tuple[str, ...] = Field(min_length=1)
    answers: tuple[Text, ...] = Field(default=(), description="the answer and its other spellings")
    type: str | None = Field(default=None, description="kind of question, as the file calls it")
    hops: PositiveInt | None = Field(default=None, description="passages that have to be joined to answer it")


class Interval(Noun):
    """A mean over questions with its bootstrap 95% interval."""

    value: float
    low: float
    high: float


class Outcome(Noun):
    """One method's result for one question. Recalls are shares of the gold documents, by k."""

    question: GoldQuestion
    ranked: tuple[str, ...] = Field(description="ids of the documents retrieved, best first, each once")
    recall: dict[int, float]
    milliseconds: float
    usage: Usage = Usage()
    answer: str = ""
    answer_scores: dict[str, float] | None = Field(
        default=None,
        description="answer_contains (not of yes, no, or what is in the question), answer_exact_match, "
        "answer_f1; None without known answers",
    )
    error: str | None = Field(default=None, description="why there is no result; nothing is recalled then")
    warnings: dict[str, str] = Field(
        default_factory=dict, description="of the run: code and the first message with it"
    )


class Latency(Noun):
    """Milliseconds for a question with the index in memory; `first` is that of the first, which reads it."""

    mean: float
    median: float
    p95: float
    first: float


class GroupScores(Noun):
    """How one method did over the questions of one type, or with so many hops."""

    group: str = Field(description="type: comparison, or hops: 2")
    metrics: dict[str, Interval]
    n_questions: NonNegativeInt
    n_answers: NonNegativeInt = 0


class MethodScores(Noun):
    """How one method did over all questions."""

    method: str
    metrics: dict[str, Interval] = Field(description="recall@k and, with known answers, answer_…")
    n_questions: NonNegativeInt
    n_answers: NonNegativeInt = Field(default=0, description="questions whose answers are known")
    usage: Usage
    latency_ms: Latency
    versus: str | None = Field(default=None, description="the method that `differences` compare with")
    differences: dict[str, Interval] = Field(
        default_factory=dict, description="metric: mean of this method's score less the other's, per question"
    )
    groups: tuple[GroupScores, ...] = Field(
        default=(), description="by type and by number of hops, where the questions tell"
    )
    warnings: tuple[ToolWarning, ...] = ()

    def record(self) -> JsonDict:
        """Return one flat object: each metric under its name as a share, its interval beside it."""
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
        """Return one flat object per method."""
        shared = {"index": self.index, "embedder": self.embedder, "path": self.path}
        return [{**score.record(), **shared} for score in self.scores]
