"""spaCy pipelines behind the port `Annotator`.

The English pipeline that ships with the package (`weights/`, see NOTICE) is trained by
`benchmarks.parser.train`. A study may name any other, installed or as a folder, for any language; label
schemes UD and CLEAR are both read.
"""

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from corpusgraph.flows.annotate.clear import Scheme, scheme_of, to_universal
from corpusgraph.flows.resources.cache import StageCache
from corpusgraph.flows.resources.codeprint import code_fingerprint
from corpusgraph.schemas.annotation import Annotation, Annotator, Recognized
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import DependencyMissingError
from corpusgraph.tasks.index.rules.tagger import raw_tag
from corpusgraph.tasks.index.sentences import sentence_spans

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

WEIGHTS = Path(__file__).parent / "weights"
SHIPPED = {"en": str(WEIGHTS)}
STAGE = "parse"
LONGEST = 20_000
"""Characters parsed at a time: a longer paragraph is a table or noise and is cut at the end of a sentence."""
LONGEST_SENTENCE = 4_000
"""Characters after which a sentence is cut: what is longer is a table or noise."""

_DECIDING = (
    "corpusgraph.flows.annotate.clear",
    "corpusgraph.flows.annotate.pipelines",
    "corpusgraph.flows.annotate.products",
    "corpusgraph.tasks.index.rules.tagger",
    "corpusgraph.tasks.index.sentences",
)
"""Modules whose code decides an annotation, besides the pipelines."""
_ONE_AT_A_TIME = Lock()
"""A pipeline's vocabulary grows while it reads, which is not safe in threads; processes share none."""

_PARAGRAPH = re.compile(r"\S(?:.*?\S)??(?=\s*\n[^\S\n]*\n|\s*\Z)", re.DOTALL)
_BREAK = re.compile(r"\s+|(?<=\S{400})(?=\S)")
"""White space, and a place to cut what has none for long: tokenizers take the square of its length."""
_CLOSING = frozenset(".!?…:;\"'”’»)]*_—-")

NAME_TYPES = {
    "PERSON": "person",
    "PER": "person",
    "ORG": "organisation",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "WORK_OF_ART": "concept",
    "LAW": "concept",
    "EVENT": "concept",
    "PRODUCT": "concept",
    "MISC": "concept",
}
"""Label of a name (OntoNotes, CoNLL) -> type of the entity; others (dates, nationalities) are not taken."""
NAMING = frozenset({"ner", "entity_ruler", "span_ruler"})
"""Components of a pipeline that recognize names."""
LIKELY = 0.6
"""Confidence of a recognized name: spaCy's recognizers give none, and the words around it have a say."""


