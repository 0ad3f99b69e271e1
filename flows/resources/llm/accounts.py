"""Accounts: what each stage asked and paid, and the budget that no request may exceed."""

import asyncio
from collections.abc import Callable
from math import fsum
from threading import Lock

from corpusgraph.schemas.llm import StageUsage, Usage


class Account:
    """One stage's account; several threads may write to it."""

    def __init__(self, stage: str, model: str) -> None:
        self.stage = stage
        self._model = model
        self._lock = Lock()
        self._usage = Usage()
        self._counts = {"reused": 0, "repaired": 0, "retried": 0, "failed": 0}

    def count(self, what: str, by: int = 1) -> None:
        """Count prompts reused or failed, replies repaired, requests retried."""
        with self._lock:
            self._counts[what] += by

    def spend(self, usage: Usage) -> None:
        """Add what a request cost."""
        with self._lock:
            self._usage += usage

    def told(self) -> StageUsage:
        """Return the account as it stands."""
        with self._lock:
            return StageUsage(stage=self.stage, model=self._model, **self._usage.model_dump(), **self._counts)


Expected = Callable[[bool], float]
"""What a request will cost as far as is known by now; True: at the worst, where nothing is known yet."""


class Budget:
    """US dollars that may be spent; what requests under way will cost is held back."""

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._held: dict[int, Expected] = {}
        self._n = 0
        self._settled = asyncio.Event()
        self.spent = 0.0

    async def hold(self, cost: Expected) -> int | None:
        """Hold back what a request may cost; None if there is no room for it.

        While requests under way may turn out cheaper than thought, it waits for them.
        """
        while not self._fits(cost):
            if not self._held:
                return None
            await self._settled.wait()
        self._n += 1
        self._held[self._n] = cost
        return self._n

    def settle(self, held: int, cost: float) -> None:
        """Say what the request really cost."""
        del self._held[held]
        self.spent += cost
        self._settled.set()
        self._settled = asyncio.Event()

    def _fits(self, cost: Expected) -> bool:
        """Tell whether there is room; a first request goes alone if there may not be for the worst."""
        if self._limit is None:
            return True
        room = self._limit - self.spent - fsum(held(True) for held in self._held.values())
        return cost(bool(self._held)) <= room
