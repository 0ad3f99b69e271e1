"""What a question asks: its entities and keywords, the next thought, whether the evidence is enough."""

import re
from collections.abc import Sequence
from itertools import chain, zip_longest
from math import fsum, log1p
from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from corpusgraph.schemas.answer import Answer, DriftPrimer, Keywords, QueryEntities, Sufficiency, Thought
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import Corpus, GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.answer.context import (
    Budget,
    Chunks,
    Communities,
    Fitted,
    Paths,
    Relationships,
    Retrieved,
    build_context,
    drafts_of,
)
from corpusgraph.tasks.answer.extractive import COVERED, MAX_THEMES, asked_of, covered, theme_answer
from corpusgraph.tasks.answer.sentences import Provenance, Sentence, sentences_of, stems_of
from corpusgraph.tasks.answer.written import (
    SOURCES,
    WrittenSentence,
    by_number,
    composed,
    extracted,
    unsupported,
)
from corpusgraph.tasks.extract.query_names import query_names
from corpusgraph.tasks.extract.question import LONGEST, distinct, spoken_of, without
from corpusgraph.tasks.graph.inputs import Query, path_of
from corpusgraph.tasks.graph.linking import whole_names
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.graph.verbal import verbalise, verbalise_path
from corpusgraph.tasks.llm.prompting import (
    MAX_QUESTION_CHARACTERS,
    Said,
    ask_all,
    ask_or_warn,
    cut_context,
    fenced,
    llm_failed,
    no_llm,
    nothing,
    prompt,
    query_cut,
    query_read,
    question,
)
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.text.sentences import sentence_spans
from corpusgraph.tasks.text.wordlist import wordset
from corpusgraph.tasks.text.words import spaced, stems, words

# The entities a question is about.

EXTRACT_ENTITIES = (
    "List what the question is about, in its own words. named: the named entities (persons, places, "
    "organisations, works, dates). generic: other things it speaks of that have no name of their own."
)
ENTITIES_INSTEAD = "names and noun phrases are found by rules"


class QueryExtractEntities(ToolInput):
    """The question."""

    query: Query


class QuestionEntities(Said):
    """What the question is about."""

    named: tuple[str, ...] = Field(default=(), description="named entities, as written in the question")
    generic: tuple[str, ...] = Field(default=(), description="other things it speaks of")


@tool(
    writes="query",
    optional="Entity.name",
    adds="QueryEntities.entities generic",
    cite="Gutiérrez et al. 2024, arXiv:2405.14831 (HippoRAG); named and generic: fast-graphrag",
)
def query_extract_entities(
    ask: QueryExtractEntities, graph: GraphView | None, llm: LanguageModel | None
) -> Noted[QueryEntities]:
    """Find the entities a question names, and the things it speaks of that have no name.

    A question without a name is about what it speaks of: then those phrases are its entities. Without a
    language model a name that an entity has is found whole: "War and Peace".
    """
    short = query_cut(ask.query, llm, rules=LONGEST)
    asked = prompt(EXTRACT_ENTITIES, question(ask.query))
    said, notes = ask_or_warn(
        llm, asked, QuestionEntities, ENTITIES_INSTEAD, lambda _, said: _names_nothing(ask.query, said)
    )
    if said is None:
        spoken = spoken_of(ask.query)
        names = spoken.names if graph is None else whole_names(graph, ask.query[:LONGEST], spoken.names)
        found = _query_entities(names, spoken.phrases)
    else:
        found = _query_entities(distinct(list(said.named)), distinct(list(said.generic)))
    return Noted(data=found, warnings=(*short, *notes))


def _names_nothing(query: str, said: QuestionEntities) -> str | None:
    """Accept what holds a word of the question: another one's names lead nowhere."""
    phrases = distinct([*said.named, *said.generic])
    asked = {*words(query), *stems(query)}
    if any(not asked.isdisjoint([*words(phrase), *stems(phrase)]) for phrase in phrases):
        return None
    return "Nothing of the question is named: give what it is about, in its own words."


def _query_entities(named: tuple[str, ...], generic: tuple[str, ...]) -> QueryEntities:
    folded = {name.casefold() for name in named}
    other = tuple(phrase for phrase in generic if phrase.casefold() not in folded)
    return QueryEntities(entities=named or other, generic=other)


