"""The reference memory server itself, and ours beside it: the same calls, and the files of each read by the other.

`make inspector` installs it, with the Node that it needs. What differs is meant to, and is in docs/memory.md.
"""

import json
import random
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from corpusgraph.flows.interop.sources import export_memory, import_index, new_memory
from corpusgraph.schemas.base import JsonDict
from tests.interop.reference_server import (
    SERVER,
    TOOLS,
    Answer,
    as_ours,
    as_theirs,
    ask,
    both,
    entity,
    reference,
    relation,
    unordered,
)
from tests.mcp.calls import over_stdio

pytestmark = [
    pytest.mark.external,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not SERVER.exists(), reason="`make inspector` installs it"),
]

LONG = "long " * 800
NAMES = [
    "Ada",
    "Charles",
    "Größe",
    "café",
    "東京",
    "a\"b'c\\",
    "two\nlines",
    "tab\tname",
    " lead",
    "x" * 1000,
]
NAMES += ["42", "entity 7", "Ada's 🎉", "relation", "a\u2028b", "n.b."]
GHOSTS = ["§1", "§2"]
"""Named by relations alone."""
TYPES = ["person", "place", "Straße", "two\nlines", ""]
RELATIONS = ["knows", "lives in", "causes", "not_causes", "part_of", "ünïcode ☃", "two\nlines"]
NOTES = ["wrote notes", "Wrote Notes", "ünïcode ☃ 🎉", "two\r\nlines", "q \"x\" 'y' \\z", " padded ", LONG]
NOTES += ['{"json": [1]}', "Ada knows Charles", "0", "\u202ertl\u2029", "null"]
QUERIES = [
    "",
    "a",
    "ADA",
    "note",
    "PERSON",
    "☃",
    "é",
    "\n",
    " ",
    "zzz",
    "0",
    "entity",
    "long long",
    '"',
    "\\",
]
SIZE = {"create_entities": 3, "create_relations": 3, "add_observations": 2}
"""How often a tool is called for one call of another."""


def drawn(draw: random.Random, live: list[str]) -> tuple[str, JsonDict]:
    """Draw a call; relations are of entities that are there, or that never are."""
    tool = draw.choice([tool for tool in TOOLS for _ in range(SIZE.get(tool, 1))])

    def some(values: list[str], most: int = 3) -> list[str]:
        return draw.choices(values, k=draw.randint(0, most))

    def ends() -> list[JsonDict]:
        known = [*live * 3, *GHOSTS]
        return [relation(draw.choice(known), kind, draw.choice(known)) for kind in some(RELATIONS)]

    made = draw.sample(NAMES, draw.randint(0, 3))
    arguments: dict[str, JsonDict] = {
        "create_entities": {"entities": [entity(name, draw.choice(TYPES), *some(NOTES)) for name in made]},
        "create_relations": {"relations": ends()},
        "add_observations": {"observations": [{"entityName": n, "contents": some(NOTES)} for n in made[:2]]},
        "delete_entities": {"entityNames": some(NAMES + GHOSTS, 1)},
        "delete_observations": {"deletions": [{"entityName": n, "observations": some(NOTES)} for n in made]},
        "delete_relations": {"relations": ends()},
        "read_graph": {},
        "search_nodes": {"query": draw.choice(QUERIES)},
        "open_nodes": {"names": some(NAMES)},
    }
    return tool, arguments[tool]


