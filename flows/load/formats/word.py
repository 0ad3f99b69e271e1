"""Word documents read as prose: paragraphs, tables, text boxes and footnotes in order."""

import io
import re
from collections.abc import Iterator
from typing import Any

from corpusgraph.flows.load.decoding import Format, Raw, UnusableError, clean
from corpusgraph.schemas.base import JsonDict

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_SKIPPED = frozenset(
    {_FALLBACK, f"{_W}del", f"{_W}moveFrom", f"{_W}pPr", f"{_W}rPr", f"{_W}tcPr", f"{_W}tblPr"}
)


def read_docx(data: bytes, encoding: str | None) -> list[Raw]:  # noqa: ARG001 - the format fixes it
    """Read a Word document; title, author and date from its properties.

    Parameters
    ----------
    data : bytes
        Of a whole file.
    encoding : str or None
        Is not used: the format fixes it.

    Returns
    -------
    list of Raw
        One.

    Raises
    ------
    UnusableError
        `encrypted`, `unsupported_kind`, `malformed`.

    """
    document = _opened(data)
    blocks = [*_blocks(document.element.body), *_footnotes(document.part)]
    title, metadata = _properties(document)
    titles = (p.text for p in document.paragraphs if p.style is not None and p.style.name == "Title")
    styled = next(titles, "")
    text = clean("\n\n".join(block for block in blocks if block.strip())).translate({0xAD: None})
    return [Raw(text=text, title=title or styled.strip() or None, metadata=metadata)]


def _opened(data: bytes) -> Any:
    from zipfile import BadZipFile
    from zlib import error as ZlibError  # noqa: N812

    import docx
    from docx.opc.exceptions import OpcError
    from lxml.etree import XMLSyntaxError

    if data.startswith(_OLD_OFFICE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise UnusableError("encrypted", "the document is encrypted")
        message = "the document has Word's older binary format: save it as .docx"
        raise UnusableError("unsupported_kind", message)
    try:
        return docx.Document(io.BytesIO(data))
    except (BadZipFile, OpcError, XMLSyntaxError, ZlibError, LookupError, ValueError, OSError) as error:
        raise UnusableError("malformed", f"not readable as a Word document: {error}") from None


def _properties(document: Any) -> tuple[str | None, JsonDict]:
    """Return title, author and day of creation; a document without a part for them has none."""
    kinds = (relation.reltype for relation in document.part.package.rels.values())
    if not any(kind.endswith("/core-properties") for kind in kinds):
        return None, {}
    given = document.core_properties
    created = given.created.date().isoformat() if given.created else None
    told = {"author": clean(given.author), "created": created, "language": clean(given.language)}
    return clean(given.title).strip() or None, {key: value for key, value in told.items() if value}


def _blocks(element: Any) -> Iterator[str]:
    """Yield a text for each paragraph and each row of a table below an element, in order."""
    for child in element:
        if child.tag == f"{_W}p":
            boxes: list[Any] = []
            yield _text(child, boxes)
            for box in boxes:
                yield from _blocks(box)
        elif child.tag == f"{_W}tr":
            cells = (" ".join(b for b in _blocks(cell) if b.strip()) for cell in child.iter(f"{_W}tc"))
            yield " | ".join(cell for cell in cells if cell.strip())
        elif isinstance(child.tag, str) and child.tag not in _SKIPPED:
            yield from _blocks(child)


def _text(paragraph: Any, boxes: list[Any]) -> str:
    """Return a paragraph's text, with what was inserted and without what was deleted; boxes come after it."""
    from lxml import etree

    pieces: list[str] = []
    walk = etree.iterwalk(paragraph, events=("start",))
    for _, node in walk:
        name = node.tag.removeprefix(_W)
        if name == "txbxContent":
            boxes.append(node)
        elif name == "t":
            pieces.append(node.text or "")
        elif name in {"footnoteReference", "endnoteReference"}:
            pieces.append(f"[{node.get(f'{_W}id')}]")
        elif node.tag not in _SKIPPED:
            pieces.append(_CHARACTERS.get(name, ""))
            continue
        walk.skip_subtree()
    return "".join(pieces)


def _footnotes(part: Any) -> Iterator[str]:
    """Yield the notes, each after its number in the text; the rule above the notes is stored as one too."""
    from lxml import etree

    safe = etree.XMLParser(resolve_entities=False, no_network=True)
    for relation in part.rels.values():
        if relation.is_external or not re.search(r"/(?:foot|end)notes$", relation.reltype):
            continue
        for note in etree.fromstring(relation.target_part.blob, safe):
            if note.get(f"{_W}type") in {None, "normal"}:
                body = " ".join(block.strip() for block in _blocks(note) if block.strip())
                yield f"[{note.get(f'{_W}id')}] {body}" if body else ""


FORMAT = Format(("docx",), read_docx)
