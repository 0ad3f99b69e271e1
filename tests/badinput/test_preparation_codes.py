"""Tools 20 to 26 and bad input: each code, the record it names, what to do, and what became of the data."""

import copy
import csv
import io
import json
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import corpusgraph
from corpusgraph.schemas.results import ToolResult
from corpusgraph.tasks.export.process import bundle as process
from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
from tests.every import every

Record = dict[str, Any]
STATISTICS, CAUSAL = "prepare_statistical_analysis", "prepare_causal_model"
ARGUMENT, PROCESS = "prepare_argument_network", "prepare_process_trace"
TO_TABLE, TO_GRAPH, TEXTS = (
    "transform_graph_to_table",
    "transform_table_to_graph",
    "transform_document_to_structures",
)

ERRORS = """cyclic_graph duplicate_id dangling_edge no_query cpt_not_normalised needs_discretisation
support_in_dung unknown_relation_type weight_out_of_range weight_not_finite weight_not_positive empty_id
no_usable_events no_case_notion no_data_in_variable mixed_types empty_table unknown_variable"""
MODEL_ERRORS = "perfect_collinearity constant_variable fewer_rows_than_parameters"
WARNINGS = """duplicate_identical no_data_in_variable parallel_edges_merged names_mapped unseen_configuration
attack_and_support no_convergence_guarantee assumed_utc unparsed_timestamp ambiguous_date
coarser_than_resolution tied_after_bucketing illegal_xml_character perfect_collinearity constant_variable
fewer_rows_than_parameters integer_as_text infinite_as_missing formula_like_text too_many_levels text_cut
label_cut nested_as_json offset_dropped"""


class Refused(NamedTuple):
    """A call that is refused: the code, what the message names, a word of the hint."""

    code: str
    tool: str
    arguments: Record
    named: str
    hint: str


class Told(NamedTuple):
    """A call that is answered with a warning: the records, and what of the result is as it was."""

    code: str
    tool: str
    arguments: Record
    records: tuple[str, ...]
    seen: Callable[[Any], Any]
    expected: Any


def rows(*values: Any, **mapping: Any) -> Record:
    """Prepare a column `v`, described, with a unit `id`."""
    table = [{"id": f"u{n}", "v": value} for n, value in enumerate(values, 1)]
    form = mapping.pop("output_format", "r")
    return {"data": table, "output_format": form, "variable_mapping": {"unit": "id", **mapping}}


def model(table: list[Record], analysis: str = "regression", **mapping: Any) -> Record:
    return {"data": table, "analysis_type": analysis, "variable_mapping": mapping}


def causal(nodes: str, edges: str = "", **more: Any) -> Record:
    """Take nodes as `a b` and edges as `a>b a<>b`."""
    made = []
    for edge in edges.split():
        source, target = edge.replace("<", "").split(">")
        kind = "bidirected" if "<" in edge else "causes"
        made.append({"source_id": source, "target_id": target, "type": kind})
    return {"entities": [{"id": n} for n in nodes.split()], "relationships": made, **more}


def claims(ids: str, *relations: Record, **more: Any) -> Record:
    return {"claims": [{"id": i} for i in ids.split()], "relations": list(relations), **more}


def edge(source: str, target: str, kind: str = "attack", **more: Any) -> Record:
    return {"source": source, "target": target, "type": kind, **more}


def event(name: str, at: Any, case: str | None = "c", **more: Any) -> Record:
    return {"id": name, "case": case, "activity": f"did {name}", "timestamp": at, **more}


def log(*events: Record, **more: Any) -> Record:
    return {"events": list(events), **more}


def graph(nodes: str, *edges: tuple[str, str]) -> Record:
    made = [{"id": f"r{n}", "source_id": a, "target_id": b} for n, (a, b) in enumerate(edges, 1)]
    return {"nodes": [{"id": n} for n in nodes.split()], "edges": made}


