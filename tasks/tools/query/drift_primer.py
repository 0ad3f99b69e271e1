"""DRIFT's first step: a broad answer from community reports, and what to ask next."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, PositiveInt

from corpusgraph.schemas.answer import Answer, DriftPrimer
from corpusgraph.schemas.ports import Corpus, GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning
from corpusgraph.tasks.answer.context import Budget, Communities, Fitted, Retrieved, build_context, drafts_of
from corpusgraph.tasks.answer.extractive import MAX_THEMES, asked_of, theme_answer
from corpusgraph.tasks.answer.sentences import Provenance
from corpusgraph.tasks.answer.written import (
    SOURCES,
    WrittenSentence,
    by_number,
    composed,
    extracted,
    unsupported,
)
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.llm.prompting import (
    MAX_QUESTION_CHARACTERS,
    Said,
    ask_all,
    fenced,
    llm_failed,
    no_llm,
    prompt,
    query_cut,
    query_read,
    question,
)
from corpusgraph.tasks.registry import Reads, tool

TASK = (
    "You read reports on parts of a collection. Give a first answer to the question as far as they go, "
    f"and the further questions whose answers would complete it, most important first. {SOURCES}"
)
INSTEAD = (
    "the answer is the top findings, and the follow-up questions are the question with each report's names"
)
KEY_NAMES = 3
"""Names of a community that a follow-up question is made with."""


class Primed(Said):
    """A first answer and the questions it leaves open."""

    sentences: tuple[WrittenSentence, ...] = ()
    follow_up_queries: tuple[str, ...] = ()


class QueryDriftPrimer(ToolInput):
    """The question and the communities nearest to it, best first."""

    query: Query
    communities: Annotated[Communities, Reads("communities")] = Field(
        min_length=1, description="communities by id or short id, or reports"
    )
    folds: PositiveInt = Field(5, description="parts the reports are read in, one call of the model each")
    top_k: PositiveInt = Field(5, description="follow-up questions at most")
    max_context_tokens: PositiveInt = Field(12000, description="of all parts together")


@tool(
    writes="primer",
    needs={"Community.id"},
    optional={
        "Community.title",
        "Community.summary",
        "Community.keywords",
        "Community.rating",
        "CommunityReport.findings",
    },
    adds={"DriftPrimer.answer", "DriftPrimer.follow_ups"},
    cite="Whiting et al. 2024, DRIFT search, Microsoft Research; microsoft/graphrag 3.1.2",
)
def query_drift_primer(
    ask: QueryDriftPrimer, graph: GraphView, corpus: Corpus | None, llm: LanguageModel | None
) -> Noted[DriftPrimer]:
    """Answer a question broadly from community reports, and return follow-up questions for local searches."""
    cut = query_cut(ask.query, llm, rules=MAX_QUESTION_CHARACTERS)
    ask = ask.model_copy(update={"query": query_read(ask.query)[0]})
    drafts = drafts_of(Retrieved(communities=ask.communities), Provenance(graph, corpus))
    whole = ask.max_context_tokens
    context = build_context(drafts, max_tokens=whole, budget=Budget(), render="prose", whole=whole)
    warnings = (*cut, *context.warnings(f"{whole} tokens"))
    if llm is None or not context.pieces:
        told = (no_llm(INSTEAD),) if llm is None else ()
        return Noted(data=_offline(ask, context, graph, corpus), warnings=(*warnings, *told))
    primer, more = _primed(ask, context, llm)
    return Noted(data=primer or _offline(ask, context, graph, corpus), warnings=(*warnings, *more))


def _primed(
    ask: QueryDriftPrimer, context: Fitted, llm: LanguageModel
) -> tuple[DriftPrimer | None, list[ToolWarning]]:
    """Let the model read the reports part by part, and join what it says; None where it says nothing."""
    parts = _folds(context, ask.folds)
    asked = [prompt(TASK, fenced("Passages", part.text), question(ask.query)) for part in parts]
    replies = ask_all(llm, asked, Primed, _says_something)
    said = [reply.value for reply in replies if reply.value is not None]
    errors = [reply.error or "no reply" for reply in replies if reply.value is None]
    instead = "their part of the reports was not read" if said else INSTEAD
    warnings = [llm_failed(errors[0], instead, failed=len(errors), calls=len(parts))] if errors else []
    if not said:
        return None, warnings
    told = composed([s for one in said for s in one.sentences], by_number(context.pieces), ask.query)
    answer = unsupported(ask.query, llm)
    if told.citations:
        answer = told.answer(ask.query, llm)
    # In turn from each part: every part's most important question comes before any part's second.
    most = max(len(one.follow_up_queries) for one in said)
    queries = [
        one.follow_up_queries[i] for i in range(most) for one in said if i < len(one.follow_up_queries)
    ]
    follow_ups = _distinct(queries, ask.query)[: ask.top_k] or _questions(ask, context)
    return _primer(ask, context, answer, follow_ups), [*warnings, *told.warnings()]


def _says_something(_place: int, said: Primed) -> str | None:
    """Accept a part of an answer or a question to go on with."""
    if said.sentences or any(query.strip() for query in said.follow_up_queries):
        return None
    return "There is neither a sentence nor a follow-up question: give what the reports say, or what to ask."


def _folds(context: Fitted, n: int) -> list[Fitted]:
    """Deal the reports out in turn, so that every part has some of the best."""
    parts = [context.pieces[i::n] for i in range(min(n, len(context.pieces)))]
    return [Fitted(tuple(part), (), context.render) for part in parts]


def _offline(ask: QueryDriftPrimer, context: Fitted, graph: GraphView, corpus: Corpus | None) -> DriftPrimer:
    """Take the findings that answer, else those of the weightiest communities, and ask about their names."""
    answer = extracted(asked_of(ask.query, graph, corpus, MAX_THEMES), [context])
    if not answer.supported:
        answer = theme_answer("", [piece.draft for piece in context.pieces]) or answer
        answer = answer.model_copy(update={"query": ask.query, "supported": False})
    return _primer(ask, context, answer, _questions(ask, context))


def _questions(ask: QueryDriftPrimer, context: Fitted) -> list[str]:
    names = (_key_names(piece.draft.names[0]) for piece in context.pieces)
    return _distinct([f"{ask.query} ({inside})" for inside in names], ask.query)[: ask.top_k]


def _key_names(title: str) -> str:
    """Return the first names of a title such as "John Snow, cholera, London, pump"."""
    return ", ".join(part.strip() for part in title.split(",")[:KEY_NAMES])


def _distinct(queries: Sequence[str], asked: str) -> list[str]:
    """Return the queries on one line each, without repeats and without the question itself."""
    lines = {" ".join(query.split()): None for query in queries}
    seen = {asked.casefold(), ""}
    found = []
    for line in lines:
        if line.casefold() not in seen:
            seen.add(line.casefold())
            found.append(line)
    return found


def _primer(ask: QueryDriftPrimer, context: Fitted, answer: Answer, follow_ups: Sequence[str]) -> DriftPrimer:
    ids = tuple(piece.draft.id for piece in context.pieces)
    return DriftPrimer(query=ask.query, answer=answer, follow_ups=tuple(follow_ups), communities=ids)
