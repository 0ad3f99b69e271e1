"""From a model's replies to the evidence of a document: what its text does not say is left out."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.evidence import Evidence, Finding
from corpusgraph.schemas.study import Ontology
from corpusgraph.tasks.index.llm.entities import Reading
from corpusgraph.tasks.index.llm.findings import Part
from corpusgraph.tasks.index.llm.happenings import Claims, Events
from corpusgraph.tasks.index.llm.relations import Relations
from corpusgraph.tasks.index.llm.said import SaidEvidence
from corpusgraph.tasks.index.rules.tagger import TOKEN

F = TypeVar("F", bound=Finding)


class Heard(NamedTuple):
    """What a model said of one chunk, round by round."""

    part: Part
    said: Sequence[SaidEvidence]


def evidence_of(
    document: Document, chunks: Sequence[Chunk], heard: Iterable[Heard], ontology: Ontology
) -> tuple[Evidence, tuple[Failure, ...]]:
    """Return the evidence of a document, and what was left out of it by chunk and reason.

    `heard` is in the order of the chunks; the result depends on nothing else.
    """
    reading = Reading(document, chunks, ontology)
    replies = [(one.part, said) for one in heard for said in one.said]
    for part, said in replies:
        reading.entities(part, said)
    relations, events, claims = Relations(reading), Events(reading), Claims(reading)
    for part, said in replies:
        for relationship in said.relationships:
            relations.add(part, relationship)
        for event in said.events:
            events.add(part, event)
        claims.add(part, said.claims)
    made = Evidence(
        document_id=document.id,
        mentions=_ordered(reading.findings.mentions.values()),
        assertions=_ordered(relations.assertions.values()),
        claims=_ordered(claims.with_entities()),
        arguments=_ordered(claims.arguments.values()),
        events=_ordered(events.events.values()),
        lower_words=lower_words(document.text),
    )
    return made, reading.ledger.lines()


def lower_words(text: str) -> dict[str, int]:
    """Count the words in lower case, as rules do: the survey tells names from common words by them."""
    counts: Counter[str] = Counter()
    for piece, n in Counter(text.split()).items():
        for word in (piece,) if piece.isalpha() and piece != "cannot" else TOKEN.findall(piece):
            counts[word] += n
    return {
        word: counts[word] for word in sorted(counts) if len(word) > 1 and word.islower() and word.isalpha()
    }


def _ordered(findings: Iterable[F]) -> tuple[F, ...]:
    return tuple(sorted(findings, key=lambda finding: (finding.start, finding.end, finding.id)))
