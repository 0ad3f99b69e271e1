"""A bundle: a folder that opens in the researcher's program at once, as file names and bytes."""

from typing import Any

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Column, Table
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.figures import DRAWN_BY
from corpusgraph.tasks.export.files import (
    Files,
    file_facts,
    json_bytes,
    library_versions,
    parquet,
    sheet_bytes,
)
from corpusgraph.tasks.export.statistical.figure import statistical_picture
from corpusgraph.tasks.export.statistical.programs import program
from corpusgraph.tasks.export.statistical.readme import readme

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
    files["README.md"] = readme(result, target, files)
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
