"""The Stata bundle: data for version 14 and later and for version 13, and a do-file."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.analysis.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.names import legal_names
from corpusgraph.tasks.analysis.statistics.settle import CATEGORIES
from corpusgraph.tasks.analysis.statistics.tidy import stata_codes
from corpusgraph.tasks.export.statistical.coding import coded, codes, is_coded, number_labels, whole_in_terms
from corpusgraph.tasks.export.statistical.dta import (
    Variable,
    label_of_missing,
    missing,
    smallest,
    text_width,
    write,
)
from corpusgraph.tasks.table.coerce import raw
from corpusgraph.tasks.table.columns import Codes, Instants, distinct, mapped, without

if TYPE_CHECKING:
    import polars as pl

_COMMANDS = {
    "linear": "regress",
    "logistic": "logit",
    "ordered": "ologit",
    "multinomial": "mlogit",
    "poisson": "poisson",
    "negative_binomial": "nbreg",
}
_RATIOS = {
    "logistic": "or",
    "ordered": "or",
    "multinomial": "rrr",
    "poisson": "irr",
    "negative_binomial": "irr",
}
_WEIGHTS = {"analytic": "aweight", "frequency": "fweight", "sampling": "pweight"}
_LARGEST_FACTOR = 32_740
"""Values of a factor variable are whole numbers from 0 to this."""


def script(result: StatisticalAnalysis) -> str:
    """Write the analysis as a do-file."""
    body = {"none": _describe, "sem": _sem}.get(result.model.kind, _regression)(result)
    return "\n".join(["version 14", 'use "data.dta", clear', *body]) + "\n"


def _describe(result: StatisticalAnalysis) -> list[str]:
    numbers = [c.name for c in result.table.columns if c.dtype in {"numeric", "integer"}]
    levels = [c.name for c in result.table.columns if is_coded(c)]
    summary = [f"summarize {' '.join(numbers)}, detail"] if numbers else []
    return ["describe", *summary, *(f"tabulate {name}, missing" for name in levels)]


def _regression(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    setup, names = _factors(result)
    terms = [
        _term(term, names, whole) for term, whole in zip(model.terms, whole_in_terms(result), strict=True)
    ]
    outcome = model.outcome or ""
    if model.kind == "logistic" and _column(result, outcome).dtype != "boolean":
        more, outcome = _two_levels(result, outcome)
        setup += more
    weight = f" [{_WEIGHTS[model.weight_type or 'analytic']} = {model.weights}]" if model.weights else ""
    command = f"{_COMMANDS[model.kind]} {' '.join((outcome, *terms))}{weight}"
    options = _options(result)
    lines = [*setup, command + (f", {' '.join(options)}" if options else "")]
    if ratio := _RATIOS.get(model.kind):
        lines.append(f"{command}, {' '.join((*options, ratio))}")
    elif not (model.cluster or model.robust or model.weight_type == "sampling"):
        lines.append(f"{command}, {' '.join((*options, 'beta'))}")
    if model.kind == "linear" and model.intercept:
        lines.append("estat vif")
    return [*lines, *([] if model.kind == "linear" else ["estat ic"])]


def _options(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    found = [] if model.intercept else ["noconstant"]
    found += [f"offset({model.offset})"] if model.offset else []
    found += [f"exposure({model.exposure})"] if model.exposure else []
    if model.kind == "multinomial":
        outcome = model.outcome or ""
        found.append(f"baseoutcome({_code(result, outcome, model.reference[outcome])})")
    if model.cluster:
        found.append(f"vce(cluster {model.cluster})")
    elif model.robust:
        hc3 = model.robust == "HC3" and not model.weights  # Stata has no HC3 with weights
        found.append("vce(hc3)" if hc3 else "vce(robust)")
    return found


def _column(result: StatisticalAnalysis, name: str) -> Column:
    return next(column for column in result.table.columns if column.name == name)


def _level_codes(result: StatisticalAnalysis, name: str) -> dict[str, int]:
    """Return the number that stands for each level."""
    column = _column(result, name)
    if all(level.lstrip("+-").isdigit() for level in column.levels or ()):
        return {level: int(level) for level in column.levels or ()}
    return {level: at for at, level in enumerate(column.levels or (), 1)}


def _code(result: StatisticalAnalysis, name: str, level: str) -> int:
    return _level_codes(result, name)[level]


def _factors(result: StatisticalAnalysis) -> tuple[list[str], dict[str, str]]:
    """Return commands for codes that a factor of Stata cannot have, and how each predictor is written."""
    setup, names = [], {}
    taken = list(result.name_map.values())
    for name in result.model.predictors:
        column = _column(result, name)
        if column.dtype not in CATEGORIES:
            names[name] = name
            continue
        numbers, base = _level_codes(result, name), result.model.reference[name]
        if all(0 <= number <= _LARGEST_FACTOR for number in numbers.values()):
            names[name] = f"ib{numbers[base]}.{name}"
            continue
        present = sorted({n for n in codes(column, result.table.column(name))[0] if n is not None})
        made = legal_names([*taken, f"{name}_f"], "stata")[f"{name}_f"]
        taken.append(made)
        setup.append(f"egen {made} = group({name})")
        names[name] = f"ib{present.index(numbers[base]) + 1}.{made}"
    return setup, names


def _term(term: dict[str, int], factors: dict[str, str], whole: AbstractSet[str]) -> str:
    bare = {name: "ibn." + factors[name].split(".", 1)[1] for name in whole}  # no level is left out
    names = factors | bare
    if list(term.values()) == [1]:
        return names[next(iter(term))]
    parts = [
        names[name] if "." in names[name] else f"c.{names[name]}"
        for name, k in term.items()
        for _ in range(k)
    ]
    return "#".join(parts)


def _two_levels(result: StatisticalAnalysis, name: str) -> tuple[list[str], str]:
    """Make 0 and 1 of two codes, for logit takes any number above 0 for a success."""
    base = _code(result, name, result.model.reference[name])
    new = legal_names([*result.name_map.values(), f"{name}_01"], "stata")[f"{name}_01"]
    return [f"generate {new} = ({name} != {base}) if !missing({name})"], new


def _sem(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    lines = ["* The same model as lavaan text is in model.lav."]
    if "*" in model.text:
        lines.append("* Its fixed, free and labelled parameters are not in the command below.")
    if model.ordered:
        lines.append("* sem takes ordinal indicators as numbers; lavaan fits them by their thresholds.")
    return [*lines, stata_sem(model), "estat gof, stats(all)"]


def stata_sem(model: Model) -> str:
    """Write Stata's sem; latent variables are declared, so that any name will do."""
    paths = [f"({factor} -> {' '.join(names)})" for factor, names in model.latents.items()]
    outcomes = dict.fromkeys(outcome for outcome, _ in model.regressions)
    paths += [f"({y} <- {' '.join(x for o, x in model.regressions if o == y)})" for y in outcomes]
    weight = f" [pweight = {model.weights}]" if model.weights else ""
    options = [f"latent({' '.join(model.latents)})"] if model.latents else ["nocapslatent"]
    options += [f"cov({a}*{b})" if a != b else f"var({a})" for a, b in _residual(model)]
    options += [f"group({model.group})"] if model.group else []
    options += ["method(mlmv)"] if model.fiml else []
    if model.cluster:
        options.append(f"vce(cluster {model.cluster})")
    elif model.estimator == "MLR" and not model.weights:
        options.append("vce(robust)")
    return f"sem {' '.join(paths)}{weight}, {' '.join([*options, 'standardized'])}"


