"""Stata: data for version 14 and later and for version 13, written by ReadStat, and a do-file."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import polars as pl

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.analysis.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.target import Target, is_plain, replaced, started
from corpusgraph.tasks.analysis.statistics.tidy import cut_bytes
from corpusgraph.tasks.export.files import Files, disk_bytes
from corpusgraph.tasks.export.statistical import coding
from corpusgraph.tasks.table.coerce import raw
from corpusgraph.tasks.table.columns import Codes, Instants, distinct, mapped, where, without
from corpusgraph.tasks.table.values import Cells, fix, number
from corpusgraph.tasks.text.wordlist import wordset

_WORDS = wordset(
    "_all _b byte _coef _cons double float if in int long _n _N _pi _pred _rc _skip strL using with alias "
    "_r _se"
)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
"""Extended missing values are .a to .z."""
LARGEST = 8.988465674311579e307
"""The largest double: the numbers above it are Stata's missing values."""
LARGEST_LABELLED = 2_147_483_620
MOST_VARIABLES = 32_767
_LABEL, _NAME = 80, 32
"""Characters; names are ASCII, so that readers before version 14 open the file."""


def legal_name(name: str) -> str:
    """Make a name of ASCII letters, digits and underscores.

    Parameters
    ----------
    name : str
        Any name.

    Returns
    -------
    str
        At most 32 characters.

    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    legal = replaced(plain, lambda c: c.isascii() and is_plain(c))
    legal = (started(legal) if legal and legal[0].isdigit() else legal)[:_NAME]
    return f"{legal[: _NAME - 1]}_" if legal in _WORDS or re.fullmatch(r"str\d+", legal) else legal


def missing_codes(column: Column, present: Iterable[float]) -> list[float]:
    """Return the codes in the order of the letters: those listed, then those of a range, ascending.

    Parameters
    ----------
    column : Column
        Its codes and ranges of missing values.
    present : iterable of float
        Codes that occur in the data.

    Returns
    -------
    list of float
        Each once.

    """
    listed = [float(value) for code in column.missing if (value := number(code)) is not None]
    return list(dict.fromkeys([*listed, *sorted(present)]))


def fit(cells: Cells, rows: Sequence[str]) -> Cells:
    """Make missing what is beyond the largest number, and tell of labels that no whole number has.

    Parameters
    ----------
    cells : Cells
        A column with its values.
    rows : sequence of str
        Ids of the rows, for the fixes.

    Returns
    -------
    Cells
        With what was changed among its fixes: `label_cut`, `infinite_as_missing`.

    """
    column, values = cells.column, cells.values
    fixes = [*cells.fixes]
    if column.dtype in {"numeric", "integer"} and column.value_labels:
        missing = Codes.of(column.missing)
        codes = {code: number(code) for code in column.value_labels if not missing.has(code)}
        lost = [c for c, n in codes.items() if n is None or n % 1 or abs(n) > LARGEST_LABELLED]
        if listed := ", ".join(sorted(lost)):
            message = f"Value labels of {column.name!r} are cut: {listed} cannot have one in Stata"
            fixes.append(fix("label_cut", message))
    if column.dtype == "numeric":
        huge = (values.abs() > LARGEST).fill_null(value=False)  # type: ignore[attr-defined]
        if places := where(huge):
            message = f"{column.name!r} has numbers beyond Stata's largest"
            fixes.append(fix("infinite_as_missing", message, rows, places))
            values = without(values, huge)  # type: ignore[arg-type]
    return Cells(column, values, tuple(fixes))


_LARGEST_FACTOR = 32_740
"""Values of a factor variable are whole numbers from 0 to this."""


def _facts(result: StatisticalAnalysis) -> dict[str, Any]:
    columns = result.table.columns
    return {
        "numbers": [column.name for column in columns if column.dtype in {"numeric", "integer"}],
        "levels": [column.name for column in columns if coding.is_coded(column)],
        "sem": stata_sem,
        "vce": _vce,
        "base_number": coding.base_number,
        "design": _design,
    }


def _design(result: StatisticalAnalysis) -> tuple[list[str], str, list[str]]:
    """Return commands that make variables, the outcome, and the terms."""
    model, outcome, taken = result.model, result.model.outcome or "", list(result.name_map.values())
    setup, names = _factors(result, taken)
    entered = zip(model.terms, coding.whole_in_terms(result), strict=True)
    terms = [_term(term, names, whole) for term, whole in entered]
    if model.kind == "logistic" and coding.column_of(result, outcome).dtype != "boolean":
        # 0 and 1 of two codes, for logit takes any number above 0 for a success
        base, old = coding.base_number(result, outcome), outcome
        outcome = coding.fresh_name(f"{outcome}_01", taken, TARGET)
        setup.append(f"generate {outcome} = ({old} != {base}) if !missing({old})")
    return setup, outcome, terms


def _vce(model: Model) -> str:
    """Return the option for errors that are a sandwich; those of sampling weights need none."""
    if model.cluster:
        return f"vce(cluster {model.cluster})"
    return f"vce({'hc3' if coding.robust_kind(model) == 'HC3' else 'robust'})" if model.robust else ""


def _factors(result: StatisticalAnalysis, taken: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return commands for codes that a factor of Stata cannot have, and how each predictor is written."""
    setup, names = [], {}
    for name in result.model.predictors:
        names[name] = name
        if coding.is_category(result, name):
            base, (present, _) = coding.base_number(result, name), coding.codes(result, name)
            names[name] = f"ib{base}.{name}"
            if not all(0 <= number <= _LARGEST_FACTOR for number in present):
                group = coding.fresh_name(f"{name}_f", taken, TARGET)
                setup.append(f"egen {group} = group({name})")
                names[name] = f"ib{present.index(base) + 1}.{group}"
    return setup, names


