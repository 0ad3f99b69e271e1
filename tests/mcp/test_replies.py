"""Replies of a session: JSON where there is only the answer, a stream where there is more to tell."""

import asyncio
import json
import socket
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

import anyio
import httpx
import pytest
import uvicorn
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import NoBackChannelError
from starlette.types import Message

from corpusgraph.flows.mcp import http as replies
from corpusgraph.flows.mcp.http import GATHERED, PATH, Gathering, HttpOptions, PatientProtocol, guarded_app
from corpusgraph.flows.mcp.threads import Leaving, tell_left, when_left
from tests.mcp.test_http import TOOL, answer, opened, served

CALLS = 5
CALL: dict[str, Any] = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo"}}
PATIENCE = 60.0
Work = Callable[[ServerRequestContext[Any]], Awaitable[None]]


async def _stepwise(ctx: ServerRequestContext[Any]) -> None:
    await ctx.session.report_progress(1, 2, "half")


async def _listed(_: ServerRequestContext[Any], __: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[TOOL])


def app(work: Work = _stepwise, **options: Any) -> Any:
    """Return a server, behind the checks, whose one tool does the work: or it tells how it gets on."""

    async def call(ctx: ServerRequestContext[Any], _: types.CallToolRequestParams) -> types.CallToolResult:
        await work(ctx)
        return types.CallToolResult(content=[types.TextContent(type="text", text="done")])

    server = Server("small", on_list_tools=_listed, on_call_tool=call)
    return guarded_app(server, HttpOptions(rate=0, **options))


@asynccontextmanager
async def at(
    work: Work = _stepwise, **options: Any
) -> AsyncIterator[tuple[httpx.AsyncClient, dict[str, str]]]:
    """Yield a client of that server in this process, and the headers of its session."""
    one = app(work, **options)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(one.router.lifespan_context(one))
        transport = httpx.ASGITransport(one, client=("127.0.0.1", 40000))
        accept = {"accept": "application/json, text/event-stream"}
        client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765", headers=accept)
        await stack.enter_async_context(client)
        yield client, await opened(client)


def test_an_answer_without_more_is_json() -> None:
    async def go() -> None:
        async with served() as client:
            session = await opened(client)
            call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "echo"}}
            found = await client.post(PATH, json=call, headers=session)
            assert found.headers["content-type"] == "application/json"
            assert found.headers["content-length"] == str(len(found.content))
            assert found.headers["mcp-session-id"] == session["mcp-session-id"]
            assert "cache-control" not in found.headers
            assert found.json()["id"] == 7
            wrong = await client.post(PATH, json={**call, "method": "tools/none"}, headers=session)
            assert wrong.json()["error"]["code"] == types.METHOD_NOT_FOUND

    anyio.run(go)


def test_a_call_that_asked_for_progress_is_streamed_and_another_is_not() -> None:
    async def go() -> None:
        async with at() as (client, session):
            params: dict[str, Any] = {"name": "echo", "_meta": {"progressToken": "p"}}
            call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
            found = await client.post(PATH, json=call, headers=session)
            assert found.headers["content-type"].startswith("text/event-stream")
            told = [json.loads(line[6:]) for line in found.text.splitlines() if line.startswith("data: ")]
            assert [one.get("method") for one in told] == ["notifications/progress", None]
            assert told[0]["params"] == {"progressToken": "p", "progress": 1, "total": 2, "message": "half"}
            del params["_meta"]
            plain = await client.post(PATH, json=call, headers=session)
            assert plain.headers["content-type"] == "application/json"
            assert answer(plain) == told[1]["result"]

    anyio.run(go)


