"""A relation found between two phrases of one sentence."""

from dataclasses import dataclass

from corpusgraph.tasks.index.rules.phrases import Phrase


@dataclass(frozen=True, slots=True)
class Found:
    """A relation between two phrases of one sentence; `first` to `last` are the words of its cue."""

    source: Phrase
    target: Phrase
    type: str
    first: int
    last: int
    pattern: str
    negated: bool = False
    confidence: float = 0.7
