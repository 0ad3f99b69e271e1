"""T57: answer a question from what was retrieved, every sentence cited."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.ports import Corpus, GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning
from corpusgraph.tasks.answer.context import (
    Budget,
    Chunks,
    Communities,
    Draft,
    Entities,
    Fitted,
    Items,
    Paths,
    Relationships,
    Render,
    Retrieved,
    Subgraph,
    build_context,
    drafts_of,
    in_groups,
)
from corpusgraph.tasks.answer.extractive import asked_of, chunks_of_time
from corpusgraph.tasks.answer.sentences import Provenance
from corpusgraph.tasks.answer.written import answer_alone, answer_from, answer_from_groups
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.llm.prompting import MAX_QUESTION_CHARACTERS, query_cut, query_read
from corpusgraph.tasks.registry import Reads, tool

MAX_CONTEXT_TOKENS = 12000
GROUP_TOKENS = 16384


class GenerateAnswer(ToolInput):
    """The question and what may answer it, best first; at least one thing of one kind."""

    query: Query
    chunks: Annotated[Chunks | None, Reads("chunks")] = Field(
        None, description="chunks by id or short id, or with their content"
    )
    entities: Annotated[Entities | None, Reads("entities")] = Field(
        None, description="entities by id, short id or name"
    )
    relationships: Annotated[Relationships | None, Reads("relationships")] = Field(
        None, description="relationships by id or short id"
    )
    communities: Annotated[Communities | None, Reads("communities")] = Field(
        None, description="communities by id or short id, or reports"
    )
    paths: Annotated[Paths | None, Reads("paths")] = Field(None, description="paths of the graph")
    subgraph: Annotated[Subgraph | None, Reads("subgraph")] = Field(None, description="nodes and edges")
    items: Annotated[Items | None, Reads("items")] = Field(None, description="results of a similarity search")
    mode: Literal["direct", "map_reduce", "closed_book"] = Field(
        "direct",
        description="map_reduce: points from each group of pieces first, then an answer from them; "
        "closed_book: what the model knows by itself, without citations: a baseline",
    )
    render: Render = Field("prose", description="how the context is written")
    max_context_tokens: PositiveInt = Field(
        MAX_CONTEXT_TOKENS, description="of the context; with map_reduce of the points it is reduced to"
    )
    budget: Budget = Field(Budget(), description="what each kind may take")
    group_tokens: PositiveInt = Field(GROUP_TOKENS, description="of each group (map_reduce)")
    shuffle: bool = Field(
        False, description="mix the pieces before they are grouped (map_reduce), always in the same way"
    )
    max_sentences: PositiveInt | None = Field(
        None, description="of an answer without a language model: 3, or 5 for a question about the whole"
    )
    include_context: bool = Field(False, description="return the context with the answer")

    @model_validator(mode="after")
    def _holds_something(self) -> Self:
        if self.mode != "closed_book" and not self.retrieved():
            kinds = "chunks, entities, relationships, communities, paths, subgraph or items"
            raise ValueError(f"nothing to answer from: give {kinds}")
        return self

    def retrieved(self, more: Sequence[Chunk] = ()) -> Retrieved:
        """Return what the answer is made from, `more` passages after those given.

        Parameters
        ----------
        more : sequence of Chunk, optional
            Passages after those given.

        Returns
        -------
        Retrieved
            None counts as nothing.

        """
        given = {kind.name: getattr(self, kind.name) for kind in fields(Retrieved)}
        given["chunks"] = [*(self.chunks or ()), *more]
        return Retrieved(**{name: value for name, value in given.items() if value is not None})


@tool(
    writes="answer",
    needs={"Chunk.content"},
    optional={
        "Chunk.source_doc",
        "Chunk.start",
        "Chunk.page",
        "Chunk.metadata",
        "Entity.name",
        "Entity.description",
        "Relationship.type",
        "Relationship.description",
        "Relationship.chunk_ids",
        "Community.title",
        "Community.summary",
        "CommunityReport.findings",
    },
    adds={"Answer.text", "Answer.citations", "Answer.supported"},
    cite="Edge et al. 2024, arXiv:2404.16130 (map_reduce); Robertson & Zaragoza 2009 (BM25); "
    "Carbonell & Goldstein 1998 (MMR)",
    aliases=("T57",),
)
def generate_answer(
    ask: GenerateAnswer, graph: GraphView, corpus: Corpus | None, llm: LanguageModel | None
) -> Noted[Answer]:
    """Answer a question from what was retrieved, each sentence cited; without support, say so.

    Without a language model the answer is made of sentences of the passages, word for word. Raises
    UnknownItemError and UnknownEntityError for ids that the graph does not hold.
    """
    short = query_cut(ask.query, llm, rules=MAX_QUESTION_CHARACTERS)
    ask = ask.model_copy(update={"query": query_read(ask.query)[0]})
    if ask.mode == "closed_book":
        return _noted(ask, Fitted((), (), ask.render), answer_alone(ask.query, llm), short)
    drafts = drafts_of(ask.retrieved(chunks_of_time(ask.query, graph, corpus)), Provenance(graph, corpus))
    asked = asked_of(ask.query, graph, corpus, ask.max_sentences)
    grouped = ask.mode == "map_reduce"
    fit = build_context(
        drafts,
        max_tokens=None if grouped else ask.max_context_tokens,
        budget=ask.budget,
        render=ask.render,
        whole=ask.max_context_tokens,
    )
    if grouped:
        groups, long = in_groups(fit, ask.group_tokens, shuffle=ask.shuffle)
        fit = _regrouped(groups, [*fit.cut, *long], ask.render)
        noted = answer_from_groups(asked, groups, llm, ask.max_context_tokens)
    else:
        noted = answer_from(asked, fit, llm)
    return _noted(ask, fit, noted, short)


def _regrouped(groups: Sequence[Fitted], cut: Sequence[Draft], render: Render) -> Fitted:
    """Return the groups as one context."""
    once = {(draft.kind, draft.id): draft for draft in cut}
    return Fitted(tuple(piece for group in groups for piece in group.pieces), tuple(once.values()), render)


def _noted(
    ask: GenerateAnswer, fit: Fitted, noted: Noted[Answer], short: Sequence[ToolWarning]
) -> Noted[Answer]:
    budget = f"groups of {ask.group_tokens}" if ask.mode == "map_reduce" else str(ask.max_context_tokens)
    warnings = (*short, *fit.warnings(f"{budget} tokens"), *noted.warnings)
    context = {"context": fit.noun()} if ask.include_context else {}
    return Noted(data=noted.data.model_copy(update=context), warnings=warnings)
