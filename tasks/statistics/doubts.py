"""What a reviewer asks of a model that runs: what weights mean, which numbers are codes, how many rows."""

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.statistics.analysis import Diagnostics, Model
from corpusgraph.tasks.statistics.frame import Frame
from corpusgraph.tasks.table.values import number

FEW_EVENTS = 10
"""Peduzzi et al. (1996), J. Clin. Epidemiol. 49(12): events for each term of a logistic regression."""
FEW_ROWS = 5
"""Bentler & Chou (1987), Sociol. Methods Res. 16(1): rows for each free parameter of a SEM, at least."""


def doubts(found: Diagnostics, data: Frame, model: Model, *, weights_assumed: bool) -> list[ToolWarning]:
    """Return warnings on a model whose scripts run and whose estimates may yet mislead."""
    notes = [*_labelled(data, model), *_few(found, data, model)]
    if weights_assumed and model.weights:
        message = (
            f"weight_type is not given: {model.weights!r} is taken as {model.weight_type} weights. Analytic,"
            " frequency and sampling weights give different standard errors."
        )
        notes.append(ToolWarning(code="weights_assumed", message=message, records=(model.weights,)))
    return notes


def _labelled(data: Frame, model: Model) -> list[ToolWarning]:
    """Name numbers of a regression whose values all have labels, three or more: they may be codes."""
    notes = []
    for name in dict.fromkeys((model.outcome or "", *model.predictors)) if model.terms else ():
        column = data.columns[name]
        labels = {number(code) for code in column.value_labels or {}}
        if column.dtype not in {"numeric", "integer"} or not labels:
            continue
        values = set(data.series(name).drop_nulls().unique().to_list())
        if len(values) > 2 and values <= labels:
            message = (
                f"Every value of {name!r} has a label, and it is taken as a number; if they are codes of"
                " categories, give its type as nominal or ordinal (types)."
            )
            notes.append(ToolWarning(code="labels_as_numbers", message=message, records=(name,)))
    return notes


def _few(found: Diagnostics, data: Frame, model: Model) -> list[ToolWarning]:
    needed = found.n_parameters or 0
    if model.kind == "sem" and needed <= found.n_complete < FEW_ROWS * needed:
        message = (
            f"{found.n_complete} complete rows for {needed} parameters, fewer than {FEW_ROWS} for each:"
            " estimates and fit measures are unstable."
        )
    elif model.kind == "logistic" and (events := _rarer(data, model)) < FEW_EVENTS * (needed - 1):
        message = (
            f"The rarer outcome has {events} rows for {needed - 1} terms, fewer than {FEW_EVENTS} for each:"
            " estimates lean away from 0."
        )
    else:
        return []
    return [ToolWarning(code="few_rows_per_parameter", message=message, records=())]


def _rarer(data: Frame, model: Model) -> int:
    values = data.kept(model.outcome or "", data.complete(model.variables())).cast(str)
    return int(values.value_counts()["count"].min() or 0)  # type: ignore[arg-type]
