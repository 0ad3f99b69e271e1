"""Find methods: the published ones that come with the package, and files of the user's own."""

from functools import cache, partial
from pathlib import Path

from corpusgraph.flows.files.yaml_file import is_path, line_of, packaged, read_named, written
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import MethodFileError, UnknownMethodError, did_you_mean
from corpusgraph.schemas.method import Method
from corpusgraph.tasks.method.parse import parse_method

KIND = "methods"


def load_method(name: str, base: Path | None = None) -> Method:
    """Return a method by name, alias or path of a file; a path starts at `base`, or here.

    Parameters
    ----------
    name : str
        A name, an alias, or the path of a file.
    base : Path, optional
        The folder that a path starts from; the current one where it is None.

    Returns
    -------
    Method
        Read, not yet checked.

    Raises
    ------
    UnknownMethodError
        For a name that there is not; the hint has the nearest.
    MethodFileError
        For a file that is not there or no valid method; says file and line.

    """
    if is_path(name):
        return _read(name, base)
    if (stem := _stem_of(name)) is None:
        known = [name for method in all_methods() for name in (method.method, *method.aliases)]
        hint = did_you_mean(name, known) or "`corpusgraph method list` lists them; a file ends in .yml."
        raise UnknownMethodError(f"Unknown method {name!r}.", hint=hint)
    return _preset(stem)


def all_methods() -> list[Method]:
    """Return the methods that come with the package, by name.

    Returns
    -------
    list of Method
        Each read once in a process.

    """
    return [_preset(name) for name in sorted(packaged(KIND))]


@cache
def _preset(name: str) -> Method:
    return _read(name)


def _read(name: str, base: Path | None = None) -> Method:
    data, root, source, stem = read_named(KIND, name, base, "method file", MethodFileError)
    return parse_method(data, partial(line_of, root), source, name=stem)


def source_text(name: str, base: Path | None = None) -> str:
    """Return the file of a method as it is written.

    Parameters
    ----------
    name : str
        A name, an alias, or the path of a file.
    base : Path, optional
        The folder that a path starts from; the current one where it is None.

    Returns
    -------
    str
        YAML.

    """
    return written(KIND, name if is_path(name) else _stem_of(name) or name, base)


def _stem_of(name: str) -> str | None:
    """Return the file's name of a method of the package, by that, by the method's name or by an alias."""
    stems = sorted(packaged(KIND))
    called = (stem for stem in stems if name in {_preset(stem).method, *_preset(stem).aliases})
    return name if name in stems else next(called, None)


def summaries() -> list[JsonDict]:
    """Return name, title, source and aliases of every method of the package.

    Returns
    -------
    list of JsonDict
        Each with `method`, `title`, `about`, `cite` and `aliases`.

    """
    told = {"method", "title", "about", "cite", "aliases"}
    return [method.model_dump(mode="json", include=told) for method in all_methods()]
