"""Extraction by a language model: every chunk is asked about, in one call and rounds of gleaning.

A reply that was cut off at the token limit lacks findings: its chunk is asked about again in two halves.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.evidence import Evidence
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.ports import Accept, LanguageModel
from corpusgraph.schemas.promptset import PromptSet
from corpusgraph.schemas.study import LanguageOptions
from corpusgraph.tasks.index.llm.evidence import Heard, evidence_of
from corpusgraph.tasks.index.llm.findings import STAGE, Part
from corpusgraph.tasks.index.llm.prompts import first_prompt, found_lines, glean_prompt, system
from corpusgraph.tasks.index.llm.said import SaidEvidence, is_wordless, items_of
from corpusgraph.tasks.index.sentences import sentence_spans
from corpusgraph.tasks.query.prompting import ask_all

VERSION = "2"
"""Raise it with every change of how replies are read."""
SHORTEST = 200
"""Characters of a text below which it is not divided: what a model says of so little, it says without end."""
MOST_WRONG = 0.5
"""Share of a reply's items that may lack words, or a quote from the passage; with more, it is worthless."""
_GAP = re.compile(r"(?<=\S)\s+(?=\S)")
SHOWN = 3
SHOWN_CHARACTERS = 80
"""Wrong quotes told to the model, and how much of each."""


class ModelFindings(NamedTuple):
    """What a model found in one document.

    `failures` are chunks of which a call failed: the evidence is without them. `dropped` counts findings
    that were left out, and such as were kept though the ontology does not have them; and it names the chunks
    that were asked about in parts.
    """

    evidence: Evidence
    failures: tuple[Failure, ...]
    dropped: tuple[Failure, ...]


@dataclass
class _Work:
    """A chunk that is being asked about, or a part of one."""

    place: int
    document: Document
    part: Part
    is_half: bool = False
    before: tuple[SaidEvidence, ...] = ()
    """What was said of it while it was asked about together with its other half."""
    said: list[SaidEvidence] = field(default_factory=list)
    failure: Failure | None = None
    halves: tuple["_Work", ...] = ()

    @property
    def heard(self) -> list[SaidEvidence]:
        """All replies so far."""
        return [*self.before, *self.said]

    def hear(self, reply: Reply[SaidEvidence]) -> bool:
        """Take a reply, and tell whether it says anything that those before it did not."""
        if reply.value is None:
            said = " ".join((reply.error or "no reply").split())
            self.failure = self._line(reply.code or "no_reply", f"{self._where}{said}", retry=True)
            return False
        known = {name.casefold() for name in found_lines(self.heard, names_apart=True)}
        told = _found_in(self.part, reply.value)
        self.said.append(reply.value)
        return any(name.casefold() not in known for name in found_lines([told], names_apart=True))

    def divide(self) -> tuple["_Work", ...]:
        """Return the halves to ask about instead, none where the text is too short to be divided."""
        self.halves = tuple(
            _Work(self.place, self.document, part, True, tuple(_found_in(part, said) for said in self.heard))
            for part in map(Part, halves_of(self.part.chunk))
        )
        return self.halves

    def parts(self) -> Iterator["_Work"]:
        """Yield this and what it was divided into, in the order of the text."""
        yield self
        for half in self.halves:
            yield from half.parts()

    def note(self) -> Failure:
        """Return the line of the ledger that says where it was divided."""
        at = self.halves[1].part.chunk.start
        message = (
            f"{self._where}the reply was cut off at the token limit: asked in two parts, divided at {at}"
        )
        return self._line(code="asked_in_parts", message=message)

    @property
    def _where(self) -> str:
        """Name the characters of a part of a chunk; empty for a whole one."""
        chunk = self.part.chunk
        return f"characters {chunk.start} to {chunk.end}: " if self.is_half else ""

    def _line(self, code: str, message: str, *, retry: bool = False) -> Failure:
        item = self.part.chunk.id
        return Failure(
            source=self.document.source, stage=STAGE, code=code, message=message, item=item, retry=retry
        )


