"""Text as R code."""

from collections.abc import Sequence


def quoted(text: str) -> str:
    """Return an R string in ASCII: it reads the same in every locale."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in {'"', "\\"}:
        return f"\\{character}"
    if character in {"\n", "\r", "\t"}:
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[character]
    code = ord(character)
    if 32 <= code < 127:
        return character
    return f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"


def vector(texts: Sequence[str]) -> str:
    """Return a character vector."""
    return f"c({', '.join(quoted(text) for text in texts)})" if texts else "character(0)"
