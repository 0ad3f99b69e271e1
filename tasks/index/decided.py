"""What somebody else decided of pairs of names that the rules left apart, and how it becomes merges."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal, NamedTuple

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.index.groups import Groups, merge_id
from corpusgraph.tasks.index.nearness import Named, named, rivals
from corpusgraph.tasks.index.survey import NAMED, Key

MIN_CONFIDENCE = 0.7
"""Below it a "same" is nothing."""
Sign = Literal["letters", "type", "acronym", "initials", "order", "spelling", "abbreviation", "part"]
"""What makes two names near, the surest first."""
SIGNS: tuple[Sign, ...] = (
    "letters",
    "type",
    "acronym",
    "initials",
    "order",
    "spelling",
    "abbreviation",
    "part",
)
_LONGER = frozenset({"acronym", "initials", "abbreviation", "part"})


class Pair(NamedTuple):
    """Two names that may be one, in order of their keys, with what the texts say around each."""

    one: Key
    other: Key
    sign: Sign
    names: tuple[str, str]
    contexts: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def id(self) -> str:
        """Identify the pair, whichever of the two its merge is made into."""
        return merge_id(self.one, self.other)


class Decision(NamedTuple):
    """Whether two names are one, how sure that is, and why."""

    pair: Pair
    same: bool
    confidence: float
    why: str = ""


def apply(groups: Groups, decided: Iterable[Decision], rule: str) -> list[ToolWarning]:
    """Merge what was decided to be the same; the surer decision wins where two contradict one another.

    At equal confidence "not the same" wins. Names that a hand keeps apart never meet, in a chain neither.
    """
    clusters = _Clusters(groups)
    against: list[str] = []
    for decision in sorted(decided, key=_surest_first):
        pair = decision.pair
        if pair.one not in groups.forms or pair.other not in groups.forms:
            continue
        if not decision.same:
            if clusters.differ(pair):
                against.append(f"{' / '.join(pair.names)}: not the same, but a chain of others says so")
        elif decision.confidence >= MIN_CONFIDENCE:
            against += clusters.join(decision, rule)
    if not against:
        return []
    message = f"{len(against)} decisions on names contradict surer ones; these hold"
    return [ToolWarning(code="contradicting_decisions", message=message, records=tuple(against))]


def _surest_first(decision: Decision) -> tuple[float, bool, Key, Key, str]:
    return -decision.confidence, decision.same, decision.pair.one, decision.pair.other, decision.why


class _Clusters:
    """The keys that decisions brought together, and those they keep apart."""

    def __init__(self, groups: Groups) -> None:
        self._groups = groups
        self._members: dict[Key, set[Key]] = {}
        self._apart: dict[Key, set[Key]] = defaultdict(set)
        self._names: dict[Key, Named] = {}

    def _of(self, key: Key) -> set[Key]:
        root = self._groups.root(key)
        return self._members.setdefault(root, {root}) | {key}

    def differ(self, pair: Pair) -> bool:
        """Keep a pair apart from now on; tell whether it is one already."""
        if self._groups.root(pair.one) == self._groups.root(pair.other):
            return True
        self._apart[pair.one].add(pair.other)
        self._apart[pair.other].add(pair.one)
        return False

    def join(self, decision: Decision, rule: str) -> list[str]:
        """Merge a pair; return why that cannot be, where a surer decision is against it."""
        groups, pair = self._groups, decision.pair
        some, others = self._of(pair.one), self._of(pair.other)
        if groups.root(pair.one) == groups.root(pair.other):
            return []
        across = sorted((a, b) for a in some for b in others)
        if [two for two in across if groups.kept_apart(*two)]:
            return []
        barred = next((two for two in across if self._are_apart(*two)), None)
        if barred:
            names = " and ".join(map(groups.name, barred))
            return [f"{' / '.join(pair.names)}: the same, but {names} are not"]
        source, target = self._directed(pair)
        groups.merge(source, target, rule, decision.confidence, decision.why)
        self._members[groups.root(target)] = some | others
        return []

    def _are_apart(self, one: Key, other: Key) -> bool:
        return other in self._apart[one] or rivals(self._named(one), self._named(other))

    def _named(self, key: Key) -> Named:
        if key not in self._names:
            self._names[key] = named(self._groups, key)
        return self._names[key]

    def _directed(self, pair: Pair) -> tuple[Key, Key]:
        """Return which of a pair is taken for which: the short for the long, the rare for the frequent.

        What counts is the name that each of them goes by now.
        """

        def weight(key: Key) -> tuple[int, bool, int, Key]:
            root = groups.root(key)
            length = len(root.fold) if pair.sign in _LONGER else 0
            return length, root.type != NAMED[-1], groups.mentions(root), root

        groups = self._groups
        source, target = sorted((pair.one, pair.other), key=weight)
        return source, target
