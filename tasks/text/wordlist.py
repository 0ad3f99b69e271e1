"""Word lists written as running text."""


def wordset(text: str) -> frozenset[str]:
    """Return the words of a text, split at white space."""
    return frozenset(text.split())
