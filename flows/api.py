"""What a notebook, the command line and every other surface calls: open an index, ask, call a tool, run."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpusgraph.flows.call import Watched, call, opened_model, tools
from corpusgraph.flows.open_index import inline_settings, open
from corpusgraph.flows.studies import load_study, made, study_of
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.run import IndexReport, RemovalReport, StudyReport
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Question, Study

if TYPE_CHECKING:
    from corpusgraph.schemas.answer import AnswerResult
    from corpusgraph.schemas.run import EvaluationReport

__all__ = ["ask", "call", "evaluate", "index", "open", "remove", "retry_failed", "run", "tools"]


def ask(
    question: str,
    index: str | None = None,
    *,
    method: str = "default",
    top_k: int = 5,
    filter: JsonDict | None = None,  # noqa: A002
    outputs: str | Path | None = None,
    profile: str | None = None,
    budget: float | None = None,
    watched: Watched = lambda llm: llm,
) -> "AnswerResult":
    """Answer a question from an index, each sentence cited; `method` is a name or the path of a file.

    With a `filter` such as {"author": "Jay", "date": {"to": "1787"}}, only those documents exist. With a
    `profile` its language model writes the answer, for at most `budget` US dollars; `watched` is handed the
    model and returns what is asked in its place.
    """
    from corpusgraph.flows.answer import answer

    fields = {"ask": question, "method": method, "top_k": top_k, "filter": filter}
    asked = made(Question, "ask", fields)
    with opened_model(outputs, profile, budget) as llm:
        return answer(open(index, outputs), asked, llm=None if llm is None else watched(llm))


def index(
    corpus: str | Path | Study,
    name: str | None = None,
    *,
    rebuild: bool = False,
    update: bool = False,
    embedder: str | None = None,
    model: str | None = None,
    from_openie: str | Path | None = None,
    progress: Progress | None = None,
    **more: Any,
) -> IndexReport:
    """Index a folder of documents, or the corpus of a study; `more` are fields of Settings.

    With `update`, the documents of a folder or file are put into the index and all others stay.
    `embedder` is hashing or sentence-transformers, `model` that of the latter; `from_openie` is a file with
    lines {id, entities, triples} that were extracted elsewhere. `progress` hears how the stages get on.
    """
    from corpusgraph.flows.update import index_or_update

    study, base = study_of(corpus, name, embedder=embedder, model=model, from_openie=from_openie)
    return index_or_update(study, base, rebuild=rebuild, update=update, **_inline(progress, more))


def remove(
    name: str,
    documents: str | Sequence[str],
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    **more: Any,
) -> RemovalReport:
    """Take documents out of an index, each named by id, title, source path or a glob of sources.

    Nothing is removed if one is unknown, or with `dry_run`; `more` are fields of Settings.
    """
    from corpusgraph.flows.update import remove_documents

    wanted = (documents,) if isinstance(documents, str) else tuple(documents)
    return remove_documents(name, wanted, dry_run=dry_run, **_inline(progress, more))


def retry_failed(name: str, *, progress: Progress | None = None, **more: Any) -> IndexReport:
    """Repeat the calls of a language model that failed when an index was made; `more` are of Settings."""
    from corpusgraph.flows.update import retry_failed as again

    return again(name, **_inline(progress, more))


def run(
    study: str | Path | Study,
    corpus: str | Path | None = None,
    *,
    rebuild: bool = False,
    progress: Progress | None = None,
    **more: Any,
) -> StudyReport:
    """Run a study in this process: index, answers, datasets; `more` are fields of Settings."""
    from corpusgraph.flows.study import run_study

    asked, base = load_study(study, corpus)
    return run_study(asked, base, rebuild=rebuild, **_inline(progress, more))


def evaluate(
    corpus: str | Path,
    queries: str | Path,
    methods: str | Sequence[str] = "default",
    *,
    k: Sequence[int] = (2, 5),
    embedder: str = "hashing",
    limit: int | None = None,
    from_openie: str | Path | None = None,
    progress: Progress | None = None,
    **more: Any,
) -> "EvaluationReport":
    """Measure methods on questions whose documents are known; `more` are fields of Settings."""
    from corpusgraph.flows import evaluate as flow

    names = (methods,) if isinstance(methods, str) else tuple(methods)
    openie = Path(from_openie) if from_openie else None
    asked = flow.Evaluation(Path(corpus), Path(queries), names, tuple(k), embedder, limit, openie)
    return flow.evaluate(asked, **_inline(progress, more))


def _inline(progress: Progress | None, more: JsonDict) -> dict[str, Any]:
    """Return what every flow runs by: settings, an engine in this process, and who hears how it gets on."""
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.progress import Silent

    chosen = inline_settings(**more)
    return {"settings": chosen, "engine": Inline(chosen.workers), "progress": progress or Silent()}
