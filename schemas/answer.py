"""Answers: text with a citation for every sentence."""

from pydantic import Field, NonNegativeInt

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.results import Scored


class Citation(Noun):
    """A sentence of the answer and where it stands: characters `start` to `end` of the document."""

    text: str
    chunk_id: str
    document_id: str
    document_title: str = Field(description="the document's title; its id where the title is not known")
    start: NonNegativeInt
    end: NonNegativeInt
    page: int | None = None
    score: float = 0.0


class Answer(Noun):
    """What the passages say to a question. `supported` is False where they say nothing to it."""

    query: str
    text: str
    method: str = Field(description="extractive: sentences taken from the passages word for word")
    citations: tuple[Citation, ...] = ()
    supported: bool


class AnswerResult(Answer):
    """An answer with what was retrieved for it."""

    retrieval: str = Field(default="default", description="name of the method")
    mode: str = Field(
        default="", description="what ranked the passages: graph (the walk), text (BM25), or graph and text"
    )
    passages: tuple[Scored[Chunk], ...] = ()
    entities: tuple[Scored[Entity], ...] = Field(default=(), description="entities the question names")
