"""The checks in front of the server, in this process: every refusal, and what is let through."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
import httpx
import pytest
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from corpusgraph.flows.mcp.http import (
    HEALTH,
    PATH,
    HttpOptions,
    Tokens,
    guarded_app,
    known_hosts,
    known_origins,
)

SECRET = "a-token-of-some-length"  # noqa: S105
HEADERS = {
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
    "authorization": f"Bearer {SECRET}",
}
OPENING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
CALL: dict[str, Any] = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo"}}
TOOL = types.Tool(name="echo", description="Say it again.", input_schema={"type": "object"})


async def _listed(_: ServerRequestContext[Any], __: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[TOOL])


async def _called(_: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
    said = str((params.arguments or {}).get("say"))
    return types.CallToolResult(content=[types.TextContent(type="text", text=said)])


Call = Callable[[ServerRequestContext[Any], types.CallToolRequestParams], Awaitable[types.CallToolResult]]


@asynccontextmanager
async def served(call: Call = _called, **options: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of a small server behind the checks."""
    http = HttpOptions(**{"tokens": Tokens({"me": SECRET}), **options})
    app = guarded_app(Server("small", on_list_tools=_listed, on_call_tool=call), http)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(app.router.lifespan_context(app))
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 40000))
        client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765", headers=HEADERS)
        yield await stack.enter_async_context(client)


def messages(response: httpx.Response) -> list[Any]:
    """Return the messages of a reply, which is one as JSON or a stream of events."""
    assert response.status_code == 200, response.text
    if response.headers["content-type"] == "application/json":
        return [response.json()]
    return [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: ")]


def answer(response: httpx.Response) -> Any:
    """Return the result of a call."""
    return messages(response)[-1]["result"]


def run(test: Callable[[], Any]) -> None:
    """Run an asynchronous test."""
    anyio.run(test)


async def opened(client: httpx.AsyncClient) -> dict[str, str]:
    """Open a session; return its header."""
    response = await client.post(PATH, json=OPENING)
    assert answer(response)["serverInfo"]["name"] == "small"
    return {"mcp-session-id": response.headers["mcp-session-id"]}


def test_a_session_opens_calls_and_ends() -> None:
    async def go() -> None:
        async with served() as client:
            session = await opened(client)
            call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}
            asked = {**call, "params": {"name": "echo", "arguments": {"say": "Bạch Đằng"}}}
            found = answer(await client.post(PATH, json=asked, headers=session))
            assert found["content"][0]["text"] == "Bạch Đằng"
            assert (await client.delete(PATH, headers=session)).status_code == 200
            assert (await client.post(PATH, json=asked, headers=session)).status_code == 404

    run(go)


def test_who_has_no_token_or_a_wrong_one_is_refused() -> None:
    right = SECRET.encode()

    async def go() -> None:
        async with served() as client:
            for wrong in (
                b"",
                b"Bearer",
                b"Bearer ",
                b"Bearer x",
                b"Basic " + right,
                b"Bearer %sx" % right,
                b"Bearer \xe9",
            ):
                response = await client.post(PATH, json=OPENING, headers=[(b"authorization", wrong)])
                assert response.status_code == 401, wrong
                assert response.headers["www-authenticate"].startswith("Bearer ")
                assert "mcp-session-id" not in response.headers
            await opened(client)

    run(go)


def test_without_tokens_none_is_asked_for() -> None:
    async def go() -> None:
        async with served(tokens=Tokens({})) as client:
            await opened(client)

    run(go)


def test_a_session_is_its_clients_alone() -> None:
    async def go() -> None:
        async with served(tokens=Tokens({"me": SECRET, "other": "another-token-of-length"})) as client:
            session = await opened(client)
            other = {**session, "authorization": "Bearer another-token-of-length"}
            ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            assert (await client.post(PATH, json=ask, headers=other)).status_code == 404
            assert answer(await client.post(PATH, json=ask, headers=session))["tools"][0]["name"] == "echo"

    run(go)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8765",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8765",
        "localhost@evil.example",
        "evil@localhost",
        "0.0.0.0:8765",
        "10.0.0.7:8765",
        "[::2]",
        "127.0.0.1/../x",
        "localhost.",
        "",
        " ",
    ],
)
def test_a_foreign_host_is_refused(host: str) -> None:
    async def go() -> None:
        async with served() as client:
            response = await client.post(PATH, json=OPENING, headers={"host": host})
            assert response.status_code == 421

    run(go)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost:9", "[::1]:8765", "localhost", "graphs.example.org"]
)
def test_our_hosts_are_let_in(host: str) -> None:
    async def go() -> None:
        async with served(hosts=known_hosts(["Graphs.Example.org:8765"])) as client:
            answer(await client.post(PATH, json=OPENING, headers={"host": host}))
            health = await client.get(HEALTH, headers={"host": host})
            assert (health.status_code, health.json()) == (200, {"status": "ok"})

    run(go)


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example:8765",
        "file://",
        "http://localhost@evil.example",
        "chrome-extension://localhost",
        "https://desk.example.org:444",
        "http://desk.example.org",
    ],
)
def test_a_foreign_origin_is_refused(origin: str) -> None:
    async def go() -> None:
        async with served(origins=known_origins(["https://desk.example.org"])) as client:
            response = await client.post(PATH, json=OPENING, headers={"origin": origin})
            assert response.status_code == 403
            assert "access-control-allow-origin" not in response.headers

    run(go)


