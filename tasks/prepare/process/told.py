"""What a process trace tells of its dates, ties and evidence."""

from collections.abc import Sequence

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.prepare.process.carried import clashing
from corpusgraph.tasks.prepare.process.instants import LENGTH
from corpusgraph.tasks.prepare.process.log import UNIT_OF, Timed
from corpusgraph.tasks.prepare.process.nouns import EvidenceTest, Resolution, Tie

NAMED = 5
"""Records that a message names; all are in its `records`."""


def shortened(said: Sequence[str]) -> str:
    """Join the first few."""
    return ", ".join(said[:NAMED]) + (" …" if len(said) > NAMED else "")


def tell_dates(timed: Sequence[Timed], resolution: Resolution) -> list[ToolWarning]:
    """Return a warning for each way in which dates are less, or other, than an exact UTC instant."""
    unit = LENGTH[UNIT_OF[resolution]]
    found: dict[str, list[str]] = {code: [] for code in _DATES}
    for one in timed:
        at, end = one.at, one.end
        if at.assumed_utc or (end and end.assumed_utc):
            found["assumed_utc"].append(one.event.id)
        if at.has_offset or (end and end.has_offset):
            found["offset_dropped"].append(one.event.id)
        if at.approximate or (end and end.approximate):
            found["approximate_date"].append(one.event.id)
        if at.open:
            found["open_interval"].append(one.event.id)
        elif at.is_coarser_than(unit):
            found["coarser_than_resolution"].append(one.event.id)
    return [
        ToolWarning(
            code=code,
            message=_DATES[code].format(n=len(ids), resolution=resolution, ids=shortened(ids)),
            records=tuple(ids),
        )
        for code, ids in found.items()
        if ids
    ]


_DATES = {
    "assumed_utc": "{n} events have a clock time without a zone, taken for UTC: {ids}.",
    "offset_dropped": "{n} events have an offset; their instants are given in UTC: {ids}.",
    "approximate_date": "{n} events have a date with 'circa' or '?': no order with them is certain: {ids}.",
    "open_interval": "{n} events are dated before or after something; placed at that bound: {ids}.",
    "coarser_than_resolution": "{n} events are less exact than {resolution}; kept as intervals: {ids}.",
}


def tell_renamed(timed: Sequence[Timed]) -> list[ToolWarning]:
    """Return a warning where fields that are passed through have the name of one that the result adds."""
    found = [(one.event.id, names) for one in timed if (names := clashing(one.event.model_extra))]
    if not found:
        return []
    renamed = sorted({name for _, names in found for name in names})
    said = ", ".join(f"{name} as given_{name}" for name in renamed)
    message = f"{len(found)} events have fields that a trace names so itself; passed through: {said}."
    return [ToolWarning(code="names_mapped", message=message, records=tuple(event for event, _ in found))]


def tell_ties(ties: Sequence[Tie]) -> list[ToolWarning]:
    """Return a warning that names the groups of events in one bucket."""
    if not ties:
        return []
    records = tuple(f"{tie.case}: {', '.join(tie.events)}" for tie in ties)
    message = (
        f"{len(records)} groups of events share a bucket; their exact order, or the order given, is kept: "
        f"{shortened([f'{tie.case}: {shortened(tie.events)}' for tie in ties[:NAMED]])}"
        f"{' …' if len(ties) > NAMED else ''}."
    )
    return [ToolWarning(code="tied_after_bucketing", message=message, records=records)]


def tell_shared_evidence(tests: Sequence[EvidenceTest]) -> list[ToolWarning]:
    """Return a warning where pieces about a hypothesis share a passage, so are hardly independent."""
    seen: dict[tuple[str, str], set[str]] = {}
    counts: dict[tuple[str, str], int] = {}
    for test in tests:
        for source in sorted({p.evidence_id for p in test.passages} or {test.event}):
            key = (test.hypothesis, source)
            seen.setdefault(key, set()).add(test.event)
            counts[key] = counts.get(key, 0) + 1
    events = sorted({event for key, count in counts.items() if count > 1 for event in seen[key]})
    if not events:
        return []
    message = (
        "Pieces of evidence about one hypothesis rest on the same passage or event, and are weighed as if "
        f"they were independent: {shortened(events)}."
    )
    return [ToolWarning(code="shared_evidence", message=message, records=tuple(events))]
