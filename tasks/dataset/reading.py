"""The evidence of a corpus by sentence: what every measure counts over."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Assertion, Claim, Event, Finding, Mention
from corpusgraph.schemas.ports import Corpus
from corpusgraph.tasks.index.sentences import sentence_spans

Sentence = tuple[str, int]
"""A document's id and the ordinal of one of its sentences."""
F = TypeVar("F", bound=Finding)
T = TypeVar("T")

_IDEOGRAPH = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_IDEOGRAPH}]|(?:(?![{_IDEOGRAPH}])[^\W_])+(?:['’-](?:(?![{_IDEOGRAPH}])[^\W_])+)*")


class Reading:
    """Mentions, assertions, claims and events of a corpus, each filed under its sentence."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.documents: Mapping[str, Document] = {document.id: document for document in corpus.documents}
        self._spans: dict[str, list[tuple[int, int]]] = {}
        self._tokens: dict[Sentence, list[str]] = {}
        self._vocabulary: dict[str, str] = {}
        self._kept: dict[Hashable, Any] = {}

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` makes, made once for a key: several variables ask for one graph."""
        if key not in self._kept:
            self._kept[key] = make()
        made: T = self._kept[key]
        return made

    def spans(self, document_id: str) -> list[tuple[int, int]]:
        """Return the sentences of a document as character spans."""
        if document_id not in self._spans:
            self._spans[document_id] = sentence_spans(self.documents[document_id].text)
        return self._spans[document_id]

    def sentences(self, document_id: str) -> list[Sentence]:
        """Return all sentences of a document."""
        return [(document_id, at) for at in range(len(self.spans(document_id)))]

    def at(self, document_id: str, start: int) -> Sentence:
        """Return the sentence that holds a character."""
        spans = self.spans(document_id)
        return document_id, max(bisect_right(spans, start, key=lambda span: span[0]) - 1, 0)

    def text(self, sentence: Sentence) -> str:
        """Return the text of a sentence."""
        start, end = self.spans(sentence[0])[sentence[1]]
        return self.documents[sentence[0]].text[start:end]

    def words(self, sentence: Sentence) -> int:
        """Count words: runs of letters and digits, joined by apostrophe or hyphen; an ideograph is a word."""
        return len(self.tokens(sentence))

    def tokens(self, sentence: Sentence) -> list[str]:
        """Return the words of a sentence, without regard to case."""
        if sentence not in self._tokens:
            words = (word.casefold() for word in _WORD.findall(self.text(sentence)))
            self._tokens[sentence] = [self._vocabulary.setdefault(word, word) for word in words]
        return self._tokens[sentence]

    def _filed(self, findings: Iterable[F]) -> Mapping[Sentence, Sequence[F]]:
        filed: dict[Sentence, list[F]] = defaultdict(list)
        for finding in findings:
            if finding.document_id in self.documents:
                filed[self.at(finding.document_id, finding.start)].append(finding)
        return filed

    @cached_property
    def mentions(self) -> Mapping[Sentence, Sequence[Mention]]:
        """Mentions by sentence."""
        return self._filed(self.corpus.mentions)

    @cached_property
    def assertions(self) -> Mapping[Sentence, Sequence[Assertion]]:
        """Assertions by sentence, without those that deny, suppose or ask."""
        return self._filed(assertion for assertion in self.corpus.assertions if assertion.is_stated)

    @cached_property
    def claims(self) -> Mapping[Sentence, Sequence[Claim]]:
        """Claims by sentence."""
        return self._filed(self.corpus.claims)

    @cached_property
    def events(self) -> Mapping[Sentence, Sequence[Event]]:
        """Dated events by sentence."""
        return self._filed(self.corpus.events)

    @cached_property
    def entity_ids(self) -> Mapping[str, str]:
        """Return mention id -> entity id, for every mention that is of an entity."""
        of = self.corpus.entity_of
        return {mention.id: found for mention in self.corpus.mentions if (found := of(mention.id))}

    @cached_property
    def by_entity(self) -> Mapping[str, Mapping[Sentence, Sequence[Mention]]]:
        """Return entity id -> its sentences in order -> its mentions there."""
        filed: dict[str, dict[Sentence, list[Mention]]] = defaultdict(lambda: defaultdict(list))
        for sentence in sorted(self.mentions):
            for mention in self.mentions[sentence]:
                if mention.id in self.entity_ids:
                    filed[self.entity_ids[mention.id]][sentence].append(mention)
        return filed


def cue_pattern(cues: Sequence[str]) -> re.Pattern[str]:
    """Compile cues: whole words or phrases without regard to case; `contagi*` matches any ending."""
    parts = []
    for cue in cues:
        stem = r"\s+".join(re.escape(part) for part in cue.rstrip("*").split())
        bounded = not re.search(rf"[{_IDEOGRAPH}]", cue)
        end = r"\w*" if cue.endswith("*") else r"(?!\w)" if bounded else ""
        parts.append((r"(?<!\w)" if bounded else "") + stem + end)
    return re.compile("|".join(parts), re.IGNORECASE)
