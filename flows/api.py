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
    """Answer a question from an index, each sentence cited.

    Parameters
    ----------
    question : str
        In any words.
    index : str, optional
        Name of the index; the only one there is unless given.
    method : str
        Name of a method, or path of its file.
    top_k : int
        Passages that the answer is taken from, 1 or more.
    filter : dict, optional
        Such as {"author": "Jay", "date": {"to": "1787"}}: only those documents exist.
    outputs : str or Path, optional
        Folder of all indexes; that of the environment unless given.
    profile : str, optional
        Name or path of a profile whose language model writes the answer.
    budget : float, optional
        US dollars that the model may cost at most.
    watched : callable
        It is handed the model and returns what is asked in its place.

    Returns
    -------
    AnswerResult
        Text, citations, passages, warnings and what it cost.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index, or none or several and no name.
    UnknownMethodError, MethodFileError, MethodCheckError
        For a method that there is not, cannot be read or cannot run.
    InvalidInputError
        For an empty question or a bad argument.

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
    """Index a folder of documents, or the corpus of a study.

    Parameters
    ----------
    corpus : str, Path or Study
        A folder, a file of documents, a study file (.yml) or a study.
    name : str, optional
        Name of the index of a folder; the folder's own unless given.
    rebuild : bool
        Make everything anew, also what has not changed.
    update : bool
        Put the documents of a folder or file into the index, in which all others stay.
    embedder : str, optional
        hashing or sentence-transformers.
    model : str, optional
        Model of sentence-transformers.
    from_openie : str or Path, optional
        A file with lines {id, entities, triples} that were extracted elsewhere.
    progress : Progress, optional
        Hears how the stages get on.
    **more : Any
        Fields of `Settings`.

    Returns
    -------
    IndexReport
        What was done, counted, and what failed.

    Raises
    ------
    CorpusNotFoundError
        Where there is nothing to read.
    InvalidInputError
        For a bad argument.

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
    """Take documents out of an index; nothing is removed if one of them is unknown.

    Parameters
    ----------
    name : str
        Name of the index.
    documents : str or sequence of str
        Each an id, a title, a source path or a glob of sources.
    dry_run : bool
        Only tell what would be removed.
    progress : Progress, optional
        Hears how the stages get on.
    **more : Any
        Fields of `Settings`.

    Returns
    -------
    RemovalReport
        Documents removed, and chunks, entities and relationships that went with them; with `dry_run`, that
        would go.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index.
    UnknownItemError
        For a document that is not there.
    InvalidInputError
        For a title of several documents, for none named, and where no document would be left.

    """
    from corpusgraph.flows.update import remove_documents

    wanted = (documents,) if isinstance(documents, str) else tuple(documents)
    return remove_documents(name, wanted, dry_run=dry_run, **_inline(progress, more))


def retry_failed(name: str, *, progress: Progress | None = None, **more: Any) -> IndexReport:
    """Repeat the calls of a language model that failed when an index was made.

    Parameters
    ----------
    name : str
        Name of the index.
    progress : Progress, optional
        Hears how the stages get on.
    **more : Any
        Fields of `Settings`.

    Returns
    -------
    IndexReport
        What was asked again, and what of it failed once more.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index.

    """
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
    """Run a study in this process: index, answers, datasets.

    Parameters
    ----------
    study : str, Path or Study
        A study file (.yml) or a study.
    corpus : str or Path, optional
        Documents, in place of the study's own.
    rebuild : bool
        Make the index anew, also what has not changed.
    progress : Progress, optional
        Hears how the stages get on.
    **more : Any
        Fields of `Settings`.

    Returns
    -------
    StudyReport
        Paths of what was written, counts and warnings of each step.

    Raises
    ------
    StudyFileError
        For a file that cannot be read as a study.
    CorpusgraphError
        For whatever the study names that is not there or does not fit, before anything is done.

    """
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
    """Measure methods on questions whose documents are known.

    Parameters
    ----------
    corpus : str or Path
        A file with lines {id, title, text}.
    queries : str or Path
        A JSON Lines file of questions, each with the ids of the documents that answer it (`gold`).
    methods : str or sequence of str
        Names of methods or paths of their files; others are compared with the first.
    k : sequence of int
        Ranks at which recall is measured, 1 or more.
    embedder : str
        hashing or sentence-transformers.
    limit : int, optional
        Questions at most.
    from_openie : str or Path, optional
        A file with lines {id, entities, triples} that were extracted elsewhere.
    progress : Progress, optional
        Hears how it gets on.
    **more : Any
        Fields of `Settings`.

    Returns
    -------
    EvaluationReport
        Recall at each k, scores of answers, latency in milliseconds and usage, by method.

    Raises
    ------
    InvalidInputError
        For bad questions, k, limit or methods, before anything is indexed.
    CorpusNotFoundError
        For a corpus or file of extracted triples that is not there.

    """
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