def paired(weight: Any) -> Record:
    """Make a graph of one row whose rule has a weight."""
    rule = {"source_col": "a", "target_col": "b", "type": "near", "kind": "row", "weight_col": "w"}
    return {
        "table_data": [{"a": "Snow", "b": "Soho", "w": 1}, {"a": "Farr", "b": "Soho", "w": weight}],
        "entity_columns": ["a", "b"],
        "relationship_rules": [rule],
    }


SIX: list[Record] = [
    {"id": f"u{n}", "y": y, "x": n, "k": 1, "w": n} for n, y in enumerate((3, 1, 4, 1, 5, 9))
]
TWINS = [{"id": "a", "name": "one"}, {"id": "a", "name": "two"}]
COIN = {"id": "coin", "states": ["head", "tail"], "cpt": [0.5, 0.6]}
BAYES = {"model_type": "bayesian"}
GAPS: Record = {"model_type": "bayesian", "data": [{"a": "u", "b": "p"}, {"a": "v", "b": "q"}]}
TWICE = [{"id": "u1", "v": 1}, {"id": "u1", "v": 2}]

REFUSED = [
    Refused("cyclic_graph", CAUSAL, causal("a b c", "a>b b>c c>a"), "a -> b -> c -> a", "drop_edges"),
    Refused("duplicate_id", CAUSAL, {"entities": TWINS}, "'a'", "Rename"),
    Refused("duplicate_id", ARGUMENT, {"claims": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]}, "'a'", "Rename"),
    Refused("duplicate_id", PROCESS, log(event("e", "1854"), event("e", "1855")), "'e'", "Rename"),
    Refused("duplicate_id", STATISTICS, {"data": TWICE, "variable_mapping": {"unit": "id"}}, "rows 1 and 2", "unit"),
    Refused("duplicate_id", TO_TABLE, {"subgraph": {"nodes": TWINS, "edges": []}}, "'a'", "Rename"),
    Refused("dangling_edge", CAUSAL, causal("aa b", "aa>a"), "'a'", "aa"),
    Refused("dangling_edge", ARGUMENT, claims("a", edge("a", "zz")), "'zz'", "Add the claim"),
    Refused("no_query", CAUSAL, causal("a b", "a>b", model_type="do_calculus", exposure="a"), "outcome", "Name"),
    Refused("cpt_not_normalised", CAUSAL, {"entities": [COIN], **BAYES}, "'coin'", "sums to 1"),
    Refused("cpt_not_normalised", CAUSAL, {"entities": [{**COIN, "cpt": ["x", 1]}], **BAYES}, "'coin'", "sums to 1"),
    Refused("needs_discretisation", CAUSAL, causal("a", data=[{"a": 0.5}, {"a": 0.7}], **BAYES), "'a'", "classes"),
    Refused("support_in_dung", ARGUMENT, claims("a b", edge("a", "b", "support")), "a -> b", "bipolar"),
    Refused("unknown_relation_type", ARGUMENT, claims("a b", edge("a", "b", "atack")), "'atack'", "'attack'"),
    Refused("unknown_relation_type", CAUSAL, {**causal("a b"), "relationships": [
        {"id": "r9", "source_id": "a", "target_id": "b", "type": "likes"}]}, "'r9'", "bidirected"),
    Refused("weight_out_of_range", ARGUMENT, {"claims": [{"id": "a", "weight": 1.5}], "framework": "weighted"},
            "'a'", "Divide"),
    Refused("weight_not_finite", ARGUMENT, claims("a b", edge("a", "b", weight=math.inf)), "a -> b", "number"),
    Refused("weight_not_finite", STATISTICS, model([{**r, "w": "much"} for r in SIX], outcome="y", predictors=["x"],
            weights="w"), "'w'", "number"),
    Refused("weight_not_finite", CAUSAL, causal("a", data=[{"a": 1, "w": "two"}], weights="w"), "Row 1", "number"),
    Refused("weight_not_finite", TO_GRAPH, paired("much"), "Row 2", "number"),
    Refused("weight_not_positive", ARGUMENT, claims("a b", edge("a", "b", weight=0)), "a -> b", "Leave out"),
    Refused("weight_not_positive", STATISTICS, model(SIX, outcome="y", predictors=["x"], weights="w"), "(row 1)", "Leave out"),
    Refused("weight_not_positive", CAUSAL, causal("a", data=[{"a": 1, "w": 0}], weights="w"), "Row 1", "above 0"),
    Refused("weight_not_positive", TO_GRAPH, paired(-2), "Row 2", "Leave out"),
    Refused("empty_id", CAUSAL, {"entities": [{"id": "a"}, {"id": " "}]}, "Entity 2", "id of its own"),
    Refused("empty_id", ARGUMENT, {"claims": [{"id": "a"}, {"id": ""}]}, "Claim 2", "id of its own"),
    Refused("empty_id", PROCESS, log(event("\t", "1854")), "Event 1", "id of its own"),
    Refused("empty_id", STATISTICS, {"data": [{"id": "", "v": 1}], "variable_mapping": {"unit": "id"}}, "Row 1", "another unit"),
    Refused("empty_id", TO_TABLE, {"subgraph": {"nodes": [{"id": "a"}, {"id": " "}], "edges": []}}, "Node 2", "id of its own"),
    Refused("empty_id", TEXTS, {"documents": [{"id": " ", "text": "Rain."}]}, "Document 1", "Leave id out"),
    Refused("no_usable_events", PROCESS, log(event("e", "one day")), "None of 1 events", "ISO 8601"),
    Refused("no_case_notion", PROCESS, log(event("e", "1854", None)), "No event has a case", "belongs to"),
    Refused("no_case_notion", PROCESS, log(event("e", "1854", " ")), "No event has a case", "belongs to"),
    Refused("empty_id", PROCESS, log({**event("e", "1854"), "id": math.nan}), "Event 1", "id of its own"),
    Refused("no_data_in_variable", STATISTICS, model([{**r, "x": None} for r in SIX], outcome="y", predictors=["x"]),
            "'x'", "Leave it out"),
    Refused("mixed_types", STATISTICS, rows(1, "two", 3), "'two' (u2)", "types: {v: text}"),
    Refused("empty_table", STATISTICS, {"data": []}, "no columns", "filters"),
    Refused("empty_table", TO_GRAPH, {"table_data": {"columns": ["a"], "rows": []}, "entity_columns": ["a"]},
            "no rows", "filters"),
    Refused("unknown_variable", STATISTICS, model(SIX, outcome="y", predictors=["xx"]), "'xx'", "'x'"),
    Refused("unknown_variable", CAUSAL, causal("water b", exposure="watr", outcome="b"), "'watr'", "'water'"),
    Refused("unknown_variable", TO_GRAPH, {"table_data": [{"who": "x"}], "entity_columns": ["woh"]}, "'woh'", "'who'"),
    Refused("perfect_collinearity", STATISTICS, model([{**r, "z": 2 * r["x"], "q": r["x"] ** 2} for r in SIX] * 5,
            "sem", latents={"F": ["x", "z", "y", "q"]}), "'z'", "Leave the variable out"),
    Refused("constant_variable", STATISTICS, model(SIX, "sem", latents={"F": ["x", "y", "k"]}), "'k'", "Leave"),
    Refused("fewer_rows_than_parameters", STATISTICS, model([{**r, "z": (7 * r["x"]) % 5} for r in SIX[:5]], "sem",
            latents={"F": ["x", "y", "z"]}), "5 complete rows", "more rows"),
]  # fmt: skip


