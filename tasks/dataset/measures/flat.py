"""The sentences of units as arrays, so that sums over them are quick."""

from collections.abc import Sequence
from dataclasses import dataclass

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.dataset.reading import Reading, Sentence
from corpusgraph.tasks.dataset.units import Unit


@dataclass(frozen=True)
class Flat:
    """The sentences of some units, each once, and for every sentence of a unit whose it is and which one."""

    units: Sequence[Unit]  # held, so that their identity stays theirs
    sentences: Sequence[Sentence]
    owner: Ints
    which: Ints


def flat_of(reading: Reading, units: Sequence[Unit]) -> Flat:
    """Return the sentences of units as arrays, made once: every count sums over them."""

    def make() -> Flat:
        import numpy as np

        number: dict[Sentence, int] = {}
        which = [number.setdefault(s, len(number)) for unit in units for s in unit.sentences]
        owner = np.repeat(np.arange(len(units)), [len(unit.sentences) for unit in units])
        return Flat(units, list(number), owner, np.array(which, dtype=np.int64))

    return reading.once(("flat", id(units)), make)
