"""A stretch of words that names something."""

from dataclasses import dataclass, field

from corpusgraph.schemas.base import JsonDict


@dataclass(slots=True)
class NameSpan:
    """Words `first` to `last` (half-open) of one sentence, and what is known of the name they form."""

    at: int
    first: int
    last: int
    text: str
    initial: bool = False
    kind: str = ""
    confidence: float = 0.5
    cue: str = ""
    attributes: JsonDict = field(default_factory=dict)
