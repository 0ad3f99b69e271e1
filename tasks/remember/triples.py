"""The relationships of a corpus by their ends and type, as they are there and as merges have them."""

from functools import cached_property

from corpusgraph.schemas.errors import UnknownItemError
from corpusgraph.schemas.graph import DENIED, EntityRef, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.remember.operations import ordered, triple_id
from corpusgraph.tasks.remember.state import MemoryState, Triple


def triple_of(said: Relationship) -> Triple:
    """Return the relationship as its id has it: the type of one that is only denied says so, its id not."""
    type_ = said.type
    plain = ordered(said.source_id, type_.removeprefix(DENIED), said.target_id)
    return plain if triple_id(plain) == said.id else (said.source_id, type_, said.target_id)


class Triples:
    """The relationships of a corpus by their ends and type.

    Their ids tell, as indexing makes them; where a graph from elsewhere has ids of its own, all are looked at
    once.
    """

    def __init__(self, graph: GraphView) -> None:
        self._graph = graph
        self._state: MemoryState | None = None
        self._regrouped = 0
        self._followed: dict[str, str] = {}
        self._moved: dict[str, Triple] = {}

    def of(self, triple: Triple) -> list[Relationship]:
        """Return the corpus's relationships between two of its entities; most have one or none."""
        if self._listed is not None:
            return [self._graph.relationships[i] for i in self._listed.get(triple_id(triple), ())]
        known = self.known(triple_id(triple))
        return [] if known is None else [known]

    def known(self, ref: EntityRef) -> Relationship | None:
        """Return the corpus's relationship of an id or short id, or None.

        In a graph from elsewhere also by the id that indexing would give it.
        """
        try:
            return self._graph.relationship(ref)
        except UnknownItemError:
            listed = self._listed
            places = listed.get(str(ref)) if listed is not None else None
            return self._graph.relationships[places[0]] if places else None

    def hint(self, ref: EntityRef) -> str | None:
        """Return what the corpus says to an id it does not have."""
        try:
            self._graph.relationship(ref)
        except UnknownItemError as error:
            return error.hint
        return None

    @cached_property
    def _listed(self) -> dict[str, list[int]] | None:
        relationships = self._graph.relationships
        if not relationships or triple_id(triple_of(relationships[0])) == relationships[0].id:
            return None
        listed: dict[str, list[int]] = {}
        for i, one in enumerate(relationships):
            listed.setdefault(triple_id(triple_of(one)), []).append(i)
        return listed

    def moved(self, state: MemoryState, id_: str) -> Triple | None:
        """Return the relationship of an id that merges brought about, with its ends as they are now.

        The relationships of what was merged are looked at once for each merge that moves them.
        """
        if self._state is not state or self._regrouped != state.regrouped:
            self._state, self._regrouped = state, state.regrouped
            self._move_all(state)
        return self._moved.get(id_)

    def _move_all(self, state: MemoryState) -> None:
        if not self._followed.keys() <= state.merged.keys():
            self._followed.clear()
        nodes = compiled(self._graph)
        for member, into in state.merged.items():
            at = nodes.ids.find(member)
            if at is None or self._followed.get(member) == into:
                continue
            self._followed[member] = into
            for edge in nodes.edges_of(at, denied=True).tolist():
                source, type_, target = triple_of(self._graph.relationships[edge])
                ends = ordered(state.now(source), type_, state.now(target))
                self._moved[triple_id(ends)] = ends  # one that is no more is found to be nothing
