"""Values that a JSON schema describes, and values that nothing asks for."""

import math
from collections.abc import Callable
from random import Random
from typing import Any

from corpusgraph.schemas.base import JsonDict

KNOWN = ["ent_a", "ent_b", "ent_d", "rel_1", "rel_3", "chk_1", "chk_2", "com_0", "John Snow", "cholera"]
HUGE = 10**9
NUMBERS = [
    *(0, 1, 2, 3, -1, HUGE, 10**30, 10**400, 0.5, -0.0, 1e308, -1e308, 1e-320),
    *(float("nan"), float("inf"), float("-inf")),
]
TEXTS = [
    "",
    " ",
    "\n\t",
    "\x00",
    "cholera",
    "jon snow",
    "Who lived in London?",
    "什么导致了霍乱?",
    "ما سبب الكوليرا؟",
    "Кто жил в Лондоне?",
    "Điều gì gây ra bệnh tả?",
    "e\u0301" * 3,
    "\u202e\u200b\ufeff",
    "🙂" * 5,
    "'; DROP TABLE entities; --",
    "(unbalanced [regex",
    "ent_a ent_b",
    "0",
    "-1",
    "²",
    "٣",
    "nan",
    "9" * 5_000,
    "1854-02-30",
    "../../etc/passwd",
    "$q",
    "word " * 400,
]
MEGABYTE = "cholera water " * 75_000
SCRIPTS = "aZ0 _.-'\"\\%{}\n<>éßđ霍ش🙂\u0301\u200d\x7f"
Words = Callable[[str, Random], str]


class Schemas:
    """Makes values of a schema; `words` gives the text of a field."""

    def __init__(self, defs: JsonDict, words: Words) -> None:
        self._defs = defs
        self._words = words

    def value(self, schema: JsonDict, name: str, rng: Random, depth: int = 0) -> Any:
        """Return a value of about the type that a schema asks for; `name` is the field it stands in."""
        if "$ref" in schema:
            return self.value(self._defs[schema["$ref"].rpartition("/")[2]], name, rng, depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return rng.choice(schema["enum"])
        if options := schema.get("anyOf") or schema.get("oneOf"):
            return self.value(rng.choice(options), name, rng, depth)
        kind = schema.get("type")
        if kind in {"array", "object"}:
            made = self._array if kind == "array" else self._object
            return made(schema, name, rng, depth)
        return self._simple(str(kind), schema, name, rng)

    def anything(self, rng: Random, depth: int = 0) -> Any:
        """Return any value: a scalar, at times a list or mapping of any."""
        form = rng.randrange(8 if depth < 3 else 5)
        if form < 5:
            return self._scalar(form, rng)
        if form == 5 and rng.random() < 0.02:
            return rng.choice((MEGABYTE, ["cholera"] * 2_000, nested(200)))
        inner = [self.anything(rng, depth + 1) for _ in range(rng.randint(0, 3))]
        return inner if form < 7 else {self._scalar(0, rng): part for part in inner}

    def _scalar(self, form: int, rng: Random) -> Any:
        if form in {0, 1}:
            pool = rng.choice((TEXTS, KNOWN, None))
            return rng.choice(pool) if pool else "".join(rng.choices(SCRIPTS, k=rng.randint(0, 12)))
        if form == 2:
            return rng.choice(NUMBERS)
        return rng.randint(-5, 20) if form == 3 else rng.choice((None, True, False))

    def _array(self, schema: JsonDict, name: str, rng: Random, depth: int) -> list[Any]:
        if "prefixItems" in schema:
            return [self.value(part, name, rng, depth + 1) for part in schema["prefixItems"]]
        least = schema.get("minItems", 0)
        n = rng.randint(least, max(least, 4 if depth < 3 else 1))
        return [self.value(schema.get("items", {}), name, rng, depth + 1) for _ in range(n)]

    def _object(self, schema: JsonDict, name: str, rng: Random, depth: int) -> JsonDict:
        if "properties" not in schema:
            inner = schema.get("additionalProperties")
            part = inner if isinstance(inner, dict) else {}
            names = [self._words(name, rng) for _ in range(rng.randint(schema.get("minProperties", 0), 3))]
            return {key: self.value(part, name, rng, depth + 1) for key in names}
        required, share = set(schema.get("required", ())), 0.3 if depth < 3 else 0.05
        return {
            key: self.value(part, key, rng, depth + 1)
            for key, part in schema["properties"].items()
            if key in required or rng.random() < share
        }

    def _simple(self, kind: str, schema: JsonDict, name: str, rng: Random) -> Any:
        if kind == "string":
            return self._words(name, rng)
        if kind == "boolean":
            return rng.random() < 0.5
        if kind in {"integer", "number"}:
            return _number(kind, schema, rng)
        return None if kind == "null" else self.anything(rng)


def _number(kind: str, schema: JsonDict, rng: Random) -> float:
    """Return a number between the bounds of a schema, at times the least or a huge one."""
    free = -3.0 if rng.random() < 0.1 else 0.0
    bounds: JsonDict = {"exclusiveMinimum": free, "exclusiveMaximum": math.inf, **schema}
    least = float(bounds["minimum" if "minimum" in schema else "exclusiveMinimum"])
    most = float(bounds["maximum" if "maximum" in schema else "exclusiveMaximum"])
    if most == math.inf:
        most = HUGE if rng.random() < 0.05 else least + 6
    if kind == "integer":
        return rng.randint(int(least) + ("exclusiveMinimum" in schema), int(most))
    return rng.choice((least, most, rng.uniform(least, most), rng.uniform(least, most)))


def nested(depth: int) -> list[Any]:
    """Return a list in a list in a list …"""
    made: list[Any] = []
    for _ in range(depth):
        made = [made]
    return made
