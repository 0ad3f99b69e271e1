"""Clients that are careless, or mean: each is answered at once, and none is in another's way."""

from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp.server.context import ServerRequestContext

from corpusgraph.flows.mcp import http as replies
from corpusgraph.flows.mcp.http import PATH, Tokens, read_tokens
from corpusgraph.schemas.errors import InvalidInputError
from tests.mcp.test_http import OPENING, SECRET, answer, opened, run, served, told
from tests.mcp.test_replies import CALL, at

OTHER = "another-secret-of-the-tests"


@pytest.mark.parametrize("id_", [None, 1.5, True, [], {"a": 1}])
def test_an_id_that_no_reply_can_have_is_refused(id_: Any) -> None:
    """The SDK takes such a request for a notification: nobody would be answered."""

    async def go() -> None:
        async with served() as client:
            session = await opened(client)
            refused = await client.post(PATH, json={**CALL, "id": id_}, headers=session)
            assert (refused.status_code, told(refused)) == (400, "invalid_id")
            inner = {**CALL, "params": {"name": "echo", "arguments": {"say": "x", "id": None}}}
            answer(await client.post(PATH, json=inner, headers=session))

    run(go)


@pytest.mark.parametrize("again", [2, "2"])
def test_an_id_that_is_in_use_is_refused_and_free_after(again: int | str) -> None:
    """The SDK would answer one of them, and let the others hang."""
    gate, begun = anyio.Event(), anyio.Event()

    async def waits(_: ServerRequestContext[Any]) -> None:
        begun.set()
        await gate.wait()

    async def go() -> None:
        async with at(waits) as (client, session), anyio.create_task_group() as group:
            found: list[httpx.Response] = []

            async def first() -> None:
                found.append(await client.post(PATH, json=CALL, headers=session))

            group.start_soon(first)
            await begun.wait()
            refused = await client.post(PATH, json={**CALL, "id": again}, headers=session)
            assert (refused.status_code, told(refused)) == (400, "id_in_use")
            notified = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            assert (await client.post(PATH, json=notified, headers=session)).status_code == 202
            other = await opened(client)
            gate.set()
            answer(await client.post(PATH, json=CALL, headers=other))
            answer(await client.post(PATH, json={**CALL, "id": 3}, headers=session))
        assert answer(found[0])["content"][0]["text"] == "done"

    run(go)


def test_an_id_is_free_again_after_its_answer() -> None:
    async def go() -> None:
        async with at() as (client, session):
            for _ in range(2):
                answer(await client.post(PATH, json=CALL, headers=session))

    run(go)


def test_who_asks_for_what_came_before_is_served() -> None:
    """No event is kept; the SDK answers 500 where there is no store of them."""

    async def go() -> None:
        async with at() as (client, session):
            sent: list[Any] = []

            async def send(message: Any) -> None:
                sent.append(message)

            messages: list[Any] = [{"type": "http.request", "body": b""}]

            async def receive() -> Any:
                return messages.pop() if messages else await anyio.sleep_forever()

            own = {**dict(client.headers), **session, "last-event-id": "7", "host": "127.0.0.1"}
            headers = [(name.lower().encode(), value.encode()) for name, value in own.items()]
            scope = {"type": "http", "method": "GET", "path": PATH, "headers": headers, "query_string": b""}
            with anyio.move_on_after(0.2):
                await client._transport.app(scope, receive, send)  # type: ignore[attr-defined]
            assert sent[0]["status"] == 200
            assert dict(sent[0]["headers"])[b"content-type"].startswith(b"text/event-stream")

    run(go)


def test_a_slash_at_the_end_is_no_redirection() -> None:
    async def go() -> None:
        async with served() as client:
            assert (await client.post(f"{PATH}/", json=OPENING)).status_code == 200
            bare = await client.post(f"{PATH}/", json=OPENING, headers={"authorization": ""})
            assert bare.status_code == 401

    run(go)


def test_forgotten_sessions_of_one_client_shut_no_other_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "SPARED_SECONDS", 0.0)

    async def go() -> None:
        async with served(tokens=Tokens({"a": SECRET, "b": OTHER}), sessions=3) as client:
            mine = await opened(client)
            theirs = {"authorization": f"Bearer {OTHER}"}
            for _ in range(6):
                assert (await client.post(PATH, json=OPENING, headers=theirs)).status_code == 200
            assert (await client.post(PATH, json=CALL, headers=mine)).status_code == 200
            second = await opened(client)
            for session in (mine, second):
                assert (await client.post(PATH, json=CALL, headers=session)).status_code == 200

    run(go)


def test_a_session_at_work_does_not_end_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "SPARED_SECONDS", 0.0)
    gate, begun = anyio.Event(), anyio.Event()

    async def waits(_: ServerRequestContext[Any]) -> None:
        begun.set()
        await gate.wait()

    async def go() -> None:
        async with at(waits, sessions=1) as (client, session), anyio.create_task_group() as group:

            async def first() -> None:
                answer(await client.post(PATH, json=CALL, headers=session))

            group.start_soon(first)
            await begun.wait()
            assert (await client.post(PATH, json=OPENING)).status_code == 503
            gate.set()

    run(go)


@pytest.mark.parametrize("before", ["", "\ufeff", "# mine\n\n"])
def test_a_file_of_tokens_may_begin_with_a_mark_or_a_comment(before: str, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"{before}desk {SECRET}\r\n{OTHER}\n", encoding="utf-8")
    assert len(read_tokens(path=file)) == 2


def test_two_clients_have_two_tokens(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"a {SECRET}\nb {SECRET}\n")
    with pytest.raises(InvalidInputError, match="The token of b is another's too") as refused:
        read_tokens(path=file)
    assert SECRET not in str(refused.value)
