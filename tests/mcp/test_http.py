"""The checks in front of the server, in this process: every refusal, and what is let through."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

import anyio
import httpx
import pytest
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from corpusgraph.flows.mcp.http import (
    CLIENTS,
    DEEPEST,
    HEALTH,
    PATH,
    Allowance,
    HttpOptions,
    Tokens,
    depth,
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
TOOL = types.Tool(name="echo", description="Say it again.", input_schema={"type": "object"})


async def _listed(_: ServerRequestContext[Any], __: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[TOOL])


async def _called(_: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
    said = str((params.arguments or {}).get("say"))
    return types.CallToolResult(content=[types.TextContent(type="text", text=said)])


@asynccontextmanager
async def served(**options: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of a small server behind the checks."""
    http = HttpOptions(**{"tokens": Tokens({"me": SECRET}), **options})
    app = guarded_app(Server("small", on_list_tools=_listed, on_call_tool=_called), http)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(app.router.lifespan_context(app))
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 40000))
        client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765", headers=HEADERS)
        yield await stack.enter_async_context(client)


def told(response: httpx.Response) -> str:
    """Return the code of a refusal."""
    return str(response.json()["error"]["data"]["code"])


def answer(response: httpx.Response) -> Any:
    """Return the result of a call."""
    assert response.status_code == 200, response.text
    return response.json()["result"]


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
        "localhost:x",
        "localhost:8765:1",
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
            for path in (PATH, HEALTH):
                response = await client.post(path, json=OPENING, headers={"host": host})
                assert (response.status_code, told(response)) == (421, "host_refused")

    run(go)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "LocalHost:9", "[::1]:8765", "localhost", "Graphs.Example.org"]
)
def test_our_hosts_are_let_in(host: str) -> None:
    async def go() -> None:
        async with served(hosts=known_hosts(["graphs.example.org"])) as client:
            response = await client.get(HEALTH, headers={"host": host})
            assert (response.status_code, response.json()) == (200, {"status": "ok"})

    run(go)


def test_the_address_a_connection_came_in_on_is_ours() -> None:
    async def go() -> None:
        async with served() as client:
            away = partial(client.get, HEALTH)
            assert (await away(headers={"host": "192.0.2.4:8765"})).status_code == 421
            asked = client.build_request(
                "GET", "http://192.0.2.4:8765/health"
            )  # the transport serves it there
            assert (await client.send(asked)).status_code == 200

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
            assert (response.status_code, told(response)) == (403, "origin_refused")
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


def test_a_body_is_bounded_whether_its_length_is_declared_or_not() -> None:
    async def endless(read: list[int]) -> AsyncIterator[bytes]:
        while True:
            read.append(1024)
            yield b" " * 1024

    async def go() -> None:
        async with served(max_body=100_000) as client:
            read: list[int] = []
            declared = await client.post(PATH, content=endless(read), headers={"content-length": "100001"})
            assert (declared.status_code, told(declared), sum(read)) == (413, "too_large", 0)
            chunked = await client.post(PATH, content=endless(read))
            assert (chunked.status_code, sum(read) <= 102_400) == (413, True)
            wide = {**OPENING, "id": "x" * 50_000}
            assert (await client.post(PATH, json=wide)).status_code == 200

    run(go)


