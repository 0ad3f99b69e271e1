"""What the steps of a method did, one line each."""

from pydantic import Field, NonNegativeInt

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.llm import Usage


class TraceLine(Noun):
    """What one step did: `round` counts the rounds of the loop it stands in, from 1."""

    step: str
    tool: str
    seconds: float
    n_items: NonNegativeInt = 0
    round: int | None = None
    skipped: str | None = Field(default=None, description="why it did not run: condition or empty_input")
    usage: Usage = Usage()
