"""The model of an analysis: its variables checked, its kind chosen, its text written."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError, PreparationError, did_you_mean
from corpusgraph.schemas.results import ColumnType, Table
from corpusgraph.tasks.analysis.statistics import formula as lavaan
from corpusgraph.tasks.analysis.statistics.analysis import AnalysisType, Model, VariableMapping
from corpusgraph.tasks.analysis.statistics.formula import Sem, read_terms, variables_of

_ROLES = {p: p.removesuffix("s") for p in ("outcome", "offset", "exposure", "weights", "cluster", "group")}
"""Part of a model that is one variable -> the role of its column."""


def model_of(analysis: AnalysisType, mapping: VariableMapping, known: Iterable[str]) -> Model:
    """Read the model from the mapping, in given names; `settled` chooses what depends on the data.

    Parameters
    ----------
    analysis : {"regression", "sem", "descriptive"}
        Kind of analysis.
    mapping : VariableMapping
        Which column plays which part.
    known : iterable of str
        Names of the columns.

    Returns
    -------
    Model
        In given names.

    Raises
    ------
    PreparationError
        `unknown_variable`, with near names.
    InvalidInputError
        For a part that is missing or twice.

    """
    names = tuple(known)
    model = Model()
    if analysis == "regression":
        model = _regression_model(mapping, names)
    elif analysis == "sem":
        model = _sem_model(_sem(mapping), mapping)
    _known([*model.variables(), *_described(mapping)], [*names, *model.latents])
    if clash := [name for name in model.latents if name in names]:
        raise InvalidInputError(
            f"Factor {clash[0]!r} has the name of a column.", hint="Give the factor another name."
        )
    return model


def _regression_model(mapping: VariableMapping, names: Sequence[str]) -> Model:
    if not mapping.outcome or not (mapping.predictors or mapping.controls):
        missing = "predictors" if mapping.outcome else "outcome"
        raise InvalidInputError(
            f"A regression needs {missing}.", hint="Give variable_mapping {outcome: …, predictors: […]}."
        )
    terms = read_terms((*mapping.predictors, *mapping.controls), names)
    if mapping.outcome in variables_of(terms):
        raise InvalidInputError(f"{mapping.outcome!r} is both outcome and predictor.")
    parts = ("outcome", "intercept", "offset", "exposure", "weights", "weight_type", "cluster", "robust")
    said = {part: getattr(mapping, part) for part in parts}
    return Model(terms=terms, predictors=variables_of(terms), reference=mapping.reference, **said)


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
    parts = ("group", "weights", "weight_type", "cluster", "estimator", "fiml")
    said = {part: getattr(mapping, part) for part in parts}
    structure = {"latents": dict(sem.latents), "regressions": sem.regressions, "covariances": sem.covariances}
    return Model(kind="sem", text=mapping.model or "", **structure, **said)


def _described(mapping: VariableMapping) -> list[str]:
    described = (mapping.labels, mapping.value_labels, mapping.types, mapping.missing, mapping.measure)
    alone = [name for part in ("unit", *_ROLES) if (name := getattr(mapping, part))]
    return [*alone, *mapping.reference, *(name for part in described for name in part)]


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
    """Return the model in the target's names.

    Parameters
    ----------
    model : Model
        In given names.
    names : mapping of str to str
        Old name -> new name; others stay.

    Returns
    -------
    Model
        A copy; a name that is not in `names` stays.

    """

    def new(old: Any) -> Any:
        if isinstance(old, str):
            return names.get(old, old)
        if isinstance(old, dict):  # keys are names; values are groups of names, powers or levels
            return {new(name): new(held) if isinstance(held, tuple) else held for name, held in old.items()}
        return tuple(map(new, old)) if isinstance(old, tuple) else old

    parts = (*_ROLES, "terms", "reference", "predictors", "latents", "regressions", "covariances")
    model = model.model_copy(update={part: new(getattr(model, part)) for part in parts})
    written = lavaan.write(Sem(model.latents, model.regressions, model.covariances))
    return model.model_copy(update={"text": lavaan.rename(model.text, names) or written})


def with_roles(table: Table, model: Model, mapping: VariableMapping, names: Mapping[str, str]) -> Table:
    """Write into each column which part it plays; the table has the target's names already.

    Parameters
    ----------
    table : Table
        The table, in the target's names.
    model : Model
        In the target's names.
    mapping : VariableMapping
        In given names.
    names : mapping of str to str
        Given name -> the target's.

    Returns
    -------
    Table
        A copy; a column that the model does not use has the role it had.

    """
    roles = dict.fromkeys(model.variables() if model.kind == "sem" else (), "sem")
    for part, role in ((mapping.controls, "control"), (mapping.predictors, "predictor")):
        found = variables_of(read_terms(part, names)) if model.terms else ()
        roles |= {names[name]: role for name in found}
    roles |= {name: role for part, role in _ROLES.items() if (name := getattr(model, part))}
    if mapping.unit:
        roles[names[mapping.unit]] = "id"
    columns = (c.model_copy(update={"role": roles.get(c.name, c.role)}) for c in table.columns)
    return table.model_copy(update={"columns": tuple(columns)})


def measure_of(dtype: ColumnType) -> Any:
    """Return the level of measurement that a type implies.

    Parameters
    ----------
    dtype : str
        Type of a column.

    Returns
    -------
    {"scale", "ordinal", "nominal"}
        nominal, ordinal or scale.

    References
    ----------
    Stevens 1946.

    """
    return {"ordinal": "ordinal"}.get(
        dtype, "nominal" if dtype in {"nominal", "boolean", "text"} else "scale"
    )
