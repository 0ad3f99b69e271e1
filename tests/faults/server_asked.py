"""What a chat request asks: its texts, the fenced data in them, and the JSON schema of the wanted answer."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal

Mode = Literal["json_schema", "tools", "json_object", "text"]
_FENCED = re.compile(r"^(?P<label>[^\n:]{1,80}):\n<<<\n(?P<text>.*?)\n>>>", re.DOTALL | re.MULTILINE)
_NUMBERED = re.compile(r"^\s*[\[(]?(\d{1,6})(?:[\])]|[.,:)](?=\s|\D))\s*", re.MULTILINE)
_FOUND = re.compile(r"\b(already|found|so far|known|previous)\b", re.IGNORECASE)

SIGNS: tuple[tuple[str, frozenset[str]], ...] = (
    ("extract", frozenset({"entities", "relationships", "events", "claims"})),
    ("report", frozenset({"title", "summary", "findings"})),
    ("pairs", frozenset({"pairs"})),
    ("marks", frozenset({"marks"})),
    ("prime", frozenset({"sentences", "follow_up_queries"})),
    ("write", frozenset({"sentences"})),
    ("points", frozenset({"points"})),
    ("describe", frozenset({"description"})),
    ("verdict", frozenset({"sufficient"})),
    ("step", frozenset({"sentence", "query", "done"})),
    ("keywords", frozenset({"low", "high"})),
    ("question", frozenset({"named", "generic"})),
    ("names", frozenset({"entities"})),
)
"""Kind of an answer -> property names that give it away; the first that fits."""


@dataclass(frozen=True)
class Asked:
    """A chat request. `schema` is empty where no JSON is wanted."""

    system: str
    user: str
    mode: Mode
    schema: Mapping[str, Any]
    tool: str = ""
    model: str = ""
    max_tokens: int | None = None
    repair: bool = False
    """A conversation that goes on: the model's own reply stands in it."""
    texts: tuple[str, ...] = field(default=(), repr=False)

    @cached_property
    def key(self) -> str:
        """Identify the prompt, whatever the mode and the rounds that follow it."""
        said = json.dumps([self.model, without_schema(self.system), without_schema(self.user)])
        return blake2b(said.encode(errors="surrogatepass"), digest_size=12).hexdigest()

    @cached_property
    def properties(self) -> frozenset[str]:
        """Property names of the wanted object."""
        return frozenset(resolved(self.schema, self.schema).get("properties", {}))

    @cached_property
    def kind(self) -> str:
        """Name the family of answers that is wanted."""
        if not self.schema:
            return "text"
        kind = next((kind for kind, signs in SIGNS if signs <= self.properties), "other")
        return "glean" if kind == "extract" and self.found else kind

    @cached_property
    def parts(self) -> dict[str, str]:
        """Fenced data by label, in order; of one label the last."""
        return {m["label"].strip(): m["text"] for m in _FENCED.finditer(self.user)}

    @property
    def found(self) -> str | None:
        """What the prompt says was found before, or None in a first round."""
        said = [text for label, text in self.parts.items() if _FOUND.search(label) and label != "Passage"]
        return "\n".join(said) if said else None

    def part(self, *labels: str) -> str:
        """Return the first fenced part with one of the labels, else the longest one, else all."""
        named = next((self.parts[label] for label in labels if label in self.parts), None)
        return named if named is not None else max(self.parts.values(), key=len, default=self.user)

    @property
    def question(self) -> str:
        """The fenced question, or nothing."""
        return self.parts.get("Question", self.parts.get("About", ""))

    def numbered(self, *labels: str) -> dict[int, str]:
        """Return the numbered items of a part: "1. …", "[1] …" or "1,…"."""
        return numbered_lines(self.part(*labels))

    def enums(self) -> frozenset[str]:
        """All words that the schema lets be chosen from."""
        words = [word for one in nested(self.schema) for word in one.get("enum", ())]
        return frozenset(word for word in [*words, *_constants(self.schema)] if isinstance(word, str))

    def choices(self, of: str, name: str) -> list[str]:
        """Return the words that property `name` of the items of list `of` may be, or none if it is free."""
        items = resolved(self.schema, self.schema).get("properties", {}).get(of, {})
        item = resolved(resolved(items, self.schema).get("items", {}), self.schema)
        said = resolved(item.get("properties", {}).get(name, {}), self.schema)
        return [word for word in said.get("enum", ()) if isinstance(word, str)]


