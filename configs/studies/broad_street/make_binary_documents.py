"""Make the PDF and the DOCX document of this study from the texts in ``sources/``.

Run it with ``python make_binary_documents.py``. The same sources give the same bytes each time.
"""

import csv
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

from docx import Document

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "sources"
DOCUMENTS = HERE / "documents"

PAGE_WIDTH, PAGE_HEIGHT, MARGIN = 595, 842, 72
HEADING_WORDS = 8
ZIP_TIME = (1980, 1, 1, 0, 0, 0)

# The widths of Helvetica for the codes 32 to 126, in thousandths of the font size.
HELVETICA_TABLE = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 "
    "556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 "
    "667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 "
    "556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
HELVETICA_WIDTHS = tuple(int(width) for width in HELVETICA_TABLE.split())
OTHER_WIDTH = 556


@dataclass(frozen=True)
class Block:
    """A title, a heading or a paragraph of a source text."""

    kind: str
    text: str


@dataclass(frozen=True)
class Style:
    """How a kind of block is set on a page of the PDF."""

    font: str
    size: int
    leading: int
    space_before: int


@dataclass(frozen=True)
class Line:
    """A line of the PDF: its text, its style and its height above the foot of the page."""

    text: str
    style: Style
    height: int


STYLES = {
    "title": Style("F2", 17, 22, 0),
    "heading": Style("F2", 13, 17, 12),
    "paragraph": Style("F1", 12, 16, 8),
}


def read_blocks(path: Path) -> list[Block]:
    """Split a source text at its blank lines into blocks; the first one is the title."""
    texts = [" ".join(part.split()) for part in path.read_text(encoding="utf-8").split("\n\n")]
    return [Block(kind_of(text, is_first=index == 0), text) for index, text in enumerate(texts) if text]


def kind_of(text: str, *, is_first: bool) -> str:
    """Tell whether a block is the title, a heading (short, with no full stop) or a paragraph."""
    if is_first:
        return "title"
    is_heading = len(text.split()) <= HEADING_WORDS and not text.endswith((".", "?", "!"))
    return "heading" if is_heading else "paragraph"


def read_metadata(name: str) -> dict[str, str]:
    """Return the row that ``documents/metadata.csv`` has for a file."""
    with (DOCUMENTS / "metadata.csv").open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            if row["file"] == name:
                return row
    raise KeyError(name)


def text_width(text: str, size: int) -> float:
    """Return the width of a text in points when it is set in Helvetica."""
    codes = [ord(char) - 32 for char in text]
    widths = (HELVETICA_WIDTHS[c] if 0 <= c < len(HELVETICA_WIDTHS) else OTHER_WIDTH for c in codes)
    return sum(widths) * size / 1000


def wrap(text: str, size: int) -> list[str]:
    """Break a text into lines that fit between the margins."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= PAGE_WIDTH - 2 * MARGIN:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def lay_out(blocks: list[Block]) -> list[list[Line]]:
    """Place the lines of all blocks on pages, from top to bottom."""
    pages: list[list[Line]] = [[]]
    height = PAGE_HEIGHT - MARGIN
    for block in blocks:
        style = STYLES[block.kind]
        height -= style.space_before
        keep = 3 * style.leading if block.kind == "heading" else 0
        for text in wrap(block.text, style.size):
            if height - style.leading - keep < MARGIN:
                pages.append([])
                height = PAGE_HEIGHT - MARGIN
            height -= style.leading
            pages[-1].append(Line(text, style, height))
    return pages


def pdf_string(text: str) -> bytes:
    """Write a text as a literal string of PDF in the WinAnsi encoding."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return b"(" + escaped.encode("cp1252") + b")"


def page_content(lines: list[Line]) -> bytes:
    """Write the drawing operators of one page."""
    shown = (
        f"BT /{line.style.font} {line.style.size} Tf 1 0 0 1 {MARGIN} {line.height} Tm ".encode("ascii")
        + pdf_string(line.text)
        + b" Tj ET"
        for line in lines
    )
    return b"\n".join(shown)


def pdf_objects(pages: list[list[Line]], metadata: dict[str, str]) -> list[bytes]:
    """Return the bodies of all objects: catalogue, page tree, two fonts, information, pages."""
    first = 6
    numbers = range(first, first + 2 * len(pages), 2)
    kids = " ".join(f"{number} 0 R" for number in numbers)
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>"
    title, author = pdf_string(metadata["title"]), pdf_string(metadata["author"])
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode("ascii"),
        font.format("Helvetica").encode("ascii"),
        font.format("Helvetica-Bold").encode("ascii"),
        b"<< /Title " + title + b" /Author " + author + b" >>",
    ]
    for number, lines in zip(numbers, pages, strict=True):
        content = page_content(lines)
        objects.append(
            (
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}] "
                f"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents {number + 1} 0 R >>"
            ).encode("ascii")
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n".encode("ascii") + content + b"\nendstream")
    return objects


def pdf_file(objects: list[bytes]) -> bytes:
    """Join the objects into a file with its table of offsets and its trailer."""
    body = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    offsets: list[int] = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n".encode("ascii") + content + b"\nendobj\n"
    size = len(objects) + 1
    rows = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    table = f"xref\n0 {size}\n0000000000 65535 f \n{rows}"
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + table.encode("ascii") + trailer.encode("ascii")


def make_pdf(source: Path, target: Path) -> None:
    """Write a source text as a PDF."""
    pages = lay_out(read_blocks(source))
    target.write_bytes(pdf_file(pdf_objects(pages, read_metadata(target.name))))


def with_fixed_times(archive: bytes) -> bytes:
    """Give every member of a ZIP archive the same time, so that the bytes do not change from run to run."""
    result = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(archive)) as old,
        zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            member = zipfile.ZipInfo(name, ZIP_TIME)
            member.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(member, old.read(name))
    return result.getvalue()


def make_docx(source: Path, target: Path) -> None:
    """Write a source text as a DOCX."""
    metadata = read_metadata(target.name)
    document = Document()
    document.core_properties.title = metadata["title"]
    document.core_properties.author = metadata["author"]
    document.core_properties.comments = ""
    for block in read_blocks(source):
        if block.kind == "paragraph":
            document.add_paragraph(block.text)
        else:
            document.add_heading(block.text, level=1 if block.kind == "title" else 2)
    buffer = io.BytesIO()
    document.save(buffer)
    target.write_bytes(with_fixed_times(buffer.getvalue()))


def main() -> None:
    """Make both documents."""
    make_docx(SOURCES / "cooper_sewer_inspection.txt", DOCUMENTS / "10_cooper_sewer_inspection.docx")
    make_pdf(SOURCES / "snow_grand_experiment.txt", DOCUMENTS / "13_snow_grand_experiment.pdf")


if __name__ == "__main__":
    main()