class Paragraph(NamedTuple):
    """A stretch of a text on one line, with what it takes to find its characters in the text again."""

    text: str
    places: list[int]
    """Characters of the line at which a run of white space ended."""
    offsets: list[int]
    """What to add, from each such place on, to get the character of the text."""

    def offset(self, place: int) -> int:
        """Return the character of the text at a place of the line."""
        return place + self.offsets[bisect_right(self.places, place) - 1]


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield the stretches between blank lines, white space inside them made single spaces."""
    for stretch in _PARAGRAPH.finditer(text):
        begin, end = stretch.span()
        while end - begin > LONGEST:
            cut = max(
                (last for _, last in sentence_spans(text[begin : begin + LONGEST])[:-1]),
                default=text.rfind(" ", begin, begin + LONGEST) - begin,
            )
            cut = begin + (cut if cut > 0 else LONGEST)
            yield _line(text, begin, cut)
            begin = cut
        yield _line(text, begin, end)


def _line(text: str, begin: int, end: int) -> Paragraph:
    pieces, places, offsets, length, last = [], [0], [begin], 0, begin
    for gap in _BREAK.finditer(text, begin, end):
        pieces.append(text[last : gap.start()])
        length += gap.start() - last + 1
        last = gap.end()
        if last - gap.start() != 1:
            places.append(length)
            offsets.append(last - length)
    pieces.append(text[last:end])
    return Paragraph(" ".join(pieces), places, offsets)


class SpacyAnnotator:
    """Implements `Annotator` with one spaCy pipeline a language; a pipeline is loaded when it is first asked.

    Threads take turns, as spaCy's vocabularies are not made for several at once.

    Parameters
    ----------
    pipelines : mapping of str to str
        ISO 639-1 code -> name of an installed pipeline, or a folder.

    """

    def __init__(self, pipelines: Mapping[str, str]) -> None:
        self._pipelines = dict(pipelines)

    @property
    def languages(self) -> frozenset[str]:
        """Languages that have a pipeline whose label scheme can be read."""
        return frozenset(language for language, name in self._pipelines.items() if pipeline_scheme(name))

    @property
    def fingerprint(self) -> str:
        """Hash of the names, versions and weights of the pipelines, and of the code around them."""
        pipelines = (
            f"{language}:{pipeline_fingerprint(name)}" for language, name in sorted(self._pipelines.items())
        )
        return "-".join(("spacy", code_fingerprint(*_DECIDING)[:8], *pipelines))

    def annotate(self, texts: Sequence[str], language: str) -> list[Annotation]:
        """Parse texts, a paragraph at a time."""
        with _ONE_AT_A_TIME:
            return self._annotate(texts, language)

    def _annotate(self, texts: Sequence[str], language: str) -> list[Annotation]:
        from corpusgraph.flows.annotate.products import on_one_thread

        name = self._pipelines[language]
        nlp, scheme = load_pipeline(name), pipeline_scheme(name)
        lines = [(number, line) for number, text in enumerate(texts) for line in paragraphs(text)]
        columns: list[list[tuple[Paragraph, Doc]]] = [[] for _ in texts]
        made = (nlp.make_doc(line.text) for _, line in lines)
        parsed = nlp.pipe(map(prepared, made) if name == SHIPPED.get(language) else made, batch_size=64)
        with on_one_thread():
            for (number, line), doc in zip(lines, parsed, strict=True):
                columns[number].append((line, doc))
        names = not NAMING.isdisjoint(nlp.pipe_names)
        return [_annotation(language, docs, scheme, names=names) for docs in columns]


def with_word_classes(doc: "Doc") -> "Doc":
    """Tell the encoder what the word lists know of each word: it has seen only those of a small treebank."""
    for token in doc:
        token.tag_ = raw_tag(token.lower_)
    return doc


def prepared(doc: "Doc") -> "Doc":
    """Return a cut text as the shipped pipeline was trained to see it."""
    return with_borders(with_word_classes(doc))


def with_borders(doc: "Doc") -> "Doc":
    """Set where sentences begin by punctuation; the parser may add borders only after a closing mark.

    The treebank that the weights come from is web text, whose borders are often unmarked: left alone, the
    parser splits long sentences of books too.
    """
    begins, last = {start for start, _ in sentence_spans(doc.text)}, 0
    words = [token.text for token in doc]
    borders = np.zeros(len(doc), dtype=np.int64)  # 1 begins a sentence, -1 does not, 0 may
    for place, start in enumerate(doc.to_array("IDX").tolist()):
        if start in begins or start - last > LONGEST_SENTENCE:
            borders[place], last = 1, start
        elif place and words[place][:1].islower() and words[place - 1][-1:] not in _CLOSING:
            borders[place] = -1
    values: Any = borders.astype(np.uint64)  # as spaCy keeps them, whatever its stubs say
    return doc.from_array(["SENT_START"], values)


def _annotation(
    language: str, docs: Sequence[tuple[Paragraph, "Doc"]], scheme: Scheme | None, *, names: bool
) -> Annotation:
    starts: list[int] = []
    ends: list[int] = []
    lemmas: list[str] = []
    upos: list[str] = []
    feats: list[str] = []
    heads: list[int] = []
    deprels: list[str] = []
    sentences: list[int] = []
    for line, doc in docs:
        tokens = [token for token in doc if not token.is_space]
        base = len(starts)
        number = {token.i: base + order for order, token in enumerate(tokens)}
        for token in tokens:
            head = token.head
            while head.is_space and head.head.i != head.i:
                head = head.head
            position = number[token.i]
            starts.append(line.offset(token.idx))
            ends.append(line.offset(token.idx + len(token) - 1) + 1)
            lemmas.append(token.lemma_ or token.lower_)
            upos.append(token.pos_ or "X")
            feats.append(str(token.morph))
            heads.append(number.get(head.i, position))
            deprels.append("root" if token.dep_ in ("ROOT", "root") else token.dep_ or "dep")
        sentences += [
            number[first.i]
            for sentence in doc.sents
            if (first := next((token for token in sentence if not token.is_space), None)) is not None
        ]
    annotation = Annotation(
        language,
        tuple(starts),
        tuple(ends),
        tuple(lemmas),
        tuple(upos),
        tuple(feats),
        tuple(heads),
        tuple(deprels),
        tuple(sentences),
        tuple(name for line, doc in docs for name in recognized(line, doc, NAME_TYPES, LIKELY))
        if names
        else None,
    )
    return to_universal(annotation) if scheme == "clear" else annotation


def recognized(
    line: Paragraph, doc: "Doc", types: Mapping[str, str], confidence: float
) -> Iterator[Recognized]:
    """Yield the names that a pipeline recognized in a stretch of a text."""
    for name in doc.ents:
        if name.label_ in types:
            start, end = line.offset(name.start_char), line.offset(name.end_char - 1) + 1
            yield Recognized(start, end, types[name.label_], confidence)


@cache
def load_pipeline(name: str) -> "Language":
    """Load a pipeline, with only what an annotation holds."""
    import spacy

    from corpusgraph.flows.annotate.products import set_precision, with_blas

    read_meta(name)
    try:
        with with_blas():
            nlp = spacy.load(name, exclude=["textcat"])
    except (OSError, ValueError, ImportError) as problem:
        first = str(problem).strip().partition("\n")[0]
        raise DependencyMissingError(
            f"The spaCy pipeline {name!r} cannot be loaded: {first}",
            hint="It may need another version of spaCy, or a package that is not installed.",
        ) from problem
    set_precision(nlp, "float32")
    return nlp


def read_meta(name: str) -> JsonDict:
    """Return what a pipeline says of itself, without loading it.

    Raises DependencyMissingError for one that is not there, is none, or has no parser.
    """
    folder = Path(name)
    if not folder.is_dir():
        spec = find_spec(name) if name.isidentifier() else None
        if spec is None or spec.origin is None:
            raise DependencyMissingError(f"There is no spaCy pipeline {name!r}.", hint=_how_to_get(name))
        folder = Path(spec.origin).parent
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        meta = None
    if not isinstance(meta, dict):
        raise DependencyMissingError(f"{name!r} is no spaCy pipeline.", hint="One has a file meta.json.")
    if "parser" not in meta.get("pipeline", ()):
        raise DependencyMissingError(
            f"The spaCy pipeline {name!r} has no dependency parser.",
            hint="Name one that has: en_core_web_sm, fr_core_news_sm, …",
        )
    return meta


def _how_to_get(name: str) -> str:
    if name.isidentifier():
        return f"Install it (python -m spacy download {name}), or name the folder it lies in."
    return "Name an installed pipeline, or a folder; folders are relative to the study file."


@cache
def pipeline_labels(name: str) -> tuple[str, ...]:
    """Return the labels of a pipeline's parser."""
    return tuple(read_meta(name).get("labels", {}).get("parser", ()))


