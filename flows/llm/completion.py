"""What comes back from one request: something said, or why nothing was."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.llm import Divisible, ModelOptions, Prompt, ReplyFailure

Turn = tuple[Literal["system", "user", "assistant"], str]
"""Who says what."""


@dataclass(frozen=True)
class Said:
    """A reply as the endpoint gave it; tokens are 0 where it did not count them."""

    text: str
    finish: str
    prompt_tokens: int
    completion_tokens: int


class CallError(Exception):
    """A request that brought no reply.

    `again`: another attempt may help; `answered`: the endpoint is there; `wait`: seconds it asks to wait;
    `switched`: it refused the way a shape was asked for, and the next request asks otherwise.
    """

    def __init__(
        self,
        code: ReplyFailure,
        message: str,
        *,
        again: bool = False,
        answered: bool = True,
        wait: float | None = None,
        switched: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.again = again
        self.answered = answered
        self.wait = wait
        self.switched = switched


FORMAT = 1
"""Of cached replies: another number makes all of them be asked for again."""


@lru_cache(maxsize=256)
def schema(answer: type[BaseModel]) -> JsonDict:
    """Return the JSON schema of an answer."""
    return answer.model_json_schema()


@lru_cache(maxsize=256)
def schema_text(answer: type[BaseModel]) -> str:
    """Return the JSON schema of an answer on one line."""
    return json.dumps(schema(answer), ensure_ascii=False, separators=(",", ":"))


def in_words(answer: type[BaseModel]) -> str:
    """Ask for an answer of this shape in the prompt itself."""
    return (
        "Reply with one JSON object and nothing else: no prose, no code fence. "
        f"It must be valid against this JSON schema:\n{schema_text(answer)}"
    )


def parameters(options: ModelOptions) -> JsonDict:
    """Return what decides a reply besides the prompt: not where the endpoint is, nor the key or limits."""
    return {
        "format": FORMAT,
        "provider": options.provider,
        "model": options.model,
        "temperature": options.temperature,
        "max_tokens": options.max_tokens,
        "seed": options.seed,
        "extra_body": options.extra_body,
    }


class Keys:
    """Names of replies in the cache: a hash of model, parameters, prompt and schema."""

    def __init__(self, options: ModelOptions) -> None:
        self._parameters = json.dumps(parameters(options), sort_keys=True, ensure_ascii=False)

    @property
    def fingerprint(self) -> str:
        """Identify model and parameters."""
        return blake2b(_bytes(self._parameters), digest_size=8).hexdigest()

    def key(self, prompt: Prompt, answer: type[BaseModel]) -> str:
        """Return the name of the reply to a prompt."""
        made = blake2b(digest_size=20)
        for part in (self._parameters, schema_text(answer), prompt.system, prompt.user):
            data = _bytes(part)
            made.update(b"%d:" % len(data))
            made.update(data)
        return made.hexdigest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)
_MAX_PROBLEMS = 8


def said(text: str) -> str:
    """Return a reply without the thoughts of a reasoning model, also where only their end is marked."""
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text
    if "</" in text:
        text = _THOUGHT.sub("", text)
        if ends := list(_THOUGHT_END.finditer(text)):
            text = text[ends[-1].end() :]
    return text.strip()


def json_object(text: str) -> str | None:
    """Return the longest outermost JSON object in a text; None if there is none, or the last one is cut off.

    Nothing is taken from inside of an object that is not whole: a piece would look like an answer.
    """
    best, longest, place = None, 0, text.find("{")
    while place >= 0:
        end = _end(text, place)
        if end is None:
            return best
        if end - place > longest and (found := _decoded(text[place:end])) is not None:
            best, longest = found, end - place
        place = text.find("{", end)
    return best


def _decoded(text: str) -> str | None:
    """Return a JSON object in plain form: line breaks inside of strings are escaped."""
    try:
        found = _DECODER.decode(text)
    except (json.JSONDecodeError, RecursionError):
        return None
    return json.dumps(found, ensure_ascii=False) if isinstance(found, dict) else None


def _end(text: str, start: int) -> int | None:
    """Return where the braces opened at `start` are closed; None where they never are."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (json.JSONDecodeError, RecursionError):
        depth, quoted, escaped = 0, False, False
    for place in range(start, len(text)):
        mark = text[place]
        if quoted:
            quoted, escaped = escaped or mark != '"', mark == "\\" and not escaped
        elif mark == '"':
            quoted = True
        elif mark in "{}":
            depth += 1 if mark == "{" else -1
            if not depth:
                return place + 1
    return None


