"""Names that a client gives, kept from becoming paths: files are written below outputs and nowhere else.

A client is a program that reads documents, and does what they say. So a name is refused for how it looks,
before the disk is asked: no rule of any system turns what is left into another place.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from corpusgraph.flows.files.manifest import is_index
from corpusgraph.schemas.errors import InvalidInputError, quoted
from corpusgraph.schemas.memory import JOURNAL

LONGEST, DEEPEST = 100, 8
"""Characters of a part of a name, and parts."""
OWN = "bundles"
"""The one folder of an index that takes files of clients."""
NAMES = frozenset({"index", "method", "profile", "prompts", "study"})
"""Arguments that are a name where the command line also takes a path."""
FOLDERS = frozenset({"bundle"})
"""Arguments that name a place below outputs."""

_PATHS = re.compile(r"(?:^|_)(?:bundle|dir|directory|file|filename|folder|output|outputs|path|uri|url)$")
"""Endings of names that would name a file, whoever adds such an argument."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)
"""Devices of Windows, with any ending."""
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/]')


def plain(name: object, what: str = "name") -> str:
    """Return a name that is one plain word of a path on every system.

    Parameters
    ----------
    name : object
        Whatever a client gave.
    what : str, default 'name'
        Begins the message.

    Returns
    -------
    str
        The name itself.

    Raises
    ------
    InvalidInputError
        `path_refused`, for anything else.

    """
    problem = _problem(name)
    if problem:
        hint = "Use letters, digits, '_', '-' and '.', and begin with a letter or digit."
        raise InvalidInputError(f"{what}: {quoted(name)} {problem}.", hint=hint, code="path_refused")
    return str(name)


def _problem(name: object) -> str | None:
    if not isinstance(name, str) or not name:
        return "is no name"
    seen = unicodedata.normalize("NFKC", name)  # some file systems compose, and make '/' of a full-width one
    rules = (
        (len(name) > LONGEST, f"has more than {LONGEST} characters"),
        (_FORBIDDEN.search(seen) is not None, "has characters that a file's name cannot have"),
        (
            any(unicodedata.category(letter) in {"Cc", "Cf", "Cs"} for letter in name),
            "has invisible characters",
        ),
        (seen[0] in ".~- " or seen[-1] in ". ", "begins or ends as no name does"),
        (_RESERVED.match(seen) is not None, "is the name of a device"),
    )
    return next((problem for broken, problem in rules if broken), None)


def below(outputs: Path, name: object) -> Path:
    """Return the place of a relative name ('studies/cholera') below outputs; it need not be there.

    Parameters
    ----------
    outputs : Path
        Nothing outside of it is reached.
    name : object
        Whatever a client gave.

    Returns
    -------
    Path
        Absolute.

    Raises
    ------
    InvalidInputError
        `path_refused`, for anything else: absolute, with '..' or NUL, a drive, a device, a hidden file, a
        link that leads out, and what belongs to an index (of which `bundles/` alone is open).

    """
    parts = name.split("/") if isinstance(name, str) else [name]
    if len(parts) > DEEPEST:
        raise _refused(name, f"has more than {DEEPEST} parts")
    words = [plain(part, "a place below outputs") for part in parts]
    home = outputs.resolve()
    place = home.joinpath(*words)
    if not _end(place).is_relative_to(home):
        raise _refused(name, "leads out of the outputs by a link")
    above = (folder for folder in (place, *place.parents) if folder != home and folder.is_relative_to(home))
    owner = next((folder for folder in above if is_index(folder) or (folder / JOURNAL).exists()), None)
    if owner is not None and (place.relative_to(owner).parts or ("",))[0] != OWN:
        raise _refused(name, f"belongs to the index {owner.name}, of which only {OWN}/ takes files")
    return place


def _end(place: Path) -> Path:
    """Follow links; one that leads round in a circle leads nowhere, and so not below any folder."""
    try:
        end = place.resolve()
        place.stat()
    except (FileNotFoundError, NotADirectoryError):
        return end
    except (OSError, RuntimeError):
        return Path("/")
    return end


def _refused(name: object, why: str) -> InvalidInputError:
    hint = "Give a relative name, such as studies/cholera."
    return InvalidInputError(f"{quoted(name)} {why}.", hint=hint, code="path_refused")


def path_like(names: Iterable[str]) -> tuple[str, ...]:
    """Return the arguments that name a file, or could be read as one, in order.

    Parameters
    ----------
    names : iterable of str
        Of arguments.

    Returns
    -------
    tuple of str
        Empty where none is.

    """
    return tuple(name for name in names if name in NAMES | FOLDERS or _PATHS.search(name))


def confined(arguments: Mapping[str, Any], outputs: Path) -> None:
    """Check that no argument of a call is a path that it may not be.

    Parameters
    ----------
    arguments : mapping of str to Any
        Name -> value.
    outputs : Path
        Where files may be.

    Raises
    ------
    InvalidInputError
        `path_refused`.

    """
    for name in path_like(arguments):
        if arguments[name] is None or (name not in NAMES | FOLDERS and not isinstance(arguments[name], str)):
            continue
        if name not in NAMES:
            below(outputs, arguments[name])
        elif Path(plain(arguments[name], name)).suffix.lower() in {".yml", ".yaml"}:
            hint = "Give the name of one that comes with the program."
            raise InvalidInputError(f"{name}: a file is not read here.", hint=hint, code="path_refused")
