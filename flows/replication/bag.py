"""The archive: a BagIt bag (RFC 8493) in a ZIP file, which libraries and data archives can verify.

Its bytes depend on what is in it alone: files are in order of name, and nothing is dated.
"""

import hashlib
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

from corpusgraph.flows.replication.environment import member
from corpusgraph.flows.resources.disk import guarded, replacing
from corpusgraph.schemas.errors import InvalidInputError, shown

DATA = "data"
DECLARATION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
_MANIFEST, _TAGS = "manifest-sha256.txt", "tagmanifest-sha256.txt"


def files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield relative path and path of every file, in order of path."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    yield from sorted((path.relative_to(folder).as_posix(), path) for path in found)


def sha256(path: Path) -> str:
    """Hash a file of any size."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def close_bag(folder: Path, title: str) -> None:
    """Write the tag files of a bag whose payload is below `folder/data`."""
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
    """Pack a folder under `name/` in one step; a file of that name is replaced."""
    with guarded(archive):
        archive.parent.mkdir(parents=True, exist_ok=True)
        with replacing(archive) as target, zipfile.ZipFile(target, "w", allowZip64=True) as packed:
            for relative, path in files_below(folder):
                with path.open("rb") as source, packed.open(member(f"{name}/{relative}"), "w") as into:
                    shutil.copyfileobj(source, into, 1 << 20)


def open_bag(archive: Path, into: Path) -> Path:
    """Return the folder of a bag: an unpacked one as it is, a ZIP file unpacked below `into`.

    Raises InvalidInputError for what is no bag, and for files that are missing, changed or not listed.
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
