"""What is made of a question: names, keywords, thoughts, and whether enough is known to answer it."""

from pydantic import Field

from corpusgraph.schemas.base import Confidence, Noun


class QueryEntities(Noun):
    """What a question is about, in its own words."""

    entities: tuple[str, ...] = Field(
        default=(), description="named entities; where it names none, the phrases of `generic`"
    )
    generic: tuple[str, ...] = Field(default=(), description="things it speaks of that have no name")


class Keywords(Noun):
    """Keywords of a question on two levels (LightRAG)."""

    low: tuple[str, ...] = Field(default=(), description="particular: names and specific things")
    high: tuple[str, ...] = Field(default=(), description="overarching: topics and themes")


class Thought(Noun):
    """One step of reasoning over what was read so far, and what to look for next."""

    sentence: str = ""
    query: str = Field(description="the next search; the question itself where nothing is to be added")
    done: bool = Field(default=False, description="the question is answered, or nothing more can be found")
    thoughts: tuple[str, ...] = Field(default=(), description="the chain so far, this sentence its last")


class Sufficiency(Noun):
    """Whether the evidence is enough to answer; as a condition it is `sufficient`."""

    sufficient: bool
    reason: str = ""
    coverage: Confidence | None = Field(
        default=None, description="share of the question's words that the evidence holds, where they decided"
    )

    def __bool__(self) -> bool:
        """Tell whether the evidence is enough."""
        return self.sufficient
