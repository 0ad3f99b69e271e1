"""Pieces of work that ask a language model side by side.

Each has a thread of its own, yet only one runs at a time, in order, until it asks the model or is done: what
they share is never used by two at once, and the same happens in every run. When all wait for the model, what
they ask is asked together.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from threading import Semaphore
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.ports import Accept, LanguageModel
from corpusgraph.tasks.method.meter import Behind
from corpusgraph.tasks.query.prompting import ask_all

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
Work = Callable[[LanguageModel], T]
"""Makes something, with a model to ask."""
AT_ONCE = 64
"""Pieces of work that are begun before any is done."""


class Abandoned(BaseException):
    """Ends a piece of work that nobody waits for any more."""


@dataclass(frozen=True)
class Call:
    """What a piece of work asks the model."""

    prompts: Sequence[Prompt]
    answer: type[BaseModel]
    accept: Accept[Any] | None


class Strand(Behind, Generic[T]):
    """A piece of work that runs from one question to the model to the next; to the work it is the model."""

    def __init__(self, work: Work[T], model: LanguageModel, pool: ThreadPoolExecutor) -> None:
        super().__init__(model)
        self._work = work
        self._pool = pool
        self._context = copy_context()
        self._go, self._rests = Semaphore(0), Semaphore(0)
        self._future: Future[T] | None = None
        self._replies: list[Reply[Any]] = []
        self._refused: BaseException | None = None
        self.call: Call | None = None
        self.done = False

    def ask(
        self, prompts: Sequence[Prompt], answer: type[M], accept: Accept[M] | None = None
    ) -> list[Reply[M]]:
        """Wait until the prompts are asked with those of the others; called by the work."""
        self._raise_refused()
        self.call = Call(prompts, answer, accept)
        self._rests.release()
        self._go.acquire()
        self._raise_refused()
        return self._replies

    def run(self) -> None:
        """Run until it asks or is done."""
        if self._future is not None:
            self._go.release()
        self._begun()
        self._rests.acquire()

    def give(self, replies: list[Reply[Any]]) -> None:
        """Hand over what it asked for."""
        self._replies, self.call = replies, None

    def refuse(self, error: BaseException) -> None:
        """Let what it asked raise an error, and whatever it asks after that."""
        self._refused, self.call = error, None

    def abandon(self) -> None:
        """End it where it stands, if it is not done."""
        if self._future is not None and not self.done:
            self.refuse(Abandoned())
            self._go.release()

    @property
    def failed(self) -> bool:
        """Tell whether it ended by an error."""
        return self.done and self._begun().exception() is not None

    def result(self) -> T:
        """Return what it made, or raise what ended it; it is done."""
        return self._begun().result()

    def _begun(self) -> Future[T]:
        if self._future is None:
            self._future = self._pool.submit(self._context.run, self._whole)
        return self._future

    def _whole(self) -> T:
        try:
            return self._work(self)
        finally:
            self.done = True
            self._rests.release()

    def _raise_refused(self) -> None:
        if self._refused is not None:
            raise self._refused


def side_by_side(
    works: Sequence[Work[T]], model: LanguageModel, after: Sequence[Collection[int]] | None = None
) -> list[T]:
    """Return what each piece of work makes, in order; `after` says which others it has to wait for.

    The first that fails ends them all, and its error is raised.
    """
    made: list[T] = []
    size = len(works) if after is not None else AT_ONCE  # what waits for others has to be begun with them
    for start in range(0, len(works), size or 1):
        with _strands(works[start : start + size], model) as strands:
            waits = [() for _ in strands] if after is None else after
            while not all(strand.done for strand in strands):
                _advance(strands, waits)
                _ask(model, [strand for strand in strands if strand.call is not None])
            made += [strand.result() for strand in strands]
    return made


@contextmanager
def _strands(works: Sequence[Work[T]], model: LanguageModel) -> Iterator[list[Strand[T]]]:
    """Give a strand for each piece of work; those not done at the end are abandoned."""
    with ThreadPoolExecutor(len(works), thread_name_prefix="strand") as pool:
        strands = [Strand(work, model, pool) for work in works]
        try:
            yield strands
        finally:
            for strand in strands:
                strand.abandon()


def _advance(strands: Sequence[Strand[T]], after: Sequence[Collection[int]]) -> None:
    """Run each in order as far as it goes without the model; raise the error of one that fails."""
    moved = True
    while moved:
        moved = False
        for strand, waits in zip(strands, after, strict=True):
            if strand.done or strand.call is not None or not all(strands[i].done for i in waits):
                continue
            strand.run()
            moved = True
            if strand.failed:
                strand.result()


def _ask(model: LanguageModel, strands: Sequence[Strand[T]]) -> None:
    """Ask together what all wait for, one kind of answer after the other."""
    kinds = dict.fromkeys(strand.call.answer for strand in strands if strand.call is not None)
    for kind in kinds:
        waiting = [(s, s.call) for s in strands if s.call is not None and s.call.answer is kind]
        try:
            replies = iter(_asked(model, [call for _, call in waiting], kind))
        except CorpusgraphError as error:
            waiting[0][0].refuse(error)
            return
        for strand, call in waiting:
            strand.give([next(replies) for _ in call.prompts])


def _asked(model: LanguageModel, calls: Sequence[Call], answer: type[M]) -> list[Reply[M]]:
    places = [(call, place) for call in calls for place in range(len(call.prompts))]

    def accept(place: int, value: M) -> str | None:
        call, own = places[place]
        return call.accept(own, value) if call.accept is not None else None

    prompts = [call.prompts[place] for call, place in places]
    return ask_all(model, prompts, answer, accept if any(call.accept for call in calls) else None)
