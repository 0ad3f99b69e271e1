"""The offline extractor as a study wants it: its annotator, the patterns that ship and those of the user."""

from functools import cache
from pathlib import Path

from pydantic import ValidationError

from corpusgraph.flows.annotate.pipelines import SHIPPED, CachedAnnotator, SpacyAnnotator
from corpusgraph.flows.annotate.recognizers import recognizer
from corpusgraph.flows.resources.cache import StageCache
from corpusgraph.flows.resources.packaged import own_file, packaged, read_packaged
from corpusgraph.flows.resources.yamlfile import load_yaml
from corpusgraph.schemas.annotation import Annotator
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.errors import PatternFileError
from corpusgraph.schemas.study import IndexOptions, NameOptions
from corpusgraph.tasks.extract.offline import OfflineExtractor
from corpusgraph.tasks.extract.patterns import Pattern, Patterns, read_patterns

KIND = "patterns"


class ReadingOptions(Noun):
    """What decides how texts are parsed and read; small, so that it travels to another process."""

    pipelines: dict[str, str] | None = None
    """Language -> spaCy pipeline; None where no sentence is parsed."""
    names: NameOptions | None = None
    """A trained recognizer of names."""
    base: Path = Path()
    """Folder that the recognizer's path is from."""
    patterns: Path | None = None
    """The user's own patterns, which come before those that ship."""

    @classmethod
    def of(cls, options: IndexOptions, base: Path) -> "ReadingOptions":
        """Return what a study's index asks for; paths are from the study file's folder."""
        own = None if options.patterns is None else own_file(options.patterns, base)
        if options.annotator == "rules":
            return cls(pipelines=None, patterns=own, names=options.names, base=base)
        named = {language: pipeline_of(name, base) for language, name in (options.annotator or {}).items()}
        return cls(pipelines=SHIPPED | named, patterns=own, names=options.names, base=base)


def pipeline_of(name: str, base: Path) -> str:
    """Return the name of a pipeline, or the path of its folder where there is one."""
    folder = own_file(name, base)
    return str(folder.resolve()) if folder.is_dir() else name


def offline_extractor(options: ReadingOptions, cache: StageCache | None = None) -> OfflineExtractor:
    """Return the extractor; with a cache no text is parsed twice."""
    patterns = load_patterns(options.patterns)
    names = None if options.names is None else recognizer(options.names, options.base)
    if options.pipelines is None:
        return OfflineExtractor(None, patterns, names)
    annotator: Annotator = SpacyAnnotator(options.pipelines)
    parser = CachedAnnotator(annotator, cache) if cache is not None else annotator
    return OfflineExtractor(parser, patterns, names)


@cache
def default_extractor() -> OfflineExtractor:
    """Return the extractor with all that ships, for texts that belong to no index."""
    return offline_extractor(ReadingOptions(pipelines=SHIPPED))


@cache
def load_patterns(own: Path | None = None) -> dict[str, Patterns]:
    """Return language -> patterns: those that ship, after those of a file of the user's.

    Raises PatternFileError, which names the pattern and what is wrong with it.
    """
    listed: dict[str, list[Pattern]] = {}
    if own is not None:
        try:
            data, _ = load_yaml(own.read_text(encoding="utf-8-sig"))
        except OSError as problem:
            raise PatternFileError(f"{own} cannot be read: {problem.strerror}.") from None
        language, patterns = _checked(data, own.name)
        listed[language] = patterns
    for file in packaged(KIND).values():
        language, patterns = _checked(read_packaged(file, PatternFileError)[0], file.name)
        listed[language] = [*listed.get(language, []), *patterns]
    return {language: Patterns(patterns) for language, patterns in listed.items()}


def _checked(data: object, name: str) -> tuple[str, list[Pattern]]:
    if not isinstance(data, dict) or not isinstance(data.get("patterns"), list):
        hint = "Begin with `language: en` and a list `patterns:`; docs/patterns.md shows one."
        raise PatternFileError(f"{name}: no list of patterns.", hint=hint)
    try:
        return str(data.get("language", "en")), read_patterns(data)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise PatternFileError(
            f"{name}: {place}: {first['msg']}.", hint="docs/patterns.md lists the fields."
        ) from None
