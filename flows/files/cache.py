"""The stage cache: what a stage made of an input, found again by the hash of the two; and that of code."""

import logging
import zlib
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from corpusgraph.flows.files.disk import guarded, replace_bytes


@cache
def code_fingerprint(*modules: str) -> str:
    """Hash the sources of modules and packages (all below them, with YAML and templates), importing none.

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
    digest = blake2b(digest_size=16)
    for module in modules:
        for path in _sources(module):
            digest.update(path.name.encode() + b"\x1f" + path.read_bytes() + b"\x1e")
    return digest.hexdigest()


def fingerprint_of(*parts: str) -> str:
    """Hash all that decides a result.

    Parameters
    ----------
    *parts : str
        Their order counts.

    Returns
    -------
    str
        32 hexadecimal digits.

    """
    return blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


def _sources(module: str) -> list[Path]:
    spec = find_spec(module)
    if spec is None:
        message = f"no source of {module}"
        raise ModuleNotFoundError(message)
    if spec.submodule_search_locations is None:
        return [Path(str(spec.origin))]
    folders = [Path(folder) for folder in spec.submodule_search_locations]
    kinds = {".py", ".yml", ".j2"}
    return sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in kinds)


log = logging.getLogger(__name__)

_LEVEL = 1  # text shrinks to a third at a tenth of the time the best level takes


class StageCache:
    """Content-addressed files `stage/ab/abcdef….z`, each written in one step. Bytes in, bytes out.

    Parameters
    ----------
    folder : Path
        Is made with the first file.

    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, stage: str, key: str) -> bytes | None:
        """Return what was put; a torn or corrupt file is removed and counts as absent.

        Parameters
        ----------
        stage : str
            Name of the stage.
        key : str
            Of the input.

        Returns
        -------
        bytes or None
            None where there is nothing.

        """
        return self.read(self._path(stage, key))

    def files(self, stage: str) -> Iterator[Path]:
        """Yield the files of a stage, in order of name.

        Parameters
        ----------
        stage : str
            Name of the stage.

        Yields
        ------
        Path
            For `read`.

        """
        for part in sorted((self.folder / stage).glob("??")):
            yield from sorted(part.glob("*.z"))

    def read(self, path: Path) -> bytes | None:
        """Return what a file of the cache holds; a damaged one is removed and counts as absent.

        Parameters
        ----------
        path : Path
            As `files` yields it.

        Returns
        -------
        bytes or None
            None where it is not there.

        Raises
        ------
        OutputError
            Where a damaged one cannot be removed.

        """
        with guarded(self.folder):
            try:
                packed = path.read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                return None
        unpacker, data = zlib.decompressobj(), None
        with suppress(zlib.error):
            data = unpacker.decompress(packed)
        if data is None or not unpacker.eof or unpacker.unused_data:  # its checksum included
            data, stage = None, path.parent.parent.name
            log.warning("The cache entry %s of stage %s is damaged; it will be made again.", path.name, stage)
            with guarded(self.folder):
                path.unlink(missing_ok=True)
        return data

    def put(self, stage: str, key: str, data: bytes) -> None:
        """Store; whoever reads meanwhile gets the whole of the old or the new.

        Parameters
        ----------
        stage : str
            Name of the stage.
        key : str
            Of the input.
        data : bytes
            Is compressed.

        Raises
        ------
        OutputError
            Where the folder cannot be written.

        """
        path = self._path(stage, key)
        with guarded(self.folder):
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_bytes(path, zlib.compress(data, _LEVEL), durable=False)

    def has(self, stage: str, key: str) -> bool:
        """Tell whether something is stored; only `get` finds out whether it is whole.

        Parameters
        ----------
        stage : str
            Name of the stage.
        key : str
            Of the input.

        Returns
        -------
        bool
            Its content is not looked at.

        """
        return self._path(stage, key).is_file()

    def remove(self, stage: str, key: str) -> None:
        """Forget what was put, and the folders that are empty then.

        Parameters
        ----------
        stage : str
            Name of the stage.
        key : str
            One that is not there is fine.

        """
        path = self._path(stage, key)
        with guarded(self.folder):
            path.unlink(missing_ok=True)
            for folder in (path.parent, path.parent.parent, self.folder):
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()

    def sweep(self, stage: str, keep: AbstractSet[str]) -> int:
        """Remove the stage's entries but some, and what a killed run left.

        Parameters
        ----------
        stage : str
            Name of the stage.
        keep : set of str
            Keys of entries that stay.

        Returns
        -------
        int
            How many files were removed.

        """
        wanted = {self._path(stage, key) for key in keep}
        removed = 0
        with guarded(self.folder):
            for path in sorted((self.folder / stage).glob("??/*")):
                if path not in wanted:
                    path.unlink(missing_ok=True)
                    removed += 1
        return removed

    def _path(self, stage: str, key: str) -> Path:
        name = blake2b(key.encode(), digest_size=20).hexdigest()
        return self.folder / stage / name[:2] / f"{name}.z"
