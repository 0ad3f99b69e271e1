"""An endpoint that can answer nothing ends a run at once, in its own words; a wrong address is told before."""

from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows.llm.profiles import api_key, base_url
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.llm import Prompt
from tests.client.given import VARIABLE, Mark, client, profile, prompts
from tests.client.server import Act, Server
from tests.client.test_replies import EMPTY_ACCOUNT

PAGE = b"<!doctype html><html><body>Please log in</body></html>"


@pytest.mark.parametrize(
    ("act", "stopped", "said"),
    [
        (Act(status=429, raw=EMPTY_ACCOUNT), "unauthorized", "HTTP 429: no money"),
        (Act(status=402, error="add credits"), "unauthorized", "HTTP 402: add credits"),
        (Act(status=404, error="no model m"), "not_found", "HTTP 404: no model m"),
        (Act(status=404, raw=PAGE), "not_found", "HTTP 404"),
        (Act(status=405), "not_found", "HTTP 405"),
        (Act(status=308, headers={"location": "https://x.org/v1"}), "not_found", "is at https://x.org/v1"),
    ],
)
def test_what_no_prompt_can_change_stops_all(act: Act, stopped: str, said: str, tmp_path: Path) -> None:
    with Server(act) as server, client(server, tmp_path, {"concurrency": 2}) as llm:
        replies = llm.ask(prompts(40), Mark)
        assert {r.code for r in replies} == {stopped}
        assert all(said in (r.error or "") for r in replies)
        assert (llm.stopped, said in llm.why) == (stopped, True)
        assert len(server.calls) <= 2


def test_one_that_answered_before_is_not_given_up_for_one_path(tmp_path: Path) -> None:
    def script(n: int, _body: object) -> Act:
        return Act(status=404) if n == 1 else Act()

    with Server(script) as server, client(server, tmp_path, {"concurrency": 1}) as llm:
        replies = llm.ask(prompts(4), Mark)
        assert [r.code for r in replies] == [None, "not_found", None, None]
        assert llm.stopped is None


def test_pages_instead_of_answers_open_the_breaker(tmp_path: Path) -> None:
    limits = {"concurrency": 2, "breaker": 3, "attempts": 20}
    with Server(Act(raw=PAGE)) as server, client(server, tmp_path, limits) as llm:
        llm.ask(prompts(40), Mark)
        assert llm.stopped == "unreachable"
        assert "no chat completion" in llm.why
        assert len(server.calls) <= 8


def test_why_there_is_no_connection_is_told(tmp_path: Path) -> None:
    limits = {"breaker": 2, "attempts": 9}
    with client("http://user:secret@127.0.0.1:9/v1", tmp_path, limits) as llm:
        llm.ask(prompts(2), Mark)
        assert llm.why.startswith("no connection to 127.0.0.1:9: ")
        assert "connect call failed" in llm.why.casefold()
        assert "secret" not in llm.why
    with client("http://no-such-host.invalid/v1", tmp_path, limits) as llm:
        llm.ask(prompts(2), Mark)
        assert llm.why.startswith("no connection to no-such-host.invalid: ")


@pytest.mark.parametrize(
    ("url", "wrong"),
    [
        ("localhost:8000/v1", "does not begin with http"),
        ("ftp://localhost/v1", "does not begin with http"),
        ("http:///v1", "no address"),
        ("http://[::1/v1", "no address"),
        ("http://localhost:99999/v1", "no address"),
        ("http://a b/v1", "no address"),
        ("http://localhost/v1/chat/completions/", "ends in /chat/completions"),
    ],
)
def test_a_wrong_address_is_bad_input(url: str, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=wrong):
        client(url, tmp_path)


@pytest.mark.parametrize("end", ["", "/", "//"])
def test_an_address_may_end_in_a_slash(end: str, tmp_path: Path) -> None:
    with Server() as server, client(server.base_url + end, tmp_path) as llm:
        assert llm.ask(prompts(1), Mark)[0].value
        assert server.calls[0].path.replace("//", "/") == "/v1/chat/completions"


