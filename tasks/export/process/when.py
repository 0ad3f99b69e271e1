"""The instants of many events at once."""

from collections.abc import Sequence
from itertools import compress

from corpusgraph.tasks.prepare.process.instants import read_iso

_LENGTH = 20
"""Characters of an instant of whole seconds in a year of four digits."""


def read_all(texts: Sequence[str]) -> list[int]:
    """Return what `read_iso` returns of each, in a fraction of the time where the instants are plain."""
    import polars as pl

    plain = [len(text) == _LENGTH for text in texts]
    column = pl.Series(compress(texts, plain), dtype=pl.String)
    instants = iter(column.str.to_datetime("%Y-%m-%dT%H:%M:%SZ", time_unit="us").to_physical().to_list())
    return [next(instants) if one else read_iso(text) for one, text in zip(plain, texts, strict=True)]
