"""Where a study's keys stand: in the file (lines) and in the model (which keys a place has)."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from corpusgraph.schemas.errors import CorpusgraphError, did_you_mean
from corpusgraph.schemas.study import Study

Location = tuple[int | str, ...]


def written(root: yaml.Node, where: Location) -> Location:
    """Leave out the parts of a location that are not written in the file (the tag of a union).

    Parameters
    ----------
    root : Node
        Of the file.
    where : Location
        As pydantic tells it.

    Returns
    -------
    Location
        Without the tags of unions.

    """
    kept: list[int | str] = []
    node: yaml.Node | None = root
    for place, part in enumerate(where):
        _, child = _child(node, part)
        if child is not None or (place == len(where) - 1 and isinstance(node, yaml.MappingNode)):
            kept.append(str(part) if isinstance(node, yaml.MappingNode) else part)
            node = child
    return tuple(kept)


def line_of(root: yaml.Node, where: Location) -> int:
    """Return the line, from 1, of a location's deepest part in the file; a key has that of its name.

    Parameters
    ----------
    root : Node
        Of the file.
    where : Location
        Keys and places.

    Returns
    -------
    int
        That of the file's first line where nothing of it is written.

    """
    node, line = root, root.start_mark.line + 1
    for part in where:
        named, child = _child(node, part)
        if named is not None and child is not None:
            line, node = named.start_mark.line + 1, child
    return line


def _child(node: yaml.Node | None, part: int | str) -> tuple[yaml.Node | None, yaml.Node | None]:
    """Return the node that names a part (a key, or the item itself) and the node that holds it."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == str(part)), (None, None))
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    return None, None


def valid_keys(where: Location, model: type[BaseModel] = Study) -> list[str]:
    """Return the field names of the model at a location of a study, or of another file; none for any key.

    Parameters
    ----------
    where : Location
        Keys and places.
    model : type of BaseModel, default Study
        Of the whole file.

    Returns
    -------
    list of str
        In order of name.

    """
    return sorted({name for held in _models_at(where, model) for name in held.model_fields})


def tags_of(where: Location) -> list[str]:
    """Return the kinds that a union at a location of a study has.

    Parameters
    ----------
    where : Location
        Keys and places.

    Returns
    -------
    list of str
        Values of `kind`.

    """
    return [str(tag) for model in _models_at(where, Study) for tag in _kinds(model)]


def _models_at(where: Location, model: type[BaseModel]) -> list[type[BaseModel]]:
    models = [model]
    for part in where:
        if isinstance(part, int):
            continue
        tagged = next((held for held in models if part in _kinds(held)), None)
        field = next((held.model_fields[part] for held in models if part in held.model_fields), None)
        models = [tagged] if tagged else models_in(field.annotation) if field else []
    return models


def _kinds(model: type[BaseModel]) -> tuple[Any, ...]:
    kind = model.model_fields.get("kind")
    return get_args(kind.annotation) if kind else ()


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """Return the models an annotation is made of.

    Parameters
    ----------
    annotation : Any
        Of a field.

    Returns
    -------
    list of type of BaseModel
        Those of unions and containers too.

    """
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in models_in(argument)]


def homes_of(key: str) -> list[str]:
    """Return the places of a study where a key is valid, such as index.chunking for `overlap`.

    Parameters
    ----------
    key : str
        As somebody wrote it.

    Returns
    -------
    list of str
        Each once; empty where it is valid nowhere.

    """
    return list(dict.fromkeys(place for place in _homes(Study, "", key) if place))


def _homes(model: type[BaseModel], place: str, key: str) -> Iterator[str]:
    if key in model.model_fields:
        yield place
    for name, field in model.model_fields.items():
        for inner in models_in(field.annotation):
            yield from _homes(inner, f"{place}.{name}".removeprefix("."), key)


_RANKS = {"extra_forbidden": 0, "literal_error": 1}
"""Mistakes that are told before others."""
_SECRETS = frozenset({"api_key", "key"})


class Keys(NamedTuple):
    """The keys of a kind of file."""

    model: type[BaseModel]
    whole: str
    """What the file itself is called."""
    secret: str
    """Where the key of an endpoint belongs, which no file holds."""
    shape: str
    """Which keys there are, as a hint."""

    def read(
        self, data: object, root: yaml.Node | None, source: str, made: type[CorpusgraphError]
    ) -> BaseModel:
        """Return the model of what a file holds.

        A key that is missing is often the consequence of a misspelt one, which is told first.

        Parameters
        ----------
        data : object
            Of the file.
        root : Node or None
            The node it was made from; None for an empty file.
        source : str
            The file, for messages.
        made : type of CorpusgraphError
            Class of the errors.

        Returns
        -------
        BaseModel
            Validated.

        Raises
        ------
        CorpusgraphError
            Of the class `made`, with the file, the line and the nearest key.

        """
        if root is None:
            raise made(f"{source}:1: the file is empty.", hint=self.shape)
        if not isinstance(data, dict):
            line = root.start_mark.line + 1
            raise made(f"{source}:{line}: {self.whole} is a mapping of keys.", hint=self.shape)
        try:
            return self.model.model_validate(data)
        except ValidationError as error:
            problem = min(error.errors(include_url=False), key=lambda p: _RANKS.get(p["type"], len(_RANKS)))
            where = tuple(part for part in problem["loc"] if part != "[key]")
            message, hint = self.told(where, problem)
            hint = hint or (self.shape if problem["type"] == "missing" else None)
            raise made(f"{source}:{line_of(root, where)}: {message}", hint=hint) from None

    def told(self, where: Location, problem: ErrorDetails) -> tuple[str, str | None]:
        """Return a sentence and a hint for a problem that pydantic found.

        Of what was given only a word that is none of a few is shown: a value may be a secret.

        Parameters
        ----------
        where : Location
            Keys and places.
        problem : ErrorDetails
            Of pydantic.

        Returns
        -------
        tuple of str and str or None
            The hint is None where there is nothing to advise.

        """
        message, hint = self._told(where, problem)
        return (message if message.endswith("?") else f"{message}."), hint

    def _told(self, where: Location, problem: ErrorDetails) -> tuple[str, str | None]:
        name = reached(where, self.whole)
        said = problem["msg"].removeprefix("Value error, ").rstrip(".")
        match problem["type"]:
            case "extra_forbidden":
                known = valid_keys(where[:-1], self.model)
                return f"unknown key {name!r}", self._nearest(str(where[-1]), known)
            case "missing":
                return f"the key {name!r} is missing", None
            case "literal_error":
                known = re.findall(r"'([^']*)'", str(problem.get("ctx", {}).get("expected", "")))
                return f"{name} cannot be {problem['input']!r}", self._nearest(str(problem["input"]), known)
            case "model_type" | "model_attributes_type":
                known = valid_keys(where, self.model)
                return f"{name} is no mapping of keys", f"Its keys are {', '.join(known)}."
            case "tuple_type":
                return f"{name} is no list", "A list is written as [a, b], or a line each with '- '."
        return f"{name}: {said[:1].lower()}{said[1:]}", None

    def _nearest(self, given: str, known: list[str]) -> str | None:
        if given in _SECRETS:
            return self.secret
        return did_you_mean(given, known) or (f"Valid here: {', '.join(known)}." if known else None)


def reached(where: Location, whole: str) -> str:
    """Write a location as it would be reached: datasets[0].variables[2].of; the file itself as `whole`.

    Parameters
    ----------
    where : Location
        Keys and places.
    whole : str
        What the file itself is called.

    Returns
    -------
    str
        Places from 0.

    """
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in where)
    return "".join(parts).removeprefix(".") or whole
