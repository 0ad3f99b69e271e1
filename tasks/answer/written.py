"""Let a language model write: sentences with the numbers of the pieces that say so, each made a citation."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from corpusgraph.schemas.answer import Citation
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.answer.pieces import Piece
from corpusgraph.tasks.query.prompting import Said, ask_all

SOURCES = (
    "The passages are numbered. Each sentence names in `sources` the numbers of the passages that say so, "
    "and holds no numbers of passages itself. What no passage says is no part of the answer."
)
_DIGITS = re.compile(r"\d{1,9}")
_MARKS = re.compile(r"\s*\[\d+(?:\s*[,;–-]\s*\d+)*\]")
_WORD = re.compile(r"\w")
Sources = Mapping[int, Sequence[Piece]]
"""Number in the prompt -> the pieces it stands for."""


def source_numbers(value: Any) -> Any:
    """Read numbers of passages as models write them: [1], ["[1]"], "1, 2"; what is none is left out."""
    if isinstance(value, str):
        return [int(digits) for digits in _DIGITS.findall(value)]
    if isinstance(value, list | tuple):
        return [number for one in value for number in source_numbers(one)]
    return [value] if isinstance(value, int) else []


SourceNumbers = Annotated[tuple[int, ...], BeforeValidator(source_numbers)]


class WrittenSentence(Said):
    """A sentence and the numbers of the passages that say so."""

    text: str
    sources: SourceNumbers = ()


class WrittenText(Said):
    """Sentences; `supported` is false where the passages do not answer."""

    sentences: tuple[WrittenSentence, ...] = ()
    supported: bool = Field(default=True, description="whether the passages answer the question")


@dataclass(frozen=True)
class Composed:
    """A text with [n] after each sentence, and the citations that n counts."""

    text: str = ""
    citations: tuple[Citation, ...] = ()
    uncited: tuple[str, ...] = ()
    """Sentences that named no source there is, and were left out."""

    def warnings(self) -> tuple[ToolWarning, ...]:
        """Say what was left out."""
        return uncited_warning(self.uncited)


def uncited_warning(sentences: Sequence[str]) -> tuple[ToolWarning, ...]:
    """Say which sentences were left out because they named no source."""
    if not sentences:
        return ()
    message = (
        f"{len(sentences)} sentences of the model named no passage that it was shown; they are left out."
    )
    return (ToolWarning(code="uncited_sentences", message=message, records=tuple(sentences)),)


def by_number(pieces: Sequence[Piece]) -> dict[int, list[Piece]]:
    """Return each piece under its own number."""
    return {piece.number: [piece] for piece in pieces}


def write(llm: LanguageModel, prompt: Prompt) -> WrittenText | str:
    """Return what the model wrote, or why it did not."""
    reply = ask_all(llm, [prompt], WrittenText)[0]
    return reply.value if reply.value is not None else reply.error or "no reply"


def composed(sentences: Sequence[WrittenSentence], sources: Sources) -> Composed:
    """Put sentences together, citations numbered by first use; without one, or said twice, it is left out."""
    citations: dict[tuple[str, str, int, int], Citation] = {}
    lines: dict[str, str] = {}
    uncited = []
    for sentence in sentences:
        text = " ".join(_MARKS.sub("", sentence.text).split())
        if not _WORD.search(text) or text in lines:
            continue
        found = cite(text, sentence.sources, sources)
        if not found:
            uncited.append(text)
            continue
        keys = [(c.document_id, c.chunk_id, c.start, c.end) for c in found]
        for key, citation in zip(keys, found, strict=True):
            citations.setdefault(key, citation)
        order = list(citations)
        numbers = sorted({order.index(key) + 1 for key in keys})
        lines[text] = f"{text} {''.join(f'[{n}]' for n in numbers)}"
    return Composed(" ".join(lines.values()), tuple(citations.values()), tuple(dict.fromkeys(uncited)))


def cite(text: str, numbers: Sequence[int], sources: Sources) -> list[Citation]:
    """Return a citation for each number that stands for a piece with a source."""
    found = [piece.cite(text) for number in dict.fromkeys(numbers) for piece in sources.get(number, ())]
    return [citation for citation in found if citation is not None]
