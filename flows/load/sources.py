"""Find the files of a corpus and fingerprint them, without reading any as a document."""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from corpusgraph.flows.files.disk import file_digest
from corpusgraph.flows.load.rows import FORMATS
from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.errors import CorpusNotFoundError, shown
from corpusgraph.schemas.study import Corpus


def walk(root: Path) -> Iterator[tuple[Path, str, str | None]]:
    """Yield (path, NFC path below the root with `/`, what is wrong with it) of each file that is not hidden.

    A folder is visited once, by its own path before any link to it; so a link to a parent adds nothing.

    Parameters
    ----------
    root : Path
        A folder.

    Yields
    ------
    tuple of Path, str and str or None
        In order of name within a folder; None where nothing is wrong.

    """
    visited: set[tuple[int, int]] = set()
    waiting, links = [root], list[Path]()
    while waiting or links:
        folder = waiting.pop() if waiting else links.pop()
        try:
            key = folder.stat()
            if (key.st_dev, key.st_ino) in visited:
                continue
            visited.add((key.st_dev, key.st_ino))
            paths = sorted(folder.iterdir())
        except OSError as error:
            yield folder, _relative(folder, root), error.strerror
            continue
        for path in paths:
            if path.name.startswith((".", "~$")):
                continue
            mode, problem = _mode(path)
            if stat.S_ISDIR(mode):
                (links if path.is_symlink() else waiting).append(path)
            else:
                yield path, _relative(path, root), problem


def _relative(path: Path, root: Path) -> str:
    """Return the path below the root; bytes of a name that are no UTF-8 read as U+FFFD."""
    name = os.fsencode(path.relative_to(root)).decode("utf-8", errors="replace")
    return nfc(name.replace(os.sep, "/"))


def _mode(path: Path) -> tuple[int, str | None]:
    """Return what a path leads to and what is wrong with that; a pipe would be waited on for ever."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        link = ""
        with suppress(OSError):  # no link, or in a folder that may be listed but not entered
            link = f"link to {path.readlink()}: "
        return 0, f"{link}{error.strerror}"
    return mode, None if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "not a regular file"


def is_file(path: Path) -> bool:
    """Tell whether a path leads to a file that can be reached.

    Parameters
    ----------
    path : Path
        Links are followed.

    Returns
    -------
    bool
        False for folders and devices too.

    """
    mode, problem = _mode(path)
    return problem is None and stat.S_ISREG(mode)


def matcher(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Compile glob patterns: `*` stays in a folder, `**/` crosses folders, `?` and `[…]` are one letter.

    Parameters
    ----------
    patterns : tuple of str
        Of paths with `/`, in any Unicode form.

    Returns
    -------
    Pattern[str]
        For `fullmatch`; of no patterns, one that matches nothing.

    """
    known = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}

    def regex(part: str) -> str:
        if len(part) < 3 or part[0] != "[" or part[-1] != "]":
            return known.get(part) or re.escape(part)
        inside = part[1:-1].replace("\\", r"\\")
        return f"[^{inside[1:]}]" if inside[0] == "!" else f"[{inside}]"

    split = [re.split(r"(\*\*/|\*\*|\*|\?|\[!?\]?[^\]/]*\])", nfc(p).removeprefix("./")) for p in patterns]
    return re.compile("|".join(f"(?:{''.join(map(regex, parts))})" for parts in split) or r"(?!)")


LOADER_VERSION = "2"
"""Part of the corpus fingerprint: raise it when the same bytes would give another text."""

METADATA_NAMES = tuple(f"metadata.{ending}" for kind in FORMATS for ending in kind.endings)


@dataclass(frozen=True)
class Source:
    """A file of the corpus: `relative` is its path below the corpus folder, `digest` hashes its bytes.

    `problem` says why the file cannot be read, where that is known before it is opened.
    """

    path: Path
    relative: str
    digest: str
    problem: str | None = None


