"""T57: answer a question from passages, without a language model."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import EntityRef
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.tasks._tool import Reads, tool
from corpusgraph.tasks.answer.extractive import MAX_CONTEXT_TOKENS, MAX_SENTENCES, extract_answer
from corpusgraph.tasks.graph.inputs import EntityRefs, Query, reference, resolved
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.index.extract import query_names


def passages(values: Any) -> Any:
    """Return chunks with their content as they are, and the ids of anything else."""
    return [_passage(value) for value in values] if isinstance(values, list | tuple) else values


def _passage(value: Any) -> Any:
    held = value.get("item") if isinstance(value, dict) else getattr(value, "item", None)
    item = value if held is None else held
    has_text = "content" in item if isinstance(item, dict) else isinstance(item, Chunk)
    return item if has_text else reference(item)


class GenerateAnswer(ToolInput):
    """The question and the passages that may answer it, best first."""

    query: Query
    chunks: Annotated[list[EntityRef | Chunk], BeforeValidator(passages), Reads("chunks")] = Field(
        min_length=1, description="chunks by id or short id, or with their content"
    )
    entities: Annotated[EntityRefs | None, Reads("entities")] = Field(
        None, description="entities the question is about; the names in the question, unless given"
    )
    max_sentences: PositiveInt = MAX_SENTENCES
    max_context_tokens: PositiveInt = Field(
        MAX_CONTEXT_TOKENS, description="passages are read in order until these are spent"
    )


@tool(
    writes="answer",
    needs={"Chunk.content"},
    optional={"Chunk.source_doc", "Chunk.start", "Chunk.page", "Chunk.metadata"},
    adds={"Answer.text", "Answer.citations", "Answer.supported"},
    cite="Robertson & Zaragoza 2009 (BM25); Carbonell & Goldstein 1998 (MMR)",
    aliases=("T57",),
)
def generate_answer(ask: GenerateAnswer, graph: GraphView) -> Noted[Answer]:
    """Answer a question with sentences of the passages, each cited; without support, say so."""
    chunks = [chunk if isinstance(chunk, Chunk) else graph.chunk(chunk) for chunk in ask.chunks]
    if ask.entities is None:
        names = [[name] for name in query_names(ask.query)]
    else:
        names = [[entity.name, *aliases_of(entity)] for entity in resolved(graph, ask.entities)]
    return extract_answer(
        ask.query,
        chunks,
        names=names,
        max_sentences=ask.max_sentences,
        max_context_tokens=ask.max_context_tokens,
    )