async def _same_calls(home: Path, seed: int, n: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    failed = told = 0
    async with both(home) as (theirs, ours):
        for number in range(n):
            live = [one["name"] for one in (await ask(theirs, "read_graph", {})).data["entities"]]
            tool, given = drawn(draw, live)
            one, other = await ask(theirs, tool, given), await ask(ours, tool, given)
            where = f"call {number} of seed {seed}: {tool} {json.dumps(given)[:500]}"
            assert one.fails == other.fails, f"{where}\n{other.text}"
            failed += one.fails
            if not one.fails:
                told += any(one.data.values())
                same = unordered(as_ours(one.data)), unordered(as_theirs(other.data, tool, GHOSTS))
                assert same[0] == same[1], where
    assert failed > 0
    assert told > n / 3


@pytest.mark.parametrize("seed", range(2))
def test_the_same_calls_have_the_same_answers(seed: int, tmp_path: Path) -> None:
    anyio.run(_same_calls, tmp_path, seed, 150)


MADE = [entity("Ada", "person", "wrote notes"), entity("Charles", "person")]
KNOWS = relation("Ada", "knows", "Charles")
SAME: list[tuple[str, JsonDict]] = [
    ("create_entities", {"entities": []}),
    ("create_entities", {}),
    ("create_entities", {"entities": "Ada"}),
    ("create_entities", {"entities": [{"name": "Mary"}]}),
    ("create_entities", {"entities": [entity("Ada", "place", "another")]}),
    ("create_entities", {"entities": [{**entity("Mary", "person"), "name": 5}]}),
    ("create_relations", {"relations": [relation("Ada", "cites", "Ada")]}),
    ("create_relations", {"relations": [KNOWS, relation("Charles", "knows", "Ada")]}),
    ("create_relations", {"relations": [{"from": "Ada", "to": "Charles"}]}),
    ("add_observations", {"observations": [{"entityName": "Mary", "contents": ["x"]}]}),
    (
        "add_observations",
        {"observations": [{"entityName": n, "contents": ["x"]} for n in ("Ada", "Nobody")]},
    ),
    ("add_observations", {"observations": [{"entityName": "Ada", "contents": []}]}),
    ("delete_entities", {"entityNames": ["Nobody"]}),
    ("delete_entities", {"entityNames": None}),
    ("delete_observations", {"deletions": [{"entityName": "Nobody", "observations": ["x"]}]}),
    ("delete_relations", {"relations": [relation("Ada", "knows", "Nobody")]}),
    ("delete_relations", {"relations": [relation("", "", "")]}),
    ("read_graph", {}),
    ("search_nodes", {}),
    ("search_nodes", {"query": "PERS"}),
    ("open_nodes", {"names": []}),
    ("open_nodes", {"names": ["Nobody", "Charles"]}),
    ("no_such_tool", {}),
]
"""Odd calls after which neither server, or both, answer alike."""


async def _odd_calls(home: Path) -> None:
    async with both(home) as (theirs, ours):
        for client in (theirs, ours):
            await client.call_tool("create_entities", {"entities": MADE})
            await client.call_tool("create_relations", {"relations": [KNOWS]})
        for tool, given in SAME:
            one, other = await ask(theirs, tool, given), await ask(ours, tool, given)
            assert one.fails == other.fails, (tool, given, one, other)
            if not one.fails:
                assert as_ours(one.data) == as_theirs(other.data, tool, GHOSTS), (tool, given)


def test_odd_calls_have_the_same_answers_in_the_same_order(tmp_path: Path) -> None:
    anyio.run(_odd_calls, tmp_path)


BAD = "\u001b[0m"
DIFFERENT: list[tuple[str, JsonDict, bool, bool]] = [
    ("create_entities", {"entities": [entity(" ", "person")]}, False, True),
    ("create_entities", {"entities": [entity("Mary", "person", "")]}, False, True),
    ("create_entities", {"entities": [entity("Mary", "person", BAD)]}, False, True),
    ("create_entities", {"entities": [entity("x" * 1001, "person")]}, False, True),
    ("create_entities", {"entities": [{**entity("Mary", "person"), "more": 1}]}, False, True),
    ("create_entities", {"entities": [{"name": "Joan", "entityType": "person"}]}, True, False),
    ("create_relations", {"relations": [relation("Ada", "", "Charles")]}, False, True),
    ("add_observations", {"observations": [{"entityName": "ADA", "contents": ["x"]}]}, True, False),
    ("add_observations", {"observations": [{"entityName": "Ada", "contents": ["\n"]}]}, False, True),
]
"""Calls that one of the two refuses: whether theirs does, and ours."""


async def _refused(home: Path) -> None:
    async with both(home) as (theirs, ours):
        for client in (theirs, ours):
            await client.call_tool("create_entities", {"entities": MADE})
        for tool, given, refused, refused_by_us in DIFFERENT:
            one, other = await ask(theirs, tool, given), await ask(ours, tool, given)
            assert (one.fails, other.fails) == (refused, refused_by_us), (tool, given)
            assert not other.fails or '"code":"invalid_input"' in other.text


def test_what_one_refuses_and_the_other_takes_is_what_the_table_says(tmp_path: Path) -> None:
    anyio.run(_refused, tmp_path)


ODD = [
    *(entity(name, type_, *NOTES) for name, type_ in zip(NAMES, TYPES * 4, strict=False)),
    entity(
        "Mary", "person", "same", "other", "same", "", "  ", "\u0001ctl\u0000nul\u001b[0m", "o\u0308 apart"
    ),
    entity("ada", "person", "in other letters"),
    entity("y" * 3000, "z" * 2000, "x" * 200_000),
]
ODD_RELATIONS = [
    relation("Ada", "knows", "ada"),
    relation("Ada", "admires", "Ada"),
    relation("Ada", "knows", "Nobody at all"),
    relation("Ghost", "haunts", "Ghost 2"),
    relation("Ada", "", "Mary"),
    relation("Ada", " spaced\n", "Mary"),
    relation("y" * 3000, "knows", "東京"),
]
STUBS = ["Nobody at all", "Ghost", "Ghost 2"]


async def _written(client: Client) -> None:
    for tool, given in (
        ("create_entities", {"entities": ODD}),
        ("create_relations", {"relations": ODD_RELATIONS}),
    ):
        assert not (await ask(client, tool, given)).fails


async def _looks(client: Client) -> list[tuple[str, Answer]]:
    asked: list[tuple[str, JsonDict]] = [
        ("read_graph", {}),
        *(("search_nodes", {"query": q}) for q in QUERIES),
    ]
    asked += [("open_nodes", {"names": [one["name"]]}) for one in ODD]
    return [(tool, await ask(client, tool, given)) for tool, given in asked]


async def _through_a_file(home: Path, make: Any) -> None:
    file, back, outputs = home / "theirs.jsonl", home / "back.jsonl", home / "outputs"
    async with reference(file) as client:
        await _written(client)
        theirs = await _looks(client)
    make(file, outputs)
    async with over_stdio(outputs) as client:
        ours = await _looks(client)
    for (tool, one), (_, other) in zip(theirs, ours, strict=True):
        assert not other.fails, other.text
        same = unordered(as_ours(one.data)), unordered(as_theirs(other.data, tool, STUBS))
        assert same[0] == same[1], tool
    export_memory("memory", back, outputs=outputs)
    async with reference(back) as client:
        again = await _looks(client)
    for (tool, one), (_, other) in zip(theirs, again, strict=True):
        assert not other.fails, other.text
        same = unordered(as_ours(one.data)), unordered(as_ours(other.data))
        assert same[0] == same[1], tool


def _new(file: Path, outputs: Path) -> None:
    import_index(file, "memory", outputs=outputs)
    export_memory("memory", file.with_name("again.jsonl"), outputs=outputs)
    assert file.with_name("again.jsonl").read_bytes() == file.read_bytes()


def _added(file: Path, outputs: Path) -> None:
    new_memory("memory", outputs=outputs)
    import_index(file, into="memory", outputs=outputs)


@pytest.mark.parametrize("make", [_new, _added])
def test_their_file_is_read_and_they_read_ours(make: Any, tmp_path: Path) -> None:
    anyio.run(_through_a_file, tmp_path, make)


async def _typeless(home: Path) -> None:
    outputs, back = home / "outputs", home / "back.jsonl"
    async with over_stdio(outputs, "--memory", "memory") as client:
        await client.call_tool("create_relations", {"relations": [relation("Ada", "knows", "Charles")]})
        given = {"observations": [{"entityName": "Ada", "contents": ["wrote notes"]}]}
        assert not (await ask(client, "add_observations", given)).fails
    export_memory("memory", back, outputs=outputs)
    async with reference(back) as client:
        whole, found = (
            await ask(client, "read_graph", {}),
            await ask(client, "search_nodes", {"query": "note"}),
        )
    assert whole.data["entities"] == [entity("Ada", "", "wrote notes")]
    assert found.data == whole.data


def test_what_has_no_type_does_not_keep_them_from_reading(tmp_path: Path) -> None:
    anyio.run(_typeless, tmp_path)
