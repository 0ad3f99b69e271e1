"""What a flow run shows on its dashboard: stages as they go, and what was made."""

from uuid import UUID

from prefect.artifacts import (
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)

from corpusgraph.schemas.evaluation import EvaluationReport
from corpusgraph.schemas.run import IndexReport, StudyReport
from corpusgraph.schemas.stages import Progress


class Artifacts:
    """Shows each stage as a progress artifact, and tells somebody else (the terminal) too."""

    def __init__(self, also: Progress) -> None:
        self._also = also
        self._artifacts: dict[str, UUID] = {}
        self._totals: dict[str, int] = {}
        self._done: dict[str, int] = {}

    def start(self, stage: str, total: int | None) -> None:
        """Publish an artifact at 0%."""
        self._also.start(stage, total)
        made = create_progress_artifact(0.0, key=f"stage-{stage}", description=f"Stage {stage}")
        self._artifacts[stage] = made if isinstance(made, UUID) else UUID(str(made))
        self._totals[stage], self._done[stage] = total or 1, 0

    def advance(self, stage: str, by: int = 1) -> None:
        """Move it on."""
        self._also.advance(stage, by)
        self._done[stage] += by
        share = min(100.0, 100.0 * self._done[stage] / self._totals[stage])
        update_progress_artifact(self._artifacts[stage], progress=share)

    def finish(self, stage: str, note: str = "") -> None:
        """Set it to 100% and say what was made."""
        self._also.finish(stage, note)
        update_progress_artifact(self._artifacts[stage], progress=100.0, description=f"Stage {stage}: {note}")


def publish_index(report: IndexReport) -> None:
    """Publish counts, stage times and failures of an indexing run."""
    create_table_artifact(
        key="counts",
        table=[{"what": k, "count": v} for k, v in report.counts.items()],
        description="Index counts",
    )
    create_table_artifact(
        key="stages",
        table=[s.model_dump() for s in report.stages],
        description="Seconds and notes of each stage",
    )
    create_table_artifact(
        key="failures",
        table=[f.model_dump() for f in report.failures],
        description=f"{report.n_failures} documents, rows, calls or findings could not be used",
    )
    if report.usage:
        create_table_artifact(
            key="model-usage",
            table=[stage.model_dump() for stage in report.usage],
            description="Calls of the language model, tokens and US dollars, stage by stage",
        )


def publish_study(report: StudyReport) -> None:
    """Publish what a study made and where."""
    lines = [
        f"# {report.title}",
        "",
        f"Files are in `{report.path}`.",
        "",
        "| dataset | what | where |",
        "|---|---|---|",
    ]
    lines += [f"| {d.name} | {d.summary} | `{d.path}` |" for d in report.datasets]
    for answer in report.answers:
        lines += ["", f"**{answer['query']}**", "", str(answer["text"])]
    create_markdown_artifact("\n".join(lines), key="study", description=f"What the study {report.study} made")


def publish_evaluation(report: EvaluationReport) -> None:
    """Publish a row per method with its recalls, and where tables and plot are."""
    rows = []
    for score in report.scores:
        found = {name: round(at.value, 4) for name, at in score.metrics.items()}
        told = {"tokens": score.usage.tokens, "median ms": score.latency_ms.median}
        rows.append({"method": score.method, **found, **told})
    create_table_artifact(key="evaluation", table=rows, description=f"Tables and plot are in {report.path}")