# The keywords of a question, particular and overarching.

EXTRACT_KEYWORDS = (
    "List keywords for searching what answers the question, in its language. low: particular ones, such as "
    "names and specific things. high: overarching ones, such as topics, themes and kinds of relations."
)
KEYWORDS_INSTEAD = "names and specific nouns are the low keywords, the other words the high ones"
_TOPICAL = (
    *("ability", "acy", "age", "ance", "ancy", "dom", "ence", "ency", "hood", "ics", "ing", "ion", "ions"),
    *("ism", "ity", "ities", "ment", "ments", "ness", "ology", "ship", "ships", "sis", "tude", "ure", "ures"),
)
"""Endings of nouns for what is thought rather than seen."""
_TOPICS = wordset("""
    cause causes culture effect effects health history impact law origin origins peace power reason reasons
    result results role roles society theme themes topic topics trade trend trends view views war way ways
""")


class QueryExtractKeywords(ToolInput):
    """The question."""

    query: Query


class QuestionKeywords(Said):
    """Keywords on two levels."""

    low: tuple[str, ...] = Field(default=(), description="names and specific things")
    high: tuple[str, ...] = Field(default=(), description="topics and themes")


@tool(writes="query", adds="Keywords.low high", cite="Guo et al. 2024, arXiv:2410.05779 (LightRAG)")
def query_extract_keywords(ask: QueryExtractKeywords, llm: LanguageModel | None) -> Noted[Keywords]:
    """Find the particular (low) and the overarching (high) keywords of a question.

    Where a question has keywords of one level only, they serve for the other too.
    """
    short = query_cut(ask.query, llm, rules=LONGEST)
    said, notes = ask_or_warn(
        llm, prompt(EXTRACT_KEYWORDS, question(ask.query)), QuestionKeywords, KEYWORDS_INSTEAD, _has_keywords
    )
    if said is None:
        return Noted(data=_keywords_by_rules(ask.query), warnings=(*short, *notes))
    low, high = distinct(list(said.low)), distinct(list(said.high))
    return Noted(data=Keywords(low=low or high, high=high or low), warnings=short)


def _has_keywords(_place: int, said: QuestionKeywords) -> str | None:
    return None if distinct([*said.low, *said.high]) else "There is no keyword: give some for searching."


def _keywords_by_rules(query: str) -> Keywords:
    spoken = spoken_of(query)
    topics = [phrase for phrase in spoken.phrases if _topical(phrase)]
    things = [phrase for phrase in spoken.phrases if phrase not in topics]
    low, high = distinct([*spoken.names, *things]), distinct([*topics, *spoken.rest])
    whole = spoken.names or (" ".join(query.split()),)
    return Keywords(low=low or high or whole, high=high or low or whole)


def _topical(phrase: str) -> bool:
    """Tell a topic from a thing by the phrase's last word: "climate regulation" from "water pump"."""
    head = (words(phrase) or [""])[-1]
    return head in _TOPICS or (len(head) > 6 and head.endswith(_TOPICAL))


# One step of reasoning over what was read so far.

REASON = (
    "You answer a question step by step from passages. Write the next step: one sentence that the passages "
    "support and that was not thought yet; and as query what to search for next, in words that the missing "
    "passage may hold. done is true when the thoughts with your sentence answer the question."
)
THOUGHT_INSTEAD = "the next thought is the sentence that speaks most to what is not covered yet"
NOTHING_NEW = "The passages hold nothing new that the question asks."
_ANSWERED = re.compile(r"\banswer is\b", re.IGNORECASE)
"""How a chain of thought ends in IRCoT's demonstrations."""
EQUALS = 5
"""How many sentences that tell equally much are looked at for one that names something new."""


class QueryReason(ToolInput):
    """The question, what was read and what was thought so far."""

    query: Query
    chunks: Annotated[Chunks, Reads("chunks")] = Field(
        description="passages read so far, best first; may be none"
    )
    thoughts: list[str] = Field(default_factory=list, description="sentences of the steps before, in order")
    search_with: Literal["query", "sentence"] = Field(
        "query",
        description="what is searched with next: the query that the model asks for, or its sentence (IRCoT)",
    )
    max_context_tokens: PositiveInt = Field(
        4000, description="passages are read in order until these are spent"
    )


