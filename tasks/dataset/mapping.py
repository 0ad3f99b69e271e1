"""What tool 23 is asked for a dataset of a study."""

from typing import Any, get_args

from corpusgraph.schemas.study import RegressionDataset, SemDataset, TableDataset
from corpusgraph.tasks.analysis.statistics.analysis import AnalysisType, VariableMapping, VariableType

_TYPED = get_args(VariableType)
_REGRESSION = (
    *("outcome", "predictors", "controls", "family", "reference", "intercept", "offset", "exposure"),
    *("weights", "weight_type", "cluster", "robust"),
)
_SEM = ("latents", "regressions", "covariances", "group", "model", "weights", "cluster", "estimator", "fiml")


def analysis_of(dataset: TableDataset) -> tuple[AnalysisType, VariableMapping]:
    """Return the kind of analysis and the part each variable plays, from the study file.

    Parameters
    ----------
    dataset : TableDataset
        Of a study.

    Returns
    -------
    (AnalysisType, VariableMapping)
        `regression`, `sem` or `descriptive`; the mapping.

    """
    said: dict[str, Any] = {
        "unit": "id",
        "types": {v.name: v.type for v in dataset.variables if v.type in _TYPED},
    }
    if isinstance(dataset, RegressionDataset):
        return "regression", VariableMapping(**said, **{part: getattr(dataset, part) for part in _REGRESSION})
    if isinstance(dataset, SemDataset):
        return "sem", VariableMapping(**said, **{part: getattr(dataset, part) for part in _SEM})
    return "descriptive", VariableMapping(**said)