def test_an_allowed_page_may_call_and_is_told_so() -> None:
    async def go() -> None:
        async with served(origins=known_origins(["https://Desk.example.org/"])) as client:
            page = {"origin": "https://desk.example.org"}
            before = {
                **page,
                "access-control-request-method": "POST",
                "access-control-request-headers": "authorization",
            }
            asked = await client.options(PATH, headers=before)
            assert (asked.status_code, asked.headers["access-control-allow-origin"]) == (200, page["origin"])
            made = await client.post(PATH, json=OPENING, headers=page)
            assert "mcp-session-id" in made.headers["access-control-expose-headers"]
            assert (
                await client.post(PATH, json=OPENING, headers={"origin": "http://localhost:3"})
            ).status_code == 200

    run(go)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"nonsense", b"1e999", b'"x"', b"{}", b'{"jsonrpc":"2.0"}', b"\x00", b"9" * 9000]
)
@pytest.mark.parametrize("version", [None, "2026-07-28", "1999-01-01", "\x7f"])
def test_nonsense_is_a_bad_request_in_every_version(body: bytes, version: str | None) -> None:
    async def go() -> None:
        async with served() as client:
            headers = {"mcp-protocol-version": version} if version else {}
            response = await client.post(PATH, content=body, headers=headers)
            assert response.status_code == 400, response.text
            assert "Traceback" not in response.text

    run(go)


def test_a_body_is_bounded_whether_its_length_is_declared_or_not() -> None:
    async def endless(read: list[int]) -> AsyncIterator[bytes]:
        while True:
            read.append(1024)
            yield b" " * 1024

    async def go() -> None:
        async with served(max_body=100_000) as client:
            read: list[int] = []
            declared = await client.post(PATH, content=endless(read), headers={"content-length": "100001"})
            assert (declared.status_code, sum(read)) == (413, 0)
            chunked = await client.post(PATH, content=endless(read))
            assert (chunked.status_code, sum(read) <= 102_400) == (413, True)
            wide = {**OPENING, "id": "x" * 50_000}
            assert (await client.post(PATH, json=wide)).status_code == 200

    run(go)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": '
        + b"[" * 100_000
        + b"]" * 100_000
        + b"}}",
        b'{"id": "\xff"}',
        json.dumps(OPENING).encode("utf-16"),
        json.dumps([OPENING] * 1000).encode(),
        b"\n\t [1]",
    ],
    ids=["batch, deep", "objects", "inside", "utf-8", "utf-16", "batch", "space"],
)
def test_what_is_no_message_is_refused(body: bytes) -> None:
    async def go() -> None:
        async with served() as client:
            assert (await client.post(PATH, content=body)).status_code == 400
            await opened(client)

    run(go)


@pytest.mark.parametrize("again", [2, "2"])
def test_an_id_that_is_in_use_is_refused_and_free_after(again: int | str) -> None:
    """The SDK would answer one of them, and let the others hang."""
    gate, begun = anyio.Event(), anyio.Event()

    async def waits(_: ServerRequestContext[Any], __: types.CallToolRequestParams) -> types.CallToolResult:
        begun.set()
        await gate.wait()
        return types.CallToolResult(content=[types.TextContent(type="text", text="done")])

    async def go() -> None:
        async with served(waits) as client, anyio.create_task_group() as group:
            session = await opened(client)
            replies: list[httpx.Response] = []

            async def first() -> None:
                replies.append(await client.post(PATH, json=CALL, headers=session))

            group.start_soon(first)
            await begun.wait()
            refused = await client.post(PATH, json={**CALL, "id": again}, headers=session)
            assert refused.status_code == 400
            assert refused.json()["error"]["data"]["code"] == "id_in_use"
            notified = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            assert (await client.post(PATH, json=notified, headers=session)).status_code == 202
            other = await opened(client)
            gate.set()
            answer(await client.post(PATH, json=CALL, headers=other))
            answer(await client.post(PATH, json={**CALL, "id": 3}, headers=session))
            answer(await client.post(PATH, json={**CALL, "id": 3}, headers=session))
        assert answer(replies[0])["content"][0]["text"] == "done"

    run(go)


def test_progress_is_told_before_the_answer() -> None:
    async def steps(ctx: ServerRequestContext[Any], _: types.CallToolRequestParams) -> types.CallToolResult:
        await ctx.session.report_progress(1, 2, "half")
        return types.CallToolResult(content=[types.TextContent(type="text", text="done")])

    async def go() -> None:
        async with served(steps) as client:
            session = await opened(client)
            asked = {**CALL, "params": {"name": "echo", "_meta": {"progressToken": "p"}}}
            progress, result = messages(await client.post(PATH, json=asked, headers=session))
            assert progress["params"] == {
                "progressToken": "p",
                "progress": 1,
                "total": 2,
                "message": "half",
            }
            assert result["id"] == 2

    run(go)
