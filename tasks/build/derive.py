"""From evidence to the graph: link each document's findings to entities, then sum up."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Assertion, Evidence, Finding, Mention
from corpusgraph.tasks.build.aggregate import DESCRIPTION_TOKENS, Derived, Found, Totals
from corpusgraph.tasks.build.resolve import EntityKey, Resolved
from corpusgraph.tasks.build.survey import split_title
from corpusgraph.tasks.extract.rules.lexicon import LEXICON
from corpusgraph.tasks.extract.rules.verbs import VERBS
from corpusgraph.tasks.text.layout import Layout

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+|[^\w\s]")
SHORT = 4
"""A name shorter than this many characters must match in case too: "WHO" is not "who"."""


class Gazetteer:
    """A set of names, each with a payload such as an entity id, ready to be looked for in text.

    Names match whole words; upper and lower case are told apart only for short names and for single words
    that are common English words as well ("Reading", "May"). Of names equal but for case, the one written
    alike wins, then the first in alphabetical order.

    Parameters
    ----------
    names : mapping of str to str
        Name -> payload.

    """

    def __init__(self, names: Mapping[str, str]) -> None:
        # tokens in lower case -> (name, payload, whether case counts); first token -> lengths of names
        self._names: dict[tuple[str, ...], list[tuple[str, str, bool]]] = defaultdict(list)
        self._lengths: dict[str, set[int]] = defaultdict(set)
        for name in sorted(names):
            tokens = _TOKEN.findall(written := nfc(name))
            if tokens:
                folded = tuple(token.casefold() for token in tokens)
                common = len(tokens) == 1 and (written.lower() in LEXICON or written.lower() in VERBS)
                exact = len(written) < SHORT or common
                self._names[folded].append((" ".join(tokens), names[name], exact))
                self._lengths[folded[0]].add(len(tokens))

    def find(self, text: str) -> list[tuple[int, int, str]]:
        """Return (start, end, payload) of the names in a text, in order, none overlapping another.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        list of (int, int, str)
            Offsets in characters; the longest name counts.

        """
        tokens = _TOKEN.findall(text)
        folded = [token.casefold() for token in tokens]
        spans: list[tuple[int, int, str]] = []
        free = end = 0
        for at in [at for at, token in enumerate(folded) if token in self._lengths]:
            last, payload = self._longest(tokens, folded, at) if at >= free else (at, None)
            if payload is not None:
                # between two tokens there is nothing but white space
                for token in tokens[free : at + 1]:
                    start = text.index(token, end)
                    end = start + len(token)
                for token in tokens[at + 1 : last]:
                    end = text.index(token, end) + len(token)
                spans.append((start, end, payload))
                free = last
        return spans

    def _longest(self, tokens: list[str], folded: list[str], at: int) -> tuple[int, str | None]:
        """Return where the longest name ends that begins at a token, and its payload, if there is one."""
        for length in sorted(self._lengths[folded[at]], reverse=True):
            last = at + length
            named = self._names.get(tuple(folded[at:last]), ()) if last <= len(folded) else ()
            written = " ".join(tokens[at:last]) if named else ""
            alike = [payload for name, payload, _ in named if name == written]
            if chosen := alike or [payload for _, payload, exact in named if not exact]:
                return last, chosen[0]
        return at, None


CONFIDENCE = 0.8
"""Of a mention found by its name alone: another entity may bear it."""


def _free(
    hits: Sequence[tuple[int, int, str]], covered: list[tuple[int, int]]
) -> Iterator[tuple[int, int, str]]:
    """Yield the hits that overlap no covered span; both are in order of their start."""
    at = reach = 0
    for start, end, name in hits:
        while at < len(covered) and covered[at][0] < end:
            reach = max(reach, covered[at][1])
            at += 1
        if reach <= start:
            yield start, end, name


def _row(layout: Layout, span: tuple[int, int], name: str, entity: EntityKey, extractor: str) -> JsonDict:
    document, (start, end) = layout.document, span
    sentence = layout.sentence_of(start, end) if end > start else span
    return {
        **layout.where(span, sentence, extractor),
        "id": Mention.make_id(document.id, start, end, entity.type, extractor),
        "confidence": CONFIDENCE,
        "cue": "known name" if end > start else "document title",
        "surface": document.text[start:end],
        "name": name,
        "type": entity.type,
        "description": None,
        "attributes": {},
        "entity_id": entity.id,
    }


__all__ = ["Derivation", "Derived", "Linked"]

F = TypeVar("F", bound=Finding)


@dataclass(frozen=True)
class Linked:
    """The rows that one document adds to each table of the index.

    Rows have the fields of their noun; mentions also `entity_id`, assertions `source_id`, `target_id` and
    `relationship_id`, each None where unresolved (see `settled`); incidence has `entity_id, chunk_id, count,
    first_start`.

    Attributes
    ----------
    mentions : list of JsonDict
        Names in the text.
    assertions : list of JsonDict
        Relations in the text.
    claims : list of JsonDict
        Claims in the text.
    arguments : list of JsonDict
        Attacks and supports between claims.
    events : list of JsonDict
        Dated events in the text.
    incidence : list of JsonDict
        Mentions of an entity in a chunk.

    """

    mentions: list[JsonDict]
    assertions: list[JsonDict]
    claims: list[JsonDict]
    arguments: list[JsonDict]
    events: list[JsonDict]
    incidence: list[JsonDict]


class Derivation:
    """Links documents one by one, in any order; the result depends on which, not on when.

    Findings less sure than `min_confidence` are left out everywhere. What a model said of an item is its
    description up to `description_tokens`.

    Parameters
    ----------
    resolved : Resolved
        Which names are one entity.
    min_confidence : float, optional
        From 0 to 1; none is left out unless given.
    description_tokens : int, optional
        Of a description.

    """

    def __init__(
        self,
        resolved: Resolved,
        min_confidence: float | None = None,
        *,
        description_tokens: int = DESCRIPTION_TOKENS,
    ) -> None:
        self._resolved = resolved
        self._min_confidence = min_confidence or 0.0
        self._gazetteer = Gazetteer({name: name for name in resolved.names()})
        self._totals = Totals(description_tokens)

    def link(self, document: Document, chunks: Sequence[Chunk], evidence: Evidence) -> Linked:
        """Resolve what a document says and count it. Each document is linked once.

        Parameters
        ----------
        document : Document
            The document.
        chunks : sequence of Chunk
            All of its chunks.
        evidence : Evidence
            What was extracted from it.

        Returns
        -------
        Linked
            Rows for the tables, with the ids of what they are of.

        """
        layout = Layout(document, chunks)
        found = self._mentions(layout, self._sure(evidence.mentions))
        of_mention = {row["id"]: entity for row, entity in found if entity}
        events = self._sure(evidence.events)
        self._totals.count_mentions(layout, found)
        self._totals.count_dates(events, of_mention)
        return Linked(
            mentions=[row for row, _ in found],
            assertions=self._assertions(layout, self._sure(evidence.assertions), of_mention),
            claims=[dict(claim.__dict__) for claim in self._sure(evidence.claims)],
            arguments=[dict(argument.__dict__) for argument in self._sure(evidence.arguments)],
            events=[dict(event.__dict__) for event in events],
            incidence=incidence_rows(layout, found),
        )

    def finish(self) -> Derived:
        """Return the graph of all documents linked so far.

        Returns
        -------
        Derived
            Everything in id order.

        """
        return self._totals.derived()

    def _sure(self, findings: Sequence[F]) -> list[F]:
        return [finding for finding in findings if finding.confidence >= self._min_confidence]

    def _mentions(self, layout: Layout, mentions: list[Mention]) -> list[Found]:
        """Return a row for each mention, in text order: the extractor's and those it missed."""
        found: list[Found] = []
        for mention in mentions:
            entity = self._resolved.entity_of(mention, layout.document.id)
            found.append(({**mention.__dict__, "entity_id": entity.id if entity else None}, entity))
        if self._min_confidence <= CONFIDENCE:
            found += self._spotted(layout, mentions, {entity.id for _, entity in found if entity})
            found += self._titled(layout, {entity.id for _, entity in found if entity})
        return sorted(found, key=lambda pair: (pair[0]["start"], pair[0]["end"], pair[0]["id"]))

    def _spotted(self, layout: Layout, mentions: Sequence[Mention], present: set[str]) -> Iterator[Found]:
        """Yield mentions of known names at spans that no name found by the extractor touches.

        `present` holds the ids of entities that the document mentions for certain: of two entities of one
        name, one of these is meant. A noun phrase may hold a name; what is nowhere in the text has all of it
        for its span.
        """
        document = layout.document
        free = (m.attributes.get("noun_phrase") or not m.attributes.get("located", True) for m in mentions)
        covered = sorted((m.start, m.end) for m, is_free in zip(mentions, free, strict=True) if not is_free)
        phrases = {(m.start, m.end) for m in mentions}
        for start, end, name in _free(self._gazetteer.find(document.text), covered):
            entity = self._resolved.entity_named(name, document.id, start, present)
            if entity is not None and (start, end) not in phrases and layout.chunk_ids:
                yield _row(layout, (start, end), name, entity, "gazetteer"), entity

    def _titled(self, layout: Layout, present: set[str]) -> Iterator[Found]:
        """Yield a mention, of no length at the very start, of what the document is titled after."""
        name, _ = split_title(layout.document.title)
        entity = self._resolved.entity_named(name, layout.document.id, 0, present)
        if entity is not None and entity.id not in present and layout.chunk_ids:
            yield _row(layout, (0, 0), name, entity, "title"), entity

    def _assertions(
        self, layout: Layout, assertions: list[Assertion], of_mention: Mapping[str, EntityKey]
    ) -> list[JsonDict]:
        totals = self._totals.count_assertions(layout, assertions, of_mention)
        ids = {mention: entity.id for mention, entity in of_mention.items()}
        return [
            {
                **assertion.__dict__,
                "source_id": ids.get(assertion.source_mention),
                "target_id": ids.get(assertion.target_mention),
                "relationship_id": total.id if total else None,
            }
            for total, assertion in zip(totals, assertions, strict=True)
        ]


