"""Evidence from entities and triples that were extracted elsewhere, located in the text."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Assertion, Evidence, Mention
from corpusgraph.tasks.text.layout import Layout

EXTRACTOR, VERSION = "openie", "1"
CONFIDENCE, UNLOCATED = 0.9, 0.6
"""Of what the text says in these words, and of what it does not: a paraphrase may be an invention."""
TYPE = "concept"
"""Open information extraction tells no types (Banko et al. 2007)."""

_NO_WORD = re.compile(r"[\W_]+")
_CAUSAL = re.compile(
    r"(?:^|_)(?:caus(?:e|es|ed)|(?:led|leads?)_to|prevent(?:s|ed)?|result(?:s|ed)?_in)(?:_|$)"
)


class Triple(NamedTuple):
    """A subject, a predicate and an object, as somebody wrote them.

    Attributes
    ----------
    subject : str
    predicate : str
    object : str

    """

    subject: str
    predicate: str
    object: str


def evidence_of(
    document: Document, chunks: Sequence[Chunk], entities: Sequence[str], triples: Sequence[Triple]
) -> Evidence:
    """Return a mention for each phrase and an assertion for each triple.

    A phrase lies where the text first has it: as written, else without regard to case and to what stands
    between words. Where it is nowhere, its span is the whole text and the mention's attributes say
    `located: false`. A triple lies in the sentence of its subject and object where they share one.

    Parameters
    ----------
    document : Document
        The document.
    chunks : sequence of Chunk
        All of its chunks.
    entities : sequence of str
        Phrases.
    triples : sequence of Triple
        Their ends are mentions too.

    Returns
    -------
    Evidence
        Empty for a document without chunks.

    """
    layout = Layout(document, chunks)
    if not layout.chunk_ids:
        return Evidence(document_id=document.id)
    phrases = [phrase for triple in triples for phrase in (triple.subject, triple.object)]
    names = dict.fromkeys(_tidy(phrase) for phrase in [*entities, *phrases])
    mentions = {name: _mention(layout, name) for name in names if _NO_WORD.sub("", name)}
    assertions = {found.id: found for found in _assertions(layout, mentions, triples)}
    return Evidence(
        document_id=document.id,
        mentions=tuple(sorted(mentions.values(), key=lambda m: (m.start, m.end, m.id))),
        assertions=tuple(sorted(assertions.values(), key=lambda a: (a.start, a.end, a.id))),
    )


def relationship_type(predicate: str) -> str:
    """Return a predicate as a type: "Was born in" -> "was_born_in".

    Parameters
    ----------
    predicate : str
        As written.

    Returns
    -------
    str
        `relates_to` for one without a letter or digit.

    """
    return _NO_WORD.sub("_", nfc(predicate).casefold()).strip("_") or "relates_to"


def _tidy(phrase: str) -> str:
    return " ".join(nfc(phrase).split())


def _mention(layout: Layout, name: str) -> Mention:
    text = layout.document.text
    found = _place(text, name)
    start, end = found or (0, len(text))
    sentence = layout.sentence_of(start, end) if found else (start, end)
    return Mention(
        id=Mention.make_id(layout.document.id, start, end, TYPE, f"{EXTRACTOR}:{name}"),
        surface=text[start:end] if found else name,
        name=name,
        type=TYPE,
        confidence=CONFIDENCE if found else UNLOCATED,
        cue="as written" if found else "not in the text",
        attributes={} if found else {"located": False},
        **layout.where((start, end), sentence, EXTRACTOR),
    )


def _place(text: str, name: str) -> tuple[int, int] | None:
    """Return the first place of a phrase in a text, at the bounds of words."""
    loose = r"[\W_]*".join(re.escape(word) for word in _NO_WORD.split(name) if word)
    for pattern, flags in ((re.escape(name), 0), (re.escape(name), re.IGNORECASE), (loose, re.IGNORECASE)):
        found = re.search(rf"(?<!\w){pattern}(?!\w)", text, flags)
        if found:
            return found.span()
    return None


def _assertions(
    layout: Layout, mentions: dict[str, Mention], triples: Sequence[Triple]
) -> Iterator[Assertion]:
    for triple in triples:
        source, target = mentions.get(_tidy(triple.subject)), mentions.get(_tidy(triple.object))
        if source is None or target is None or source.id == target.id:
            continue
        around = [m for m in (source, target) if m.attributes.get("located", True)] or [source]
        sentence = min(m.sentence_start for m in around), max(m.sentence_end for m in around)
        type_ = relationship_type(triple.predicate)
        yield Assertion(
            id=Assertion.make_id(source.id, type_, target.id, EXTRACTOR),
            source_mention=source.id,
            target_mention=target.id,
            source=source.name,
            target=target.name,
            type=type_,
            is_causal=bool(_CAUSAL.search(type_)),
            description=" ".join((source.name, _tidy(triple.predicate), target.name)),
            confidence=min(source.confidence, target.confidence),
            cue=_tidy(triple.predicate) or None,
            **layout.where(sentence, sentence, EXTRACTOR),
        )
