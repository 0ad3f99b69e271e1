"""Find methods: the published ones that come with the package, and files of the user's own."""

from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import yaml

from corpusgraph.flows.resources.yamlfile import load_yaml
from corpusgraph.flows.resources.yamlread import read_yaml
from corpusgraph.flows.studykeys import Location, line_of
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import MethodFileError, UnknownMethodError, did_you_mean, shown
from corpusgraph.schemas.method import Method
from corpusgraph.tasks.method.parse import Lines, parse_method

SUFFIXES = (".yml", ".yaml")


def load_method(name: str, base: Path | None = None) -> Method:
    """Return a method by name, alias or path of a file; a path starts at `base`, or here.

    Raises UnknownMethodError with the nearest names, or MethodFileError with file and line.
    """
    if is_path(name):
        return read_method((base or Path()) / Path(name).expanduser())
    presets = _files()
    if name in presets:
        return _preset(name)
    found = next((method for method in all_methods() if name in {method.method, *method.aliases}), None)
    if found is None:
        known = [name for method in all_methods() for name in (method.method, *method.aliases)]
        hint = did_you_mean(name, known) or "`corpusgraph method list` lists them; a file ends in .yml."
        raise UnknownMethodError(f"Unknown method {name!r}.", hint=hint)
    return found


def is_path(name: str) -> bool:
    """Tell the path of a file from a method's name."""
    return name.endswith(SUFFIXES) or "/" in name or "\\" in name


def read_method(path: Path) -> Method:
    """Return the method in a file of the user's."""
    data, root = read_yaml(path, "method file", MethodFileError)
    return parse_method(data, _lines(root), shown(path), name=path.stem)


def all_methods() -> list[Method]:
    """Return the methods that come with the package, by name."""
    return [_preset(name) for name in sorted(_files())]


@lru_cache(maxsize=1)
def _files() -> dict[str, Traversable]:
    """Return name -> file of every method of the package; the folder `seed` holds some of their own."""
    folder = resources.files("corpusgraph.configs") / "methods"
    found: dict[str, Traversable] = {}
    waiting = [folder] if folder.is_dir() else []
    while waiting:
        for entry in sorted(waiting.pop().iterdir(), key=lambda e: e.name):
            if entry.is_dir():
                waiting.append(entry)
            elif entry.name.endswith(SUFFIXES):
                found[entry.name.rpartition(".")[0]] = entry
    return found


@cache
def _preset(name: str) -> Method:
    file = _files()[name]
    try:
        data, root = load_yaml(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise MethodFileError(f"{file.name}: not YAML: {error}.") from None
    return parse_method(data, _lines(root), file.name, name=name)


def _lines(root: yaml.Node | None) -> Lines:
    def line(where: Location) -> int:
        return line_of(root, where) if root is not None else 1

    return line


def source_text(name: str, base: Path | None = None) -> str:
    """Return the file of a method as it is written."""
    if is_path(name):
        return ((base or Path()) / Path(name).expanduser()).read_text(encoding="utf-8-sig")
    file = _files()[name if name in _files() else _stem_of(name)]
    return file.read_text(encoding="utf-8")


def _stem_of(alias: str) -> str:
    """Return the file's name of the method that has an alias."""
    return next(s for s in sorted(_files()) if alias in {_preset(s).method, *_preset(s).aliases})


def summaries() -> list[JsonDict]:
    """Return name, title, source and aliases of every method of the package."""
    return [
        {"method": m.method, "title": m.title, "about": m.about, "cite": m.cite, "aliases": list(m.aliases)}
        for m in all_methods()
    ]
