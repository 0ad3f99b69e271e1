"""spaCy pipelines behind the port `Annotator`, which a study may name for any language.

They are installed packages or folders; label schemes UD and CLEAR are both read.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter

from corpusgraph.flows.annotate.paragraphs import Paragraph, paragraphs
from corpusgraph.flows.embed.bert import on_one_thread
from corpusgraph.flows.files.cache import StageCache, code_fingerprint
from corpusgraph.flows.files.yaml_file import own_file
from corpusgraph.schemas.annotation import Annotation, Annotator, Recognized
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import DependencyMissingError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

Scheme = Literal["universal", "clear"]

LABELS = {
    "ROOT": "root",
    "acomp": "xcomp",
    "agent": "obl:agent",
    "attr": "xcomp",
    "auxpass": "aux:pass",
    "csubjpass": "csubj:pass",
    "dative": "iobj",
    "dobj": "obj",
    "intj": "discourse",
    "meta": "dep",
    "neg": "advmod",
    "nsubjpass": "nsubj:pass",
    "oprd": "xcomp",
    "poss": "nmod:poss",
    "preconj": "cc:preconj",
    "predet": "det:predet",
    "prep": "obl",
    "prt": "compound:prt",
    "quantmod": "advmod",
    "relcl": "acl:relcl",
}
"""Labels that differ in name only, once heads are changed."""
NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM"})
PREPOSITIONAL = ("prep", "agent", "dative")
PREDICATIVE = ("attr", "acomp", "oprd")
_SECOND = {"to": "accord according as due owe owing thank thanks", "of": "because instead", "as": "such"}
FIXED = frozenset((first, second) for second, firsts in _SECOND.items() for first in firsts.split())
"""Prepositions of two words: in other pairs, "out of", each word is a case marker."""


def scheme_of(labels: Iterable[str]) -> Scheme | None:
    """Tell the scheme of a parser by its labels; None for others, such as TIGER's of German newspapers."""
    relations = {label.partition(":")[0] for label in labels}
    if {"pobj", "dobj"} <= relations:
        return "clear"
    return "universal" if {"obj", "obl"} <= relations else None


def to_universal(annotation: Annotation) -> Annotation:
    """Return the same tokens in trees of Universal Dependencies."""
    tree = _Conversion(annotation)
    tree.raise_subjects()
    tree.regroup_coordinations()
    tree.turn_prepositions()
    tree.turn_copulas()
    tree.rename()
    return replace(annotation, heads=tuple(tree.heads), deprels=tuple(tree.deps))


