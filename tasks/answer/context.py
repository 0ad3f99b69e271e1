"""What was retrieved, as pieces of context with their sentences, and what fits into budgets."""

import csv
import io
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from random import Random
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field

from corpusgraph.schemas.answer import Citation, Context, ContextPiece, PieceKind, SimilarItem
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import UnknownItemError
from corpusgraph.schemas.graph import (
    Community,
    CommunityReport,
    Entity,
    EntityRef,
    Graph,
    Path,
    Relationship,
    ReportFinding,
)
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import ToolWarning, warned
from corpusgraph.tasks.answer.sentences import Grounds, Provenance, Sentence, one_line, stems_of
from corpusgraph.tasks.graph.communities import report_of, reported
from corpusgraph.tasks.graph.inputs import reference
from corpusgraph.tasks.graph.verbal import relation_words, step
from corpusgraph.tasks.text.tokens import count_tokens

_HOLDERS = ("item", "entity", "relationship", "chunk", "report")
"""Fields that hold the noun in a scored item, a link, or an item of a similarity search."""


def held(value: Any) -> Any:
    """Return the noun inside a scored item, a link or a similar item; anything else as it is.

    Parameters
    ----------
    value : Any
        Anything, also a mapping of it.

    Returns
    -------
    Any
        The innermost one.

    """
    for name in _HOLDERS if isinstance(value, Mapping | BaseModel) else ():
        inner = _inside(value, name)
        if inner is not value and isinstance(inner, Mapping | BaseModel):
            return held(inner)
    return value


def _inside(value: Any, name: str) -> Any:
    """Return what a mapping or a model has under a name, or the value itself where it has nothing."""
    inner = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    return value if inner is None else inner


def _nouns(*kinds: tuple[type[BaseModel], str]) -> Callable[[Any], Any]:
    """Return a validator that keeps nouns, and mappings with the field that makes one, and takes ids else."""

    def kept(value: Any) -> Any:
        inner = held(value)
        whole = any(
            isinstance(inner, kind) or (isinstance(inner, Mapping) and inner.get(field) is not None)
            for kind, field in kinds
        )
        return inner if whole else reference(inner)

    def all_of(values: Any) -> Any:
        if isinstance(values, Mapping) and not any(field in values for _, field in kinds):
            return list(values)  # id: score, best first as tools write it
        return [kept(value) for value in values] if isinstance(values, list | tuple) else values

    return all_of


def _similar(values: Any) -> Any:
    return [_inside(v, "item") for v in values] if isinstance(values, list | tuple) else values


Chunks = Annotated[list[EntityRef | Chunk], BeforeValidator(_nouns((Chunk, "content")))]
Entities = Annotated[list[EntityRef | Entity], BeforeValidator(_nouns((Entity, "name")))]
Relationships = Annotated[
    list[EntityRef | Relationship],
    BeforeValidator(_nouns((Relationship, "source_id"))),
]
Communities = Annotated[
    list[EntityRef | Community | CommunityReport],
    BeforeValidator(_nouns((Community, "entity_ids"), (CommunityReport, "community_id"))),
]
Paths = Annotated[list[Path], BeforeValidator(_nouns((Path, "node_ids")))]
Subgraph = Annotated[Graph, BeforeValidator(lambda value: _inside(value, "graph"))]
Items = Annotated[list[SimilarItem], BeforeValidator(_similar)]
"""Results of a similarity search, of any kind."""


Render = Literal["prose", "csv", "triples"]


@dataclass(frozen=True)
class Draft:
    """A piece before it is fitted: `text` may be cut after each of `cuts` (offsets in it).

    Attributes
    ----------
    kind : PieceKind
        Which kind of piece it is.
    id : str
        Of the item.
    names : tuple of str
    text : str
        What follows the names.
    sentences : tuple of Sentence, optional
        Those it rests on, in order.
    cuts : tuple of int, optional
    passage : Sentence, optional
    rating : float, default 0.0
        Of a community.
    members : frozenset of str, optional
        Ids of the entities of a community.
    look_up : callable, optional

    """

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
    look_up: Callable[[], Grounds] | None = field(default=None, compare=False)
    """Finds its sentences, for kinds whose text does not need them: only what fits is looked up."""

    @property
    def telling(self) -> Sequence[Sentence]:
        """The sentences that may be an answer: outside passages, those that a mark ends."""
        return [s for s in self.sentences if self.kind == "chunk" or s.ends]

    def upto(self, n: int) -> "Draft":
        """Return the piece with its first `n` sentences.

        Parameters
        ----------
        n : int
            From 0.

        Returns
        -------
        Draft
            A copy; its text ends where the last of them does.

        """
        end = self.cuts[n - 1] if n else 0
        return replace(self, text=self.text[:end], sentences=self.sentences[:n], cuts=self.cuts[:n])


