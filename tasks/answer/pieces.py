"""Pieces of context: what each says, how it is written, and the sentences of documents it rests on."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from corpusgraph.schemas.answer import Citation, ContextPiece, PieceKind
from corpusgraph.tasks.answer.sentences import Sentence
from corpusgraph.tasks.graph.words import stems
from corpusgraph.tasks.index.tokens import count_tokens

Render = Literal["prose", "csv", "triples"]
HEADERS: dict[PieceKind, str] = {
    "community": "number,community,report",
    "entity": "number,entity,type,description",
    "relationship": "number,source,type,target,description",
    "path": "number,path",
    "chunk": "number,document,text",
}
"""First line of each kind's rows, rendered as CSV."""


@dataclass(frozen=True)
class Draft:
    """A piece before it is fitted: `text` may be cut after each of `cuts` (offsets in it)."""

    kind: PieceKind
    id: str
    names: tuple[str, ...]
    """What stands before the text: title; name and type; source, type and target; nothing for a path."""
    text: str
    sentences: tuple[Sentence, ...] = ()
    cuts: tuple[int, ...] = ()
    """Where each sentence ends in the text, for kinds whose text is made of their sentences; else empty."""
    passage: Sentence | None = None
    """The passage it comes from, cited where no sentence of it can be told."""
    rating: float = 0.0
    members: frozenset[str] = frozenset()
    look_up: Callable[[], "Draft"] | None = field(default=None, compare=False)
    """Finds its sentences, for kinds whose text does not need them: only what fits is looked up."""

    def grounded(self) -> "Draft":
        """Return the piece with its sentences."""
        return self.look_up() if self.look_up else self

    def upto(self, n: int) -> "Draft":
        """Return the piece with its first `n` sentences."""
        end = self.cuts[n - 1] if n else 0
        return replace(self, text=self.text[:end], sentences=self.sentences[:n], cuts=self.cuts[:n])


@dataclass(frozen=True)
class Piece:
    """A numbered piece as it stands in the context."""

    number: int
    draft: Draft
    line: str
    n_tokens: int
    whole: bool = True

    def cite(self, said: str) -> Citation | None:
        """Return the sentence of the piece that is most like what was said; None where it has no source.

        Where no sentence shares a word with it (another language), all that was read of a passage is cited.
        """
        sentences, passage = self.draft.sentences, self.draft.passage
        if not sentences:
            return passage.cite() if passage else None
        asked = frozenset(stems(said))
        likeness = [len(asked & sentence.stems) / (len(asked) or 1) for sentence in sentences]
        best = max(range(len(likeness)), key=lambda i: (likeness[i], -i))
        if likeness[best] == 0 and self.draft.kind == "chunk":
            return _span(sentences)
        return sentences[best].cite(likeness[best])

    @property
    def sources(self) -> tuple[Sentence, ...]:
        """The sentences it rests on, or the passage it comes from."""
        return self.draft.sentences or ((self.draft.passage,) if self.draft.passage else ())

    def noun(self) -> ContextPiece:
        """Return the piece for the outside."""
        return ContextPiece(
            number=self.number,
            kind=self.draft.kind,
            id=self.draft.id,
            text=self.line,
            n_tokens=self.n_tokens,
            whole=self.whole,
            sources=tuple(sentence.cite() for sentence in self.sources),
        )


def _span(sentences: Sequence[Sentence]) -> Citation:
    """Cite from the first sentence of a chunk to its last."""
    chunk, first, last = sentences[0].chunk, sentences[0], sentences[-1]
    text = chunk.content[first.start - chunk.start : last.end - chunk.start]
    return first.cite().model_copy(update={"text": text, "end": last.end})


def rendered(draft: Draft, number: int, render: Render) -> str:
    """Return a piece as text, after its number."""
    if render == "csv":
        made = io.StringIO()
        csv.writer(made, lineterminator="").writerow([number, *draft.names, _one_line(draft.text)])
        return made.getvalue()
    if render == "triples" and draft.kind == "relationship":
        return f"[{number}] ({', '.join(draft.names)})"
    if render == "triples" and draft.kind == "entity":
        return f"[{number}] {draft.names[0]}"
    return f"[{number}] {_prose(draft)}"


def _prose(draft: Draft) -> str:
    if draft.kind == "chunk":
        return f"{draft.names[0]}:\n{draft.text}"
    if draft.kind == "path":
        return draft.text
    name, *more = draft.names
    if draft.kind == "relationship":
        head = f"{name} {more[0].replace('_', ' ')} {more[1]}"
    else:
        head = f"{name} ({more[0]})" if more and more[0] else name
    return f"{head}: {_one_line(draft.text)}" if draft.text else head


def _one_line(text: str) -> str:
    return " ".join(text.split())


def fitted(draft: Draft, number: int, render: Render, max_tokens: int) -> Piece | None:
    """Return the piece, cut after a sentence where it must be, or None where nothing of it fits.

    Rendered as triples, a piece is its names and cannot be cut.
    """
    line = rendered(draft, number, render)
    n_tokens = count_tokens(line)
    if n_tokens <= max_tokens:
        return Piece(number, draft, line, n_tokens)
    fits = [Piece(number, draft.upto(0), "", 0, whole=False)]
    low, high = 1, len(draft.cuts)
    while low <= high:
        middle = (low + high) // 2
        part = draft.upto(middle)
        line = rendered(part, number, render)
        n_tokens = count_tokens(line)
        if n_tokens <= max_tokens:
            fits.append(Piece(number, part, line, n_tokens, whole=False))
            low = middle + 1
        else:
            high = middle - 1
    return fits[-1] if len(fits) > 1 else None
