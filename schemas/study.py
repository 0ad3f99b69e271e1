"""What a study file may say. A key that is not here is an error with file, line and nearest key."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from corpusgraph.schemas.base import Confidence, Noun
from corpusgraph.schemas.results import ColumnType

ChunkUnit = Literal["tokens", "sentences", "paragraphs"]
UnitOfAnalysis = Literal["entity", "document", "chunk", "event", "community", "pair", "entity_period"]
BundleFormat = Literal["r", "stata", "spss", "python"]


class Corpus(Noun):
    """Where the documents are and how a table's rows become documents."""

    path: str = Field(description="folder or file, relative to the study file")
    include: tuple[str, ...] = Field(default=("**/*",), description="glob patterns below the folder")
    exclude: tuple[str, ...] = ()
    metadata: str | None = Field(
        default=None, description="table of document metadata; found by itself if named metadata.*"
    )
    text_column: str = "text"
    id_column: str = "id"
    title_column: str = "title"
    encoding: str | None = Field(default=None, description="instead of detecting it")


class Chunking(Noun):
    """How documents are cut: `size` and `overlap` count the unit.

    Unless given, they are 1200 and 100 tokens (preset holodeck: 300 and 100), 20 and 2 sentences, or
    5 and 0 paragraphs.
    """

    unit: ChunkUnit = "tokens"
    size: PositiveInt = 1200
    overlap: NonNegativeInt = 100
    preset: Literal["default", "holodeck"] | None = None

    @model_validator(mode="before")
    @classmethod
    def _sizes_follow_unit_and_preset(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        usual = {"sentences": (20, 2), "paragraphs": (5, 0)}.get(str(data.get("unit")), (1200, 100))
        size, overlap = (300, 100) if data.get("preset") == "holodeck" else usual
        size = data.get("size", size)
        return {"size": size, "overlap": min(overlap, size - 1) if isinstance(size, int) else overlap, **data}

    @model_validator(mode="after")
    def _overlap_is_smaller(self) -> "Chunking":
        if self.overlap >= self.size:
            message = f"overlap ({self.overlap}) must be smaller than size ({self.size})"
            raise ValueError(message)
        return self


class Resolution(Noun):
    """Entity resolution: rules and the hand's last word."""

    enabled: bool = True
    same: tuple[tuple[str, ...], ...] = Field(default=(), description="names that are one entity")
    different: tuple[tuple[str, ...], ...] = Field(default=(), description="names that are never one entity")
    undo: tuple[str, ...] = Field(default=(), description="ids of merges that were wrong")


class CommunityOptions(Noun):
    """Hierarchical Leiden (Traag, Waltman & van Eck 2019)."""

    max_size: PositiveInt = 10
    resolution: float = Field(default=1.0, gt=0)
    seed: int = 0xDEADBEEF


class IndexOptions(Noun):
    """Everything that decides what an index holds."""

    chunking: Chunking = Chunking()
    extractor: Literal["offline"] = "offline"
    min_confidence: Confidence = 0.0
    resolution: Resolution = Resolution()
    communities: CommunityOptions = CommunityOptions()
    embedder: str = Field(default="hashing", description="hashing (offline), or a configured one by name")
    dimension: PositiveInt = 512


class Variable(Noun):
    """One column of a dataset.

    `measure` says what is computed for each unit: `attribute` reads a field of the document, entity or
    event; `mentions` counts mentions of the entities in `of`; `relations` and `causal_relations` count
    relationships (of types `of`); `claims`, `events`, `words`, `sentences`, `entities` and `quantities`
    count; `degree`, `pagerank`, `betweenness`, `clustering`, `community` are graph measures; `first_date` and
    `last_date` are ISO dates; `share` is the share of sentences with a cue among the words in `of`.
    """

    name: str
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
    ]
    of: str | tuple[str, ...] | None = None
    label: str | None = None
    unit: str | None = None
    type: ColumnType | None = None
    missing: tuple[str | float, ...] = ()


class DatasetBase(Noun):
    """What every dataset has."""

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")
    title: str = ""


class TableDataset(DatasetBase):
    """A rectangular dataset: one row per unit of analysis."""

    unit: UnitOfAnalysis = "document"
    where: dict[str, str | int | float | bool | tuple[str | int | float, ...]] = Field(
        default_factory=dict, description="keep units whose attribute equals (or is among) this"
    )
    entity_types: tuple[str, ...] = ()
    period: Literal["year", "month", "day"] = "year"
    min_mentions: NonNegativeInt = 0
    variables: tuple[Variable, ...] = Field(min_length=1)
    formats: tuple[BundleFormat, ...] = ("r", "stata", "spss", "python")


class DescriptiveDataset(TableDataset):
    """A table described variable by variable."""

    kind: Literal["descriptive"]


class RegressionDataset(TableDataset):
    """A table with a model: outcome on predictors and controls."""

    kind: Literal["regression"]
    outcome: str
    predictors: tuple[str, ...] = Field(min_length=1)
    controls: tuple[str, ...] = ()
    weights: str | None = None
    cluster: str | None = None


class SemDataset(TableDataset):
    """A table with a structural equation model, in parts or as lavaan text."""

    kind: Literal["sem"]
    latents: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    regressions: tuple[tuple[str, str], ...] = Field(default=(), description="pairs [outcome, predictor]")
    covariances: tuple[tuple[str, str], ...] = ()
    group: str | None = None
    model: str | None = Field(default=None, description="lavaan text, instead of the parts")


class CausalDataset(DatasetBase):
    """A causal graph read off the corpus: arrows are causal relationships, with passages for and against."""

    kind: Literal["causal"]
    model_type: Literal["dag", "bayesian", "do_calculus"] = "dag"
    exposure: str | None = None
    outcome: str | None = None
    variables: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="variable: the entity names it gathers; empty: every causal entity"
    )
    min_evidence: PositiveInt = 1
    drop_edges: tuple[tuple[str, str], ...] = Field(default=(), description="arrows the researcher removes")


class ArgumentDataset(DatasetBase):
    """Claims of the corpus and the attacks and supports between them."""

    kind: Literal["argument"]
    framework: Literal["dung", "bipolar", "weighted"] = "bipolar"
    semantics: tuple[str, ...] = ("grounded", "preferred")
    about: tuple[str, ...] = Field(default=(), description="keep claims that name one of these; empty: all")


class ProcessDataset(DatasetBase):
    """Dated events in order, one case per value of `case`."""

    kind: Literal["process"]
    case: str = Field(default="document", description="document, actor, place, or a metadata field")
    temporal_resolution: Literal["seconds", "minutes", "hours", "days"] = "days"
    start: str | None = Field(default=None, description="keep events from this ISO date on")
    end: str | None = None


Dataset = Annotated[
    DescriptiveDataset | RegressionDataset | SemDataset | CausalDataset | ArgumentDataset | ProcessDataset,
    Field(discriminator="kind"),
]


class Question(Noun):
    """A question the run answers and prints."""

    ask: str
    method: str = "default"
    top_k: PositiveInt = 5


class Study(Noun):
    """One study: a corpus, an index, questions and datasets."""

    study: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", description="name; also the index's name")
    title: str = ""
    corpus: Corpus
    index: IndexOptions = IndexOptions()
    questions: tuple[Question, ...] = ()
    datasets: tuple[Dataset, ...] = ()

    @model_validator(mode="after")
    def _names_are_unique(self) -> "Study":
        names = [dataset.name for dataset in self.datasets]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            message = f"two datasets are named {twice[0]!r}"
            raise ValueError(message)
        return self
