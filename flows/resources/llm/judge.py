"""Whether what a model said is an answer, and what to say to it if not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from corpusgraph.flows.resources.llm.replytext import json_object, problems, said
from corpusgraph.flows.resources.llm.said import Said, Turn
from corpusgraph.flows.resources.llm.shape import schema_text
from corpusgraph.schemas.llm import Divisible, Prompt, ReplyFailure

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
