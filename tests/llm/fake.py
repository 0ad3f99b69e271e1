"""A language model for tests: it says what a script says, and can misbehave as real ones do."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from corpusgraph.schemas.llm import Prompt, Reply, Usage
from corpusgraph.schemas.ports import Accept
from corpusgraph.tasks.llm.prompting import cut
from corpusgraph.tasks.text.tokens import count_tokens

M = TypeVar("M", bound=BaseModel)
Said = BaseModel | Mapping[str, Any] | str
"""An instance, fields to validate, or raw text, which is read as JSON."""
Script = Callable[[Prompt, type[BaseModel]], Said]
Fault = Literal[
    "error", "flaky", "short", "long", "integers", "out_of_range", "empty", "unknown", "foreign", "repetition"
]
"""error: every reply fails; flaky: every second one; short, long: each list lacks its last item, or says it
twice; integers: fractions come as "0" and "1"; out_of_range: as percentages and more; empty: no list has
items; unknown: ids and words that nothing has; foreign: every text in another language; repetition: each
list thrice."""
FAULTS: tuple[Fault, ...] = (
    "error",
    "flaky",
    "short",
    "long",
    "integers",
    "out_of_range",
    "empty",
    "unknown",
    "foreign",
    "repetition",
)
FOREIGN = "Это другой язык"
NOWHERE = "Zzyzx"


class FakeModel:
    """Implements `ports.LanguageModel` by a script: a function (prompt, answer model) -> what is said.

    Instead of a function, `answers` may be one answer for all prompts, or a mapping from the name of the
    answer model to its answer. `prompts` holds all prompts in order, `usage` what they cost together.
    A reply of more than `max_tokens` is cut off there, and so of no use, as that of a real one is.
    """

    def __init__(
        self,
        answers: Script | Said | Mapping[str, Said],
        *,
        fault: Fault | None = None,
        name: str = "fake",
        max_tokens: int | None = None,
    ) -> None:
        self._script = _script(answers)
        self._fault = fault
        self._name = name
        self._max_tokens = max_tokens
        self.prompts: list[Prompt] = []
        self.usage = Usage()

    @property
    def name(self) -> str:
        """Tell that it is a fake."""
        return self._name

    def ask(
        self, prompts: Sequence[Prompt], answer: type[M], accept: Accept[M] | None = None
    ) -> list[Reply[M]]:
        """Answer each prompt; what does not validate, is not accepted, or fails by the fault, has its `error`."""
        replies = [self._reply(prompt, answer) for prompt in prompts]
        return [_accepted(reply, n, accept) for n, reply in enumerate(replies)]

    def _reply(self, prompt: Prompt, answer: type[M]) -> Reply[M]:
        self.prompts.append(prompt)
        if self._fault == "error" or (self._fault == "flaky" and len(self.prompts) % 2 == 0):
            return Reply(error="the server gave no answer", usage=self._spent(prompt, ""))
        said = _plain(self._script(prompt, answer))
        if self._fault is not None and not isinstance(said, str):
            said = _spoilt(said, self._fault)
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        if self._max_tokens is not None and count_tokens(text) > self._max_tokens:
            spent = self._spent(prompt, cut(text, self._max_tokens))
            error = "the reply was cut off at the token limit"
            return Reply(error=error, code="truncated_reply", usage=spent)
        try:
            value = answer.model_validate_json(text)
        except ValidationError as error:
            # A real client asks once more; the same script fails the same way.
            return Reply(error=str(error), usage=self._spent(prompt, text) + self._spent(prompt, text))
        return Reply(value=value, usage=self._spent(prompt, text))

    def _spent(self, prompt: Prompt, said: str) -> Usage:
        used = Usage(
            calls=1,
            prompt_tokens=count_tokens(prompt.system) + count_tokens(prompt.user),
            completion_tokens=count_tokens(said),
        )
        self.usage = self.usage + used
        return used


def _accepted(reply: Reply[M], place: int, accept: Accept[M] | None) -> Reply[M]:
    wrong = accept(place, reply.value) if accept is not None and reply.value is not None else None
    return replace(reply, value=None, error=wrong, code="invalid_reply") if wrong else reply


def _script(answers: Script | Said | Mapping[str, Said]) -> Script:
    if callable(answers):
        return answers
    by_model = isinstance(answers, Mapping) and all(name[:1].isupper() for name in answers) and answers

    def say(_prompt: Prompt, answer: type[BaseModel]) -> Said:
        said: Said = by_model[answer.__name__] if by_model else answers
        return said

    return say


def _plain(said: Said) -> Any:
    return said.model_dump(mode="json") if isinstance(said, BaseModel) else said


def _spoilt(value: Any, fault: Fault) -> Any:
    """Apply a fault to every list, number and text inside an answer."""
    if isinstance(value, Mapping):
        return {key: _spoilt(inner, fault) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return _list([_spoilt(inner, fault) for inner in value], fault)
    return value if isinstance(value, bool) else _spoilt_scalar(value, fault)


def _spoilt_scalar(value: Any, fault: Fault) -> Any:
    if isinstance(value, float):
        return {"integers": str(round(value)), "out_of_range": value * 100 + 2}.get(fault, value)
    if isinstance(value, int):
        return value + 1000 if fault == "unknown" else value
    return {"unknown": NOWHERE, "foreign": FOREIGN}.get(fault, value) if isinstance(value, str) else value


def _list(items: list[Any], fault: Fault) -> list[Any]:
    made = {"short": items[:-1], "long": items + items[-1:], "empty": [], "repetition": items * 3}
    return made.get(fault, items)
