"""Answers: text with a citation for every sentence, and what answers are made from."""

from typing import Literal

from pydantic import NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import Confidence, Described
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import CommunityReport, Entity, Relationship
from corpusgraph.schemas.llm import StageUsage, TraceLine, Usage
from corpusgraph.schemas.results import Scored, ToolWarning

PieceKind = Literal["community", "entity", "relationship", "path", "chunk"]


class Citation(Described):
    """A sentence of the answer and where it stands: characters `start` to `end` of the document."""

    text: str
    chunk_id: str
    document_id: str
    document_title: str
    """the document's title; its id where the title is not known"""
    start: NonNegativeInt
    end: NonNegativeInt
    page: int | None = None
    score: float = 0.0


class ContextPiece(Described):
    """One numbered piece of what an answer is made from, with the sentences it rests on."""

    number: PositiveInt
    kind: PieceKind
    id: str
    text: str
    """the piece as it is read, its number included"""
    n_tokens: NonNegativeInt
    whole: bool = True
    """False where its end did not fit"""
    sources: tuple[Citation, ...] = ()


class Context(Described):
    """What fitted into the budgets, in order, and what did not."""

    pieces: tuple[ContextPiece, ...] = ()
    text: str = ""
    n_tokens: NonNegativeInt = 0
    cut: tuple[str, ...] = ()
    """ids of what was left out, whole or in part"""


class Answer(Described):
    """What the passages say to a question. `supported` is False where they say nothing to it."""

    query: str
    text: str
    method: str
    """extractive: sentences of the passages word for word; else the model that wrote it"""
    citations: tuple[Citation, ...] = ()
    """[n] in the text is the n-th of them"""
    supported: bool
    context: Context | None = None
    """what the answer was made from, if asked for"""


class AnswerResult(Answer):
    """An answer with what was retrieved for it."""

    retrieval: str = "default"
    """name of the method"""
    mode: str = ""
    """what ranked the passages: graph (the walk), text (BM25), or graph and text"""
    passages: tuple[Scored[Chunk], ...] = ()
    entities: tuple[Scored[Entity], ...] = ()
    """entities the question names"""
    usage: StageUsage | Usage = Usage()
    """what calls of a language model took"""
    warnings: tuple[ToolWarning, ...] = ()
    trace: tuple[TraceLine, ...] = ()
    """the steps of the method, in order"""


class Summary(Described):
    """The gist of some passages, each sentence cited."""

    text: str
    method: str
    """extractive: the most central sentences; else the model that wrote it"""
    citations: tuple[Citation, ...] = ()
    """[n] in the text is the n-th of them"""
    n_tokens: NonNegativeInt = 0
    """of the text"""


class DriftPrimer(Described):
    """A first answer from community reports, and the questions that would deepen it, most telling first."""

    query: str
    answer: Answer
    follow_ups: tuple[str, ...] = ()
    communities: tuple[str, ...] = ()
    """ids of the communities read"""


class SimilarItem(Described):
    """Something like a query: the field named after `kind` holds it; a bare text has none."""

    kind: Literal["entity", "relationship", "chunk", "report", "text"]
    id: str
    text: str
    """what was compared, or how the item reads"""
    entity: Entity | None = None
    relationship: Relationship | None = None
    chunk: Chunk | None = None
    report: CommunityReport | None = None


class QueryEntities(Described):
    """What a question is about, in its own words."""

    entities: tuple[str, ...] = ()
    """named entities; where it names none, the phrases of `generic`"""
    generic: tuple[str, ...] = ()
    """things it speaks of that have no name"""


class Keywords(Described):
    """Keywords of a question on two levels (LightRAG)."""

    low: tuple[str, ...] = ()
    """particular: names and specific things"""
    high: tuple[str, ...] = ()
    """overarching: topics and themes"""


class Thought(Described):
    """One step of reasoning over what was read so far, and what to look for next."""

    sentence: str = ""
    query: str
    """the next search; the question itself where nothing is to be added"""
    done: bool = False
    """the question is answered, or nothing more can be found"""
    thoughts: tuple[str, ...] = ()
    """the chain so far, this sentence its last"""


class Sufficiency(Described):
    """Whether the evidence is enough to answer; as a condition it is `sufficient`."""

    sufficient: bool
    reason: str = ""
    coverage: Confidence | None = None
    """share of the question's words that the evidence holds, where they decided"""

    def __bool__(self) -> bool:
        """Tell whether the evidence is enough."""
        return self.sufficient
