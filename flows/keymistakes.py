"""What is wrong with a key of a file that one model describes, told with the keys that are valid there."""

import re
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from corpusgraph.flows.studykeys import Location, models_in
from corpusgraph.schemas.errors import did_you_mean

_SECRETS = frozenset({"api_key", "key"})


class Keys(NamedTuple):
    """The keys of a kind of file."""

    model: type[BaseModel]
    whole: str
    """What the file itself is called."""
    secret: str
    """Where the key of an endpoint belongs, which no file holds."""

    def told(self, where: Location, problem: ErrorDetails) -> tuple[str, str | None]:
        """Return a sentence and a hint for a problem that pydantic found.

        Of what was given only a word that is none of a few is shown: a value may be a secret.
        """
        message, hint = self._told(where, problem)
        return (message if message.endswith("?") else f"{message}."), hint

    def _told(self, where: Location, problem: ErrorDetails) -> tuple[str, str | None]:
        name = reached(where, self.whole)
        said = problem["msg"].removeprefix("Value error, ").rstrip(".")
        match problem["type"]:
            case "extra_forbidden":
                return f"unknown key {name!r}", self._nearest(str(where[-1]), self.valid(where[:-1]))
            case "missing":
                return f"the key {name!r} is missing", None
            case "literal_error":
                known = re.findall(r"'([^']*)'", str(problem.get("ctx", {}).get("expected", "")))
                return f"{name} cannot be {problem['input']!r}", self._nearest(str(problem["input"]), known)
            case "model_type" | "model_attributes_type":
                return f"{name} is no mapping of keys", f"Its keys are {', '.join(self.valid(where))}."
            case "tuple_type":
                return f"{name} is no list", "A list is written as [a, b], or a line each with '- '."
        return f"{name}: {said[:1].lower()}{said[1:]}", None

    def valid(self, where: Location) -> list[str]:
        """Return the keys that a place of the file has."""
        models: list[type[BaseModel]] = [self.model]
        for part in where:
            if not isinstance(part, int):
                fields: list[Any] = [m.model_fields[part] for m in models if part in m.model_fields]
                models = [model for field in fields for model in models_in(field.annotation)]
        return sorted({name for model in models for name in model.model_fields})

    def _nearest(self, given: str, known: list[str]) -> str | None:
        if given in _SECRETS:
            return self.secret
        return did_you_mean(given, known) or (f"Valid here: {', '.join(known)}." if known else None)


def reached(where: Location, whole: str) -> str:
    """Write a location as it would be reached: datasets[0].variables[2].of; the file itself as `whole`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in where)
    return "".join(parts).removeprefix(".") or whole
