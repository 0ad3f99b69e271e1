"""Resources: what is in an index, by address."""

import json
from contextlib import suppress
from pathlib import Path
from shutil import copytree
from typing import Any
from urllib.parse import quote

import mcp_types as types
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate

from corpusgraph.flows import api
from corpusgraph.flows.mcp import resources
from corpusgraph.flows.mcp.resources import KINDS, RESULTS, Address, address, parsed
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.errors import InvalidInputError
from tests.mcp.serving import ERAS, served

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


def read(home: Path, *uris: str, era: str = "auto", **options: Any) -> list[JsonDict]:
    async def work(client: Client) -> list[JsonDict]:
        found = []
        for uri in uris:
            (one,) = (await client.read_resource(uri)).contents
            assert isinstance(one, types.TextResourceContents)
            assert (one.uri, one.mime_type) == (uri, "application/json")
            found.append(json.loads(one.text))
        return found

    return served(home, work, era, **options)


def refusal(home: Path, uri: str, era: str = "auto") -> MCPError:
    async def work(client: Client) -> MCPError:
        with pytest.raises(MCPError) as told:
            await client.read_resource(uri)
        return told.value

    return served(home, work, era)


@pytest.mark.parametrize("era", ERAS)
def test_every_kind_is_read_by_id(home: Path, era: str) -> None:
    opened = api.open("tiny", home)
    firsts = {kind: getattr(opened if kind == "documents" else opened.graph, kind)[0] for kind in KINDS}
    found = read(home, *(address("tiny", kind, one.id) for kind, one in firsts.items()), era=era)
    assert found == [one.model_dump(mode="json", by_alias=True) for one in firsts.values()]
    (manifest,) = read(home, address("tiny", "manifest"), era=era)
    assert manifest["generation"] == opened.manifest.generation
    assert manifest["counts"] == opened.manifest.counts


def test_items_are_read_by_name_title_and_short_id(home: Path) -> None:
    opened = api.open("tiny", home)
    snow, date = opened.graph.entity("Dr. John Snow"), opened.graph.entity("1866")
    by_name, by_digits, by_short_id = read(
        home,
        "corpusgraph://tiny/entities/Dr.%20John%20Snow",
        "corpusgraph://tiny/entities/1866",
        f"corpusgraph://tiny/entities/{snow.short_id}",
    )
    assert [one["id"] for one in (by_name, by_digits, by_short_id)] == [snow.id, date.id, snow.id]
    report = opened.graph.reports[0]
    document = next(one for one in opened.documents if one.title == "The Board answers")
    uris = [address("tiny", "reports", report.community_id), address("tiny", "documents", document.title)]
    assert [one["id"] for one in read(home, *uris)] == [report.id, document.id]


def test_the_case_of_an_index_may_be_folded(home: Path) -> None:
    assert read(home, "corpusgraph://TINY/manifest")[0]["index"] == "tiny"


def test_lists_go_on_at_next(home: Path) -> None:
    opened = api.open("tiny", home)
    for kind in KINDS:
        every = getattr(opened if kind == "documents" else opened.graph, kind)
        uri, seen = f"{address('tiny', kind)}?limit=7", []
        while uri:
            (page,) = read(home, uri)
            assert (page["total"], page["kind"]) == (len(every), kind)
            seen += page["items"]
            uri = page["next"]
        assert [one["id"] for one in seen] == [one.id for one in every]
        assert all(one["name"] for one in seen)
    (item,) = read(home, seen[0]["uri"])
    assert item["id"] == seen[0]["id"]


@pytest.mark.parametrize("era", ERAS)
def test_what_is_listed_can_be_read(home: Path, era: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "PAGE", 5)

    async def work(client: Client) -> list[types.Resource]:
        found, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            assert len(page.resources) <= 5
            found += page.resources
            cursor = page.next_cursor
            if cursor is None:
                return found

    found = served(home, work, era)
    reports = api.open("tiny", home).graph.reports
    assert len({one.uri for one in found}) == len(found) == 2 + len(KINDS) + len(reports)
    assert [one.uri for one in found[:2]] == ["corpusgraph://-/indexes", "corpusgraph://tiny/manifest"]
    read(home, *(one.uri for one in found))


