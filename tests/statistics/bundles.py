"""Bundles written to a folder, and programs that may be missing."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
from corpusgraph.tasks.tools.prepare import (
    PrepareStatisticalAnalysis,
    prepare_statistical_analysis,
)


def needs(program: str) -> pytest.MarkDecorator:
    """Skip where a program is missing."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def prepared(
    data: Any, target: str = "python", analysis: str = "regression", **mapping: Any
) -> StatisticalAnalysis:
    """Prepare data; `mapping` is the variable mapping."""
    ask = PrepareStatisticalAnalysis.model_validate(
        {"data": data, "analysis_type": analysis, "output_format": target, "variable_mapping": mapping}
    )
    return prepare_statistical_analysis(ask).data


def written(
    folder: Path, data: Any, target: str = "python", analysis: str = "regression", **mapping: Any
) -> StatisticalAnalysis:
    """Write the bundle of prepared data, without its figure."""
    result = prepared(data, target, analysis, **mapping)
    for name, content in statistical_bundle(result, result.output_format, picture={}).items():
        (folder / name).write_bytes(content)
    return result
