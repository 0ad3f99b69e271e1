"""Real files for the tests of loading: a folder from names and bytes, small PDF and Word documents."""

import io
from pathlib import Path
from typing import Any

from corpusgraph.flows.load import load_all, scan
from corpusgraph.schemas.documents import Document, Failure
from corpusgraph.schemas.study import Corpus


def write(folder: Path, **files: str | bytes) -> Path:
    """Write files below a folder; in names, `__` stands for a full stop and `___` for a slash."""
    for name, content in files.items():
        path = folder / name.replace("___", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def read(folder: Path, **options: Any) -> tuple[list[Document], list[Failure]]:
    """Load a corpus and return its documents and its failures."""
    corpus = Corpus(path=str(folder), **options)
    found = list(load_all(scan(corpus, Path()), corpus, Path()))
    return [f for f in found if isinstance(f, Document)], [f for f in found if isinstance(f, Failure)]


def one(folder: Path, **options: Any) -> Document:
    """Load a corpus of one document, without failures."""
    (document,), failures = read(folder, **options)
    assert failures == []
    return document


def codes(failures: list[Failure]) -> list[tuple[str, str]]:
    """Return (file, code) of each failure."""
    return [(failure.source, failure.code) for failure in failures]


_LETTER_SIZE = "/MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"


def pdf(*pages: str, title: str = "") -> bytes:
    """Make a PDF with a page for each text; a page's lines are set below each other."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for i, page in enumerate(pages):
        shown = " T* ".join(f"({line}) Tj" for line in page.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET" if page else ""
        objects += [
            f"<< /Type /Page /Parent 2 0 R {_LETTER_SIZE} /Contents {5 + 2 * i} 0 R >>",
            f"<< /Length {len(stream.encode('cp1252'))} >>\nstream\n{stream}\nendstream",
        ]
    objects.append(f"<< /Title ({title}) /Author (John Snow) >>")
    return _numbered(objects)


def _numbered(objects: list[str]) -> bytes:
    out, places = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, text in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{text}\nendobj\n".encode("cp1252"))
    start = out.tell()
    rows = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    out.write(f"xref\n0 {size}\n0000000000 65535 f \n{rows}".encode())
    out.write(
        f"trailer\n<< /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>\nstartxref\n{start}\n%%EOF".encode()
    )
    return out.getvalue()


def encrypted_pdf(data: bytes, password: str) -> bytes:
    """Encrypt a PDF; with an empty password any reader opens it."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(user_password=password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx_bytes(document: Any) -> bytes:
    """Return the bytes of a python-docx document."""
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()
