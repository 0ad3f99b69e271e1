"""PM4Py and r4pm read XES and OCEL 2.0 and find the same counts, graph and variants."""

import random
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.tasks.analysis.process.models import ProcessTrace
from corpusgraph.tasks.export.process.bundle import process_bundle
from corpusgraph.tasks.export.process.event_logs import by_objects, counts
from tests.oracles import oracle
from tests.process.records import EVENTS, Record, event, trace_of

pytestmark = pytest.mark.external

QUIET = """
import sys, json, os, warnings
warnings.simplefilter("ignore")
said, sys.stdout = sys.stdout, open(os.devnull, "w")
def tell(value):
    print(json.dumps(value), file=said)
"""
PM4PY_XES = """
import pm4py
log = pm4py.read_xes(sys.argv[1], variant="iterparse")
last = log["lifecycle:transition"].eq("complete") & ~log["until"].notna()
log = log[~last]  # the completion of an event whose start is in the log
dfg, starts, ends = pm4py.discover_dfg(log)
tell({
    "events": len(log), "completions": int(last.sum()), "cases": int(log["case:concept:name"].nunique()),
    "dfg": sorted([a, b, n] for (a, b), n in dfg.items()), "starts": starts, "ends": ends,
    "variants": sorted([list(k), v if isinstance(v, int) else len(v)] for k, v in pm4py.get_variants(log).items()),
    "first": min(log["time:timestamp"]).isoformat(),
})
"""
R4PM = """
import r4pm
call = lambda name, **more: json.loads(r4pm.call_binding("process_mining::" + name, json.dumps(more)))
"""
R4PM_XES = (
    R4PM
    + """
item = r4pm.import_item("EventLog", sys.argv[1])
paths = "core::event_data::case_centric::utils::activity_projection::"
projection = r4pm.convert_item(item, "EventLogActivityProjection")
dfg = call("discovery::case_centric::dfg::discover_dfg", event_log=item)
tell({
    "activities": dfg["activities"], "cases": call(paths + "get_num_cases", projection=projection),
    "dfg": sorted([a, b, n] for (a, b), n in dfg["directly_follows_relations"]),
    "variants": sorted([v["activities"], v["count"]] for v in call(paths + "get_variants", projection=projection)),
})
"""
)
PM4PY_OCEL = """
import pm4py
read = pm4py.read_ocel2_json if sys.argv[1].endswith("json") else pm4py.read_ocel2_xml
try:
    log = read(sys.argv[1], variant="ocel20_standard")
except TypeError:
    from pm4py.objects.ocel.importer.jsonocel.variants import ocel20_standard
    from pm4py.objects.ocel.importer.xmlocel.variants import ocel20
    log = (ocel20_standard if sys.argv[1].endswith("json") else ocel20).apply(sys.argv[1])
flat = pm4py.ocel_flattening(log, "case")
dfg, _, _ = pm4py.discover_dfg(flat)
tell({
    "events": len(log.events), "objects": len(log.objects), "relations": len(log.relations),
    "event_types": int(log.events["ocel:activity"].nunique()),
    "types": log.objects["ocel:type"].value_counts().to_dict(),
    "qualifiers": log.relations["ocel:qualifier"].value_counts().to_dict(),
    "dfg": sorted([a, b, n] for (a, b), n in dfg.items()),
})
"""
R4PM_OCEL = (
    R4PM
    + """
item = r4pm.convert_item(r4pm.import_item("OCEL", sys.argv[1]), "SlimLinkedOCEL")
tell({
    "events": call("bindings::num_events", ocel=item), "objects": call("bindings::num_objects", ocel=item),
    "cases": len(call("bindings::slim_ocel_bindings::get_object_ids_of_type", ocel=item, ob_type="case")),
})
"""
)