def test_a_slow_body_is_not_waited_for() -> None:
    async def dribble() -> AsyncIterator[bytes]:
        while True:
            await anyio.sleep(0.02)
            yield b" "

    async def go() -> None:
        async with served(body_seconds=0.2) as client:
            response = await client.post(PATH, content=dribble())
            assert (response.status_code, told(response), response.headers["connection"]) == (
                408,
                "too_slow",
                "close",
            )
            await opened(client)

    run(go)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"[" * 100_000, "batch_refused"),
        (b'{"a":' * 100_000, "too_deep"),
        (
            b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": '
            + b"[" * 100_000
            + b"]" * 100_000
            + b"}}",
            "too_deep",
        ),
        (b'{"id": "\xff"}', "not_utf8"),
        (json.dumps(OPENING).encode("utf-16"), "not_utf8"),
        (json.dumps([OPENING] * 1000).encode(), "batch_refused"),
        (b"\n\t [1]", "batch_refused"),
    ],
    ids=["batch, deep", "objects", "inside", "utf-8", "utf-16", "batch", "space"],
)
def test_what_is_no_message_is_refused_unparsed(body: bytes, code: str) -> None:
    async def go() -> None:
        async with served() as client:
            response = await client.post(PATH, content=body)
            assert (response.status_code, told(response)) == (400, code)
            assert len(response.content) < 400
            await opened(client)

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


def test_depth_counts_what_is_nested_and_no_text() -> None:
    deep = b"[" * (DEEPEST + 5) + b"]" * (DEEPEST + 5)
    assert depth(deep) == DEEPEST + 5
    assert depth(json.dumps({"text": "[" * 10_000 + '\\"{' * 500}).encode()) == 1
    assert depth(b'{"a":[' + b"{}," * 5000 + b"{}]}") == 3
    assert depth(b'"' + b"[" * 5000) == 0
    assert depth(b'["' + b'\\"' * 2_000_000 + b"[" * 500) == 1  # a pattern that went back would take hours
    assert depth(b"[]" * 300) == 1
    assert depth(b"]" * 500 + b"[" * 300) == 0


def test_who_asks_too_often_is_told_when_to_come_back() -> None:
    async def go() -> None:
        async with served(
            rate=1.0, tokens=Tokens({"me": SECRET, "other": "another-token-of-length"})
        ) as client:
            codes = [(await client.get(PATH)).status_code for _ in range(12)]
            assert codes == [400] * 10 + [429] * 2
            refused = await client.post(PATH, json=OPENING)
            assert (refused.status_code, told(refused)) == (429, "too_many_requests")
            assert int(refused.headers["retry-after"]) == 1
            other = {"authorization": "Bearer another-token-of-length"}
            assert (await client.post(PATH, json=OPENING, headers=other)).status_code == 200

    run(go)


def test_a_bucket_fills_again_and_old_clients_are_forgotten() -> None:
    now = [0.0]
    allowance = Allowance(2.0, lambda: now[0])
    assert [allowance.wait("a") for _ in range(10)] == [0.0] * 10
    assert allowance.wait("a") == pytest.approx(0.5)
    now[0] += 1.0
    assert [allowance.wait("a"), allowance.wait("a"), allowance.wait("a")] == [0.0, 0.0, pytest.approx(0.5)]
    for one in range(CLIENTS):
        allowance.wait(str(one))
    assert [allowance.wait("a") for _ in range(10)] == [0.0] * 10


def test_sessions_are_bounded_and_end_when_idle() -> None:
    async def go() -> None:
        async with served(sessions=2, idle_seconds=0.3) as client:
            first = await opened(client)
            await opened(client)
            assert (await client.post(PATH, json=OPENING)).status_code == 503
            await anyio.sleep(0.6)
            assert (await client.post(PATH, json=OPENING, headers=first)).status_code == 404
            await opened(client)

    run(go)


def test_calls_at_once_are_bounded() -> None:
    async def held(gate: anyio.Event) -> AsyncIterator[bytes]:
        yield b"{"
        await gate.wait()
        yield b"}"

    async def go() -> None:
        gate = anyio.Event()
        async with served(at_once=2) as client, anyio.create_task_group() as group:
            for _ in range(2):
                group.start_soon(partial(client.post, PATH, content=held(gate)))
            await anyio.sleep(0.1)
            refused = await client.post(PATH, json=OPENING)
            assert (refused.status_code, told(refused), refused.headers["retry-after"]) == (503, "busy", "1")
            gate.set()
            await anyio.sleep(0.1)
            await opened(client)

    run(go)
