"""Cells of GraphRAG's tables: numbers however they are written, ids of ours, columns nobody knows."""

import json
import math
import re
from decimal import Decimal
from itertools import count
from typing import Any

from corpusgraph.flows.interop.given import is_too_deep
from corpusgraph.flows.interop.report import Notes
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.memory import SHORT_IDS

OURS = "corpusgraph"
"""Column with what of our nouns GraphRAG's shapes have no place for, as JSON."""
_INDEX = re.compile(r"__index_level_\d+__|Unnamed: \d+")
"""Columns that pandas makes of an index that nobody named."""
_OUR_ID = re.compile(r"(?:doc|chk|ent|rel|com|clm)_[0-9a-f]{16}")


def number(value: Any) -> int | None:
    """Return a whole number, also one that was written as text or as a float; else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and value.strip().lstrip("-").isascii() and value.strip().lstrip("-").isdigit():
        return int(value)
    return None


def real(value: Any) -> float | None:
    """Return a finite number, also one that was written as text or as a decimal; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def numbers(rows: list[JsonDict], table: str, notes: Notes) -> list[int]:
    """Return `human_readable_id` of each row where all are there and different, else numbers from 1.

    One that is as high as those of memory gets the next that is free: that range is for what is added here.
    """
    given = [number(row.get("human_readable_id")) for row in rows]
    if all(one is not None and one >= 0 for one in given) and len(set(given)) == len(given):
        kept = [one for one in given if one is not None]
        free = count(1 + max((one for one in kept if one < SHORT_IDS), default=0))
        return [one if one < SHORT_IDS else next(free) for one in kept]
    if rows:
        notes.add("numbers_given_anew", table)
    return list(range(1, len(rows) + 1))


def known(row: JsonDict, *names: str) -> JsonDict:
    """Return the columns of a row that are none of the names and not empty: attributes nobody knows."""
    left_out = {*names, "id", "human_readable_id", OURS}
    kept = {key: _keepable(value) for key, value in row.items() if key not in left_out}
    return {
        key: value for key, value in kept.items() if value not in (None, "", []) and not _INDEX.match(key)
    }


def _keepable(value: Any) -> Any:
    """Return a cell as JSON can hold it: without bytes and without floats that are no numbers."""
    if isinstance(value, dict):
        return {key: _keepable(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_keepable(one) for one in value]
    if isinstance(value, bytes) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value


def ours(row: JsonDict) -> JsonDict:
    """Return what our own export kept beside GraphRAG's columns."""
    text = row.get(OURS)
    if not isinstance(text, str):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict) or is_too_deep(value):
        return {}
    if (value.get("short_id") or 0) >= SHORT_IDS:
        value.pop("short_id")
    return value


def own_id(given: object, made: str) -> str:
    """Return an id that is ours already, or the one made."""
    return str(given) if isinstance(given, str) and _OUR_ID.fullmatch(given) else made


def foreign(row: JsonDict, id_: str) -> JsonDict:
    """Return an id that is not ours, to be kept."""
    given = row.get("id")
    return {} if given is None or given == id_ else {"graphrag_id": str(given)}
