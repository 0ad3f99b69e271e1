"""Read a file of questions with gold documents: JSON Lines, gzipped or not."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpusgraph.flows.load.decoding import UnusableError
from corpusgraph.flows.load.rows import rows_of
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, did_you_mean, shown
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.run import GoldQuestion

_STEPS = ("decomposition", "question_decomposition")
_HOPS = re.compile(r"([1-9])[ _-]?hop")
_FORM = 'A line is {"question": …, "gold": [document ids], "answer": …, "aliases": […]}.'


def read_questions(path: Path, limit: int | None = None) -> tuple[list[GoldQuestion], list[ToolWarning]]:
    """Return the first questions that have gold documents, and a warning for those that have none.

    Parameters
    ----------
    path : Path
        JSON lines, gzipped or not.
    limit : int, optional
        Questions at most; None for all.

    Returns
    -------
    tuple of list of GoldQuestion and list of ToolWarning
        The warning is `no_gold`, with the ids of those left out.

    Raises
    ------
    InvalidInputError
        For a line that is no question, with file and line; for a file without gold, and for an id that comes
        twice.

    """
    found: list[GoldQuestion] = []
    bare: list[str] = []
    keys: set[str] = set()
    for line, row in _rows(path):
        keys |= row.keys()
        question = _question(f"{shown(path)}, line {line}", line, row)
        if question is None:
            bare.append(str(row.get("id", line)))
        else:
            found.append(question)
        if limit is not None and len(found) >= limit:
            break
    if not found:
        raise _nothing(path, bare, keys)
    for id_, n in Counter(question.id for question in found).items():
        if n > 1:
            raise InvalidInputError(f"{shown(path)}: two questions have the id {id_!r}.")
    told = f"{len(bare)} questions name no gold documents and are left out."
    return found, [ToolWarning(code="no_gold", message=told, records=tuple(bare))] if bare else []


def _rows(path: Path) -> Iterator[tuple[int, JsonDict]]:
    if not path.is_file():
        raise InvalidInputError(f"No file of questions at {shown(path)}.")
    try:
        for line, row in rows_of(path, None, ()):
            if isinstance(row, UnusableError):
                raise InvalidInputError(f"{shown(path)}: {row.message}.", hint=_FORM)
            yield line, row
    except UnusableError as error:
        raise InvalidInputError(f"{shown(path)}: {error.message}.") from None
    except OSError as error:
        raise InvalidInputError(f"Cannot read {shown(path)}: {error.strerror or error}.") from None


def _question(where: str, line: int, row: JsonDict) -> GoldQuestion | None:
    text = row.get("question")
    if not isinstance(text, str) or not text.strip():
        hint = None if "question" in row else did_you_mean("question", list(row))
        raise InvalidInputError(f"{where}: no `question`.", hint=hint or _FORM)
    gold = _texts(where, "gold", row.get("gold"))
    if not gold:
        return None
    answers = _texts(where, "answer", row.get("answer")) + _texts(where, "aliases", row.get("aliases"))
    return GoldQuestion(
        id=str(row.get("id", line)),
        question=text,
        gold=tuple(dict.fromkeys(gold)),
        answers=tuple(dict.fromkeys(answer for answer in answers if answer.strip())),
        type=str(row["type"]) if row.get("type") else None,
        hops=_hops(row),
    )


def _hops(row: JsonDict) -> int | None:
    """Return how many passages a question joins: `hops`, its steps, or a type or id that tells ("2hop")."""
    given = row.get("hops")
    if isinstance(given, int) and given > 0:
        return given
    if steps := next((row[key] for key in _STEPS if isinstance(row.get(key), list)), None):
        return len(steps)
    words = (_HOPS.match(str(row.get(key, ""))) for key in ("type", "id"))
    return next((int(match[1]) for match in words if match), None)


def _texts(where: str, key: str, value: Any) -> list[str]:
    """Return one value or a list of them as text."""
    values = [] if value is None else value if isinstance(value, list) else [value]
    if not all(isinstance(item, str | int | float) for item in values):
        raise InvalidInputError(f"{where}: `{key}` is not a text or a list of texts.")
    return [str(item) for item in values]


def _nothing(path: Path, bare: list[str], keys: set[str]) -> InvalidInputError:
    message, hint = f"{shown(path)} holds no questions.", None
    if bare:
        message = f"None of the {len(bare)} questions in {shown(path)} has `gold` documents."
        hint = None if "gold" in keys else did_you_mean("gold", sorted(keys))
    return InvalidInputError(message, hint=hint or _FORM)