@pytest.mark.parametrize("key", ["sk-a\nb", "sk-ä", "sk a", "sk-a\x00b"[:4] + "\x7f"])
def test_what_cannot_be_a_key_is_told_without_showing_it(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, key)
    with pytest.raises(InvalidInputError, match="holds no key") as told:
        api_key(profile("http://x/v1", api_key_env=VARIABLE))
    assert key not in str(told.value)
    monkeypatch.setenv(VARIABLE, " sk-a\n")
    assert api_key(profile("http://x/v1", api_key_env=VARIABLE)) == "sk-a"
    assert base_url(profile(" http://x/v1\n")) == "http://x/v1"


def test_a_prompt_longer_than_the_context_is_not_sent(tmp_path: Path) -> None:
    long = Prompt(system="s", user="word " * 8000)
    with Server() as server, client(server, tmp_path, context_tokens=8000) as llm:
        reply, short = llm.ask([long, *prompts(1)], Mark)
        assert (reply.code, short.code) == ("bad_request", None)
        assert "has about 10,000 tokens, the context of m holds 8,000" in (reply.error or "")
        assert len(server.calls) == 1
        assert llm.stopped is None


@pytest.mark.parametrize(("size", "most"), [(4000, 4096), (24000, 8000 - 6600), (30800, 256)])
def test_a_reply_may_take_what_the_prompt_leaves(size: int, most: int, tmp_path: Path) -> None:
    with Server() as server, client(server, tmp_path, context_tokens=8000) as llm:
        assert llm.ask([Prompt(system="", user="x" * size)], Mark)[0].value
        assert server.calls[0].body["max_tokens"] == most


def test_a_repair_that_does_not_fit_is_not_tried(tmp_path: Path) -> None:
    given: dict[str, Any] = {"context_tokens": 2000, "max_tokens": 500}
    bad = Act('{"name": 1, "also": "' + "x" * 4000 + '"}', usage=False)
    with Server(bad) as server, client(server, tmp_path, **given) as llm:
        [reply] = llm.ask([Prompt(system="", user="x" * 4000)], Mark)
        assert reply.code == "invalid_reply"
        assert len(server.calls) == 1


DEEP = 30_000


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (Act(raw=b'{"a":' * DEEP + b"1" + b"}" * DEEP), "server_error"),
        (Act(raw=b"null"), "server_error"),
        (Act(raw=b"\xff\xfe\x00"), "server_error"),
        (Act(raw=b"not gzip", headers={"content-encoding": "gzip"}), "unreachable"),
        (Act('{"name":' * DEEP + "1" + "}" * DEEP), "invalid_reply"),
        (Act("{" * 200_000), "invalid_reply"),
        (Act(tool='{"name":' * DEEP), "invalid_reply"),
        (Act('{"name": "x", "score": NaN}'), "invalid_reply"),
        (Act('{"name": "x", "score": 1e999}'), "invalid_reply"),
        (Act('{"name": "\\ud800", "score": 0.5}'), "invalid_reply"),
    ],
)
def test_junk_is_a_failure_with_a_name(act: Act, code: str, tmp_path: Path) -> None:
    with Server(act) as server, client(server, tmp_path, {"attempts": 2}) as llm:
        [reply] = llm.ask(prompts(1), Mark)
        assert (reply.code, llm.stopped) == (code, None)
        assert len(reply.error or "") < 1000


def test_a_huge_reply_and_odd_characters_are_taken(tmp_path: Path) -> None:
    said = ['{"name": "' + "x" * 5_000_000 + '", "score": 0.5}', '{"name": "\x00\u202e\ufeff", "score": 0.5}']
    with Server(lambda n, _body: Act(said[n])) as server, client(server, tmp_path, {"concurrency": 1}) as llm:
        replies = llm.ask(prompts(2), Mark)
        assert [len(r.value.name) for r in replies if r.value] == [5_000_000, 3]
        assert llm.cached(prompts(2), Mark) == [True, True]
