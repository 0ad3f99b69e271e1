"""Unreadable text goes to the ledger; mistaken encodings are mended; PDFs lose their running lines."""

import io
import json
from pathlib import Path
from shutil import which

import pytest

from corpusgraph.flows.load.formats import pdf as ocr
from tests.loading.files import codes, one, pdf, read, write

PROSE = "The Board of Guardians removed the handle of the pump in Broad Street."
BROKEN = "\n".join(["(cid:12)(cid:45) (cid:7)(cid:8)(cid:9)"] * 12).replace("(", "\\(").replace(")", "\\)")


@pytest.fixture
def no_ocr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "which", lambda _: None)


def test_a_text_of_lost_characters_is_no_document(tmp_path: Path) -> None:
    documents, failures = read(write(tmp_path, a__txt="\ufffd\ufffd\ufffd a\ufffd " * 30, b__txt=PROSE))
    assert [d.source for d in documents] == ["b.txt"]
    assert codes(failures) == [("a.txt", "unreadable_text")]


def test_rows_are_judged_one_by_one(tmp_path: Path) -> None:
    rows = [PROSE, "\uf041\uf042\uf043 " * 30, "It costs Â£5 in the cafÃ©."]
    lines = "".join(json.dumps({"text": row}) + "\n" for row in rows)
    documents, failures = read(write(tmp_path, a__jsonl=lines))
    assert [d.text for d in documents] == [PROSE, "It costs £5 in the café."]
    assert codes(failures) == [("a.jsonl", "unreadable_text"), ("a.jsonl", "mended_encoding")]
    assert failures[0].message.startswith("row 2: ")
    assert [failure.is_left_out for failure in failures] == [False, True]


def test_what_is_mended_is_told_and_is_no_failure(tmp_path: Path) -> None:
    text = "the pumpâ\x80\x99s handle\nin a cafÃ©\nof Ã\x85rhus"
    documents, (note,) = read(write(tmp_path, a__txt=text))
    assert [d.text for d in documents] == ["the pump’s handle\nin a café\nof Århus"]
    assert (note.code, note.is_left_out) == ("mended_encoding", True)
    assert "3 lines" in note.message


@pytest.mark.usefixtures("no_ocr")
def test_unreadable_pages_are_left_out_and_named(tmp_path: Path) -> None:
    document, (failure,) = _with_failures(
        tmp_path, pdf(f"{PROSE}\n" * 20, BROKEN, f"Then Snow. {PROSE}\n" * 20)
    )
    assert failure.code == "unreadable_part"
    assert failure.message.startswith("page 2: ")
    assert "tesseract" in failure.message
    assert [document.text[s.start : s.end].strip()[:8] for s in document.pages] == [
        "The Boar",
        "",
        "Then Sno",
    ]


@pytest.mark.usefixtures("no_ocr")
def test_a_pdf_with_a_broken_font_is_no_document(tmp_path: Path) -> None:
    documents, failures = read(write(tmp_path, a__pdf=pdf(BROKEN, BROKEN, "Title"), b__txt=PROSE))
    assert [d.source for d in documents] == ["b.txt"]
    assert codes(failures) == [("a.pdf", "unreadable_text")]


def _with_failures(folder: Path, data: bytes):  # type: ignore[no-untyped-def]  # noqa: ANN202
    (document,), failures = read(write(folder, a__pdf=data))
    return document, failures


@pytest.mark.parametrize(
    "title",
    ["Microsoft Word - draft3.doc", "untitled", "C:\\\\\\\\texts\\\\\\\\a", "/home/snow/a", "draft3.doc", "20131205", "9f86d081884c7d65", "Document1", "PowerPoint Presentation", "..."],
)  # fmt: skip
def test_what_is_no_title_is_not_taken_for_one(tmp_path: Path, title: str) -> None:
    assert one(write(tmp_path, pump__pdf=pdf(PROSE, title=title))).title == "pump"


