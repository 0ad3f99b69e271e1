"""Prefect: the same stages as tasks of a flow run, with artifacts that a dashboard can watch.

Deployments name `corpusgraph.flows.prefect.index`, `….retrieve`, `….analyse`, `….study` or `….evaluate`
(configs/prefect.yaml).
"""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from prefect import flow, task
from prefect.artifacts import (
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)
from prefect.cache_policies import NO_CACHE
from prefect.context import get_run_context
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, PREFECT_UI_URL, temporary_settings
from prefect.task_runners import ThreadPoolTaskRunner
from pydantic import BaseModel

from corpusgraph.flows.api import ask
from corpusgraph.flows.datasets import analyse as make_datasets
from corpusgraph.flows.engine import How, windowed
from corpusgraph.flows.evaluate import Evaluation
from corpusgraph.flows.evaluate import evaluate as run_evaluation
from corpusgraph.flows.progress import Silent
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.flows.studies import load_study, study_of
from corpusgraph.flows.study import run_study
from corpusgraph.flows.update import index_or_update
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.run import EvaluationReport, IndexReport, StudyReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress


class Artifacts:
    """Shows each stage as a progress artifact, and tells somebody else (the terminal) too.

    Parameters
    ----------
    also : Progress
        Is told too.

    """

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
    """Publish counts, stage times and failures of an indexing run, and what its language model was asked."""
    counts: list[JsonDict] = [{"what": k, "count": v} for k, v in report.counts.items()]
    failed = f"{report.n_failures} documents, rows, calls or findings could not be used"
    usage = "Calls of the language model, tokens and US dollars, stage by stage"
    for key, rows, description in (
        ("counts", counts, "Index counts"),
        ("stages", _dumped(report.stages), "Seconds and notes of each stage"),
        ("failures", _dumped(report.failures), failed),
        *([("model-usage", _dumped(report.usage), usage)] if report.usage else []),
    ):
        create_table_artifact(key=key, table=rows, description=description)


def _dumped(items: Iterable[BaseModel]) -> list[JsonDict]:
    return [item.model_dump() for item in items]


def publish_study(report: StudyReport) -> None:
    """Publish what a study made and where."""
    head = f"# {report.title}\n\nFiles are in `{report.path}`.\n\n| dataset | what | where |\n|---|---|---|"
    lines = [head, *(f"| {d.name} | {d.summary} | `{d.path}` |" for d in report.datasets)]
    lines += [f"\n**{answer['query']}**\n\n{answer['text']}" for answer in report.answers]
    create_markdown_artifact("\n".join(lines), key="study", description=f"What the study {report.study} made")


def publish_evaluation(report: EvaluationReport) -> None:
    """Publish a row per method with its recalls, and where tables and plot are."""
    rows = []
    for score in report.scores:
        found = {name: round(at.value, 4) for name, at in score.metrics.items()}
        told = {"tokens": score.usage.tokens, "median ms": score.latency_ms.median}
        rows.append({"method": score.method, **found, **told})
    create_table_artifact(key="evaluation", table=rows, description=f"Tables and plot are in {report.path}")


os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")
# a busy machine takes longer than prefect's own 20 seconds to start the embedded server
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")

A = TypeVar("A")
T = TypeVar("T")
THREADS: Any = ThreadPoolTaskRunner(max_workers=4)


class Prefect:
    """Runs each stage as a task of the current flow run, batches through the task runner.

    Parameters
    ----------
    workers : int, default 1
        Processes that read documents.

    """

    name = "prefect"

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers

    def run(self, stage: str, work: Callable[[], T]) -> T:
        """Run one stage as a task, in this thread."""
        result: T = as_task(stage)(Work(work))
        return result

    def map(
        self, stage: str, work: Callable[[A], T], batches: Iterable[A], *, threads: int = 0
    ) -> Iterator[T]:
        """Submit a task a batch; python code in threads shares one core, so workers are processes.

        Parameters
        ----------
        stage : str
            Name of the tasks.
        work : callable
            Is called with each batch; with more than one worker it has to be found by name in another
            process.
        batches : iterable of A
            Are taken as there is room.
        threads : int, default 0
            Tasks at a time in threads; 0 for processes, where there is more than one worker.

        Yields
        ------
        T
            In the order of the batches.

        """
        each = as_task(stage)
        if threads or self.workers == 1:
            yield from windowed((each.submit(Work(work, batch)) for batch in batches), threads + 2)
            return
        with ProcessPoolExecutor(self.workers, mp_context=get_context("spawn")) as pool:

            def done(batch: A) -> T:  # by a thread of the runner, which waits for the process
                return pool.submit(work, batch).result()

            futures = (each.submit(Work(done, batch)) for batch in batches)
            yield from windowed(futures, self.workers + 1)