class NextStep(Said):
    """The next step."""

    sentence: str = ""
    query: str = Field(default="", description="what to search for next")
    done: bool = False


@tool(
    writes="query",
    needs="Chunk.content",
    optional="Chunk.metadata",
    adds="Thought.sentence query done",
    cite="Trivedi et al. 2023, arXiv:2212.10509 (IRCoT); Wang et al. 2024, arXiv:2308.11730 (KGP)",
)
def query_reason(ask: QueryReason, graph: GraphView, llm: LanguageModel | None) -> Noted[Thought]:
    """Think one sentence further from the passages read, and say what to search for next.

    A step that repeats an earlier thought ends the reasoning: `done`.
    """
    chunks = [chunk if isinstance(chunk, Chunk) else graph.chunk(chunk) for chunk in ask.chunks]
    if not chunks:
        none = nothing("passage")
        start = Thought(query=ask.query, thoughts=tuple(ask.thoughts))
        return Noted(data=start, warnings=(none,), reasoning_trace=none.message)
    text = "\n\n".join(chunk.content for chunk in chunks)
    shown, cut = cut_context("What was read", text, ask.max_context_tokens)
    short = (*query_cut(ask.query, llm), *cut)
    earlier = [fenced("Thoughts so far", "\n".join(ask.thoughts))] if ask.thoughts else []
    asked = prompt(REASON, question(ask.query), fenced("Passages", shown), *earlier)
    said, notes = ask_or_warn(llm, asked, NextStep, THOUGHT_INSTEAD, _thinks)
    thought, repeated = _thought(ask, said) if said else (_thought_by_coverage(ask, chunks), False)
    thoughts = (*ask.thoughts, *filter(None, [thought.sentence]))
    repeats = warned("repeated_thought", "The model repeats a thought: it is done.", when=repeated)
    return Noted(
        data=thought.model_copy(update={"thoughts": thoughts}),
        warnings=(*short, *notes, *repeats),
        reasoning_trace=thought.sentence or NOTHING_NEW,
    )


def _thinks(_place: int, said: NextStep) -> str | None:
    return None if said.sentence.strip() else "There is no sentence: write the next step."


def _thought(ask: QueryReason, said: NextStep) -> tuple[Thought, bool]:
    """Return the model's first sentence as a thought, and whether it was thought before."""
    start, end = (sentence_spans(said.sentence) or [(0, len(said.sentence))])[0]
    sentence = " ".join(said.sentence[start:end].split())
    query = " ".join(said.query.split()) or f"{ask.query} {sentence}"
    if ask.search_with == "sentence":
        query = sentence
    repeated = words(sentence) in [words(thought) for thought in ask.thoughts]
    done = said.done or repeated or _ANSWERED.search(sentence) is not None
    return Thought(sentence=sentence, query=query, done=done), repeated


def _thought_by_coverage(ask: QueryReason, chunks: Sequence[Chunk]) -> Thought:
    """Return the sentence that holds most of the question's words which no thought holds yet.

    The next search is the question with the names first met in the sentence: bridges to other passages.
    """
    sentences, _ = sentences_of(chunks, {}, ask.max_context_tokens)
    known = {" ".join(words(thought)) for thought in ask.thoughts}
    fresh = [s for s in sentences if " ".join(words(s.text)) not in known]
    missing = stems_of(ask.query) - stems_of(" ".join(ask.thoughts))
    telling = _telling(fresh, missing)
    if not telling:
        return Thought(query=ask.query, done=True)
    met = spaced(" ".join([ask.query, *ask.thoughts]))
    bridges = [(s, [name for name in query_names(s.text) if spaced(name) not in met]) for s in telling]
    best, names = next((pair for pair in bridges if pair[1]), bridges[0])
    return Thought(
        sentence=" ".join(best.text.split()), query=" ".join([ask.query, *names]), done=missing <= best.stems
    )


def _telling(sentences: Sequence[Sentence], missing: frozenset[str]) -> list[Sentence]:
    """Return the sentences that hold most of the missing stems, each weighing 1 + idf; none if none does."""
    n, held = len(sentences), {stem: sum(stem in s.stems for s in sentences) for stem in missing}
    weights = {stem: 1 + log1p((n - df + 0.5) / (df + 0.5)) for stem, df in held.items()}
    rated = [fsum(weights[stem] for stem in missing & s.stems) for s in sentences]
    most = max(rated, default=0.0)
    return [s for s, weight in zip(sentences, rated, strict=True) if weight >= most > 0][:EQUALS]


