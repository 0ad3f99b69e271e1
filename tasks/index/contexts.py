"""A few words on each name, kept while a corpus is surveyed: what tells one bearer of a name from another."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Mention

if TYPE_CHECKING:
    from corpusgraph.tasks.index.survey import Form

MOST = 2
"""Contexts kept of a form, and shown of a name."""
MAX_LENGTH = 240
"""Characters of a context."""
_SHORT = 40


class Context(NamedTuple):
    """A description or a sentence; the least by order are kept, so that the order of documents is nothing."""

    rank: tuple[bool, bool, str]
    """A sentence after a description, one that says little after others, and then by hash."""
    text: str
    document: str


class Contexts:
    """The contexts of forms: at most `MOST` each, whatever the length of the corpus."""

    def __init__(self) -> None:
        self._kept: dict[Form, list[Context]] = {}

    def add(self, form: "Form", document: Document, mention: Mention) -> None:
        """Take note of what a document says around a name."""
        text = context_of(document.text, mention)
        context = Context(_rank(text, mention), text, document.id)
        kept = self._kept.setdefault(form, [])
        if len(kept) == MOST and context > kept[-1]:
            return
        self._kept[form] = _least([*kept, context])

    def of(self, forms: "Mapping[Form, Collection[str]]") -> tuple[str, ...]:
        """Return the contexts of some forms, each without those from some documents."""
        found = [
            context
            for form, without in forms.items()
            for context in self._kept.get(form, ())
            if context.document not in without
        ]
        return tuple(context.text for context in _least(found))


def _least(contexts: Sequence[Context]) -> list[Context]:
    by_text: dict[str, Context] = {}
    for context in sorted(contexts):
        by_text.setdefault(context.text, context)
    return list(by_text.values())[:MOST]


def _rank(text: str, mention: Mention) -> tuple[bool, bool, str]:
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return not mention.description, len(text) < _SHORT, digest


def context_of(text: str, mention: Mention) -> str:
    """Return a mention's description, else its sentence, or as much of it as stands around the name."""
    if mention.description:
        return _cut(" ".join(nfc(mention.description).split()))
    start, end = mention.sentence_start, mention.sentence_end
    if end - start > MAX_LENGTH:
        start = max(start, min(mention.start - MAX_LENGTH // 2, end - MAX_LENGTH))
        start += 0 if start == mention.sentence_start else len(text[start : mention.start].split(" ", 1)[0])
    return _cut(" ".join(text[start:end].split()))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_LENGTH else text[:MAX_LENGTH].rpartition(" ")[0] or text[:MAX_LENGTH]
