"""The offline extractor as a study wants it: its annotator, the patterns that ship and the user's own."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, field_validator

from corpusgraph.flows.annotate.english import LANGUAGE, EnglishReader, english_reader
from corpusgraph.flows.annotate.pipelines import (
    CachedAnnotator,
    SpacyAnnotator,
    pipeline_labels,
    pipeline_of,
    read_meta,
)
from corpusgraph.flows.annotate.recognizers import recognizer
from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.files.yaml_file import Keys, line_of, own_file, packaged, read_packaged, read_yaml
from corpusgraph.schemas.annotation import Annotation
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.errors import DependencyMissingError, PatternFileError, did_you_mean, shown
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import IndexOptions, NameOptions
from corpusgraph.tasks.extract.offline import OfflineExtractor
from corpusgraph.tasks.extract.patterns import PREPOSITIONS, Pattern, Patterns

KIND = "patterns"
_BETWEEN_CLAUSES = ("complement", "governor", "noun", "subject")
ROLES: dict[str, tuple[str, ...]] = {
    "verb": (
        "subject",
        "object",
        "clause",
        "infinitive",
        "bare",
        "gerund",
        "event",
        "second",
        *sorted(PREPOSITIONS),
    ),
    "noun": ("subject", "object", "event", "noun", "possessor"),
    "adjective": ("subject", "object", "event"),
    "preposition": _BETWEEN_CLAUSES,
    "conjunction": _BETWEEN_CLAUSES,
}
"""What `source` and `target` of a pattern may be; of a verb also several of them, joined by |."""


class PatternFile(Noun):
    """A file of patterns."""

    language: str = "en"
    patterns: tuple[Pattern, ...]

    @field_validator("language")
    @classmethod
    def _is_a_code(cls, language: str) -> str:
        if not (language.isalpha() and language.islower() and len(language) in (2, 3)):
            raise ValueError("a code such as en or de is expected")
        return language


_KEYS = Keys(
    PatternFile,
    "pattern file",
    "Begin with `language: en` and a list `patterns:`; docs/patterns.md shows one.",
)


class ReadingOptions(Noun):
    """What decides how texts are parsed and read; small, so that it travels to another process.

    An index keeps it: the tools that read texts read them the same way, also where the files are gone.
    """

    pipelines: dict[str, str] | None = Field(default_factory=dict)
    """Language -> spaCy pipeline, before those that ship; None where no sentence is parsed."""
    patterns: dict[str, tuple[Pattern, ...]] = Field(default_factory=dict)
    """Language -> the user's own patterns, which come before those that ship."""
    names: NameOptions | None = None
    """A trained recognizer of names."""
    base: str = ""
    """Folder that the recognizer's path is from."""

    @classmethod
    def of(cls, options: IndexOptions, base: Path) -> "ReadingOptions":
        """Return what a study's index asks for; paths are from the study file's folder.

        Raises PatternFileError for a bad file of patterns, DependencyMissingError for a pipeline that is not
        there or has no parser.
        """
        own = {} if options.patterns is None else read_pattern_file(own_file(options.patterns, base))
        if options.annotator == "rules":
            return cls(pipelines=None, patterns=own, names=options.names, base=str(base))
        named = {language: pipeline_of(name, base) for language, name in (options.annotator or {}).items()}
        for name in named.values():
            read_meta(name)
        return cls(pipelines=named, patterns=own, names=options.names, base=str(base))

    def annotator(self) -> "StudyAnnotator | None":
        """Return what parses, None where nothing is to be parsed."""
        return None if self.pipelines is None else StudyAnnotator(self.pipelines)


class StudyAnnotator:
    """Implements `Annotator`: the spaCy pipelines that a study names, else for English the reader that ships.

    Parameters
    ----------
    pipelines : mapping of str to str
        ISO 639-1 code -> name of an installed pipeline, or a folder.

    """

    def __init__(self, pipelines: Mapping[str, str]) -> None:
        self._spacy, self._named = SpacyAnnotator(pipelines), frozenset(pipelines)

    @property
    def languages(self) -> frozenset[str]:
        """Languages that are parsed."""
        return self._spacy.languages | ({LANGUAGE} - self._named)

    @property
    def fingerprint(self) -> str:
        """Fingerprints of what parses."""
        return f"{english_reader().fingerprint}-{self._spacy.fingerprint}"

    def annotate(self, texts: Sequence[str], language: str) -> list[Annotation]:
        """Parse texts; those in English get arcs whatever parses them."""
        reader: EnglishReader = english_reader()
        if language not in self._named:
            return reader.annotate(texts)
        parsed = self._spacy.annotate(texts, language)
        return list(map(reader.with_arcs, texts, parsed)) if language == LANGUAGE else parsed


def offline_extractor(options: ReadingOptions, cache: StageCache | None = None) -> OfflineExtractor:
    """Return the extractor; with a cache no text is parsed twice."""
    patterns, annotator = load_patterns(options.patterns), options.annotator()
    names = None if options.names is None else recognizer(options.names, Path(options.base))
    if annotator is None or cache is None:
        return OfflineExtractor(annotator, patterns, names)
    return OfflineExtractor(CachedAnnotator(annotator, cache), patterns, names)