class _Conversion:
    """Trees while they are changed; labels stay CLEAR's until `rename`, but for those that heads decide."""

    def __init__(self, annotation: Annotation) -> None:
        self.lemmas = [lemma.lower() for lemma in annotation.lemmas]
        self.upos = annotation.upos
        self.feats = annotation.feats
        self.heads = list(annotation.heads)
        self.deps = ["ROOT" if dep == "root" else dep for dep in annotation.deprels]
        self.children: list[list[int]] = [[] for _ in self.heads]
        for token, head in enumerate(self.heads):
            if head != token:
                self.children[head].append(token)

    def attach(self, token: int, head: int, dep: str) -> None:
        """Give a token a head and a label; its own head makes it a root."""
        if self.heads[token] != token:
            self.children[self.heads[token]].remove(token)
        if head != token:
            self.children[head].append(token)
            self.children[head].sort()
        self.heads[token], self.deps[token] = head, dep

    def take_place(self, token: int, of: int, dep: str) -> None:
        """Put a token where its head `of` hangs."""
        self.attach(token, token if self.heads[of] == of else self.heads[of], dep)

    def move_children(self, token: int, to: int) -> None:
        """Give the children of a token to another."""
        for child in list(self.children[token]):
            if child != to:
                self.attach(child, to, self.deps[child])

    def child(self, head: int, *deps: str) -> int | None:
        """Return the first child with one of the labels."""
        return next((child for child in self.children[head] if self.deps[child] in deps), None)

    def top_down(self) -> list[int]:
        """Return the tokens, each after its head."""
        order = [token for token, head in enumerate(self.heads) if head == token]
        for token in order:
            order += self.children[token]
        return order

    def raise_subjects(self) -> None:
        """Make "the river" in "caused the river to rise" the object of "caused", no longer of "rise"."""
        for token, dep in enumerate(self.deps):
            if dep not in ("ccomp", "xcomp", "oprd") or self.child(token, "mark") is not None:
                continue
            subject = self.child(token, "nsubj", "nsubjpass")
            head = self.heads[token]
            if subject is None or not head < subject < token or self.upos[head] != "VERB":
                continue
            if self._is_finite(token) or self.child(head, "dobj") is not None:
                continue
            self.attach(subject, head, "dobj")
            self.attach(token, head, "xcomp")

    def _is_finite(self, token: int) -> bool:
        auxiliaries = [child for child in self.children[token] if self.deps[child] in ("aux", "auxpass")]
        if any(self.lemmas[child] == "to" for child in auxiliaries):
            return False
        if any("VerbForm=Fin" in self.feats[child] for child in auxiliaries):
            return True
        return self.upos[token] in ("VERB", "AUX") and "VerbForm=Fin" in self.feats[token]

    def regroup_coordinations(self) -> None:
        """Hang conjuncts on the first, conjunctions on the conjunct that follows; "rather than" is one."""
        for token, dep in enumerate(self.deps):
            if dep != "cc":
                continue
            modifier = self.child(token, "advmod")
            if self.lemmas[token] == "than" and modifier == token - 1:
                self.take_place(modifier, token, "cc")
                self.attach(token, modifier, "fixed")
        for token in self.top_down():
            if self.deps[token] != "conj":
                continue
            head = self.heads[token]
            for child in list(self.children[head]):
                before = head < child < token
                if self.deps[child] == "cc" and before:
                    self.attach(child, token, "cc")
            if self.deps[head] == "conj":
                self.attach(token, self.heads[head], "conj")

    def turn_prepositions(self) -> None:
        """Hang the complement of every preposition on what the preposition hangs on."""
        for token in self.top_down():
            if self.deps[token] not in ("case", "fixed", "mark"):
                self._turn(token)

    def _turn(self, marker: int) -> int | None:
        """Return the complement that has taken the place of a preposition, None where there is none."""
        complement = self._complement(marker)
        if complement is None:
            return None
        is_object = self.deps[complement] == "pobj"
        inner = None
        if not is_object:
            place = complement
            complement = self._turn(place) or place
            inner = place if complement != place else None
        is_clause = not is_object and inner is None and self._is_clause(complement)
        is_clause = is_clause or (inner is not None and self.deps[inner] == "mark")
        self.take_place(complement, marker, self._role(marker, is_clause=is_clause))
        self.move_children(marker, complement)
        label = "mark" if is_clause else "case"
        self.attach(marker, complement, label)
        if inner is not None and (self.lemmas[marker], self.lemmas[inner]) in FIXED:
            self.attach(inner, marker, "fixed")
        self._such_as(marker, complement, label)
        return complement

    def _complement(self, marker: int) -> int | None:
        complement = self.child(marker, "pobj")
        if complement is None:
            complement = self.child(marker, "pcomp")
        following = self.child(marker, "prep")
        if complement is None and following is not None and marker < following:
            fixed = self.upos[marker] != "VERB" and (self.lemmas[marker], self.lemmas[following]) in FIXED
            if (fixed or self.deps[marker] in PREPOSITIONAL) and self._complement(following) is not None:
                return following
        return complement

    def _is_clause(self, token: int) -> bool:
        if self.upos[token] in ("VERB", "AUX"):
            return True
        return self.child(token, "nsubj", "nsubjpass", "aux", "mark") is not None

    def _role(self, marker: int, *, is_clause: bool) -> str:
        dep, head = self.deps[marker], self.heads[marker]
        if dep not in (*PREPOSITIONAL, "advmod", "npadvmod", "pcomp"):
            return dep
        if self.upos[head] in NOMINAL:
            return "acl" if is_clause else "nmod"
        if is_clause:
            return "advcl"
        return "obl:agent" if dep == "agent" else "obl"

    def _such_as(self, marker: int, complement: int, label: str) -> None:
        before = marker - 1
        if before >= 0 and (self.lemmas[before], self.lemmas[marker]) == ("such", "as"):
            self.attach(before, complement, label)
            self.attach(marker, before, "fixed")

    def turn_copulas(self) -> None:
        """Make what is said of a subject the head of "be"; "there is" keeps the verb."""
        for token in reversed(self.top_down()):
            if self.lemmas[token] != "be" or self.deps[token] in ("aux", "auxpass"):
                continue
            if self.child(token, "expl") is not None:
                subject = self.child(token, "attr")
                if subject is not None:
                    self.attach(subject, token, "nsubj")
                continue
            predicate = self.child(token, *PREDICATIVE)
            if predicate is None and self.child(token, "ccomp", "xcomp") is None:
                predicate = next(
                    (child for child in self.children[token] if self._is_place(token, child)), None
                )
            if predicate is None:
                continue
            self.take_place(predicate, token, self.deps[token])
            self.move_children(token, predicate)
            self.attach(token, predicate, "cop")
            self._anticipated(predicate)
        for token, dep in enumerate(self.deps):
            if dep in ("ROOT", "ccomp", "conj") and self.child(token, "nsubjpass") is not None:
                self._anticipated(token)

    def _is_place(self, verb: int, child: int) -> bool:
        return child > verb and self.deps[child] == "obl" and self.child(child, "case") is not None

    def _anticipated(self, predicate: int) -> None:
        """Make the clause the subject in "it is false that", "it was denied that"."""
        subject = self.child(predicate, "nsubj", "nsubjpass")
        clause = self.child(predicate, "ccomp")
        if subject is None or clause is None or self.lemmas[subject] != "it" or clause < predicate:
            return
        self.attach(clause, predicate, "csubjpass" if self.deps[subject] == "nsubjpass" else "csubj")
        self.attach(subject, predicate, "expl")

    def rename(self) -> None:
        """Give every label its universal name."""
        for token, dep in enumerate(self.deps):
            if dep == "aux" and self.lemmas[token] == "to" and self.upos[token] == "PART":
                self.deps[token] = "mark"
            elif dep == "npadvmod":
                nominal = self.upos[self.heads[token]] in NOMINAL
                self.deps[token] = "nmod:unmarked" if nominal else "obl:unmarked"
            else:
                self.deps[token] = LABELS.get(dep, dep)