# Whether what was found is enough to answer.

SUFFICE = (
    "Decide whether the evidence, with what everyone knows, is enough to answer the question. Say true or "
    "false, and in one sentence why: what answers it, or what is missing."
)
VERDICT_INSTEAD = (
    f"evidence is enough where it holds {COVERED:.0%} of what the question asks beside its names"
)


class QuerySufficiency(ToolInput):
    """The question and the evidence for an answer."""

    query: Query
    paths: Annotated[Paths, Reads("paths")] = Field(
        default_factory=list, description="paths through the graph"
    )
    relationships: Annotated[Relationships, Reads("relationships")] = Field(
        default_factory=list, description="relationships found"
    )
    chunks: Annotated[Chunks, Reads("chunks")] = Field(default_factory=list, description="passages read")
    max_context_tokens: PositiveInt = Field(4000, description="the evidence is read until these are spent")


class Verdict(Said):
    """Whether the evidence is enough, and why."""

    sufficient: bool
    reason: str = ""


@tool(
    writes="sufficiency",
    optional="Entity.name, Relationship.type source_id target_id, Chunk.content",
    adds="Sufficiency.sufficient reason coverage",
    cite="Sun et al. 2024, arXiv:2307.07697 (Think-on-Graph)",
)
def query_sufficiency(
    ask: QuerySufficiency, graph: GraphView, llm: LanguageModel | None
) -> Noted[Sufficiency]:
    """Tell whether the evidence is enough to answer the question, and why; no evidence never is."""
    evidence = _evidence(ask, graph)
    if not evidence:
        return _noted_verdict(Sufficiency(sufficient=False, reason="There is no evidence."))
    short = query_cut(ask.query, llm, rules=LONGEST)
    shown, cut = cut_context("The evidence", "\n".join(evidence), ask.max_context_tokens)
    asked = prompt(SUFFICE, question(ask.query), fenced("Evidence", shown))
    said, notes = ask_or_warn(llm, asked, Verdict, VERDICT_INSTEAD)
    verdict = Sufficiency(**dict(said)) if said else _verdict_by_coverage(ask.query, evidence)
    return _noted_verdict(verdict, *short, *(cut if llm else ()), *notes)


def _noted_verdict(verdict: Sufficiency, *warnings: ToolWarning) -> Noted[Sufficiency]:
    why = verdict.reason or f"The evidence is {'' if verdict.sufficient else 'not '}enough."
    return Noted(data=verdict, warnings=warnings, reasoning_trace=why)


def _evidence(ask: QuerySufficiency, graph: GraphView) -> list[str]:
    """Return the evidence in lines, each once: paths, relationships, passages."""
    edges = [r if isinstance(r, Relationship) else graph.relationship(r) for r in ask.relationships]
    chunks = [c if isinstance(c, Chunk) else graph.chunk(c) for c in ask.chunks]
    paths = [path_of(graph, path) for path in ask.paths if path.node_ids]
    lines = [verbalise_path(graph, path) for path in paths]
    lines += [verbalise(graph, edge) for edge in edges]
    lines += [chunk.content for chunk in chunks]
    return list(dict.fromkeys(line for line in lines if line.strip()))


def _verdict_by_coverage(query: str, evidence: Sequence[str]) -> Sufficiency:
    """Judge by the words: what stands next to a name is found with the name, and says little by itself."""
    asked = query[:LONGEST]
    names = query_names(asked)
    said = spaced(" ".join(evidence))
    unnamed = [name for name in names if spaced(name) not in said]
    if names and len(unnamed) == len(names):
        why = f"The evidence does not name {', '.join(names)}."
        return Sufficiency(sufficient=False, reason=why, coverage=0.0)
    beside = without(asked, names)
    wanted = beside if stems(beside) else asked
    held = frozenset(stems(" ".join(evidence)))
    share = round(covered(stems(wanted), held, Bm25(evidence).rarity), 6)
    missing = [stem for stem in dict.fromkeys(stems(wanted)) if stem not in held]
    lack = f"; missing: {', '.join(missing[:10])}" if missing else ""
    why = f"The evidence holds {share:.0%} of what is asked{lack}."
    return Sufficiency(sufficient=share >= COVERED, reason=why, coverage=share)