def test_a_client_keeps_its_connection_from_call_to_call() -> None:
    made: list[int] = []

    class Counted(PatientProtocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            made.append(1)
            super().connection_made(transport)

    async def go() -> None:
        sock = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app(), http=Counted, ws="none", log_config=None))
        async with anyio.create_task_group() as group:
            group.start_soon(partial(server.serve, sockets=[sock]))
            url = f"http://127.0.0.1:{sock.getsockname()[1]}{PATH}"
            async with Client(streamable_http_client(url), mode="legacy") as client:
                await client.list_tools()
                before = len(made)
                for _ in range(CALLS):
                    assert not (await client.call_tool("echo", {})).is_error
                assert len(made) == before
                await client.call_tool("echo", {}, progress_callback=_heard)
                assert heard == [(1, 2, "half")]
            server.should_exit = True

    heard: list[tuple[float, float | None, str | None]] = []

    async def _heard(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    anyio.run(go)


def test_what_is_told_of_a_call_that_did_not_ask_is_no_answer() -> None:
    """A message about a request, which the SDK's JSON mode drops, and a question, which it refuses."""
    refused: list[str] = []

    async def talks(ctx: ServerRequestContext[Any]) -> None:
        with warnings.catch_warnings(action="ignore"):
            await ctx.session.send_progress_notification("none", 1, related_request_id=str(ctx.request_id))
        try:
            await ctx.session.elicit_form("Why?", {"type": "object", "properties": {}}, ctx.request_id)
        except NoBackChannelError as error:
            refused.append(str(error))

    async def go() -> None:
        async with at(talks) as (client, session):
            found = await client.post(PATH, json=CALL, headers=session)
            assert found.headers["content-type"] == "application/json"
            assert found.json()["id"] == 2
            assert answer(found)["content"][0]["text"] == "done"
            assert len(refused) == 1

    anyio.run(go)


def test_requests_of_one_session_are_answered_each_in_its_way_at_once() -> None:
    begun = anyio.Event()

    async def tells(ctx: ServerRequestContext[Any]) -> None:
        await ctx.session.report_progress(1, 2, "begun")
        if ctx.meta:
            begun.set()
            await plain_is_answered.wait()
        await ctx.session.report_progress(2, 2, "done")

    plain_is_answered = anyio.Event()

    async def go() -> None:
        async with at(tells) as (client, session), anyio.create_task_group() as group:
            asked = {**CALL, "id": 3, "params": {"name": "echo", "_meta": {"progressToken": "p"}}}

            async def streamed() -> None:
                found = await client.post(PATH, json=asked, headers=session)
                assert found.headers["content-type"].startswith("text/event-stream")
                assert found.text.count("notifications/progress") == 2

            group.start_soon(streamed)
            await begun.wait()
            plain = await client.post(PATH, json=CALL, headers=session)
            assert plain.headers["content-type"] == "application/json"
            plain_is_answered.set()

    anyio.run(go)


@pytest.mark.parametrize("accept", ["application/json, text/event-stream", "application/json"])
def test_who_waits_long_gets_signs_of_life_and_then_the_answer_as_an_event(
    accept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replies, "LIGHT", 0.001)
    monkeypatch.setattr(replies, "SIGN_SECONDS", 0.02)

    async def waits(_: ServerRequestContext[Any]) -> None:
        await anyio.sleep(0.2)

    async def go() -> None:
        async with at(waits) as (client, session):
            found = await client.post(PATH, json=CALL, headers={**session, "accept": accept})
            assert found.headers["mcp-session-id"] == session["mcp-session-id"]
            if "event" not in accept:
                assert answer(found)["content"][0]["text"] == "done"
                return
            assert found.headers["content-type"] == "text/event-stream"
            *signs, last = found.text.replace("\r\n", "\n").strip().split("\n\n")
            assert signs
            assert set(signs) == {": ping"}
            assert last.startswith("event: message\ndata: {")
            told = json.loads(last.removeprefix("event: message\ndata: "))
            assert (told["id"], told["result"]["content"][0]["text"]) == (2, "done")

    anyio.run(go)


def test_a_call_hears_that_its_client_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "LIGHT", 0.001)
    left = anyio.Event()

    async def waits(ctx: ServerRequestContext[Any]) -> None:
        when_left(ctx.request, left.set)
        await left.wait()

    async def go() -> None:
        async with at(waits) as (client, session):
            body = json.dumps(CALL).encode()
            messages: list[Message] = [{"type": "http.disconnect"}, {"type": "http.request", "body": body}]
            sent: list[Message] = []

            async def receive() -> Message:
                return messages.pop()

            async def send(message: Message) -> None:
                sent.append(message)

            own = {**dict(client.headers), **session, "content-type": "application/json", "host": "127.0.0.1"}
            headers = [(name.lower().encode(), value.encode()) for name, value in own.items()]
            scope = {"type": "http", "method": "POST", "path": PATH, "headers": headers, "query_string": b""}
            with anyio.fail_after(PATIENCE):
                await client._transport.app(scope, receive, send)  # type: ignore[attr-defined]
            assert left.is_set()
            assert sent[-1]["type"] == "http.response.body"

    anyio.run(go)


def test_who_asks_late_hears_too_that_the_client_has_left() -> None:
    scope: dict[str, Any] = {"type": "http"}
    heard: list[int] = []

    class Asked:
        def __init__(self) -> None:
            self.scope = scope

    async def go() -> None:
        async def app(scope: Any, _receive: Any, _send: Any) -> None:
            tell_left(scope)
            when_left(Asked(), lambda: heard.append(1))

        await Leaving(app)(scope, anyio.sleep_forever, anyio.sleep)  # type: ignore[arg-type]

    anyio.run(go)
    assert heard == [1]


@pytest.mark.parametrize(
    ("body", "more"),
    [
        (b'{"params":{"_meta":{"progressToken":1}}}', False),
        (b'{"params":{"_meta":{"progress\\u0054oken":1}}}', False),
        (b'{"params":', True),
    ],
)
def test_who_may_ask_for_progress_is_seen_however_it_is_written(body: bytes, more: bool) -> None:
    assert replies.asks_for_more({"type": "http.request", "body": body, "more_body": more})
    assert not replies.asks_for_more({"type": "http.request", "body": b'{"params":{"_meta":{}}}'})


class Sent(asyncio.Transport):
    """A transport that keeps what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[bytes] = []
        self.closed = False

    def write(self, data: Any) -> None:
        self.got.append(bytes(data))

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


def test_what_is_written_in_one_turn_is_sent_together() -> None:
    async def go() -> None:
        under = Sent()
        one = Gathering(under, asyncio.get_running_loop())
        for part in (b"head", b"", b"body"):
            one.write(part)
        assert under.got == []
        await asyncio.sleep(0)
        assert under.got == [b"headbody"]
        one.write(b"x" * GATHERED)
        assert under.got[1:] == [b"x" * GATHERED]
        one.write(b"last")
        one.close()
        assert (under.got[2:], one.is_closing()) == ([b"last"], True)
        one.write(b"too late")
        await asyncio.sleep(0)
        assert len(under.got) == 3

    asyncio.run(go())
