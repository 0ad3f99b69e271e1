"""Engines: results in order, errors raised, few batches held at a time."""

from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from corpusgraph.flows.engine import Inline, windowed


def double(n: int) -> int:
    return 2 * n


def fail(n: int) -> int:
    message = f"no {n}"
    raise ValueError(message)


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_batches(workers: int) -> None:
    assert list(Inline(workers).map("stage", double, range(7))) == [0, 2, 4, 6, 8, 10, 12]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_batch_fails_the_stage(workers: int) -> None:
    with pytest.raises(ValueError, match="no 0"):
        list(Inline(workers).map("stage", fail, range(3)))


def test_at_most_width_futures_are_under_way() -> None:
    under_way, most = 0, 0

    class Waiting(Future[int]):
        def result(self, timeout: float | None = None) -> int:
            nonlocal under_way
            under_way -= 1
            return super().result(timeout)

    def futures() -> Iterator[Future[int]]:
        nonlocal under_way, most
        for n in range(10):
            future = Waiting()
            future.set_result(n)
            under_way += 1
            most = max(most, under_way)
            yield future

    assert list(windowed(futures(), 3)) == list(range(10))
    assert most == 3


def test_run_returns_what_the_stage_returns() -> None:
    assert Inline().run("stage", lambda: "done") == "done"