def sample() -> list[Record]:
    """A log with exact instants, so that every program orders it the same way."""
    pick = random.Random(7)  # noqa: S311 - a sample
    made = []
    for n in range(600):
        day = f"18{pick.randrange(50, 60)}-{pick.randrange(1, 13):02d}-{pick.randrange(1, 29):02d}"
        at = f"{day}T10:{n % 60:02d}:{n // 60:02d}Z"
        more: Record = {"actors": [f"actor {pick.randrange(9)}"], "places": [f"place {pick.randrange(4)}"]}
        if n % 4 == 0:
            more["end"] = "1870"
        made.append(event(n, f"case {pick.randrange(40)}", pick.choice("abcde"), at, **more))
    return made


@pytest.fixture(scope="module")
def trace() -> ProcessTrace:
    return trace_of(sample()).data


@pytest.fixture(scope="module")
def folder(trace: ProcessTrace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("process")
    for name, content in process_bundle(trace).items():
        (made / name).write_bytes(content)
    return made


def follows(trace: ProcessTrace) -> list[list[Any]]:
    return sorted([f.source, f.target, f.count] for f in trace.directly_follows)


def test_pm4py_reads_the_xes_log(trace: ProcessTrace, folder: Path) -> None:
    found = oracle(QUIET + PM4PY_XES, str(folder / "log.xes"))
    assert (found["events"], found["cases"]) == (len(trace.events), len(trace.cases))
    assert found["completions"] == sum(e.finish is not None for e in trace.events)
    assert found["dfg"] == follows(trace)
    assert (found["starts"], found["ends"]) == (trace.start_activities, trace.end_activities)
    assert found["variants"] == sorted([list(v.activities), len(v.cases)] for v in trace.variants)
    assert found["first"] == min(e.start for e in trace.events).replace("Z", "+00:00")


def test_r4pm_reads_the_xes_log(tmp_path: Path) -> None:
    records = [{key: value for key, value in record.items() if key != "end"} for record in sample()]
    trace = trace_of(records).data
    (tmp_path / "log.xes").write_bytes(process_bundle(trace)["log.xes"])
    found = oracle(QUIET + R4PM_XES, str(tmp_path / "log.xes"))
    assert (found["activities"], found["cases"]) == (trace.activities, len(trace.cases))
    assert found["dfg"] == follows(trace)
    assert found["variants"] == sorted([list(v.activities), len(v.cases)] for v in trace.variants)


def test_every_reader_takes_odd_text_and_old_dates(tmp_path: Path) -> None:
    trace = trace_of(EVENTS).data
    for name, content in process_bundle(trace).items():
        (tmp_path / name).write_bytes(content)
    figures = counts(by_objects(trace))
    for name in ("log.ocel.json", "log.ocel.xml"):
        found = oracle(QUIET + PM4PY_OCEL, str(tmp_path / name))
        assert {key: found[key] for key in figures} == figures
        assert found["qualifiers"]["stated in"] == 1
        again = oracle(QUIET + R4PM_OCEL, str(tmp_path / name))
        assert (again["events"], again["objects"]) == (figures["events"], figures["objects"])
    assert oracle(QUIET + PM4PY_XES, str(tmp_path / "log.xes"))["events"] == len(trace.events) - 1


@pytest.mark.parametrize("name", ["log.ocel.json", "log.ocel.xml"])
def test_pm4py_and_r4pm_read_the_log_by_objects(trace: ProcessTrace, folder: Path, name: str) -> None:
    figures = counts(by_objects(trace))
    found = oracle(QUIET + PM4PY_OCEL, str(folder / name))
    assert {key: found[key] for key in figures} == figures
    assert found["types"]["case"] == len(trace.cases)
    assert found["types"]["actor"] == len(trace.actors)
    assert found["qualifiers"] == {"case": 600, "actor": 600, "place": 600}
    assert found["dfg"] == follows(trace)
    again = oracle(QUIET + R4PM_OCEL, str(folder / name))
    assert again == {"events": figures["events"], "objects": figures["objects"], "cases": len(trace.cases)}
