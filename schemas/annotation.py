"""What an annotator says of a text: tokens, tags and trees after Universal Dependencies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

from corpusgraph.schemas.evidence import Modality


class Recognized(NamedTuple):
    """A name in a text: half-open characters, type of entity, and how sure the recognizer is."""

    start: int
    end: int
    type: str
    confidence: float


class Arc(NamedTuple):
    """A relation between two tokens: how sure it is to be any, and to be causal, and how it is put."""

    source: int
    target: int
    type: str
    chance: float
    causal: float
    denied: bool
    modality: Modality

    def moved(self, by: int) -> Self:
        """Return the arc with both ends so many tokens further on."""
        return self._replace(source=self.source + by, target=self.target + by)


@dataclass(frozen=True, slots=True)
class Annotation:
    """Tokens of one text, column by column, in text order.

    Attributes
    ----------
    language : str
        ISO 639-1 code of the language that the text was read in.
    starts, ends : tuple of int
        Half-open character offsets of each token in the text.
    lemmas, upos, feats, deprels : tuple of str
        Lemma, universal part of speech, features (``Mood=Ind|Tense=Past``) and relation to the head, as in
        the columns of CoNLL-U.
    heads : tuple of int
        Position of each token's head in these columns; the root of a sentence is its own head.
    sentences : tuple of int
        Position of the first token of each sentence.
    names : tuple of Recognized
        Names that the pipeline recognizes, in text order; None where it has no recognizer.
    arcs : tuple of Arc
        Relations that a trained reader sees within sentences, by their source; None where none has read.

    """

    language: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    feats: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    sentences: tuple[int, ...]
    names: tuple[Recognized, ...] | None = None
    arcs: tuple[Arc, ...] | None = None

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.starts)

    @classmethod
    def joined(cls, language: str, parts: Iterable[Self]) -> Self:
        """Return the annotation of a text from those of its stretches, which all have names or none has."""
        columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        for part in parts:
            base = len(columns["starts"])
            for name in COLUMNS:
                values = getattr(part, name) or ()
                if name in ("heads", "sentences"):
                    values = [place + base for place in values]
                elif name == "arcs":
                    values = [arc.moved(base) for arc in values]
                columns[name] += values
        return cls(language, **{name: tuple(column) for name, column in columns.items()})


COLUMNS = tuple(name for name in Annotation.__dataclass_fields__ if name != "language")
"""The columns of an annotation."""


class Annotator(Protocol):
    """Parses texts. The same text and fingerprint give the same annotation on one processor."""

    @property
    def fingerprint(self) -> str:
        """Identify pipelines and weights: a changed fingerprint means parsing again."""

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 codes of the languages that it has a pipeline for."""

    def annotate(self, texts: Sequence[str], language: str) -> list[Annotation]:
        """Return one annotation for each text; `language` is one of `languages`.

        Parameters
        ----------
        texts : sequence of str
            In one language; an empty text is annotated too, without tokens.
        language : str
            ISO 639-1 code, one of `languages`.

        Returns
        -------
        list of Annotation
            As many as texts, in their order; offsets count characters of the text as it was handed in.

        """


class Recognizer(Protocol):
    """Finds names by a trained model. The same text and fingerprint give the same names."""

    @property
    def fingerprint(self) -> str:
        """Identify model and labels: a changed fingerprint means reading again."""

    def recognize(self, text: str) -> list[Recognized]:
        """Return the names in a text, of persons, organisations, places and concepts.

        Parameters
        ----------
        text : str
            As written: offsets in what is returned count its characters.

        Returns
        -------
        list of Recognized
            In text order.

        """
