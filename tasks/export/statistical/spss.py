"""SPSS: a system file with labels, measures and missing values, written by ReadStat, and syntax."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

import polars as pl

from corpusgraph.schemas.results import Column
from corpusgraph.tasks.analysis.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.target import Target, is_plain, replaced, started
from corpusgraph.tasks.analysis.statistics.tidy import cut_bytes
from corpusgraph.tasks.export.files import disk_bytes
from corpusgraph.tasks.export.statistical import coding
from corpusgraph.tasks.table.coerce import raw
from corpusgraph.tasks.table.columns import Codes, Instants, span, where, without
from corpusgraph.tasks.table.values import Cells, fix, number

_WORDS = frozenset({"ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"})
_NAME, _LABEL, _VALUE_LABEL, _TITLE = 64, 256, 120, 64
"""Bytes."""
TEXT_BYTES = 32_767
FIRST_DAY = date(1582, 10, 15)
"""The first day of the Gregorian calendar; SPSS holds none before it."""
ZERO = 12_219_379_200
"""Seconds from 14 October 1582, where SPSS begins to count, to 1970."""


def legal_name(name: str) -> str:
    """Make a name; SPSS allows @ first, ReadStat does not.

    Parameters
    ----------
    name : str
        Any name.

    Returns
    -------
    str
        At most 64 bytes of UTF-8; no reserved word of SPSS.

    """
    legal = replaced(name, lambda c: is_plain(c) or c in ".@").rstrip("._")
    legal = legal if legal[:1].isalpha() else started(legal)
    legal = cut_bytes(legal, _NAME).rstrip("._")
    return f"{legal}_v" if legal.upper() in _WORDS else legal


def missing_ranges(column: Column, valid: pl.Series) -> list[tuple[float, float]] | None:
    """Return what SPSS is told is missing, as lowest and highest, or None where it cannot be told.

    SPSS holds three single values, or one range and one value. More codes are made a range where no
    valid value of the column lies in it.

    Parameters
    ----------
    column : Column
        Its codes and ranges of missing values.
    valid : polars.Series
        Numbers of the column that are not missing.

    Returns
    -------
    list of (float, float) or None
        A single value is both lowest and highest.

    """
    spans = [ends for code in column.missing if (ends := span(code)) is not None]
    numbers = sorted({float(n) for code in column.missing if (n := number(code)) is not None})
    if any(span(code) is None and number(code) is None for code in column.missing):
        return None
    numbers = [n for n in numbers if not any(low <= n <= high for low, high in spans)]
    single = [(n, n) for n in numbers]
    if not spans and len(single) <= 3:
        return single
    if len(spans) == 1 and len(single) <= 1:
        return [*spans, *single]
    return None if spans else _one_range(numbers, valid)


def _one_range(numbers: Sequence[float], valid: pl.Series) -> list[tuple[float, float]] | None:
    """Find a range that holds all codes, or all but the lowest or the highest, and no valid value."""
    for some, rest in ((numbers, []), (numbers[:-1], numbers[-1:]), (numbers[1:], numbers[:1])):
        if not valid.is_between(some[0], some[-1]).any():
            return [(some[0], some[-1]), *((n, n) for n in rest)]
    return None


def fit(cells: Cells, rows: Sequence[str]) -> Cells:
    """Cut long text, make text of days before SPSS begins, and tell of blanks and fractions it loses.

    Parameters
    ----------
    cells : Cells
        A column with its values.
    rows : sequence of str
        Ids of the rows, for the fixes.

    Returns
    -------
    Cells
        With what was changed among its fixes.

    """
    if isinstance(cells.values, Instants):
        return _fit_instants(cells, cells.values, rows)
    return _fit_text(cells, cells.values, rows) if cells.column.dtype == "text" else cells  # type: ignore[arg-type]


def _fit_text(cells: Cells, values: pl.Series, rows: Sequence[str]) -> Cells:
    name, fixes = cells.column.name, [*cells.fixes]
    if places := where(values.str.ends_with(" ")):  # SPSS fills text with blanks
        message = f"Blanks at the end of {name!r} are lost in SPSS"
        fixes.append(fix("text_cut", message, rows, places))
    if places := where(values.str.len_bytes() > TEXT_BYTES):
        texts = pl.Series([cut_bytes(values[at], TEXT_BYTES) for at in places], dtype=pl.String)
        values = values.clone().scatter(places, texts)
        fixes.append(fix("text_cut", f"{name!r} is cut to {TEXT_BYTES} bytes", rows, places))
    return Cells(cells.column, values, tuple(fixes))


def _fit_instants(cells: Cells, values: Instants, rows: Sequence[str]) -> Cells:
    name, moments = cells.column.name, values.moments
    if places := where(moments.cast(pl.Date) < FIRST_DAY):
        message = f"{name!r} has dates before {FIRST_DAY}, which SPSS cannot hold, and is text"
        text = cells.column.model_copy(update={"dtype": "text"})
        return Cells(text, values.text(), (*cells.fixes, fix("date_as_text", message, rows, places)))
    if cells.column.dtype == "date":
        return cells
    back = (_seconds(moments) * 1e6).round().cast(int) - ZERO * 1_000_000
    if not (places := where(back != moments.to_physical())):
        return cells
    message = f"{name!r} is rounded to what SPSS, which counts seconds from 1582 in a double, can hold"
    return Cells(cells.column, values, (*cells.fixes, fix("fraction_rounded", message, rows, places)))


def _seconds(moments: pl.Series) -> pl.Series:
    """Return seconds from 14 October 1582, as SPSS counts them."""
    return (moments.to_physical() + ZERO * 1_000_000).cast(pl.Float64) / 1e6


GENLIN = {
    "linear": "NORMAL LINK=IDENTITY",
    "logistic": "BINOMIAL LINK=LOGIT",
    "poisson": "POISSON LINK=LOG",
    "negative_binomial": "NEGBIN(MLE) LINK=LOG",
}
"""Kinds of model that GENLIN fits, SPSS's only command here with robust and clustered errors."""


