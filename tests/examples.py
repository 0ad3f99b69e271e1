"""How many inputs a property is tried with: a quarter in the fast tests, all with CORPUSGRAPH_EXAMPLES=all."""

import os

ALL = os.environ.get("CORPUSGRAPH_EXAMPLES") == "all"


def tried(most: int) -> int:
    """Return how many of the inputs are tried."""
    return most if ALL else min(most, max(5, most // 4))
