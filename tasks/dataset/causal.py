"""A causal graph read off the corpus: arrows are causal relations, with passages for and against."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import UnknownEntityError
from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import CausalDataset
from corpusgraph.tasks.analysis.causal.models import CausalEdge, CausalNode, PrepareCausalModel
from corpusgraph.tasks.analysis.causal.structure import DOCUMENT
from corpusgraph.tasks.dataset.cited import Cited
from corpusgraph.tasks.table.values import warning

NEGATIVE = frozenset({"prevents"})
"""Causal relations that make their effect less likely."""


@dataclass
class _Arrow:
    """Statements about one pair of variables."""

    stated: list[Assertion] = field(default_factory=list)
    denied: list[Assertion] = field(default_factory=list)

    @property
    def sign(self) -> int:
        signs = {-1 if a.type in NEGATIVE else 1 for a in self.stated}
        return signs.pop() if len(signs) == 1 else 0

    @property
    def confidence(self) -> float:
        """Return 1 - product of (1 - c) over statements, times their share in all that is said."""
        sure = 1 - math.prod(1 - a.confidence for a in self.stated)
        in_favour = math.fsum(a.confidence for a in self.stated)
        against = math.fsum(a.confidence for a in self.denied)
        return sure * in_favour / (in_favour + against) if in_favour else 0.0


def build_causal(corpus: Corpus, dataset: CausalDataset) -> PrepareCausalModel:
    """Return the input of tool 24: a node per variable, an arrow per causal relation that is stated.

    Without variables every entity with a causal relation is a node. An arrow needs `min_evidence`
    passages that state it; passages that deny it stand beside them. Cycles are kept, to be reported.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    dataset : CausalDataset
        What the study asks for.

    Returns
    -------
    PrepareCausalModel
        With warnings in its notes: `unknown_entity_name`, `denied_only`, `below_min_evidence`,
        `direction_conflict`, `sign_conflict`, `denied_and_stated`, `counts_of_mentions`.

    """
    variables = _Variables(corpus, dataset)
    arrows: dict[tuple[str, str], _Arrow] = {}
    for assertion in sorted(corpus.assertions, key=lambda a: (a.document_id, a.start, a.id)):
        ends = variables.ends(assertion) if assertion.is_causal and assertion.is_put_forward else None
        if ends:
            arrow = arrows.setdefault(ends, _Arrow())
            (arrow.denied if assertion.negated else arrow.stated).append(assertion)
    kept = {ends: arrow for ends, arrow in arrows.items() if len(arrow.stated) >= dataset.min_evidence}
    nodes = variables.nodes(kept.keys(), dataset)
    cited = Cited(corpus)
    notes = [*variables.notes, *_told(arrows, kept.keys(), variables)]
    data = None
    if dataset.model_type == "bayesian":
        data = variables.named_in_documents([node.id for node in nodes])
        notes.append(ToolWarning(code="counts_of_mentions", message=_COUNTS))
    return PrepareCausalModel(
        entities=nodes,
        relationships=tuple(_edge(ends, arrow, cited) for ends, arrow in sorted(kept.items())),
        model_type=dataset.model_type,
        exposure=variables.id_of(dataset.exposure),
        outcome=variables.id_of(dataset.outcome),
        drop_edges=tuple((variables.id_of(a) or a, variables.id_of(b) or b) for a, b in dataset.drop_edges),
        given=tuple(variables.id_of(name) or name for name in dataset.given) or None,
        data=data,
        prior=dataset.prior,
        equivalent_sample_size=dataset.equivalent_sample_size,
        on_cycle="report",
        notes=tuple(notes),
    )


_COUNTS = (
    "The tables count documents that name a variable (named) and that do not (absent):"
    " they describe what is written together, not how often a cause has its effect."
)


def _edge(ends: tuple[str, str], arrow: _Arrow, cited: Cited) -> CausalEdge:
    against = (cited.passage(assertion, "against") for assertion in arrow.denied)
    return CausalEdge(
        id=f"{ends[0]}->{ends[1]}",
        source_id=ends[0],
        target_id=ends[1],
        type="prevents" if arrow.sign == -1 else "causes",
        sign=arrow.sign,
        confidence=round(arrow.confidence, 6),
        n_for=len(arrow.stated),
        n_against=len(arrow.denied),
        passages=(*map(cited.passage, arrow.stated), *against),
    )


class _Variables:
    """Which variable an end of an assertion belongs to."""

    def __init__(self, corpus: Corpus, dataset: CausalDataset) -> None:
        self._corpus = corpus
        self._given = dataset.variables
        self._by_entity: dict[str, str] = {}
        self._by_name: dict[str, str] = {}
        self._names = {entity.id: entity.name for entity in corpus.graph.entities}
        self.notes: list[ToolWarning] = []
        for variable, names in dataset.variables.items():
            missing = [name for name in names if not self._take(variable, name)]
            message = f"Variable {variable!r}: the corpus has no entity {', '.join(map(repr, missing))}."
            self.notes += warning("unknown_entity_name", message, missing)

    def _take(self, variable: str, name: str) -> bool:
        self._by_name.setdefault(name.casefold(), variable)
        try:
            self._by_entity.setdefault(self._corpus.graph.entity(name).id, variable)
        except UnknownEntityError:
            return False
        return True

    def ends(self, assertion: Assertion) -> tuple[str, str] | None:
        """Return the two variables, or None where an end is none of them or both are one."""
        source = self._variable(assertion.source_mention, assertion.source)
        target = self._variable(assertion.target_mention, assertion.target)
        return (source, target) if source and target and source != target else None

    def _variable(self, mention_id: str, name: str) -> str | None:
        entity = self._corpus.entity_of(mention_id)
        if not self._given:
            return entity
        return self._by_entity.get(entity or "") or self._by_name.get(name.casefold())

    def id_of(self, name: str | None) -> str | None:
        """Return the node that a name in the study means; an unknown name is the tool's to refuse."""
        if name is None or self._given:
            return name
        try:
            return self._corpus.graph.entity(name).id
        except UnknownEntityError:
            return name

    def nodes(self, arrows: Collection[tuple[str, str]], dataset: CausalDataset) -> tuple[CausalNode, ...]:
        """Return the variables in the order of the study, or the entities in order of their names."""
        if self._given:
            return tuple(CausalNode(id=name, name=name) for name in self._given)
        ends = {end for pair in arrows for end in pair}
        asked = {self.id_of(name) for name in (dataset.exposure, dataset.outcome)}
        ids = ends | {one for one in asked if one in self._names}
        named = sorted((self._names.get(one, one), one) for one in ids)
        return tuple(CausalNode(id=one, name=name) for name, one in named)

    def named_in_documents(self, nodes: Sequence[str]) -> tuple[JsonDict, ...]:
        """Return a row per document: its id and, for each node, whether the document names it."""
        named: dict[str, set[str]] = {document.id: set() for document in self._corpus.documents}
        for mention in self._corpus.mentions:
            variable = self._variable(mention.id, mention.name)
            if variable:
                named[mention.document_id].add(variable)
        return tuple(
            {DOCUMENT: document} | {node: "named" if node in found else "absent" for node in nodes}
            for document, found in named.items()
        )

    def shown(self, pairs: Iterable[tuple[str, str]], mark: str) -> list[str]:
        """Return arrows by the names of their ends, in order."""
        return sorted(mark.join(self._names.get(end, end) for end in ends) for ends in pairs)


def _told(
    arrows: Mapping[tuple[str, str], _Arrow], kept: Collection[tuple[str, str]], variables: _Variables
) -> list[ToolWarning]:
    """Say which arrows are left out, and which that are kept are contested."""
    lost = [ends for ends in arrows if ends not in kept]
    denied = [ends for ends in lost if not arrows[ends].stated]
    seldom = [ends for ends in lost if arrows[ends].stated]
    both = [(a, b) for a, b in kept if a < b and (b, a) in kept]
    signs = [ends for ends in kept if not arrows[ends].sign]
    doubted = [ends for ends in kept if arrows[ends].denied]
    told = (
        ("denied_only", "Arrows denied and never stated", denied, " -> "),
        ("below_min_evidence", "Arrows stated too seldom", seldom, " -> "),
        ("direction_conflict", "Pairs stated in both directions, which makes a cycle", both, " <-> "),
        ("sign_conflict", "Arrows said both to further and to prevent their effect", signs, " -> "),
        ("denied_and_stated", "Arrows that some passages state and others deny", doubted, " -> "),
    )
    return [
        one
        for code, what, pairs, mark in told
        for one in warning(code, f"{what}: {len(pairs)}.", variables.shown(pairs, mark))
    ]