@dataclass(frozen=True)
class Piece:
    """A numbered piece as it stands in the context.

    Attributes
    ----------
    number : int
        By which it is cited.
    draft : Draft
        What it is made of.
    line : str
        Its text in the context.
    n_tokens : int
        Of the line.
    whole : bool, default True
        False where it is cut.

    """

    number: int
    draft: Draft
    line: str
    n_tokens: int
    whole: bool = True

    def cite(self, said: str) -> Citation | None:
        """Return the sentence of the piece that is most like what was said; None where it has no source.

        Where no sentence shares a word with it (another language), all that was read of a passage is cited.

        Parameters
        ----------
        said : str
            A text in its words or in others.

        Returns
        -------
        Citation or None
            Scored with the share of the text's stems that it has.

        """
        sentences, passage = self.draft.sentences, self.draft.passage
        if not sentences:
            return passage.cite() if passage else None
        asked = stems_of(said)
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
        """Return the piece as the model that tools return.

        Returns
        -------
        ContextPiece
            With its sources cited.

        """
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
    """Return a piece as text, after its number.

    Parameters
    ----------
    draft : Draft
        The piece.
    number : int
        By which it is cited.
    render : Render
        How pieces are written.

    Returns
    -------
    str
        On one line.

    """
    if render == "csv":
        made = io.StringIO()
        csv.writer(made, lineterminator="").writerow([number, *draft.names, one_line(draft.text)])
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
        head = f"{name} {relation_words(more[0])} {more[1]}"
    else:
        head = f"{name} ({more[0]})" if more and more[0] else name
    return f"{head}: {one_line(draft.text)}" if draft.text else head


def fitted(draft: Draft, number: int, render: Render, max_tokens: int) -> Piece | None:
    """Return the piece, cut after a sentence where it must be, or None where nothing of it fits.

    Rendered as triples, a piece is its names and cannot be cut.

    Parameters
    ----------
    draft : Draft
        The piece.
    number : int
        By which it is cited.
    render : Render
        How pieces are written.
    max_tokens : int
        Room.

    Returns
    -------
    Piece or None
        `whole` is false where it was cut.

    """

    def piece(part: Draft) -> Piece:
        line = rendered(part, number, render)
        return Piece(number, part, line, count_tokens(line), whole=part is draft)

    if (whole := piece(draft)).n_tokens <= max_tokens:
        return whole
    lengths = range(1, len(draft.cuts) + 1)
    n = bisect_right(lengths, max_tokens, key=lambda n: piece(draft.upto(n)).n_tokens)
    return piece(draft.upto(n)) if n else None


GRAPH: tuple[PieceKind, ...] = ("entity", "relationship", "path")


class Kind(NamedTuple):
    """A kind of pieces.

    Attributes
    ----------
    budget : str
        Field of `Budget`.
    share : float
        What it may take of the whole, where it has no budget and others follow; what it leaves, they get.
        Reports 0.15, the graph 0.35 and half of that entities, texts the rest: as Microsoft's local search.
    header : str
        First line of its rows, rendered as CSV.

    """

    budget: str
    share: float
    header: str


KINDS: Mapping[PieceKind, Kind] = {
    "community": Kind("communities", 0.15, "number,community,report"),
    "entity": Kind("entities", 0.175, "number,entity,type,description"),
    "relationship": Kind("relationships", 0.35, "number,source,type,target,description"),
    "path": Kind("paths", 0.35, "number,path"),
    "chunk": Kind("chunks", 1.0, "number,document,text"),
}
"""In the order of the pieces in a context."""

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


