"""README.md of a bundle: how to open it, what each file is, what was changed."""

from collections.abc import Iterable

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import Diagnostics, Model, StatisticalAnalysis
from corpusgraph.tasks.export.figures import PICTURES
from corpusgraph.tasks.export.measured import kinds_of, measured_text
from corpusgraph.tasks.export.statistical.coding import errors_text, whole_in_terms

_KINDS = {
    "linear": "linear regression by least squares",
    "logistic": "logistic regression; the exponentials of the estimates are odds ratios",
    "ordered": "ordered logit (proportional odds); the exponentials of the estimates are odds ratios",
    "multinomial": "multinomial logit; the exponentials of the estimates are relative risk ratios",
    "poisson": "Poisson regression; the exponentials of the estimates are rate ratios",
    "negative_binomial": "negative binomial regression (NB2); the exponentials are rate ratios",
    "sem": "structural equation model",
}
_WEIGHTS = {
    "analytic": "analytic: the variance of a row is proportional to 1 / weight",
    "frequency": "frequency: a row stands for so many",
    "sampling": "sampling: the inverse of the probability to be in the sample",
}


def model_text(result: StatisticalAnalysis) -> str:
    """Return the section on the model; empty for a descriptive analysis."""
    model = result.model
    if not model.text:
        return ""
    facts = [
        f"{_KINDS[model.kind].capitalize()}.",
        *_references(result),
        *_parts(model, result.output_format),
    ]
    lines = "\n".join(f"- {fact}" for fact in [*facts, *_run(result)])
    return f"## Model ({model.kind})\n\n```\n{model.text.strip()}\n```\n\n{lines}\n\n{_found(result)}"


def _references(result: StatisticalAnalysis) -> list[str]:
    labels = {c.name: c.value_labels or {} for c in result.table.columns}
    outcome = result.model.outcome
    entered = list(zip(result.model.terms, whole_in_terms(result), strict=True))
    bare = {
        name
        for name in result.model.predictors
        if all(name in whole for term, whole in entered if name in term)
    }
    facts = [
        f"`{name}` has no reference level: each level has a coefficient of its own." for name in sorted(bare)
    ]
    return facts + [
        f"Reference level of `{name}`{' (outcome)' if name == outcome else ''}:"
        f" {labels[name].get(level, level)}; the other levels are compared with it."
        for name, level in result.model.reference.items()
        if name not in bare
    ]


def _parts(model: Model, target: BundleFormat) -> list[str]:
    facts = []
    if model.weights:
        facts.append(f"Weights: `{model.weights}`, {_WEIGHTS[model.weight_type or 'analytic']}.")
    if model.exposure:
        facts.append(f"Exposure: the logarithm of `{model.exposure}` is added with coefficient 1.")
    if model.offset:
        facts.append(f"Offset: `{model.offset}` is added with coefficient 1.")
    if model.kind != "sem":
        facts.append(f"Standard errors {errors_text(model, target)}.")
    elif model.cluster:
        facts.append(f"Standard errors are clustered by {model.cluster}.")
    if model.kind == "sem":
        facts += _estimator(model, target)
    if model.ordered and target == "r":
        facts.append(f"Ordinal, by thresholds: {', '.join(f'`{name}`' for name in model.ordered)}.")
    if not model.intercept:
        facts.append("There is no intercept.")
    return facts


def _estimator(model: Model, target: BundleFormat) -> list[str]:
    """Say what fits the model: lavaan as asked, or Stata's sem by maximum likelihood, or nothing."""
    rows = "incomplete rows are used (full information)" if model.fiml else "incomplete rows are left out"
    if target == "r":
        facts = [f"Estimator: {model.estimator}; {rows}."]
    elif target == "stata":
        numbers = " with ordinal indicators as numbers, for `sem` has no thresholds" if model.ordered else ""
        facts = [f"Estimator of `sem`: maximum likelihood{numbers}; {rows}."]
    else:
        return [
            f"This script does not fit it; `model.lav` is for lavaan, with the estimator {model.estimator}."
        ]
    if model.group:
        facts.append(f"Groups: `{model.group}`; the text of the model says what is equal across them.")
    return facts


def _run(result: StatisticalAnalysis) -> list[str]:
    sem = result.model.kind == "sem"
    if result.output_format == "r" or (result.output_format == "python" and not sem):
        extra = "standardised ones and fit measures" if sem else "tests and 95 % intervals"
        return [f"The script prints the estimates with {extra}, and writes them to `estimates.csv`."]
    return []


def _found(result: StatisticalAnalysis) -> str:
    lines = "\n".join(f"- {line}" for line in _diagnostics(result.diagnostics))
    return f"## What the data allow\n\n{lines}\n\n"


