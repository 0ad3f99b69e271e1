"""What tool 23 is asked and what it answers: variables, model, diagnostics."""

from typing import Any, Literal

from pydantic import Field

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.results import ColumnType, Table, ToolWarning
from corpusgraph.schemas.study import BundleFormat

AnalysisType = Literal["regression", "sem", "descriptive"]
Measure = Literal["scale", "ordinal", "nominal"]
ModelKind = Literal["none", "linear", "logistic", "ordered", "multinomial", "sem"]
VariableType = Literal["numeric", "integer", "boolean", "ordinal", "nominal", "text", "date", "datetime"]


class VariableMapping(Noun):
    """Which column plays which part, and what is known about each."""

    outcome: str | None = Field(default=None, description="regression: the dependent variable")
    predictors: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    weights: str | None = Field(default=None, description="column of positive weights")
    cluster: str | None = Field(default=None, description="column that groups rows for standard errors")
    unit: str | None = Field(default=None, description="column that identifies a row")
    latents: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="sem: factor: its indicators"
    )
    regressions: tuple[tuple[str, str], ...] = Field(
        default=(), description="sem: pairs [outcome, predictor]"
    )
    covariances: tuple[tuple[str, str], ...] = ()
    group: str | None = Field(default=None, description="sem: column of groups")
    model: str | None = Field(default=None, description="sem: lavaan text, instead of the parts")
    labels: dict[str, str] = Field(default_factory=dict, description="variable: label")
    value_labels: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="variable: {code: text}"
    )
    types: dict[str, VariableType] = Field(default_factory=dict, description="variable: type")
    missing: dict[str, tuple[str | float, ...]] = Field(
        default_factory=dict, description="variable: codes that mean missing"
    )
    measure: dict[str, Measure] = Field(default_factory=dict, description="variable: level of measurement")


class Model(Noun):
    """The model in the target's names. `text` is a formula (Wilkinson & Rogers 1973) or lavaan syntax."""

    kind: ModelKind = "none"
    text: str = ""
    outcome: str | None = None
    predictors: tuple[str, ...] = Field(default=(), description="predictors and controls, in order")
    weights: str | None = None
    cluster: str | None = None
    latents: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    regressions: tuple[tuple[str, str], ...] = ()
    covariances: tuple[tuple[str, str], ...] = ()
    group: str | None = None

    def variables(self) -> tuple[str, ...]:
        """Return the names of the observed variables the model uses, each once, in order of first use."""
        pairs = [name for pair in (*self.regressions, *self.covariances) for name in pair]
        indicators = [name for names in self.latents.values() for name in names]
        named = (self.outcome, *self.predictors, self.weights, self.cluster, *indicators, *pairs, self.group)
        return tuple(dict.fromkeys(name for name in named if name and name not in self.latents))


class CodebookEntry(Noun):
    """One variable: what it is, how it was made, and what it looks like in these data."""

    name: str
    given_name: str = Field(description="name before it was made legal for the target")
    label: str = ""
    type: ColumnType
    measure: Measure
    unit: str | None = None
    role: str | None = None
    levels: tuple[str, ...] | None = None
    value_labels: dict[str, str] | None = None
    missing_codes: tuple[Any, ...] = ()
    formula: str = ""
    source: str = ""
    n: int = Field(description="rows with a value")
    n_missing: int
    statistics: dict[str, float] = Field(
        default_factory=dict, description="mean, sd (n - 1), min, q25, median, q75 (type 7), max"
    )
    frequencies: dict[str, int] = Field(default_factory=dict, description="nominal, ordinal, boolean: counts")


class Diagnostics(Noun):
    """What the data allow, before anything is estimated."""

    n_rows: int
    n_complete: int = Field(description="rows without a missing value in the model's variables")
    n_parameters: int | None = None
    missing: dict[str, int] = Field(default_factory=dict, description="variable: rows without a value")
    constant: tuple[str, ...] = ()
    collinear: tuple[tuple[str, ...], ...] = Field(
        default=(), description="a term, then the terms of which it is an exact linear combination"
    )
    degrees_of_freedom: int | None = Field(
        default=None, description="sem: observed moments minus free parameters (the t-rule, Bollen 1989)"
    )
    identified: bool | None = Field(
        default=None, description="sem: whether the t-rule holds; it is necessary, not sufficient"
    )


class StatisticalAnalysis(Noun):
    """Data, codebook, model and script for one statistical program."""

    analysis_type: AnalysisType
    output_format: BundleFormat
    table: Table = Field(description="typed and tidied; dates are ISO 8601 text, None is missing")
    codebook: tuple[CodebookEntry, ...]
    name_map: dict[str, str] = Field(description="old name: name in the target, for every variable")
    model: Model
    script: str
    diagnostics: Diagnostics
    fixes: tuple[ToolWarning, ...] = Field(default=(), description="what was changed in the data")
    notes: tuple[ToolWarning, ...] = Field(default=(), description="what was found and left as it is")
