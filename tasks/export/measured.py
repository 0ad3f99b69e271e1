"""How much of what is read in texts is right: the figures that a README gives."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

Kind = Literal["entity", "relation", "causal", "claim", "argument", "event"]
"""What is read in texts, as `benchmarks.extraction.run --sample` names it."""


class Measured(NamedTuple):
    """Shares of 1, on the annotated test passages: precision with its 95 % interval (Wilson), and recall.

    Attributes
    ----------
    what : str
        What is read, in the plural.
    precision : float
        Share right of what is found.
    low, high : float
        Ends of the interval of the precision.
    recall : float
        Share found of what readers find.

    """

    what: str
    precision: float
    low: float
    high: float
    recall: float


MEASURED: dict[Kind, Measured] = {
    "entity": Measured("entities", precision=0.83, low=0.80, high=0.86, recall=0.79),
    "relation": Measured("relations", precision=0.68, low=0.63, high=0.73, recall=0.32),
    "causal": Measured("causal arrows", precision=0.87, low=0.79, high=0.93, recall=0.33),
    "claim": Measured("claims", precision=0.64, low=0.58, high=0.70, recall=0.52),
    "argument": Measured("attacks and supports", precision=0.33, low=0.12, high=0.65, recall=0.05),
    "event": Measured("events", precision=0.76, low=0.62, high=0.86, recall=0.70),
}
"""The offline extractor on English texts: benchmarks/extraction/RESULTS.md."""


def kinds_of(formulas: Iterable[str]) -> list[Kind]:
    """Return what columns rest on whose formula begins with a measure; none for a table from elsewhere.

    Parameters
    ----------
    formulas : iterable of str
        Such as `claims` or `pmi: ...`, one a column.

    Returns
    -------
    list of Kind
        In the order of `MEASURED`.

    """
    from corpusgraph.tasks.dataset.measures.registry import MEASURES

    measures = {formula.partition(":")[0] for formula in formulas} & MEASURES.keys()
    kinds = {MEASURES[measure].rests_on for measure in measures}
    return [kind for kind in MEASURED if kind in kinds]
