"""A case as a sequence of states: TraMineR's SPELL format and, where it is not too wide, STS."""

from collections.abc import Iterator, Sequence

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.export.folder import Sheet
from corpusgraph.tasks.export.process.long_sheet import LongSheet
from corpusgraph.tasks.export.process.when import read_all
from corpusgraph.tasks.prepare.process.instants import Unit, label, ordinal
from corpusgraph.tasks.prepare.process.log import UNIT_OF
from corpusgraph.tasks.prepare.process.nouns import ProcessTrace, TracedEvent

MOST_CELLS = 500_000
"""Cases times units of time up to which states.csv is written; spell.csv says the same in less."""

Spell = tuple[str, int, int, str]


def states(result: ProcessTrace) -> tuple[list[Sheet], list[ToolWarning], int]:
    """Return the sheets of states, what to tell of them, and how many events last no unit of time.

    A state lasts from its event to the next one of the case, the last for one unit; time counts in units of
    the resolution from 1, the earliest unit of the log (Gabadinho et al. 2011, Journal of Statistical
    Software 40(4), on the formats).
    """
    unit = UNIT_OF[result.temporal_resolution]
    starts = read_all([event.start for event in result.events])
    origin = min(starts)
    spells = _spells(result.events, starts, ordinal(origin, unit), unit)
    about = f"states and their lengths for TraMineR; 1 stands for {label(origin, unit)}"
    columns = (
        ("case", "t", "case"),
        ("begin", "n", f"first of the {result.temporal_resolution} in this state, from 1"),
        ("end", "n", "last one"),
        ("activity", "t", "the state: what happened at its beginning"),
    )
    sheets: list[Sheet] = [LongSheet("spell.csv", about, columns, list(zip(*spells, strict=True)))]
    length = max(end for _, _, end, _ in spells)
    notes = []
    if length * len(result.cases) <= MOST_CELLS:
        sheets.append(_sts(result, spells, length, label(origin, unit)))
    else:
        message = (
            f"states.csv would have {len(result.cases)} rows of {length} {result.temporal_resolution}: it is "
            "left out. spell.csv has the same states, and a coarser resolution makes them fewer."
        )
        notes.append(ToolWarning(code="too_many_states", message=message))
    return sheets, notes, len(result.events) - len(spells)


def _spells(events: Sequence[TracedEvent], starts: Sequence[int], first: int, unit: Unit) -> list[Spell]:
    rows = []
    steps = [ordinal(start, unit) - first + 1 for start in starts]
    for n, event in enumerate(events):
        following = n + 1 < len(events) and events[n + 1].case == event.case
        end = steps[n + 1] - 1 if following else steps[n]
        if end >= steps[n]:
            rows.append((event.case, steps[n], end, event.activity))
    return rows


def _sts(result: ProcessTrace, spells: Sequence[Spell], length: int, origin: str) -> Sheet:
    unit = result.temporal_resolution.removesuffix("s")
    columns = (("case", "t", "case"), *((f"t{n}", "t", f"state in {unit} {n}") for n in range(1, length + 1)))
    about = f"the same as a sequence of states, a column per {unit} (STS); t1 is {origin}"
    return Sheet("states.csv", about, columns, list(_rows(result, spells, length)))


def _rows(result: ProcessTrace, spells: Sequence[Spell], length: int) -> Iterator[tuple[str | None, ...]]:
    by_case: dict[str, list[str | None]] = {case.case: [None] * length for case in result.cases}
    for case, begin, end, activity in spells:
        by_case[case][begin - 1 : end] = [activity] * (end - begin + 1)
    for case, row in by_case.items():
        yield case, *row
