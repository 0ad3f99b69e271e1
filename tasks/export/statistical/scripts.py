"""The runnable script of an analysis, in its target's language."""

from collections.abc import Callable, Mapping

from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.statistical import python as python_script
from corpusgraph.tasks.export.statistical import r as r_script
from corpusgraph.tasks.export.statistical import spss as spss_script
from corpusgraph.tasks.export.statistical import stata as stata_script

SCRIPTS: Mapping[BundleFormat, Callable[[StatisticalAnalysis], str]] = {
    "r": r_script.script,
    "stata": stata_script.script,
    "spss": spss_script.script,
    "python": python_script.script,
}


def script(result: StatisticalAnalysis) -> str:
    """Write the script for `result.output_format`; it reads the files of the bundle beside it."""
    return SCRIPTS[result.output_format](result)