def _residual(model: Model) -> list[tuple[str, str]]:
    """Name the error terms of endogenous variables, `e.y`, as Stata's covariances want them."""
    inner = {name for group in model.latents.values() for name in group} | {y for y, _ in model.regressions}
    return [(_error(a, inner), _error(b, inner)) for a, b in model.covariances]


def _error(name: str, endogenous: set[str]) -> str:
    return f"e.{name}" if name in endogenous else name


_DAYS, _MILLISECONDS = 3_653, 315_619_200_000
"""From 1960, where Stata begins to count, to 1970."""
_SHOWN = {"int8": "%8.0g", "int16": "%8.0g", "int32": "%12.0g", "float64": "%10.0g"}
_LONGEST_SHOWN = 244


def files(result: StatisticalAnalysis) -> dict[str, bytes]:
    """Return data.dta (format 118), data_stata13.dta (format 117, Latin-1) and analysis.do."""
    return {
        "data.dta": dta(result.table, 118),
        "data_stata13.dta": dta(result.table, 117),
        "analysis.do": script(result).encode(),
    }


def dta(table: Table, version: int) -> bytes:
    """Write a Stata file. Format 117 knows Latin-1 only: other characters become `<U+1EC5>`.

    Codes that mean missing are `.a` to `.z` with the code as label.
    """
    variables = [_variable(column, raw(table, at), version) for at, column in enumerate(table.columns)]
    return write(variables, len(table.rows), version, _fitted(table.name, version)[:80])


def _variable(column: Column, values: "pl.Series | Instants", version: int) -> Variable:
    label = _fitted(column.label, version)[:80]
    if isinstance(values, Instants):
        numbers, shown = _moments(values.moments)
        return Variable(column.name, label, shown, numbers)
    if column.dtype in {"text", "json"}:
        return _text(column, label, values, version)
    letters, labels = _missing_codes(column, values)
    present = without(values, Codes.of(column.missing).marks(values)) if letters else values
    known: Mapping[int | float, str] = number_labels(column)
    if is_coded(column):
        present, known = _coded(column, present)
    labels |= {code: text for code, text in known.items() if code not in letters and isinstance(code, int)}
    numbers = _codes(present, values, letters, whole=column.dtype != "numeric")
    fitted = {code: _fitted(text, version) for code, text in labels.items()}
    return Variable(column.name, label, _SHOWN[str(numbers.dtype)], numbers, labels=fitted)


