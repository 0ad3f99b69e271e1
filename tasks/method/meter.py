"""Count what a method's calls of a language model cost."""

from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from typing import Any, TypeVar

from pydantic import BaseModel

from corpusgraph.schemas.llm import Prompt, Reply, Usage
from corpusgraph.schemas.ports import Accept, LanguageModel

M = TypeVar("M", bound=BaseModel)


class Behind:
    """A language model that stands before another one.

    Parameters
    ----------
    model : LanguageModel
        The model that is asked.

    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def stopped(self) -> str | None:
        """Why the model is not asked any more, if it tells."""
        told: str | None = getattr(self._model, "stopped", None)
        return told


class Meter(Behind):
    """Adds up what the replies of a language model cost, how many were stored ones, and how many failed.

    Parameters
    ----------
    model : LanguageModel
        The model that is asked.

    """

    def __init__(self, model: LanguageModel) -> None:
        super().__init__(model)
        self.usage = Usage()
        self.reused = 0
        self.failed = 0
        self._lock = Lock()

    def ask(
        self, prompts: Sequence[Prompt], answer: type[M], accept: Accept[M] | None = None
    ) -> list[Reply[M]]:
        """Ask the model, and add up.

        Parameters
        ----------
        prompts : sequence of Prompt
            What is asked.
        answer : type
            Model of a reply.
        accept : callable, optional
            Judges a reply by its place; returns what is wrong with it, or None.

        Returns
        -------
        list of Reply
            One for each prompt.

        """
        replies = self._model.ask(prompts, answer, accept)
        with self._lock:  # rounds that run side by side share what is metered
            self.usage = sum((reply.usage for reply in replies), self.usage)
            self.reused += sum(reply.cached for reply in replies)
            self.failed += sum(reply.error is not None for reply in replies)
        return replies


class Metered(Mapping[str, Any]):
    """Ports with the language model metered; the others are made when they are first asked for.

    Parameters
    ----------
    resources : mapping of str to Any
        Ports of tools.

    """

    def __init__(self, resources: Mapping[str, Any]) -> None:
        self._resources = resources
        asked = resources.get("llm")
        self.meter = Meter(asked) if asked is not None else None

    def apart(self) -> "Metered":
        """Return the same ports with a meter of their own.

        Returns
        -------
        Metered
            Its calls count for it alone.

        """
        return Metered(self._resources)

    @property
    def usage(self) -> Usage:
        """What all calls so far cost."""
        return self.meter.usage if self.meter is not None else Usage()

    def __getitem__(self, port: str) -> Any:
        """Return the implementation of a port."""
        return self.meter if port == "llm" else self._resources[port]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the port names."""
        return iter({**dict.fromkeys(self._resources), "llm": None})

    def __len__(self) -> int:
        """Return the number of ports."""
        return len({*self._resources, "llm"})


def since(after: Usage, before: Usage) -> Usage:
    """Return what was spent between two readings.

    Parameters
    ----------
    after, before : Usage
        Readings of one meter.

    Returns
    -------
    Usage
        Its cost, in US dollars, is None where either reading has none.

    """
    known = after.cost is not None and before.cost is not None
    return Usage(
        calls=after.calls - before.calls,
        prompt_tokens=after.prompt_tokens - before.prompt_tokens,
        completion_tokens=after.completion_tokens - before.completion_tokens,
        cost=(after.cost or 0.0) - (before.cost or 0.0) if known else None,
    )
