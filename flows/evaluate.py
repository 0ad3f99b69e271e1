"""Methods x questions: which of the documents that answer a question each method finds, at what cost.

One passage is one document and one chunk, so that a rank of passages is a rank of documents.
"""

import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from corpusgraph.flows.engine import Engine
from corpusgraph.flows.files.disk import file_digest
from corpusgraph.flows.language import language_model, stop_warning
from corpusgraph.flows.load.questions import read_questions
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.flows.studies import made
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, CorpusNotFoundError, InvalidInputError, shown
from corpusgraph.schemas.llm import Usage
from corpusgraph.schemas.ports import Embedder, LanguageModel
from corpusgraph.schemas.results import ToolWarning, warned
from corpusgraph.schemas.run import EvaluationReport, GoldQuestion, IndexReport, Outcome
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Question, Study
from corpusgraph.tasks.evaluate.scores import answer_scores, evaluation_files, recall_at, score_all

WHOLE = {"unit": "tokens", "size": 1_000_000_000, "overlap": 0}  # cuts no document


@dataclass(frozen=True)
class Evaluation:
    """What to evaluate: files, methods, ranks to cut at, and how the corpus is indexed.

    Attributes
    ----------
    corpus : Path
        A file with lines {id, title, text}.
    queries : Path
        A file of questions with the ids of the documents that answer them.
    methods : tuple of str
        Names of methods or paths of their files.
    k : tuple of int
        Ranks at which recall is measured.
    embedder : str
        hashing or sentence-transformers.
    limit : int, optional
        Questions at most.
    from_openie : Path, optional
        A file with lines {id, entities, triples} that were extracted elsewhere.

    """

    corpus: Path
    queries: Path
    methods: tuple[str, ...] = ("default",)
    k: tuple[int, ...] = (2, 5)
    embedder: str = "hashing"
    limit: int | None = None
    from_openie: Path | None = None


def evaluate(
    asked: Evaluation, *, settings: Settings, engine: Engine, progress: Progress
) -> EvaluationReport:
    """Index the corpus, ask every method every question, and write tables and a plot into outputs.

    A question that a method fails on recalls nothing, and a warning names it.

    Parameters
    ----------
    asked : Evaluation
        What to evaluate.
    settings : Settings
        Where the outputs are, and the profile of a language model.
    engine : Engine
        Runs the work on each method.
    progress : Progress
        Hears how it gets on.

    Returns
    -------
    EvaluationReport
        With the path of its files.

    Raises
    ------
    InvalidInputError
        For bad questions, k, limit, methods or embedder, before anything is indexed.
    CorpusNotFoundError
        For a corpus or file of extracted triples that is not there.
    CorpusgraphError
        What a method fails on that fails on all questions.

    """
    from corpusgraph.flows.store.bundle_folder import publish_folder

    check(asked)
    questions, warnings = read_questions(asked.queries, asked.limit)
    study = study_of(asked)
    index = index_whole(study, settings, engine, progress)
    opened = IndexStore(settings.outputs).open(study.study)
    embedder: Embedder = IndexResources(opened)["embedder"]
    ids = document_ids(opened)
    warnings = [*warnings, *corpus_warnings(opened, index, questions, ids)]
    with language_model(settings) as llm:
        asker = Asker(opened, embedder, ids, asked.k, progress, llm)
        outcomes = {
            name: engine.run(f"evaluate {name}", partial(asker.ask_all, name, questions))
            for name in asked.methods
        }
    folder = "+".join(asked.methods)
    if len(folder) > 100:
        folder = f"{folder[:80]}-{hashlib.blake2b(folder.encode(), digest_size=4).hexdigest()}"
    report = EvaluationReport(
        index=study.study,
        generation=index.generation,
        embedder=embedder.name,
        n_documents=len(ids),
        k=asked.k,
        scores=tuple(score_all(outcomes, warnings)),
        path=str(settings.outputs / study.study / "evaluation" / folder),
    )
    files = evaluation_files(report, outcomes)
    publish_folder(Path(report.path), files, dict.fromkeys(files))
    return report.model_copy(update={"files": tuple(files)})


