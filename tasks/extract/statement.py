"""A relation as read off a sentence, before its ends are known to name something."""

from dataclasses import dataclass

from corpusgraph.tasks.extract.patterns import Pattern


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation between two tokens of a sentence.

    `anchor` is the predicate that its polarity and modality are read off, `cue` the tokens that carry it,
    `along` the tokens that belong to the target beside what it heads.
    """

    source: int
    target: int
    type: str
    anchor: int
    cue: tuple[int, ...]
    name: str
    confidence: float
    is_causal: bool = False
    speaker: int | None = None
    denied: bool = False
    along: int | None = None
    pattern: Pattern | None = None
    between_clauses: bool = False
    """Both ends say what is so or not so themselves: a negation in them does not deny the relation."""
    in_passing: bool = False
    """Said by apposition or title: what the clause denies, doubts or asks is something else."""
