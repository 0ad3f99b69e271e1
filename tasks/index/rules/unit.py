"""A stretch of a sentence that may be a claim."""

from dataclasses import dataclass


@dataclass(slots=True)
class Unit:
    """A stretch of a sentence that may be a claim: words `first` to `last` (half-open)."""

    at: int
    first: int
    last: int
    kind: str = ""
    cue: str = ""
    strength: float = 0.0
    speaker: tuple[int, int] | None = None
    denies: bool = False
    reason_for: "Unit | None" = None
