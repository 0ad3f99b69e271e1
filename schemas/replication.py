"""What packing a study, and running a packed one again, tell."""

from typing import Literal

from pydantic import Field, NonNegativeInt

from corpusgraph.schemas.base import JsonDict, Noun


class Difference(Noun):
    """A result that is not the one expected."""

    file: str
    what: Literal["missing", "unexpected", "changed"]
    at: str = Field(default="", description="where the two first differ")


class EvidenceChange(Noun):
    """How much of one kind is found in the texts now and was not, or was and is not."""

    kind: Literal["mentions", "relations", "claims", "arguments", "events"]
    added: NonNegativeInt = 0
    removed: NonNegativeInt = 0


class Replication(Noun):
    """What an archive says of itself (`data/replication.json`)."""

    study: str
    title: str = ""
    study_file: str = Field(description="path of the study file in the archive")
    generation: str = Field(description="of the index it was packed with")
    corpus: dict[str, str] = Field(description="file of the corpus, below the study's folder: its SHA-256")
    corpus_included: bool = True
    replies: NonNegativeInt = Field(default=0, description="stored replies of a language model")
    evidence: NonNegativeInt = Field(
        default=0, description="documents of which the archive holds what was found in them"
    )
    results: dict[str, str] = Field(description="file that a run makes: its SHA-256")
    environment: JsonDict = Field(description="Python, platform and libraries it was packed with")


class ReplicationReport(Noun):
    """What was packed or checked."""

    study: str
    archive: str
    done: Literal["packed", "checked"]
    same: bool = Field(description="whether the archive, run from nothing, gives the bytes it holds")
    n_results: NonNegativeInt = Field(description="files compared")
    n_documents: NonNegativeInt = 0
    n_replies: NonNegativeInt = 0
    bytes: NonNegativeInt = 0
    differences: tuple[Difference, ...] = ()
    from_texts: bool = Field(default=False, description="whether the texts were read anew for the check")
    evidence: tuple[EvidenceChange, ...] = Field(
        default=(), description="with from_texts: what is found in the texts now, against the archive"
    )
    environment: tuple[str, ...] = Field(
        default=(), description="what is not here as it was where the archive was packed"
    )
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether the archive stands: texts that read otherwise on another machine may give other results."""
        return self.same or bool(self.evidence)