# DRIFT's first step: a broad answer from community reports, and what to ask next.

PRIME = (
    "You read reports on parts of a collection. Give a first answer to the question as far as they go, "
    f"and the further questions whose answers would complete it, most important first. {SOURCES}"
)
PRIMER_INSTEAD = (
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
    needs="Community.id",
    optional="Community.title summary keywords rating, CommunityReport.findings",
    adds="DriftPrimer.answer follow_ups",
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
        told = (no_llm(PRIMER_INSTEAD),) if llm is None else ()
        return Noted(data=_offline(ask, context, graph, corpus), warnings=(*warnings, *told))
    primer, more = _primed(ask, context, llm)
    return Noted(data=primer or _offline(ask, context, graph, corpus), warnings=(*warnings, *more))


def _primed(
    ask: QueryDriftPrimer, context: Fitted, llm: LanguageModel
) -> tuple[DriftPrimer | None, list[ToolWarning]]:
    """Let the model read the reports part by part, and join what it says; None where it says nothing."""
    n = min(ask.folds, len(context.pieces))
    # dealt out in turn, every part has some of the best
    parts = [Fitted(tuple(context.pieces[i::n]), (), context.render) for i in range(n)]
    asked = [prompt(PRIME, fenced("Passages", part.text), question(ask.query)) for part in parts]
    replies = ask_all(llm, asked, Primed, _says_something)
    said = [reply.value for reply in replies if reply.value is not None]
    errors = [reply.error or "no reply" for reply in replies if reply.value is None]
    instead = "their part of the reports was not read" if said else PRIMER_INSTEAD
    warnings = [llm_failed(errors[0], instead, failed=len(errors), calls=len(parts))] if errors else []
    if not said:
        return None, warnings
    told = composed([s for one in said for s in one.sentences], by_number(context.pieces), ask.query)
    answer = told.answer(ask.query, llm) if told.citations else unsupported(ask.query, llm)
    # In turn from each part: every part's most important question comes before any part's second.
    in_turn = zip_longest(*(one.follow_up_queries for one in said), fillvalue="")  # a blank one is dropped
    follow_ups = _distinct([*chain(*in_turn)], ask.query)[: ask.top_k] or _questions(ask, context)
    return _primer(ask, context, answer, follow_ups), [*warnings, *told.warnings()]


def _says_something(_place: int, said: Primed) -> str | None:
    """Accept a part of an answer or a question to go on with."""
    if said.sentences or any(query.strip() for query in said.follow_up_queries):
        return None
    return "There is neither a sentence nor a follow-up question: give what the reports say, or what to ask."


def _offline(ask: QueryDriftPrimer, context: Fitted, graph: GraphView, corpus: Corpus | None) -> DriftPrimer:
    """Take the findings that answer, else those of the weightiest communities, and ask about their names."""
    answer = extracted(asked_of(ask.query, graph, corpus, MAX_THEMES), [context])
    if not answer.supported:
        answer = theme_answer("", [piece.draft for piece in context.pieces]) or answer
        answer = answer.model_copy(update={"query": ask.query, "supported": False})
    return _primer(ask, context, answer, _questions(ask, context))


def _questions(ask: QueryDriftPrimer, context: Fitted) -> list[str]:
    """Return the question with the first names of each title such as "John Snow, cholera, London, pump"."""
    names = (piece.draft.names[0].split(",")[:KEY_NAMES] for piece in context.pieces)
    queries = [f"{ask.query} ({', '.join(map(str.strip, some))})" for some in names]
    return _distinct(queries, ask.query)[: ask.top_k]


def _distinct(queries: list[str], asked: str) -> list[str]:
    """Return the queries on one line each, without repeats and without the question itself."""
    return [query for query in distinct(queries) if query.casefold() != asked.casefold()]


def _primer(ask: QueryDriftPrimer, context: Fitted, answer: Answer, follow_ups: Sequence[str]) -> DriftPrimer:
    ids = tuple(piece.draft.id for piece in context.pieces)
    return DriftPrimer(query=ask.query, answer=answer, follow_ups=tuple(follow_ups), communities=ids)
