"""Dated events: what happened when, where, to whom, by whom."""

from corpusgraph.schemas.evidence import Event
from corpusgraph.tasks.extract.context import Context


def find_events(context: Context) -> list[Event]:
    """Return the events of a document in text order."""
    return []
