"""Let a language model write: sentences with the numbers of the pieces that say so, each made a citation."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from corpusgraph.schemas.answer import Citation
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import Accept, LanguageModel
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.answer.context import Piece
from corpusgraph.tasks.answer.support import Verdict, supporting
from corpusgraph.tasks.llm.prompting import Said, ask_all

SOURCES = (
    "The passages are numbered. Each sentence names in `sources` the numbers of the passages that say so, "
    "and holds no numbers of passages itself. What no passage says is no part of the answer."
)
_DIGITS = re.compile(r"\d{1,9}")
_MARKS = re.compile(r"\s*(?:\[\d+(?:\s*[,;–-]\s*\d+)*\]|\(importance \d+\))")
"""What passages and points are marked with, and models copy."""
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

    sentences: tuple[WrittenSentence, ...]
    supported: bool = Field(default=True, description="whether the passages answer the question")


@dataclass(frozen=True)
class LeftOut:
    """Sentences that are no part of an answer, or that nothing was found against."""

    uncited: tuple[str, ...] = ()
    """They named no source there is, and were left out."""
    unsupported: tuple[str, ...] = ()
    """They share no word with what they named, or hold a number or a name that it does not; left out."""
    unchecked: tuple[str, ...] = ()
    """They are in another language than what they named, and stay."""

    def warnings(self) -> tuple[ToolWarning, ...]:
        """Say what was left out and what could not be checked."""
        told = (
            ("uncited", "named no passage that it was shown; they are left out"),
            ("unsupported", "say what the passages they name do not: no word, or a number or name; left out"),
            ("unchecked", "are in another language than the passages they name, and were not checked"),
        )
        return tuple(
            ToolWarning(
                code=f"{what}_sentences",
                message=f"{len(records)} sentences of the model {why}.",
                records=records,
            )
            for what, why in told
            if (records := tuple(dict.fromkeys(getattr(self, what))))
        )


@dataclass(frozen=True)
class Composed:
    """A text with [n] after each sentence, and the citations that n counts."""

    text: str = ""
    citations: tuple[Citation, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut)

    def warnings(self) -> tuple[ToolWarning, ...]:
        """Say what was left out."""
        return self.left_out.warnings()


def by_number(pieces: Sequence[Piece]) -> dict[int, list[Piece]]:
    """Return each piece under its own number."""
    return {piece.number: [piece] for piece in pieces}


def write(
    llm: LanguageModel, prompt: Prompt, sources: Sources | None = None, query: str = ""
) -> WrittenText | str:
    """Return what the model wrote, or why it did not; with sources, it has to cite some that say so."""
    reply = ask_all(llm, [prompt], WrittenText, None if sources is None else citing(sources, query))[0]
    return reply.value if reply.value is not None else reply.error or "no reply"


def citing(sources: Sources, query: str = "") -> Accept[WrittenText]:
    """Accept a text that says it is not supported, or of which a sentence is."""

    def wrong(_place: int, said: WrittenText) -> str | None:
        made = composed(said.sentences, sources, query)
        if made.citations or not said.supported:
            return None
        if made.left_out.unsupported:
            return (
                "No sentence shares a word with the passages that it names, and holds only numbers and names "
                "that stand there: write only what they say."
            )
        numbers = f"from {min(sources)} to {max(sources)}" if sources else "of a passage"
        return f"No sentence names in `sources` a number {numbers}; if none answers, `supported` is false."

    return wrong


def composed(sentences: Sequence[WrittenSentence], sources: Sources, query: str = "") -> Composed:
    """Put sentences together, citations numbered by first use.

    A sentence is left out where it cites nothing, shares no word with what it cites, holds a number or a name
    that neither that nor the question holds, or was said before.
    """
    citations: dict[tuple[str, str, int, int], Citation] = {}
    lines: dict[str, str] = {}
    lost: dict[str, list[str]] = {"uncited": [], "unsupported": [], "unchecked": []}
    for sentence in sentences:
        text = " ".join(_MARKS.sub("", sentence.text).split())
        if not _WORD.search(text) or text in lines:
            continue
        found, verdict = cite(text, sentence.sources, sources, query)
        if verdict != "supported":
            lost[verdict].append(text)
        if not found:
            continue
        keys = [(c.document_id, c.chunk_id, c.start, c.end) for c in found]
        for key, citation in zip(keys, found, strict=True):
            citations.setdefault(key, citation)
        order = list(citations)
        numbers = sorted({order.index(key) + 1 for key in keys})
        lines[text] = f"{text} {''.join(f'[{n}]' for n in numbers)}"
    left_out = LeftOut(**{what: tuple(texts) for what, texts in lost.items()})
    return Composed(" ".join(lines.values()), tuple(citations.values()), left_out)


def cite(
    text: str, numbers: Sequence[int], sources: Sources, query: str = ""
) -> tuple[list[Citation], Verdict | Literal["uncited"]]:
    """Return a citation for each piece that a number stands for, that has a source and speaks of the text."""
    named = [piece for number in dict.fromkeys(numbers) for piece in sources.get(number, ())]
    pieces, verdict = supporting(text, [piece for piece in named if piece.sources], query)
    found = [citation for piece in pieces if (citation := piece.cite(text)) is not None]
    if not found and verdict != "unsupported":
        return [], "uncited"
    return found, verdict
