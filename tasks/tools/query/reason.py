"""One step of reasoning over what was read so far."""

import re
from collections.abc import Sequence
from math import fsum, log1p
from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from corpusgraph.schemas.answer import Thought
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.ports import GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.answer.context import Chunks
from corpusgraph.tasks.answer.sentences import Sentence, sentences_of, stems_of
from corpusgraph.tasks.extract.query_names import query_names
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.llm.prompting import (
    Said,
    ask_or_warn,
    cut_context,
    fenced,
    llm_failed,
    nothing,
    prompt,
    query_cut,
    question,
)
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.text.sentences import sentence_spans
from corpusgraph.tasks.text.words import spaced, words

REASON = (
    "You answer a question step by step from passages. Write the next step: one sentence that the passages "
    "support and that was not thought yet; and as query what to search for next, in words that the missing "
    "passage may hold. done is true when the thoughts with your sentence answer the question."
)
INSTEAD = "the next thought is the sentence that speaks most to what is not covered yet"
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
    needs={"Chunk.content"},
    optional={"Chunk.metadata"},
    adds={"Thought.sentence", "Thought.query", "Thought.done"},
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
    said, notes = ask_or_warn(llm, asked, NextStep, INSTEAD, _thinks)
    if said is None or not said.sentence.strip():
        notes = notes or [llm_failed("it thought nothing", INSTEAD)]
        return _noted(ask, _by_coverage(ask, chunks), (*short, *notes))
    thought, repeated = _thought(ask, said)
    note = warned("repeated_thought", "The model repeats a thought: it is done.", when=repeated)
    return _noted(ask, thought, (*short, *note))


def _noted(ask: QueryReason, thought: Thought, warnings: tuple[ToolWarning, ...]) -> Noted[Thought]:
    chain = thought.model_copy(update={"thoughts": (*ask.thoughts, *filter(None, [thought.sentence]))})
    return Noted(data=chain, warnings=warnings, reasoning_trace=thought.sentence or NOTHING_NEW)


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


def _by_coverage(ask: QueryReason, chunks: Sequence[Chunk]) -> Thought:
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
    bridges = [(s, _new_names(s.text, met)) for s in telling]
    best, names = next((pair for pair in bridges if pair[1]), bridges[0])
    return Thought(
        sentence=" ".join(best.text.split()),
        query=" ".join([ask.query, *names]),
        done=missing <= best.stems,
    )


def _telling(sentences: Sequence[Sentence], missing: frozenset[str]) -> list[Sentence]:
    """Return the sentences that hold most of the missing stems, each weighing 1 + idf; none if none does."""
    n, held = len(sentences), {stem: sum(stem in s.stems for s in sentences) for stem in missing}
    weights = {stem: 1 + log1p((n - df + 0.5) / (df + 0.5)) for stem, df in held.items()}
    rated = [fsum(weights[stem] for stem in missing & s.stems) for s in sentences]
    most = max(rated, default=0.0)
    return [s for s, weight in zip(sentences, rated, strict=True) if weight >= most > 0][:EQUALS]


def _new_names(text: str, met: str) -> list[str]:
    return [name for name in query_names(text) if spaced(name) not in met]