class ModelExtractor:
    """Finds evidence by a language model; every item of it is quoted from its passage."""

    def __init__(self, llm: LanguageModel, options: LanguageOptions, prompts: PromptSet) -> None:
        self._llm = llm
        self._options = options
        self._prompts = prompts
        self._system = system(options, prompts)

    @property
    def fingerprint(self) -> str:
        """Identify the model, what it is told and how its replies are read."""
        model = getattr(self._llm, "fingerprint", self._llm.name)
        ontology = self._options.ontology.model_dump_json()
        told = [VERSION, model, self._system, self._prompts.glean, str(self._options.gleanings), ontology]
        digest = hashlib.blake2b("\x1f".join(told).encode(), digest_size=8).hexdigest()
        return f"llm-{VERSION}-{digest}"

    def prompts(self, document: Document, chunks: Sequence[Chunk]) -> list[Prompt]:
        """Return the prompts of the first round, one for each chunk."""
        return [first_prompt(self._system, document, chunk) for chunk in chunks]

    def extract_all(self, given: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[ModelFindings]:
        """Return what each document says, in order; all chunks are asked about together.

        A chunk whose call failed is a failure of its document and nothing else.
        """
        works = [
            _Work(place, document, Part(chunk))
            for place, (document, chunks) in enumerate(given)
            for chunk in chunks
        ]
        waiting = self._round(works, self._first)
        for _ in range(self._options.gleanings):
            waiting = self._round(waiting, self._glean)
        asked = {place: list(group) for place, group in groupby(works, key=lambda work: work.place)}
        return [
            self._findings(document, chunks, [part for work in asked.get(place, []) for part in work.parts()])
            for place, (document, chunks) in enumerate(given)
        ]

    def _round(self, works: Sequence[_Work], prompt: Callable[[_Work], Prompt]) -> list[_Work]:
        """Ask about chunks and return those that had something new to say: more may be found there."""
        news: list[_Work] = []
        while works:
            parts = [work.part for work in works]
            replies = ask_all(self._llm, [prompt(work) for work in works], SaidEvidence, acceptor(parts))
            halves: list[_Work] = []
            for work, reply in zip(works, replies, strict=True):
                if reply.code == "truncated_reply" and work.divide():
                    halves += work.halves
                elif work.hear(reply):
                    news.append(work)
            works = halves
        return news

    def _first(self, work: _Work) -> Prompt:
        return first_prompt(self._system, work.document, work.part.chunk)

    def _glean(self, work: _Work) -> Prompt:
        return glean_prompt(self._system, self._prompts, work.document, work.part.chunk, work.heard)

    def _findings(self, document: Document, chunks: Sequence[Chunk], works: Sequence[_Work]) -> ModelFindings:
        heard = [Heard(work.part, work.said) for work in works]
        evidence, dropped = evidence_of(document, chunks, heard, self._options.ontology)
        failures = tuple(work.failure for work in works if work.failure)
        return ModelFindings(evidence, failures, (*(work.note() for work in works if work.halves), *dropped))


def acceptor(parts: Sequence[Part]) -> Accept[SaidEvidence]:
    """Return what refuses a reply most of which is empty or not quoted from the passage it is about."""

    def accept(place: int, said: SaidEvidence) -> str | None:
        items = items_of(said)
        wrong = [item.quote for item in items if parts[place].find(item.quote) is None]
        wordless = sum(map(is_wordless, items))
        if max(len(wrong), wordless) <= MOST_WRONG * len(items):
            return None
        if len(wrong) < wordless:
            return f"{wordless} of {len(items)} items have no name or text; leave them out."
        shown = "; ".join(repr(quote[:SHOWN_CHARACTERS]) for quote in dict.fromkeys(wrong[:SHOWN]))
        return f"These quotes are not in the passage: {shown}; quote it word for word."

    return accept


def _found_in(part: Part, said: SaidEvidence) -> SaidEvidence:
    """Return the items of a reply whose quotes are in the passage."""
    kept: dict[str, Iterable[object]] = {
        name: tuple(item for item in getattr(said, name) if part.find(item.quote))
        for name in SaidEvidence.model_fields
    }
    return said.model_copy(update=kept)


def halves_of(chunk: Chunk) -> tuple[Chunk, ...]:
    """Return the two halves of a chunk's text, divided where the sentence nearest the middle begins.

    In one sentence (a list, a table) it is divided at a space; none are returned where there is none, or the
    text is too short. The halves keep the chunk's id: they are parts of it, with offsets of the document.
    """
    text = chunk.content
    if len(text.strip()) < SHORTEST:
        return ()
    borders = [start for start, _ in sentence_spans(text)[1:]] or [gap.end() for gap in _GAP.finditer(text)]
    if not borders:
        return ()
    border = min(borders, key=lambda at: abs(2 * at - len(text)))
    spans = ((0, border), (border, len(text)))
    return tuple(_part(chunk, start, end) for start, end in spans)


def _part(chunk: Chunk, start: int, end: int) -> Chunk:
    place = {"start": chunk.start + start, "end": chunk.start + end}
    return chunk.model_copy(update={"content": chunk.content[start:end], **place})