@dataclass(frozen=True)
class Made:
    """Commands that make variables, and the names of the terms, the outcome and the offset.

    Attributes
    ----------
    commands : tuple of str
        Syntax, a command each.
    names : tuple of str
        Variables of the terms.
    outcome : str
        Variable of the outcome.
    offset : str, optional
        Variable of the offset.

    """

    commands: tuple[str, ...]
    names: tuple[str, ...]
    outcome: str
    offset: str | None = None


def quoted(text: str) -> str:
    """Return an SPSS string on one line.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        With its quotation marks.

    """
    return "'" + " ".join(text.split()).replace("'", "''") + "'"


def columns(result: StatisticalAnalysis) -> Made:
    """Return the SPSS commands that make the variables of a regression, and their names.

    Parameters
    ----------
    result : StatisticalAnalysis
        An analysis prepared for SPSS, with a regression.

    Returns
    -------
    Made
        Commands in the order of the terms; a variable that several terms use is made once.

    """
    model, taken = result.model, list(result.name_map.values())
    commands: list[str] = []
    names: list[str] = []

    @cache  # several terms use one variable
    def computed(wanted: str, formula: str, label: str) -> str:
        name = coding.fresh_name(wanted, taken, TARGET)
        commands.extend((f"COMPUTE {name} = {formula}.", f"VARIABLE LABELS {name} {quoted(label)}."))
        return name

    @cache
    def parts(name: str, power: int, whole: bool) -> list[str]:
        """Return the variables of one factor of a term; a `whole` category has one for each level."""
        if not coding.is_category(result, name):
            power_of = (f"{name}_p{power}", f"{name} ** {power}", f"{name} ^ {power}")
            return [name if power == 1 else computed(*power_of)]
        (present, texts), base = coding.codes(result, name), coding.base_number(result, name)
        levels = [n for n in present if whole or n != base]
        return [computed(f"{name}_{n}", f"({name} = {n})", f"{name}: {texts[n]}") for n in levels]

    for term, whole in zip(model.terms, coding.whole_in_terms(result), strict=True):
        product = [""]
        for name, power in term.items():
            own = parts(name, power, name in whole)
            product = [f"{a} * {b}" if a else b for a in product for b in own]
        names += [computed(p.replace(" * ", "_x_"), p, p) if " * " in p else p for p in product]
    outcome, offset = model.outcome or "", model.offset
    if model.kind == "logistic" and coding.column_of(result, outcome).dtype != "boolean":
        told = f"{outcome}: not {model.reference[outcome]}"
        outcome = computed(f"{outcome}_01", f"({outcome} <> {coding.base_number(result, outcome)})", told)
    if model.exposure:
        logged = f"LN({model.exposure})" + (f" + {offset}" if offset else "")
        offset = computed("log_exposure", logged, f"log of {model.exposure}")
    return Made(tuple(commands), tuple(names), outcome, offset)


def _listed(names: Sequence[str]) -> str:
    """Break a long list of names: a line of syntax has a limit."""
    return "\n    ".join(" ".join(names[at : at + 8]) for at in range(0, len(names), 8))


def _facts(result: StatisticalAnalysis) -> dict[str, Any]:
    return {
        "listed": _listed,
        "design": columns,
        "base_number": coding.base_number,
        "distributions": GENLIN,
        "texts": [column.name for column in result.table.columns if column.dtype == "text"],
    }


