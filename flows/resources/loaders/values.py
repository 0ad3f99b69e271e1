"""Values of metadata as JSON has them: no dates, no bytes, no NaN, clean text."""

import math
from decimal import Decimal
from typing import Any

from corpusgraph.flows.resources.loaders.decoding import clean
from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks.index.written_dates import iso_date


def json_value(value: Any) -> Any:
    """Return a value that JSON can hold: dates in ISO 8601, decimals as numbers, NaN and bytes as None."""
    if isinstance(value, dict):
        return {clean(str(key)): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    return _json_scalar(value)


def _json_scalar(value: Any) -> Any:
    if isinstance(value, Decimal):
        value = int(value) if value.is_finite() and value == int(value) else float(value)
    if isinstance(value, bytes) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if value is None or isinstance(value, bool | int | float):
        return value
    return _iso(value) if hasattr(value, "isoformat") else clean(str(value))


def _iso(moment: Any) -> str:
    text = str(moment.isoformat())
    return text.removesuffix("T00:00:00")


def number(cell: str) -> str | int | float:
    """Read a cell that is written as a number (and could be written back the same) as one."""
    for cast in (int, float):
        try:
            value = cast(cell)
        except ValueError:
            continue
        if str(value) == cell and abs(value) < 2**63:
            return value
    return cell


def with_iso_date(metadata: JsonDict) -> JsonDict:
    """Write `date` in ISO 8601 where it can be read in one way only; `date_text` keeps what was written."""
    written = metadata.get("date")
    if not isinstance(written, str | int) or isinstance(written, bool):
        return metadata
    iso = iso_date(str(written))
    if iso is None:
        return metadata
    kept = {} if iso == str(written).strip() else {"date_text": written}
    return {**metadata, "date": iso, **{k: v for k, v in kept.items() if k not in metadata}}