class Work:
    """A call to make; opaque to the orchestrator, which would walk through every argument it can see.

    Parameters
    ----------
    function : callable
        Is called when the work is done.
    *arguments : Any
        Of the function.

    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.function = function
        self.arguments = arguments

    def __repr__(self) -> str:
        """Show the function alone."""
        return f"Work({getattr(self.function, '__name__', 'stage')})"


def as_task(stage: str) -> Any:
    """Make a task of a stage: never cached by the orchestrator, whose keys would hash every argument.

    Parameters
    ----------
    stage : str
        Its name.

    Returns
    -------
    Any
        Of Prefect.

    """
    return task(name=stage, cache_policy=NO_CACHE, persist_result=False)(work_on)


def work_on(work: Work) -> Any:
    """Do a piece of work.

    Parameters
    ----------
    work : Work
        Function and arguments.

    Returns
    -------
    Any
        What it returned.

    """
    return work.function(*work.arguments)


@flow(name="study", task_runner=THREADS, persist_result=False, log_prints=False)
def study(
    study_file: str,
    corpus: str | None = None,
    outputs: str | None = None,
    workers: int | None = None,
    rebuild: bool = False,
    profile: str | None = None,
    budget: float | None = None,
) -> JsonDict:
    """Run a study: index its corpus, answer its questions, make its datasets."""
    made, base = load_study(study_file, corpus)
    how = _how(outputs, workers=workers, profile=profile, budget=budget)
    report = run_study(made, base, rebuild=rebuild, **how)
    publish_index(report.index)
    publish_study(report)
    return report.model_copy(update={"watch": watch_url()}).model_dump(mode="json")


@flow(name="index", task_runner=THREADS, persist_result=False, log_prints=False)
def index(
    corpus: str,
    name: str | None = None,
    outputs: str | None = None,
    workers: int | None = None,
    rebuild: bool = False,
    embedder: str | None = None,
    model: str | None = None,
    from_openie: str | None = None,
    profile: str | None = None,
    budget: float | None = None,
    retry: bool = False,
    update: bool = False,
) -> JsonDict:
    """Index a folder of documents, or the corpus of a study file; `retry` repeats calls that failed.

    With `update` its documents are added to the index, or replace those with their ids.
    """
    made, base = study_of(corpus, name, embedder=embedder, model=model, from_openie=from_openie)
    how = _how(outputs, workers=workers, profile=profile, budget=budget)
    report = index_or_update(made, base, rebuild=rebuild, retry=retry, update=update, **how)
    publish_index(report)
    return report.model_dump(mode="json")


@flow(name="retrieve", task_runner=THREADS, persist_result=False, log_prints=False)
def retrieve(
    questions: list[str],
    index: str | None = None,
    method: str = "default",
    top_k: int = 5,
    filter: JsonDict | None = None,  # noqa: A002
    outputs: str | None = None,
    profile: str | None = None,
    budget: float | None = None,
) -> list[JsonDict]:
    """Answer questions from an index, each sentence cited; `budget` is in US dollars a question."""
    engine, progress, answers = Prefect(), _told(), []
    progress.start("retrieve", len(questions))
    for question in questions:
        work = partial(
            ask,
            question,
            index,
            method=method,
            top_k=top_k,
            filter=filter,
            outputs=outputs,
            profile=profile,
            budget=budget,
        )
        answers.append(engine.run("retrieve", work))
        progress.advance("retrieve")
    progress.finish("retrieve", f"{len(answers)} answers")
    lines = [line for answer in answers for line in (f"**{answer.query}**", "", answer.text, "")]
    create_markdown_artifact("\n".join(lines), key="answers", description=f"{len(answers)} answers")
    return [answer.model_dump(mode="json") for answer in answers]


@flow(name="analyse", task_runner=THREADS, persist_result=False, log_prints=False)
def analyse(study_file: str, corpus: str | None = None, outputs: str | None = None) -> list[JsonDict]:
    """Make the datasets of a study from its index as it is published."""
    made, _ = load_study(study_file, corpus)
    how = _how(outputs)
    generation = IndexStore(how["settings"].outputs).published(made.study).generation
    reports = make_datasets(made, generation, **how)
    table = [{"dataset": one.name, "what": one.summary, "where": one.path} for one in reports]
    create_table_artifact(key="datasets", table=table, description=f"Datasets of the study {made.study}")
    return [report.model_dump(mode="json") for report in reports]


@flow(name="evaluate", task_runner=THREADS, persist_result=False, log_prints=False)
def evaluate(
    corpus: str,
    queries: str,
    methods: list[str],
    k: list[int] | None = None,
    embedder: str = "hashing",
    limit: int | None = None,
    from_openie: str | None = None,
    outputs: str | None = None,
) -> JsonDict:
    """Measure methods on a set of questions whose documents are known."""
    openie = Path(from_openie) if from_openie else None
    asked = Evaluation(
        Path(corpus), Path(queries), tuple(methods), tuple(k or (2, 5)), embedder, limit, openie
    )
    report = run_evaluation(asked, **_how(outputs))
    publish_evaluation(report)
    return report.model_dump(mode="json")


def watch_url() -> str | None:
    """Return the page of the current flow run; the embedded server keeps it for a server started later.

    Returns
    -------
    str or None
        None outside of a flow run.

    """
    run = get_run_context()
    flow_run = getattr(run, "flow_run", None)
    url = PREFECT_UI_URL.value()
    if flow_run is None:
        return None
    if url:
        return f"{url}/runs/flow-run/{flow_run.id}"
    return f"http://127.0.0.1:4200/runs/flow-run/{flow_run.id} (after `prefect server start`)"


_listeners: list[Progress] = []


def _told() -> Progress:
    return Artifacts(_listeners[-1] if _listeners else Silent())


def _how(outputs: str | None, **more: Any) -> How:
    """Return what a flow runs by: the environment's settings with a deployment's parameters, in this flow."""
    given = {"engine": "prefect", "outputs": None if outputs is None else Path(outputs), **more}
    kept = {name: value for name, value in given.items() if value is not None}
    chosen = Settings.from_environment().model_copy(update=kept)
    return {"settings": chosen, "engine": Prefect(chosen.workers), "progress": _told()}


def orchestrated(function: Callable[..., JsonDict], listener: Progress, **parameters: Any) -> JsonDict:
    """Run a flow from the command line, with bars for the person who waits.

    Parameters
    ----------
    function : callable
        A flow of this module.
    listener : Progress
        Hears how it gets on.
    **parameters : Any
        Of the flow.

    Returns
    -------
    JsonDict
        What the flow returned.

    """
    _listeners.append(listener)
    try:
        # a run that a person watches needs no heartbeat, and its thread takes a second to stop
        with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
            return function(**parameters)
    finally:
        _listeners.pop()
