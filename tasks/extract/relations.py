"""The relations that a sentence states: patterns over its tree."""

from corpusgraph.tasks.extract.context import Context


def find_relations(context: Context, sentence: int) -> None:
    """Add the assertions of a sentence to the findings."""
