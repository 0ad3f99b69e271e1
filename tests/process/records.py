"""Event records drawn by hypothesis, and the tool run on plain records."""

from typing import Any

from hypothesis import strategies as st

from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.prepare.process.nouns import PrepareProcessTrace, ProcessTrace
from corpusgraph.tasks.prepare.process_trace import prepare_process_trace

Record = dict[str, Any]

DATES = st.sampled_from(
    [
        "1854",
        "1854-09",
        "1854-09-08",
        "1854-09-08T10:00Z",
        "1854-09-08T10:00:30Z",
        "1855-01",
        "1860",
        "circa 1854",
        "before 1855",
        "after 1853",
        "1850s",
        "1854-09-01/1854-10-02",
        "44 BC",
    ]
)


def trace_of(events: list[Record], **more: Any) -> Noted[ProcessTrace]:
    return prepare_process_trace(PrepareProcessTrace.model_validate({"events": events, **more}))


def event(number: int, case: str = "c", activity: str = "a", at: str = "1854", **more: Any) -> Record:
    return {"id": f"e{number}", "case": case, "activity": activity, "timestamp": at, **more}


@st.composite
def logs(draw: st.DrawFn, dates: st.SearchStrategy[str] = DATES) -> list[Record]:
    rows = draw(
        st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("abcd"), dates), min_size=1, max_size=14)
    )
    return [event(number, *row) for number, row in enumerate(rows)]