def problems(error: ValidationError, answer: type[BaseModel]) -> str:
    """Tell what is wrong with a reply, in words a model understands."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    told = [f"{'.'.join(map(str, p['loc'])) or answer.__name__}: {p['msg']}" for p in found[:_MAX_PROBLEMS]]
    more = len(found) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")


M = TypeVar("M", bound=BaseModel)
Check = Callable[[M], str | None]
_SHOWN = 12_000
"""Characters of a bad reply that the repair round shows."""


@dataclass(frozen=True)
class Judged(Generic[M]):
    """An answer with the JSON text it was read from, or what is wrong with the reply."""

    value: M | None = None
    text: str = ""
    code: ReplyFailure | None = None
    error: str = ""


def judge(reply: Said, answer: type[M], check: Check[M] | None) -> Judged[M]:
    """Read an answer from a reply. One cut off at the token limit is none, even if it can be read."""
    text = said(reply.text)
    if reply.finish == "content_filter":
        return Judged(code="refused", error="the model, or a filter before it, refused to answer", text=text)
    if reply.finish == "length":
        return Judged(code="truncated_reply", error="the reply was cut off at the token limit", text=text)
    if not text:
        return Judged(code="empty_reply", error="the reply was empty", text=text)
    return _read(text, answer, check)


def _read(text: str, answer: type[M], check: Check[M] | None) -> Judged[M]:
    try:
        value = answer.model_validate_json(text)
    except ValidationError as error:
        if error.errors(include_url=False, include_input=False)[0]["type"] != "json_invalid":
            return Judged(code="invalid_reply", error=problems(error, answer), text=text)
        found = json_object(text)
        if found is None:
            return Judged(code="invalid_reply", error="there is no whole JSON object in the reply", text=text)
        return (
            Judged(code="invalid_reply", error="not JSON", text=text)
            if found == text
            else _read(found, answer, check)
        )
    wrong = check(value) if check is not None else None
    if wrong is not None:
        return Judged(code="invalid_reply", error=wrong, text=text)
    return Judged(value=value, text=text)


def may_be_repaired(bad: Judged[M], answer: type[M]) -> bool:
    """Tell whether another round may help: not after a refusal, nor where a shorter answer lacks things."""
    return bad.code != "refused" and not (bad.code == "truncated_reply" and issubclass(answer, Divisible))


def first_round(prompt: Prompt) -> list[Turn]:
    """Return the conversation of a prompt."""
    return [("system", prompt.system), ("user", prompt.user)]


def repair_round(prompt: Prompt, bad: Judged[M], answer: type[M]) -> list[Turn]:
    """Return the conversation so far, with what is wrong with the reply.

    A reply that was cut off is not shown: it is long, and the model would go on where it stopped.
    """
    if bad.code == "empty_reply":
        return first_round(prompt)
    if bad.code == "truncated_reply":
        shorter = (
            "An earlier reply to this was cut off at the token limit. Reply again with a complete but much "
            "shorter JSON object: the same in fewer words, and nothing twice."
        )
        return [("system", prompt.system), ("user", f"{prompt.user}\n\n{shorter}")]
    wrong = (
        f"That reply cannot be used: {bad.error}. Reply again with the whole corrected JSON object and "
        f"nothing else. It must be valid against this JSON schema:\n{schema_text(answer)}"
    )
    return [*first_round(prompt), ("assistant", bad.text[:_SHOWN]), ("user", wrong)]


_STOPS: dict[str, tuple[ReplyFailure, str]] = {
    "budget_exhausted": ("budget_exhausted", "the budget is spent"),
    "unreachable": ("unreachable", "the endpoint is down"),
    "not_found": ("not_found", "the endpoint has no such model or path"),
    "unauthorized": ("unauthorized", "the endpoint refuses the key, or the account behind it"),
}


class Stop:
    """Whether calls are still made, and why not; used from one event loop."""

    def __init__(self) -> None:
        self.stopped: str | None = None
        self.why = ""
        self._event = asyncio.Event()

    def go_on(self) -> None:
        """Raise CallError once no more calls are made."""
        if self.stopped is not None:
            raise self._error(self.stopped)

    def halt(self, stopped: str, why: str = "") -> CallError:
        """Make no more calls; the first reason is the one that is told."""
        if self.stopped is None:
            self.stopped, self.why = stopped, why or _STOPS[stopped][1]
            self._event.set()
        return self._error(self.stopped)

    async def sleep(self, seconds: float) -> None:
        """Wait, but not for what is over."""
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return

    def _error(self, stopped: str) -> CallError:
        return CallError(_STOPS[stopped][0], f"not asked: {self.why}")
