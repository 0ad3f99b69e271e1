"""EXPORTERS: statistical format -> the function that writes its files."""

from collections.abc import Callable, Mapping

from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.statistical import python, r, spss, stata

Files = dict[str, bytes]
Exporter = Callable[[StatisticalAnalysis], Files]

EXPORTERS: Mapping[BundleFormat, Exporter] = {
    "r": r.files,
    "stata": stata.files,
    "spss": spss.files,
    "python": python.files,
}
