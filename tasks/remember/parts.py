"""What a view is made of, in the order in which one needs the other."""

from typing import NamedTuple

from corpusgraph.tasks.remember.base import Base
from corpusgraph.tasks.remember.changed import Changed
from corpusgraph.tasks.remember.news import News
from corpusgraph.tasks.remember.papers import Papers
from corpusgraph.tasks.remember.roster import Roster
from corpusgraph.tasks.remember.state import MemoryState


class Parts(NamedTuple):
    """Who is there, what was written of them, and what became of what the base has."""

    roster: Roster
    papers: Papers
    changed: Changed

    @classmethod
    def of(cls, base: Base, state: MemoryState) -> "Parts":
        """Return the parts of a view that none was made before."""
        roster = Roster(base, state)
        return cls(roster, Papers(state, roster, base.written), Changed(base, state, roster))

    def following(self, state: MemoryState, told: News) -> "Parts":
        """Return those of a state that only adds what is told."""
        roster = self.roster.following(state, told)
        papers = self.papers.following(state, roster, told)
        return Parts(roster, papers, self.changed.following(state, roster, told))