def scan(corpus: Corpus, base: Path) -> list[Source]:
    """Return the corpus's files in order of path, its metadata table among them.

    No folder, or nothing in it, is an error that says where it looked.

    Parameters
    ----------
    corpus : Corpus
        Names the folder and what of it counts.
    base : Path
        Folder of the study file.

    Returns
    -------
    list of Source
        With hashes of their content.

    Raises
    ------
    CorpusNotFoundError
        Where there is no folder, or nothing in it to read; it says where it looked.

    """
    root = corpus_root(corpus, base)
    table = table_path(corpus, base)
    wanted, unwanted = matcher(corpus.include), matcher(corpus.exclude)
    sources = [
        _source(path, relative, problem)
        for path, relative, problem in ([] if root.is_file() else walk(root))
        if (wanted.fullmatch(relative) or (problem and path.is_dir())) and not unwanted.fullmatch(relative)
    ]
    if root.is_file():
        sources = [_source(root, nfc(root.name))]
    if not sources:
        without = f" without {', '.join(corpus.exclude)}" if corpus.exclude else ""
        raise CorpusNotFoundError(
            f"Nothing to read in {shown(root)}: looked for {', '.join(corpus.include)}{without}.",
            hint="Check `corpus.path` and `corpus.include` in the study file.",
        )
    if table is not None and not any(same_file(source.path, table) for source in sources):
        sources.append(_source(table, nfc(corpus.metadata or table.name)))
    return sorted(sources, key=lambda source: source.relative)


def corpus_root(corpus: Corpus, base: Path) -> Path:
    """Return the corpus's folder or file; `base` is the folder of the study file.

    Parameters
    ----------
    corpus : Corpus
        Names the folder.
    base : Path
        Folder of the study file, which a relative path starts at.

    Returns
    -------
    Path
        Not resolved.

    Raises
    ------
    CorpusNotFoundError
        Where there is nothing.

    """
    root = base / Path(corpus.path).expanduser()
    try:
        root.stat()
    except OSError as error:
        reason = "" if isinstance(error, FileNotFoundError) else f" ({error.strerror})"
        raise CorpusNotFoundError(
            f"No corpus at {shown(root)}{reason}.",
            hint="Give its folder in the study file (`corpus.path`, relative to that file) or with --corpus.",
        ) from None
    return root


def table_path(corpus: Corpus, base: Path) -> Path | None:
    """Return the table of metadata that the study names, or the corpus's own `metadata.*`, or None.

    Parameters
    ----------
    corpus : Corpus
        May name the table.
    base : Path
        Folder of the study file, where it is looked for first, and then in the corpus.

    Returns
    -------
    Path or None
        None where the corpus has none.

    Raises
    ------
    CorpusNotFoundError
        Where the named one is not there.

    """
    root = corpus_root(corpus, base)
    folder = root.parent if root.is_file() else root
    if corpus.metadata:
        places = [place / Path(corpus.metadata).expanduser() for place in (base, folder)]
        found = next((place for place in places if is_file(place)), None)
        if found is None:
            looked = " and ".join(dict.fromkeys(shown(place) for place in places))
            raise CorpusNotFoundError(f"No metadata table at {looked}.", hint="Check `corpus.metadata`.")
        return found
    places = [] if root.is_file() else [folder / name for name in METADATA_NAMES]
    unwanted = matcher(corpus.exclude)
    return next((p for p in places if is_file(p) and not unwanted.fullmatch(p.name)), None)


def same_file(one: Path, other: Path) -> bool:
    """Tell whether two paths lead to one place.

    Parameters
    ----------
    one, other : Path
        They need not be there.

    Returns
    -------
    bool
        Links are followed.

    """
    return one == other or (one.name == other.name and one.resolve() == other.resolve())


def _source(path: Path, relative: str, problem: str | None = None) -> Source:
    if problem is None:
        try:
            return Source(path=path, relative=relative, digest=file_digest(path).hex())
        except OSError as error:
            problem = error.strerror or str(error)
    return Source(path=path, relative=relative, digest=f"unreadable: {problem}", problem=problem)


def corpus_fingerprint(sources: Sequence[Source], corpus: Corpus) -> str:
    """Hash names and bytes of all files and the options they are read with: 32 hexadecimal digits.

    Parameters
    ----------
    sources : sequence of Source
        In order.
    corpus : Corpus
        Its options; where it lies does not count.

    Returns
    -------
    str
        Another whenever documents may be read otherwise.

    """
    options = corpus.model_dump_json(exclude={"path"})
    lines = [LOADER_VERSION, options, *(f"{s.relative}\t{s.digest}" for s in sources)]
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()
