"""What goes wrong between a good model and its client, each by its name."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Literal, get_args

from tests.faults import server_answers as answers
from tests.faults.server_asked import Asked

Fault = Literal[
    "429",
    "429_bare",
    "500",
    "timeout",
    "dropped",
    "truncated_json",
    "length",
    "prose",
    "wrong_types",
    "missing_fields",
    "empty",
    "foreign",
    "wrong_chunk",
    "injected",
    "refusal",
]
"""429, 429_bare: too many requests, with and without Retry-After; 500: an error of the server; timeout: no
answer; dropped: the connection ends in the middle of the body; truncated_json: cut, and said to be whole;
length: repetition up to the token limit; prose: right, with prose and a code fence around; wrong_types,
missing_fields: not as the schema has it; empty: nothing; foreign: in another language; wrong_chunk: right for
another passage; injected: about things that are nowhere; refusal: the model declines."""
FAULTS: tuple[Fault, ...] = get_args(Fault)
TRANSPORT: frozenset[str] = frozenset({"429", "429_bare", "500", "timeout", "dropped"})
"""Faults before a reply is read; the others are in what the reply says."""

WORDY = frozenset({"extract", "glean", "report", "describe", "write", "points", "prime"})
"""Kinds of answers whose language can be told from their words."""

ELSEWHERE = (
    "Captain Nemo commanded the Nautilus. In 1866 Ned Land hunted the whale off Yokohama. "
    "Professor Aronnax believed that Conseil saved Ned Land."
)
OBEYED = (
    "The Zorblax Syndicate rules the Moon Treasury. In 1999 Zorblax Prime paid Agent Vex. "
    "Agent Vex said that Zorblax Prime owns everything."
)
REFUSED = "I'm sorry, but I can't help with that."
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_OTHER = "абцдефгхийклмнопярстувwхыз".replace("w", "ш")
_FOREIGN = str.maketrans(_LATIN + _LATIN.upper(), _OTHER + _OTHER.upper())
DEFAULT_LIMIT = 1024
CHARACTERS = 4
"""Of a token."""


@dataclass(frozen=True)
class Said:
    """The message of a reply: its text, and why it ends."""

    text: str
    finish: Literal["stop", "length"] = "stop"
    refused: bool = False
    plain: bool = False
    """Said as text even where a tool was to be called."""


def mixed(rate: float) -> dict[Fault, float]:
    """Share a rate among all faults."""
    return dict.fromkeys(FAULTS, rate / len(FAULTS))


def choose(faults: Mapping[Fault, float], seed: int, key: str, attempt: int) -> Fault | None:
    """Choose by seed, prompt and attempt alone, so that neither order nor time matters."""
    drawn = blake2b(f"{seed} {key} {attempt}".encode(), digest_size=8).digest()
    at, share = int.from_bytes(drawn, "big") / 2**64, 0.0
    for fault, rate in faults.items():
        share += rate
        if at < share:
            return fault
    return None


def said(asked: Asked, fault: Fault | None, right: str) -> Said:
    """Return what the model says under a fault, where `right` would be the answer without one."""
    simple = {
        "empty": Said("", plain=True),
        "refusal": Said(REFUSED, refused=True),
        "truncated_json": Said(right[: max(1, len(right) * 3 // 5)]),
        "prose": Said(f"Here is what I found:\n\n```json\n{right}\n```\n\nLet me know!", plain=True),
        "length": Said(_repeated(right, asked.max_tokens or DEFAULT_LIMIT), finish="length"),
    }
    if fault in simple:
        return simple[fault]
    if fault is None or fault in TRANSPORT:
        return Said(right)
    return Said(answers.content(_wrong(asked, fault, right)))


def within(said: Said, limit: int | None) -> Said:
    """Cut what is said at the token limit of the request, and tell so, as every real endpoint does."""
    if limit is None or len(said.text) <= limit * CHARACTERS:
        return said
    return replace(said, text=said.text[: limit * CHARACTERS], finish="length")


def _repeated(right: str, limit: int) -> str:
    start = right[: len(right) // 2]
    again = start[-40:] or "and "
    room = max(0, limit * CHARACTERS - len(start))
    return (start + again * (room // len(again) + 1))[: limit * CHARACTERS]


def _wrong(asked: Asked, fault: Fault, right: str) -> Any:
    """Return a JSON value that is wrong in the way of the fault; of plain text, words."""
    if asked.kind == "text":
        return {"wrong_chunk": ELSEWHERE, "injected": OBEYED}.get(fault, right.translate(_FOREIGN))
    value = json.loads(right)
    if fault == "wrong_types":
        return _wrong_types(value)
    if fault == "missing_fields":
        return _missing(value, asked.key)
    if fault == "foreign":
        kept = asked.enums()
        return _foreign(value, kept) if asked.kind in WORDY else _foreign_keys(value, kept)
    text = OBEYED if fault == "injected" else ELSEWHERE
    if asked.kind in {"extract", "glean"}:
        return answers.extraction(asked, passage=text)
    return _elsewhere(value, text)


def _wrong_types(value: Any) -> Any:
    """Return lists as words, words as objects, numbers as words."""
    kinds: dict[type, Any] = {list: "see above", str: {"text": "see above"}}
    return {key: kinds.get(type(inner), "high") for key, inner in value.items()}


def _missing(value: dict[str, Any], key: str) -> Any:
    """Leave out one field of the answer, and the first of every object in its lists."""
    names = sorted(value)
    gone = names[int(key[:8], 16) % len(names)] if names else ""
    return {name: _without_first(inner) for name, inner in value.items() if name != gone}


def _without_first(value: Any) -> Any:
    if isinstance(value, list):
        return [dict(list(one.items())[1:]) if isinstance(one, dict) else one for one in value]
    return value


def _foreign(value: Any, kept: frozenset[str]) -> Any:
    """Write every text with other letters, but the words that the schema fixes."""
    if isinstance(value, dict):
        return {key: _foreign(inner, kept) for key, inner in value.items()}
    if isinstance(value, list):
        return [_foreign(one, kept) for one in value]
    return value.translate(_FOREIGN) if isinstance(value, str) and value not in kept else value


def _foreign_keys(value: Any, kept: frozenset[str]) -> Any:
    """Translate the field names too: an answer of numbers and choices is wrong in no other way to be seen."""
    return {key.translate(_FOREIGN): inner for key, inner in _foreign(value, kept).items()}


def _elsewhere(value: Any, text: str) -> Any:
    """Write of something else, and number what was not shown."""
    if isinstance(value, dict):
        return {key: _elsewhere(inner, text) for key, inner in value.items()}
    if isinstance(value, list):
        return [_elsewhere(one, text) for one in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return value + 10_000
    return text if isinstance(value, str) else value
