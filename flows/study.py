"""The main job: look for what a study names, index its corpus, answer its questions, make its datasets."""

import json
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from corpusgraph.flows.datasets import analyse
from corpusgraph.flows.engine import How
from corpusgraph.flows.files.cache import code_fingerprint
from corpusgraph.flows.files.disk import replace_file
from corpusgraph.flows.language import language_model, load_prompts, profile_of, with_model
from corpusgraph.flows.pipeline import index_corpus
from corpusgraph.flows.store.store import IndexStore, open_recent
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import (
    CorpusgraphError,
    InvalidInputError,
    OutputError,
    PreparationError,
    StudyFileError,
    did_you_mean,
    shown,
)
from corpusgraph.schemas.llm import STOPPING
from corpusgraph.schemas.run import IndexReport, StudyReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import (
    ArgumentDataset,
    CausalDataset,
    Dataset,
    ProcessDataset,
    Study,
    TableDataset,
)

if TYPE_CHECKING:
    from corpusgraph.flows.llm.client import Client

Check = tuple[str, Callable[[], object]]
"""A place in the study, and what raises where something is wrong there."""


def check_study(study: Study, base: Path, settings: Settings) -> None:
    """Check that all a study names is there and fits; several problems are one list.

    What only the corpus can tell (fields of its metadata, names of its entities) is told by the datasets.

    Parameters
    ----------
    study : Study
        Read.
    base : Path
        Folder that its paths start at.
    settings : Settings
        Of the run.

    Raises
    ------
    StudyFileError
        For several problems.
    CorpusgraphError
        For a single one, as it is.

    """
    problems = _problems(_checks(study, base, settings))
    if not problems:  # what these need is there
        problems = _problems([("profile", lambda: _open_model(study, base, settings))])
    if len(problems) == 1:
        raise problems[0][1]
    if problems:
        lines = [f"{place}: {error}" for place, error in problems]
        message = f"The study {study.study!r} has {len(lines)} problems; nothing was done."
        raise StudyFileError("\n  - ".join([message, *lines]))


def _problems(checks: "Iterator[Check] | list[Check]") -> list[tuple[str, CorpusgraphError]]:
    found = []
    for place, check in checks:
        try:
            check()
        except CorpusgraphError as error:
            found.append((place, error))
    return found


def _checks(study: Study, base: Path, settings: Settings) -> Iterator[Check]:
    from corpusgraph.flows.answer import method_named

    yield from _files(study, base, settings)
    yield "profile", lambda: profile_of(study, base, settings)
    if settings.profile or study.profile:
        yield "index.llm.prompts", lambda: load_prompts(study.index.llm.prompts, base)
    for number, question in enumerate(study.questions):
        yield f"questions[{number}].method", partial(method_named, question.method, base)
    for dataset in study.datasets:
        for check in _dataset(dataset):
            yield f"datasets {dataset.name}", check
    yield "outputs", lambda: _outputs(study, settings)


def _files(study: Study, base: Path, settings: Settings) -> Iterator[Check]:
    from corpusgraph.flows.extraction import openie_file
    from corpusgraph.flows.load.openie import OpenieExtractor
    from corpusgraph.flows.load.sources import corpus_root, table_path
    from corpusgraph.flows.memory import changes_of

    yield "corpus.path", lambda: corpus_root(study.corpus, base)
    if (base / Path(study.corpus.path).expanduser()).exists():
        yield "corpus.metadata", lambda: table_path(study.corpus, base)
    if (findings := openie_file(study.index, base)) is not None:
        yield "index.openie", lambda: OpenieExtractor(findings)
    if study.memory is not None:
        folder = IndexStore(settings.outputs).folder(study.study)
        yield "memory", lambda: changes_of(study, base, folder)


def _open_model(study: Study, base: Path, settings: Settings) -> None:
    """Raise where the language model's key, address or price is missing."""
    model = with_model(study, base, settings)[1]
    if model is not None:
        model.client.close()


def _dataset(dataset: Dataset) -> Iterator[Callable[[], object]]:
    """Yield what raises for a dataset that no corpus could be made into."""
    if isinstance(dataset, TableDataset):
        yield from _table(dataset)
    elif isinstance(dataset, ProcessDataset):
        from corpusgraph.tasks.dataset.process import bound

        yield lambda: bound(dataset.start)
        yield lambda: bound(dataset.end)
    elif isinstance(dataset, CausalDataset):
        yield lambda: _query(dataset)
    elif isinstance(dataset, ArgumentDataset):
        yield lambda: _semantics(dataset)


def _table(dataset: TableDataset) -> Iterator[Callable[[], object]]:
    from corpusgraph.tasks.analysis.statistics.model import model_of
    from corpusgraph.tasks.dataset.measures.registry import check_variable
    from corpusgraph.tasks.dataset.measures.units import leads
    from corpusgraph.tasks.dataset.table import analysis_of, checked_names

    yield lambda: checked_names(dataset)
    for variable in dataset.variables:
        yield partial(check_variable, dataset, variable)
    columns = [*(lead.name for lead in leads(dataset)), *(variable.name for variable in dataset.variables)]
    yield lambda: model_of(*analysis_of(dataset), columns)


