"""Extraction by a language model: every chunk is asked about, in one call and rounds of gleaning."""

import hashlib
from collections.abc import Iterable, Sequence
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
from corpusgraph.tasks.query.prompting import ask_all

VERSION = "1"
"""Raise it with every change of how replies are read."""
MOST_WRONG = 0.5
"""Share of a reply's items that may lack words, or a quote from the passage; with more, it is worthless."""
SHOWN = 3
SHOWN_CHARACTERS = 80
"""Wrong quotes told to the model, and how much of each."""


class ModelFindings(NamedTuple):
    """What a model found in one document.

    `failures` are chunks of which a call failed: the evidence is without them. `dropped` counts findings
    that were left out, and such as were kept though the ontology does not have them.
    """

    evidence: Evidence
    failures: tuple[Failure, ...]
    dropped: tuple[Failure, ...]


@dataclass
class _Work:
    """A chunk that is being asked about."""

    place: int
    document: Document
    part: Part
    said: list[SaidEvidence] = field(default_factory=list)
    failure: Failure | None = None

    def hear(self, reply: Reply[SaidEvidence]) -> bool:
        """Take a reply, and tell whether it says anything that those before it did not."""
        if reply.value is None:
            message = " ".join((reply.error or "no reply").split())
            self.failure = Failure(
                source=self.document.source,
                stage=STAGE,
                code=reply.code or "no_reply",
                message=message,
                item=self.part.chunk.id,
                retry=True,
            )
            return False
        known = {name.casefold() for name in found_lines(self.said, names_apart=True)}
        told = _found_in(self.part, reply.value)
        self.said.append(reply.value)
        return any(name.casefold() not in known for name in found_lines([told], names_apart=True))


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
        waiting = self._round(
            works, [prompt for document, chunks in given for prompt in self.prompts(document, chunks)]
        )
        for _ in range(self._options.gleanings):
            waiting = self._round(waiting, [self._glean(work) for work in waiting])
        heard = {place: list(group) for place, group in groupby(works, key=lambda work: work.place)}
        return [
            self._findings(document, chunks, heard.get(place, []))
            for place, (document, chunks) in enumerate(given)
        ]

    def _round(self, works: Sequence[_Work], prompts: Sequence[Prompt]) -> list[_Work]:
        """Ask about chunks and return those that had something new to say: more may be found there."""
        replies = ask_all(self._llm, prompts, SaidEvidence, acceptor([work.part for work in works]))
        return [work for work, reply in zip(works, replies, strict=True) if work.hear(reply)]

    def _glean(self, work: _Work) -> Prompt:
        return glean_prompt(self._system, self._prompts, work.document, work.part.chunk, work.said)

    def _findings(self, document: Document, chunks: Sequence[Chunk], works: Sequence[_Work]) -> ModelFindings:
        heard = [Heard(work.part, work.said) for work in works]
        evidence, dropped = evidence_of(document, chunks, heard, self._options.ontology)
        return ModelFindings(evidence, tuple(work.failure for work in works if work.failure), dropped)


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
