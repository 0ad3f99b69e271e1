"""README.md of a bundle: how to open it, what each file is, what was changed."""

from collections.abc import Iterable

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.export.measured import kinds_of, measured_text
from corpusgraph.tasks.export.pictures import PICTURES
from corpusgraph.tasks.export.statistical.readme_model import model_text
from corpusgraph.tasks.statistics.analysis import StatisticalAnalysis

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
