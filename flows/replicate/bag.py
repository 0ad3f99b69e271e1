"""The archive: a BagIt bag (RFC 8493) in a ZIP file, which libraries and data archives can verify.

Its bytes depend on what is in it alone: files are in order of name, and nothing is dated.
"""

import base64
import hashlib
import io
import platform
import shutil
import zipfile
from collections.abc import Iterator
from importlib import resources
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources.abc import Traversable
from pathlib import Path

from corpusgraph.flows.files.disk import guarded, replacing
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, shown

PACKAGE = "corpusgraph"
WHEEL = b"Wheel-Version: 1.0\nGenerator: corpusgraph\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every file in an archive, the earliest that ZIP knows: archives do not depend on the clock."""


def environment() -> JsonDict:
    """Return Python, platform, and the version of every library that is installed for this package.

    Returns
    -------
    dict
        python, implementation, platform, and libraries: name -> version.

    """
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": f"{platform.system()} {platform.machine()}",
        "libraries": dict(sorted(libraries().items())),
    }


def libraries() -> dict[str, str]:
    """Return name -> version of this package and of all that it needs, directly or not, as installed.

    Returns
    -------
    dict of str to str
        In order of name; extras that are not installed are left out.

    """
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
    """Return the libraries as a file for `pip install -r`; this package is beside it as a wheel.

    Returns
    -------
    str
        A line for each library.

    """
    return "".join(f"{name}=={number}\n" for name, number in sorted(libraries().items()) if name != PACKAGE)