def values(data: Any, name: str = "v") -> list[Any]:
    return list(data.table.column(name))


def times(data: Any) -> dict[str, str]:
    return {one.id: one.timestamp for one in (*data.events, *data.set_aside)}


def dates(**of: Any) -> Record:
    return log(*(event(name, at) for name, at in of.items()), temporal_resolution="minutes")


LONG, WORDS = "x" * 33_000, [f"word {n}" for n in range(60)]
HUGE = [2**53 + 1, 5]
COLLINEAR = [{**r, "z": 2 * r["x"]} for r in SIX]
TOLD = [
    Told("duplicate_identical", CAUSAL, {"entities": [{"id": "a"}, {"id": "a"}]}, ("a",), lambda d: len(d.nodes), 1),
    Told("duplicate_identical", STATISTICS, {"data": [TWICE[0]] * 2, "variable_mapping": {"unit": "id"}}, ("u1",),
         values, [1]),
    Told("duplicate_identical", ARGUMENT, claims("a a b"), ("a",), lambda d: [c.id for c in d.claims], ["a", "b"]),
    Told("duplicate_identical", PROCESS, log(event("e", "1854"), event("e", "1854")), ("e",), times, {"e": "1854"}),
    Told("no_data_in_variable", STATISTICS, rows(None, None), ("v",), values, [None, None]),
    Told("parallel_edges_merged", CAUSAL, causal("a b", "a>b a>b"), ("a->b",), lambda d: len(d.edges), 1),
    Told("parallel_edges_merged", ARGUMENT, claims("a b", edge("a", "b", weight=1), edge("a", "b", weight=3)),
         ("a -> b",), lambda d: [r.weight for r in d.relations], [3]),
    Told("names_mapped", STATISTICS, {"data": [{"if": 1, "nước": 2}], "output_format": "stata"}, ("if", "nước"),
         lambda d: [values(d, d.name_map[old]) for old in ("if", "nước")], [[1], [2]]),
    Told("unseen_configuration", CAUSAL, causal("a b c", "a>c b>c", model_type="bayesian", data=[
        {"a": "0", "b": "0", "c": "p"}, {"a": "1", "b": "1", "c": "q"}]), ("c | a=0, b=1", "c | a=1, b=0"),
         lambda d: (len(d.data.rows), [r.p for r in d.cpts[2].rows if r.n == 0]), (2, [(0.5, 0.5)] * 2)),
    Told("attack_and_support", ARGUMENT, claims("a b", edge("a", "b"), edge("a", "b", "support"), framework="bipolar"),
         ("a -> b",), lambda d: [r.type for r in d.relations], ["attack", "support"]),
    Told("no_convergence_guarantee", ARGUMENT, claims("a b", edge("a", "b"), edge("b", "a"), framework="weighted"),
         ("df_quad", "quadratic_energy", "euler_based"), lambda d: len(d.relations), 2),
    Told("assumed_utc", PROCESS, dates(e="1854-09-08T10:20"), ("e",), lambda d: d.events[0].bucket, "1854-09-08T10:20:00Z"),
    Told("assumed_utc", STATISTICS, rows("1854-09-08T10:00", "1854-09-08T10:00Z", types={"v": "datetime"}), ("u1",),
         lambda d: len(set(values(d))), 1),
    Told("unparsed_timestamp", PROCESS, dates(e="1854-09-08T10:20Z", f="one fine day"), ("f",), times,
         {"e": "1854-09-08T10:20Z", "f": "one fine day"}),
    Told("unparsed_timestamp", STATISTICS, rows("1854-09-08", "one fine day", types={"v": "date"}), ("u2",),
         lambda d: values(d, "v_as_given"), ["1854-09-08", "one fine day"]),
    Told("unparsed_timestamp", TEXTS, {"documents": [{"text": "Rain fell in Soho.", "date": "one fine day"}],
         "target_structures": ["graph"]}, ("1: one fine day",), lambda d: d.documents[0].metadata["date"], "one fine day"),
    Told("ambiguous_date", PROCESS, dates(e="1854-09-08T10:20Z", f="03/04/1855"), ("f",),
         lambda d: (len(d.events), d.set_aside[0].timestamp, d.set_aside[0].readings),
         (1, "03/04/1855", ("1855-04-03", "1855-03-04"))),
    Told("ambiguous_date", STATISTICS, rows("1854-09-08", "03/04/1855", types={"v": "date"}), ("u2",),
         lambda d: (str(values(d)[1]), values(d, "v_as_given")[1]), ("None", "03/04/1855")),
    Told("coarser_than_resolution", PROCESS, dates(e="1854-09"), ("e",),
         lambda d: (d.events[0].start, d.events[0].until), ("1854-09-01T00:00:00Z", "1854-10-01T00:00:00Z")),
    Told("coarser_than_resolution", STATISTICS, rows("1854", "1855-01-02", types={"v": "date"}), ("u1",),
         lambda d: values(d, "v_as_given"), ["1854", "1855-01-02"]),
    Told("tied_after_bucketing", PROCESS, log(event("f", "1854-09-08"), event("e", "1854-09-08")), ("c: f, e",),
         lambda d: [e.id for e in d.events], ["f", "e"]),
    Told("perfect_collinearity", STATISTICS, model(COLLINEAR, outcome="y", predictors=["x", "z"]), ("z", "x"),
         lambda d: values(d, "z"), [0, 2, 4, 6, 8, 10]),
    Told("constant_variable", STATISTICS, model(SIX, outcome="y", predictors=["x", "k"]), ("k",),
         lambda d: values(d, "k"), [1] * 6),
    Told("fewer_rows_than_parameters", STATISTICS, model(SIX[1:3], outcome="y", predictors=["x", "w", "k"]), (),
         lambda d: values(d, "y"), [1, 4]),
    Told("integer_as_text", STATISTICS, rows(*HUGE), ("u1",), values, [str(n) for n in HUGE]),
    Told("infinite_as_missing", STATISTICS, rows(1.5, math.inf, -math.inf), ("u2", "u3"), values, [1.5, None, None]),
    Told("infinite_as_missing", STATISTICS, rows(1e308, 1.0, output_format="stata"), ("u1",), values, [None, 1.0]),
    Told("infinite_as_missing", CAUSAL, causal("a b", "a>b", data=[{"a": math.inf, "b": 1.0}]), ("a",),
         lambda d: [list(row) for row in d.data.rows], [[None, 1.0]]),
    Told("formula_like_text", STATISTICS, rows("=1+1", "+ and more, of course"), ("v",), values,
         ["=1+1", "+ and more, of course"]),
    Told("too_many_levels", STATISTICS, rows(*WORDS, types={"v": "nominal"}), ("v",), values, WORDS),
    Told("text_cut", STATISTICS, rows(LONG, "short", output_format="spss", types={"v": "text"}), ("u1",),
         lambda d: [len(text) for text in values(d)], [32_767, 5]),
    Told("label_cut", STATISTICS, rows(1, 2, output_format="stata", labels={"v": "long " * 30}), (),
         lambda d: (values(d), [len(e.label) for e in d.codebook if e.name == "v"]), ([1, 2], [80])),
    Told("nested_as_json", STATISTICS, rows({"b": [1, "ü"], "a": None}, [1]), ("u1", "u2"),
         lambda d: [json.loads(text) for text in values(d)], [{"b": [1, "ü"], "a": None}, [1]]),
    Told("offset_dropped", STATISTICS, rows("1854-09-08T10:00+02:00", types={"v": "datetime"}), ("u1",),
         lambda d: str(values(d)[0]).replace(" ", "T")[:19], "1854-09-08T08:00:00"),
    Told("offset_dropped", PROCESS, dates(e="1854-09-08T10:00+02:00"), ("e",),
         lambda d: (d.events[0].bucket, d.events[0].timestamp), ("1854-09-08T08:00:00Z", "1854-09-08T10:00+02:00")),
]  # fmt: skip
ELSEWHERE = {"illegal_xml_character"}
"""Codes of an export: see the tests of bundles below."""


