"""Fingerprint of code and lexicons: an edited rule reads a text otherwise, so what is cached is stale."""

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@cache
def code_fingerprint(*modules: str) -> str:
    """Hash the sources of modules and packages (all below them, YAML too), without importing any.

    Parameters
    ----------
    *modules : str
        Full names.

    Returns
    -------
    str
        32 hexadecimal digits.

    Raises
    ------
    ModuleNotFoundError
        For a module that there is not.

    """
    digest = hashlib.blake2b(digest_size=16)
    for module in modules:
        for path in _sources(module):
            digest.update(path.name.encode() + b"\x1f" + path.read_bytes() + b"\x1e")
    return digest.hexdigest()


def _sources(module: str) -> list[Path]:
    spec = find_spec(module)
    if spec is None:
        message = f"no source of {module}"
        raise ModuleNotFoundError(message)
    if spec.submodule_search_locations is None:
        return [Path(str(spec.origin))]
    folders = [Path(folder) for folder in spec.submodule_search_locations]
    return sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in {".py", ".yml"})
