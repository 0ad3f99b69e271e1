"""EXPORTERS: format -> the function that writes its files."""

from collections.abc import Callable
from typing import Any

from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.dataset.analysis import StatisticalAnalysis
from corpusgraph.tasks.export import python, r, spss, stata

Files = dict[str, bytes]
Exporter = Callable[[Any], Files]

STATISTICAL: dict[BundleFormat, Callable[[StatisticalAnalysis], Files]] = {
    "r": r.files,
    "stata": stata.files,
    "spss": spss.files,
    "python": python.files,
}

EXPORTERS: dict[str, Exporter] = {str(name): files for name, files in STATISTICAL.items()}
