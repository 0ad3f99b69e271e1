"""What tool 23 is asked and what it answers: variables, model, diagnostics."""

from typing import Any, Literal

from pydantic import Field

from corpusgraph.schemas.base import Described
from corpusgraph.schemas.results import ColumnType, Table, ToolWarning
from corpusgraph.schemas.study import BundleFormat, Estimator, Family, Robust, WeightType

AnalysisType = Literal["regression", "sem", "descriptive"]
Measure = Literal["scale", "ordinal", "nominal"]
ModelKind = Literal[
    "none", "linear", "logistic", "ordered", "multinomial", "poisson", "negative_binomial", "sem"
]
Term = dict[str, int]
"""A product of powers: variable -> power."""
VariableType = Literal["numeric", "integer", "boolean", "ordinal", "nominal", "text", "date", "datetime"]


class VariableMapping(Described):
    """Which column plays which part, and what is known about each."""

    outcome: str | None = None
    """regression: the dependent variable"""
    predictors: tuple[str, ...] = ()
    """regression: columns; also a:b (interaction), a*b (a, b and a:b), a^2 (power)"""
    controls: tuple[str, ...] = ()
    """regression: the same; in the model after the predictors"""
    family: Family | None = None
    """regression: kind of model; else the outcome's type decides"""
    reference: dict[str, str] = Field(default_factory=dict)
    """categorical variable: level that others are compared with"""
    intercept: bool = True
    """regression: whether the model has one"""
    offset: str | None = None
    """logistic, poisson, negative_binomial: column added with coefficient 1"""
    exposure: str | None = None
    """poisson, negative_binomial: column of positive numbers; its log is added"""
    weights: str | None = None
    """column of positive weights"""
    weight_type: WeightType | None = Field(
        default=None,
        description="analytic (variance is 1/weight; linear only), frequency (a row is so many), sampling"
        " (inverse probability; robust errors); else analytic if linear, sampling if not",
    )
    cluster: str | None = None
    """column that groups rows for standard errors"""
    robust: Robust | None = None
    """regression: errors robust to unequal variances; HC3 is for linear models"""
    unit: str | None = None
    """column that identifies a row"""
    latents: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """sem: factor: its indicators"""
    regressions: tuple[tuple[str, str], ...] = ()
    """sem: pairs [outcome, predictor]"""
    covariances: tuple[tuple[str, str], ...] = ()
    """sem: pairs that covary"""
    group: str | None = None
    """sem: column of groups"""
    estimator: Estimator | None = None
    """sem: as in lavaan; else WLSMV with ordinal indicators, MLR with cluster or weights, ML"""
    fiml: bool = False
    """sem: full information likelihood uses incomplete rows too (ML, MLR)"""
    model: str | None = None
    """sem: lavaan text, instead of the parts"""
    labels: dict[str, str] = Field(default_factory=dict)
    """variable: label"""
    value_labels: dict[str, dict[str, str]] = Field(default_factory=dict)
    """variable: {code: text}"""
    types: dict[str, VariableType] = Field(default_factory=dict)
    """variable: type"""
    missing: dict[str, tuple[str | float, ...]] = Field(default_factory=dict)
    """variable: codes that mean missing"""
    measure: dict[str, Measure] = Field(default_factory=dict)
    """variable: level of measurement"""


class Model(Described):
    """The model in the target's names. `text` is a formula (Wilkinson & Rogers 1973) or lavaan syntax."""

    kind: ModelKind = "none"
    text: str = ""
    outcome: str | None = None
    predictors: tuple[str, ...] = ()
    """variables of predictors and controls, in order"""
    terms: tuple[Term, ...] = ()
    """each {variable: power}: their product"""
    intercept: bool = True
    reference: dict[str, str] = Field(default_factory=dict)
    """categorical variable: code of the level left out"""
    offset: str | None = None
    exposure: str | None = None
    weights: str | None = None
    weight_type: WeightType | None = None
    cluster: str | None = None
    robust: Robust | None = None
    latents: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    regressions: tuple[tuple[str, str], ...] = ()
    covariances: tuple[tuple[str, str], ...] = ()
    group: str | None = None
    ordered: tuple[str, ...] = ()
    """sem: endogenous variables that are ordinal"""
    estimator: Estimator | None = None
    fiml: bool = False

    def variables(self) -> tuple[str, ...]:
        """Return the names of the observed variables the model uses, each once, in order of first use.

        Returns
        -------
        tuple of str
            No latent variable is among them.

        """
        pairs = [name for pair in (*self.regressions, *self.covariances) for name in pair]
        indicators = [name for names in self.latents.values() for name in names]
        added = (self.offset, self.exposure, self.weights, self.cluster)
        named = (self.outcome, *self.predictors, *added, *indicators, *pairs, self.group)
        return tuple(dict.fromkeys(name for name in named if name and name not in self.latents))


