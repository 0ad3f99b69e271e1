"""Plain records, the tool run on them, and the files of a log with everything odd in it."""

import hashlib
from typing import Any

from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.analysis.process.models import PrepareProcessTrace, ProcessTrace
from corpusgraph.tasks.export.process.bundle import sheets, states, trace_json
from corpusgraph.tasks.export.process.event_logs import by_objects, ocel, xes
from corpusgraph.tasks.tools.prepare import prepare_process_trace

Record = dict[str, Any]


def trace_of(events: list[Record], **more: Any) -> Noted[ProcessTrace]:
    return prepare_process_trace(PrepareProcessTrace.model_validate({"events": events, **more}))


def event(number: int, case: str = "c", activity: str = "a", at: str = "1854", **more: Any) -> Record:
    return {"id": f"e{number}", "case": case, "activity": activity, "timestamp": at, **more}


PASSAGE = {"evidence_id": "p", "document_id": "d1", "chunk_id": "c", "start": 0, "end": 5, "text": "Rain."}
EVENTS: list[Record] = [
    event(1, "Soho", "outbreak", "1854-08-31", actors=["Snow", "Farr"], places=["Soho"]),
    event(2, "Soho", 'inquiry "of" <the> Board & co', "1854-09-01", end="1854-09-20", actors=["Board"]),
    event(3, "Soho", "handle removed", "1854-09-08T10:00:00.25Z", passages=[{**PASSAGE, "title": "Report"}]),
    event(4, "Luân Đôn", "outbreak", "circa 1866", actors=["Snow"], origin="shared"),
    event(5, "=Case", "outbreak", "circa 1866", actors=["Snow"], origin="shared"),
    event(6, "Luân Đôn", "bell\x07", "before 1867"),
    event(7, "Rome", "murder", "15 March 44 BC", actors=["Brutus"]),
    event(8, "Soho", "lost", "03/04/1855"),
]


def digest() -> str:
    """Return the hash of every file of the log that the tests of pictures and tables do not see to."""
    trace = trace_of(EVENTS).data
    tables = [sheet.content() for sheet in (*sheets(trace), *states(trace)[0])]
    files = [xes(trace, "log"), *ocel(by_objects(trace)), trace_json(trace), *tables]
    return hashlib.blake2b(b"".join(files)).hexdigest()