_CREATED = 92
"""Where creation date (9 bytes) and time (8 bytes) are in the file's header record."""
_WRITTEN = b"01 Jan 0000:00:00"
_LOWEST = -math.nextafter(sys.float_info.max, 0)
"""SPSS's LOWEST: the smallest double but one, for the smallest is its missing value."""
_HIGHEST = sys.float_info.max


def sav(result: StatisticalAnalysis) -> bytes:
    """Write a system file in UTF-8; the same data are the same bytes.

    Parameters
    ----------
    result : StatisticalAnalysis
        An analysis prepared for SPSS.

    Returns
    -------
    bytes
        What pyreadstat reads back is the table, with its user-missing codes.

    """
    import pyreadstat

    table = result.table
    made = {column.name: _cells(column, raw(table, at)) for at, column in enumerate(table.columns)}
    missing = {column.name: _missing(column, raw(table, at)) for at, column in enumerate(table.columns)}
    data = pl.DataFrame({name: cells for name, (cells, _, _) in made.items()})
    written = disk_bytes(
        lambda path: pyreadstat.write_sav(
            data,
            path,
            file_label=cut_bytes(table.name, _TITLE),
            column_labels={c.name: c.label for c in table.columns if c.label},
            variable_value_labels={
                name: {float(code): text for code, text in texts.items()}
                for name, (_, texts, _) in made.items()
                if texts
            },
            missing_ranges={name: ranges for name, ranges in missing.items() if ranges},
            variable_measure={entry.name: entry.measure for entry in result.codebook},
            variable_format={name: shown for name, (_, _, shown) in made.items() if shown},
        )
    )
    return written[:_CREATED] + _WRITTEN + written[_CREATED + len(_WRITTEN) :]


def _cells(column: Column, values: pl.Series | Instants) -> tuple[pl.Series, dict[Any, str], str]:
    """Return numbers or text, value labels and the format; dates are seconds from 1582."""
    if isinstance(values, Instants):
        clock = values.moments.cast(pl.Datetime("us"))
        shown = "DATETIME26.5" if (clock.dt.microsecond() != 0).any() else "DATETIME20"
        return _seconds(clock), {}, "DATE11" if values.moments.dtype == pl.Date else shown
    if coding.is_coded(column):
        made, texts = coding.coded(column, values)
        return made.cast(pl.Float64), texts, _whole(made)
    if column.dtype in {"numeric", "integer"}:
        shown = _whole(values) if column.dtype == "integer" else ""
        return values.cast(pl.Float64), coding.number_labels(column), shown
    return values.fill_null(""), {}, ""


def _whole(values: pl.Series) -> str:
    """Return a format wide enough for the digits and the sign."""
    ends = [0 if end is None else end for end in (values.min(), values.max())]
    return f"F{max(8, *(len(str(end)) for end in ends))}.0"


def _missing(column: Column, values: pl.Series | Instants) -> list[Any]:
    """Return what the file says is missing: up to three values, or a range and a value."""
    codes = Codes.of(column.missing)
    if not codes or isinstance(values, Instants) or not values.dtype.is_numeric():
        return []
    ranges = missing_ranges(column, without(values, codes.marks(values))) or []
    return [
        low if low == high else {"lo": max(low, _LOWEST), "hi": min(high, _HIGHEST)} for low, high in ranges
    ]


def _errors(model: Model) -> str:
    plain = coding.plain_errors(model)
    if not coding.is_sandwich(model):
        return plain
    if model.kind not in GENLIN:
        return f"{plain}, though others were asked for: SPSS has no simple command for them"
    kind = f"are clustered by {model.cluster}" if model.cluster else "are robust to unequal variances"
    how = "sandwich without the factors that R, Python and Stata have for small samples"
    return f"{kind} in GENLIN ({how}), not in other commands"


TARGET = Target(
    name="spss",
    legal_name=legal_name,
    script=coding.script_of("analysis.sps", _facts),
    data_files=lambda result: {"data.sav": sav(result)},
    script_file="analysis.sps",
    opening="In SPSS Statistics or PSPP, open `data.sav`. `analysis.sps` runs from this folder"
    " (`CD '<this folder>'.` first).",
    files={"data.sav": "the data with labels, levels of measurement and missing values"},
    errors=_errors,
    cut_name=lambda name, room: name.encode()[: _NAME - room].decode(errors="ignore"),
    fold=str.casefold,
    cut_label=lambda label: cut_bytes(label, _LABEL),
    cut_value_label=lambda label: cut_bytes(label, _VALUE_LABEL),
    holds_codes=lambda column, _, cells: missing_ranges(column, cells) is not None,
    fit=fit,
)
