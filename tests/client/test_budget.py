"""Nothing is paid for beyond the budget, and every cent stands in an account."""

from pathlib import Path

import pytest

from corpusgraph.flows.llm.client import open_client
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.llm import Usage
from tests.client.given import Mark, client, profile, prompts
from tests.client.server import Act, Server

CENTS = 100 * 1e-6 + 20 * 2e-6
"""Of one call: the server counts 100 tokens in and 20 out; the profile's price is 1 and 2 dollars a million."""


def test_a_budget_stops_cleanly_and_close_to_its_end(tmp_path: Path) -> None:
    budget = 20.5 * CENTS
    with Server(Act(delay=0.005)) as server, client(server, tmp_path, budget=budget) as llm:
        replies = llm.ask(prompts(60), Mark)
        spent = sum(r.usage.cost or 0 for r in replies)
        assert llm.stopped == "budget_exhausted"
        assert 17 * CENTS < spent <= budget
        assert {r.code for r in replies} == {None, "budget_exhausted"}
        assert sum(r.value is not None for r in replies) == len(server.calls)
        paid = len(server.calls)
    with client(server, tmp_path, budget=budget) as again:
        known = again.cached(prompts(60), Mark)
        assert sum(known) == paid


def test_what_was_paid_for_is_answered_after_the_end_of_the_budget(tmp_path: Path) -> None:
    with Server() as server, client(server, tmp_path, {"concurrency": 1}, budget=3.5 * CENTS) as llm:
        llm.ask(prompts(9), Mark)
        assert llm.stopped == "budget_exhausted"
        replies = llm.ask(prompts(9), Mark)
        assert [r.code for r in replies] == [None] * 3 + ["budget_exhausted"] * 6
        assert [r.cached for r in replies[:3]] == [True] * 3


def test_the_profile_has_a_budget_too_and_the_runs_goes_before_it(tmp_path: Path) -> None:
    with Server() as server:
        with client(server, tmp_path, {"budget": CENTS * 2.5, "concurrency": 1}) as llm:
            assert sum(r.value is not None for r in llm.ask(prompts(5), Mark)) == 2
        with client(server, tmp_path, {"budget": CENTS * 2.5}, budget=1.0) as llm:
            assert all(r.value for r in llm.ask(prompts(5), Mark))


def test_a_budget_needs_a_price(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="no price of 'm' is known") as told:
        client("http://127.0.0.1:9/v1", tmp_path, budget=1.0, price=None)
    assert "price: {input:" in str(told.value.hint)


def test_an_unknown_price_is_said_to_be_unknown(tmp_path: Path) -> None:
    with Server() as server, client(server, tmp_path, price=None) as llm:
        [reply] = llm.ask(prompts(1), Mark)
        assert reply.usage == Usage(calls=1, prompt_tokens=100, completion_tokens=20, cost=None)
        assert llm.price is None
        assert llm.usage[0].cost is None


def test_published_prices_are_found_by_provider_and_address(tmp_path: Path) -> None:
    url = "https://api.deepseek.com/v1"
    known = [
        profile("", provider="openai", base_url=None, model="gpt-4o-mini", price=None),
        profile("", provider="azure", base_url="https://x", api_version="1", model="gpt-4o-mini", price=None),
        profile(url, model="deepseek-chat", price=None),
    ]
    for one in known:
        price = open_client(one, tmp_path).price
        assert price is not None
        assert 0 < price.input < price.output < 100
    assert (
        open_client(profile("http://localhost:8000/v1", model="gpt-4o-mini", price=None), tmp_path).price
        is None
    )


def test_each_stage_has_its_account(tmp_path: Path) -> None:
    bad = Act('{"name": "x"}')
    with (
        Server(lambda n, _body: bad if n == 2 else Act(status=500) if n == 3 else Act()) as server,
        client(server, tmp_path, {"concurrency": 1}) as llm,
    ):
        with llm.stage("extract"):
            llm.ask(prompts(2), Mark)
            llm.ask(prompts(2), Mark)
        with llm.stage("reports"):
            llm.ask(prompts(2, 1), Mark)
        extract, reports = llm.usage
    assert (extract.stage, extract.calls, extract.reused, extract.retried) == ("extract", 2, 2, 0)
    assert (reports.stage, reports.calls, reports.reused, reports.repaired) == ("reports", 2, 1, 1)
    assert reports.retried == 1
    assert extract.cost == pytest.approx(2 * CENTS)
    assert (extract.prompt_tokens, extract.completion_tokens, extract.model) == (200, 40, "m")


def test_a_server_that_does_not_count_is_estimated(tmp_path: Path) -> None:
    with Server(Act(usage=False)) as server, client(server, tmp_path) as llm:
        usage = llm.ask(prompts(1), Mark)[0].usage
    assert usage.prompt_tokens == round(len("Score the name.Name number 0") / 4)
    assert usage.completion_tokens == round(len(Act().content or "") / 4)
    assert usage.cost == pytest.approx((usage.prompt_tokens + 2 * usage.completion_tokens) * 1e-6)


def test_estimates_follow_what_was_seen(tmp_path: Path) -> None:
    size = len("Score the name.Name number 0")
    with Server() as server:
        with client(server, tmp_path) as llm:
            assert llm.estimate(prompts(10), Mark).prompt_tokens == round(10 * size / 4)
            llm.ask(prompts(10), Mark)
        with client(server, tmp_path) as llm:
            ratio = llm.ratios(Mark)
            assert (ratio.n, ratio.longest) == (10, 20)
            assert ratio.characters_per_token == pytest.approx(size / 100)
            usage = llm.estimate([*prompts(10), *prompts(10, 20)], Mark)
            assert usage.calls == 10
            assert usage.prompt_tokens == pytest.approx(1000, rel=0.05)
            assert usage.completion_tokens == pytest.approx(200, rel=0.05)
            assert usage.cost == pytest.approx(10 * CENTS, rel=0.05)
            assert llm.estimate(prompts(10), Mark) == Usage()
