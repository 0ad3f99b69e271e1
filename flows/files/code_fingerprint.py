"""Fingerprint of code: an edited rule makes another result of the same text, so cached ones are stale."""

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@cache
def code_fingerprint(*modules: str) -> str:
    """Hash the sources of modules and packages (with all below them), without importing any."""
    digest = hashlib.blake2b(digest_size=16)
    for module in modules:
        for path in _sources(module):
            digest.update(path.name.encode() + b"\x1f" + path.read_bytes() + b"\x1e")
    return digest.hexdigest()


def _sources(module: str) -> list[Path]:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        message = f"no source of {module}"
        raise ModuleNotFoundError(message)
    origin = Path(spec.origin)
    return sorted(origin.parent.rglob("*.py")) if origin.name == "__init__.py" else [origin]
