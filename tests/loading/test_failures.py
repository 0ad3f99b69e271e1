"""What cannot be used goes to the failure ledger by name, with a code and a reason, and the run goes on."""

import gzip
from pathlib import Path

import pytest

from tests.loading.files import codes, read, write

UNUSABLE = [
    ("empty__txt", b"", "empty"),
    ("blank__txt", b" \n\t\n", "empty"),
    ("blank__md", b"---\ntitle: x\n---\n", "empty"),
    ("blank__jsonl", b"\n\n", "empty"),
    ("binary__txt", bytes(range(256)) * 8, "binary"),
    ("noname", bytes(64), "binary"),
    ("a_pdf__txt", b"%PDF-1.4 ...", "binary"),
    ("wide__txt", b"\xff\xfea\x00\x00\xd8", "undecodable"),
    ("picture__png", b"x", "unsupported_kind"),
    ("data__json", b"{}", "unsupported_kind"),
    ("sheet__xlsx", b"PK", "unsupported_kind"),
    ("front__md", b"---\ntitle: a: b\n---\nText", "bad_front_matter"),
    ("twice__md", b"---\na: 1\na: 2\n---\nText", "bad_front_matter"),
    ("bomb__md", b"---\na: &x [1]\nb: [*x, *x]\n---\nText", "bad_front_matter"),
    ("deep__md", b"---\na: " + b"[" * 5000 + b"\n---\nText", "bad_front_matter"),
    ("bad__parquet", b"no", "malformed"),
    ("cut__csv__gz", gzip.compress(b"text\nabc\n" * 1000)[:-20], "malformed"),
    ("cut__txt__gz", gzip.compress(b"abc" * 1000)[:-20], "malformed"),
    ("not__jsonl__gz", b"abc", "malformed"),
    ("table__csv", b"a,b\n1,2\n", "no_text_column"),
    ("table__parquet", b"PAR1" + bytes(20) + b"PAR1", "malformed"),
]


@pytest.mark.parametrize(("name", "content", "code"), UNUSABLE, ids=[name for name, _, _ in UNUSABLE])
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, name: str, content: bytes, code: str) -> None:
    documents, failures = read(write(tmp_path, zz__txt="fine", **{name: content}))
    assert [d.text for d in documents] == ["fine"]
    assert codes(failures) == [(name.replace("__", "."), code)]
    assert failures[0].stage == "load"
    assert failures[0].message


def test_a_message_about_front_matter_has_the_line_of_the_file(tmp_path: Path) -> None:
    write(tmp_path, zz__txt="fine", a__md="---\ntitle: x\nauthor: y\nauthor: z\n---\nText")
    (failure,) = read(tmp_path)[1]
    assert "line 4: the key 'author' is already on line 3" in failure.message


def test_damaged_text_is_read_and_told(tmp_path: Path) -> None:
    documents, failures = read(write(tmp_path, a__txt="é".encode() * 20 + b"\xc3"))
    assert [d.text for d in documents] == ["é" * 20 + "\ufffd"]
    assert codes(failures) == [("a.txt", "damaged_encoding")]