def pipeline_scheme(name: str) -> Scheme | None:
    """Return the label scheme of a pipeline, None where it is one that is not read."""
    return scheme_of(pipeline_labels(name))


@cache
def pipeline_fingerprint(name: str) -> str:
    """Identify a pipeline without loading it: its files, where it is a folder; else name and version."""
    folder = Path(name)
    if folder.is_dir():
        digest = hashlib.blake2b(digest_size=8)
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
        return digest.hexdigest()
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{name}-{version(name)}"
    except PackageNotFoundError:
        return name


class CachedAnnotator:
    """Annotations of texts that were parsed before come from the stage cache."""

    def __init__(self, annotator: Annotator, cache: StageCache) -> None:
        self._annotator, self._cache = annotator, cache

    @property
    def languages(self) -> frozenset[str]:
        """Languages that have a pipeline."""
        return self._annotator.languages

    @property
    def fingerprint(self) -> str:
        """Fingerprint of what parses."""
        return self._annotator.fingerprint

    def annotate(self, texts: Sequence[str], language: str) -> list[Annotation]:
        """Parse what the cache does not have."""
        keys = [parse_key(self._annotator.fingerprint, language, text) for text in texts]
        annotations = [_unpacked(self._cache.get(STAGE, key)) for key in keys]
        missing = [place for place, annotation in enumerate(annotations) if annotation is None]
        if missing:
            parsed = self._annotator.annotate([texts[place] for place in missing], language)
            for place, annotation in zip(missing, parsed, strict=True):
                self._cache.put(STAGE, keys[place], packed(annotation))
                annotations[place] = annotation
        return [annotation for annotation in annotations if annotation is not None]


def parse_key(fingerprint: str, language: str, text: str) -> str:
    """Return where the cache keeps the annotation of a text."""
    whole = f"{fingerprint}\x1f{language}\x1f{text}"
    return hashlib.blake2b(whole.encode(), digest_size=16).hexdigest()


COLUMNS = ("starts", "ends", "lemmas", "upos", "feats", "heads", "deprels", "sentences", "names")


def packed(annotation: Annotation) -> bytes:
    """Return an annotation as JSON; strings that repeat are listed once."""
    columns: dict[str, object] = {"language": annotation.language}
    for name in COLUMNS:
        values = getattr(annotation, name)
        if values and isinstance(values[0], str):
            distinct = sorted(set(values))
            number = {value: place for place, value in enumerate(distinct)}
            columns[name] = [distinct, [number[value] for value in values]]
        else:
            columns[name] = values
    return json.dumps(columns, separators=(",", ":"), ensure_ascii=False).encode()


def _unpacked(data: bytes | None) -> Annotation | None:
    if data is None:
        return None
    columns = json.loads(data)
    language, names = columns.pop("language"), columns.pop("names")
    return Annotation(
        language,
        **{
            name: tuple(values[0][place] for place in values[1])
            if values and isinstance(values[0], list)
            else tuple(values)
            for name, values in columns.items()
        },
        names=None if names is None else tuple(Recognized(*name) for name in names),
    )


@cache
def shipped_annotator() -> SpacyAnnotator:
    """Return the annotator of the pipelines that ship with the package."""
    return SpacyAnnotator(SHIPPED)