def in_tokens(budget: Tokens | None, whole: int) -> int | None:
    """Return a budget in tokens.

    Parameters
    ----------
    budget : Tokens or None
        Tokens, or up to 1 a share.
    whole : int
        Tokens that a share is of.

    Returns
    -------
    int or None
        None for None.

    """
    if budget is None:
        return None
    return int(budget * whole) if budget <= 1 else int(budget)


@dataclass(frozen=True)
class Fitted:
    """The pieces that fitted, in order, and the drafts that did not, whole or in part.

    Attributes
    ----------
    pieces : tuple of Piece
        In order of their numbers.
    cut : tuple of Draft
        Those that did not fit; one that fitted in part is among `pieces` too.
    render : Render
        How pieces are written.

    """

    pieces: tuple[Piece, ...]
    cut: tuple[Draft, ...]
    render: Render

    @property
    def text(self) -> str:
        """All pieces one below the other, as they are read; as CSV, with a header before each kind."""
        lines: list[str] = []
        for kind, pieces in groupby(self.pieces, key=lambda piece: piece.draft.kind):
            lines += [KINDS[kind].header] if self.render == "csv" else []
            lines += [piece.line for piece in pieces]
        return "\n".join(lines)

    def noun(self) -> Context:
        """Return the context as the model that tools return.

        Returns
        -------
        Context
            With the ids of what was left out.

        """
        return Context(
            pieces=tuple(piece.noun() for piece in self.pieces),
            text=self.text,
            n_tokens=count_tokens(self.text),
            cut=tuple(draft.id for draft in self.cut),
        )

    def warnings(self, budget: str) -> tuple[ToolWarning, ...]:
        """Return a warning of what did not fit, if anything.

        Parameters
        ----------
        budget : str
            What they did not fit into, in words.

        Returns
        -------
        tuple of ToolWarning
            `context_cut`, or nothing.

        """
        message = f"{len(self.cut)} pieces did not fit whole into {budget}; their rest was not read."
        return warned("context_cut", message, (draft.id for draft in self.cut), when=self.cut)


def build_context(
    drafts: Sequence[Draft], *, max_tokens: int | None, budget: Budget, render: Render, whole: int
) -> Fitted:
    """Keep the best pieces of each kind until its budget is spent; none is ever exceeded.

    With `max_tokens` None only the kinds' own budgets hold. Shares are of `whole`. The first piece that does
    not fit is cut after a sentence, where it can be, and the rest of its kind is left out.

    Parameters
    ----------
    drafts : sequence of Draft
        Best first within each kind.
    max_tokens : int or None
        Of all pieces together.
    budget : Budget
        Of each kind.
    render : Render
        How pieces are written.
    whole : int
        Tokens that shares are of.

    Returns
    -------
    Fitted
        Kinds in the order of `KINDS`.

    """
    present = [kind for kind in KINDS if any(draft.kind == kind for draft in drafts)]
    left, graph_left = max_tokens, in_tokens(budget.graph, whole)
    pieces: list[Piece] = []
    cut: list[Draft] = []
    for place, kind in enumerate(present):
        own = in_tokens(getattr(budget, KINDS[kind].budget), whole)
        if own is None and max_tokens is not None and place + 1 < len(present):
            own = int(KINDS[kind].share * max_tokens)
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
    kept: list[Piece] = []
    spent = count_tokens(KINDS[drafts[0].kind].header) if render == "csv" else 0
    for place, draft in enumerate(drafts):
        room = 10**9 if allowed is None else allowed - spent
        piece = fitted(draft, number + len(kept), render, room)
        if piece is not None:
            if piece.draft.look_up is not None:
                sentences, passage = piece.draft.look_up()
                grounded = replace(piece.draft, sentences=tuple(sentences), passage=passage)
                piece = replace(piece, draft=grounded)
            kept.append(piece)
            spent += piece.n_tokens
        if piece is None or not piece.whole:
            return kept, list(drafts[place:]), spent if kept else 0
    return kept, [], spent


