"""tools/call: every tool, in both eras, answers what it declares; what goes wrong is told, by code."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from jsonschema import Draft202012Validator
from mcp.client import Client

from corpusgraph.flows import api
from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks.registry import TOOLS, load
from tests.contract.published import NUMBERED_T
from tests.mcp.calls import OWN, copied, examples
from tests.mcp.serving import ERAS, served

load()
FIXED = {"request_id": "req_1", "timestamp": "2026-01-01T00:00:00Z"}
ROWS = [{"town": f"t{n}", "deaths": n, "note": 'a "b", c'} for n in range(30)]


def call(home: Path, name: str, given: JsonDict, era: str = "auto", **options: Any) -> types.CallToolResult:
    async def work(client: Client) -> types.CallToolResult:
        return await client.call_tool(name, given)

    if name in TOOLS:  # a short list is quicker told
        options = {"groups": (name,), **options}
    return served(home, work, era, **options)


def error_of(result: types.CallToolResult) -> JsonDict:
    assert result.is_error
    told: JsonDict = result.structured_content["error"]
    return told


def test_every_tool_answers_what_it_declares(home: Path, tiny: tuple[Path, str], tmp_path: Path) -> None:
    outputs = copied(tiny, tmp_path)
    given = {name: {**one, **FIXED} for name, one in examples(outputs, [*TOOLS, *OWN]).items()}

    async def work(client: Client) -> dict[str, tuple[types.Tool, list[types.CallToolResult]]]:
        tools = (await client.list_tools()).tools
        tools.sort(key=lambda tool: not (tool.name in TOOLS and TOOLS[tool.name].effect == "reads"))
        calls = {tool.name: (given[tool.name], {"nonsense": 1}) for tool in tools}
        return {t.name: (t, [await client.call_tool(t.name, one) for one in calls[t.name]]) for t in tools}

    for name, (tool, (answer, refused)) in served(outputs, work).items():
        assert tool.output_schema is not None
        for result in (answer, refused):
            told = Draft202012Validator(tool.output_schema).iter_errors(result.structured_content)
            assert not [error.message for error in told], name
            assert isinstance(result.content[0], types.TextContent)
            assert json.loads(result.content[0].text) == result.structured_content, name
        assert error_of(refused)["code"] == "invalid_input", name
        assert "nonsense" in error_of(refused)["message"], name
        if name in TOOLS and TOOLS[name].family != "memory":
            as_called_plainly(home, name, given[name], answer.structured_content)


def as_called_plainly(outputs: Path, name: str, given: JsonDict, found: JsonDict) -> None:
    """Hold an envelope to that of the plain call."""
    index = "tiny" if TOOLS[name].needs_index else None
    plain = api.call(name, given, index=index, outputs=outputs).model_dump(mode="json")
    assert plain["success"], name
    assert list(found) == list(plain)
    assert {**found, "execution_time_ms": 0} == {**plain, "execution_time_ms": 0}, name


@pytest.mark.parametrize("era", ERAS)
def test_both_eras_get_the_same(home: Path, era: str) -> None:
    found = call(home, "entity_onehop_neighbors", {"entities": ["cholera"], **FIXED}, era).structured_content
    as_called_plainly(home, "entity_onehop_neighbors", {"entities": ["cholera"], **FIXED}, found)
    assert error_of(call(home, "entity_onehop_neighbors", {}, era))["code"] == "invalid_input"


def test_memory_tools_answer_flat(tiny: tuple[Path, str], tmp_path: Path) -> None:
    outputs = copied(tiny, tmp_path)
    found = call(outputs, "read_graph", {}).structured_content
    assert {"entities", "relations"} <= found.keys()
    assert "data" not in found
    told = call(outputs, "read_graph", {"nonsense": 1})
    assert told.structured_content["success"] is False
    assert set(told.structured_content) == {"success", "error"}


@pytest.mark.parametrize("alias", NUMBERED_T)
def test_a_number_stands_for_its_tool(home: Path, alias: str) -> None:
    found = error_of(call(home, alias, {"nonsense": 1}))
    assert found["message"].startswith(f"{NUMBERED_T[alias]}: ")


def test_unknown_names_are_told_with_the_nearest(home: Path) -> None:
    told = error_of(call(home, "entity_ppr_ranks", {}))
    assert (told["code"], "'entity_ppr_rank'" in told["hint"]) == ("unknown_tool", True)
    told = error_of(call(home, "entity_ppr_rank", {"seed_entities": ["cholera"], "dampin_factor": 1}))
    assert (told["code"], told["hint"]) == ("invalid_input", "Did you mean 'damping_factor'?")
    told = error_of(call(home, "entity_ppr_rank", {"seed_entities": ["cholara"]}))
    assert (told["code"], "cholera" in told["hint"]) == ("unknown_entity", True)
    told = error_of(call(home, "shortest_paths", {}, groups=("memory",)))
    assert (told["code"], "subgraph" in told["hint"]) == ("unknown_tool", True)


def test_the_index_is_the_calls_then_the_servers_then_the_only_one(home: Path, tmp_path: Path) -> None:
    given = {"query": "water"}
    assert call(home, "entity_tfidf_rank", given).structured_content["metadata"]["index"] == "tiny"
    assert not call(home, "entity_tfidf_rank", given, index="tiny").is_error
    assert not call(home, "entity_tfidf_rank", {**given, "index": "tiny"}, index="other").is_error
    assert error_of(call(home, "entity_tfidf_rank", given, index="tinny"))["code"] == "index_not_found"
    assert error_of(call(home, "ask", {"question": "Why?"}, index="tinny"))["code"] == "index_not_found"
    told = error_of(call(tmp_path / "nowhere", "entity_tfidf_rank", given))
    assert told["code"] == "index_not_found"


def test_ask_answers_with_citations_and_reads_no_files(home: Path) -> None:
    given = {"query": "What caused cholera?", "method": "bm25"}  # `question`, or what other tools call it
    found = call(home, "ask", given).structured_content["data"]
    assert found["supported"]
    assert found["citations"][0]["document_id"].startswith("doc_")
    assert found["retrieval"] == "bm25"
    for method in ("../x.yml", "/etc/passwd", "bm25.yml", "a/b"):
        told = error_of(call(home, "ask", {"question": "Why?", "method": method}))
        assert told["code"] == "path_refused", method
    told = error_of(call(home, "ask", {"question": "Why?", "method": "bm52"}))
    assert (told["code"], "'bm25'" in told["hint"]) == ("unknown_method", True)


def test_indexes_and_methods_are_listed(home: Path) -> None:
    (one,) = call(home, "list_indexes", {}).structured_content["data"]
    assert (one["index"], one["counts"]["documents"]) == ("tiny", 3)
    names = [
        one["method"] for one in call(home, "list_methods", {"query": "HIPPO"}).structured_content["data"]
    ]
    assert "hipporag" in names
    assert "bm25" not in names


def test_an_index_that_cannot_be_read_hides_no_other(home: Path, tmp_path: Path) -> None:
    import shutil

    outputs = tmp_path / "outputs"
    shutil.copytree(home, outputs)
    (outputs / "broken").mkdir()
    (outputs / "broken" / "manifest.json").write_text("{")
    found = call(outputs, "list_indexes", {}).structured_content
    assert [one["index"] for one in found["data"]] == ["tiny"]
    assert [one["code"] for one in found["warnings"]] == ["manifest_unreadable"]


def long_table(home: Path, **options: Any) -> types.CallToolResult:
    mapping = {"outcome": "deaths"}
    given = {"data": ROWS, "analysis_type": "descriptive", "variable_mapping": mapping}
    return call(home, "prepare_statistical_analysis", given, rows=10, **options)


def test_a_long_table_is_cut_and_linked_to(tiny: tuple[Path, str], tmp_path: Path) -> None:
    outputs = copied(tiny, tmp_path)

    async def work(client: Client) -> tuple[types.CallToolResult, str]:
        mapping = {"outcome": "deaths"}
        given = {"data": ROWS, "analysis_type": "descriptive", "variable_mapping": mapping}
        result = await client.call_tool("prepare_statistical_analysis", given)
        link = next(one for one in result.content if isinstance(one, types.ResourceLink))
        read = (await client.read_resource(link.uri)).contents[0]
        assert isinstance(read, types.TextResourceContents)
        assert (link.size, link.mime_type, read.mime_type) == (
            len(read.text.encode()),
            "text/csv",
            "text/csv",
        )
        return result, read.text

    result, text = served(outputs, work, rows=10, groups=("prepare",))
    told = [one for one in result.structured_content["warnings"] if one["code"] == "rows_left_out"]
    assert told
    assert "30 rows; the first 10 are here, all are in corpusgraph://-/" in told[0]["message"]
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [(row["town"], row["note"]) for row in rows] == [(row["town"], row["note"]) for row in ROWS]
    assert [int(float(row["deaths"])) for row in rows] == [row["deaths"] for row in ROWS]


def test_a_server_that_only_reads_writes_no_table(tiny: tuple[Path, str], tmp_path: Path) -> None:
    outputs = copied(tiny, tmp_path)
    before = sorted(outputs.rglob("*"))
    result = long_table(outputs, read_only=True)
    assert [one.type for one in result.content] == ["text"]
    assert any(one["code"] == "rows_left_out" for one in result.structured_content["warnings"])
    assert sorted(outputs.rglob("*")) == before


def test_a_bundle_is_written_below_outputs_and_nowhere_else(tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    given: JsonDict = {
        "data": ROWS,
        "analysis_type": "descriptive",
        "variable_mapping": {"outcome": "deaths"},
    }
    name = "prepare_statistical_analysis"
    found = call(outputs, name, {**given, "bundle": "studies/towns"}).structured_content
    assert found["metadata"]["bundle"] == "studies/towns"
    for file in found["metadata"]["files"]:
        assert (outputs / "studies" / "towns" / file).is_file()
    assert str(tmp_path) not in json.dumps(found)
    for folder in ("../x", "/etc/x", "a/../../x", "~/x", "a\0b", "", 3):
        assert error_of(call(outputs, name, {**given, "bundle": folder}))["code"] == "path_refused", folder
    told = error_of(call(outputs, name, {**given, "bundle": "x"}, read_only=True))
    assert told["code"] == "read_only"
    assert [one.name for one in tmp_path.iterdir()] == ["outputs"]


def test_read_only_refuses_what_changes(home: Path) -> None:
    for tool in TOOLS.values():
        if tool.effect != "reads":
            assert error_of(call(home, tool.name, {}, read_only=True))["code"] == "read_only", tool.name
