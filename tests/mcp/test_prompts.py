"""Prompts, the completion of their arguments, and what an agent is told at the start."""

from pathlib import Path

import mcp_types as types
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from corpusgraph.flows import api
from corpusgraph.flows.mcp.resources import matching
from corpusgraph.tasks.registry import TOOLS, load
from tests.mcp.serving import ERAS, served

load()
NEEDED = {"question": "What caused cholera?"}


@pytest.mark.parametrize("era", ERAS)
def test_prompts_hold_what_is_given(home: Path, era: str) -> None:
    async def work(client: Client) -> dict[str, str]:
        found = {}
        for prompt in (await client.list_prompts()).prompts:
            given = {one.name: f"<{one.name}>" for one in prompt.arguments or ()}
            result = await client.get_prompt(prompt.name, given)
            (message,) = result.messages
            assert isinstance(message.content, types.TextContent)
            assert message.role == "user"
            assert all(value in message.content.text for value in given.values()), prompt.name
            found[prompt.name] = message.content.text
            least = await client.get_prompt(prompt.name, NEEDED)
            assert isinstance(least.messages[0].content, types.TextContent)
            assert "None" not in least.messages[0].content.text
        return found

    found = served(home, work, era)
    assert set(found) == {"ask", "compare_methods", "prepare_study"}


def test_prompts_name_tools_that_are_there(home: Path) -> None:
    async def work(client: Client) -> list[str]:
        texts = []
        for prompt in (await client.list_prompts()).prompts:
            content = (await client.get_prompt(prompt.name, NEEDED)).messages[0].content
            assert isinstance(content, types.TextContent)
            texts += content.text.split("`")[1::2]
        return texts

    words = served(home, work)
    assert len(words) > 10
    assert set(words) <= set(TOOLS) | {"ask", "list_indexes", "list_methods", "supported", "bundle"}


@pytest.mark.parametrize(
    ("name", "given", "hint"),
    [
        ("compare_method", NEEDED, "'compare_methods'"),
        ("ask", {}, "'question'"),
        ("ask", {"question": "  "}, "'question'"),
        ("ask", {**NEEDED, "methd": "bm25"}, "'method'"),
    ],
)
def test_what_a_prompt_does_not_know_is_told(home: Path, name: str, given: dict[str, str], hint: str) -> None:
    async def work(client: Client) -> MCPError:
        with pytest.raises(MCPError) as told:
            await client.get_prompt(name, given)
        return told.value

    told = served(home, work)
    assert (told.code, hint in told.message) == (-32602, True)


def complete(home: Path, ref: str, name: str, typed: str, **context: str) -> types.Completion:
    async def work(client: Client) -> types.Completion:
        to = types.ResourceTemplateReference(uri=ref) if "://" in ref else types.PromptReference(name=ref)
        result = await client.complete(to, {"name": name, "value": typed}, context_arguments=context or None)
        return result.completion

    return served(home, work)


def test_arguments_are_completed(home: Path) -> None:
    assert complete(home, "ask", "index", "ti").values == ["tiny"]
    assert complete(home, "ask", "index", "zz").values == []
    assert complete(home, "ask", "method", "hippo").values[0] == "hipporag"
    assert complete(home, "compare_methods", "methods", "bm25,hippo").values[0] == "bm25,hipporag"
    assert complete(home, "prepare_study", "unit", "c").values == ["chunk", "community", "document"]
    assert "cholera" in complete(home, "ask", "entity", "CHOL").values
    assert complete(home, "ask", "question", "x").values == []
    assert complete(home, "ask", "entity", "", index="nowhere").values == []


def test_ids_of_addresses_are_completed(home: Path) -> None:
    opened = api.open("tiny", home)
    uri = "corpusgraph://{index}/%s/{id}"
    assert complete(home, uri % "chunks", "id", "chk_", index="tiny").values == [
        one.id for one in opened.graph.chunks
    ]
    names = complete(home, uri % "entities", "id", "", index="tiny")
    assert len(names.values) <= 100
    assert names.total == len({one.name for one in opened.graph.entities})
    assert "Dr. John Snow" in names.values


def test_what_begins_as_typed_comes_first() -> None:
    assert matching("b", ["ab", "b", "Ba", "c"]) == ["b", "Ba", "ab"]
    assert matching("", ["b", "a"]) == ["b", "a"]


def test_an_agent_is_told_how_to_begin(home: Path) -> None:
    async def work(client: Client) -> str:
        return client.session.instructions or ""

    text = served(home, work, "legacy", index="tiny", seconds=12, read_only=True)
    for word in ("ask", "'tiny'", "12 s", "only reads", "retrieval", "corpusgraph://"):
        assert word in text
    assert len(text) < 3000
    assert "memory" in served(home, work, "legacy", groups=("memory",))
    assert "retrieval:" not in served(home, work, "legacy", groups=("memory",))