def check(asked: Evaluation) -> None:
    """Raise for what can be told without work.

    Parameters
    ----------
    asked : Evaluation
        What to evaluate.

    Raises
    ------
    InvalidInputError
        For k, limit or methods that are out of range, missing or named twice.
    UnknownMethodError, MethodFileError, MethodCheckError
        For a method that there is not, cannot be read or cannot run.

    """
    from corpusgraph.flows.answer import method_named

    if not asked.k or min(asked.k) < 1:
        raise InvalidInputError(f"k is {','.join(map(str, asked.k))}.", hint="It counts passages: 1 or more.")
    if asked.limit is not None and asked.limit < 1:
        raise InvalidInputError(f"The limit is {asked.limit}.", hint="It counts questions: 1 or more.")
    if not asked.methods:
        raise InvalidInputError("No method is named.", hint="--method default")
    for what, given in (("method", asked.methods), ("k", asked.k)):
        if len(set(given)) < len(given):
            raise InvalidInputError(f"A {what} is named twice: {', '.join(map(str, given))}.")
    for method in asked.methods:
        method_named(method)


def study_of(asked: Evaluation) -> Study:
    """Return the study that indexes the corpus file; its name tells file, content and options.

    Parameters
    ----------
    asked : Evaluation
        What to evaluate.

    Returns
    -------
    Study
        Each document one chunk.

    Raises
    ------
    CorpusNotFoundError
        For a file that is not there.
    InvalidInputError
        For a bad embedder.

    """
    path = asked.corpus.expanduser().resolve()
    options: JsonDict = {"chunking": WHOLE, "embedder": asked.embedder}
    files = {"corpus": path}
    if asked.from_openie is not None:
        files["openie"] = asked.from_openie.expanduser().resolve()
        options |= {"extractor": "openie", "openie": str(files["openie"])}
    told = [f"{what} {digest_of(what, file)}" for what, file in files.items()]
    digest = hashlib.blake2b("\n".join([*told, asked.embedder]).encode(), digest_size=4).hexdigest()
    name = path.name.partition(".")[0]
    name = path.parent.name if name == "corpus" else name
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_.-")[:60]
    fields = {"study": f"eval-{name or 'corpus'}-{digest}", "corpus": {"path": str(path)}}
    return made(Study, "evaluate", {**fields, "index": options})


def digest_of(what: str, path: Path) -> str:
    """Hash a file's content.

    Parameters
    ----------
    what : str
        What the file is, for the message.
    path : Path
        The file.

    Returns
    -------
    str
        Hexadecimal digits.

    Raises
    ------
    CorpusNotFoundError
        For a file that is not there.

    """
    if not path.is_file():
        raise CorpusNotFoundError(f"No {what} file at {shown(path)}.", hint="It has lines {id, …}.")
    return file_digest(path).hex()


def index_whole(study: Study, settings: Settings, engine: Engine, progress: Progress) -> IndexReport:
    """Index the corpus by rules, each document one chunk; an index that is there is taken as it is.

    Parameters
    ----------
    study : Study
        From `study_of`.
    settings : Settings
        Its profile is not used: the model answers, and all methods are asked on the same index.
    engine : Engine
        Runs the stages.
    progress : Progress
        Hears how they get on.

    Returns
    -------
    IndexReport

    """
    from corpusgraph.flows.pipeline import index_corpus

    by_rules = settings.model_copy(update={"profile": None})
    return index_corpus(study, Path.cwd(), settings=by_rules, engine=engine, progress=progress)


def document_ids(opened: OpenIndex) -> dict[str, str]:
    """Return document id -> id in the corpus file.

    Parameters
    ----------
    opened : OpenIndex
        The index of the corpus.

    Returns
    -------
    dict of str to str
        A document without an id in the file keeps its own.

    Raises
    ------
    InvalidInputError
        For a file without ids.

    """
    given = {document.id: document.metadata.get("id") for document in opened.documents}
    if not any(given.values()):
        raise InvalidInputError("The corpus has no ids.", hint="A line is {id, title, text}.")
    return {id_: str(name if name is not None else id_) for id_, name in given.items()}


