"""Markdown read as prose: the marks go, the words stay, a list item or table row is its own paragraph."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from corpusgraph.flows.load.decoding import Format, Raw, clean, decode
from corpusgraph.flows.load.formats.text import split_front_matter

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_DROPPED = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_NOTE = re.compile(r"\[\^([^\[\]\n]+)\]:?")
_TAG = re.compile(
    r"</?(?:a|abbr|b|blockquote|br|center|cite|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i"
    r"|img|ins|kbd|li|mark|ol|p|pre|q|s|small|span|strike|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul"
    r"|var)\b",
    re.IGNORECASE,
)
"""What is a tag of HTML, and no word in angle brackets."""
_TASK = re.compile(r"\A\[[ xX]\][ \t]+(?=\S)")
_DEEPEST = 100
"""Quotes and lists in one another that are read."""


def read_markdown(data: bytes, encoding: str | None) -> list[Raw]:
    """Read Markdown as prose; the first heading is the title unless the front matter gives one.

    Parameters
    ----------
    data : bytes
        Of a whole file.
    encoding : str or None
        The researcher's word; None to find out.

    Returns
    -------
    list of Raw
        One.

    Raises
    ------
    UnusableError
        For a file that is no text, and for front matter that is no YAML.

    """
    text, chosen = decode(data, encoding)
    body, metadata = split_front_matter(text)
    # a footnote's mark is no link, and the note no definition of one
    blocks = list(_blocks(_parser().parse(_NOTE.sub(r"[\1]", _DROPPED.sub("", body)))))
    title = next((text for kind, text in blocks if kind == "heading_open" and text), None)
    prose = "\n\n".join(text for _, text in blocks)
    return [Raw(text=clean(prose), title=title, metadata=metadata, problems=chosen.problems)]


@cache
def _parser() -> "MarkdownIt":
    """CommonMark with tables; indented text and HTML between blocks are prose."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    return parser.enable(["table", "strikethrough"]).disable(["code", "html_block"])


def _blocks(tokens: "Sequence[Token]") -> Iterator[tuple[str, str]]:
    """Yield what opens a block, and its text: a heading, code, a paragraph, a list item, a row of a table."""
    mark, opened, cells = "", "", list[str]()
    for token in tokens:
        if token.type == "list_item_open":
            mark = f"{token.info}{token.markup} " if token.info else ""
        elif token.type == "fence":
            yield token.type, token.content.removesuffix("\n")
        elif token.type == "tr_close":
            yield token.type, " | ".join(cells)
            cells.clear()
        elif token.type == "inline" and opened in {"td_open", "th_open"}:
            cells.append(_words(token))
        elif token.type == "inline":
            yield opened, mark + _TASK.sub("", _words(token), count=1)
            mark = ""
        opened = token.type


def _words(inline: "Token") -> str:
    """Return the words of a paragraph, without the marks for emphasis, links and the like."""
    words = []
    for token in inline.children or ():
        if token.type in {"softbreak", "hardbreak"}:
            words.append("\n")
        elif token.type == "html_inline" and _TAG.match(token.content):
            words.append("\n" if token.content[1:3].lower() == "br" else "")
        else:
            words.append(_words(token) if token.type == "image" else token.content)
    return "".join(words)


FORMAT = Format(("md", "markdown"), read_markdown)
