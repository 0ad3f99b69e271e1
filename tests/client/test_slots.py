"""Places for requests: never more than there are, none lost, a repair first."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.flows.llm.limits import Slots


async def hold(slots: Slots, name: str, order: list[str], *, first: bool = False) -> None:
    async with slots.one(first=first):
        order.append(name)
        await asyncio.sleep(0)


def test_a_repair_goes_before_those_who_wait() -> None:
    async def run() -> list[str]:
        slots, order = Slots(1), list[str]()
        async with slots.one():
            waiting = [asyncio.create_task(hold(slots, name, order)) for name in "abc"]
            await asyncio.sleep(0)
            waiting.append(asyncio.create_task(hold(slots, "repair", order, first=True)))
            await asyncio.sleep(0)
        await asyncio.gather(*waiting)
        return order

    assert asyncio.run(run()) == ["repair", "a", "b", "c"]


@given(st.integers(1, 4), st.lists(st.tuples(st.booleans(), st.integers(0, 5)), max_size=20))
def test_no_place_is_lost_or_doubled_whoever_gives_up(count: int, tasks: list[tuple[bool, int]]) -> None:
    async def run() -> tuple[int, list[str]]:
        slots, under_way, most = Slots(count), 0, 0

        async def one(first: bool) -> None:
            nonlocal under_way, most
            async with slots.one(first=first):
                under_way += 1
                most = max(most, under_way)
                try:
                    await asyncio.sleep(0)
                finally:
                    under_way -= 1

        begun = []
        for first, patience in tasks:
            task = asyncio.create_task(one(first))
            begun.append(task)
            if patience < 3:
                for _ in range(patience):
                    await asyncio.sleep(0)
                task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        order: list[str] = []
        await asyncio.gather(*(hold(slots, str(n), order) for n in range(count)))
        return most, order

    most, order = asyncio.run(run())
    assert most <= count
    assert len(order) == count
