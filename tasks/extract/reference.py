"""What pronouns and definite descriptions stand for."""

from corpusgraph.tasks.extract.context import Context


def resolve_references(context: Context) -> None:
    """Fill `context.references`."""
