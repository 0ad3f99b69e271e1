"""What a run depends on besides its study: Python, the libraries, and this package itself."""

import base64
import hashlib
import io
import platform
import zipfile
from collections.abc import Iterator
from importlib import resources
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources.abc import Traversable

from corpusgraph.schemas.base import JsonDict

PACKAGE = "corpusgraph"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every file in an archive, the earliest that ZIP knows: archives do not depend on the clock."""


def environment() -> JsonDict:
    """Return Python, platform, and the version of every library that is installed for this package."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": f"{platform.system()} {platform.machine()}",
        "libraries": dict(sorted(libraries().items())),
    }


def libraries() -> dict[str, str]:
    """Return name -> version of this package and of all that it needs, directly or not, as installed."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    found: dict[str, str] = {}
    waiting = [(PACKAGE, frozenset[str]())]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            made = distribution(name)
        except PackageNotFoundError:
            continue
        found[canonicalize_name(made.metadata["Name"])] = made.version
        for text in made.requires or ():
            need = Requirement(text)
            if need.marker is None or any(need.marker.evaluate({"extra": e}) for e in (*extras, "")):
                waiting.append((canonicalize_name(need.name), frozenset(need.extras)))
    return found


def requirements() -> str:
    """Return the libraries as a file for `pip install -r`; this package is beside it as a wheel."""
    return "".join(f"{name}=={number}\n" for name, number in sorted(libraries().items()) if name != PACKAGE)


def wheel() -> tuple[str, bytes]:
    """Return the name and the bytes of a wheel (PEP 427) of this package as it runs here.

    It is made of the files that are imported, so it holds what ran, released or not.
    """
    made = distribution(PACKAGE)
    info = f"{PACKAGE}-{made.version}.dist-info"
    files = dict(_sources(resources.files(PACKAGE), PACKAGE))
    files[f"{info}/METADATA"] = _metadata(made, "METADATA", "PKG-INFO")
    files[f"{info}/entry_points.txt"] = _metadata(made, "entry_points.txt")
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: corpusgraph\nRoot-Is-Purelib: true\n"
    files[f"{info}/WHEEL"] += b"Tag: py3-none-any\n"
    record = f"{info}/RECORD"
    lines = [f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in sorted(files.items())]
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in sorted(files.items()):
            archive.writestr(member(name), data)
    return f"{PACKAGE}-{made.version}-py3-none-any.whl", out.getvalue()


def member(name: str) -> zipfile.ZipInfo:
    """Return a file's entry in an archive: no clock, the same rights on every system."""
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o100644 << 16
    info.create_system = 3
    return info


def _sources(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        name = f"{prefix}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _sources(entry, name)
        elif not entry.name.endswith((".pyc", ".pyo")):
            yield name, entry.read_bytes()


def _metadata(made: Distribution, *names: str) -> bytes:
    """Read a file of the installed metadata; an editable install calls some of them otherwise."""
    return next((text for name in names if (text := made.read_text(name))), "").encode()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