def _coded(column: Column, values: "pl.Series") -> tuple["pl.Series", dict[int | float, str]]:
    made, labels = coded(column, values)
    return made, dict(labels.items())


def _missing_codes(column: Column, values: "pl.Series") -> tuple[dict[float, int], dict[int, str]]:
    """Return the letter (1 to 26) of each code in the data and the labels of the letters used."""
    codes = Codes.of(column.missing)
    if not codes or not values.dtype.is_numeric():
        return {}, {}
    present = [float(value) for value in distinct(without(values, ~codes.marks(values)))]
    letters = {code: at for at, code in enumerate(stata_codes(column, present), 1)}
    texts = {Codes.of([code]): text for code, text in (column.value_labels or {}).items()}
    labels = {}
    for code in present:
        said = next((text for one, text in texts.items() if one.has(code)), "")
        shown = f"{code:.0f}" if code.is_integer() else repr(code)
        labels[label_of_missing(letters[code])] = f"{shown}: {said}" if said and said != shown else shown
    return letters, labels


def _codes(
    present: "pl.Series", values: "pl.Series", letters: dict[float, int], *, whole: bool
) -> NDArray[Any]:
    """Return numbers in the smallest type that holds them, with `.` and `.a` to `.z` where there is none."""
    filled = present.fill_null(0).to_numpy()
    kind = smallest(filled) if whole else "float64"
    numbers = filled.astype(kind)
    if present.null_count():
        numbers[present.is_null().to_numpy()] = missing(kind)
    if letters:
        import polars as pl

        at = mapped(values.cast(pl.Float64), letters, pl.Int64).fill_null(0).to_numpy()
        numbers[at > 0] = missing(kind, at[at > 0])
    return numbers


def _moments(moments: "pl.Series") -> tuple[NDArray[Any], str]:
    """Return days, or milliseconds with their fraction, from 1960."""
    import polars as pl

    holes = moments.is_null().to_numpy()
    counts = moments.to_physical().fill_null(0).to_numpy()
    if moments.dtype == pl.Date:
        days = (counts + _DAYS).astype(np.int32)
        days[holes] = missing("int32")
        return days, "%td"
    stamps = (counts + _MILLISECONDS * 1000) / 1000.0
    stamps[holes] = missing("float64")
    return stamps, "%tc"


def _text(column: Column, label: str, values: "pl.Series", version: int) -> Variable:
    """Encode text; in format 117 long text (strL) is ASCII, for its encoding is not that of short text."""
    import polars as pl

    made = _encoded(values, version)
    width = text_width(made)
    if width == 32_768 and version == 117:
        made = _replaced(values, 127).cast(pl.Binary)
        width = max(text_width(made), width)
    shown = "%9s" if width == 32_768 else f"%{min(width, _LONGEST_SHOWN)}s"
    return Variable(column.name, label, shown, texts=made, width=width)


def _encoded(values: "pl.Series", version: int) -> "pl.Series":
    import polars as pl

    if version > 117:
        return values.cast(pl.Binary)
    fitted = _replaced(values, 255)
    if (fitted.str.len_bytes() == fitted.str.len_chars()).all():
        return fitted.cast(pl.Binary)
    texts = (None if text is None else text.encode("latin-1") for text in fitted)
    return pl.Series(list(texts), dtype=pl.Binary)


def _replaced(values: "pl.Series", highest: int) -> "pl.Series":
    """Write characters beyond `highest` as `<U+1EC5>`."""
    beyond = [chr(code) for code in np.flatnonzero(_characters(values)) if code > highest]
    if not beyond:
        return values
    return values.str.replace_many(beyond, [f"<U+{ord(character):04X}>" for character in beyond])


def _characters(values: "pl.Series") -> NDArray[np.bool_]:
    """Return which characters of Unicode the texts have."""
    seen = np.zeros(0x110000, dtype=np.bool_)
    for part in _content(values):
        seen[np.frombuffer(part, dtype=np.uint32)] = True
    return seen


def _content(values: "pl.Series", at_once: int = 65_536) -> Iterator[bytes]:
    for start in range(0, len(values), at_once):
        yield "".join(values.slice(start, at_once).drop_nulls().to_list()).encode("utf-32-le")


def _fitted(text: str, version: int, highest: int = 255) -> str:
    if version > 117:
        return text
    return "".join(c if ord(c) <= highest else f"<U+{ord(c):04X}>" for c in text)