def _diagnostics(found: Diagnostics) -> list[str]:
    lines = [f"Complete rows: {found.n_complete} of {found.n_rows} ({found.share_complete:.1%})."]
    lacking = [one for one in found.missing_patterns if one.variables][:5]
    lines += [f"{one.rows} rows lack {', '.join(f'`{name}`' for name in one.variables)}." for one in lacking]
    if found.n_parameters is not None:
        lines.append(f"Parameters: {found.n_parameters}.")
    if found.condition_number is not None:
        lines.append(f"Scaled condition number: {found.condition_number:.4g} (above 30: collinear).")
    if found.vif:
        name, largest = max(found.vif.items(), key=lambda one: one[1])
        lines.append(f"Largest variance inflation factor: {largest:.4g} (`{name}`).")
    if found.max_leverage is not None:
        lines.append(f"Largest leverage of a row: {found.max_leverage:.4g}.")
    if found.n_clusters is not None and found.cluster_sizes:
        small, large = found.cluster_sizes
        lines.append(f"Clusters: {found.n_clusters}, of {small} to {large} rows.")
    if found.separation_check:
        which = ", ".join(f"`{name}`" for name in found.separated) or "none found"
        lines.append(f"Separation (by {found.separation_check}): {which}.")
    lines += [f"Group {level}: {n} complete rows." for level, n in found.n_per_group.items()]
    if found.degrees_of_freedom is not None:
        lines.append(
            f"Degrees of freedom: {found.degrees_of_freedom}{' in all' if found.n_per_group else ''}."
        )
    each = "In each group: " if found.n_per_group else ""
    return lines + [each + line for line in found.identification]


_OPEN = {
    "r": 'In R, set the working directory to this folder and run `source("load.R")`; `data` is then the data'
    ' frame. `source("analysis.R")` runs the analysis.',
    "stata": "In Stata, change to this folder and run `do analysis.do`. `data.dta` opens in Stata 14 and"
    " later; `data_stata13.dta` is for older readers, with characters outside Latin-1 as `<U+1EC5>`.",
    "spss": "In SPSS Statistics or PSPP, open `data.sav`. `analysis.sps` runs from this folder"
    " (`CD '<this folder>'.` first).",
    "python": "`python analysis.py` runs the analysis with numpy, scipy, pandas and statsmodels;"
    ' `pandas.read_parquet("data.parquet")` opens the data.',
}
_FILES = {
    "data.csv": "the data, UTF-8",
    "data.parquet": "the data with types, categories and labels",
    "data.dta": "the data for Stata 14 and later, with labels",
    "data_stata13.dta": "the same for Stata 13",
    "data.sav": "the data with labels, levels of measurement and missing values",
    "load.R": "reads data.csv with types, factors and labels",
    "analysis.R": "the analysis",
    "analysis.py": "the analysis",
    "analysis.do": "the analysis",
    "analysis.sps": "the analysis",
    "model.lav": "the structural equation model as lavaan text",
    **PICTURES,
    "codebook.json": "every variable: label, type, levels, missing values, how it was computed, statistics",
    "codebook.csv": "the same for a spreadsheet",
    "name_map.csv": "names as given and names in these files",
    "provenance.parquet": "which passages stand behind each row",
    "manifest.json": "what was done, every change, sizes and hashes of the files",
}


def readme(result: StatisticalAnalysis, files: Iterable[str]) -> str:
    """Write the page; `files` are the names in the bundle but for this page and the manifest."""
    rows, columns = len(result.table.rows), len(result.table.columns)
    counts = (
        f"{rows} {'row' if rows == 1 else 'rows'}, {columns} {'variable' if columns == 1 else 'variables'}"
    )
    listed = "\n".join(f"- `{name}`: {_FILES[name]}" for name in sorted({*files, "manifest.json"}))
    complete = f"{result.diagnostics.n_complete} rows are complete in the variables of the analysis"
    return (
        f"# {result.table.name}\n\n{counts}; {complete} ({result.analysis_type}).\n\n"
        f"{_OPEN[result.output_format]}\n\n{model_text(result)}## Files\n\n{listed}\n"
        f"{_section('What was changed', result.fixes)}{_section('What to know', result.notes)}"
        f"{_right(result)}"
    )


def _right(result: StatisticalAnalysis) -> str:
    text = measured_text(kinds_of(column.formula for column in result.table.columns))
    return f"\n{text}" if text else ""


def _section(title: str, warnings: tuple[ToolWarning, ...]) -> str:
    if not warnings:
        return ""
    lines = "\n".join(f"- {warning.message} ({warning.code})" for warning in warnings)
    return f"\n## {title}\n\n{lines}\n"