def _query(dataset: CausalDataset) -> None:
    """Raise where a query is asked for without both of its ends."""
    for name in ("exposure", "outcome"):
        if dataset.model_type == "do_calculus" and not getattr(dataset, name):
            raise PreparationError(
                f"Dataset {dataset.name!r}: the {name} is missing.",
                code="no_query",
                hint="Name exposure and outcome by a variable or an entity.",
            )


def _semantics(dataset: ArgumentDataset) -> None:
    from corpusgraph.tasks.analysis.argument.semantics import SEMANTICS

    for name in dataset.semantics:
        if name not in SEMANTICS:
            raise PreparationError(
                f"Dataset {dataset.name!r}: unknown semantics {name!r}.",
                code="unknown_semantics",
                hint=did_you_mean(name, SEMANTICS) or f"Known are {', '.join(SEMANTICS)}.",
            )


def _outputs(study: Study, settings: Settings) -> None:
    """Raise where the folders of the index and its datasets cannot be made."""
    home = IndexStore(settings.outputs).folder(study.study)
    for folder in (home, home / "datasets", *(home / "datasets" / each.name for each in study.datasets)):
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        if not there.is_dir():
            raise InvalidInputError(
                f"{shown(there)} is no folder, and the study is to be written below it.",
                hint="Move it, or give another folder with --outputs.",
            )
        if not os.access(there, os.W_OK | os.X_OK):
            raise OutputError(
                f"Cannot write to {shown(there)}: permission denied.",
                hint="Set CORPUSGRAPH_OUTPUTS to a folder you may write to.",
            )


ANSWERING = (
    "corpusgraph.flows.answer",
    *(
        f"corpusgraph.tasks.{name}"
        for name in ("answer", "digits", "filter", "graph", "method", "text", "tools")
    ),
)
"""Packages whose code decides an answer."""
FAILED = frozenset({"llm_failed", *STOPPING})
"""Warnings of an answer for which the language model was asked in vain."""


def run_study(study: Study, base: Path, *, rebuild: bool = False, **how: Unpack[How]) -> StudyReport:
    """Run a study from its corpus to its datasets.

    Parameters
    ----------
    study : Study
        The study.
    base : Path
        The folder its paths start from.
    settings : Settings
        Where and how it runs.
    engine : Engine
        Runs the stages.
    progress : Progress
        Hears how they get on.
    rebuild : bool
        Make the index anew, also what has not changed.

    Returns
    -------
    StudyReport
        A dataset that could not be made is in it with its error.

    Raises
    ------
    CorpusgraphError
        For what the study names that is not there or does not fit, and what keeps the index from being made.

    """
    began = time.perf_counter()
    settings, engine = how["settings"], how["engine"]
    check_study(study, base, settings)
    index = index_corpus(study, base, rebuild=rebuild, **how)
    answers = engine.run("answer", partial(answer_all, study, base, settings, index))
    datasets = analyse(study, index.generation, **how)
    return StudyReport(
        study=study.study,
        title=study.title or study.study,
        engine=engine.name,
        seconds=round(time.perf_counter() - began, 3),
        index=index,
        answers=tuple(answers),
        datasets=tuple(datasets),
        path=str(settings.outputs / study.study),
    )


def answer_all(study: Study, base: Path, settings: Settings, index: IndexReport) -> list[JsonDict]:
    """Answer the study's questions; answers of the same generation to the same questions are read back.

    Parameters
    ----------
    study : Study
        The study.
    base : Path
        The folder its paths start from.
    settings : Settings
        Where the index is, and the profile of a language model.
    index : IndexReport
        Its generation decides whether answers are read back.

    Returns
    -------
    list of dict
        An `AnswerResult` each, without its trace.

    """
    if not study.questions:
        return []
    from corpusgraph.flows.answer import answer

    store = IndexStore(settings.outputs)
    path = store.folder(study.study) / "answers.json"
    with language_model(settings, profile_of(study, base, settings)) as llm:
        asked = _asked(study, base, llm)
        last: JsonDict = json.loads(path.read_bytes()) if path.is_file() else {}
        if (last.get("generation"), last.get("questions")) == (index.generation, asked):
            return list(last["answers"])
        opened = open_recent(store, study.study)
        results = [answer(opened, question, base, llm=llm) for question in study.questions]
    answers = [result.model_dump(mode="json", exclude={"trace"}) for result in results]
    if any(warning.code in FAILED for result in results for warning in result.warnings):
        asked = []  # a call failed: the next run asks again
    told = {"generation": index.generation, "questions": asked, "answers": answers}
    replace_file(path, json.dumps(told, ensure_ascii=False, indent=1).encode())
    return answers


def _asked(study: Study, base: Path, llm: "Client | None") -> list[JsonDict]:
    """Return what decides the answers: question, code, model, and the method as it is written."""
    from corpusgraph.flows.methods import load_method

    decides = {"code": code_fingerprint(*ANSWERING), "llm": llm.fingerprint if llm is not None else None}
    asked = [{**question.model_dump(mode="json"), **decides} for question in study.questions]
    for one in asked:
        one["steps"] = load_method(one["method"], base).model_dump(mode="json", exclude={"source"})
    return asked
