"""Which relationships a tool weighs, and what was said of each."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.graph import DENIED, Relationship
from corpusgraph.schemas.ports import Corpus, GraphView, Ints
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.graph.compiled import compiled, edge_of
from corpusgraph.tasks.graph.memo import per_graph
from corpusgraph.tasks.graph.runs import distinct
from corpusgraph.tasks.index.totals import as_written

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


def evidence_at(
    graph: GraphView, places: Ints, corpus: Corpus | None
) -> Iterator[tuple[int, Sequence[Assertion]]]:
    """Yield the place of each relationship of which something was said, and what; no other is made a noun."""
    known = {} if corpus is None else assertions_of(corpus)
    said = {(source, type_.removeprefix(DENIED), target) for source, type_, target in known}
    if not said:
        return
    arrays = compiled(graph)
    ids = list(arrays.ids)
    types = [name.removeprefix(DENIED) for name in arrays.type_names]
    rows = zip(
        places.tolist(),
        arrays.source[places].tolist(),
        arrays.type_code[places].tolist(),
        arrays.target[places].tolist(),
        strict=True,
    )
    for place, source, type_, target in counted(rows, "relationships read"):
        named = (ids[source], types[type_], ids[target])
        if named in said and (evidence := evidence_of(graph.relationships[place], corpus)):
            yield place, evidence


def places_of(graph: GraphView, refs: Sequence[str | int] | None, types: Sequence[str] | None) -> Ints:
    """Return where relationships are, by reference, or all, of some types or of any; in order, each once."""
    arrays = compiled(graph)
    if refs is None:
        places = np.arange(len(arrays.source))
    else:
        places = distinct(np.array([edge_of(graph, ref) for ref in refs], dtype=np.int64))
    return places if types is None else places[arrays.of_types(types)[places]]


def kept_type(relationship: Relationship) -> str:
    """Return the type that changes name a relationship by: that of what is denied, of one only denied."""
    denied = relationship.type.removeprefix(DENIED)
    by_own_type = Relationship.make_id(relationship.source_id, relationship.type, relationship.target_id)
    return denied if denied and relationship.id != by_own_type else relationship.type


def refuse_part(ask: ToolInput, *, dry_run: bool) -> None:
    """Refuse to change the whole index by what a filter shows of it."""
    if ask.filter and not dry_run:
        raise InvalidInputError(
            "A filter shows a part of the evidence, by which the whole cannot be judged.",
            hint="Leave out the filter, or keep dry_run.",
        )


def looked_at(
    graph: GraphView, refs: Sequence[str | int] | None, types: Sequence[str] | None
) -> list[Relationship]:
    """Return relationships by reference, or all, of some types or of any; in id order, each once."""
    some = graph.relationships if refs is None else [graph.relationship(ref) for ref in refs]
    kept = {r.id: r for r in counted(some, "relationships read") if types is None or r.type in types}
    return [kept[id_] for id_ in sorted(kept)]
