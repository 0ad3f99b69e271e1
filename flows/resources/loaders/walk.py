"""Files below a folder, in a stable order; linked folders are followed once, the unreadable are told."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from corpusgraph.schemas.base import nfc


def walk(root: Path) -> Iterator[tuple[Path, str, str | None]]:
    """Yield (path, NFC path below the root with `/`, what is wrong with it) of each file that is not hidden.

    A folder is visited once, by its own path before any link to it; so a link to a parent adds nothing.
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
        link = f"link to {path.readlink()}: " if _is_link(path) else ""
        return 0, f"{link}{error.strerror}"
    return mode, None if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "not a regular file"


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except OSError:  # in a folder that may be listed but not entered
        return False


def is_file(path: Path) -> bool:
    """Tell whether a path leads to a file that can be reached."""
    mode, problem = _mode(path)
    return problem is None and stat.S_ISREG(mode)


def matcher(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Compile glob patterns: `*` stays in a folder, `**/` crosses folders, `?` and `[…]` are one letter."""
    return re.compile("|".join(rf"(?:{_regex(nfc(p).removeprefix('./'))})" for p in patterns) or r"(?!)")


def _regex(pattern: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[!?\]?[^\]/]*\])", pattern)
    known = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
    return "".join(known.get(part) or _class(part) or re.escape(part) for part in parts)


def _class(part: str) -> str | None:
    if len(part) < 3 or part[0] != "[" or part[-1] != "]":
        return None
    inside = part[1:-1].replace("\\", r"\\")
    return f"[^{inside[1:]}]" if inside[0] == "!" else f"[{inside}]"
