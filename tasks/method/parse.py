"""Read a method from the data of its file; what is wrong is told with file, line and the nearest key."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import MethodFileError, did_you_mean
from corpusgraph.schemas.method import GraphShape, Loop, Method, Node, Step, Union

Where = tuple[int | str, ...]
Lines = Callable[[Where], int]
"""Location in the data -> line of the file, from 1."""
Made = TypeVar("Made", bound=BaseModel)
_TOP = ("method", "title", "about", "cite", "aliases", "graph", "query", "steps", "answer", "adapt", "filter")
_STEP = ("as", "when")
_WHOLE = {
    "filter": "A filter holds for the whole method: put it beside `steps`.",
    "index": "The index is named when the method is run.",
}
_UNION = ("as", "by", "weights", "normalize", "top_k")
_LOOP = ("as",)
_LOOP_OWN = ("each", "rounds", "carry", "steps", "next", "until", "collect")


class _Reader:
    """Knows the file's name and lines, for messages."""

    def __init__(self, source: str, lines: Lines) -> None:
        self.source = source
        self.line = lines

    def error(self, where: Where, message: str, hint: str | None = None) -> MethodFileError:
        return MethodFileError(f"{self.source}:{self.line(where)}: {message}.", hint=hint)

    def mapping(self, value: Any, where: Where, what: str) -> Mapping[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise self.error(where, f"{what} is a mapping of keys to values, not {value!r}")
        for key in value:
            if not isinstance(key, str):
                raise self.error(where, f"the key {key!r} is no text", hint="Put it in quotes.")
        return value

    def keys(self, found: Sequence[str], known: Sequence[str], where: Where) -> None:
        for key in found:
            if key not in known:
                hint = did_you_mean(key, known) or f"Valid here: {', '.join(known)}."
                if key in _WHOLE and len(where) > 0:
                    hint = _WHOLE[key]
                raise self.error((*where, key), f"unknown key {key!r}", hint=hint)

    def made(self, model: type[Made], fields: JsonDict, where: Where) -> Made:
        try:
            return model.model_validate(fields)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            loc = tuple(part for part in problem["loc"] if part in fields or isinstance(part, int))
            said = problem["msg"].removeprefix("Value error, ")
            named = ".".join(str(part) for part in loc)
            message = f"{named}: {said[0].lower()}{said[1:]}" if named else said
            raise self.error((*where, *loc), message) from None


def parse_method(data: Any, lines: Lines, source: str, *, name: str = "") -> Method:
    """Return the method that a file's data describe; both `steps:` and `pipeline:` list the chain.

    Parameters
    ----------
    data : Any
        What YAML reads from the file.
    lines : callable
        Location in the data -> line of the file, from 1.
    source : str
        Name of the file, for messages.
    name : str
        Name of the method where the file gives none.

    Returns
    -------
    Method
        Not yet checked: that its steps fit together is told by `checked`.

    Raises
    ------
    MethodFileError
        With file and line, and the nearest key for one that is unknown.

    """
    reader = _Reader(source, lines)
    if not isinstance(data, Mapping) or not data:
        hint = "It has the keys method and steps, and may have title, about, cite, graph, query and answer."
        raise reader.error((), "a method is a mapping of keys to values", hint=hint)
    top = reader.mapping(data, (), "a method")
    chain = "pipeline" if "pipeline" in top and "steps" not in top else "steps"
    reader.keys(list(top), [chain if key == "steps" else key for key in _TOP], ())
    fields: JsonDict = {key: value for key, value in top.items() if key not in {chain, "graph", "answer"}}
    fields.setdefault("method", re.sub(r"[^a-z0-9_]+", "_", name.casefold()).strip("_") or "method")
    for key in ("title", "about", "cite"):
        if key in fields:
            fields[key] = " ".join(str(fields[key]).split())
    if isinstance(fields.get("query"), str):
        fields["query"] = [fields["query"]]
    fields["steps"] = _nodes(reader, top.get(chain), (chain,))
    fields["graph"] = _shape(reader, top.get("graph", {}))
    answer = top.get("answer", {})
    if answer != "none":
        answer = dict(reader.mapping(answer, ("answer",), "answer (unless it is none)"))
    fields["answer"] = None if answer == "none" else answer
    fields["source"] = source
    return reader.made(Method, fields, ())


def _shape(reader: _Reader, value: Any) -> GraphShape:
    if isinstance(value, str):
        value = {"kind": value}
    options = dict(reader.mapping(value, ("graph",), "graph"))
    fields = {"kind": options.pop("kind")} if "kind" in options else {}
    return reader.made(GraphShape, {**fields, "options": options}, ("graph",))


def _nodes(reader: _Reader, value: Any, where: Where) -> tuple[Node, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise reader.error(where, f"{where[-1]} is a list of steps", hint="Start each step with a dash.")
    return tuple(_node(reader, one, (*where, i)) for i, one in enumerate(value))


def _node(reader: _Reader, value: Any, where: Where) -> Node:
    if isinstance(value, str):
        value = {value: None}
    fields = reader.mapping(value, where, "a step")
    beside = {"union": _UNION, "loop": _LOOP}
    kind = next((key for key in beside if key in fields), None)
    siblings = beside.get(kind or "", _STEP)
    names = sorted((key for key in fields if key not in siblings), key=lambda key: key in _WHOLE)
    if not names:
        raise reader.error(where, "a step names a tool, a union or a loop")
    reader.keys(list(fields), [kind or names[0], *siblings], where)
    called = {"id": fields.get("as") or kind or names[0], "line": reader.line(where)}
    own = {key: value for key, value in fields.items() if key in siblings and key != "as"}
    if kind == "union":
        return reader.made(Union, {**called, "union": fields["union"], **own}, where)
    if kind == "loop":
        inner = (*where, "loop")
        loop = dict(reader.mapping(fields["loop"], inner, "a loop"))
        reader.keys(list(loop), _LOOP_OWN, inner)
        loop["steps"] = _nodes(reader, loop.get("steps"), (*inner, "steps"))
        return reader.made(Loop, {**called, **loop}, inner)
    tool = names[0]
    inputs = dict(reader.mapping(fields[tool], (*where, tool), f"what {tool} is given"))
    return reader.made(Step, {**called, "tool": tool, "inputs": inputs, **own}, where)
