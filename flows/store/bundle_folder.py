"""A bundle's folder belongs to the program and to the researcher: a new run takes away only what it wrote.

Files that the program wrote and nobody changed are replaced. Those that somebody changed are moved to
`previous/` beside them. All others stay as they are: a script's `estimates.csv`, notes, pictures. What the
program wrote is known by the hashes in the bundles' manifests.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from corpusgraph.flows.files.disk import file_digest, guarded, replace_folder
from corpusgraph.flows.files.manifest import FILE

REPORT = "dataset.json"
STALE = "STALE.txt"
PREVIOUS = "previous"
Written = Mapping[str, str | None]
"""Relative names of the files that the program wrote, each with its hash; None: whatever it holds."""


def written_files(folder: Path) -> dict[str, str | None]:
    """Return what the program wrote into a folder: the bundle there, or those one level below.

    Parameters
    ----------
    folder : Path
        Of a bundle or of several; it need not be there.

    Returns
    -------
    dict of str to str or None
        Relative name -> hash of the content as written; None for what has no hash of its own.

    """
    written: dict[str, str | None] = dict.fromkeys(
        (name for name in (REPORT, STALE) if (folder / name).is_file()), None
    )
    for path in (folder / FILE, *sorted(folder.glob(f"*/{FILE}"))):
        if (listed := _listed(path)) is not None:
            place = path.parent.relative_to(folder)
            written |= {(place / name).as_posix(): digest for name, digest in listed.items()}
            written[(place / FILE).as_posix()] = None
    return written


def _listed(path: Path) -> dict[str, str] | None:
    """Return the hashes in a bundle's manifest; None where there is none, or it cannot be read."""
    try:
        files = json.loads(path.read_bytes())["files"]
        return {str(name): str(facts["blake2b"]) for name, facts in files.items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def publish_folder(folder: Path, files: Mapping[str, bytes], written: Written) -> tuple[str, ...]:
    """Write a folder of files in one step, and return where the files are now that somebody had changed.

    Parameters
    ----------
    folder : Path
        Is made where it is not there.
    files : mapping of str to bytes
        Relative name -> content.
    written : Written
        What the program wrote before, as `written_files` tells; anything else is a person's and stays.

    Returns
    -------
    tuple of str
        Relative names, in order; empty where nobody had changed what is written now.

    Raises
    ------
    OutputError
        Where the folder cannot be written; it is then as it was.

    """
    kept: dict[str, Path] = {}
    moved: dict[str, Path] = {}
    with guarded(folder):
        for name, path in _below(folder):
            if _is_as_written(name, path, files, written):
                continue
            taken = name in written or name in files or any(new.startswith(f"{name}/") for new in files)
            (moved if taken else kept)[name] = path
        for name, path in moved.items():
            kept[_free(name, {*kept, *files})] = path
        replace_folder(folder, files, kept)
    return tuple(sorted(place for place, path in kept.items() if path in moved.values()))


def withdraw_folder(folder: Path) -> None:
    """Remove what the program wrote into a folder and nobody changed, and the folders that are empty then.

    Parameters
    ----------
    folder : Path
        Of a bundle or of several.

    Raises
    ------
    OutputError
        Where the folder cannot be written.

    """
    written = written_files(folder)
    with guarded(folder):
        for name, path in list(_below(folder)):
            if name in written and _is_as_written(name, path, {}, written):
                path.unlink()
        for place, _, _ in os.walk(folder, topdown=False):
            if not any(Path(place).iterdir()):
                Path(place).rmdir()


def _below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield relative name and path of all files; a link is a file, wherever it leads."""
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if Path(place, name).is_symlink()]
        for name in sorted([*names, *links]):
            path = Path(place, name)
            yield path.relative_to(folder).as_posix(), path


def _is_as_written(name: str, path: Path, files: Mapping[str, bytes], written: Written) -> bool:
    """Tell a file that the program wrote so, or is about to write so."""
    if name in written and written[name] is None:
        return True
    if path.is_symlink() or not path.is_file():
        return False
    if name in files and path.stat().st_size == len(files[name]) and path.read_bytes() == files[name]:
        return True
    return name in written and file_digest(path).hex() == written[name]


def _free(name: str, taken: set[str]) -> str:
    """Return a name in `previous/` beside a file; one that is taken there gets a number."""
    path = PurePosixPath(name)
    place = path.parent / PREVIOUS / path.name
    number = 1
    while place.as_posix() in taken:
        number += 1
        place = place.with_name(f"{path.stem}-{number}{path.suffix}")
    return place.as_posix()