def called(tool: str, arguments: Record) -> ToolResult:
    """Call a tool, and see that what was given is as it was."""
    before = copy.deepcopy(arguments)
    result = corpusgraph.call(tool, arguments)
    assert repr(arguments) == repr(before)
    return result


@every("bad", REFUSED)
def test_an_error_names_the_record_and_says_what_to_do(bad: Refused) -> None:
    result = called(bad.tool, bad.arguments)
    assert result.error is not None
    assert result.data is None
    assert (result.error.code, bad.named in result.error.message) == (bad.code, True), result.error
    assert bad.hint in (result.error.hint or ""), result.error


@every("odd", TOLD)
def test_a_warning_names_its_records_and_the_rest_is_kept(odd: Told) -> None:
    result = called(odd.tool, odd.arguments)
    assert result.error is None, result.error
    told = [warning for warning in result.warnings if warning.code == odd.code]
    assert [warning.records for warning in told] == [odd.records]
    assert odd.seen(result.data) == odd.expected


def test_illegal_xml_characters_are_replaced_in_the_xml_and_kept_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "process_picture", lambda _: {})
    result = called(
        PROCESS, log(event("e", "1854", text="x"), {**event("f", "1855"), "activity": "bell\x07"})
    )
    files = process.process_bundle(result.data, result.warnings)
    told = [w for w in json.loads(files["manifest.json"])["warnings"] if w["code"] == "illegal_xml_character"]
    assert [w["records"] for w in told] == [["f"]]
    assert "bell\ufffd" in files["log.xes"].decode()
    read = list(csv.DictReader(io.StringIO(files["log.csv"].decode(), newline="")))
    assert [row["activity"] for row in read] == ["did e", "bell\x07"]


