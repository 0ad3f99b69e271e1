"""One change as one line of a journal."""

import json
from pathlib import Path

from pydantic import ValidationError

from corpusgraph.schemas.errors import InvalidInputError, MemoryFileError, shown
from corpusgraph.schemas.memory import Change

VERSION = 1
"""Version of the lines; a line of another is refused."""

_BEGIN = b'{"version":%d,' % VERSION
_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})


def encode(change: Change) -> tuple[bytes, Change]:
    """Return a change as a line, and the change that every reader of the line will see.

    Raises InvalidInputError for what no line can hold: half characters, infinity, nesting without end.
    """
    try:
        text = change.model_dump_json().translate(_LINE_ENDS)
        line = _BEGIN + text.encode()[1:] + b"\n"
        seen = _parse(line)
        if seen != change:  # tuples that became lists are fine; what pydantic writes otherwise unasked is not
            json.dumps(change.model_dump(), default=str, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:  # pydantic's errors of writing and reading are ValueErrors
        told = str(error).splitlines()[0]
        message = f"The change made by {change.by} cannot be written to the memory: {told}."
        hint = "Leave out half characters, what is not JSON, and what is nested hundreds of levels deep."
        raise InvalidInputError(message, hint=hint) from None
    return line, seen


def decode(line: bytes, path: Path, number: int) -> Change:
    """Return the change of line `number`, from 1; each line has the number of its change.

    Raises MemoryFileError: `memory_version` for a line that another version wrote, else `invalid_memory`.
    """
    try:
        change = _parse(line)
    except (ValueError, RecursionError) as error:
        raise _unreadable(line, _where(path, number), error) from None
    if change.number != number:
        raise _damaged(f"{_where(path, number)}: has change {change.number} where change {number} belongs.")
    if change.undoes is not None and change.undoes >= number:
        raise _damaged(
            f"{_where(path, number)}: undoes change {change.undoes}, which does not come before it."
        )
    return change


def _where(path: Path, number: int) -> str:
    return f"{shown(path)}, line {number}"


def _parse(line: bytes) -> Change:
    if line.startswith(_BEGIN):
        return Change.model_validate_json(b"{" + line[len(_BEGIN) :])
    record = json.loads(line)
    if not isinstance(record, dict) or record.pop("version", None) != VERSION:
        message = f"is not a change of version {VERSION}"
        raise ValueError(message)
    return Change.model_validate_json(json.dumps(record))


def _unreadable(line: bytes, where: str, error: Exception) -> MemoryFileError:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return _damaged(f"{where}: is not JSON.")
    version = record.get("version") if isinstance(record, dict) else None
    if isinstance(version, int) and version != VERSION:
        message = f"{where}: was written in version {version}; this program reads version {VERSION}."
        return MemoryFileError(
            message, hint="Use the program that wrote it, or a later one.", code="memory_version"
        )
    if isinstance(error, ValidationError):
        problem = error.errors()[0]
        told = f"{'.'.join(map(str, problem['loc'])) or 'change'}: {problem['msg']}"
    else:
        told = str(error)
    return _damaged(f"{where}: {told}.")


def _damaged(message: str) -> MemoryFileError:
    hint = "Nothing was changed. Mend the line by hand, from a copy, or move the file away to begin anew."
    return MemoryFileError(message, hint=hint)
