"""Named YAML files: those that come with the package below `configs`, and files of the user's own."""

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml

from corpusgraph.flows.resources.yamlfile import load_yaml
from corpusgraph.schemas.errors import CorpusgraphError

SUFFIXES = (".yml", ".yaml")


def is_path(name: str) -> bool:
    """Tell the path of a file from a name."""
    return name.endswith(SUFFIXES) or "/" in name or "\\" in name


def own_file(name: str, base: Path | None) -> Path:
    """Return the path of a file of the user's, from `base` or from here."""
    return (base or Path()) / Path(name).expanduser()


@cache
def packaged(kind: str) -> dict[str, Traversable]:
    """Return name -> file of a folder of `configs` and the folders below it."""
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
    """Return the data of a file of the package, and where its keys stand."""
    try:
        return load_yaml(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as problem:
        raise error(f"{file.name}: not YAML: {problem}.") from None


def written(kind: str, name: str, base: Path | None) -> str:
    """Return a file as it is written, by its name or path."""
    if is_path(name):
        return own_file(name, base).read_text(encoding="utf-8-sig")
    return packaged(kind)[name].read_text(encoding="utf-8")
