"""The shape of an answer as it is asked for: a JSON schema, and the words that ask for it."""

import json
from functools import lru_cache
from hashlib import blake2b

from pydantic import BaseModel

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.profile import ModelOptions

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