@cache
def default_extractor() -> OfflineExtractor:
    """Return the extractor with all that ships, for texts that belong to no index."""
    return offline_extractor(ReadingOptions())


def without_missing(options: ReadingOptions) -> tuple[ReadingOptions, tuple[ToolWarning, ...]]:
    """Return how an index was read as far as this machine can, with a warning for each missing pipeline."""
    there: dict[str, str] = {}
    warnings = []
    for language, name in (options.pipelines or {}).items():
        try:
            read_meta(name)
        except DependencyMissingError as missing:
            instead = "the one that ships reads" if language == LANGUAGE else "nothing parses"
            message = (
                f"{missing.message} The index was made with it; {instead} {language!r} here. {missing.hint}"
            )
            warnings.append(ToolWarning(code="pipeline_missing", message=message, records=(language,)))
        else:
            there[language] = name
    pipelines = None if options.pipelines is None else there
    return options.model_copy(update={"pipelines": pipelines}), tuple(warnings)


def unparsed_warnings(options: ReadingOptions, documents: Mapping[str, int]) -> tuple[ToolWarning, ...]:
    """Tell of each language whose documents nobody parses; `documents` counts them by language."""
    return tuple(_unparsed(options, language, documents[language]) for language in sorted(documents))


def _unparsed(options: ReadingOptions, language: str, n_documents: int) -> ToolWarning:
    count = f"{n_documents:,} document{'s' * (n_documents != 1)}"
    without = "names and what stands together are found, no relations, claims or events"
    name = (options.pipelines or {}).get(language)
    if name is not None:
        labels = ", ".join(sorted(pipeline_labels(name))[:4]) or "none"
        message = (
            f"{count} in the language {language!r}: {without}, as the pipeline {name!r} labels its trees "
            f"neither after Universal Dependencies nor CLEAR ({labels}, …). Name another under `annotator`."
        )
        return ToolWarning(code="unknown_label_scheme", message=message, records=(language,))
    message = (
        f"{count} in the language {language!r}: {without}, as no pipeline parses it. "
        f"`index: {{annotator: {{{language}: NAME}}}}` in the study names a spaCy pipeline, one installed by "
        "`python -m spacy download NAME` or a folder."
    )
    return ToolWarning(code="no_pipeline", message=message, records=(language,))


def load_patterns(own: Mapping[str, Sequence[Pattern]] | None = None) -> dict[str, Patterns]:
    """Return language -> patterns: those that ship, after the user's own."""
    own = own or {}
    return {
        language: _patterns(language, tuple(own.get(language, ())))
        for language in sorted({*own, *_shipped_patterns()})
    }


@cache
def _patterns(language: str, own: tuple[Pattern, ...]) -> Patterns:
    return Patterns(_shipped_patterns().get(language, ()), own)


@cache
def _shipped_patterns() -> dict[str, tuple[Pattern, ...]]:
    listed: dict[str, tuple[Pattern, ...]] = {}
    for file in packaged(KIND).values():
        data, root = read_packaged(file, PatternFileError)
        listed |= _checked(data, root, file.name)
    return listed


def read_pattern_file(path: Path) -> dict[str, tuple[Pattern, ...]]:
    """Return language -> patterns of a file.

    Raises PatternFileError, which names file, line, pattern and field, and what is wrong there.
    """
    data, root = read_yaml(path, "pattern file", PatternFileError)
    return _checked(data, root, shown(path))


def _checked(data: Any, root: yaml.Node | None, source: str) -> dict[str, tuple[Pattern, ...]]:
    file = _KEYS.read(data, root, source, PatternFileError)
    for n, pattern in enumerate(file.patterns):
        for field, message, hint in _mistakes(pattern, file.language):
            line = line_of(root, ("patterns", n, field))
            raise PatternFileError(f"{source}:{line}: patterns[{n}].{field}: {message}.", hint=hint)
    return {file.language: file.patterns}


def _mistakes(pattern: Pattern, language: str) -> Iterator[tuple[str, str, str]]:
    """Yield field, what is wrong with it and what to do: words and roles that could never be met."""
    if not pattern.type.strip():
        yield "type", "the relation needs a name", "causes, say, or part_of."
    kind = pattern.word_class
    for phrase in getattr(pattern, kind):
        if not phrase.strip():
            yield kind, "an empty word", "Leave it out."
        elif phrase != phrase.lower():
            yield kind, f"{phrase!r} is not in lower case", f"Write {phrase.lower()!r}: it fits capitals too."
    for field in ("source", "target", "speaker"):
        value = getattr(pattern, field)
        for role in () if value is None else value.split("|"):
            if role not in ROLES[kind] and (kind != "verb" or language == "en"):
                known = ", ".join(ROLES[kind][:5])
                known = f"{known}, or a preposition" if kind == "verb" else known
                hint = did_you_mean(role, ROLES[kind]) or f"Of a {kind} it is one of: {known}."
                yield field, f"{role!r} is no argument of a {kind}", hint
