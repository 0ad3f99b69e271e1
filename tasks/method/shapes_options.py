"""What the shapes of a graph can be told: the options beside `kind` under `graph:` of a method file."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError, field_validator

from corpusgraph.schemas.method import GraphKind, GraphShape
from corpusgraph.tasks._tool import invalid_input


class _Options(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NoOptions(_Options):
    """Of kind `none`: nothing to tell."""


class AlikeEdges(_Options):
    """Edges between entities whose names are alike; they have the similarity as weight, and no chunk."""

    threshold: float = Field(
        0.8, gt=0, le=1, description="least cosine of the two names, by their groups of 2 to 4 letters"
    )
    top_k: PositiveInt = Field(10, description="edges of one entity at most")


class KnowledgeOptions(_Options):
    """Of kinds `kg`, `tkg` and `rkg`."""

    synonym_edges: AlikeEdges | None = Field(None, description="HippoRAG: between names that are alike")
    identity_edges: AlikeEdges | None = Field(
        None, description="fast-graphrag: between names that are all but the same; a number is its threshold"
    )

    stored_vectors: bool = Field(
        False,
        description="search the index's own vectors, of names with descriptions, and embed nothing anew",
    )

    @field_validator("synonym_edges", "identity_edges", mode="before")
    @classmethod
    def _a_number_is_a_threshold(cls, value: object) -> object:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return {"threshold": value} if is_number else value


class PassageOptions(_Options):
    """Of kind `passage`: which chunks are neighbours."""

    max_chunks: PositiveInt = Field(100, description="an entity in more chunks than this connects none")
    top_k: PositiveInt = Field(20, description="a chunk keeps its so many strongest neighbours")


class TreeOptions(_Options):
    """Of kind `tree`, with the numbers of RAPTOR's own configuration."""

    layers: PositiveInt = Field(5, description="layers of summaries above the chunks, at most")
    reduction_dimension: PositiveInt = Field(10, description="dimensions the vectors are reduced to")
    threshold: float = Field(0.1, gt=0, le=1, description="least probability that a node is in a cluster")
    max_tokens: PositiveInt = Field(3500, description="tokens of a cluster at most")
    summary_tokens: PositiveInt = Field(100, description="tokens of a summary, about")
    summaries: Literal["extractive", "llm"] = Field(
        "extractive", description="llm: written by the language model where there is one, once per process"
    )
    kmeans_above: PositiveInt = Field(2000, description="a layer of more nodes is cut by K-means")
    seed: int = Field(224, ge=0, description="of the clusterings")


Options = NoOptions | KnowledgeOptions | PassageOptions | TreeOptions
_MODELS: dict[GraphKind, type[Options]] = {
    "none": NoOptions,
    "tree": TreeOptions,
    "passage": PassageOptions,
    "kg": KnowledgeOptions,
    "tkg": KnowledgeOptions,
    "rkg": KnowledgeOptions,
}


def options_of(shape: GraphShape) -> Options:
    """Return the options of a shape with defaults filled in; one its kind does not know is an error."""
    model = _MODELS[shape.kind]
    try:
        return model.model_validate(shape.options)
    except ValidationError as error:
        raise invalid_input(error, model, f"graph of kind {shape.kind}") from None