def asked(request: Mapping[str, Any]) -> Asked:
    """Read the body of a chat request."""
    turns = [(str(m.get("role", "")), _text(m.get("content"))) for m in request.get("messages", ())]
    system = "\n".join(text for role, text in turns if role in {"system", "developer"})
    user = next((text for role, text in turns if role == "user"), "")
    mode, schema, tool = _wanted(request, f"{system}\n{_FENCED.sub('', user)}")
    limit = request.get("max_completion_tokens") or request.get("max_tokens")
    return Asked(
        system=system,
        user=user,
        mode=mode,
        schema=schema,
        tool=tool,
        model=str(request.get("model", "")),
        max_tokens=limit if isinstance(limit, int) else None,
        repair=any(role in {"assistant", "tool"} for role, _ in turns),
        texts=tuple(text for _, text in turns),
    )


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _wanted(request: Mapping[str, Any], said: str) -> tuple[Mode, Mapping[str, Any], str]:
    """Return the mode, the schema of the wanted answer, and the name of the tool to call."""
    shape = request.get("response_format") or {}
    if shape.get("type") == "json_schema":
        return "json_schema", shape.get("json_schema", {}).get("schema", {}), ""
    if request.get("tools"):
        function = request["tools"][0].get("function", {})
        return "tools", function.get("parameters", {}), function.get("name", "")
    schema = next(schemas_in(said), {})
    return ("json_object" if shape.get("type") == "json_object" else "text"), schema, ""


def schemas_in(text: str) -> Iterator[Mapping[str, Any]]:
    """Find the JSON schemas that stand in a text."""
    for found, _, _ in _schema_spans(text):
        yield found


def without_schema(text: str) -> str:
    """Return a text up to the paragraph that brings in a JSON schema."""
    start = next((start for _, start, _ in _schema_spans(text)), None)
    if start is None:
        return text.strip()
    return text[:start].strip().rpartition("\n\n")[0].strip()


def _schema_spans(text: str) -> Iterator[tuple[Mapping[str, Any], int, int]]:
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0 and '"properties"' in text[at:]:
        try:
            found, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            at = text.find("{", at + 1)
            continue
        if isinstance(found, dict) and "properties" in found:
            yield found, at, end
        at = text.find("{", end)


def resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow `$ref`, single `allOf`, and the first branch of a choice that is not null."""
    while True:
        branches: Sequence[Any] = schema.get("allOf") or schema.get("anyOf") or schema.get("oneOf") or ()
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[-1]
            schema = root.get("$defs", root.get("definitions", {})).get(name, {})
        elif branches:
            schema = next((one for one in branches if one.get("type") != "null"), {})
        else:
            return schema


def nested(value: Any) -> Iterator[Mapping[str, Any]]:
    """Walk all objects inside a JSON value."""
    if isinstance(value, Mapping):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from nested(one)


def _constants(schema: Mapping[str, Any]) -> list[Any]:
    return [one["const"] for one in nested(schema) if "const" in one]


def numbered_lines(text: str) -> dict[int, str]:
    """Return numbered items; an item reaches to the next number at the start of a line."""
    marks = list(_NUMBERED.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)][: len(marks)]
    items: dict[int, str] = {}
    for mark, end in zip(marks, ends, strict=True):
        items.setdefault(int(mark[1]), text[mark.end() : end].strip())
    return items
