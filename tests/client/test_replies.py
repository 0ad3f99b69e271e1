"""What a model says, in all the ways that models say it, becomes an answer or a named failure."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.schemas.llm import Divisible, Reply
from tests.client.given import Mark, client, prompts
from tests.client.server import GOOD, Act, Server

FLAGGED = (
    b'{"error": {"message": "flagged", "code": 403, "metadata": {"flagged_input": "x", "reasons": ["y"]}}}'
)
EMPTY_ACCOUNT = (
    b'{"error": {"message": "no money", "code": "insufficient_quota", "type": "insufficient_quota"}}'
)


def asked(server: Server, tmp_path: Path, **options: Any) -> Reply[Mark]:
    with client(server, tmp_path, **options) as llm:
        return llm.ask(prompts(1), Mark)[0]


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        f"Sure! Here you are:\n```json\n{GOOD}\n```\nAnything else?",
        f'<think>A name... {{perhaps}} {{"name": "x", "score": 0}}</think>\n{GOOD}',
        f"Hm, the score.</think>{GOOD}",
        f"Of the set {{a, b}} I take: {GOOD}",
        '{"name": "Snow", "score": "0.5", "also": [1]}',
        '{"name": "Snow",\n "score": 0.5}\n',
        'Note: {"name": "Snow", "score": 0.5}',
    ],
)
def test_an_answer_is_found_in_one_call(content: str, tmp_path: Path) -> None:
    with Server(Act(content)) as server:
        reply = asked(server, tmp_path)
        assert reply.value == Mark(name="Snow", score=0.5)
        assert len(server.calls) == 1


def test_a_line_break_inside_of_a_string_is_forgiven(tmp_path: Path) -> None:
    with Server(Act('{"name": "Jon\nSnow", "score": 0.5}')) as server:
        reply = asked(server, tmp_path)
    assert reply.value == Mark(name="Jon\nSnow", score=0.5)


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (Act('{"name": "Snow", "score": 7}'), "score: Input should be less than or equal to 1"),
        (Act('{"name": "Snow"}'), "score: Field required"),
        (Act('{"name": "Snow", "score": {"a": 1}}'), "score: Input should be a valid number"),
        (Act("I would rather not say."), "no whole JSON object"),
        (Act('{"name": {"name": "x", "score": 0.1}, "sco'), "no whole JSON object"),
    ],
)
def test_a_bad_reply_is_repaired_once_with_what_is_wrong(bad: Act, told: str, tmp_path: Path) -> None:
    with Server(lambda n, _body: bad if n == 0 else Act()) as server, client(server, tmp_path) as llm:
        [reply] = llm.ask(prompts(1), Mark)
        assert reply.value == Mark(name="Snow", score=0.5)
        assert reply.usage.calls == 2
        assert llm.usage[0].repaired == 1
        second = server.calls[1].messages
    assert [m["role"] for m in second] == ["system", "user", "assistant", "user"]
    assert second[2]["content"] == bad.content
    assert told in second[3]["content"]


def test_a_reply_that_stays_bad_fails_after_two_calls(tmp_path: Path) -> None:
    with Server(Act('{"name": 1}')) as server, client(server, tmp_path) as llm:
        [reply] = llm.ask(prompts(1), Mark)
        assert (reply.value, reply.code) == (None, "invalid_reply")
        assert reply.error is not None
        assert "score" in reply.error
        assert len(server.calls) == 2
        assert llm.usage[0].failed == 1
        assert llm.cached(prompts(1), Mark) == [False]


def test_what_is_not_accepted_is_repaired_with_the_reason(tmp_path: Path) -> None:
    def script(n: int, _body: object) -> Act:
        return Act('{"name": "Bolton", "score": 1}') if n == 0 else Act()

    def accept(place: int, value: Mark) -> str | None:
        return None if value.name == "Snow" else f"{place}: {value.name!r} is not in the passage"

    with Server(script) as server, client(server, tmp_path) as llm:
        [reply] = llm.ask(prompts(1), Mark, accept)
        assert reply.value == Mark(name="Snow", score=0.5)
        assert "0: 'Bolton' is not in the passage" in server.calls[1].messages[3]["content"]


@pytest.mark.parametrize(
    ("act", "code", "calls"),
    [
        (Act(GOOD, finish="length"), "truncated_reply", 2),
        (Act(GOOD[:12], finish="length"), "truncated_reply", 2),
        (Act(""), "empty_reply", 2),
        (Act(None), "empty_reply", 2),
        (Act("<think>...</think>"), "empty_reply", 2),
        (Act(None, refusal="I cannot help with that."), "refused", 1),
        (Act("", finish="content_filter"), "refused", 1),
        (Act(status=400, error="maximum context length is 10 tokens"), "bad_request", 1),
        (Act(status=404, error="the model does not exist"), "not_found", 1),
        (Act(status=403, raw=FLAGGED), "refused", 1),
        (Act(status=403), "unauthorized", 1),
        (Act(status=429, raw=EMPTY_ACCOUNT), "unauthorized", 1),
        (Act(status=429), "rate_limited", 3),
        (Act(status=500), "server_error", 3),
        (Act(raw=b'{"choices": []}'), "server_error", 3),
        (Act(raw=b"{}"), "server_error", 3),
        (Act(raw=b"[1]"), "server_error", 3),
        (Act(raw=b'"hello"'), "server_error", 3),
        (Act(raw=b'{"choices": [{"mess'), "server_error", 3),
        (Act(raw=b'{"error": {"message": "no"}}'), "server_error", 3),
        (Act(drop=True), "unreachable", 3),
        (Act(delay=0.3), "timeout", 3),
    ],
)
def test_every_failure_has_its_code(act: Act, code: str, calls: int, tmp_path: Path) -> None:
    options = {"attempts": 3, "timeout": 0.15 if act.delay else 60}
    with Server(act) as server, client(server, tmp_path, options) as llm:
        [reply] = llm.ask(prompts(1), Mark)
        assert (reply.value, reply.code) == (None, code)
        assert reply.error
        assert len(server.calls) == calls
    assert not list((tmp_path / ".llm").rglob("*.z"))


def test_a_truncated_reply_is_asked_for_again_shorter(tmp_path: Path) -> None:
    def script(n: int, _body: object) -> Act:
        return Act("{" * 500, finish="length") if n == 0 else Act()

    with Server(script) as server:
        assert asked(server, tmp_path).value == Mark(name="Snow", score=0.5)
        second = server.calls[1].messages
    assert [m["role"] for m in second] == ["system", "user"]
    assert "shorter" in second[1]["content"]


class Marks(Divisible):
    names: list[str]


def test_a_truncated_reply_of_many_things_is_not_asked_for_again_with_fewer(tmp_path: Path) -> None:
    with (
        Server(Act('{"names": ["Snow", "Far', finish="length")) as server,
        client(server, tmp_path) as llm,
    ):
        [reply] = llm.ask(prompts(1), Marks)
        assert (reply.value, reply.code, len(server.calls)) == (None, "truncated_reply", 1)
        assert (llm.usage[0].calls, llm.usage[0].completion_tokens) == (1, reply.usage.completion_tokens)
        assert llm.cached(prompts(1), Marks) == [False]


def test_failures_on_the_way_are_tried_again_and_counted(tmp_path: Path) -> None:
    bad = [Act(status=503), Act(drop=True), Act(status=429), Act(raw=b"<html>")]
    with (
        Server(lambda n, _body: bad[n] if n < len(bad) else Act()) as server,
        client(server, tmp_path) as llm,
    ):
        [reply] = llm.ask(prompts(1), Mark)
        assert reply.value is not None
        assert (llm.usage[0].calls, llm.usage[0].retried, llm.usage[0].failed) == (1, 4, 0)


def test_replies_are_in_the_order_of_the_prompts(tmp_path: Path) -> None:
    def script(_n: int, body: Mapping[str, Any]) -> Act:
        number = body["messages"][1]["content"].rsplit(" ", 1)[1]
        return Act(json.dumps({"name": number, "score": 0}), delay=0.02 * (int(number) % 3))

    with Server(script) as server, client(server, tmp_path) as llm:
        replies = llm.ask(prompts(20), Mark)
    assert [r.value.name for r in replies if r.value] == [str(n) for n in range(20)]


def test_no_prompts_no_calls(tmp_path: Path) -> None:
    with client("http://127.0.0.1:9/v1", tmp_path) as llm:
        assert llm.ask([], Mark) == []
        assert llm.usage == ()


def test_an_error_of_accept_is_the_callers(tmp_path: Path) -> None:
    def accept(_place: int, _value: Mark) -> str | None:
        raise KeyError("mine")

    with Server() as server, client(server, tmp_path) as llm, pytest.raises(KeyError, match="mine"):
        llm.ask(prompts(3), Mark, accept)
