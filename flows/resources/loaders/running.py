"""Headers, footers and page numbers: what pages repeat at their edges is no part of the text."""

import re
from collections import Counter
from collections.abc import Sequence

_EDGE = 3
"""Lines at the top and at the bottom of a page that may be running lines."""
_LONGEST = 150
"""Characters of a running line; a longer one is a paragraph."""
_FEWEST_PAGES = 3
_MOST_PAGES = 0.5
"""A running line stands at one edge of so many pages, and of at least this share of them."""
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:p(?:age|\.)?|seite|s\.|página|pagina|strona|стр\.?|第)?\s*(\d{1,5})\s*(?:页|頁)?"
    r"(?:\s*(?:of|von|de|sur|di|van|z|из|/)\s*\d{1,5})?[\W_]*",
    re.IGNORECASE,
)


def without_running_lines(pages: Sequence[str]) -> list[str]:
    """Return pages without the lines that most of them repeat at the top or the bottom, digits aside.

    A line of a number alone is a page number where the numbers count with the pages; other lines without
    letters (rows of a table) stay. Pages of which nothing would be left stay as they are.
    """
    lines = [page.split("\n") for page in pages]
    for _ in range(2):  # at the top, then, with the lines turned round, at the bottom
        lines = [found[::-1] for found in _without_top(lines)]
    bare = ["\n".join(found) for found in lines]
    return bare if any(page.strip() for page in bare) else list(pages)


def _without_top(pages: list[list[str]]) -> list[list[str]]:
    n_written = sum(any(line.strip() for line in lines) for lines in pages)
    shapes = [[_shape(lines[at], number) for at in _top(lines)] for number, lines in enumerate(pages)]
    counts = Counter(shape for page in shapes for shape in set(page) if shape)
    running = {shape for shape, n in counts.items() if n >= _FEWEST_PAGES and n >= _MOST_PAGES * n_written}
    return [_after_running(lines, number, running) for number, lines in enumerate(pages)]


def _top(lines: list[str]) -> list[int]:
    """Return where the first lines of a page are, blank ones not counted."""
    return [at for at, line in enumerate(lines) if line.strip()][:_EDGE]


def _after_running(lines: list[str], number: int, running: set[str]) -> list[str]:
    """Return a page's lines after the last running one of its top."""
    ends = [at + 1 for at in _top(lines) if _shape(lines[at], number) in running]
    below = lines[: ends[-1]] if ends else []
    between = [line for line in below if line.strip() and _shape(line, number) not in running]
    return between + lines[len(below) :]


def _shape(line: str, number: int) -> str:
    """Return what running lines share: their letters, or how far a page's number is from its place."""
    if match := _PAGE_NUMBER.fullmatch(line.strip()):
        return f"page {int(match[1]) - number}"
    plain = " ".join(_NUMBER.sub("#", line).casefold().split())
    return plain if len(plain) <= _LONGEST and any(character.isalpha() for character in plain) else ""
