"""The process bundle: the XES log parses and has the right counts, and the tables agree with it."""

import csv
import io
import json
from collections import Counter

import pytest
from lxml import etree

from corpusgraph.tasks.analysis.process.models import PrepareProcessTrace, ProcessTrace
from corpusgraph.tasks.export.process.bundle import process_bundle
from corpusgraph.tasks.tools.prepare import prepare_process_trace

XES = "{http://www.xes-standard.org/}"


def run(**more: object) -> ProcessTrace:
    rows = [
        ("e1", "Soho", "outbreak", "1854-08-31", []),
        ("e2", "Soho", 'handle "removed" & kept', "1854-09-08", ["Snow", "Vestry"]),
        ("e3", "Soho", "report", "1854-12", []),
        ("e4", "Luân Đôn", "outbreak", "1866", []),
        ("e5", "Luân Đôn", "bell\x07", "1866-07-01T10:00Z", []),
        ("e6", "Luân Đôn", "lost", "some day", []),
    ]
    events: list[dict[str, object]] = [
        {"id": id_, "case": case, "activity": what, "timestamp": at, "actors": who}
        for id_, case, what, at, who in rows
    ]
    events[1]["evidence"] = {"p_e_given_h": 0.9, "p_e_given_not_h": 0.3}
    return prepare_process_trace(PrepareProcessTrace.model_validate({"events": events, **more})).data


@pytest.fixture
def bundle() -> dict[str, bytes]:
    return process_bundle(run(), name="cholera")


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def text(element: etree._Element, key: str) -> str:
    return next(child.get("value", "") for child in element if child.get("key") == key)


def test_the_xes_log_has_a_trace_per_case_and_an_event_per_event(bundle: dict[str, bytes]) -> None:
    log = etree.fromstring(bundle["log.xes"])
    traces = log.findall(f"{XES}trace")
    assert [(text(t, "concept:name"), len(t.findall(f"{XES}event"))) for t in traces] == [
        ("Soho", 3),
        ("Luân Đôn", 2),
    ]
    removed = traces[0].findall(f"{XES}event")[1]
    assert text(removed, "concept:name") == 'handle "removed" & kept'
    assert text(removed, "time:timestamp") == "1854-09-08T00:00:00.000Z"
    assert text(removed, "org:resource") == "Snow; Vestry"


def test_every_prefix_of_the_log_is_a_declared_extension_or_plain(bundle: dict[str, bytes]) -> None:
    log = etree.fromstring(bundle["log.xes"])
    declared = {e.get("prefix") for e in log.findall(f"{XES}extension")}
    used = Counter(
        key.partition(":")[0]
        for e in log.iter()
        if ":" in (key := e.get("key", "") if isinstance(e.tag, str) else "")
    )
    assert set(used) <= declared
    order = [etree.QName(e).localname for e in log]
    assert order == sorted(order, key=["extension", "global", "classifier", "string", "trace"].index)


def test_what_xml_cannot_hold_is_replaced_and_said(bundle: dict[str, bytes]) -> None:
    warnings = json.loads(bundle["manifest.json"])["warnings"]
    assert [(w["code"], w["records"]) for w in warnings] == [("illegal_xml_character", ["e5"])]
    assert "bell\x07" in bundle["log.csv"].decode()


def test_tables_agree_with_the_log(bundle: dict[str, bytes]) -> None:
    log = rows(bundle["log.csv"])
    assert [r["event"] for r in log] == ["e1", "e2", "e3", "e4", "e5"]
    assert log[2]["until"] == "1855-01-01T00:00:00Z"
    follows = rows(bundle["dfg.csv"])
    assert sum(int(r["count"]) for r in follows) == len(log) - len(rows(bundle["cases.csv"]))
    assert [r["n_certain"] for r in follows if r["source"] == "outbreak" and r["target"] == "bell\x07"] == [
        "0"
    ]
    assert len(rows(bundle["variants.csv"])) == 2


def test_spells_follow_each_other_without_overlap(bundle: dict[str, bytes]) -> None:
    spells = rows(bundle["spell.csv"])
    soho = [(int(r["begin"]), int(r["end"]), r["activity"]) for r in spells if r["case"] == "Soho"]
    assert soho == [(1, 8, "outbreak"), (9, 92, 'handle "removed" & kept'), (93, 93, "report")]
    assert all(int(r["begin"]) <= int(r["end"]) for r in spells)


def test_evidence_and_what_was_set_aside_have_their_tables(bundle: dict[str, bytes]) -> None:
    assert [(r["event"], r["kind"], r["posterior"]) for r in rows(bundle["evidence.csv"])] == [
        ("e2", "hoop", "0.75")
    ]
    assert [(r["event"], r["timestamp"]) for r in rows(bundle["set_aside.csv"])] == [("e6", "some day")]


def test_the_bundle_is_whole_and_never_changes(bundle: dict[str, bytes]) -> None:
    assert bundle.keys() >= {
        "codebook.json",
        "name_map.csv",
        "provenance.parquet",
        "manifest.json",
        "README.md",
    }
    assert process_bundle(run(), name="cholera") == bundle


@pytest.mark.parametrize("resolution", ["seconds", "minutes", "hours", "days"])
def test_every_resolution_has_its_spells(resolution: str) -> None:
    bundle = process_bundle(run(temporal_resolution=resolution))
    assert rows(bundle["spell.csv"])[0]["begin"] == "1"