def corpus_warnings(
    opened: OpenIndex, index: IndexReport, questions: Sequence[GoldQuestion], ids: Mapping[str, str]
) -> list[ToolWarning]:
    """Tell what the figures suffer from: unknown gold, lines not used, documents that are not one chunk.

    Parameters
    ----------
    opened : OpenIndex
        The index of the corpus.
    index : IndexReport
        How it was made.
    questions : sequence of GoldQuestion
        The questions.
    ids : mapping of str to str
        Document id -> id in the corpus file.

    Returns
    -------
    list of ToolWarning
        `unknown_gold`, `corpus_failures`, `documents_without_words`.

    """
    unknown = sorted({id_ for question in questions for id_ in question.gold} - set(ids.values()))
    told = f"{len(unknown)} gold ids are no document of the corpus and count as missed: {some(unknown)}."
    found = [*warned("unknown_gold", told, unknown, when=unknown)]
    lines = [f"{failure.source}: {failure.message}" for failure in index.failures]
    told = f"{index.n_failures} lines of the corpus could not be used: {some(lines)}."
    found += warned("corpus_failures", told, lines, when=index.n_failures)
    chunks = opened.manifest.counts.get("chunks", 0)
    told = f"{len(ids)} documents have {chunks} chunks: those without a word cannot be found."
    found += warned("documents_without_words", told, when=chunks != len(ids))
    return found


def some(texts: Sequence[str], n: int = 5) -> str:
    """Return the first texts, and how many more there are.

    Parameters
    ----------
    texts : sequence of str
        Texts.
    n : int
        How many to show.

    Returns
    -------
    str

    """
    return ", ".join(texts[:n]) + (f" and {len(texts) - n} more" if len(texts) > n else "")


@dataclass(frozen=True)
class Asker:
    """Asks questions of one index.

    Attributes
    ----------
    opened : OpenIndex
    embedder : Embedder
    ids : mapping of str to str
        Document id -> id in the corpus file.
    k : tuple of int
        Ranks at which recall is measured; the largest is the number of passages asked for.
    progress : Progress
    llm : LanguageModel, optional
        Writes the answers.

    """

    opened: OpenIndex
    embedder: Embedder
    ids: Mapping[str, str]
    k: tuple[int, ...]
    progress: Progress
    llm: LanguageModel | None = None

    def ask_all(self, method: str, questions: Sequence[GoldQuestion]) -> list[Outcome]:
        """Ask a method every question, one after another.

        Parameters
        ----------
        method : str
            Name of a method, or path of its file.
        questions : sequence of GoldQuestion
            At least one.

        Returns
        -------
        list of Outcome
            One for each question, those it failed on too; times in milliseconds.

        Raises
        ------
        CorpusgraphError
            What it fails on first, if it fails on all.

        """
        from corpusgraph.flows.answer import answer_question

        self.progress.start(method, len(questions))
        outcomes = []
        failures: list[CorpusgraphError] = []
        for question in questions:
            began = time.perf_counter()
            answer, error = None, None
            try:
                asked = Question(ask=question.question, method=method, top_k=max(self.k))
                ports = IndexResources(self.opened, llm=self.llm)
                answer = answer_question(self.opened, self.embedder, asked, resources=ports)
            except CorpusgraphError as failure:
                failures.append(failure)
                error = str(failure)
            milliseconds = round(1000 * (time.perf_counter() - began), 3)
            text, passages = (answer.text, answer.passages) if answer else ("", ())
            ranked = tuple(dict.fromkeys(self.ids[passage.item.source_doc] for passage in passages))
            right = question.answers
            warnings = (*stop_warning(self.llm), *answer.warnings) if answer else ()
            outcome = Outcome(
                question=question,
                ranked=ranked,
                recall={k: recall_at(ranked, question.gold, k) for k in self.k},
                milliseconds=milliseconds,
                usage=answer.usage if answer else Usage(),
                answer=text,
                answer_scores=answer_scores(text, right, question.question) if right else None,
                error=error,
                warnings={warning.code: warning.message for warning in reversed(warnings)},
            )
            outcomes.append(outcome)
            self.progress.advance(method)
        if len(failures) == len(questions):
            raise failures[0]
        self.progress.finish(method, f"{len(questions)} questions")
        return outcomes
