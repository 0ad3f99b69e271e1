"""README.md of a bundle: how to open it, what each file is, what was changed."""

from collections.abc import Iterable

from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.formula import polynomials
from corpusgraph.tasks.analysis.statistics.target import Target
from corpusgraph.tasks.export.figures import PICTURES
from corpusgraph.tasks.export.files import rendered
from corpusgraph.tasks.export.folder import readme as page
from corpusgraph.tasks.export.measured import kinds_of
from corpusgraph.tasks.export.statistical.coding import whole_in_terms
from corpusgraph.tasks.table.coerce import series

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
    model, table = result.model, result.table
    about = {**_FILES, **target.files, target.script_file: "the analysis"}
    entered = list(zip(model.terms, whole_in_terms(result), strict=True))
    facts = {
        "rows": len(table.rows),
        "columns": len(table.columns),
        "labels": {column.name: column.value_labels or {} for column in table.columns},
        "bare": {
            name for name in model.predictors if all(name in whole for term, whole in entered if name in term)
        },
        "has_bare_product": any(len(whole) > 1 for _, whole in entered),
        "hard_design": hard_design(result) if model.text else [],
    }
    return page(
        table.name,
        rendered("statistics.md", result=result, model=model, target=target, **facts),
        {name: about[name] for name in {*files, "manifest.json"}},
        {"What was changed": result.fixes, "What to know": result.notes},
        kinds_of(column.formula for column in table.columns),
    )
