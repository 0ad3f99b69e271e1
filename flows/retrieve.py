"""Answer a question from an index: find what it names, rank the passages, take sentences, cite them."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from corpusgraph.flows.files.yaml_file import is_path
from corpusgraph.flows.methods import load_method
from corpusgraph.schemas.answer import Answer, AnswerResult
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.evidence import Event
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.llm import TraceLine
from corpusgraph.schemas.method import MethodCheck, MethodResult, Step
from corpusgraph.schemas.ports import Corpus, Embedder, Vectors
from corpusgraph.schemas.results import Scored, ToolWarning
from corpusgraph.schemas.study import Question
from corpusgraph.tasks.answer.dated import happened_by, time_asked_about
from corpusgraph.tasks.answer.extractive import MAX_SENTENCES, METHOD, extract_answer
from corpusgraph.tasks.answer.provenance import Provenance, documents_by_id
from corpusgraph.tasks.answer.sentences import Sentence
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.linking import is_proper, link_names
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.graph.passages import passage_graph
from corpusgraph.tasks.llm.prompting import query_read
from corpusgraph.tasks.tools.entity.similarity_link import Link

DEFAULT = "default"


class Index(Corpus, Vectors, Protocol):
    """An opened generation of an index: evidence, graph and search."""

    def dated(self, *, chunks: Collection[str] = (), time: str = "") -> Sequence[Event]:
        """Return the events that some chunks state, and those whose timestamps begin with a time, if any."""
        ...


def check_method(name: str, base: Path | None = None) -> None:
    """Raise for a method that there is not, cannot be read or cannot run; paths start at `base`."""
    method_named(name, base)


def method_named(name: str, base: Path | None = None) -> MethodCheck:
    """Return a method that can run, by name or path of a file."""
    path = base / name if base is not None and is_path(name) else Path(name)
    changed = path.stat().st_mtime_ns if is_path(name) and path.is_file() else 0
    return _method_of(name, base, changed)


@lru_cache(maxsize=64)
def _method_of(name: str, base: Path | None, _changed: int) -> MethodCheck:
    from corpusgraph.tasks.method.check import checked

    return checked(load_method(name, base))


def answer_question(
    index: Index,
    embedder: Embedder,
    question: Question,
    *,
    resources: Mapping[str, Any] | None = None,
    base: Path | None = None,
) -> AnswerResult:
    """Answer a question by its method, with a citation for every sentence.

    `resources` are the ports of tools, those of the index unless given; the path of a method starts at
    `base`. UnknownMethodError for an unknown method, MethodCheckError for one that cannot run.
    """
    if not question.ask.strip():
        raise InvalidInputError("The question is empty.", hint="Ask something, in any words.")
    ports = resources or {"graph": index.graph, "vectors": index, "corpus": index, "embedder": embedder}
    if question.method == DEFAULT:
        return _by_default(question, ports)
    return by_method(method_named(question.method, base), question, ports)


def by_method(check: MethodCheck, question: Question, resources: Mapping[str, Any]) -> AnswerResult:
    """Answer by a method that was checked.

    What a method hands to the answer may be a few sentences of its reports or triples: where these do not
    answer, and there is no language model, the passages that it led to are read themselves.
    """
    from corpusgraph.tasks.method.run import run_method

    found = run_method(check, question.ask, resources)
    answer = found.answer or Answer(query=question.ask, text="", method="none", supported=False)
    passages = found.passages[: question.top_k]
    if passages and answer.method == METHOD and not answer.supported and resources.get("llm") is None:
        found, answer = _reread(question, found, answer, resources)
    return _told(found, answer, passages)


def _reread(
    question: Question, found: MethodResult, declined: Answer, resources: Mapping[str, Any]
) -> tuple[MethodResult, Answer]:
    """Answer from the passages themselves, which a warning tells; where they do not, change nothing."""
    question = question.model_copy(update={"ask": query_read(question.ask)[0]})
    graph, passages = resources["graph"], found.passages[: question.top_k]
    linked, unknown = link_names(graph, question.ask)
    named = {hit.name: [graph.entity(id_) for id_ in hit.entity_ids] for hit in linked}
    answer = _extracted(question, passages, [*_spellings(named), *([name] for name in unknown)], resources)
    if not answer.supported:
        return found, declined
    message = (
        f"What the method put together does not answer: the {len(passages)} passages it led to were read."
    )
    warning = ToolWarning(code="passages_read", message=message, records=_ids(passages))
    told = found.model_copy(update={"warnings": (*found.warnings, warning)})
    return told, answer.model_copy(update={"context": declined.context})


def _told(found: MethodResult, answer: Answer, passages: Sequence[Scored[Chunk]]) -> AnswerResult:
    return AnswerResult(
        **dict(answer),
        retrieval=found.method,
        mode=(passages[0].scorer if passages else None) or "",
        passages=tuple(passages),
        entities=found.entities,
        usage=found.usage,
        warnings=(*found.warnings, *_why_declined(found, answer, passages)),
        trace=found.trace,
    )


def _why_declined(
    found: MethodResult, answer: Answer, passages: Sequence[Scored[Chunk]]
) -> Iterator[ToolWarning]:
    """Yield the step that was empty, and that the passages were read in vain."""
    from corpusgraph.tasks.method.run import empty_step

    if answer.supported:
        return
    if empty := empty_step(found.trace):
        yield empty
    if passages and answer.method == METHOD:
        message = f"{len(passages)} passages were read, but what fits the question best does not answer it."
        yield ToolWarning(code="poor_fit", message=message, records=_ids(passages))


def _ids(passages: Sequence[Scored[Chunk]]) -> tuple[str, ...]:
    return tuple(scored.item.id for scored in passages)


def retrieved(question: Question, resources: Mapping[str, Any]) -> tuple[MethodResult, list[list[str]]]:
    """Return what the method `default` retrieves, and the names in the question in all their spellings."""
    from corpusgraph.tasks.method.run import run_method

    found = run_method(_retrieval(question.top_k), question.ask, resources)
    links = [hit.item for value in found.results.values() for hit in value if isinstance(hit.item, Link)]
    named: dict[str, list[Entity]] = {}
    for link in links:
        named.setdefault(link.mention, []).append(link.entity)
    unknown = [name for told in found.warnings if told.code == "not_linked" for name in told.records]
    return found, [*_spellings(named), *([name] for name in dict.fromkeys(unknown))]


def _by_default(question: Question, resources: Mapping[str, Any]) -> AnswerResult:
    """Answer by the method `default`, from sentences on what the question names, however it spells it.

    The method retrieves; the sentences are taken here, since a name that is misspelt in the question has to
    be looked for as the entity is called. A language model writes the answer instead, from the same passages.
    """
    found, names = retrieved(question, resources)
    passages = found.passages
    answer = None
    if passages and resources.get("llm") is not None:
        found, answer = _written(question, found, resources)
    made = _told(found, answer or _extracted(question, passages, names, resources), passages)
    return made.model_copy(update={"mode": made.mode or "text"})


def _extracted(
    question: Question,
    passages: Sequence[Scored[Chunk]],
    names: Sequence[Sequence[str]],
    resources: Mapping[str, Any],
) -> Answer:
    """Answer with sentences of the passages; `names` are those in the question, each in all its spellings."""
    graph, corpus = resources["graph"], resources["corpus"]
    provenance = Provenance(graph)
    chunks = _with_events(corpus, provenance, question.ask, [scored.item for scored in passages])

    def stated(query: str, names: Sequence[Collection[str]], sentences: Sequence[Sentence]) -> Doubles:
        happened = happened_by(corpus.dated, question.ask, names, sentences)
        return np.maximum(provenance.stated(query, names, sentences), happened)

    return extract_answer(
        question.ask,
        chunks,
        documents=documents_by_id(corpus),
        names=names,
        entity_of=provenance.entity,
        stated_of=stated,
        rarity_of=lambda stem: passage_graph(graph, corpus).rarity(stem),
    ).data


def _with_events(index: Index, provenance: Provenance, ask: str, chunks: Sequence[Chunk]) -> Sequence[Chunk]:
    """Add the passages that state what happened at the time that a question asks about, where it does."""
    if not (time := time_asked_about(ask)):
        return chunks
    there = {chunk.id for chunk in chunks}
    events = sorted(index.dated(time=time), key=lambda event: (event.document_id, event.start))
    ids = dict.fromkeys(event.chunk_id for event in events if event.chunk_id not in there)
    more = (provenance.chunk(id_) for id_ in list(ids)[:MAX_SENTENCES])
    return [*chunks, *(chunk for chunk in more if chunk is not None)]


def _written(
    question: Question, found: MethodResult, resources: Mapping[str, Any]
) -> tuple[MethodResult, Answer | None]:
    """Let the model answer from passages; None where it failed. The result is told of what that took."""
    from corpusgraph.tasks.method.meter import Meter
    from corpusgraph.tasks.registry import find

    began, meter, writer = time.perf_counter(), Meter(resources["llm"]), find("generate_answer")
    chunks = [scored.item for scored in found.passages]
    noted = writer.run({"query": question.ask, "chunks": chunks}, {**resources, "llm": meter})
    line = TraceLine(
        step="answer",
        tool=writer.name,
        seconds=round(time.perf_counter() - began, 6),
        n_items=1,
        usage=meter.usage,
    )
    more = {
        "warnings": (*found.warnings, *noted.warnings),
        "trace": (*found.trace, line),
        "usage": found.usage + meter.usage,
    }
    answer: Answer = noted.data
    return found.model_copy(update=more), None if answer.method == METHOD else answer


@lru_cache(maxsize=64)
def _retrieval(top_k: int) -> MethodCheck:
    """Return the method `default` without its answer, and with so many passages."""
    check = method_named(DEFAULT)
    kept = [step for step in check.method.steps if isinstance(step, Step) and step.tool != "generate_answer"]
    last = kept[-1].model_copy(update={"inputs": {**kept[-1].inputs, "top_k": top_k}})
    method = check.method.model_copy(update={"steps": (*kept[:-1], last)})
    return check.model_copy(update={"method": method})


def _spellings(named: Mapping[str, Sequence[Entity]]) -> list[list[str]]:
    """Return each name in the question with the other spellings of the entities that bear it."""
    return [
        [name, *(other for entity in bearers for other in (entity.name, *aliases_of(entity)))]
        for name, bearers in named.items()
        if any(is_proper(entity) for entity in bearers)
    ]
