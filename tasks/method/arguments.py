"""What a step is given when it runs, and whether that is enough for it to run."""

from typing import Any

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Scored
from corpusgraph.tasks._tool import Tool
from corpusgraph.tasks.method.kinds import scored
from corpusgraph.tasks.method.ports import FORMS, bare, form_for, takes
from corpusgraph.tasks.method.refs import references_in
from corpusgraph.tasks.method.values import Held, Names, holds


def _led_to(one: Any) -> Any:
    """Return a link as the entity it leads to, with its score; anything else as it is."""
    item = bare(one)
    if not isinstance(one, Scored) or one.item is item:
        return one
    return scored(type(item))(item=item, score=one.score, rank=one.rank, scorer=one.scorer)


class Given:
    """The arguments of one call, and which of those that come from earlier steps are empty."""

    def __init__(self, tool: Tool, names: Names) -> None:
        self.arguments: dict[str, Any] = {}
        self.left_out: dict[str, int] = {}
        """Field -> how many items were left out of it because the tool takes no negative scores."""
        self._tool = tool
        self._names = names
        self._empty: list[str] = []
        self._full = False

    def add(self, field: str, written: Any) -> None:
        """Add an argument as the method writes it."""
        held = self._names.value(written)
        if not any(references_in(written)):
            self.arguments[field] = held.value
            return
        self.arguments[field] = value = self._formed(field, held)
        if not holds(value):
            self._empty.append(field)
        elif field in self._tool.reads:
            self._full = True

    def _formed(self, field: str, held: Held) -> Any:
        """Return a value in the form that the field takes it in."""
        form = form_for(self._tool, field, held.kind) if holds(held.value) else None
        value = [_led_to(one) for one in held.value] if held.kind.port == "entities" else held.value
        made = FORMS[form or "as it is"](value)
        if form == "positive" and len(made) < len(value):
            self.left_out[field] = len(value) - len(made)
        return made

    def lacking(self) -> str | None:
        """Return the field for want of which the tool cannot run, or None.

        An empty argument that the tool does not take is left out where another of its kind holds something.
        """
        for field in self._empty:
            if takes(self._tool.name, field, self.arguments[field]):
                continue
            if not self._full or self._tool.input.model_fields[field].is_required():
                return field
            del self.arguments[field]
        if self._empty and not self._full:
            try:
                self._tool.ask(self.arguments)
            except InvalidInputError:
                return self._empty[0]
        return None