STAGE = "parse"
_DECIDING = (
    "corpusgraph.flows.annotate.paragraphs",
    "corpusgraph.flows.annotate.pipelines",
    "corpusgraph.flows.annotate.products",
    "corpusgraph.tasks.text.sentences",
)
"""Modules whose code decides an annotation, besides the pipelines."""
_ONE_AT_A_TIME = Lock()
"""A pipeline's vocabulary grows while it reads, which is not safe in threads; processes share none."""

_TYPES = {
    "person": "PERSON PER",
    "organisation": "ORG",
    "place": "GPE LOC FAC",
    "concept": "WORK_OF_ART LAW EVENT PRODUCT MISC",
}
NAME_TYPES = {label: type_ for type_, labels in _TYPES.items() for label in labels.split()}
"""Label of a name (OntoNotes, CoNLL) -> type of the entity; others (dates, nationalities) are not taken."""
NAMING = frozenset({"ner", "entity_ruler", "span_ruler"})
"""Components of a pipeline that recognize names."""
LIKELY = 0.6
"""Confidence of a recognized name: spaCy's recognizers give none, and the words around it have a say."""


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
        name = self._pipelines[language]
        lines = [(number, line) for number, text in enumerate(texts) for line in paragraphs(text)]
        columns: list[list[tuple[Paragraph, Doc]]] = [[] for _ in texts]
        with _ONE_AT_A_TIME, on_one_thread():
            nlp, scheme = load_pipeline(name), pipeline_scheme(name)
            parsed = nlp.pipe((line.text for _, line in lines), batch_size=64)
            for (number, line), doc in zip(lines, parsed, strict=True):
                columns[number].append((line, doc))
            names = not NAMING.isdisjoint(nlp.pipe_names)
            return [_annotation(language, docs, scheme, names=names) for docs in columns]


