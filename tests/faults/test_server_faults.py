"""Each fault of the test server is as its name says, reproducible and counted."""

import asyncio
import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    InternalServerError,
    OpenAI,
)
from pydantic import ValidationError

from corpusgraph.tasks.llm.prompting import fenced, numbered
from tests.faults.server import FaultServer, listening, rates
from tests.faults.server_client import PASSAGE, Everything, Pairs, ask, body, said
from tests.faults.server_faults import FAULTS, TRANSPORT, Fault, choose, mixed


@pytest.fixture(scope="module")
def shared() -> Iterator[FaultServer]:
    with FaultServer(hang=5.0) as server:
        yield server


@pytest.fixture
def bad(shared: FaultServer) -> FaultServer:
    shared.reset()
    return shared


def fails(server: FaultServer, mode: str = "json_schema") -> tuple[str, str, str]:
    """Ask and return what came: the reason it ended, the text, the refusal; or the kind of error."""
    try:
        choice = ask(server, body(fenced("Passage", PASSAGE), mode=mode), timeout=0.5)
    except APITimeoutError:
        return "timeout", "", ""
    except APIStatusError as error:
        return str(error.status_code), error.response.headers.get("retry-after", ""), ""
    except APIConnectionError:
        return "connection", "", ""
    return choice.finish_reason, said(choice), choice.message.refusal or ""


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("429", ("429", "0.2", "")),
        ("429_bare", ("429", "", "")),
        ("500", ("500", "", "")),
        ("timeout", ("timeout", "", "")),
        ("dropped", ("connection", "", "")),
        ("empty", ("stop", "", "")),
    ],
)
def test_faults_on_the_way(bad: FaultServer, fault: Fault, told: tuple[str, str, str]) -> None:
    bad.set(fault)
    assert fails(bad) == told
    call = bad.calls[0]
    assert (call.fault, call.good) == (fault, False)
    if fault == "timeout":
        assert call.answered is None


@pytest.mark.parametrize("mode", ["json_schema", "tools", "text"])
@pytest.mark.parametrize("fault", sorted(set(FAULTS) - TRANSPORT - {"empty"}))
def test_faults_of_what_is_said(bad: FaultServer, fault: Fault, mode: str) -> None:
    bad.set(fault)
    finish, text, refusal = fails(bad, mode)
    short = said(ask(bad, body(fenced("Passage", PASSAGE), mode=mode) | {"max_tokens": 50}))
    assert (finish == "length") == (fault == "length")
    if fault == "refusal":
        assert (text, "can't help" in refusal) == ("", True)
        return
    if fault in {"truncated_json", "prose", "length", "wrong_types", "missing_fields"}:
        with pytest.raises(ValidationError):
            Everything.model_validate_json(text)
        fence = re.search(r"```json\n(.*)\n```", text, re.DOTALL)
        assert (fence is not None and Everything.model_validate_json(fence[1]) is not None) == (
            fault == "prose"
        )
        assert fault != "length" or len(short) == 200
        return
    found = Everything.model_validate_json(text)
    quotes = [one.quote for items in (found.entities, found.relationships, found.claims) for one in items]
    assert len(quotes) > 3
    assert not any(quote in PASSAGE for quote in quotes)
    assert {claim.stance for claim in found.claims} <= {"asserts", "denies"}


def test_what_is_wrong_elsewhere_names_what_was_not_shown(bad: FaultServer) -> None:
    lines = fenced("Pairs", numbered(['"Snow" | "John Snow"']))
    faults: tuple[Fault, ...] = ("wrong_chunk", "injected")
    for fault in faults:
        bad.set(fault)
        assert Pairs.model_validate_json(said(ask(bad, body(lines, Pairs)))).pairs[0].id > 1000
    bad.set("foreign")
    with pytest.raises(ValidationError):
        Pairs.model_validate_json(said(ask(bad, body(lines, Pairs))))


def outcomes(seed: int, order: int) -> dict[tuple[int, int], Fault | None]:
    """Ask twenty prompts thrice each, in an order, and return the fault of each attempt."""
    with FaultServer(rate=0.5, seed=seed, hang=0.0, retry_after=0.0) as server:

        async def go() -> None:
            async with AsyncOpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client:
                for _ in range(3):
                    prompts = [
                        body(fenced("Passage", f"Town {n} is in France."), Everything) for n in range(20)
                    ]
                    calls = [client.chat.completions.create(**one) for one in prompts[::order]]
                    await asyncio.gather(*calls, return_exceptions=True)

        asyncio.run(go())
        return {(int(re.findall(r"Town (\d+)", c.prompt)[0]), c.attempt): c.fault for c in server.calls}


