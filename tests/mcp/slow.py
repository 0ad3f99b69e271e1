"""A tool that takes as long as a test wants: registered for one test, and gone after it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks.registry import TOOLS, Effect, Tool, load

PATIENCE = 60.0


class Slow(ToolInput):
    """Nothing is asked for."""


@dataclass
class Gate:
    """Holds calls up until it is opened, and counts them."""

    open: threading.Event = field(default_factory=threading.Event)
    began: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    at_once: int = 0
    most: int = 0
    done: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def pass_through(self, _ask: Slow) -> str:
        """Wait until the gate is open."""
        with self.lock:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        self.began.release()
        self.open.wait(PATIENCE)
        with self.lock:
            self.at_once -= 1
            self.done += 1
        return "passed"


def offer(
    monkeypatch: pytest.MonkeyPatch, work: Callable[[Slow], Any], output: Any = str, effect: Effect = "reads"
) -> None:
    """Put a tool `slow` that does the work into the registry, until the test ends."""

    def slow(ask: Slow) -> Any:
        """Take its time."""
        return work(ask)

    load()
    nothing: frozenset[str] = frozenset()
    made = Tool(
        name="slow",
        number=None,
        function=slow,
        input=Slow,
        output=output,
        writes="",
        needs=nothing,
        optional=nothing,
        adds=nothing,
        cite="",
        aliases=(),
        ports=(),
        effect=effect,
    )
    monkeypatch.setitem(TOOLS, "slow", made)


def logged(monkeypatch: pytest.MonkeyPatch) -> list[type[BaseException]]:
    """Return the list that the errors of threads are put into."""
    found: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda told: found.append(told.exc_type))
    return found