def wheel() -> tuple[str, bytes]:
    """Return the name and the bytes of a wheel (PEP 427) of this package as it runs here.

    It is made of the files that are imported, so it holds what ran, released or not.

    Returns
    -------
    tuple of str and bytes
        The same files give the same bytes.

    """
    made = distribution(PACKAGE)
    info = f"{PACKAGE}-{made.version}.dist-info"
    # an editable install calls its metadata otherwise
    metadata = made.read_text("METADATA") or made.read_text("PKG-INFO") or ""
    files = {
        **dict(_sources(resources.files(PACKAGE), PACKAGE)),
        f"{info}/METADATA": metadata.encode(),
        f"{info}/entry_points.txt": (made.read_text("entry_points.txt") or "").encode(),
        f"{info}/WHEEL": WHEEL,
    }
    lines = [f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in sorted(files.items())]
    files[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in sorted(files.items()):
            archive.writestr(member(name), data)
    return f"{PACKAGE}-{made.version}-py3-none-any.whl", out.getvalue()


def member(name: str) -> zipfile.ZipInfo:
    """Return a file's entry in an archive: no clock, the same rights on every system.

    Parameters
    ----------
    name : str
        Path inside the archive.

    Returns
    -------
    zipfile.ZipInfo
        To be written with its bytes.

    """
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


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


DATA = "data"
DECLARATION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
_MANIFEST, _TAGS = "manifest-sha256.txt", "tagmanifest-sha256.txt"


def files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield relative path and path of every file, in order of path.

    Parameters
    ----------
    folder : Path
        A folder.

    Yields
    ------
    tuple of (str, Path)
        The relative path with forward slashes.

    """
    found = [path for path in folder.rglob("*") if path.is_file()]
    yield from sorted((path.relative_to(folder).as_posix(), path) for path in found)


def sha256(path: Path) -> str:
    """Hash a file of any size.

    Parameters
    ----------
    path : Path
        A file.

    Returns
    -------
    str
        64 hexadecimal digits.

    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def close_bag(folder: Path, title: str) -> None:
    """Write the tag files of a bag whose payload is below `folder/data`.

    Parameters
    ----------
    folder : Path
        The bag.
    title : str
        What it is, for people.

    References
    ----------
    RFC 8493 (BagIt).

    """
    payload = list(files_below(folder / DATA))
    octets = sum(path.stat().st_size for _, path in payload)
    told = {
        "bagit.txt": DECLARATION,
        "bag-info.txt": f"External-Description: {title}\nPayload-Oxum: {octets}.{len(payload)}\n",
        _MANIFEST: "".join(f"{sha256(path)}  {DATA}/{_escaped(name)}\n" for name, path in payload),
    }
    told[_TAGS] = "".join(
        f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in sorted(told.items())
    )
    for name, text in told.items():
        (folder / name).write_bytes(text.encode())


def write_zip(folder: Path, name: str, archive: Path) -> None:
    """Pack a folder under `name/` in one step; a file of that name is replaced.

    Parameters
    ----------
    folder : Path
        What to pack.
    name : str
        Name of the folder inside the archive.
    archive : Path
        The ZIP file.

    """
    with guarded(archive):
        archive.parent.mkdir(parents=True, exist_ok=True)
        with replacing(archive) as target, zipfile.ZipFile(target, "w", allowZip64=True) as packed:
            for relative, path in files_below(folder):
                with path.open("rb") as source, packed.open(member(f"{name}/{relative}"), "w") as into:
                    shutil.copyfileobj(source, into, 1 << 20)


def open_bag(archive: Path, into: Path) -> Path:
    """Return the folder of a bag: an unpacked one as it is, a ZIP file unpacked below `into`.

    Parameters
    ----------
    archive : Path
        A ZIP file, or the folder it was unpacked to.
    into : Path
        Where to unpack.

    Returns
    -------
    Path
        With all hashes checked.

    Raises
    ------
    InvalidInputError
        For what is no bag, and for files that are missing, changed or not listed.

    """
    folder = archive if archive.is_dir() else _unpacked(archive, into)
    if not (folder / "bagit.txt").is_file():
        raise InvalidInputError(
            f"{shown(archive)} is no archive of a study.", hint="`corpusgraph replicate STUDY` makes one."
        )
    _verify(folder, shown(archive))
    return folder


def _unpacked(archive: Path, into: Path) -> Path:
    if not archive.exists():
        raise InvalidInputError(f"No archive at {shown(archive)}.")
    try:
        with zipfile.ZipFile(archive) as packed:
            _refuse_outside(packed, archive)
            packed.extractall(into)
    except zipfile.BadZipFile:
        raise InvalidInputError(f"{shown(archive)} is no ZIP file, or a damaged one.") from None
    found = sorted(path.parent for path in into.glob("*/bagit.txt"))
    return found[0] if found else into


def _refuse_outside(packed: zipfile.ZipFile, archive: Path) -> None:
    """Refuse members that would be written elsewhere than below the folder."""
    for name in packed.namelist():
        parts = name.replace("\\", "/").split("/")
        if name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
            raise InvalidInputError(f"{shown(archive)} holds {name!r}, which leads out of the archive.")


def _verify(folder: Path, what: str) -> None:
    listed = {name: digest for manifest in (_MANIFEST, _TAGS) for name, digest in _lines(folder / manifest)}
    there = dict(files_below(folder))
    for name, digest in listed.items():
        if name not in there:
            raise InvalidInputError(f"{what} is not whole: {name} is missing.")
        if sha256(there[name]) != digest:
            raise InvalidInputError(f"{what} is not as it was packed: {name} has other bytes.")
    more = sorted(name for name in there if name.startswith(f"{DATA}/") and name not in listed)
    if more:
        raise InvalidInputError(f"{what} is not as it was packed: {more[0]} was added.")


def _lines(manifest: Path) -> Iterator[tuple[str, str]]:
    """Yield file and hash; a line that names no file names none that is there, and so is found."""
    text = manifest.read_text(encoding="utf-8", errors="replace") if manifest.is_file() else ""
    for line in text.splitlines():
        digest, _, name = line.partition("  ")
        yield _unescaped(name) or line, digest


def _escaped(name: str) -> str:
    """Escape what ends a line (RFC 8493, 2.1.3)."""
    return name.replace("%", "%25").replace("\n", "%0A").replace("\r", "%0D")


def _unescaped(name: str) -> str:
    return name.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")
