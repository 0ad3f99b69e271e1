"""Hand-made evidence: say which names stand in a text, get the document, its chunk and its evidence."""

import re
from typing import Any, NamedTuple

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Assertion, Event, Evidence, Mention
from corpusgraph.schemas.study import Resolution
from corpusgraph.tasks.build.derive import Derivation, Derived, Linked
from corpusgraph.tasks.build.resolve import Resolved, resolve
from corpusgraph.tasks.build.survey import survey
from corpusgraph.tasks.text.sentences import sentence_spans


class Made(NamedTuple):
    document: Document
    chunks: list[Chunk]
    evidence: Evidence


Name = tuple[str, str] | tuple[str, str, dict[str, Any]]
Link = tuple[str, str, str] | tuple[str, str, str, dict[str, Any]]


def made(
    document_id: str,
    text: str,
    names: list[Name],
    links: list[Link] | None = None,
    *,
    title: str | None = None,
    cuts: list[tuple[int, int]] | None = None,
    events: list[tuple[str, str]] | None = None,
    lower: dict[str, int] | None = None,
) -> Made:
    """Each name is found at its next free place; links and events speak of names by their first place."""
    document = Document(
        id=document_id, title=title or f"{document_id}.txt", text=text, source=document_id, content_hash=text
    )
    chunks = [
        Chunk(
            id=Chunk.make_id(document_id, start, end, text[start:end]),
            content=text[start:end],
            source_doc=document_id,
            position=position,
            start=start,
            end=end,
        )
        for position, (start, end) in enumerate(cuts or [(0, len(text))])
    ]
    mentions: list[Mention] = []
    for surface, type_, *rest in names:
        attributes: dict[str, Any] = dict(rest[0]) if rest else {}
        start = next(
            m.start() for m in re.finditer(re.escape(surface), text) if _is_free(mentions, *m.span())
        )
        where = _where(document_id, chunks, text, start, start + len(surface))
        mentions.append(
            Mention(
                id=Mention.make_id(document_id, start, start + len(surface), type_, "hand"),
                extractor="hand",
                confidence=attributes.pop("confidence", 1.0),
                surface=surface,
                name=attributes.pop("name", surface),
                type=type_,
                attributes=attributes,
                **where,
            )
        )
    first = {mention.surface: mention for mention in reversed(mentions)}
    assertions = [_assertion(document_id, chunks, text, first, link) for link in links or []]
    return Made(
        document,
        chunks,
        Evidence(
            document_id=document_id,
            mentions=tuple(mentions),
            assertions=tuple(assertions),
            events=tuple(_event(first[actor], when) for actor, when in events or []),
            lower_words=lower or {},
        ),
    )


def _is_free(mentions: list[Mention], start: int, end: int) -> bool:
    return all(end <= mention.start or mention.end <= start for mention in mentions)


def _where(document_id: str, chunks: list[Chunk], text: str, start: int, end: int) -> dict[str, Any]:
    sentence = next((s for s in sentence_spans(text) if s[0] <= start < s[1]), (start, end))
    chunk = next((c for c in chunks if c.start <= start and end <= c.end), chunks[0])
    return {
        "document_id": document_id,
        "chunk_id": chunk.id,
        "start": start,
        "end": end,
        "sentence_start": sentence[0],
        "sentence_end": sentence[1],
    }


def _assertion(
    document_id: str, chunks: list[Chunk], text: str, first: dict[str, Mention], link: Link
) -> Assertion:
    source, type_, target, *rest = link
    ends = first[source], first[target]
    start, end = min(e.start for e in ends), max(e.end for e in ends)
    where = _where(document_id, chunks, text, start, end)
    fields: dict[str, Any] = {"confidence": 0.5, "cue": f"en:{type_}", **(rest[0] if rest else {})}
    return Assertion(
        id=Assertion.make_id(ends[0].id, type_, ends[1].id, "hand"),
        extractor="hand",
        source_mention=ends[0].id,
        target_mention=ends[1].id,
        source=source,
        target=target,
        type=type_,
        is_causal=type_ == "causes",
        description=text[where["sentence_start"] : where["sentence_end"]],
        **where,
        **fields,
    )


def _event(actor: Mention, when: str) -> Event:
    span = {name: getattr(actor, name) for name in ("document_id", "chunk_id", "start", "end")}
    return Event(
        id=f"evt_{actor.id}{when}",
        extractor="hand",
        case=actor.document_id,
        activity="acts",
        text="acts",
        timestamp=when,
        actors=(actor.id,),
        sentence_start=actor.sentence_start,
        sentence_end=actor.sentence_end,
        **span,
    )


def resolved(*corpus: Made, **options: Any) -> Resolved:
    return resolve(survey((one.document, one.evidence) for one in corpus), Resolution(**options))


def entity_names(corpus: list[Made], **options: Any) -> dict[tuple[str, str, int], str]:
    """Return (document, surface, character) -> name and type of the entity it was taken for."""
    decided = resolved(*corpus, **options)
    found = {}
    for one in corpus:
        for mention in one.evidence.mentions:
            key = decided.entity_of(mention, one.document.id)
            found[one.document.id, mention.surface, mention.start] = f"{key.name}/{key.type}" if key else "-"
    return found


def derived(corpus: list[Made], **options: Any) -> tuple[Derived, list[Linked]]:
    min_confidence = options.pop("min_confidence", 0.0)
    derivation = Derivation(resolved(*corpus, **options), min_confidence)
    linked = [derivation.link(*one) for one in corpus]
    return derivation.finish(), linked
