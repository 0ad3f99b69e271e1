"""The files of a process bundle hold the same log: XES, OCEL 2.0 in JSON and XML, tables, DOT, states."""

import csv
import io
import json
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from lxml import etree

from corpusgraph.tasks.export.process.bundle import process_bundle, sheets
from corpusgraph.tasks.export.process.event_logs import by_objects, ocel, xes
from tests.examples import tried
from tests.process.draws import logs
from tests.process.records import EVENTS, Record, digest, event, trace_of

XES = "{http://www.xes-standard.org/}"


def bundle(events: list[Record] | None = None, **more: Any) -> dict[str, bytes]:
    noted = trace_of(EVENTS if events is None else events, **more)
    return process_bundle(noted.data, noted.warnings, name="log & co")


@cache
def published() -> dict[str, bytes]:
    return bundle()


def long_files(records: list[Record]) -> dict[str, bytes]:
    """Return the files that have a line for every event, without the picture."""
    trace = trace_of(records).data
    as_json, _ = ocel(by_objects(trace))
    tables = {sheet.file: sheet.content() for sheet in sheets(trace)}
    return {"log.xes": xes(trace, "log"), "log.ocel.json": as_json, **tables}


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def values(element: etree._Element) -> dict[str, str]:
    return {child.get("key", ""): child.get("value", "") for child in element}


def of_xml(content: bytes) -> dict[str, Any]:
    """Read OCEL XML into the shape of OCEL JSON."""
    log = etree.fromstring(content)

    def relations(element: etree._Element) -> list[dict[str, str]]:
        found = element.findall("objects/relationship")
        return [{"objectId": r.get("object-id", ""), "qualifier": r.get("qualifier", "")} for r in found]

    def attributes(element: etree._Element) -> dict[str, str]:
        return {str(a.get("name")): a.text or "" for a in element.findall("attributes/attribute")}

    return {
        kind: [
            {**dict(e.attrib), "attributes": attributes(e), "relationships": relations(e)}
            for e in log.findall(path)
        ]
        for kind, path in (("events", "events/event"), ("objects", "objects/object"))
    } | {
        "eventTypes": [e.get("name") for e in log.findall("event-types/event-type")],
        "objectTypes": [e.get("name") for e in log.findall("object-types/object-type")],
    }


def test_an_event_with_an_end_has_a_start_and_a_completion_in_xes() -> None:
    log = etree.fromstring(published()["log.xes"])
    soho = [values(e) for e in log.findall(f"{XES}trace")[0].findall(f"{XES}event")]
    assert [(e["concept:instance"], e["lifecycle:transition"], e["time:timestamp"]) for e in soho] == [
        ("e1", "complete", "1854-08-31T00:00:00.000Z"),
        ("e2", "start", "1854-09-01T00:00:00.000Z"),
        ("e3", "complete", "1854-09-08T10:00:00.250Z"),
        ("e2", "complete", "1854-09-21T00:00:00.000Z"),
    ]
    assert soho[0]["org:resource"] == "Snow; Farr"
    assert {e.get("name") for e in log.findall(f"{XES}extension")} == {
        "Concept",
        "Time",
        "Lifecycle",
        "Organizational",
    }


def test_ocel_says_the_same_in_json_and_xml() -> None:
    files = bundle([e for e in EVENTS if "\x07" not in e["activity"]])
    log, xml = json.loads(files["log.ocel.json"]), of_xml(files["log.ocel.xml"])
    assert [t["name"] for t in log["eventTypes"]] == xml["eventTypes"]
    assert [t["name"] for t in log["objectTypes"]] == xml["objectTypes"]
    for kind in ("events", "objects"):
        as_text = [
            {
                **one,
                "attributes": {
                    a["name"]: str(a["value"]).lower() if isinstance(a["value"], bool) else str(a["value"])
                    for a in one["attributes"]
                },
            }
            for one in log[kind]
        ]
        assert as_text == xml[kind]


def test_ocel_keeps_the_rules_of_the_standard() -> None:
    log = json.loads(published()["log.ocel.json"])
    declared = {
        kind: {t["name"]: {a["name"]: a["type"] for a in t["attributes"]} for t in log[kind]}
        for kind in ("eventTypes", "objectTypes")
    }
    ids = [o["id"] for o in log["objects"]]
    assert len(set(ids)) == len(ids)
    assert len({e["id"] for e in log["events"]}) == len(log["events"])
    for e in log["events"]:
        pairs = [(r["objectId"], r["qualifier"]) for r in e["relationships"]]
        assert len(set(pairs)) == len(pairs) > 0
        assert {one for one, _ in pairs} <= set(ids)
        assert {a["name"] for a in e["attributes"]} <= set(declared["eventTypes"][e["type"]])
    python = {"string": str, "time": str, "integer": int, "float": float, "boolean": bool}
    for o in log["objects"]:
        for a in o["attributes"]:
            assert type(a["value"]) is python[declared["objectTypes"][o["type"]][a["name"]]]
            assert a["time"] == "1970-01-01T00:00:00.000Z"