@every("form, name", [("r", "data.csv"), ("stata", "data.dta"), ("spss", "data.sav")])
def test_text_like_a_formula_is_neutralised_only_for_a_spreadsheet(form: Any, name: str) -> None:
    table = [{"=id()": "=1+1"}, {"=id()": "plain"}]
    result = called(STATISTICS, {"data": table, "output_format": form})
    (column,) = (new for old, new in result.data.name_map.items() if old == "=id()")
    files = statistical_bundle(result.data, form, picture={})
    assert b"=1+1" in files[name]
    assert b"'=1+1" not in files[name]
    assert f"'=id(),{column}" in files["name_map.csv"].decode()
    assert "formula_like_text" in files["manifest.json"].decode()


def test_an_arrow_goes_only_where_the_caller_names_it() -> None:
    cycle = causal("a b c", "a>b b>c c>a", drop_edges=[["c", "a"]])
    result = called(CAUSAL, cycle)
    assert [(e.source_id, e.target_id) for e in result.data.dropped_edges] == [("c", "a")]
    assert len(result.data.edges) == 2
    assert [w.records for w in result.warnings if w.code == "edges_dropped"] == [("c -> a",)]


def self_attack() -> None:
    result = called(ARGUMENT, claims("a b", edge("a", "a"), edge("a", "b")))
    assert {w.code for w in result.warnings} == {"no_extension"}  # {a} is never stable
    assert [(r.source, r.target) for r in result.data.relations] == [("a", "a"), ("a", "b")]
    assert result.data.extensions.preferred == ((),)


def empty_adjustment_set() -> None:
    result = called(CAUSAL, causal("a b", "a>b", exposure="a", outcome="b"))
    assert (result.warnings, result.data.minimal_adjustment_sets) == ((), ((),))


def not_identifiable() -> None:
    bow = causal("a b", "a>b a<>b", exposure="a", outcome="b", model_type="do_calculus")
    result = called(CAUSAL, bow)
    assert (result.error, result.data.identifiable, result.data.minimal_adjustment_sets) == (None, False, ())
    assert result.data.hedge is not None


LEGAL = (self_attack, empty_adjustment_set, not_identifiable)


@every("seen", LEGAL)
def test_what_is_legal_is_kept_and_answered(seen: Callable[[], None]) -> None:
    seen()


def test_every_code_of_the_contract_is_here() -> None:
    assert {bad.code for bad in REFUSED} == {*ERRORS.split(), *MODEL_ERRORS.split()}
    assert {odd.code for odd in TOLD} | ELSEWHERE == set(WARNINGS.split())