@pytest.mark.parametrize(
    "title", ["On the Mode of Communication of Cholera", "1984", "Deadbeat", "Untitledness"]
)
def test_real_titles_are_kept(tmp_path: Path, title: str) -> None:
    assert one(write(tmp_path, pump__pdf=pdf(PROSE, title=title))).title == title


WORDS = ("Snow walked", "Farr counted", "Cooper wrote", "The Board met", "Bazalgette built", "Koch looked")


def test_running_lines_leave_the_text_and_pages_stay_right(tmp_path: Path) -> None:
    pages = [
        f"Report on Cholera {n}\n{word} on and\nstopped as {word}.\n- {n + 6} -"
        for n, word in enumerate(WORDS)
    ]
    document = one(write(tmp_path, a__pdf=pdf(*pages)))
    assert document.text == "\n".join(f"{word} on and\nstopped as {word}." for word in WORDS)
    for number, word in enumerate(WORDS, start=1):
        at = document.text.index(word)
        assert document.page_of(at) == number
    assert (document.pages[0].start, document.pages[-1].end) == (0, len(document.text))


def test_lines_of_numbers_and_lines_of_few_pages_stay(tmp_path: Path) -> None:
    rows = ["12 5", "8 44", "9 7", "3 3"]
    pages = [f"{word} on.\nThe end was {word}.\n{row}" for word, row in zip(WORDS, rows, strict=False)]
    document = one(write(tmp_path, a__pdf=pdf(*pages)))
    assert [row for row in rows if row in document.text] == rows
    two = one(write(tmp_path / "two", a__pdf=pdf("Head\none", "Head\ntwo")))
    assert two.text.count("Head") == 2


def picture_pdf(*, before: str) -> bytes:
    """Make a PDF with a page of text and a page that is a picture of a sentence."""
    from PIL import Image, ImageDraw, ImageFont
    from pypdf import PdfReader, PdfWriter

    picture = Image.new("L", (1700, 600), 255)
    ImageDraw.Draw(picture).text((60, 200), PROSE, font=ImageFont.load_default(44), fill=0)
    out = io.BytesIO()
    picture.save(out, "PDF", resolution=200)
    writer = PdfWriter()
    for data in (pdf(before), out.getvalue()):
        for page in PdfReader(io.BytesIO(data)).pages:
            writer.add_page(page)
    whole = io.BytesIO()
    writer.write(whole)
    return whole.getvalue()


@pytest.mark.usefixtures("no_ocr")
def test_a_picture_is_noted_with_what_to_install(tmp_path: Path) -> None:
    document, (note,) = _with_failures(tmp_path, picture_pdf(before=PROSE))
    assert (note.code, note.is_left_out) == ("picture_page", True)
    assert note.message.startswith("page 2: ")
    assert "apt-get install tesseract-ocr" in note.message
    assert document.text.strip() == PROSE


@pytest.mark.external
@pytest.mark.skipif(which("tesseract") is None, reason="tesseract is not installed")
def test_a_picture_is_read_by_tesseract(tmp_path: Path) -> None:
    pytest.importorskip("pytesseract")
    pytest.importorskip("pypdfium2")
    document, (note,) = _with_failures(
        tmp_path, picture_pdf(before="Before the picture there is a page of text.")
    )
    assert (note.code, note.message) == ("recognised_text", "page 2: read by tesseract")
    assert " ".join(document.text[document.pages[1].start :].split()) == PROSE


def test_languages_are_detected_unless_metadata_states_them(tmp_path: Path) -> None:
    french = "Le conseil a fait enlever la poignée de la pompe de la rue parce que l’eau était mauvaise."
    write(tmp_path, a__txt=PROSE, b__txt=french, c__md=f"---\nlanguage: German\n---\n{PROSE}", d__txt="1854")
    documents, _ = read(tmp_path)
    assert [d.language for d in documents] == ["en", "fr", "de", None]
