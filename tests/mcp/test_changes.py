"""Clients hear of an index that was published or changed, in either era, and of nothing that they did not ask for."""

import shutil
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated

from corpusgraph.flows import api
from corpusgraph.flows.mcp import resources as changes
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.server import build_server
from corpusgraph.schemas.memory import CreateEntity
from tests.mcp.calls import copied, over_http
from tests.mcp.live import live

PATIENCE = 60.0
pytestmark = pytest.mark.filterwarnings("ignore:resources/")
ENTITIES, CATALOGUE, OTHER = (
    "corpusgraph://TINY/entities",
    "corpusgraph://-/indexes",
    "corpusgraph://none/reports",
)


@pytest.fixture
def outputs(tiny: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(changes, "LOOK_SECONDS", 0.02)
    return copied(tiny, tmp_path)


def change(outputs: Path, name: str = "Ada") -> None:
    made = CreateEntity(id=f"ent_{name.lower()}", name=name, type="person")
    memory = api.open("tiny", outputs).memory
    memory.record([made], by="create_entities", request_id="", at="2026-01-01T00:00:00Z")


def publish(outputs: Path) -> None:
    shutil.copytree(outputs / "tiny", outputs / "copy")


def test_who_listens_hears_of_changes_and_of_publishing(outputs: Path) -> None:
    async def go() -> None:
        async with Client(build_server(ServeOptions(outputs))) as client:
            asked = (ENTITIES, CATALOGUE, OTHER)
            async with client.listen(resources_list_changed=True, resource_subscriptions=asked) as heard:
                await anyio.sleep(0.1)
                change(outputs)
                assert await anext(heard) == ResourceUpdated(ENTITIES)
                publish(outputs)
                assert [await anext(heard) for _ in range(2)] == [
                    ResourceUpdated(CATALOGUE),
                    ResourcesListChanged(),
                ]

    with_patience(go)


def with_patience(work: Any) -> None:
    async def run() -> None:
        with anyio.fail_after(PATIENCE):
            await work()

    anyio.run(run)


def test_an_older_client_hears_of_what_it_subscribed_to_and_listed(outputs: Path) -> None:
    heard: list[str] = []

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.append(str(message.params.uri))
        elif isinstance(message, types.ResourceListChangedNotification):
            heard.append("list")

    async def until(wanted: list[str]) -> None:
        while heard != wanted:
            await anyio.sleep(0.01)

    async def go() -> None:
        async with Client(build_server(ServeOptions(outputs)), mode="legacy", message_handler=hear) as client:
            told = client.server_capabilities.resources
            assert told is not None
            assert (told.subscribe, told.list_changed) == (True, True)
            for uri in (ENTITIES, CATALOGUE, OTHER):
                await client.subscribe_resource(uri)
            await anyio.sleep(0.1)
            change(outputs)
            await until([ENTITIES])
            await client.unsubscribe_resource(ENTITIES)
            change(outputs, "Grace")
            publish(outputs)
            await until([ENTITIES, CATALOGUE, "list"])

    with_patience(go)


@pytest.mark.parametrize("uri", ["file:///etc/passwd", f"corpusgraph://tiny/entities/{'x' * 2000}"])
def test_what_is_no_address_is_not_subscribed_to(outputs: Path, uri: str) -> None:
    async def go() -> None:
        server = build_server(ServeOptions(outputs))
        async with Client(server, mode="legacy") as client:
            with pytest.raises(MCPError):
                await client.subscribe_resource(uri)
        async with Client(server) as client:
            with pytest.raises(MCPError):
                async with client.listen(resource_subscriptions=[uri]):
                    pass

    with_patience(go)


def test_files_are_looked_at_only_while_somebody_wants_to_hear(
    outputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    seen = changes.Changes._seen

    def counted(self: changes.Changes) -> changes.Seen:
        looks.append(1)
        return seen(self)

    monkeypatch.setattr(changes.Changes, "_seen", counted)

    async def go() -> None:
        async with Client(build_server(ServeOptions(outputs))) as client:
            await client.list_resources()
            await anyio.sleep(0.1)
            assert not looks
            async with client.listen(resources_list_changed=True):
                while len(looks) < 3:
                    await anyio.sleep(0.01)
            await anyio.sleep(0.1)
            before = len(looks)
            await anyio.sleep(0.1)
            assert len(looks) == before

    with_patience(go)


@pytest.mark.faults
def test_over_http_a_stream_hears_of_this_process_and_ends_with_the_server(outputs: Path) -> None:
    async def go() -> None:
        with live(outputs) as server:
            async with (
                over_http(server.url) as client,
                client.listen(resource_subscriptions=[ENTITIES]) as heard,
            ):
                await anyio.sleep(0.5)
                change(outputs)
                assert await anext(heard) == ResourceUpdated(ENTITIES)
                server.process.terminate()
                with pytest.raises(StopAsyncIteration):
                    await anext(heard)
            assert server.process.wait(PATIENCE) == 0
        assert "Traceback" not in "".join(server.said)

    with_patience(go)