class CodebookEntry(Described):
    """One variable: what it is, how it was made, and what it looks like in these data."""

    name: str
    given_name: str
    """name before it was made legal for the target"""
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
    n: int
    """rows with a value"""
    n_missing: int
    statistics: dict[str, float] = Field(default_factory=dict)
    """mean, sd (n - 1), min, q25, median, q75 (type 7), max"""
    frequencies: dict[str, int] = Field(default_factory=dict)
    """nominal, ordinal, boolean: counts"""


class MissingPattern(Described):
    """Variables without a value in the same rows."""

    variables: tuple[str, ...]
    """empty: the complete rows"""
    rows: int


class Diagnostics(Described):
    """What the data allow, before anything is estimated."""

    n_rows: int
    n_complete: int
    """rows without a missing value in the model's variables"""
    share_complete: float = 1.0
    """n_complete / n_rows"""
    n_parameters: int | None = None
    missing: dict[str, int] = Field(default_factory=dict)
    """variable: rows without a value"""
    missing_patterns: tuple[MissingPattern, ...] = ()
    """in the model's variables; commonest first, at most 20"""
    constant: tuple[str, ...] = ()
    near_constant: tuple[str, ...] = ()
    """commonest value > 19 times the next, < 10% distinct values (Kuhn 2008)"""
    collinear: tuple[tuple[str, ...], ...] = ()
    """a term, then the terms of which it is an exact linear combination"""
    vif: dict[str, float] = Field(default_factory=dict)
    """regression: variance inflation factor of each term"""
    condition_number: float | None = Field(
        default=None,
        description="regression: of the design with columns of length 1 (Belsley, Kuh & Welsch 1980);"
        " powers are taken around the middle of the variable",
    )
    near_collinear: tuple[str, ...] = ()
    """terms with > half their variance in a condition index > 30"""
    max_leverage: float | None = None
    """regression: largest diagonal of the hat matrix"""
    separated: tuple[str, ...] = ()
    """logistic: terms that predict the outcome without error in some rows"""
    separation_check: Literal["linear program", "single terms"] | None = None
    """logistic: how separation was looked for (Albert & Anderson 1984)"""
    n_clusters: int | None = None
    cluster_sizes: tuple[int, int] | None = None
    """smallest and largest cluster"""
    n_per_group: dict[str, int] = Field(default_factory=dict)
    """sem: complete rows of each group"""
    aliased: tuple[int, ...] = Field(
        default=(),
        description="regression: places (from 0) of the columns of the design that earlier ones determine;"
        " the scripts leave them out",
    )
    degrees_of_freedom: int | None = None
    """sem: observed moments minus free parameters (the t-rule, Bollen 1989)"""
    identified: bool | None = Field(
        default=None,
        description="sem: False where a necessary rule fails; True: the necessary rules hold, and"
        " identification says which sufficient ones do",
    )
    identification: tuple[str, ...] = ()
    """sem: what the rules of Bollen (1989) say, one sentence each"""


class StatisticalAnalysis(Described):
    """Data, codebook, model and script for one statistical program."""

    analysis_type: AnalysisType
    output_format: BundleFormat
    table: Table
    """typed and tidied; dates are ISO 8601 text, None is missing"""
    codebook: tuple[CodebookEntry, ...]
    name_map: dict[str, str]
    """old name: name in the target, for every variable"""
    model: Model
    script: str
    diagnostics: Diagnostics
    fixes: tuple[ToolWarning, ...] = ()
    """what was changed in the data"""
    notes: tuple[ToolWarning, ...] = ()
    """what was found and left as it is"""
