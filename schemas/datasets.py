"""What a study file may say of a dataset: its rows, its columns, its model, its bundles."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.results import ColumnType

UnitOfAnalysis = Literal["entity", "document", "chunk", "event", "community", "pair", "entity_period"]
BundleFormat = Literal["r", "stata", "spss", "python"]


class Variable(Noun):
    """One column of a dataset.

    `measure` says what is computed for each unit: `attribute` reads a field of the document, entity or
    event; `mentions` counts mentions of the entities in `of`; `relations` and `causal_relations` count
    relationships (of types `of`); `claims`, `events`, `words`, `sentences`, `entities` and `quantities`
    count; `degree`, `pagerank`, `betweenness`, `clustering`, `community` are graph measures; `first_date` and
    `last_date` are ISO dates; `share` is the share of sentences with a cue among the words in `of`.
    """

    name: str = Field(description="name of the column; `id` is taken")
    measure: Literal[
        "attribute",
        "mentions",
        "relations",
        "causal_relations",
        "claims",
        "events",
        "words",
        "sentences",
        "entities",
        "quantities",
        "degree",
        "pagerank",
        "betweenness",
        "clustering",
        "community",
        "first_date",
        "last_date",
        "share",
        "co_occurrence",
        "distance",
    ] = Field(description="what is computed for each unit")
    of: str | tuple[str, ...] | None = Field(
        default=None, description="what the measure is about: see Measures"
    )
    label: str | None = Field(default=None, description="label; else one made from the measure")
    unit: str | None = Field(default=None, description="unit of measurement, for the codebook")
    type: ColumnType | None = Field(default=None, description="level of measurement; else that of the values")
    missing: tuple[str | float, ...] = Field(default=(), description="codes in the data that mean missing")


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
    predictors: tuple[str, ...] = Field(min_length=1, description="variables")
    controls: tuple[str, ...] = Field(default=(), description="variables; in the model after the predictors")
    weights: str | None = Field(default=None, description="a variable, finite and above 0")
    cluster: str | None = Field(default=None, description="a variable; standard errors are clustered by it")


class SemDataset(TableDataset):
    """A table with a structural equation model, in parts or as lavaan text."""

    kind: Literal["sem"]
    latents: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="factor: the variables that measure it"
    )
    regressions: tuple[tuple[str, str], ...] = Field(default=(), description="pairs [outcome, predictor]")
    covariances: tuple[tuple[str, str], ...] = Field(default=(), description="pairs that may covary")
    group: str | None = Field(default=None, description="a variable; the model is fitted in each group")
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


class ArgumentDataset(DatasetBase):
    """Claims of the corpus and the attacks and supports between them."""

    kind: Literal["argument"]
    framework: Literal["dung", "bipolar", "weighted"] = Field(
        default="bipolar", description="attacks alone; attacks and supports; attacks with weights"
    )
    semantics: tuple[str, ...] = Field(default=("grounded", "preferred"), description="extensions to compute")
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
    temporal_resolution: Literal["seconds", "minutes", "hours", "days"] = Field(
        default="days", description="times are floored to it, in UTC"
    )
    start: str | None = Field(default=None, description="keep events from this ISO date on")
    end: str | None = Field(default=None, description="keep events up to this ISO date, the whole of it")


Dataset = Annotated[
    DescriptiveDataset | RegressionDataset | SemDataset | CausalDataset | ArgumentDataset | ProcessDataset,
    Field(discriminator="kind"),
]
