"""Prompt sets: what a language model is told about a field of knowledge when it reads a corpus."""

from pydantic import Field

from corpusgraph.schemas.base import Noun


class PromptSet(Noun):
    """The words of prompts for one field. Types are hints: an ontology in the study takes their place."""

    prompts: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", description="name")
    about: str = Field(default="", description="a line for people")
    extract: str = Field(min_length=1, description="what to look for in a passage")
    glean: str = Field(
        default="Some of it was missed. Say only what is not in the list of what was found.",
        min_length=1,
        description="asks again for what a first reading missed",
    )
    entities: dict[str, str] = Field(default_factory=dict, description="type -> what it is; lower_snake_case")
    relationships: dict[str, str] = Field(default_factory=dict, description="type -> what it states")
    report: str = Field(default="", description="what matters in a report on a community of entities")
    summary: str = Field(
        default="", description="what matters in the description of one entity or relationship"
    )
