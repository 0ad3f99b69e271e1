"""Which relationships a tool weighs, and what was said of each."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.graph import DENIED, Relationship
from corpusgraph.schemas.memory import HAND, STATED
from corpusgraph.schemas.ports import Corpus, GraphView, Ints
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks.build.aggregate import CERTAIN, as_written
from corpusgraph.tasks.graph.compiled import compiled, distinct, edge_of, per_graph
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.tools.memory._inputs import named

Triple = tuple[str, str, str]


@per_graph
def assertions_of(corpus: Corpus) -> Mapping[Triple, Sequence[Assertion]]:
    """Return (source, type, target) -> what was said of that relationship, in text order."""
    found: dict[Triple, list[Assertion]] = defaultdict(list)
    for one in corpus.assertions:
        source, target = corpus.entity_of(one.source_mention), corpus.entity_of(one.target_mention)
        if source is None or target is None:
            continue
        found[as_written(source, one.type, target)].append(one)
    return found


def evidence_of(relationship: Relationship, corpus: Corpus | None) -> Sequence[Assertion]:
    """Return what was said of a relationship; one of type `not_…` is what is only ever denied."""
    if corpus is None:
        return ()
    ends = relationship.source_id, relationship.target_id
    known = assertions_of(corpus)
    for type_ in dict.fromkeys((relationship.type, relationship.type.removeprefix(DENIED))):
        if held := known.get((ends[0], type_, ends[1])):
            return held
    return ()


def places_of(graph: GraphView, refs: Sequence[str | int] | None, types: Sequence[str] | None) -> Ints:
    """Return where relationships are, by reference, or all, of some types or of any; in order, each once."""
    arrays = compiled(graph)
    if refs is None:
        places = np.arange(len(arrays.source))
    else:
        places = distinct(np.array([edge_of(graph, ref) for ref in refs], dtype=np.int64))
    return places if types is None else places[arrays.of_types(types)[places]]


def kept_type(relationship: Relationship) -> str:
    """Return the type that changes name a relationship by: by its id, that which is denied."""
    denied = relationship.type.removeprefix(DENIED)
    of_denied = Relationship.make_id(relationship.source_id, denied, relationship.target_id)
    return denied if of_denied == relationship.id else relationship.type


def fields_of(relationship: Relationship) -> JsonDict:
    """Return what is told of a relationship that is weighed, by the names of an answer."""
    names = ("source_id", "target_id", "weight", "confidence")
    fields = {name: getattr(relationship, name) for name in names}
    return {"relationship_id": relationship.id, "relation_type": relationship.type, **fields}


def as_operation(relationship: Relationship, graph: GraphView) -> JsonDict:
    """Return how operations name a relationship."""
    ends = {end: named(graph.entity(getattr(relationship, f"{end}_id"))) for end in ("source", "target")}
    return {**ends, "type": kept_type(relationship)}


def refuse_part(ask: ToolInput, *, dry_run: bool) -> None:
    """Refuse to change the whole index by what a filter shows of it."""
    if ask.filter and not dry_run:
        raise InvalidInputError(
            "A filter shows a part of the evidence, by which the whole cannot be judged.",
            hint="Leave out the filter, or keep dry_run.",
        )


@dataclass(frozen=True)
class Independence:
    """How much a further statement counts beside the first: as a power of its doubt, from 0 to 1.

    `same_extractor` for one by the same extractor in the same document, `same_document` for one by another
    extractor there; those of other documents count in full. `reliability` scales the confidence that an
    extractor gives (by its name up to the first `/`, `:` or `-`).
    """

    same_document: float = 0.5
    same_extractor: float = 0.25
    reliability: tuple[tuple[str, float], ...] = ()

    def trusted(self, assertion: Assertion) -> float:
        """Return how sure a statement is."""
        given = dict(self.reliability)
        factor = given.get(assertion.extractor, given.get(family(assertion.extractor), 1.0))
        return min(assertion.confidence * factor, CERTAIN)


def family(extractor: str) -> str:
    """Return an extractor's name without its version or model: rules of `rules/3`, hand of `hand`."""
    for mark in "/:-":
        extractor = extractor.partition(mark)[0]
    return extractor


@dataclass(frozen=True)
class Belief:
    """What the evidence for a relationship comes to."""

    support: float
    denial: float
    weight: float
    n_evidence: int
    n_documents: int
    n_extractors: int
    n_denied: int
    by_hand: bool

    @property
    def confidence(self) -> float:
        """Join one body of evidence for it and one against by Dempster's rule: s (1 - d) / (1 - s d)."""
        return round(self.support * (1 - self.denial) / (1 - self.support * self.denial), 6)


def belief(evidence: Sequence[Assertion], how: Independence) -> Belief:
    """Weigh statements for and against one relationship.

    support = 1 - product over statements of (1 - c) ^ u (noisy-or, Pearl 1988), c the confidence and u 1 for
    the surest statement of a document, `same_document` for the surest of each further extractor there,
    `same_extractor` for all others; denial is the same of what denies it, and the two are joined by
    Dempster's rule (Shafer 1976). What is supposed or asked is neither. weight is the sum of c u over what
    supports it, times 1 - denial.
    """
    pro = [one for one in evidence if one.is_stated]
    con = [one for one in evidence if one.is_put_forward and one.negated]
    doubts, shares = _weighed(pro, how)
    against, _ = _weighed(con, how)
    support, denial = -math.expm1(-doubts), -math.expm1(-against)
    return Belief(
        support=min(round(support, 9), CERTAIN),
        denial=min(round(denial, 9), CERTAIN),
        weight=round(shares * (1 - denial), 6),
        n_evidence=len(pro),
        n_documents=len({one.document_id for one in pro}),
        n_extractors=len({one.extractor for one in pro}),
        n_denied=len(con),
        by_hand=any(one.extractor == HAND and one.cue in {*STATED, None} for one in pro),
    )


def _weighed(evidence: Iterable[Assertion], how: Independence) -> tuple[float, float]:
    """Return the sum of -u ln(1 - c) and the sum of u c."""
    by_document: dict[str, list[Assertion]] = defaultdict(list)
    for one in evidence:
        by_document[one.document_id].append(one)
    doubts, shares = [], []
    for document in sorted(by_document):
        seen: set[str] = set()
        for one in sorted(by_document[document], key=lambda a: (-how.trusted(a), a.extractor, a.id)):
            u = 1.0 if not seen else how.same_extractor if one.extractor in seen else how.same_document
            seen.add(one.extractor)
            doubts.append(-u * math.log1p(-how.trusted(one)))
            shares.append(u * how.trusted(one))
    return math.fsum(doubts), math.fsum(shares)


def beliefs_at(graph: GraphView, places: Ints, corpus: Corpus | None, how: Independence) -> dict[int, Belief]:
    """Return place -> belief of the relationships of which a statement is at hand; nouns of no others."""
    known = {} if corpus is None else assertions_of(corpus)
    said = {(source, type_.removeprefix(DENIED), target) for source, type_, target in known}
    if not said:
        return {}
    arrays = compiled(graph)
    ids = list(arrays.ids)
    types = [name.removeprefix(DENIED) for name in arrays.type_names]
    rows = (each[places].tolist() for each in (arrays.source, arrays.type_code, arrays.target))
    beliefs = {}
    for place, source, type_, target in counted(
        zip(places.tolist(), *rows, strict=True), "relationships weighed"
    ):
        is_said = (ids[source], types[type_], ids[target]) in said
        if is_said and (evidence := evidence_of(graph.relationships[place], corpus)):
            beliefs[place] = belief(evidence, how)
    return beliefs
