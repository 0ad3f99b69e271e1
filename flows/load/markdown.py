"""Markdown read as prose: the marks go, the words stay, a list item or table row is its own paragraph."""

import html
import re
from collections.abc import Iterator

from corpusgraph.flows.load.decoding import Format, Raw, clean, decode
from corpusgraph.flows.load.text import split_front_matter

_DROPPED = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_QUOTE = re.compile(r"^[ \t]{0,3}(?:>[ \t]?)+")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r"[ ]{0,3}(?:=+|-{2,})[ \t]*$")
_RULE = re.compile(r"[ ]{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_BULLET = re.compile(r"\A[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)")
_NUMBERED = re.compile(r"[ \t]*\d{1,9}[.)][ \t]+(?=\S)")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_DEFINITION = re.compile(r"[ ]{0,3}\[(?!\^)[^\]]+\]:[ \t]*\S+(?:[ \t]+[\"'(].*[\"')])?[ \t]*$")

_TAGS = (
    "a|abbr|b|blockquote|br|center|cite|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|img|ins|kbd"
    "|li|mark|ol|p|pre|q|s|small|span|strike|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul|var"
)
_INLINE: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("!", re.compile(r"!\[([^\[\]]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])"), r"\1"),
    ("[", re.compile(r"\[((?!\^)[^\[\]]+)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])"), r"\1"),
    ("[^", re.compile(r"\[\^([^\[\]\n]+)\]:?"), r"[\1]"),
    ("<", re.compile(r"<((?:https?://|mailto:)[^<>\s]+)>"), r"\1"),
    ("<", re.compile(r"<br\b[^<>\n]*>[ \t]*\n?", re.IGNORECASE), "\n"),
    ("<", re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>", re.IGNORECASE), ""),
    ("*", re.compile(r"(?<![\w\\*])(\*{1,3})(?=[^\s*])([^*]+?)(?<=[^\s\\])\1(?!\*)"), r"\2"),
    ("*", re.compile(r"(?<![\\*])(\*{1,3})(?=[^\s*])([^*]+?)(?<=[^\s\\])\1(?!\*)"), r"\2"),
    ("_", re.compile(r"(?<![\w\\])(_{1,3})(?=[^\s_])((?:[^_]|(?<=\w)_(?=\w))+?)(?<=[^\s\\])\1(?!\w)"), r"\2"),
    ("~", re.compile(r"~~(?=\S)([^~]+?)~~"), r"\1"),
    ("`", re.compile(r"(?<!`)(`{1,2})(?!`)([^`]+?)\1(?!`)"), r"\2"),
    ("\\", re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)


def read_markdown(data: bytes, encoding: str | None) -> list[Raw]:
    """Read Markdown as prose; the first heading is the title unless the front matter gives one."""
    text, chosen = decode(data, encoding)
    body, metadata = split_front_matter(text)
    blocks = list(_blocks(_DROPPED.sub("", body).split("\n")))
    title = next((plain(text) for kind, text in blocks if kind == "heading" and text), None)
    prose = "\n\n".join(text if kind == "code" else plain(text) for kind, text in blocks)
    return [Raw(text=clean(prose), title=title, metadata=metadata, problems=chosen.problems)]


def plain(text: str) -> str:
    """Return the words of a paragraph, without the marks for emphasis, links and the like."""
    for mark, pattern, replacement in _INLINE:
        if mark in text:
            text = pattern.sub(replacement, text)
    return html.unescape(text)


def _blocks(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) of the blocks: heading, code, or text (paragraph, list item, table row, note)."""
    paragraph: list[str] = []
    at = 0
    while at < len(lines):
        line = _QUOTE.sub("", lines[at])
        at += 1
        if fence := _FENCE.match(line):
            yield from _flush(paragraph)
            end = _end_of_code(lines, at, fence[1])
            yield "code", "\n".join(lines[at:end])
            at = end + 1
        elif paragraph and _UNDERLINE.match(line):
            yield "heading", " ".join(paragraph)
            paragraph.clear()
        elif heading := _HEADING.match(line):
            yield from _flush(paragraph)
            yield "heading", heading[1] or ""
        elif not line.strip() or _RULE.match(line) or _DEFINITION.match(line):
            yield from _flush(paragraph)
        else:
            if _begins_block(line, paragraph):
                yield from _flush(paragraph)
            paragraph += _content(line)
    yield from _flush(paragraph)


def _flush(paragraph: list[str]) -> Iterator[tuple[str, str]]:
    if paragraph:
        yield "text", "\n".join(paragraph)
        paragraph.clear()


def _end_of_code(lines: list[str], at: int, fence: str) -> int:
    """Return the line that closes a code block; one that nothing closes runs to the end."""
    closing = re.compile(rf"[ ]{{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
    return next((i for i in range(at, len(lines)) if closing.match(_QUOTE.sub("", lines[i]))), len(lines))


def _begins_block(line: str, paragraph: list[str]) -> bool:
    """Tell whether a line begins a list item, a table row or a footnote.

    A number may also begin a wrapped line of prose ("1854. The …"): only 1, or one after an item, is an item.
    """
    if line.lstrip().startswith(("|", "[^")) or _BULLET.match(line):
        return True
    numbered = _NUMBERED.match(line)
    if not numbered:
        return False
    return numbered[0].strip(" \t.)") == "1" or bool(paragraph and _NUMBERED.match(paragraph[0]))


def _content(line: str) -> list[str]:
    """Return a line without the mark of its block; the rule below a table's head is no content."""
    if line.lstrip().startswith("|") or _TABLE_RULE.match(line):
        if _TABLE_RULE.match(line) and "-" in line:
            return []
        return [" | ".join(cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")))]
    return [_BULLET.sub("", line, count=1)]


FORMAT = Format(("md", "markdown"), read_markdown)