def in_groups(
    fit: Fitted, group_tokens: int, *, shuffle: bool = False
) -> tuple[list[Fitted], tuple[Draft, ...]]:
    """Divide pieces, in order or mixed, into groups of at most so many tokens; what is too long is cut.

    Parameters
    ----------
    fit : Fitted
        The pieces.
    group_tokens : int
        Of a group.
    shuffle : bool, default False
        Whether pieces are mixed first, always in the same way.

    Returns
    -------
    (list of Fitted, tuple of Draft)
        The groups; what was cut or left out.

    """
    pieces = list(fit.pieces)
    if shuffle:
        Random(SEED).shuffle(pieces)  # noqa: S311 - no secret
    groups: list[list[Piece]] = []
    spent, cut = 0, []
    for piece in pieces:
        header = count_tokens(KINDS[piece.draft.kind].header) if fit.render == "csv" else 0
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


@dataclass
class Retrieved:
    """What was retrieved to answer from, kind by kind, best first.

    Attributes
    ----------
    chunks : sequence of (EntityRef or Chunk), optional
        Ids or chunks.
    entities : sequence of (EntityRef or Entity), optional
        Ids or entities.
    relationships : sequence of (EntityRef or Relationship), optional
        Ids or relationships.
    communities : sequence of (EntityRef, Community or CommunityReport), optional
        Ids, communities or reports.
    paths : sequence of Path, optional
        The paths.
    subgraph : Graph, optional
        Its nodes and edges follow the entities and relationships.
    items : sequence of SimilarItem, optional
        Results of a similarity search, of any kind.

    """

    chunks: Sequence[EntityRef | Chunk] = ()
    entities: Sequence[EntityRef | Entity] = ()
    relationships: Sequence[EntityRef | Relationship] = ()
    communities: Sequence[EntityRef | Community | CommunityReport] = ()
    paths: Sequence[Path] = ()
    subgraph: Graph | None = None
    items: Sequence[SimilarItem] = field(default=())

    def __bool__(self) -> bool:
        """Tell whether anything was given."""
        lists = (self.chunks, self.entities, self.relationships, self.communities, self.paths, self.items)
        return any(lists) or bool(self.subgraph and (self.subgraph.nodes or self.subgraph.edges))


def drafts_of(given: Retrieved, provenance: Provenance) -> list[Draft]:
    """Return the pieces: reports, entities, relationships, paths, chunks; each item of a kind once.

    An unknown id is an error; a noun that the graph does not hold is taken as it is.

    Parameters
    ----------
    given : Retrieved
        What was retrieved.
    provenance : Provenance
        Finds the sentences.

    Returns
    -------
    list of Draft
        Of each kind in the order of retrieval.

    Raises
    ------
    UnknownItemError
        For an id of a community, relationship or chunk that the graph does not have.
    UnknownEntityError
        For an id of an entity that it does not have.

    """
    graph, items = provenance.graph, given.items
    subgraph = given.subgraph or Graph()
    names = {node.id: node.name for node in subgraph.nodes}
    reports = _reported(graph, [*given.communities, *(i.report for i in items if i.report)])
    entities = [*given.entities, *subgraph.nodes, *(i.entity for i in items if i.entity)]
    edges = [*given.relationships, *subgraph.edges, *(i.relationship for i in items if i.relationship)]
    texts = (i.chunk or Chunk(id=i.id, content=i.text) for i in items if i.chunk or i.kind == "text")
    known_entities = (e if isinstance(e, Entity) else graph.entity(e) for e in entities)
    known_edges = (r if isinstance(r, Relationship) else graph.relationship(r) for r in edges)
    known_chunks = (c if isinstance(c, Chunk) else graph.chunk(c) for c in [*given.chunks, *texts])
    made = [
        *(_community(pair, n, provenance) for n, pair in enumerate(reports)),
        *(_entity(entity, n, provenance) for n, entity in enumerate(known_entities)),
        *(_relationship(edge, n, provenance, names) for n, edge in enumerate(known_edges)),
        *(_path(path, n, provenance) for n, path in enumerate(given.paths)),
        *(_chunk(chunk, n, provenance) for n, chunk in enumerate(known_chunks)),
    ]
    return list({(draft.kind, draft.id): draft for draft in reversed(made)}.values())[::-1]


