"""Dated events of the corpus as the cases of a process."""

from collections.abc import Iterator

from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.evidence import Event
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import ProcessDataset
from corpusgraph.tasks.dataset.cited import Cited
from corpusgraph.tasks.prepare.process.moment import Moment
from corpusgraph.tasks.prepare.process.nouns import PrepareProcessTrace, ProcessEvent
from corpusgraph.tasks.prepare.process.timestamps import parse

LONGEST_LABEL = 40
"""Characters of an activity's label."""


def build_process(corpus: Corpus, dataset: ProcessDataset) -> PrepareProcessTrace:
    """Return the input of tool 26: an event for each dated event and each case it belongs to.

    `case` is document, actor, place, or a field of the documents' metadata; an event with several actors
    belongs to each of their cases. `start` and `end` keep the events whose interval reaches into them.
    Errors: `no_case_notion` when no document has the field; `invalid_input` for a bad start or end.
    """
    cited = Cited(corpus)
    _check_field(corpus, dataset.case)
    window = (bound(dataset.start), bound(dataset.end))
    events, homeless, outside = [], [], []
    for event in sorted(corpus.events, key=lambda e: (e.document_id, e.start, e.id)):
        if not _inside(event, window):
            outside.append(event.id)
            continue
        cases = list(_cases(event, dataset.case, cited))
        if not cases:
            homeless.append(event.id)
        events += [_event(event, case, cited, several=len(cases) > 1) for case in cases]
    told = (
        ("missing_case", f"events without {dataset.case}", homeless),
        ("outside_period", "events outside the period", outside),
    )
    return PrepareProcessTrace(
        events=tuple(events),
        temporal_resolution=dataset.temporal_resolution,
        notes=tuple(
            ToolWarning(code=code, message=f"Left out {len(ids)} {what}.", records=tuple(ids))
            for code, what, ids in told
            if ids
        ),
    )


def _check_field(corpus: Corpus, case: str) -> None:
    known = sorted({key for document in corpus.documents for key in document.metadata})
    if case in ("document", "actor", "place") or case in known:
        return
    raise PreparationError(
        f"No document has a metadata field {case!r} to be the case.",
        code="no_case_notion",
        hint=did_you_mean(case, ["document", "actor", "place", *known]) or "Use document, actor or place.",
    )


def _cases(event: Event, case: str, cited: Cited) -> Iterator[str]:
    document = cited.documents[event.document_id]
    if case == "document":
        yield document.source or document.id
    elif case in ("actor", "place"):
        yield from cited.names(event.actors if case == "actor" else event.places)
    elif document.metadata.get(case) not in (None, ""):
        yield str(document.metadata[case])


def _event(event: Event, case: str, cited: Cited, *, several: bool) -> ProcessEvent:
    return ProcessEvent.model_validate(
        {
            "id": f"{event.id}@{case}" if several else event.id,
            "origin": event.id if several else None,
            "case": case,
            "activity": short_label(event.activity),
            "timestamp": _when(event),
            "actors": cited.names(event.actors),
            "places": cited.names(event.places),
            "text": " ".join(event.text.split()),
            "confidence": event.confidence,
            "passages": [cited.passage(event)],
        }
    )


def short_label(activity: str) -> str:
    """Cut a label at a word, with an ellipsis, so that it fits a diagram."""
    text = " ".join(activity.split())
    if len(text) <= LONGEST_LABEL:
        return text
    cut = text[: LONGEST_LABEL - 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def bound(text: str | None) -> Moment | None:
    """Read an end of the period that a study asks for; PreparationError where it is no date."""
    if text is None:
        return None
    moment = parse(text)
    if isinstance(moment, Moment):
        return moment
    raise PreparationError(
        f"{text!r} is no date.",
        code="invalid_input",
        hint="Write it as ISO 8601, such as 1854 or 1854-09-08.",
    )


def _inside(event: Event, window: tuple[Moment | None, Moment | None]) -> bool:
    """Tell whether an event's interval reaches into the window; unreadable ones are the tool's to judge."""
    at = parse(_when(event))
    if not isinstance(at, Moment):
        return True
    first, last = window
    return not (first and at.latest <= first.start) and not (last and at.earliest >= last.until)


def _when(event: Event) -> str:
    """Return the timestamp, as an ISO interval where the text gives a range of instants it can mean."""
    return f"{event.timestamp}/{event.timestamp_end}" if event.timestamp_end else event.timestamp