def test_a_mix_is_the_same_in_any_order_and_another_with_another_seed() -> None:
    one = outcomes(1, 1)
    assert len(one) == 60
    assert one == outcomes(1, -1)
    assert one != outcomes(2, 1)
    assert any(fault and one[n, 1] is None for (n, attempt), fault in one.items() if attempt == 0)


def test_rates_are_kept() -> None:
    drawn = [choose(mixed(0.3), 7, str(n), 0) for n in range(6000)]
    assert 0.27 < sum(fault is not None for fault in drawn) / 6000 < 0.33
    assert {fault for fault in drawn if fault} == set(FAULTS)
    assert [choose({"500": 1.0}, 7, str(n), 0) for n in range(3)] == ["500"] * 3
    with pytest.raises(ValueError, match="no such fault: 418"):
        rates({"418": 1.0}, 0)  # type: ignore[dict-item]


def test_only_some_attempts_and_kinds_fail_and_repeats_are_counted() -> None:
    request = body(fenced("Passage", PASSAGE))
    with FaultServer("500", attempts=1, kinds=frozenset({"extract"})) as server:
        with pytest.raises(InternalServerError):
            ask(server, request)
        assert server.stats()["n_repeated"] == 0
        ask(server, request)
        moment = time.time()
        ask(server, request)
        ask(server, body(fenced("Pairs", numbered(['"A" | "B"'])), Pairs))
        stats = server.stats()
        assert [call.attempt for call in server.calls] == [0, 1, 2, 0]
        assert server.answered(moment) == {server.calls[0].key}
        assert len(server.answered()) == 2
        server.reset()
        assert server.calls == []
    assert stats["calls"] == {"extract": 3, "pairs": 1}
    assert (stats["n_repeated"], stats["repeated"], stats["faults"]) == (1, {"extract": 1}, {"500": 1})


def test_a_client_that_leaves_is_not_answered() -> None:
    with FaultServer(latency=0.3) as server:
        with pytest.raises(APITimeoutError):
            ask(server, body(fenced("Passage", PASSAGE)), timeout=0.1)
        time.sleep(0.4)
        assert (server.calls[0].answered, server.answered()) == (None, set())


def test_what_a_server_lacks_is_a_400_and_a_wrong_key_a_401() -> None:
    with FaultServer(json_schema=False, tools=False, key="right") as server:
        for mode, status in (("json_schema", 400), ("tools", 400)):
            with pytest.raises(APIStatusError) as failed:
                ask(server, body(fenced("Passage", PASSAGE), mode=mode), key="right")
            assert failed.value.status_code == status
        with pytest.raises(APIStatusError, match="Incorrect API key"):
            ask(server, body(fenced("Passage", PASSAGE), mode="json_object"))
        assert said(ask(server, body(fenced("Passage", PASSAGE), mode="json_object"), key="right"))


def test_it_goes_down_and_comes_back_at_the_same_place() -> None:
    with FaultServer() as server:
        url = server.base_url
        with server.away(), pytest.raises(APIConnectionError):
            ask(server, body(fenced("Passage", PASSAGE)))
        assert said(ask(server, body(fenced("Passage", PASSAGE))))
        assert server.base_url == url
        server.set("500")
        with pytest.raises(InternalServerError):
            ask(server, body(fenced("Passage", PASSAGE)))


def test_it_serves_other_processes() -> None:
    with listening(0) as sock:
        port = sock.getsockname()[1]
    command = [sys.executable, "-m", "tests.faults.server", "--port", str(port), "--fault", "500=1"]
    process = subprocess.Popen([*command, "--attempts", "1"])
    try:
        wait_for(port)
        with OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="k", max_retries=1) as client:
            client.chat.completions.create(**body(fenced("Passage", PASSAGE)))
        assert get(port, "/stats")["faults"] == {"500": 1}
        assert [call["good"] for call in get(port, "/calls")] == [False, True]
        assert get(port, "/config?latency_ms=50&rate=0")["faults"] == {}
    finally:
        process.terminate()
        process.wait(10)


def get(port: int, path: str) -> Any:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as reply:
        return json.load(reply)


def wait_for(port: int) -> None:
    for _ in range(200):
        try:
            get(port, "/stats")
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail("the server did not start")


def test_a_right_answer_longer_than_the_limit_is_cut_and_said_to_be(bad: FaultServer) -> None:
    bad.set()
    choice = ask(bad, body(fenced("Passage", PASSAGE)) | {"max_tokens": 50})
    assert (choice.finish_reason, len(said(choice)), bad.calls[0].good) == ("length", 200, False)
