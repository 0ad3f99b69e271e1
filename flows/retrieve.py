"""Answer a question from an index: find what it names, rank the passages, take sentences, cite them."""

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

from corpusgraph.flows.methods import load_method
from corpusgraph.flows.resources.packaged import is_path
from corpusgraph.schemas.answer import Answer, AnswerResult
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.method import MethodCheck, MethodResult, Step
from corpusgraph.schemas.ports import Corpus, Embedder, LanguageModel, Vectors
from corpusgraph.schemas.results import Scored
from corpusgraph.schemas.study import Question
from corpusgraph.schemas.trace import TraceLine
from corpusgraph.tasks.answer.extractive import extract_answer
from corpusgraph.tasks.answer.provenance import Provenance, documents_by_id
from corpusgraph.tasks.entity.similarity_link import Link
from corpusgraph.tasks.graph.linking import is_proper
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.graph.passages import passage_graph

DEFAULT = "default"


class Index(Corpus, Vectors, Protocol):
    """An opened generation of an index: evidence, graph and search."""


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
        return _by_default(index, question, ports)
    return by_method(method_named(question.method, base), question, ports)


def by_method(check: MethodCheck, question: Question, resources: Mapping[str, Any]) -> AnswerResult:
    """Answer by a method that was checked."""
    from corpusgraph.tasks.method.run import run_method

    found = run_method(check, question.ask, resources)
    answer = found.answer or Answer(query=question.ask, text="", method="none", supported=False)
    return _told(found, answer, found.passages[: question.top_k])


def _told(found: MethodResult, answer: Answer, passages: Sequence[Scored[Chunk]]) -> AnswerResult:
    from corpusgraph.tasks.method.run import empty_step

    empty = None if answer.supported else empty_step(found.trace)
    return AnswerResult(
        **dict(answer),
        retrieval=found.method,
        mode=(passages[0].scorer if passages else None) or "",
        passages=tuple(passages),
        entities=found.entities,
        usage=found.usage,
        warnings=(*found.warnings, *([empty] if empty else ())),
        trace=found.trace,
    )


def retrieved(question: Question, resources: Mapping[str, Any]) -> tuple[MethodResult, list[list[str]]]:
    """Return what the method `default` retrieves, and the names in the question in all their spellings."""
    from corpusgraph.tasks.method.run import run_method

    found = run_method(_retrieval(question.top_k), question.ask, resources)
    links = [hit.item for value in found.results.values() for hit in value if isinstance(hit.item, Link)]
    unknown = [name for told in found.warnings if told.code == "not_linked" for name in told.records]
    return found, [*_spellings(links), *([name] for name in dict.fromkeys(unknown))]


def _by_default(index: Index, question: Question, resources: Mapping[str, Any]) -> AnswerResult:
    """Answer by the method `default`, from sentences on what the question names, however it spells it.

    The method retrieves; the sentences are taken here, since a name that is misspelt in the question has to
    be looked for as the entity is called. A language model writes the answer instead, from the same passages.
    """
    found, names = retrieved(question, resources)
    passages = found.passages
    chunks = [scored.item for scored in passages]
    provenance = Provenance(index.graph)
    taken = partial(
        extract_answer,
        question.ask,
        chunks,
        documents=documents_by_id(index),
        names=names,
        entity_of=provenance.entity,
        stated_of=provenance.stated,
        rarity_of=lambda stem: passage_graph(index.graph, index).rarity(stem),
    )
    llm = resources.get("llm")
    if llm is None or not chunks:
        made = _told(found, taken().data, passages)
    else:
        found, answer = _written(question, found, chunks, llm, resources)
        made = _told(found, answer or taken().data, passages)
    return made.model_copy(update={"mode": made.mode or "text"})


def _written(
    question: Question,
    found: MethodResult,
    chunks: Sequence[Chunk],
    llm: LanguageModel,
    resources: Mapping[str, Any],
) -> tuple[MethodResult, Answer | None]:
    """Let the model answer from passages; None where it failed. The result is told of what that took."""
    from corpusgraph.tasks._tool import find
    from corpusgraph.tasks.answer.extractive import METHOD
    from corpusgraph.tasks.method.meter import Meter

    began, meter, writer = time.perf_counter(), Meter(llm), find("generate_answer")
    noted = writer.run({"query": question.ask, "chunks": list(chunks)}, {**resources, "llm": meter})
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


def _spellings(links: Sequence[Link]) -> list[list[str]]:
    """Return each name in the question with the other spellings of the entities that bear it."""
    named: dict[str, list[Entity]] = {}
    for link in links:
        named.setdefault(link.mention, []).append(link.entity)
    return [
        [name, *(other for entity in bearers for other in (entity.name, *aliases_of(entity)))]
        for name, bearers in named.items()
        if any(is_proper(entity) for entity in bearers)
    ]
