"""PDF with its pages, Word with its tables and notes."""

import logging
from pathlib import Path
from typing import Any

import pytest

from tests.loading.files import codes, docx_bytes, encrypted_pdf, one, pdf, read, write

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def test_a_pdf_keeps_its_pages(tmp_path: Path) -> None:
    pages = ("First page about the pump.", "Second page: caf\xe9.", "", "Fourth page.")
    document = one(write(tmp_path, a__pdf=pdf(*pages, title="The pump")))
    assert (document.title, document.metadata) == ("The pump", {"author": "John Snow"})
    assert [span.page for span in document.pages] == [1, 2, 3, 4]
    assert [document.text[s.start : s.end].strip() for s in document.pages] == list(pages)
    assert (document.pages[0].start, document.pages[-1].end) == (0, len(document.text))
    for number, page in enumerate(pages, start=1):
        if page:
            at = document.text.index(page)
            assert {document.page_of(at), document.page_of(at + len(page) - 1)} == {number}


def test_words_cut_at_a_line_end_are_joined_but_compounds_and_names_are_not(tmp_path: Path) -> None:
    text = "The chol-\nera of the well-\nknown, the well-known Saint-\nDenis pump"
    document = one(write(tmp_path, a__pdf=pdf(text)))
    assert "The cholera of the well-known, the well-known Saint-\nDenis pump" in document.text


def test_pages_are_exact_after_joining(tmp_path: Path) -> None:
    document = one(write(tmp_path, a__pdf=pdf("chol-\nera one", "chol-\nera two")))
    assert [document.text[s.start : s.end] for s in document.pages] == ["cholera one\n", "cholera two"]


def test_pdfs_that_cannot_be_used_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    whole = pdf("A page.")
    write(
        tmp_path,
        ok__pdf=whole,
        secret__pdf=encrypted_pdf(whole, "secret"),
        scanned__pdf=pdf("", ""),
        cut__pdf=whole[:120],
        junk__pdf=b"junk " * 40,
    )
    with caplog.at_level(logging.WARNING):
        documents, failures = read(tmp_path)
    assert [d.source for d in documents] == ["ok.pdf"]
    assert codes(failures) == [
        ("cut.pdf", "malformed"),
        ("junk.pdf", "malformed"),
        ("scanned.pdf", "no_text"),
        ("secret.pdf", "encrypted"),
    ]
    assert not caplog.records


def test_a_pdf_that_asks_for_no_password_is_read(tmp_path: Path) -> None:
    assert "A page." in one(write(tmp_path, a__pdf=encrypted_pdf(pdf("A page."), ""))).text


def test_one_damaged_page_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    good, _, bad = pdf("Good page.", "Bad page.").rpartition(b"<< /Length")
    documents, failures = read(write(tmp_path, a__pdf=good + b"<< /Filter /Unheard_of /Length" + bad))
    assert [(d.text, len(d.pages)) for d in documents] == [("Good page.\n", 2)]
    assert codes(failures) == [("a.pdf", "damaged_page")]
    assert failures[0].message.startswith("page 2 cannot be read")


def word_document() -> Any:
    import docx

    document = docx.Document()
    document.core_properties.title = "Report"
    document.core_properties.author = "Edmund Cooper"
    document.add_heading("The sewers", level=1)
    document.add_paragraph("Before the table.")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        [c for row in table.rows for c in row.cells], ("street", "deaths", "Broad", "5"), strict=True
    ):
        cell.text = text
    document.add_paragraph("After\tthe table.").add_run().add_break()
    return document


def test_word_headings_paragraphs_and_tables_in_order(tmp_path: Path) -> None:
    document = one(write(tmp_path, a__docx=docx_bytes(word_document())))
    assert (
        document.text.strip()
        == "The sewers\n\nBefore the table.\n\nstreet | deaths\n\nBroad | 5\n\nAfter\tthe table."
    )
    assert (document.title, document.metadata["author"]) == ("Report", "Edmund Cooper")


def test_word_merged_cells_insertions_deletions_and_controls(tmp_path: Path) -> None:
    from docx.oxml import parse_xml

    document = word_document()
    merged = document.add_table(rows=1, cols=2)
    merged.cell(0, 0).merge(merged.cell(0, 1)).text = "only once"
    body = document.element.body
    run = "<w:r><w:t>{}</w:t></w:r>"
    body.insert(0, parse_xml(
        f'<w:p xmlns:w="{W}">{run.format("kept ")}<w:ins w:id="1">{run.format("inserted")}</w:ins>'
        '<w:del w:id="2"><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>'
    ))  # fmt: skip
    body.insert(1, parse_xml(
        f'<w:sdt xmlns:w="{W}"><w:sdtContent><w:p>{run.format("in a control")}</w:p></w:sdtContent></w:sdt>'
    ))  # fmt: skip
    text = one(write(tmp_path, a__docx=docx_bytes(document))).text
    assert text.startswith("kept inserted\n\nin a control\n\nThe sewers")
    assert "deleted" not in text
    assert text.count("only once") == 1


def test_word_footnotes_follow_the_text(tmp_path: Path) -> None:
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part
    from docx.oxml import parse_xml

    document = word_document()
    note = (
        f'<w:footnotes xmlns:w="{W}"><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
        '<w:footnote w:id="1"><w:p><w:r><w:t>See the map.</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    part = Part(PackURI("/word/footnotes.xml"), kind, note.encode(), document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    document.add_paragraph("A claim")._p.append(
        parse_xml(f'<w:r xmlns:w="{W}"><w:footnoteReference w:id="1"/></w:r>')
    )
    assert one(write(tmp_path, a__docx=docx_bytes(document))).text.endswith("A claim[1]\n\n[1] See the map.")


def test_word_files_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(64)
    whole = docx_bytes(word_document())
    write(
        tmp_path,
        ok__docx=whole,
        cut__docx=whole[: len(whole) // 2],
        encrypted__docx=old + "EncryptedPackage".encode("utf-16-le"),
        junk__docx="junk",
        old__docx=old,
        old__doc=old,
        blank__docx=docx_bytes(__import__("docx").Document()),
    )
    documents, failures = read(tmp_path)
    assert [d.source for d in documents] == ["ok.docx"]
    assert codes(failures) == [
        ("blank.docx", "empty"),
        ("cut.docx", "malformed"),
        ("encrypted.docx", "encrypted"),
        ("junk.docx", "malformed"),
        ("old.doc", "unsupported_kind"),
        ("old.docx", "unsupported_kind"),
    ]
