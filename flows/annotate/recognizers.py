"""Trained recognizers of names behind the port `Recognizer`: GLiNER from a folder, or a spaCy pipeline."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from corpusgraph.flows.annotate.paragraphs import Paragraph, paragraphs
from corpusgraph.flows.annotate.pipelines import (
    NAME_TYPES,
    NAMING,
    pipeline_fingerprint,
    pipeline_of,
    recognized,
)
from corpusgraph.flows.files.yaml_file import own_file
from corpusgraph.schemas.annotation import Recognized, Recognizer
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import DependencyMissingError
from corpusgraph.schemas.study import NameOptions
from corpusgraph.tasks.text.sentences import sentence_spans

if TYPE_CHECKING:
    from spacy.language import Language

GLINER_LABELS = {
    "person": "person",
    "organization": "organisation",
    "location": "place",
    "work of art": "concept",
    "law": "concept",
    "event": "concept",
}
LONGEST = 1200
"""Characters that GLiNER is given at a time: it reads no more than some 380 words."""
THRESHOLD = 0.5
CONFIDENCE = 0.85
"""Of the names of a spaCy pipeline that a study asks for: they come before those of rules."""


def recognizer(options: NameOptions, base: Path) -> Recognizer:
    """Return the recognizer that a study asks for; paths are from the study file's folder."""
    if options.gliner is not None:
        return GlinerRecognizer(own_file(options.gliner, base), options.labels or GLINER_LABELS)
    return SpacyRecognizer(pipeline_of(str(options.spacy), base), options.labels or NAME_TYPES)


class GlinerRecognizer:
    """Implements `Recognizer` with a GLiNER model from a folder; nothing is downloaded."""

    def __init__(self, folder: Path, labels: Mapping[str, str]) -> None:
        self._folder, self._labels = folder, dict(labels)

    @property
    def fingerprint(self) -> str:
        """Hash of the model's files and of the labels."""
        return f"gliner:{pipeline_fingerprint(str(self._folder))}:{sorted(self._labels.items())}"

    def recognize(self, text: str) -> list[Recognized]:
        """Return the names in a text."""
        model = _load_gliner(str(self._folder))
        found = []
        for piece, line, begin in _pieces(text):
            for entity in model.predict_entities(piece, list(self._labels), threshold=THRESHOLD):
                start, end = line.offset(begin + entity["start"]), line.offset(begin + entity["end"] - 1) + 1
                found.append(Recognized(start, end, self._labels[entity["label"]], float(entity["score"])))
        return found


class SpacyRecognizer:
    """Implements `Recognizer` with the entity recognizer of a spaCy pipeline."""

    def __init__(self, name: str, labels: Mapping[str, str]) -> None:
        self._name, self._labels = name, dict(labels)

    @property
    def fingerprint(self) -> str:
        """Name, version and files of the pipeline, and the labels."""
        return f"spacy:{pipeline_fingerprint(self._name)}:{sorted(self._labels.items())}"

    def recognize(self, text: str) -> list[Recognized]:
        """Return the names in a text."""
        nlp = _load_spacy(self._name)
        return [
            name
            for line in paragraphs(text)
            for name in recognized(line, nlp(line.text), self._labels, CONFIDENCE)
        ]


def _pieces(text: str) -> Iterator[tuple[str, Paragraph, int]]:
    """Yield runs of whole sentences, each with its paragraph and where in that it begins."""
    for line in paragraphs(text):
        spans: Sequence[tuple[int, int]] = sentence_spans(line.text)
        begin = 0
        for at, (_, end) in enumerate(spans):
            if at + 1 == len(spans) or spans[at + 1][1] - begin > LONGEST:
                yield line.text[begin:end], line, begin
                begin = spans[at + 1][0] if at + 1 < len(spans) else end


class _Gliner(Protocol):
    def predict_entities(self, text: str, labels: list[str], *, threshold: float) -> list[JsonDict]: ...


@cache
def _load_gliner(folder: str) -> _Gliner:
    try:
        library = import_module("gliner")
    except ModuleNotFoundError as missing:
        raise DependencyMissingError(
            "index.names asks for GLiNER, which is not installed.",
            hint="Install it: pip install 'corpusgraph[gliner]'.",
        ) from missing
    if not Path(folder).is_dir():
        raise DependencyMissingError(
            f"There is no GLiNER model in {folder}.",
            hint="Download one, such as urchade/gliner_medium-v2.1, and give its folder.",
        )
    model: _Gliner = library.GLiNER.from_pretrained(folder, local_files_only=True)
    return model


@cache
def _load_spacy(name: str) -> "Language":
    import spacy

    try:
        nlp = spacy.load(name)
    except OSError as missing:
        raise DependencyMissingError(
            f"There is no spaCy pipeline {name!r}.",
            hint=f"Install it (python -m spacy download {name}), or name the folder it lies in.",
        ) from missing
    if NAMING.isdisjoint(nlp.pipe_names):
        raise DependencyMissingError(
            f"The spaCy pipeline {name!r} recognizes no names.",
            hint="Name one that does: en_core_web_sm, en_core_web_trf, de_core_news_lg, …",
        )
    return nlp
