"""HTML and DOCX: documents with structure, read as prose."""

import io
from typing import Any

from corpusgraph.flows.resources.loaders.raw import Raw, UnusableError
from corpusgraph.flows.resources.loaders.text import decode
from corpusgraph.schemas.base import JsonDict, nfc

_SKIPPED = frozenset({"script", "style", "noscript", "template", "head", "nav", "svg"})
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "dd",
        "div",
        "dl",
        "dt",
        "figcaption",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "td",
        "th",
        "tr",
        "ul",
    ]
)


def read_html(data: bytes, encoding: str | None) -> list[Raw]:
    """Read the text of a page, a block element to a paragraph; title and author from its head."""
    from lxml import etree, html

    declared = encoding or _declared_encoding(data)
    try:
        root = html.document_fromstring(
            decode(data, declared).encode(), parser=html.HTMLParser(encoding="utf-8")
        )
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise UnusableError("malformed", f"not readable as HTML: {error}") from None
    parts: list[str] = []
    body = root.find("body")
    _walk(root if body is None else body, parts)
    title = " ".join((root.findtext("head/title") or "").split()) or None
    metadata: JsonDict = {
        str(m.get("name")).lower(): str(m.get("content"))
        for m in root.iterfind("head/meta")
        if m.get("name") and m.get("content") and m.get("name") not in {"viewport", "generator"}
    }
    return [Raw(text=_paragraphs("".join(parts)), title=title, metadata=metadata)]


def _declared_encoding(data: bytes) -> str | None:
    import re

    found = re.search(rb"<meta[^>]+charset=[\"']?([A-Za-z0-9_-]+)", data[:2048])
    return found.group(1).decode("ascii") if found else None


def _walk(element: Any, parts: list[str]) -> None:
    """Collect text in document order, two line ends around a block element."""
    if not isinstance(element.tag, str) or element.tag in _SKIPPED:
        return
    edge = "\n\n" if element.tag in _BLOCKS else "\n" if element.tag == "br" else ""
    parts.append(edge)
    parts.append(" ".join((element.text or "").split("\n")))
    for child in element:
        _walk(child, parts)
        parts.append(" ".join((child.tail or "").split("\n")))
    parts.append(edge)


def _paragraphs(text: str) -> str:
    blocks = (" ".join(block.split()) for block in text.split("\n\n"))
    return nfc("\n\n".join(block for block in blocks if block))


def read_docx(data: bytes, encoding: str | None) -> list[Raw]:  # noqa: ARG001 - the format fixes it
    """Read paragraphs and tables of a Word document in order; title, author and date from its properties."""
    from zipfile import BadZipFile

    import docx
    from docx.opc.exceptions import PackageNotFoundError

    if data[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise UnusableError("encrypted", "the document is encrypted, or of Word's older binary format")
    try:
        document = docx.Document(io.BytesIO(data))
    except (BadZipFile, PackageNotFoundError, KeyError, ValueError) as error:
        raise UnusableError("malformed", f"not readable as a Word document: {error}") from None
    blocks = [_block(item) for item in document.iter_inner_content()]
    properties = document.core_properties
    metadata = {
        "author": properties.author,
        "created": properties.created and properties.created.date().isoformat(),
    }
    return [
        Raw(
            text=nfc("\n\n".join(block for block in blocks if block.strip())),
            title=properties.title or None,
            metadata={key: value for key, value in metadata.items() if value},
        )
    ]


def _block(item: Any) -> str:
    rows = getattr(item, "rows", None)
    if rows is None:
        return str(item.text)
    return "\n".join(" | ".join(cell.text for cell in row.cells) for row in rows)
