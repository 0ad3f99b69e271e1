"""The model of an analysis: its variables checked, its kind chosen, its text written."""

from collections.abc import Iterable, Mapping
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError, PreparationError, did_you_mean
from corpusgraph.schemas.results import Column, ColumnType, Table
from corpusgraph.tasks.dataset import lavaan
from corpusgraph.tasks.dataset.analysis import AnalysisType, Model, ModelKind, VariableMapping
from corpusgraph.tasks.dataset.lavaan import Sem

_DATES = {"date", "datetime"}


def model_of(analysis: AnalysisType, mapping: VariableMapping, known: Iterable[str]) -> tuple[Model, Sem]:
    """Read the model from the mapping, in given names.

    Raises PreparationError `unknown_variable` with near names, InvalidInputError for a part that is missing.
    """
    names = tuple(known)
    model, sem = Model(), Sem()
    if analysis == "regression":
        if not mapping.outcome or not (mapping.predictors or mapping.controls):
            missing = "predictors" if mapping.outcome else "outcome"
            raise InvalidInputError(
                f"A regression needs {missing}.", hint="Give variable_mapping {outcome: …, predictors: […]}."
            )
        terms = tuple(dict.fromkeys((*mapping.predictors, *mapping.controls)))
        if mapping.outcome in terms:
            raise InvalidInputError(f"{mapping.outcome!r} is both outcome and predictor.")
        model = Model(
            outcome=mapping.outcome, predictors=terms, weights=mapping.weights, cluster=mapping.cluster
        )
    elif analysis == "sem":
        sem = _sem(mapping)
        model = _sem_model(sem, mapping)
    _known([*model.variables(), *_described(mapping)], [*names, *model.latents])
    if clash := [name for name in model.latents if name in names]:
        raise InvalidInputError(
            f"Factor {clash[0]!r} has the name of a column.", hint="Give the factor another name."
        )
    return model, sem


def _sem(mapping: VariableMapping) -> Sem:
    if mapping.model:
        return lavaan.read(mapping.model)
    if not (mapping.latents or mapping.regressions or mapping.covariances):
        raise InvalidInputError(
            "A structural equation model needs latents, regressions or model.",
            hint="Give variable_mapping {latents: {factor: [indicators]}, regressions: [[y, x]]} or {model}.",
        )
    if empty := [factor for factor, names in mapping.latents.items() if not names]:
        raise InvalidInputError(f"Factor {empty[0]!r} has no indicators.")
    return Sem(mapping.latents, mapping.regressions, mapping.covariances)


def _sem_model(sem: Sem, mapping: VariableMapping) -> Model:
    return Model(
        kind="sem",
        text=mapping.model or lavaan.write(sem),
        latents=dict(sem.latents),
        regressions=sem.regressions,
        covariances=sem.covariances,
        group=mapping.group,
    )


def _described(mapping: VariableMapping) -> list[str]:
    described = (mapping.labels, mapping.value_labels, mapping.types, mapping.missing, mapping.measure)
    parts = [name for name in (mapping.unit, mapping.outcome) if name]
    return [*parts, *mapping.predictors, *mapping.controls, *(name for part in described for name in part)]


def _known(named: Iterable[str], known: list[str]) -> None:
    unknown = [name for name in dict.fromkeys(named) if name not in known]
    if unknown:
        columns = ", ".join(known[:20]) + (" …" if len(known) > 20 else "")
        raise PreparationError(
            f"No variable is named {unknown[0]!r}.",
            code="unknown_variable",
            hint=did_you_mean(unknown[0], known) or f"The variables are {columns}.",
        )


def renamed(model: Model, names: Mapping[str, str]) -> Model:
    """Return the model in the target's names."""

    def new(name: str) -> str:
        return names.get(name, name)

    def pairs(old: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        return tuple((new(a), new(b)) for a, b in old)

    changes: dict[str, Any] = {
        part: new(old) for part in ("outcome", "weights", "cluster", "group") if (old := getattr(model, part))
    }
    return model.model_copy(
        update={
            **changes,
            "predictors": tuple(new(name) for name in model.predictors),
            "latents": {new(f): tuple(new(name) for name in group) for f, group in model.latents.items()},
            "regressions": pairs(model.regressions),
            "covariances": pairs(model.covariances),
            "text": lavaan.rename(model.text, names),
        }
    )


def settled(model: Model, table: Table) -> Model:
    """Choose the kind of regression by the outcome's type and write its formula; a SEM stays.

    Numbers: linear. Two levels: logistic. Ordinal: ordered logit. More levels: multinomial logit.
    """
    columns = {column.name: column for column in table.columns}
    unfit = _DATES | {"text", "json"} | ({"nominal"} if model.kind == "sem" else set())
    for name in model.variables():
        if columns[name].dtype in unfit and name not in {model.group, model.cluster}:
            raise PreparationError(
                f"{name!r} is {columns[name].dtype}, which the model cannot use.",
                hint="Use a number made from it (a year, a count), or give its type (types).",
            )
    if model.outcome is None:
        return model
    kind = _kind(columns[model.outcome], table)
    return model.model_copy(
        update={"kind": kind, "text": f"{model.outcome} ~ {' + '.join(model.predictors)}"}
    )


def _kind(outcome: Column, table: Table) -> ModelKind:
    if outcome.dtype == "boolean":
        return "logistic"
    if outcome.dtype not in {"nominal", "ordinal"}:
        return "linear"
    seen = {value for value in table.column(outcome.name) if value is not None}
    if len(seen) <= 2:
        return "logistic"
    return "ordered" if outcome.dtype == "ordinal" else "multinomial"


def with_roles(table: Table, model: Model, mapping: VariableMapping, names: Mapping[str, str]) -> Table:
    """Write into each column which part it plays; the table has the target's names already."""
    roles = dict.fromkeys(_numbers_of(model), "sem")
    roles |= dict.fromkeys((names[name] for name in mapping.controls), "control")
    roles |= dict.fromkeys((names[name] for name in mapping.predictors), "predictor")
    parts = {
        model.outcome: "outcome",
        model.weights: "weight",
        model.cluster: "cluster",
        model.group: "group",
    }
    roles |= {name: role for name, role in parts.items() if name}
    if mapping.unit:
        roles[names[mapping.unit]] = "id"
    columns = (c.model_copy(update={"role": roles.get(c.name, c.role)}) for c in table.columns)
    return table.model_copy(update={"columns": tuple(columns)})


def _numbers_of(model: Model) -> tuple[str, ...]:
    return model.variables() if model.kind == "sem" else ()


def measure_of(dtype: ColumnType) -> Any:
    """Return the level of measurement (Stevens 1946) that a type implies."""
    return {"ordinal": "ordinal", "nominal": "nominal", "boolean": "nominal", "text": "nominal"}.get(
        dtype, "scale"
    )