def _annotation(
    language: str, docs: Sequence[tuple[Paragraph, "Doc"]], scheme: Scheme | None, *, names: bool
) -> Annotation:
    rows: list[tuple[Any, ...]] = []
    sentences: list[int] = []
    for line, doc in docs:
        tokens = [token for token in doc if not token.is_space]
        number = {token.i: len(rows) + order for order, token in enumerate(tokens)}
        for token in tokens:
            head = token.head
            while head.is_space and head.head.i != head.i:
                head = head.head
            span = line.offset(token.idx), line.offset(token.idx + len(token) - 1) + 1
            tags = token.lemma_ or token.lower_, token.pos_ or "X", str(token.morph)
            relation = "root" if token.dep_ in ("ROOT", "root") else token.dep_ or "dep"
            rows.append((*span, *tags, number.get(head.i, number[token.i]), relation))
        sentences += [
            number[first.i]
            for sentence in doc.sents
            if (first := next((token for token in sentence if not token.is_space), None)) is not None
        ]
    found = (name for line, doc in docs for name in recognized(line, doc, NAME_TYPES, LIKELY))
    columns: Any = [*(zip(*rows, strict=True) if rows else [()] * 7), tuple(sentences)]
    columns.append(tuple(found) if names else None)
    annotation = Annotation(language, *columns)
    return to_universal(annotation) if scheme == "clear" else annotation


def recognized(
    line: Paragraph, doc: "Doc", types: Mapping[str, str], confidence: float
) -> Iterator[Recognized]:
    """Yield the names that a pipeline recognized in a stretch of a text."""
    for name in doc.ents:
        if name.label_ in types:
            start, end = line.offset(name.start_char), line.offset(name.end_char - 1) + 1
            yield Recognized(start, end, types[name.label_], confidence)


def pipeline_of(name: str, base: Path) -> str:
    """Return the name of a pipeline, or the path of its folder where there is one."""
    folder = own_file(name, base)
    return str(folder.resolve()) if folder.is_dir() else name


@cache
def load_pipeline(name: str) -> "Language":
    """Load a pipeline, with only what an annotation holds."""
    import spacy

    from corpusgraph.flows.annotate.products import with_blas

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


_ANNOTATION = TypeAdapter(Annotation)


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
        packed = (self._cache.get(STAGE, key) for key in keys)
        annotations = [None if data is None else _ANNOTATION.validate_json(data) for data in packed]
        missing = [place for place, annotation in enumerate(annotations) if annotation is None]
        if missing:
            parsed = self._annotator.annotate([texts[place] for place in missing], language)
            for place, annotation in zip(missing, parsed, strict=True):
                self._cache.put(STAGE, keys[place], _ANNOTATION.dump_json(annotation))
                annotations[place] = annotation
        return [annotation for annotation in annotations if annotation is not None]


def parse_key(fingerprint: str, language: str, text: str) -> str:
    """Return where the cache keeps the annotation of a text."""
    whole = f"{fingerprint}\x1f{language}\x1f{text}"
    return hashlib.blake2b(whole.encode(), digest_size=16).hexdigest()
