"""What a study file may say of a dataset: its rows, its columns, its model, its bundles."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.measures import MeasureName
from corpusgraph.schemas.results import ColumnType

UnitOfAnalysis = Literal["entity", "document", "chunk", "event", "community", "pair", "entity_period"]
BundleFormat = Literal["r", "stata", "spss", "python"]
Family = Literal["linear", "logistic", "ordered", "multinomial", "poisson", "negative_binomial"]
WeightType = Literal["analytic", "frequency", "sampling"]
Robust = Literal["HC1", "HC3"]
Estimator = Literal["ML", "MLR", "WLSMV", "ULSMV"]


class Variable(Noun):
    """One column of a dataset.

    `measure` says what is computed for each unit: see Measures. What is said of change over time is done
    in this order: `cumulative`, `difference`, `lag` or `lead`; then `transform`.
    """

    name: str = Field(description="name of the column; `id` is taken")
    measure: MeasureName = Field(description="what is computed for each unit")
    of: str | tuple[str, ...] | None = Field(
        default=None, description="what the measure is about: see Measures"
    )
    label: str | None = Field(default=None, description="label; else one made from the measure")
    unit: str | None = Field(default=None, description="unit of measurement, for the codebook")
    type: ColumnType | None = Field(default=None, description="level of measurement; else that of the values")
    missing: tuple[str | float, ...] = Field(default=(), description="codes in the data that mean missing")
    cumulative: bool = Field(default=False, description="entity_period: the sum up to and with the period")
    difference: PositiveInt | None = Field(
        default=None, description="entity_period: the change since so many periods earlier"
    )
    lag: PositiveInt | None = Field(
        default=None, description="entity_period: the value so many periods earlier"
    )
    lead: PositiveInt | None = Field(
        default=None, description="entity_period: the value so many periods later"
    )
    transform: Literal["log1p", "zscore"] | None = Field(
        default=None, description="natural logarithm of 1 + x; distance from the mean in standard deviations"
    )

    @model_validator(mode="after")
    def _looks_one_way(self) -> "Variable":
        if self.lag and self.lead:
            message = "a variable has a lag or a lead, not both"
            raise ValueError(message)
        return self


class DatasetBase(Noun):
    """What every dataset has."""

    name: str = Field(
        pattern=r"^[A-Za-z][A-Za-z0-9_]*$", description="name, unique in the study; the folder's name"
    )
    title: str = Field(default="", description="a line that says what it is for")


class TableDataset(DatasetBase):
    """A rectangular dataset: one row per unit of analysis."""

    unit: UnitOfAnalysis = Field(default="document", description="what a row is")
    where: dict[str, str | int | float | bool | tuple[str | int | float, ...]] = Field(
        default_factory=dict, description="keep units whose attribute equals (or is among) this"
    )
    entity_types: tuple[str, ...] = Field(
        default=(), description="units entity, pair, entity_period: keep entities of these types; empty: all"
    )
    period: Literal["year", "month", "day"] = Field(default="year", description="length for entity_period")
    panel: Literal["observed", "calendar", "active"] = Field(
        default="observed",
        description="rows of entity_period: every period with dated sentences; every period between the first"
        " and the last; of each entity those from its first to its last",
    )
    absent: Literal["zero", "missing"] = Field(
        default="zero", description="what is counted for an entity in a period without a sentence on it"
    )
    min_mentions: NonNegativeInt = Field(
        default=0, description="units entity, pair, entity_period: keep entities with so many mentions"
    )
    variables: tuple[Variable, ...] = Field(min_length=1, description="the columns, in this order")
    formats: tuple[BundleFormat, ...] = Field(
        default=("r", "stata", "spss", "python"), description="a bundle is written for each"
    )


class DescriptiveDataset(TableDataset):
    """A table described variable by variable."""

    kind: Literal["descriptive"]


class RegressionDataset(TableDataset):
    """A table with a model: outcome on predictors and controls."""

    kind: Literal["regression"]
    outcome: str = Field(description="a variable; its type decides the kind of model")
    predictors: tuple[str, ...] = Field(
        min_length=1, description="variables; also a:b (interaction), a*b (a, b and a:b), a^2 (power)"
    )
    controls: tuple[str, ...] = Field(default=(), description="the same; in the model after the predictors")
    family: Family | None = Field(default=None, description="kind of model; else the outcome's type decides")
    reference: dict[str, str] = Field(
        default_factory=dict, description="categorical variable: level that others are compared with"
    )
    intercept: bool = Field(default=True, description="whether the model has one")
    offset: str | None = Field(default=None, description="a variable, added with coefficient 1")
    exposure: str | None = Field(default=None, description="a variable above 0; its logarithm is added")
    weights: str | None = Field(default=None, description="a variable, finite and above 0")
    weight_type: WeightType | None = Field(
        default=None,
        description="variance is 1/weight (linear only); a row is so many; inverse of a probability",
    )
    cluster: str | None = Field(default=None, description="a variable; standard errors are clustered by it")
    robust: Robust | None = Field(
        default=None, description="errors robust to unequal variances; HC3 is for linear models"
    )


class SemDataset(TableDataset):
    """A table with a structural equation model, in parts or as lavaan text."""

    kind: Literal["sem"]
    latents: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="factor: the variables that measure it"
    )
    regressions: tuple[tuple[str, str], ...] = Field(default=(), description="pairs [outcome, predictor]")
    covariances: tuple[tuple[str, str], ...] = Field(default=(), description="pairs that may covary")
    group: str | None = Field(default=None, description="a variable; the model is fitted in each group")
    weights: str | None = Field(default=None, description="a variable, finite and above 0")
    cluster: str | None = Field(default=None, description="a variable; standard errors are clustered by it")
    estimator: Estimator | None = Field(
        default=None, description="as in lavaan; else by the indicators: WLSMV, MLR or ML"
    )
    fiml: bool = Field(default=False, description="use incomplete rows too (ML, MLR)")
    model: str | None = Field(default=None, description="lavaan text, instead of the parts")


class CausalDataset(DatasetBase):
    """A causal graph read off the corpus: arrows are causal relationships, with passages for and against."""

    kind: Literal["causal"]
    model_type: Literal["dag", "bayesian", "do_calculus"] = Field(
        default="dag", description="a graph; the same with tables; the same with a query answered"
    )
    exposure: str | None = Field(default=None, description="a variable; do_calculus needs it")
    outcome: str | None = Field(default=None, description="a variable; do_calculus needs it")
    variables: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="variable: the entity names it gathers; empty: every causal entity"
    )
    min_evidence: PositiveInt = Field(default=1, description="passages that must state an arrow")
    drop_edges: tuple[tuple[str, str], ...] = Field(default=(), description="arrows the researcher removes")
    given: tuple[str, ...] = Field(
        default=(), description="variables: the effect among those who share their values is identified too"
    )
    prior: Literal["laplace", "bdeu", "none"] = Field(
        default="laplace", description="of tables: 1 per state; an equivalent sample size; frequencies"
    )
    equivalent_sample_size: float = Field(
        default=10.0, gt=0, description="for bdeu: documents the prior is worth"
    )


class ArgumentDataset(DatasetBase):
    """Claims of the corpus and the attacks and supports between them."""

    kind: Literal["argument"]
    framework: Literal["dung", "bipolar", "weighted"] = Field(
        default="bipolar", description="attacks alone; attacks and supports; attacks with weights"
    )
    semantics: tuple[str, ...] = Field(default=("grounded", "preferred"), description="extensions to compute")
    support: Literal["general", "deductive", "necessary"] = Field(
        default="general",
        description="bipolar: support helps; or who accepts the supporter accepts the supported; or nobody "
        "accepts the supported without the supporter",
    )
    budget: float | None = Field(
        default=None, ge=0, description="weighted: attacks of this weight may be ignored"
    )
    time_limit: float = Field(default=60, gt=0, description="seconds' worth of the solver's steps, in all")
    about: tuple[str, ...] = Field(
        default=(), description="keep claims that name one of these, and those joined to them; empty: all"
    )
    disputes: bool = Field(
        default=True,
        description="claims of different documents that state and deny one cause attack each other",
    )


class ProcessDataset(DatasetBase):
    """Dated events in order, one case per value of `case`."""

    kind: Literal["process"]
    case: str = Field(default="document", description="document, actor, place, or a metadata field")
    temporal_resolution: Literal["seconds", "minutes", "hours", "days", "months", "years"] = Field(
        default="days", description="times are floored to it, in UTC"
    )
    start: str | None = Field(default=None, description="keep events from this ISO date on")
    end: str | None = Field(default=None, description="keep events up to this ISO date, the whole of it")
    activities: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="what the activities are called, each with words or phrases of the events that it names",
    )
    other: Literal["keep", "drop", "label"] = Field(
        default="keep",
        description="events that none of them names: as they are, left out, or all labelled other",
    )

    @model_validator(mode="after")
    def _activities_are_apart(self) -> "ProcessDataset":
        if self.other != "keep" and not self.activities:
            message = f"other: {self.other} is for a dataset with activities"
            raise ValueError(message)
        named: dict[str, str] = {}
        for activity, phrases in self.activities.items():
            if not activity.strip() or not phrases or not all(phrase.strip() for phrase in phrases):
                message = f"activity {activity!r} needs words: {{elect: [elect, election]}}"
                raise ValueError(message)
            for phrase in (" ".join(phrase.lower().split()) for phrase in phrases):
                if named.setdefault(phrase, activity) != activity:
                    message = f"{phrase!r} is listed for two activities: {named[phrase]!r} and {activity!r}"
                    raise ValueError(message)
        return self


Dataset = Annotated[
    DescriptiveDataset | RegressionDataset | SemDataset | CausalDataset | ArgumentDataset | ProcessDataset,
    Field(discriminator="kind"),
]
