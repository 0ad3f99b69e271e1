"""Properties of an entity that a model read in texts: of several values the one said most often."""

from dataclasses import dataclass, field

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.graph import Entity

STATED = "stated"
"""Key of `Mention.attributes` with the entity's properties, apart from what rules note of a mention."""
Place = tuple[str, int]
"""Document and character."""

_TAKEN = frozenset(Entity.model_fields) | frozenset(
    {"aliases", "n_documents", "roles", "first_date", "last_date", "qualifier", "iso"}
)
"""Names that an entity's fields and the sums over its mentions have."""


@dataclass(slots=True)
class Stated:
    """Counts of the values of each property, each with the first place it was said at."""

    values: dict[str, dict[str, tuple[int, Place, object]]] = field(default_factory=dict)

    def add(self, properties: JsonDict, place: Place) -> None:
        """Count what one mention says; the result does not depend on the order in which they come."""
        for name, value in properties.items():
            known = self.values.setdefault(name, {})
            n, first, _ = known.get(repr(value), (0, place, value))
            known[repr(value)] = (n + 1, min(first, place), value)

    def chosen(self) -> JsonDict:
        """Return a value for each property: the one said most often, of equals the one said first.

        A name that an entity has for something else gets the prefix `stated_`.
        """
        return {
            f"{STATED}_{name}" if name in _TAKEN else name: min(
                known.items(), key=lambda one: (-one[1][0], one[1][1], one[0])
            )[1][2]
            for name, known in sorted(self.values.items())
        }
