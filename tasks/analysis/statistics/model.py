"""The model of an analysis: its variables checked, its text written, and what it needs from the data."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError, PreparationError, did_you_mean
from corpusgraph.schemas.results import Column, Table
from corpusgraph.schemas.study import Family
from corpusgraph.tasks.analysis.statistics import formula as lavaan
from corpusgraph.tasks.analysis.statistics.analysis import AnalysisType, Model, ModelKind, VariableMapping
from corpusgraph.tasks.analysis.statistics.formula import Sem, read_terms, term_text, variables_of
from corpusgraph.tasks.analysis.statistics.frame import Frame
from corpusgraph.tasks.analysis.statistics.target import Target
from corpusgraph.tasks.analysis.statistics.tidy import CATEGORIES

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


COUNTS: tuple[ModelKind, ...] = ("poisson", "negative_binomial")
_DATES = {"date", "datetime"}


def settled(model: Model, data: Frame, mapping: VariableMapping, target: Target) -> Model:
    """Choose what depends on the data: kind of model, reference levels, estimator and kind of weights.

    Kind of regression, where the caller does not say: numbers are linear, two levels logistic, ordinal levels
    an ordered logit, more levels a multinomial logit. The reference of a category is the first level of the
    complete rows.

    Parameters
    ----------
    model : Model
        As read, in the target's names.
    data : Frame
        The tidied table, by variable.
    mapping : VariableMapping
        What the caller says.
    target : Target
        The program it is for.

    Returns
    -------
    Model
        A copy with nothing left open.

    Raises
    ------
    PreparationError
        `outcome_unfit` where the outcome cannot have the family; also for a variable no model can use.
    InvalidInputError
        For parts that do not go together.

    """
    if model.kind == "none" and model.outcome is None:
        return model
    _usable(model, data)
    if model.kind == "sem":
        return _settled_sem(model, data)
    kind = _kind(model, data, mapping.family)
    weighing = model.weight_type or ("analytic" if kind == "linear" else "sampling")
    model = model.model_copy(update={"kind": kind, "weight_type": weighing if model.weights else None})
    _together(model, target)
    for name, k in ((name, k) for term in model.terms for name, k in term.items()):
        if k > 1 and data.columns[name].dtype not in {"numeric", "integer"}:
            raise InvalidInputError(f"{name!r} is {data.columns[name].dtype}: only a number has powers.")
    text = f"{model.outcome} ~ {' + '.join(map(term_text, model.terms))}"
    text += "" if model.intercept else " + 0"
    return model.model_copy(update={"text": text, "reference": _references(model, data)})


def _usable(model: Model, data: Frame) -> None:
    unfit = _DATES | {"text", "json"} | ({"nominal"} if model.kind == "sem" else set())
    for name in model.variables():
        if data.columns[name].dtype in unfit and name not in {model.group, model.cluster}:
            raise PreparationError(
                f"{name!r} is {data.columns[name].dtype}, which the model cannot use.",
                hint="Use a number made from it (a year, a count), or give its type (types).",
            )


def _kind(model: Model, data: Frame, family: Family | None) -> Family:
    outcome = data.columns[model.outcome or ""]
    fitting = _fitting(data, outcome)
    if family is None:
        return fitting[0] if outcome.dtype in {*CATEGORIES, "boolean"} else "linear"
    if family not in fitting:
        raise PreparationError(
            f"The outcome {outcome.name!r} ({outcome.dtype}) cannot have the family {family!r}.",
            code="outcome_unfit",
            hint=_WANTED[family],
        )
    return family


def _fitting(data: Frame, outcome: Column) -> list[Family]:
    """Return the kinds of models that an outcome can have, the most fitting first."""
    values = data.series(outcome.name).drop_nulls()
    if outcome.dtype == "boolean" or (outcome.dtype in CATEGORIES and values.n_unique() <= 2):
        return ["logistic"]
    if outcome.dtype in CATEGORIES:
        return ["ordered", "multinomial"] if outcome.dtype == "ordinal" else ["multinomial"]
    if outcome.dtype not in {"numeric", "integer"}:
        return []
    numbers = values.cast(float)
    counts = ((numbers >= 0) & (numbers == numbers.floor())).all()
    return ["linear", "poisson", "negative_binomial"] if counts else ["linear"]


_WANTED: Mapping[Family, str] = {
    "linear": "A linear model needs a number.",
    "logistic": "Two levels are needed: give its type as boolean or nominal (types).",
    "ordered": "More than two levels in order are needed: give its type as ordinal (types).",
    "multinomial": "More than two levels are needed: give its type as nominal (types).",
    "poisson": "Whole numbers from 0 on are needed.",
    "negative_binomial": "Whole numbers from 0 on are needed.",
}


def _together(model: Model, target: Target) -> None:
    """Refuse parts of a model that no program could fit as they are meant."""
    if model.weight_type == "analytic" and model.kind != "linear":
        raise InvalidInputError(
            f"Analytic weights belong to a linear model, not a {model.kind} one.",
            hint="Say what they are: weight_type frequency or sampling.",
        )
    if model.robust == "HC3" and model.kind != "linear":
        raise InvalidInputError("HC3 belongs to a linear model.", hint="Give robust: HC1.")
    if model.exposure and model.kind not in COUNTS:
        raise InvalidInputError("An exposure belongs to a model of counts.", hint="Give family: poisson.")
    if model.offset and model.kind not in {*COUNTS, "logistic"}:
        raise InvalidInputError("An offset belongs to a logistic model or one of counts.")
    if not model.intercept and model.kind in {"ordered", "multinomial"}:
        raise InvalidInputError(f"A model of kind {model.kind} has its intercepts.")
    if model.weight_type == "sampling" and model.kind in target.unweighted:
        raise InvalidInputError(
            f"The command of {target.name} for a {model.kind} model has no sampling weights.",
            hint="Prepare it for r or stata, or give weight_type: frequency.",
        )


def _references(model: Model, data: Frame) -> dict[str, str]:
    """Return the level each category is compared with, as its code."""
    rows = data.complete(model.variables())
    wanted = {name for name in model.predictors if data.columns[name].dtype in CATEGORIES}
    if model.kind in {"logistic", "multinomial"}:
        wanted.add(model.outcome or "")
    for name in model.reference:
        if name not in wanted:
            raise InvalidInputError(
                f"{name!r} has no reference level: it is no category of the model.",
                hint="Give its type as nominal or ordinal (types).",
            )
    found: dict[str, str] = {}
    for name in (n for n in (model.outcome, *model.predictors) if n in wanted):
        levels, asked = data.levels(name, rows), model.reference.get(name)
        texts = {text: code for code, text in (data.columns[name].value_labels or {}).items()}
        if (
            asked is not None
            and (code := asked if asked in levels else texts.get(asked, asked)) not in levels
        ):
            raise InvalidInputError(
                f"{name!r} has no level {asked!r} in the complete rows.",
                hint=did_you_mean(asked, levels) or f"Its levels are {', '.join(levels[:20])}.",
            )
        if levels:
            found[name] = levels[0] if asked is None else code
    return found


def _settled_sem(model: Model, data: Frame) -> Model:
    inner = {name for names in model.latents.values() for name in names} | {y for y, _ in model.regressions}
    ordered = tuple(
        name for name in model.variables() if name in inner and data.columns[name].dtype == "ordinal"
    )
    robust = "MLR" if model.cluster or model.weights else "ML"
    estimator = model.estimator or ("WLSMV" if ordered else robust)
    categorical = estimator in {"WLSMV", "ULSMV"}
    if ordered and not categorical:
        raise InvalidInputError(
            f"{ordered[0]!r} is ordinal, which {estimator} cannot use.",
            hint="Use WLSMV or ULSMV, or give its type as numeric (types).",
        )
    if model.cluster and estimator != "MLR":
        raise InvalidInputError("Clusters in a SEM need the estimator MLR, which has no ordinal indicators.")
    if model.fiml and categorical:
        raise InvalidInputError("Full information likelihood (fiml) needs the estimator ML or MLR.")
    weight_type = "sampling" if model.weights else None
    if model.weight_type not in {None, weight_type}:
        raise InvalidInputError("Weights of a SEM are sampling weights.")
    return model.model_copy(update={"ordered": ordered, "estimator": estimator, "weight_type": weight_type})
