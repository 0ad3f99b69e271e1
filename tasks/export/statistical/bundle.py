"""A bundle: a folder that opens in the researcher's program at once, as file names and bytes."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Column, Table
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.formula import polynomials
from corpusgraph.tasks.analysis.statistics.target import Target
from corpusgraph.tasks.export.figures import DRAWN_BY, PICTURES
from corpusgraph.tasks.export.files import (
    Files,
    file_facts,
    json_bytes,
    library_versions,
    parquet,
    rendered,
    sheet_bytes,
)
from corpusgraph.tasks.export.folder import kinds_of, readme
from corpusgraph.tasks.export.statistical.coding import whole_in_terms
from corpusgraph.tasks.export.statistical.figure import statistical_picture
from corpusgraph.tasks.export.statistical.programs import program
from corpusgraph.tasks.table.coerce import series

_LIBRARIES = ("corpusgraph", "numpy", "pandas", "polars", "pyarrow", "pyreadstat", *DRAWN_BY)


def statistical_bundle(
    result: StatisticalAnalysis,
    format: BundleFormat,  # noqa: A002
    provenance: Table | None = None,
    picture: Files | None = None,
) -> Files:
    """Return the bundle of a prepared analysis.

    Parameters
    ----------
    result : StatisticalAnalysis
        What `prepare_statistical_analysis` returned.
    format : BundleFormat
        The format it was prepared for: its names and values fit only that one.
    provenance : Table, optional
        One row for each passage behind a row of the data (`tasks.dataset.passages`); without it the chunk
        ids of the table are written.
    picture : dict of str to bytes, optional
        The figure, drawn here unless it is given (none where it is empty): it is the same in all formats.

    Returns
    -------
    dict of str to bytes
        Relative file name -> bytes, the same for the same input.

    Raises
    ------
    InvalidInputError
        Where the analysis was prepared for another format.

    """
    if format != result.output_format:
        raise InvalidInputError(
            f"The analysis is prepared for {result.output_format!r}, not {format!r}.",
            hint=f"Prepare it with output_format {format!r}.",
        )
    target = program(format)
    files = {
        **target.data_files(result),
        target.script_file: result.script.encode(),
        **(statistical_picture(result) if picture is None else picture),
        "codebook.json": json_bytes([entry.model_dump(mode="json") for entry in result.codebook]),
        "codebook.csv": _codebook_csv(result),
        "name_map.csv": sheet_bytes(("old_name", "new_name"), result.name_map.items()),
        "provenance.parquet": parquet(provenance or _chunk_ids(result.table)),
    }
    if result.model.kind == "sem":
        files["model.lav"] = result.model.text.encode()
    files["README.md"] = _readme(result, target, files)
    files["manifest.json"] = json_bytes(_manifest(result, files))
    return dict(sorted(files.items()))


def _manifest(result: StatisticalAnalysis, files: Files) -> dict[str, Any]:
    return {
        "bundle": result.output_format,
        "analysis": result.analysis_type,
        "name": result.table.name,
        "rows": len(result.table.rows),
        "columns": len(result.table.columns),
        "model": result.model.model_dump(mode="json"),
        "diagnostics": result.diagnostics.model_dump(mode="json"),
        "fixes": [fix.model_dump(mode="json") for fix in result.fixes],
        "notes": [note.model_dump(mode="json") for note in result.notes],
        "libraries": library_versions(_LIBRARIES),
        "files": file_facts(files),
    }


def _codebook_csv(result: StatisticalAnalysis) -> bytes:
    statistics = ("mean", "sd", "min", "q25", "median", "q75", "max")
    plain = [name for name in type(result.codebook[0]).model_fields if name != "statistics"]
    rows = []
    for entry in result.codebook:
        record = entry.model_dump(mode="json")
        cells = [None if record[name] in ({}, []) else record[name] for name in plain]
        rows.append([*cells, *(entry.statistics.get(name) for name in statistics)])
    return sheet_bytes((*plain, *statistics), rows)


def _chunk_ids(table: Table) -> Table:
    behind = table.provenance or ()
    rows = tuple((row, chunk) for row, chunks in enumerate(behind, 1) for chunk in chunks)
    columns = (Column(name="row", dtype="integer", label="Row of the data, from 1"),)
    return Table(name="provenance", columns=(*columns, Column(name="chunk_id", dtype="text")), rows=rows)


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


def _readme(result: StatisticalAnalysis, target: Target, files: Iterable[str]) -> bytes:
    """Write the page; `files` are the names in the bundle but for this page and the manifest."""
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
    return readme(
        table.name,
        rendered("statistics.md", result=result, model=model, target=target, **facts),
        {name: about[name] for name in {*files, "manifest.json"}},
        {"What was changed": result.fixes, "What to know": result.notes},
        kinds_of(column.formula for column in table.columns),
    )