def settled(rows: Iterable[JsonDict], derived: Derived) -> list[JsonDict]:
    """Return rows of assertions as they are once all documents are linked.

    A relationship that texts only suppose or ask is none: the rows that do are of none.

    Parameters
    ----------
    rows : iterable of JsonDict
        Of the table of assertions.
    derived : Derived
        The graph.

    Returns
    -------
    list of JsonDict
        In the same order.

    """
    evident = {relationship.id for relationship in derived.relationships}
    return [row if row["relationship_id"] in evident else {**row, "relationship_id": None} for row in rows]


def incidence_rows(layout: Layout, found: Sequence[Found]) -> list[JsonDict]:
    """Count each entity in every chunk that holds its mentions: chunks overlap.

    Parameters
    ----------
    layout : Layout
        Of the document.
    found : sequence of (dict, EntityKey or None)
        Rows of the table of mentions, each with the entity it means, if any.

    Returns
    -------
    list of JsonDict
        Each with `entity_id`, `chunk_id`, `count` and `first_start`, in order of the two ids.

    """
    cells: dict[tuple[str, str], JsonDict] = {}
    for row, entity in found:
        for chunk_id in layout.chunks_of(row["start"], row["end"]) if entity else ():
            blank = {
                "entity_id": row["entity_id"],
                "chunk_id": chunk_id,
                "count": 0,
                "first_start": row["start"],
            }
            cells.setdefault((row["entity_id"], chunk_id), blank)["count"] += 1
    return [cells[at] for at in sorted(cells)]
