"""YAML as people mean it: `no` and 007 are text, dates stay as written, a repeated key is an error.

What is wrong with a file of a kind (a study, a profile …) is told with its line and the nearest valid key.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from corpusgraph.schemas.errors import CorpusgraphError, did_you_mean, shown


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader with the plain scalars of YAML 1.2's JSON schema."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's way

    aliases = True

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Refuse aliases where the file is not the researcher's own: a few lines can mean gigabytes."""
        if not self.aliases and self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not read here", mark)
        node: yaml.Node | None = super().compose_node(parent, index)
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Refuse a second value for a key, which PyYAML would take without a word."""
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in seen:
                problem = f"the key {key.value!r} is already on line {seen[key.value]}"
                raise yaml.composer.ComposerError(None, None, problem, key.start_mark)
            seen[key.value] = key.start_mark.line + 1
        return node


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan",
        "-+0123456789.",
    ),
    ("merge", r"<<", "<"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), list(_first))


def load_yaml(text: str, *, aliases: bool = True) -> tuple[Any, yaml.Node | None]:
    """Return the data and the node it was made from.

    Parameters
    ----------
    text : str
        Of one document.
    aliases : bool, default True
        Whether one part may refer to another.

    Returns
    -------
    tuple of Any and Node or None
        None and None for an empty text.

    Raises
    ------
    YAMLError
        For what is no YAML, with its place.

    """
    loader = _Loader(text)
    loader.aliases = aliases
    try:
        node = loader.get_single_node()
        return (None if node is None else loader.construct_document(node)), node
    except RecursionError:
        raise yaml.YAMLError("nested too deeply") from None
    finally:
        loader.dispose()


def read_yaml(path: Path, what: str, error: type[CorpusgraphError]) -> tuple[Any, yaml.Node | None]:
    """Return the data and the root node of a file.

    Parameters
    ----------
    path : Path
        In UTF-8.
    what : str
        Names it in messages, such as "study file".
    error : type of CorpusgraphError
        Class of the errors.

    Returns
    -------
    tuple of Any and Node or None
        None and None for an empty file.

    Raises
    ------
    CorpusgraphError
        Of the class `error`, for what is not there or no YAML.

    """
    text = _text(path, what, error)
    try:
        return load_yaml(text)
    except yaml.YAMLError as problem:
        raise _yaml_error(path, text, problem, error) from None


def _text(path: Path, what: str, error: type[CorpusgraphError]) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise error(f"No {what} at {shown(path)}.", hint=_near_files(path)) from None
    except IsADirectoryError:
        near = _near_files(path / "study.yml")
        raise error(f"{shown(path)} is a folder, not a {what}.", hint=near) from None
    except OSError as problem:
        raise error(f"{shown(path)} cannot be read: {problem.strerror}.") from None
    except ValueError as problem:  # a null byte in the name
        raise error(f"{str(path)!r} is no path: {problem}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        byte = data[problem.start]
        raise error(
            f"{shown(path)}:{line}: the file is not UTF-8 (byte 0x{byte:02x}).", hint="Save it as UTF-8."
        ) from None


def _near_files(path: Path) -> str | None:
    if not path.parent.is_dir():
        return None
    there = sorted(p.name for p in path.parent.iterdir() if p.suffix in {".yml", ".yaml"})
    return did_you_mean(path.name, there) or (f"There is {', '.join(there[:5])}." if there else None)


def _yaml_error(
    path: Path, text: str, error: yaml.YAMLError, made: type[CorpusgraphError]
) -> CorpusgraphError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    position = getattr(error, "position", None)
    line = mark.line + 1 if mark else text.count("\n", 0, position) + 1 if isinstance(position, int) else 1
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    hint = "Indent with spaces, not with tabs." if "'\\t'" in problem else None
    what = "" if problem.startswith("the key ") else "not YAML: "
    return made(f"{shown(path)}:{line}: {what}{problem}.", hint=hint)


SUFFIXES = (".yml", ".yaml")


def is_path(name: str) -> bool:
    """Tell the path of a file from a name.

    Parameters
    ----------
    name : str
        As somebody wrote it.

    Returns
    -------
    bool
        True for what has a slash or ends in .yml or .yaml.

    """
    return name.endswith(SUFFIXES) or "/" in name or "\\" in name


def own_file(name: str, base: Path | None) -> Path:
    """Return the path of a file of the user's, from `base` or from here.

    Parameters
    ----------
    name : str
        `~` is the home folder.
    base : Path or None
        Folder that a relative path starts at; the current one unless given.

    Returns
    -------
    Path
        It need not be there.

    """
    return (base or Path()) / Path(name).expanduser()


@cache
def packaged(kind: str) -> dict[str, Traversable]:
    """Return name -> file of a folder of `configs` and the folders below it.

    Parameters
    ----------
    kind : str
        Such as methods.

    Returns
    -------
    dict of str to Traversable
        Names without their ending.

    """
    folder = resources.files("corpusgraph.configs") / kind
    found: dict[str, Traversable] = {}
    waiting = [folder] if folder.is_dir() else []
    while waiting:
        for entry in sorted(waiting.pop().iterdir(), key=lambda e: e.name):
            if entry.is_dir():
                waiting.append(entry)
            elif entry.name.endswith(SUFFIXES):
                found[entry.name.rpartition(".")[0]] = entry
    return found


def read_packaged(file: Traversable, error: type[CorpusgraphError]) -> tuple[Any, yaml.Node | None]:
    """Return the data of a file of the package, and where its keys stand.

    Parameters
    ----------
    file : Traversable
        As `packaged` returns it.
    error : type of CorpusgraphError
        Class of the errors.

    Returns
    -------
    tuple of Any and Node or None
        Data and root node.

    Raises
    ------
    CorpusgraphError
        Of the class `error`, for what is no YAML.

    """
    try:
        return load_yaml(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as problem:
        raise error(f"{file.name}: not YAML: {problem}.") from None


def read_named(
    kind: str, name: str, base: Path | None, what: str, error: type[CorpusgraphError]
) -> tuple[Any, yaml.Node | None, str, str]:
    """Return the data of a file of a kind, by the name that it has in the package or by its path.

    Parameters
    ----------
    kind : str
        Such as methods.
    name : str
        Of a file of the package, or a path.
    base : Path or None
        Folder that a path starts at; the current one unless given.
    what : str
        What such a file is called, for the message.
    error : type of CorpusgraphError
        Class of the errors.

    Returns
    -------
    tuple of Any, Node or None, str and str
        Data, root node, the file as messages call it, and its name without the ending.

    Raises
    ------
    CorpusgraphError
        Of the class `error`, for a file that is not there or no YAML.

    """
    if is_path(name):
        path = own_file(name, base)
        return *read_yaml(path, what, error), shown(path), path.stem
    file = packaged(kind)[name]
    return *read_packaged(file, error), file.name, name


def written(kind: str, name: str, base: Path | None) -> str:
    """Return a file as it is written, by its name or path.

    Parameters
    ----------
    kind : str
        Such as methods.
    name : str
        Of a file of the package, or a path.
    base : Path or None
        Folder that a path starts at; the current one unless given.

    Returns
    -------
    str
        Not parsed.

    """
    if is_path(name):
        return own_file(name, base).read_text(encoding="utf-8-sig")
    return packaged(kind)[name].read_text(encoding="utf-8")


M = TypeVar("M", bound=BaseModel)
Location = tuple[int | str, ...]
Problem = tuple[int, str, str | None]
"""Line, message and hint."""


def line_of(root: yaml.Node | None, where: Location) -> int:
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
    node, line = root, root.start_mark.line + 1 if root is not None else 1
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


def _written(root: yaml.Node, where: Location) -> Location:
    """Leave out the parts of a location that are not written in the file (the tag of a union)."""
    parts: list[int | str] = []
    node: yaml.Node | None = root
    for place, part in enumerate(where):
        _, child = _child(node, part)
        if child is not None or (place == len(where) - 1 and isinstance(node, yaml.MappingNode)):
            parts.append(str(part) if isinstance(node, yaml.MappingNode) else part)
            node = child
    return tuple(parts)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    """Return the models an annotation is made of, those of unions and containers too."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models_in(argument)]


