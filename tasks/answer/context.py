"""Fit what was retrieved into token budgets, and tell what was cut."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from pydantic import AliasChoices, Field

from corpusgraph.schemas.answer import Context, PieceKind
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.answer.pieces import HEADERS, Draft, Piece, Render, fitted
from corpusgraph.tasks.index.tokens import count_tokens

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