def test_the_index_of_indexes_says_what_there_is_and_where(home: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        copytree(home / "tiny", tmp_path / name)
    spoilt = tmp_path / "spoilt" / "manifest.json"
    spoilt.parent.mkdir()
    spoilt.write_text("{")
    first, rest = read(tmp_path, "corpusgraph://-/indexes?limit=1", "corpusgraph://-/indexes?after=1")
    assert (first["total"], first["next"]) == (3, "corpusgraph://-/indexes?after=1&limit=1")
    assert (rest["total"], rest["next"]) == (3, None)
    (a,), (b, broken) = first["items"], rest["items"]
    assert (broken["index"], broken["error"]["code"]) == ("spoilt", "manifest_unreadable")
    assert [one["index"] for one in (a, b)] == ["a", "b"]
    assert [one["kind"] for one in b["kinds"]] == list(KINDS)
    for kind in b["kinds"]:
        (page,) = read(tmp_path, kind["uri"])
        assert (page["index"], page["kind"], page["total"]) == ("b", kind["kind"], kind["total"])
    assert read(tmp_path, b["uri"])[0]["generation"] == b["generation"]


def test_an_index_is_not_opened_for_a_page_that_does_not_come_to_its_reports(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def counted(name: str, outputs: Path) -> object:
        opened.append(name)
        return api.open(name, outputs)

    monkeypatch.setattr(resources, "open", counted)

    async def work(client: Client) -> list[types.Resource]:
        await client.list_resources()
        assert opened == ["tiny"]
        monkeypatch.setattr(resources, "PAGE", len(KINDS))
        return (await client.list_resources()).resources

    entities = served(home, work)[2]
    total = len(api.open("tiny", home).graph.entities)
    assert opened == ["tiny"]
    assert entities.description == f"All entities, a page at a time; {total} were indexed."
    assert entities.annotations is not None
    assert entities.annotations.last_modified == api.open("tiny", home).manifest.created


def test_addresses_fit_the_templates(home: Path) -> None:
    async def work(client: Client) -> list[types.ResourceTemplate]:
        return (await client.list_resource_templates()).resource_templates

    found = served(home, work)
    assert all(one.description and one.mime_type == "application/json" for one in found)
    by_name = {one.name: UriTemplate.parse(one.uri_template) for one in found}
    for kind in KINDS:
        made = by_name[f"{kind}/id"].expand({"index": "tiny", "id": "Ä/b c?"})
        assert made == address("tiny", kind, "Ä/b c?")
        assert by_name[kind].match(f"corpusgraph://tiny/{kind}?after=3&limit=2")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("tiny/entities/Jon%20Snow", "unknown_entity"),
        ("tiny/relationships/rel_x", "unknown_item"),
        ("tiny/chunks/99999", "unknown_item"),
        ("tiny/communities/com_x", "unknown_item"),
        ("tiny/reports/x", "unknown_item"),
        ("tiny/documents/..%2F..%2Fetc%2Fpasswd", "unknown_item"),
        ("tinny/manifest", "index_not_found"),
        ("..%2Ftiny/manifest", "invalid_input"),
        ("tiny/lancedb", "unknown_resource"),
        ("tiny/manifest/x", "unknown_resource"),
        ("tiny", "unknown_resource"),
        ("/manifest", "unknown_resource"),
        ("tiny/entities?after=-1", "unknown_resource"),
        ("tiny/entities?limit=many", "unknown_resource"),
        ("tiny/entities/%ff", "unknown_resource"),
        ("-/results/..%2Ftiny%2Fmanifest.json", "path_refused"),
        ("-/results/gone.csv", "unknown_item"),
        ("-/zzz/gone.csv", "unknown_resource"),
        ("-/indexes/x", "unknown_resource"),
        ("-/manifest", "unknown_resource"),
        ("tiny/entities?limit=1_0", "unknown_resource"),
        ("tiny/entities?limit=%D9%A1", "unknown_resource"),
        (f"tiny/entities/{'9' * 5000}", "unknown_entity"),
    ],
)
def test_what_is_not_there_is_a_named_error(home: Path, path: str, code: str) -> None:
    for era, number in zip(ERAS, (-32002, -32602), strict=True):
        told = refusal(home, f"corpusgraph://{path}", era)
        assert (told.code, told.data["code"]) == (number, code)
        assert told.data["message"] in told.message


def test_other_schemes_are_refused(home: Path) -> None:
    for uri in (
        "file:///etc/passwd",
        "http://tiny/manifest",
        "",
        "tiny/manifest",
        "corpusgraph:tiny/manifest",
    ):
        assert refusal(home, uri).data["code"] == "unknown_resource", uri


def test_a_cursor_of_somebody_else_is_refused(home: Path) -> None:
    async def work(client: Client) -> None:
        for cursor in ("x", "ÿ", "MTI=", "eC90aW55"):
            with pytest.raises(MCPError) as told:
                await client.list_resources(cursor=cursor)
            assert told.value.data["code"] == "invalid_cursor"

    served(home, work)


@given(NAMES, st.sampled_from(KINDS), NAMES)
def test_addresses_come_back(index: str, kind: str, ref: str) -> None:
    assume(index != RESULTS)  # that name is the server's own
    uri = address(index, kind, ref)
    assert uri.isascii()
    assert parsed(uri) == Address(index, kind, nfc(ref))


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader_of_addresses(text: str) -> None:
    for uri in (
        text,
        f"corpusgraph://{text}",
        f"corpusgraph://tiny/entities/{quote(text, errors='replace')}",
    ):
        with suppress(InvalidInputError):
            found = parsed(uri)
            assert found.index
            assert found.after >= 0