def _term(term: dict[str, int], factors: dict[str, str], whole: AbstractSet[str]) -> str:
    bare = {name: "ibn." + factors[name].split(".", 1)[1] for name in whole}  # no level is left out
    names = factors | bare
    if list(term.values()) == [1]:
        return names[next(iter(term))]
    factor = {name: names[name] if "." in names[name] else f"c.{names[name]}" for name in term}
    return "#".join(factor[name] for name, k in term.items() for _ in range(k))


def stata_sem(model: Model) -> str:
    """Write Stata's sem; latent variables are declared, so that any name will do.

    Parameters
    ----------
    model : Model
        A structural equation model.

    Returns
    -------
    str
        One command.

    """
    paths = [f"({factor} -> {' '.join(names)})" for factor, names in model.latents.items()]
    outcomes = dict.fromkeys(outcome for outcome, _ in model.regressions)
    paths += [f"({y} <- {' '.join(x for o, x in model.regressions if o == y)})" for y in outcomes]
    weight = f" [pweight = {model.weights}]" if model.weights else ""
    options = [f"latent({' '.join(model.latents)})"] if model.latents else ["nocapslatent"]
    inner = {name for group in model.latents.values() for name in group} | {y for y, _ in model.regressions}
    # the error terms of endogenous variables are e.y
    errors = [tuple(f"e.{name}" if name in inner else name for name in pair) for pair in model.covariances]
    options += [f"cov({a}*{b})" if a != b else f"var({a})" for a, b in errors]
    options += [f"group({model.group})"] if model.group else []
    options += ["method(mlmv)"] if model.fiml else []
    if model.cluster:
        options.append(f"vce(cluster {model.cluster})")
    elif model.estimator == "MLR" and not model.weights:
        options.append("vce(robust)")
    return f"sem {' '.join(paths)}{weight}, {' '.join([*options, 'standardized'])}"


_SHOWN = {"date": "%td", "datetime": "%tc"}


def data_files(result: StatisticalAnalysis) -> Files:
    """Return data.dta (format 118) and data_stata13.dta (format 117, ASCII).

    Parameters
    ----------
    result : StatisticalAnalysis
        An analysis prepared for Stata.

    Returns
    -------
    dict of str to bytes
        What Stata reads back is the table, missing codes as .a to .z.

    Raises
    ------
    InvalidInputError
        For more variables than a file holds.

    """
    return {"data.dta": dta(result.table, 14), "data_stata13.dta": dta(result.table, 13)}


