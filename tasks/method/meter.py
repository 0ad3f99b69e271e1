"""Count what a method's calls of a language model cost."""

from collections.abc import Sequence
from threading import Lock
from typing import TypeVar

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
