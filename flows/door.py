"""What a notebook, the command line and every other surface calls: open an index, ask, call a tool, run."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from pydantic import BaseModel, ValidationError

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import (
    CorpusgraphError,
    IndexNotFoundError,
    InvalidInputError,
    UnknownToolError,
)
from corpusgraph.schemas.results import ToolError, ToolResult
from corpusgraph.schemas.run import IndexReport, StudyReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Corpus, Question, Study
from corpusgraph.tasks import _tool

if TYPE_CHECKING:
    from corpusgraph.flows.resources.opened import OpenIndex
    from corpusgraph.schemas.answer import Answer

Made = TypeVar("Made", bound=BaseModel)
_PORTS = ("graph", "vectors", "embedder", "corpus", "metadata")


class IndexResources(Mapping[str, Any]):
    """The ports of an index by name, each made when a tool first needs it."""

    def __init__(self, opened: "OpenIndex") -> None:
        self._opened = opened

    def __getitem__(self, port: str) -> Any:
        """Return the implementation of a port."""
        if port == "graph":
            return self._opened.graph
        if port in {"vectors", "corpus"}:
            return self._opened
        if port == "embedder":
            from corpusgraph.flows.resources.embedder import HashingEmbedder

            made = self._opened.manifest.embedder
            embedder = HashingEmbedder(made.dimension) if made else HashingEmbedder()
            self._opened.check_embedder(embedder.name, embedder.dimension)
            return embedder
        if port == "metadata":
            manifest = self._opened.manifest
            return {"index": manifest.index, "generation": manifest.generation}
        raise KeyError(port)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the port names."""
        return iter(_PORTS)

    def __len__(self) -> int:
        """Return the number of ports."""
        return len(_PORTS)


def open(name: str | None = None, outputs: str | Path | None = None) -> "OpenIndex":  # noqa: A001 - as cg.open
    """Open the newest generation of an index; without a name, of the only one there is."""
    from corpusgraph.flows.resources.store import IndexStore

    store = IndexStore(Path(outputs) if outputs else settings().outputs)
    return store.open(name or _only(store.list()))


