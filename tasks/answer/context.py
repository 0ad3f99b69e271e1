"""Fit what was retrieved into token budgets, and tell what was cut."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Literal

from pydantic import AliasChoices, Field

from corpusgraph.schemas.answer import Citation, Context, ContextPiece, PieceKind
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.answer.sentences import Sentence
from corpusgraph.tasks.text.tokens import count_tokens
from corpusgraph.tasks.text.words import stems

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


KINDS: tuple[PieceKind, ...] = ("community", "entity", "relationship", "path", "chunk")
"""The order of the pieces in a context."""
GRAPH: tuple[PieceKind, ...] = ("entity", "relationship", "path")
SHARES: Mapping[PieceKind, float] = {
    "community": 0.15,
    "entity": 0.175,
    "relationship": 0.35,
    "path": 0.35,
    "chunk": 1.0,
}
"""What a kind may take of the whole, where it has no budget and others follow; what it leaves, they get.
Reports 0.15, the graph 0.35 and half of that entities, texts the rest: as Microsoft's local search does."""

SEED = 86
"""Of the one way in which pieces are mixed; Microsoft's global search has the same number."""

Tokens = float | int
"""Tokens, or up to 1 the share of `max_context_tokens`."""


def _tokens(*names: str) -> Tokens | None:
    made: Tokens | None = Field(
        default=None,
        gt=0,
        le=1e12,
        validation_alias=AliasChoices(*names),
        description="tokens; 1 and less: the share of max_context_tokens",
    )
    return made


class Budget(Noun):
    """What each kind of piece may take; one without a budget shares what is left."""

    chunks: Tokens | None = _tokens("chunks", "text")
    entities: Tokens | None = _tokens("entities")
    relationships: Tokens | None = _tokens("relationships", "relations")
    communities: Tokens | None = _tokens("communities", "community", "reports")
    paths: Tokens | None = _tokens("paths")
    graph: Tokens | None = _tokens("graph")

    def of(self, kind: PieceKind, whole: int) -> int | None:
        """Return the tokens of a kind, or None where it has no budget."""
        plural = "communities" if kind == "community" else "entities" if kind == "entity" else f"{kind}s"
        return in_tokens(getattr(self, plural), whole)


def in_tokens(budget: Tokens | None, whole: int) -> int | None:
    """Return a budget in tokens."""
    if budget is None:
        return None
    return int(budget * whole) if budget <= 1 else int(budget)


@dataclass(frozen=True)
class Fitted:
    """The pieces that fitted, in order, and the drafts that did not, whole or in part."""

    pieces: tuple[Piece, ...]
    cut: tuple[Draft, ...]
    render: Render

    @property
    def text(self) -> str:
        """All pieces, as they are read."""
        return text_of(self.pieces, self.render)

    def noun(self) -> Context:
        """Return the context for the outside."""
        return Context(
            pieces=tuple(piece.noun() for piece in self.pieces),
            text=self.text,
            n_tokens=count_tokens(self.text),
            cut=tuple(draft.id for draft in self.cut),
        )

    def warnings(self, budget: str) -> tuple[ToolWarning, ...]:
        """Say what was cut."""
        if not self.cut:
            return ()
        ids = tuple(draft.id for draft in self.cut)
        message = f"{len(ids)} pieces did not fit whole into {budget}; their rest was not read."
        return (ToolWarning(code="context_cut", message=message, records=ids),)


def text_of(pieces: Sequence[Piece], render: Render) -> str:
    """Return pieces one below the other; as CSV, with a header before each kind."""
    lines: list[str] = []
    kind = None
    for piece in pieces:
        if render == "csv" and piece.draft.kind != kind:
            kind = piece.draft.kind
            lines.append(HEADERS[kind])
        lines.append(piece.line)
    return "\n".join(lines)


def build_context(
    drafts: Sequence[Draft], *, max_tokens: int | None, budget: Budget, render: Render, whole: int
) -> Fitted:
    """Keep the best pieces of each kind until its budget is spent; none is ever exceeded.

    With `max_tokens` None only the kinds' own budgets hold. Shares are of `whole`. The first piece that does
    not fit is cut after a sentence, where it can be, and the rest of its kind is left out.
    """
    present = [kind for kind in KINDS if any(draft.kind == kind for draft in drafts)]
    left, graph_left = max_tokens, in_tokens(budget.graph, whole)
    pieces: list[Piece] = []
    cut: list[Draft] = []
    for place, kind in enumerate(present):
        own = budget.of(kind, whole)
        if own is None and max_tokens is not None and place + 1 < len(present):
            own = int(SHARES[kind] * max_tokens)
        limits = [own, left, graph_left if kind in GRAPH else None]
        allowed = min((limit for limit in limits if limit is not None), default=None)
        of_kind = [draft for draft in drafts if draft.kind == kind]
        kept, lost, spent = _fill(of_kind, allowed, render, len(pieces) + 1)
        pieces, cut = pieces + kept, cut + lost
        left = None if left is None else left - spent
        graph_left = graph_left - spent if graph_left is not None and kind in GRAPH else graph_left
    return Fitted(tuple(pieces), tuple(cut), render)


def _fill(
    drafts: Sequence[Draft], allowed: int | None, render: Render, number: int
) -> tuple[list[Piece], list[Draft], int]:
    """Return the pieces of one kind that fit, what was cut, and the tokens spent."""
    header = count_tokens(HEADERS[drafts[0].kind]) if render == "csv" else 0
    kept: list[Piece] = []
    spent = header
    for place, draft in enumerate(drafts):
        room = 10**9 if allowed is None else allowed - spent
        piece = fitted(draft, number + len(kept), render, room)
        if piece is not None:
            kept.append(replace(piece, draft=piece.draft.grounded()))
            spent += piece.n_tokens
        if piece is None or not piece.whole:
            return kept, list(drafts[place:]), spent if kept else 0
    return kept, [], spent


def in_groups(
    fit: Fitted, group_tokens: int, *, shuffle: bool = False
) -> tuple[list[Fitted], tuple[Draft, ...]]:
    """Divide pieces, in order or mixed, into groups of at most so many tokens; what is too long is cut."""
    pieces = list(fit.pieces)
    if shuffle:
        Random(SEED).shuffle(pieces)  # noqa: S311 - no secret
    groups: list[list[Piece]] = []
    spent, cut = 0, []
    for piece in pieces:
        header = count_tokens(HEADERS[piece.draft.kind]) if fit.render == "csv" else 0
        alone = fitted(piece.draft, piece.number, fit.render, group_tokens - header)
        if alone is None or not alone.whole:
            cut.append(piece.draft)
        if alone is None:
            continue
        if not groups or spent + header + alone.n_tokens > group_tokens:
            groups, spent = [*groups, []], 0
        groups[-1].append(replace(alone, whole=alone.whole and piece.whole))
        spent += header + alone.n_tokens  # headers are counted for each row: never too few
    return [Fitted(tuple(group), (), fit.render) for group in groups], tuple(cut)