def _reported(
    graph: GraphView, given: Sequence[EntityRef | Community | CommunityReport]
) -> list[tuple[Community, CommunityReport | None]]:
    if not given:  # the communities of a large graph are many
        return []
    by_id = {community.id: community for community in graph.communities}
    by_short_id = {str(c.short_id): c for c in graph.communities if c.short_id is not None}
    found: list[tuple[Community, CommunityReport | None]] = []
    for one in given:
        if isinstance(one, CommunityReport):
            bare = Community(id=one.community_id, entity_ids=(), level=one.level, title=one.title)
            told = {"title": one.title, "summary": one.summary, "rating": one.rating}
            found.append((by_id.get(one.community_id, bare).model_copy(update=told), one))
            continue
        community = one if isinstance(one, Community) else by_id.get(str(one)) or by_short_id.get(str(one))
        if community is None:
            raise UnknownItemError(f"Unknown community {one!r}.", hint="`community_by_layer` lists them.")
        found.append((community, report_of(graph).get(community.id)))
    return found


def _community(known: tuple[Community, CommunityReport | None], rank: int, provenance: Provenance) -> Draft:
    community, report = known
    told = community if community.summary else reported(provenance.graph, community)
    findings = report.findings if report else ()
    summary = told.summary or ""
    # A report whose summary is not made of its findings says something of its own: it is read too.
    own = not findings or (report is not None and report.method != "extractive")
    text, cuts = summary if own else "", list[int]()
    cited: dict[tuple[str, int, int], Sentence] = {}
    for finding, line in _lines(findings):
        place = (finding.document_id or finding.chunk_id, finding.start, finding.end)
        text = f"{text} {line}".strip()
        if place in cited:  # what another finding says of it is cut with what was read before
            cuts[-1] = len(text)
        else:
            cited[place] = provenance.of_finding(finding, rank, len(cited))
            cuts.append(len(text))
    sentences = tuple(cited.values())
    if not sentences:  # a summary written elsewhere: its passages are what it can be checked against
        sentences = tuple(provenance.of_community(community, rank))
    return Draft(
        "community",
        community.id,
        (told.title or (report.title if report else "") or community.id,),
        text,
        sentences,
        tuple(cuts),
        rating=float(told.rating or (report.rating if report else 0.0)),
        members=frozenset(community.entity_ids),
    )


def _lines(findings: Sequence[ReportFinding]) -> Iterator[tuple[ReportFinding, str]]:
    """Yield how each finding is read: its sentence, or once for all its sentences what a model found."""
    read: set[str] = set()
    for finding in findings:
        told = " ".join(filter(None, (finding.summary, finding.explanation)))
        line = " ".join((told or finding.text).split())
        yield finding, "" if line in read else line
        read.add(line)


def _entity(entity: Entity, rank: int, provenance: Provenance) -> Draft:
    names = (entity.name, entity.type or "")
    look_up = partial(provenance.of_entity, entity, rank)
    return Draft("entity", entity.id, names, entity.description or "", look_up=look_up)


def _relationship(r: Relationship, rank: int, provenance: Provenance, names: Mapping[str, str]) -> Draft:
    source, target = (names.get(end) or provenance.entity(end).name for end in (r.source_id, r.target_id))
    look_up = partial(provenance.of_relationship, r, rank)
    return Draft("relationship", r.id, (source, r.type, target), r.description or "", look_up=look_up)


def _path(path: Path, rank: int, provenance: Provenance) -> Draft:
    edges = [provenance.graph.relationship(id_) for id_ in path.edge_ids]
    text = provenance.entity(path.node_ids[0]).name if path.node_ids else ""
    for edge, node in zip(edges, path.node_ids[1:], strict=False):
        text += f" {step(edge.type, outgoing=edge.target_id == node)} {provenance.entity(node).name}"
    sentences = [s for edge in edges for s in provenance.of_relationship(edge, rank)[0][:1]]
    return Draft("path", " ".join(path.edge_ids or path.node_ids), (), text, tuple(sentences))


def _chunk(chunk: Chunk, rank: int, provenance: Provenance) -> Draft:
    sentences = tuple(provenance.of_chunk(chunk, rank))
    cuts = tuple(sentence.end - chunk.start for sentence in sentences)
    passage = None if sentences else provenance.whole(chunk, rank)
    names = (provenance.title(chunk),)
    return Draft("chunk", chunk.id, names, chunk.content, sentences, cuts, passage=passage)
