"""Requests at once, in a minute and after a refusal are as many as the limits allow, and no fewer."""

import asyncio
import time
from pathlib import Path

import pytest

from corpusgraph.flows.llm.limits import Pace, Window
from corpusgraph.schemas.llm import Limits
from tests.client.given import Mark, client, prompts
from tests.client.server import Act, Server


def test_no_more_requests_at_once_than_allowed_and_no_fewer(tmp_path: Path) -> None:
    with Server(Act(delay=0.05)) as server, client(server, tmp_path, {"concurrency": 3}) as llm:
        assert all(r.value for r in llm.ask(prompts(12), Mark))
        assert max(c.beside for c in server.calls) == 3


def test_the_limit_holds_for_all_threads_together(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with Server(Act(delay=0.03)) as server, client(server, tmp_path, {"concurrency": 2}) as llm:
        with ThreadPoolExecutor(4) as pool:
            done = list(pool.map(lambda n: llm.ask(prompts(3, 10 * n), Mark), range(4)))
        assert all(r.value for replies in done for r in replies)
        assert len(server.calls) == 12
        assert max(c.beside for c in server.calls) == 2


def windowed(limit: float, amounts: list[float], period: float, used: float | None = None) -> list[float]:
    """Return when each of some requests that come at once may begin."""

    async def run() -> list[float]:
        window, start, times = Window(limit, period), time.monotonic(), []

        async def one(amount: float) -> None:
            entry = await window.take(amount)
            times.append(time.monotonic() - start)
            if used is not None:
                window.correct(entry, used)

        await asyncio.gather(*(one(a) for a in amounts))
        return times

    return asyncio.run(run())


def test_in_any_period_no_more_than_the_limit() -> None:
    times = windowed(4, [1.0] * 10, 0.2)
    for start in times:
        assert sum(start <= t < start + 0.195 for t in times) <= 4
    assert times[4] - times[3] > 0.1
    assert 0.39 < times[9] < 1.8, "one in each period would take that long"


def test_one_larger_than_the_limit_waits_for_an_empty_window() -> None:
    first, second, third = windowed(10, [5.0, 50.0, 1.0], 0.2)
    assert second - first > 0.1
    assert second > 0.19
    assert third > 0.39


def test_tokens_that_were_not_used_are_given_back() -> None:
    assert max(windowed(50, [30.0] * 5, 30.0, used=1.0)) < 2
    assert windowed(10, [3.0] * 4, 0.2, used=9.0)[3] > 0.35


def test_without_a_limit_nothing_waits() -> None:
    assert asyncio.run(unlimited()) < 0.5


async def unlimited() -> float:
    window, start = Window(None), time.monotonic()
    for _ in range(1000):
        await window.take(1e9)
    return time.monotonic() - start


def test_requests_a_minute_are_kept_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five a minute, the minute shortened to half a second."""
    given = Pace.__init__
    monkeypatch.setattr(Pace, "__init__", lambda self, limits, period=0.5: given(self, limits, period))
    limits = {"requests_per_minute": 5, "concurrency": 16}
    with Server() as server, client(server, tmp_path, limits) as llm:
        llm.ask(prompts(1), Mark)
        assert all(r.value for r in llm.ask(prompts(11, 1), Mark))
        times = [c.at for c in server.calls]
    for start in times:
        # The server sees them a little later than they are sent.
        assert sum(start <= t < start + 0.4 for t in times) <= 5


def test_tokens_a_minute_are_kept_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server counts 120 tokens a call: of 300 in a period, two calls fit."""
    given = Pace.__init__
    monkeypatch.setattr(Pace, "__init__", lambda self, limits, period=0.4: given(self, limits, period))
    limits = {"tokens_per_minute": 300, "concurrency": 1}
    with Server() as server, client(server, tmp_path, limits) as llm:
        llm.ask(prompts(1), Mark)
        start = time.monotonic()
        assert all(r.value for r in llm.ask(prompts(5, 1), Mark))
        assert time.monotonic() - start > 0.7


@pytest.mark.parametrize("headers", [{"Retry-After": "0.3"}, {"retry-after-ms": "300", "retry-after": "9"}])
def test_retry_after_is_waited_for(headers: dict[str, str], tmp_path: Path) -> None:
    def script(n: int, _body: object) -> Act:
        return Act(status=429, headers=headers) if n == 0 else Act()

    with Server(script) as server, client(server, tmp_path, {"max_wait": 5}) as llm:
        assert llm.ask(prompts(1), Mark)[0].value
        first, second = (c.at for c in server.calls)
    assert 0.3 <= second - first < 5.0


def test_waits_grow_and_stay_below_the_most() -> None:
    pace = Pace(Limits(max_wait=4))
    waits = [[pace.wait(n, None) for _ in range(300)] for n in range(8)]
    for n, drawn in enumerate(waits):
        most = min(4, 0.5 * 2**n)
        assert 0 <= min(drawn) < most / 4
        assert most * 0.75 < max(drawn) <= most
    assert max(pace.wait(0, 100.0) for _ in range(20)) == 4
    assert all(2.0 <= pace.wait(0, 2.0) <= 2.2 for _ in range(100))


def test_a_refused_key_stops_everything_at_once(tmp_path: Path) -> None:
    with (
        Server(Act(status=401, error="bad key")) as server,
        client(server, tmp_path, {"concurrency": 2}) as llm,
    ):
        replies = llm.ask(prompts(50), Mark)
        assert {r.code for r in replies} == {"unauthorized"}
        assert all("bad key" in (r.error or "") for r in replies)
        assert len(server.calls) <= 2
        assert llm.stopped == "unauthorized"
        assert llm.ask(prompts(1, 99), Mark)[0].code == "unauthorized"
        assert len(server.calls) <= 2
