"""Replies of a session: JSON where there is only the answer, a stream where there is more to tell."""

import asyncio
import json
import socket
from contextlib import AsyncExitStack
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
from starlette.types import Message, Receive, Scope, Send

from corpusgraph.flows.surfaces.mcp.connection import GATHERED, Gathering, PatientProtocol
from corpusgraph.flows.surfaces.mcp.http import PATH, HttpOptions, guarded_app
from corpusgraph.flows.surfaces.mcp.replies import Replies
from tests.mcp.test_http import TOOL, answer, opened, served

ANSWER = b'event: message\r\ndata: {"jsonrpc":"2.0","id":%s,"%s":{"a":"\\r\\n data: {"}}\r\n\r\n'
CALLS = 5


async def _stepwise(
    ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
) -> types.CallToolResult:
    await ctx.session.report_progress(1, 2, "half")
    return types.CallToolResult(content=[types.TextContent(type="text", text=params.name)])


async def _listed(_: ServerRequestContext[Any], __: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[TOOL])


def app() -> Any:
    """Return a server, behind the checks, whose one tool tells how it gets on."""
    server = Server("small", on_list_tools=_listed, on_call_tool=_stepwise)
    return guarded_app(server, HttpOptions(rate=0))


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
        one = app()
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(one.router.lifespan_context(one))
            transport = httpx.ASGITransport(one, client=("127.0.0.1", 40000))
            accept = {"accept": "application/json, text/event-stream"}
            client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765", headers=accept)
            await stack.enter_async_context(client)
            session = await opened(client)
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


HEAD = {"type": "http.response.start", "status": 200, "headers": [(b"Content-Type", b"text/event-stream; x")]}


def sent(*chunks: bytes, method: str = "POST", head: Message = HEAD, ends: bool = True) -> list[Message]:
    """Return what Replies lets through of a reply."""

    async def streamed(_: Scope, __: Receive, send: Send) -> None:
        await send(head)
        for chunk in chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        if ends:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    through: list[Message] = []

    async def keep(message: Message) -> None:
        through.append(message)

    async def nothing() -> Message:
        raise AssertionError

    anyio.run(Replies(streamed), {"type": "http", "method": method}, nothing, keep)
    return through


def whole(messages: list[Message]) -> tuple[bytes | None, bytes]:
    """Return the content type and the body of a reply, which is ended."""
    assert [one["type"] for one in messages] == [HEAD["type"]] + ["http.response.body"] * (len(messages) - 1)
    assert messages[-1]["more_body"] is False
    head = {name.lower(): value for name, value in messages[0]["headers"]}
    return head.get(b"content-type"), b"".join(one["body"] for one in messages[1:])


@pytest.mark.parametrize("number", [b"1", b"-3", b'"a b"'])
@pytest.mark.parametrize("kind", [b"result", b"error"])
def test_a_response_becomes_json_and_nothing_follows_it(number: bytes, kind: bytes) -> None:
    event = ANSWER % (number, kind)
    kept, body = whole(sent(event, b": ping\r\n\r\n"))
    assert (kept, body) == (b"application/json", event[len(b"event: message\r\ndata: ") : -4])


@pytest.mark.parametrize(
    "event",
    [
        b": ping\r\n\r\n",
        b'event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\r\n\r\n',
        b'event: message\r\ndata: {"jsonrpc":"2.0","id":1,"method":"ping"}\r\n\r\n',
        b"id: 4\r\n" + ANSWER % (b"1", b"result"),
        ANSWER % (b"1", b"result") + ANSWER % (b"1", b"result"),
        (ANSWER % (b"1", b"result"))[:-4],
    ],
    ids=["sign of life", "progress", "request", "event id", "two", "part"],
)
def test_anything_else_begins_a_stream(event: bytes) -> None:
    after = ANSWER % (b"1", b"result")
    messages = sent(event, after)
    assert messages[0] is HEAD
    assert whole(messages) == (b"text/event-stream; x", event + after)


def test_streams_of_a_session_and_other_replies_are_let_through() -> None:
    event = ANSWER % (b"1", b"result")
    assert whole(sent(event, method="GET"))[1] == event
    plain = {**HEAD, "headers": []}
    assert whole(sent(event, head=plain)) == (None, event)


def test_a_stream_that_ends_without_an_event_is_ended() -> None:
    assert whole(sent(ends=False)) == (b"text/event-stream; x", b"")


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
