"""YAML as people mean it: `no` and 007 are text, dates stay as written, a repeated key is an error."""

import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml

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