def _only(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    if not names:
        raise IndexNotFoundError(
            "There is no index yet.", hint="Make one: `corpusgraph run STUDY` or `index FOLDER`."
        )
    raise IndexNotFoundError(f"There are several indexes: {', '.join(names)}.", hint="Name one with --index.")


def call(
    name: str, arguments: JsonDict | None = None, index: str | None = None, outputs: str | Path | None = None
) -> ToolResult:
    """Call a tool and return its envelope; an error is in the envelope, never raised."""
    given = dict(arguments) if isinstance(arguments, Mapping) else {}
    try:
        if arguments is not None and not isinstance(arguments, Mapping):
            raise InvalidInputError(f"{name}: arguments are a mapping of names to values, not {arguments!r}.")
        tool = _tool.find(str(name))
        ask = tool.ask({**given, "index": index} if index else given)
        resources = _resources(tool, ask.index, index is not None or "index" in given, outputs)
    except CorpusgraphError as error:
        told = ToolError(code=error.code, message=error.message, hint=error.hint)
        return ToolResult(request_id=str(given.get("request_id") or uuid4()), success=False, error=told)
    return tool.call(ask, resources)


def _resources(tool: _tool.Tool, index: str, named: bool, outputs: str | Path | None) -> Mapping[str, Any]:
    """Open the index the call names; a tool that reads none gets none."""
    if not tool.ports:
        return {}
    return IndexResources(open(index if named else None, outputs))


class Tools:
    """`cg.tools.<name>(**arguments)`: the tool's data, or the named error raised."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the tool as a function of keyword arguments; `index` names the index it reads."""
        try:
            tool = _tool.find(name)
        except UnknownToolError as error:
            raise AttributeError(str(error)) from None

        def run(index: str | None = None, outputs: str | Path | None = None, **arguments: Any) -> Any:
            ask = tool.ask({**arguments, "index": index} if index else arguments)
            return tool.run(ask, _resources(tool, ask.index, index is not None, outputs)).data

        run.__doc__, run.__name__ = tool.function.__doc__, tool.name
        return run

    def __dir__(self) -> list[str]:
        """List the tools."""
        return list(_tool.load())


tools = Tools()


def ask(
    question: str,
    index: str | None = None,
    *,
    method: str = "default",
    top_k: int = 5,
    outputs: str | Path | None = None,
) -> "Answer":
    """Answer a question from an index, each sentence cited."""
    from corpusgraph.flows.retrieve import answer_question

    asked = _made(Question, "ask", {"ask": question, "method": method, "top_k": top_k})
    opened = open(index, outputs)
    return answer_question(opened, IndexResources(opened)["embedder"], asked)


def _made(model: type[Made], what: str, fields: JsonDict) -> Made:
    """Validate fields; what is wrong is told in one line."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise _tool.invalid_input(error, model, what) from None


def settings(**more: Any) -> Settings:
    """Return the settings of the environment with some replaced; an unknown or bad one is an error."""
    return _made(Settings, "settings", {**Settings.environment(), **more})


def load_study(study: str | Path | Study, corpus: str | Path | None = None) -> tuple[Study, Path]:
    """Return a study and the folder its paths start from; `corpus` replaces the study's own."""
    from corpusgraph.flows.studyfile import read_study

    made, base = (
        (study, Path.cwd()) if isinstance(study, Study) else (read_study(Path(study)), Path(study).parent)
    )
    if corpus is None:
        return made, base
    there = str(Path(corpus).expanduser().resolve())
    return made.model_copy(update={"corpus": made.corpus.model_copy(update={"path": there})}), base


def folder_study(folder: Path, name: str | None = None) -> Study:
    """Return the study of a bare folder: default options, no questions, no datasets."""
    there = folder.expanduser().resolve()
    fields = {"study": name or _tidy(there.name), "corpus": Corpus(path=str(there))}
    return _made(Study, "index", fields)


def study_of(corpus: str | Path | Study, name: str | None = None) -> tuple[Study, Path]:
    """Return the study to index, and where its paths start: of a study file, or of a folder of documents."""
    if isinstance(corpus, Study) or Path(corpus).suffix in {".yml", ".yaml"}:
        return load_study(corpus)
    return folder_study(Path(corpus), name), Path.cwd()


def inline_settings(**more: Any) -> Settings:
    """Return settings for a run in this process; another engine asked for by name is an error."""
    if more.get("engine", "inline") != "inline":
        hint = "Use `corpusgraph run --engine prefect`, or the flows of corpusgraph.flows.surfaces.prefect."
        raise InvalidInputError("The notebook door runs inline, in this process.", hint=hint)
    return settings(**more)


def _tidy(name: str) -> str:
    """Return a name an index can have; where letters are lost, a hash keeps two folders apart."""
    name = unicodedata.normalize("NFC", name)
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "_.-") else "_" for c in name).strip("_.-")
    if name.isascii():
        return kept or "corpus"
    return f"{kept or 'corpus'}-{blake2b(name.encode(), digest_size=3).hexdigest()}"


def index(
    corpus: str | Path | Study, name: str | None = None, *, rebuild: bool = False, **more: Any
) -> IndexReport:
    """Index a folder of documents, or the corpus of a study; `more` are fields of Settings."""
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.index import index_corpus
    from corpusgraph.flows.progress import Silent

    study, base = study_of(corpus, name)
    chosen = inline_settings(**more)
    engine = Inline(chosen.workers)
    return index_corpus(study, base, settings=chosen, engine=engine, progress=Silent(), rebuild=rebuild)


def run(
    study: str | Path | Study, corpus: str | Path | None = None, *, rebuild: bool = False, **more: Any
) -> StudyReport:
    """Run a study in this process: index, answers, datasets; `more` are fields of Settings."""
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.progress import Silent
    from corpusgraph.flows.study import run_study

    made, base = load_study(study, corpus)
    chosen = inline_settings(**more)
    engine = Inline(chosen.workers)
    return run_study(made, base, settings=chosen, engine=engine, progress=Silent(), rebuild=rebuild)