def dta(table: Table, version: int) -> bytes:
    """Write a Stata file; the same data are the same bytes.

    Parameters
    ----------
    table : Table
        Data as `Target.fit` made them.
    version : int
        Of Stata: 14 (format 118, UTF-8), or 13 (format 117, written in ASCII: ReadStat does not encode,
        and other characters become references such as `&#7871;`).

    Returns
    -------
    bytes
        Numbers are doubles. Codes that mean missing are `.a` to `.z`, with the code as label.

    Raises
    ------
    InvalidInputError
        For more variables than a file holds.

    """
    import pandas as pd
    import pyreadstat

    if len(table.columns) > MOST_VARIABLES:
        raise InvalidInputError(
            f"{len(table.columns):,} variables are more than the {MOST_VARIABLES:,} of a .dta file.",
            hint="Leave variables out, or choose another format.",
        )
    said = str if version > 13 else _ascii
    made = {column.name: _cells(column, raw(table, at), said) for at, column in enumerate(table.columns)}
    data = pd.DataFrame({name: values for name, (values, _, _) in made.items()})
    written = disk_bytes(
        lambda path: pyreadstat.write_dta(
            data,
            path,
            version=version,
            file_label=said(table.name)[:_LABEL],
            column_labels={c.name: said(c.label)[:_LABEL] for c in table.columns if c.label},
            variable_value_labels={
                name: {code: said(text) for code, text in texts.items()}
                for name, (_, texts, _) in made.items()
                if texts
            },
            missing_user_values={name: letters for name, (_, _, letters) in made.items() if letters},
            variable_format={c.name: _SHOWN[c.dtype] for c in table.columns if c.dtype in _SHOWN},
        )
    )
    return re.sub(rb"<timestamp>\x11.{17}", b"<timestamp>\x1101 Jan 2000 00:00", written, count=1)


def _ascii(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode()


def _cells(column: Column, values: pl.Series | Instants, said: Any) -> tuple[Any, dict[Any, str], list[str]]:
    """Return numbers (with letters where codes are missing) or text, value labels, and the letters used."""
    if isinstance(values, Instants):
        return _moments(values.moments).to_pandas(), {}, []
    if column.dtype in {"text", "json"}:
        texts = values.fill_null("")
        return (texts if said is str else pl.Series(map(said, texts))).to_pandas(), {}, []
    letters, labels = _missing(column, values)
    present = without(values, Codes.of(column.missing).marks(values)) if letters else values
    words: Mapping[Any, str] = coding.number_labels(column)
    if coding.is_coded(column):
        present, words = coding.coded(column, present)
    fitting = {c: text for c, text in words.items() if isinstance(c, int) and abs(c) <= LARGEST_LABELLED}
    numbers = present.cast(pl.Float64).to_pandas()
    if letters:
        marks = mapped(values.cast(pl.Float64), letters, pl.String).to_pandas()
        numbers = numbers.astype(object).where(marks.isna(), marks)
    labelled: dict[Any, str] = {c: text for c, text in fitting.items() if c not in letters}
    return numbers, labelled | labels, sorted(letters.values())


def _missing(column: Column, values: pl.Series) -> tuple[dict[float, str], dict[str, str]]:
    """Return the letter of each code in the data, and the labels of the letters used."""
    codes = Codes.of(column.missing)
    if not codes or not values.dtype.is_numeric():
        return {}, {}
    present = [float(value) for value in distinct(without(values, ~codes.marks(values)))]
    letters = {code: LETTERS[at] for at, code in enumerate(missing_codes(column, present)) if code in present}
    texts = {Codes.of([code]): text for code, text in (column.value_labels or {}).items()}
    labels = {}
    for code in present:
        text = next((text for one, text in texts.items() if one.has(code)), "")
        shown = f"{code:.0f}" if code.is_integer() else repr(code)
        labels[letters[code]] = f"{shown}: {text}" if text and text != shown else shown
    return letters, labels


def _moments(moments: pl.Series) -> pl.Series:
    """Return days, or milliseconds with their fraction, from 1960, where Stata begins to count."""
    if moments.dtype == pl.Date:
        return moments.to_physical().cast(pl.Float64) + 3_653
    return (moments.to_physical() + 315_619_200_000_000).cast(pl.Float64) / 1000


def _sem_facts(model: Model) -> list[str]:
    numbers = " with ordinal indicators as numbers, for `sem` has no thresholds" if model.ordered else ""
    return [f"Estimator of `sem`: maximum likelihood{numbers}; {coding.rows_used(model)}."]


TARGET = Target(
    name="stata",
    legal_name=legal_name,
    script=coding.script_of("analysis.do", _facts),
    data_files=data_files,
    script_file="analysis.do",
    opening="In Stata, change to this folder and run `do analysis.do`. `data.dta` opens in Stata 14 and"
    " later; `data_stata13.dta` is for older readers, with characters outside ASCII by number (`&#7871;`).",
    files={
        "data.dta": "the data for Stata 14 and later, with labels",
        "data_stata13.dta": "the same for Stata 13",
    },
    errors=lambda model: coding.errors_text(model, _vce(model) or "vce(robust)"),
    sem=_sem_facts,
    cut_name=lambda name, room: name[: _NAME - room],
    cut_label=lambda label: label[:_LABEL],
    cut_value_label=lambda label: cut_bytes(label, 32_000),
    holds_codes=lambda column, codes, _: len(missing_codes(column, codes)) <= len(LETTERS),
    fit=fit,
)
