"""An endpoint that is down is left alone, tried again, and given up; one that has bad luck is not."""

import asyncio
import time
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from corpusgraph.flows.llm.limits import Breaker, CallError
from tests.client.given import Mark, client, prompts
from tests.client.server import Act, Server


def test_a_dead_endpoint_is_given_up_after_three_probes(tmp_path: Path) -> None:
    limits = {"breaker": 4, "attempts": 20, "concurrency": 4, "cool_down": 0.1}
    with Server(Act(status=500)) as server, client(server, tmp_path, limits) as llm:
        start = time.monotonic()
        replies = llm.ask(prompts(200), Mark)
        took = time.monotonic() - start
        assert {r.code for r in replies} == {"unreachable"}
        assert all(r.error for r in replies)
        assert llm.stopped == "unreachable"
        # Those under way when it opens are at most as many as run at once.
        assert 4 + 3 <= len(server.calls) <= 4 + 3 + 3
        assert took >= 0.3
        assert llm.ask(prompts(1, 999), Mark)[0].code == "unreachable"
        assert len(server.calls) <= 10


def test_nothing_listens(tmp_path: Path) -> None:
    limits = {"breaker": 3, "attempts": 30}
    with client("http://127.0.0.1:9/v1", tmp_path, limits) as llm:
        replies = llm.ask(prompts(30), Mark)
    assert {r.code for r in replies} == {"unreachable"}
    assert "connect" in (replies[-1].error or "").casefold()


def test_an_endpoint_that_comes_back_is_used_again(tmp_path: Path) -> None:
    limits = {"breaker": 4, "attempts": 20, "concurrency": 4, "cool_down": 0.15}
    with (
        Server(lambda n, _body: Act(status=503) if n < 6 else Act()) as server,
        client(server, tmp_path, limits) as llm,
    ):
        assert all(r.value for r in llm.ask(prompts(40), Mark))
        assert llm.stopped is None
        times = [c.at for c in server.calls[:7]]
    # While open nobody calls: the last two failures and the first success are single probes.
    assert max(b - a for a, b in pairwise(times)) >= 0.14


def test_refusals_and_bad_replies_are_answers(tmp_path: Path) -> None:
    acts = [Act(status=429), Act(status=400, error="no"), Act("nonsense")]
    limits = {"breaker": 2, "attempts": 2}
    with Server(lambda n, _body: acts[n % 3]) as server, client(server, tmp_path, limits) as llm:
        llm.ask(prompts(30), Mark)
        assert llm.stopped is None
        assert len(server.calls) >= 30


def test_bad_luck_does_not_open_it(tmp_path: Path) -> None:
    luck = Random(5)  # noqa: S311
    mixed = [Act(status=500), Act(drop=True), Act(status=429), Act("{"), Act(""), Act(finish="length")]

    def script(_n: int, _body: object) -> Act:
        return luck.choice(mixed) if luck.random() < 0.3 else Act()

    with Server(script) as server, client(server, tmp_path, {"cool_down": 60.0}) as llm:
        replies = llm.ask(prompts(150), Mark)
        assert llm.stopped is None
        assert sum(r.value is not None for r in replies) > 120
        assert all((r.value is None) == (r.error is not None) for r in replies)


async def silent(breaker: Breaker) -> None:
    """Make a request that is not answered."""
    with pytest.raises(CallError, match="nobody"):
        async with breaker.request():
            raise CallError("timeout", "nobody", answered=False)


def test_while_one_probes_the_others_wait() -> None:
    async def run() -> None:
        breaker, going, probes = Breaker(threshold=2, cool_down=0.05), asyncio.Event(), list[bool]()

        async def request() -> None:
            async with breaker.request() as probe:
                probes.append(probe)
                await going.wait()

        await silent(breaker)
        await silent(breaker)
        entered = [asyncio.create_task(request()) for _ in range(3)]
        await asyncio.sleep(0.02)
        assert not probes
        await asyncio.sleep(0.1)
        assert probes == [True]
        entered[0].cancel()
        await asyncio.sleep(0.01)
        assert probes == [True, True]
        going.set()
        await asyncio.wait(entered)
        assert probes == [True, True, False]

    asyncio.run(run())


def test_three_failed_probes_are_the_end() -> None:
    async def run() -> None:
        breaker = Breaker(threshold=1, cool_down=0.01)
        await silent(breaker)
        for _ in range(3):
            assert not breaker.down
            await silent(breaker)
        assert breaker.down
        with pytest.raises(CallError, match="down"):
            async with breaker.request():
                pass

    asyncio.run(run())
