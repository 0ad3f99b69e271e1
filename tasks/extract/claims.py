"""Claims, who makes them, and how they bear on each other."""

from corpusgraph.schemas.evidence import ArgumentRelation, Claim
from corpusgraph.tasks.extract.context import Context


def find_claims(context: Context) -> tuple[list[Claim], list[ArgumentRelation]]:
    """Return the claims of a document in text order, and the support and attack between them."""
    return [], []
