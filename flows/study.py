"""The main job: index a corpus, answer the study's questions, make its datasets."""

import json
import time
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from corpusgraph.flows.analyse import analyse
from corpusgraph.flows.engine import Engine
from corpusgraph.flows.files.code_fingerprint import code_fingerprint
from corpusgraph.flows.files.files import replace_file
from corpusgraph.flows.models import profile_of
from corpusgraph.flows.pipeline import index_corpus
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.flows.study_check import check_study
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.llm import STOPPING
from corpusgraph.schemas.run import IndexReport, StudyReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Study

if TYPE_CHECKING:
    from corpusgraph.flows.language import AskedModel

ANSWERING = (
    "corpusgraph.flows.retrieve",
    *(
        f"corpusgraph.tasks.{name}"
        for name in ("answer", "digits", "filter", "graph", "method", "text", "tools")
    ),
)
"""Packages whose code decides an answer."""
FAILED = frozenset({"llm_failed", *STOPPING})
"""Warnings of an answer for which the language model was asked in vain."""


def run_study(
    study: Study, base: Path, *, settings: Settings, engine: Engine, progress: Progress, rebuild: bool = False
) -> StudyReport:
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
    check_study(study, base, settings)
    index = index_corpus(study, base, settings=settings, engine=engine, progress=progress, rebuild=rebuild)
    answers = engine.run("answer", partial(answer_all, study, base, settings, index))
    datasets = analyse(study, index.generation, settings=settings, engine=engine, progress=progress)
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
    path = IndexStore(settings.outputs).folder(study.study) / "answers.json"
    with answering_model(study, base, settings) as llm:
        return _answers(study, base, settings, index, path, llm)


def answering_model(
    study: Study, base: Path, settings: Settings
) -> AbstractContextManager["AskedModel | None"]:
    """Open the language model of the settings' profile, or else of the study's.

    Parameters
    ----------
    study : Study
        The study.
    base : Path
        The folder its paths start from.
    settings : Settings
        With a profile or not.

    Returns
    -------
    context manager of AskedModel or None
        None where there is no profile.

    """
    from corpusgraph.flows.language import model_of

    return model_of(profile_of(study, base, settings), settings)


def _answers(
    study: Study, base: Path, settings: Settings, index: IndexReport, path: Path, llm: "AskedModel | None"
) -> list[JsonDict]:
    asked = _asked(study, base, llm)
    kept = _kept(path)
    if kept.get("generation") == index.generation and kept.get("questions") == asked:
        answers: list[JsonDict] = kept["answers"]
        return answers
    from corpusgraph.flows.answer import answer
    from corpusgraph.flows.open_index import open

    opened = open(study.study, settings.outputs)
    found = [answer(opened, question, base, llm=llm) for question in study.questions]
    answers = [one.model_dump(mode="json", exclude={"trace"}) for one in found]
    told = {"generation": index.generation, "questions": asked, "answers": answers}
    if any(warning.code in FAILED for one in found for warning in one.warnings):
        told["questions"] = []  # a call failed: the next run asks again
    replace_file(path, json.dumps(told, ensure_ascii=False, indent=1).encode())
    return answers


def _asked(study: Study, base: Path, llm: "AskedModel | None") -> list[JsonDict]:
    """Return what decides the answers: question, code, model, and the method as it is written."""
    from corpusgraph.flows.methods import load_method

    decides = {"code": code_fingerprint(*ANSWERING), "llm": llm.fingerprint if llm is not None else None}
    asked = [{**question.model_dump(mode="json"), **decides} for question in study.questions]
    for one in asked:
        one["steps"] = load_method(one["method"], base).model_dump(mode="json", exclude={"source"})
    return asked


def _kept(path: Path) -> JsonDict:
    if not path.is_file():
        return {}
    found: JsonDict = json.loads(path.read_text(encoding="utf-8"))
    return found
