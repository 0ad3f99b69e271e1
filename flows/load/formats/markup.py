"""HTML read as prose."""

import re
from typing import Any

from corpusgraph.flows.load.decoding import Format, Raw, UnusableError, clean, decode
from corpusgraph.schemas.base import JsonDict

_SKIPPED = frozenset({
    "script", "style", "noscript", "template", "head", "nav", "svg", "math", "canvas", "object",
    "iframe", "button", "select", "textarea", "audio", "video",
})  # fmt: skip
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "hr", "html", "li", "main", "ol", "p", "pre", "section", "summary", "table",
    "caption", "tr", "ul",
})  # fmt: skip
_META_SKIPPED = frozenset({
    "viewport", "generator", "robots", "googlebot", "referrer", "theme-color", "format-detection",
})  # fmt: skip
_DUBLIN_CORE = {"creator": "author", "title": "title", "date": "date", "language": "language"}
_ENCODINGS = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
}
_INVISIBLE = str.maketrans("", "", "\u00ad\u200b")


def read_html(data: bytes, encoding: str | None) -> list[Raw]:
    """Read the text of a page, a block element to a paragraph; title, author and language from its head.

    Parameters
    ----------
    data : bytes
        Of a whole file.
    encoding : str or None
        The researcher's word; None for what the page says, where it fits.

    Returns
    -------
    list of Raw
        One.

    Raises
    ------
    UnusableError
        `malformed`, and for a file that is no text.

    """
    from lxml import etree, html

    text, chosen = decode(data, encoding, _declared_encoding(data))
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = html.document_fromstring(text.encode(), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise UnusableError("malformed", f"not readable as HTML: {error}") from None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise UnusableError("malformed", "elements are nested more than 2000 deep")
    body = root.find("body")
    prose = _paragraphs("".join(_pieces(root if body is None else body)))
    heading = next((" ".join("".join(_pieces(h)).split()) for h in root.iter("h1")), "")
    title = " ".join((root.findtext("head/title") or "").split()) or heading or None
    return [Raw(text=prose, title=title, metadata=_metadata(root), problems=chosen.problems)]


def _declared_encoding(data: bytes) -> str | None:
    found = re.search(rb"<(?:meta|\?xml)[^>]+(?:charset|encoding)=[\"']?\s*([A-Za-z0-9_-]+)", data[:2048])
    name = found[1].decode("ascii").lower() if found else None
    return _ENCODINGS.get(name, name) if name else None


def _metadata(root: Any) -> JsonDict:
    """Return the head's named values, Dublin Core under the plain names, and the page's language."""
    found: JsonDict = {"language": root.get("lang")} if root.get("lang") else {}
    for meta in root.iter("meta"):
        name, content = str(meta.get("name") or "").lower(), str(meta.get("content") or "").strip()
        if name and content and name not in _META_SKIPPED:
            prefix, _, term = name.partition(".")
            found[_DUBLIN_CORE.get(term, name) if prefix in {"dc", "dcterms"} else name] = content
    return {clean(key): clean(value) for key, value in found.items()}


def _pieces(body: Any) -> list[str]:
    """Collect text in document order, two line ends around a block."""
    from lxml import etree

    pieces: list[str] = []
    walk = etree.iterwalk(body, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            pieces += [_edge(element), _spaced(element, element.tail)]
        elif element.tag in _SKIPPED:
            walk.skip_subtree()
        else:
            pieces += [_edge(element, before=True), _spaced(element, element.text, inside=True)]
    return pieces


def _edge(element: Any, *, before: bool = False) -> str:
    """Return what an element's border means: a paragraph, a line, the next cell of a row, or nothing."""
    if element.tag == "br":
        return "\n" if before else ""
    if element.tag in {"td", "th"}:
        if any(child.tag in _BLOCKS for child in element):
            return "\n\n"
        return " | " if before and element.getprevious() is not None else ""
    if element.tag == "sup" and len(element) and element[0].tag == "a":
        return " [" if before else "]"  # the mark of a footnote is no digit of the word before it
    return "\n\n" if element.tag in _BLOCKS else ""


def _spaced(element: Any, text: str | None, *, inside: bool = False) -> str:
    """Return text with its line ends as spaces, but in preformatted text."""
    if not text:
        return ""
    scope = element if inside else element.getparent()
    is_pre = scope is not None and (scope.tag == "pre" or any(True for _ in scope.iterancestors("pre")))
    return text if is_pre else " ".join(text.split("\n"))


def _paragraphs(text: str) -> str:
    blocks = re.split(r"\n[ \t\xa0]*\n\s*", text.translate(_INVISIBLE))
    lines = (
        "\n".join(" ".join(line.split()) for line in block.split("\n")).strip("\n |") for block in blocks
    )
    return clean("\n\n".join(block for block in lines if block))


FORMAT = Format(("html", "htm", "xhtml"), read_html)