def _kinds(model: type[BaseModel]) -> tuple[Any, ...]:
    kind = model.model_fields.get("kind")
    return get_args(kind.annotation) if kind else ()


def _homes(model: type[BaseModel], place: str, key: str) -> Iterator[str]:
    """Yield the places of a file where a key is valid, such as index.chunking for `overlap`."""
    if place and key in model.model_fields:
        yield place
    for name, field in model.model_fields.items():
        for inner in _models_in(field.annotation):
            yield from _homes(inner, f"{place}.{name}".removeprefix("."), key)


_FIRST = ("extra_forbidden", "union_tag_invalid", "union_tag_not_found", "literal_error")
"""Kinds of mistakes that are told first: a missing key, say, is often the consequence of a misspelt one."""
_SECRETS = frozenset({"api_key", "key"})


@dataclass(frozen=True)
class Keys(Generic[M]):
    """The keys of a kind of file."""

    model: type[M]
    whole: str
    """What the file itself is called, such as study file."""
    shape: str
    """Which keys there are, as a hint."""
    secret: str | None = None
    """Where the key of an endpoint belongs, which no file holds."""

    def read(self, data: object, root: yaml.Node | None, source: str, made: type[CorpusgraphError]) -> M:
        """Return the model of what a file holds.

        Of several problems those are told that are not likely to follow from another.

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
        M
            Validated.

        Raises
        ------
        CorpusgraphError
            Of the class `made`, with the file, the lines and the nearest keys.

        """
        if root is None:
            raise made(f"{source}:1: the file is empty.", hint=self.shape)
        if not isinstance(data, dict):
            line = root.start_mark.line + 1
            raise made(f"{source}:{line}: a {self.whole} is a mapping of keys to values.", hint=self.shape)
        try:
            return self.model.model_validate(data)
        except ValidationError as error:
            problems = self._problems(root, error.errors(include_url=False))
            raise error_of(source, self.whole, problems, made) from None

    def _problems(self, root: yaml.Node, errors: Sequence[ErrorDetails]) -> list[Problem]:
        ranks = {kind: rank for rank, kind in enumerate(_FIRST)}
        problems: dict[Location, Problem] = {}
        for error in sorted(errors, key=lambda e: (ranks.get(e["type"], len(_FIRST)), -len(e["loc"]))):
            where = tuple(part for part in error["loc"] if part != "[key]")
            # A key that is missing beside one that is wrong is likely to be that one, misspelt; and a list
            # lacks the items that are wrong.
            misspelt = error["type"] == "missing" and any(other[:-1] == where[:-1] for other in problems)
            if not misspelt and not any(other[: len(where)] == where for other in problems):
                message, hint = self.told(_written(root, where), where, error)
                line = line_of(root, (*where, "kind") if error["type"] == "union_tag_invalid" else where)
                problems[where] = line, message, hint
        return list(problems.values())

    def told(self, written: Location, where: Location, problem: ErrorDetails) -> tuple[str, str | None]:
        """Return a sentence and a hint for a problem that pydantic found.

        Of what was given only a word that is none of a few is shown: a value may be a secret.

        Parameters
        ----------
        written : Location
            Keys and places as the file has them.
        where : Location
            The same, with the tags of unions.
        problem : ErrorDetails
            Of pydantic.

        Returns
        -------
        tuple of str and str or None
            The hint is None where there is nothing to advise.

        """
        message, hint = self._told(self._reached(written), where, problem)
        return (message if message.endswith("?") else f"{message}."), hint

    def _told(  # noqa: PLR0911 - a return for each kind of problem
        self, name: str, where: Location, problem: ErrorDetails
    ) -> tuple[str, str | None]:
        said = problem["msg"].removeprefix("Value error, ").rstrip(".")
        said = f"{said[:1].lower()}{said[1:]}"
        context = problem.get("ctx", {})
        match problem["type"]:
            case "extra_forbidden" | "invalid_key":
                return f"unknown key {name!r}", self._key_hint(where)
            case "missing":
                return f"the key {name!r} is missing", None if where[1:] else self.shape or None
            case "union_tag_not_found":
                return f"{name} has no `kind`", f"It is one of {', '.join(self._tags(where))}."
            case "union_tag_invalid":
                tag = str(context["tag"])
                return f"unknown kind {tag!r} in {name}", _choices(tag, self._tags(where))
            case "literal_error":
                known = re.findall(r"'([^']*)'", str(context.get("expected", "")))
                return f"{name} cannot be {problem['input']!r}", _choices(str(problem["input"]), known)
            case "model_type" | "model_attributes_type":
                return f"{name} is no mapping of keys", f"Its keys are {', '.join(self._valid(where))}."
            case "tuple_type":
                return f"{name} is no list", "A list is written as [a, b], or a line each with '- '."
        return f"{name}: {said}" if where else said, None

    def _reached(self, where: Location) -> str:
        """Write a location as it is reached: datasets[0].variables[2].of; else what the file is called."""
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in where)
        return "".join(parts).removeprefix(".") or self.whole

    def _key_hint(self, where: Location) -> str | None:
        """Name the nearest key that is valid there, else the place where this one is, else all valid keys."""
        key, known = str(where[-1]), self._valid(where[:-1])
        if self.secret and key in _SECRETS:
            return self.secret
        if near := did_you_mean(key, known):
            return near
        if homes := list(dict.fromkeys(_homes(self.model, "", key))):
            return f"It belongs under {' or '.join(homes)}."
        return f"Valid here: {', '.join(known)}." if known else None

    def _valid(self, where: Location) -> list[str]:
        """Return the field names of the model at a location, in order; none where any key is valid."""
        return sorted({name for held in self._models_at(where) for name in held.model_fields})

    def _tags(self, where: Location) -> list[str]:
        """Return the kinds that a union at a location has."""
        return [str(tag) for model in self._models_at(where) for tag in _kinds(model)]

    def _models_at(self, where: Location) -> list[type[BaseModel]]:
        models: list[type[BaseModel]] = [self.model]
        for part in where:
            if isinstance(part, int):
                continue
            tagged = next((held for held in models if part in _kinds(held)), None)
            field = next((held.model_fields[part] for held in models if part in held.model_fields), None)
            models = [tagged] if tagged else _models_in(field.annotation) if field else []
        return models


def _choices(given: str, known: Sequence[str]) -> str:
    return did_you_mean(given, known) or f"It is one of {', '.join(known)}."


def error_of(
    source: str, whole: str, problems: Sequence[Problem], made: type[CorpusgraphError]
) -> CorpusgraphError:
    """Return an error of one problem, or of all of them in a list, by line.

    Parameters
    ----------
    source : str
        The file, for messages.
    whole : str
        What it is called.
    problems : sequence of Problem
        At least one.
    made : type of CorpusgraphError
        Class of the error.

    Returns
    -------
    CorpusgraphError
        To be raised.

    """
    if len(problems) == 1:
        line, message, hint = problems[0]
        return made(f"{source}:{line}: {message}", hint=hint)
    lines = [
        f"{source}:{line}: {message}" + (f" {hint}" if hint else "")
        for line, message, hint in sorted(problems, key=lambda problem: problem[0])
    ]
    return made("\n  - ".join([f"The {whole} has {len(lines)} problems.", *lines]))