def test_copies_of_an_event_for_several_cases_are_one_event_of_ocel() -> None:
    log = json.loads(published()["log.ocel.json"])
    shared = next(e for e in log["events"] if e["id"] == "shared")
    assert {(r["objectId"], r["qualifier"]) for r in shared["relationships"]} == {
        ("case:Luân Đôn", "case"),
        ("case:=Case", "case"),
        ("actor:Snow", "actor"),
    }
    report = next(o for o in log["objects"] if o["type"] == "document")
    assert {a["name"]: a["value"] for a in report["attributes"]} == {"name": "Report"}
    assert json.loads(published()["manifest.json"])["ocel"] == {
        "events": 5,
        "objects": 8,
        "relations": 12,
        "event_types": 4,
    }


def test_what_a_format_cannot_hold_is_told_with_its_records() -> None:
    files = published()
    told = {w["code"]: w["records"] for w in json.loads(files["manifest.json"])["warnings"]}
    assert told["illegal_xml_character"] == ["e6"]
    assert told["beyond_calendar"] == ["e7"]
    assert b"44 BC" not in files["log.xes"] + files["log.ocel.json"] + files["log.ocel.xml"]
    assert [r["start"] for r in rows(files["log.csv"]) if r["event"] == "e7"] == ["-0043-03-15T00:00:00Z"]
    assert "-0043" in files["trace.json"].decode()


def test_ids_that_xml_cannot_hold_stay_different() -> None:
    events = [event(1, "a\x01"), event(2, "a\x02"), event(3, "a\ufffd")]
    xml = of_xml(bundle(events)["log.ocel.xml"])
    assert len({o["id"] for o in xml["objects"]}) == 3


def test_durations_have_the_bounds_that_the_dates_allow() -> None:
    found = {
        r["event"]: r
        for r in rows(bundle([event(1), event(2, at="1856"), event(3, at="before 1857")])["durations.csv"])
    }
    year = 365 * 86_400
    assert float(found["e1"]["least_seconds"]) == year
    assert float(found["e1"]["most_seconds"]) == 3 * year + 86_400
    assert found["e2"]["least_seconds"] == ""


def test_states_say_what_spells_say() -> None:
    events = [
        event(1, at="1854-09-08"),
        event(2, at="1854-09-10", activity="b"),
        event(3, "d", at="1854-09-09"),
    ]
    files = bundle(events)
    assert [list(r.values()) for r in rows(files["states.csv"])] == [["c", "a", "a", "b"], ["d", "", "a", ""]]
    months = rows(bundle([event(1), event(2, at="1855-03")], temporal_resolution="months")["spell.csv"])
    assert [(r["begin"], r["end"]) for r in months] == [("1", "14"), ("15", "15")]


def test_too_many_states_are_left_out_and_told() -> None:
    files = bundle(temporal_resolution="minutes")
    assert "states.csv" not in files
    told = [w for w in json.loads(files["manifest.json"])["warnings"] if w["code"] == "too_many_states"]
    assert "minutes" in told[0]["message"]


def test_graphviz_text_has_every_arrow_once() -> None:
    text = published()["dfg.dot"].decode()
    assert text.count("{") == text.count("}") == 1
    follows = rows(published()["dfg.csv"])
    arrows = [line for line in text.splitlines() if " -> a" in line and "start" not in line]
    assert len(arrows) == len(follows)
    assert '\\"of\\"' in text


@settings(max_examples=tried(15), deadline=None)
@given(logs())
def test_every_log_has_the_same_events_in_every_format(records: list[Record]) -> None:
    files = long_files(records)
    table = [r for r in rows(files["log.csv"]) if not r["start"].startswith("-")]
    traces = etree.fromstring(files["log.xes"]).findall(f"{XES}trace")
    flat = [
        (values(t)["concept:name"], values(e)["concept:name"])
        for t in traces
        for e in t.findall(f"{XES}event")
    ]
    assert flat == [(r["case"], r["activity"]) for r in table]
    ocel = json.loads(files["log.ocel.json"])
    case_of = {e["id"]: e["relationships"][0]["objectId"] for e in ocel["events"]}
    assert Counter(case_of.values()) == Counter(f"case:{r['case']}" for r in table)
    paths = [
        tuple(r["activity"] for r in group)
        for _, group in groupby(rows(files["log.csv"]), lambda r: r["case"])
    ]
    assert sorted(int(r["n_cases"]) for r in rows(files["variants.csv"])) == sorted(Counter(paths).values())


@pytest.mark.faults
def test_another_hash_seed_gives_the_same_bytes() -> None:
    code = "from tests.process.records import digest; print(digest())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "4242", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == digest()
