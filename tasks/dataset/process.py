"""Dated events of the corpus as the cases of a process."""

from collections.abc import Iterator, Mapping, Sequence

from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.evidence import Event
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.study import ProcessDataset
from corpusgraph.tasks.analysis.process.models import PrepareProcessTrace, ProcessEvent
from corpusgraph.tasks.analysis.process.timestamps import Moment, parse
from corpusgraph.tasks.dataset.cited import Cited
from corpusgraph.tasks.table.values import warning
from corpusgraph.tasks.text.wordlist import table
from corpusgraph.tasks.text.words import stem, words


def default_label(activity: str, *, has_agent: bool = True) -> str:
    """Return the activity that a frame belongs to; `has_agent`: somebody is named who did it.

    Parameters
    ----------
    activity : str
        A verb, perhaps with what it is done to.
    has_agent : bool, default True
        Whether somebody is named who did it.

    Returns
    -------
    str
        What the lexicons put it under, else the verb with the kind of thing that it is done to.

    """
    verb, _, rest = activity.partition(" ")
    general = f"{verb} {table('process.kind_of').get(rest, rest)}".strip()
    known = (activity, general, " ".join(activity.split()[:2]), verb)
    activity_of = table("process.activity_of")
    label = next((activity_of[form] for form in known if form in activity_of), general)
    return "die" if label == "kill" and not has_agent else label


LONGEST_LABEL = 40
"""Characters of an activity's label."""
OTHER = "other"
"""Label of the events that no activity of the study names."""
_EMPTY = frozenset(["a", "an", "the", "be", "is", "are", "was", "were", "been", "being", "to", "of"])


def build_process(corpus: Corpus, dataset: ProcessDataset) -> PrepareProcessTrace:
    """Return the input of tool 26: an event for each dated event and each case it belongs to.

    `case` is document, actor, place, or a field of the documents' metadata; an event with several actors
    belongs to each of their cases. `start` and `end` keep the events whose interval reaches into them.
    `activities` gives events that are described in many ways one label, so that cases share variants;
    without it, what is commonly done has default labels.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    dataset : ProcessDataset
        What the study asks for.

    Returns
    -------
    PrepareProcessTrace
        With warnings in its notes: `missing_case`, `outside_period`, `other_activity`.

    Raises
    ------
    PreparationError
        `no_case_notion` where no document has the field; `invalid_input` for a bad start or end, for a phrase
        without a word to know an event by, and for two activities that have a phrase in common.

    """
    cited = Cited(corpus)
    _check_field(corpus, dataset.case)
    window = (bound(dataset.start), bound(dataset.end))
    patterns = _patterns(dataset.activities)
    events, homeless, outside, unnamed = [], [], [], []
    for event in sorted(corpus.events, key=lambda e: (e.document_id, e.start, e.id)):
        if not _inside(event, window):
            outside.append(event.id)
            continue
        label = _label(event, patterns, dataset.other)
        if label is None:
            unnamed.append(event.id)
            continue
        cases = list(_cases(event, dataset.case, cited))
        if not cases:
            homeless.append(event.id)
        events += [_event(event, label, case, cited, several=len(cases) > 1) for case in cases]
    left_out = (
        ("missing_case", f"events without {dataset.case}", homeless),
        ("outside_period", "events outside the period", outside),
        ("other_activity", "events that no activity names", unnamed),
    )
    return PrepareProcessTrace(
        events=tuple(events),
        temporal_resolution=dataset.temporal_resolution,
        notes=tuple(
            one for code, what, ids in left_out for one in warning(code, f"Left out {len(ids)} {what}.", ids)
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


def _patterns(activities: Mapping[str, Sequence[str]]) -> list[tuple[tuple[str, ...], str]]:
    """Return the phrases as stems with their activities, those of most words first."""
    patterns: dict[tuple[str, ...], tuple[str, str]] = {}
    for activity, phrases in activities.items():
        for phrase in phrases:
            stems = _stems(phrase)
            if not stems:
                raise PreparationError(
                    f"The phrase {phrase!r} of activity {activity!r} has no word to know an event by.",
                    code="invalid_input",
                    hint="Write the verb or noun that the events have: elect, election, win the election.",
                )
            known, first = patterns.setdefault(stems, (activity, phrase))
            if known != activity:
                raise PreparationError(
                    f"{phrase!r} of activity {activity!r} and {first!r} of {known!r} name the same events.",
                    code="invalid_input",
                    hint="Forms of a word, articles and 'be' make no difference between two phrases.",
                )
    ordered = sorted(patterns.items(), key=lambda item: -len(item[0]))
    return [(stems, activity) for stems, (activity, _) in ordered]


def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words(text) if word not in _EMPTY)


def _label(event: Event, patterns: Sequence[tuple[tuple[str, ...], str]], other: str) -> str | None:
    """Return the activity whose phrase the event's own has, the longest first; None for one to leave out.

    Without phrases an event has the default label of what it describes.
    """
    if not patterns:
        return default_label(event.activity, has_agent="agent" in event.roles.values())
    stems = _stems(event.activity)
    for phrase, activity in patterns:
        rest = iter(stems)
        if all(word in rest for word in phrase):
            return activity
    return {"keep": event.activity, "drop": None, "label": OTHER}[other]


def _event(event: Event, label: str, case: str, cited: Cited, *, several: bool) -> ProcessEvent:
    return ProcessEvent(
        id=f"{event.id}@{case}" if several else event.id,
        origin=event.id if several else None,
        case=case,
        activity=short_label(label),
        timestamp=_when(event),
        actors=cited.names(event.actors),
        places=cited.names(event.places),
        text=" ".join(event.text.split()),
        confidence=event.confidence,
        passages=(cited.passage(event),),
    )


def short_label(activity: str) -> str:
    """Cut a label at a word, with an ellipsis, so that it fits a diagram.

    Parameters
    ----------
    activity : str
        Any text.

    Returns
    -------
    str
        At most 40 characters.

    """
    text = " ".join(activity.split())
    if len(text) <= LONGEST_LABEL:
        return text
    cut = text[: LONGEST_LABEL - 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def bound(text: str | None) -> Moment | None:
    """Read an end of the period that a study asks for; PreparationError where it is no date.

    Parameters
    ----------
    text : str or None
        A date.

    Returns
    -------
    Moment or None
        None for None.

    Raises
    ------
    PreparationError
        `invalid_input` where it is no date.

    """
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
