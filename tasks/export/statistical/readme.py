"""README.md of a bundle: how to open it, what each file is, what was changed."""

from collections.abc import Iterable

from corpusgraph.tasks.analysis.statistics.analysis import Diagnostics, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.formula import polynomials
from corpusgraph.tasks.analysis.statistics.target import Target
from corpusgraph.tasks.export.figures import PICTURES
from corpusgraph.tasks.export.folder import readme as page
from corpusgraph.tasks.export.measured import kinds_of
from corpusgraph.tasks.export.statistical.coding import whole_in_terms
from corpusgraph.tasks.table.coerce import series

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


def _model(result: StatisticalAnalysis, target: Target) -> str:
    """Return the section on the model; empty for a descriptive analysis."""
    model = result.model
    if not model.text:
        return ""
    facts = [f"{_KINDS[model.kind].capitalize()}.", *_references(result), *_parts(result, target)]
    lines = "\n".join(f"- {fact}" for fact in facts)
    found = "\n".join(f"- {line}" for line in [*_diagnostics(result.diagnostics), *hard_design(result)])
    return (
        f"## Model ({model.kind})\n\n```\n{model.text.strip()}\n```\n\n{lines}\n\n"
        f"## What the data allow\n\n{found}\n\n"
    )


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
    if any(len(whole) > 1 for _, whole in entered):
        facts.append(
            "A product of categories is in the model without its parts: each program leaves out other"
            " combinations of levels, so that coefficients differ where the fit is the same."
        )
    return facts + [
        f"Reference level of `{name}`{' (outcome)' if name == outcome else ''}:"
        f" {labels[name].get(level, level)}; the other levels are compared with it."
        for name, level in result.model.reference.items()
        if name not in bare
    ]


def _parts(result: StatisticalAnalysis, target: Target) -> list[str]:
    model, sem = result.model, result.model.kind == "sem"
    extra = "standardised ones and fit measures" if sem else "tests and 95 % intervals"
    facts = (
        model.weights and f"Weights: `{model.weights}`, {_WEIGHTS[model.weight_type or 'analytic']}.",
        model.exposure and f"Exposure: the logarithm of `{model.exposure}` is added with coefficient 1.",
        model.offset and f"Offset: `{model.offset}` is added with coefficient 1.",
        not sem and f"Standard errors {target.errors(model)}.",
        sem and model.cluster and f"Standard errors are clustered by {model.cluster}.",
        *(target.sem(model) if sem else ()),
        sem
        and model.group
        and f"Groups: `{model.group}`; the text of the model says what is equal across them.",
        not model.intercept and "There is no intercept.",
        target.writes_estimates(model)
        and f"The script prints the estimates with {extra}, and writes them to `estimates.csv`.",
    )
    return [fact for fact in facts if fact]


HARD = 1e7
"""Scaled condition number of powers from which a plain call may keep fewer than nine digits."""
FLAT = 1e10
"""Mean by standard deviation of an outcome above which rounding reaches the residuals."""


def hard_design(result: StatisticalAnalysis) -> list[str]:
    """Warn of data for which the programs' plain calls lose digits: collinear powers, an outcome far from 0.

    The diagnostics take powers around the middle of a variable; the scripts fit them as they are.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.

    Returns
    -------
    list of str
        A sentence or two for each difficulty; empty where there is none.

    """
    import numpy as np
    import polars as pl

    lines = []
    moments = next((e.statistics for e in result.codebook if e.name == result.model.outcome), {})
    if abs(moments.get("mean", 0.0)) > FLAT * moments.get("sd", 1.0) > 0:
        lines.append(
            f"`{result.model.outcome}` varies by less than {1 / FLAT:g} of its size: its residuals are mostly"
            " rounding. Subtract its mean before it is fitted."
        )
    for name, degree in polynomials(result.model.terms, intercept=result.model.intercept).items():
        x = series(result.table, name).drop_nulls().cast(pl.Float64).to_numpy()
        powers = np.vander(x / (np.abs(x).max(initial=0.0) or 1.0), degree + 1)
        condition = np.linalg.cond(powers / np.linalg.norm(powers, axis=0)) if len(x) > degree else 1.0
        if condition > HARD:
            lines.append(
                f"The powers of `{name}` are nearly collinear as the script fits them (scaled condition"
                f" number {condition:.1e}): a program may leave terms out or give few right digits. Centre"
                f" `{name}` before it is raised to powers."
            )
    return lines


def _diagnostics(found: Diagnostics) -> list[str]:
    vif, largest = max(found.vif.items(), key=lambda one: one[1], default=("", 0.0))
    small, large = found.cluster_sizes or (0, 0)
    separated = ", ".join(f"`{name}`" for name in found.separated) or "none found"
    in_all, each = (" in all", "In each group: ") if found.n_per_group else ("", "")
    facts = (
        ("Parameters: ", found.n_parameters, "", "."),
        ("Scaled condition number: ", found.condition_number, ".4g", " (above 30: collinear)."),
        ("Largest variance inflation factor: ", largest if found.vif else None, ".4g", f" (`{vif}`)."),
        ("Largest leverage of a row: ", found.max_leverage, ".4g", "."),
        ("Clusters: ", found.n_clusters if small else None, "", f", of {small} to {large} rows."),
        ("Separation (by ", found.separation_check or None, "", f"): {separated}."),
        *((f"Group {level}: ", n, "", " complete rows.") for level, n in found.n_per_group.items()),
        ("Degrees of freedom: ", found.degrees_of_freedom, "", f"{in_all}."),
    )
    lacking = [one for one in found.missing_patterns if one.variables][:5]
    return [
        f"Complete rows: {found.n_complete} of {found.n_rows} ({found.share_complete:.1%}).",
        *(f"{one.rows} rows lack {', '.join(f'`{name}`' for name in one.variables)}." for one in lacking),
        *(f"{before}{value:{spec}}{after}" for before, value, spec, after in facts if value is not None),
        *(each + line for line in found.identification),
    ]


_FILES = {
    "model.lav": "the structural equation model as lavaan text",
    **PICTURES,
    "codebook.json": "every variable: label, type, levels, missing values, how it was computed, statistics",
    "codebook.csv": "the same for a spreadsheet",
    "name_map.csv": "names as given and names in these files",
    "provenance.parquet": "which passages stand behind each row",
    "manifest.json": "what was done, every change, sizes and hashes of the files",
}


def readme(result: StatisticalAnalysis, target: Target, files: Iterable[str]) -> bytes:
    """Write the page; `files` are the names in the bundle but for this page and the manifest.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.
    target : Target
        The program it is prepared for.
    files : iterable of str
        Names of files.

    Returns
    -------
    bytes
        Markdown in UTF-8.

    """
    about = {**_FILES, **target.files, target.script_file: "the analysis"}
    rows, columns = len(result.table.rows), len(result.table.columns)
    counts = f"{rows} row{'s' * (rows != 1)}, {columns} variable{'s' * (columns != 1)}"
    complete = f"{result.diagnostics.n_complete} rows are complete in the variables of the analysis"
    opening = (
        f"{counts}; {complete} ({result.analysis_type}).\n\n{target.opening}\n\n{_model(result, target)}"
    )
    return page(
        result.table.name,
        opening,
        {name: about[name] for name in {*files, "manifest.json"}},
        {"What was changed": result.fixes, "What to know": result.notes},
        kinds_of(column.formula for column in result.table.columns),
    )
