"""What a model says, down to the JSON object in it: thoughts, prose and code fences left out."""

import json
import re

from pydantic import BaseModel, ValidationError

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
