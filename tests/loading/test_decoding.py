"""Encodings: real texts of ten languages come back letter for letter, what is no text is refused by name."""

import gzip
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.flows.load.decoding import UnusableError, clean, decode, finish, open_text

GERMAN = (
    "Größe und Äpfel: Die Straße führt über die Brücke nach München. Er sagte, daß die Königin müde war.\n"
)
FRENCH = (
    "L'été dernier, les élèves ont été reçus à l’école où le maître était très fâché. Ça va bien, Noël.\n"
)
ENGLISH = "“Snow’s theory” — he said — cost £5 and wasn’t proved; naïve café owners disagreed.\n"
SPANISH = "El niño pequeño llegó mañana; ¿cómo está? La epidemia de cólera atacó España en el año 1854.\n"
POLISH = "Łódź jest piękna, a źródło wody było zanieczyszczone. Książka leży na stole, żółta i ciężka.\n"
CZECH = "Příčinou cholery byla znečištěná voda. Žluťoučký kůň úpěl ďábelské ódy, řekl lékař.\n"
RUSSIAN = "Холера была вызвана загрязнённой водой. Джон Сноу потребовал снять ручку насоса.\n"
JAPANESE = (
    "コレラは汚染された水によって引き起こされた。ジョン・スノウは井戸のポンプの取っ手を外すように求めた。\n"
)
CHINESE = "霍乱是由被污染的水引起的。约翰·斯诺要求拆除水泵的把手。这是一个中文的文件，讨论疾病的传播。\n"

SAMPLES = [
    *((GERMAN, name) for name in ("cp1252", "latin-1", "mac_roman", "cp850", "utf-16-le", "utf-16-be")),
    *((GERMAN, name) for name in ("utf-8", "utf-8-sig", "utf-16", "utf-32")),
    *((FRENCH, name) for name in ("cp1252", "mac_roman")),
    *((ENGLISH, name) for name in ("cp1252", "mac_roman", "utf-8")),
    *((SPANISH, name) for name in ("cp1252", "latin-1")),
    *((POLISH, name) for name in ("cp1250", "iso8859-2")),
    *((CZECH, name) for name in ("cp1250", "iso8859-2")),
    *((RUSSIAN, name) for name in ("koi8-r", "cp1251", "iso8859-5", "cp866")),
    *((JAPANESE, name) for name in ("shift_jis", "euc_jp", "iso2022_jp", "utf-16")),
    *((CHINESE, name) for name in ("gb18030", "big5hkscs", "utf-16")),
]


@pytest.mark.parametrize("length", [1, 8])
@pytest.mark.parametrize(("text", "encoding"), SAMPLES, ids=[f"{t[:6]}-{e}" for t, e in SAMPLES])
def test_the_encoding_is_found(text: str, encoding: str, length: int) -> None:
    written = (text * length).encode(encoding, errors="ignore")
    expected = unicodedata.normalize("NFC", written.decode(encoding))
    assert decode(written)[0] == expected


@given(text=st.text())
def test_utf8_comes_back_in_nfc_with_plain_line_ends(text: str) -> None:
    got = clean(text)
    assert unicodedata.is_normalized("NFC", got)
    assert not set(got) & set("\r\x00\u2028\ufeff")
    assert clean(got) == got
    finished, _ = finish(got)
    assert unicodedata.is_normalized("NFC", finished)
    assert not set(finished) & set("\r\x00\x85\x99\u2028\ufeff")


@given(data=st.binary(max_size=400))
def test_any_bytes_are_text_or_refused_by_name(data: bytes) -> None:
    code = "text"
    try:
        decode(data)[0].encode()
    except UnusableError as error:
        code = error.code
    assert code in {"text", "binary", "undecodable"}


@given(text=st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=200))
def test_a_stream_reads_as_the_whole_does(text: str) -> None:
    data = (text + "\n").encode()
    lines, _ = open_text(io.BufferedReader(io.BytesIO(data)), None)
    assert clean("".join(lines)) == decode(data)[0]


def test_a_stream_that_leaves_utf8_after_a_megabyte_is_read_in_its_own_encoding() -> None:
    data = b"plain\n" * 300_000 + GERMAN.encode("cp1252")
    with gzip.open(io.BytesIO(gzip.compress(data))) as stream:
        lines, chosen = open_text(stream, None)
        assert (list(lines)[-1], chosen.name) == (GERMAN, "cp1252")


def test_damaged_utf8_keeps_its_letters_and_is_told() -> None:
    text, chosen = decode(GERMAN.encode() + b"\xc3")
    assert text == GERMAN + "\ufffd"
    assert [problem.code for problem in chosen.problems] == ["damaged_encoding"]


def test_the_encoding_that_is_given_holds() -> None:
    assert decode("Ж".encode("cp1251"), "cp1251")[0] == "Ж"
    with pytest.raises(UnusableError, match="not ascii"):
        decode(b"caf\xe9", "ascii")
    with pytest.raises(UnusableError, match="unknown encoding"):
        decode(b"caf\xe9", "no-such-encoding")


@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 8, b"\x00" * 64, b"%PDF-1.7 x", b"PK\x03\x04 x", b"{\\rtf1 x}"]
)
def test_what_is_no_text_is_binary(data: bytes) -> None:
    with pytest.raises(UnusableError) as caught:
        decode(data)
    assert caught.value.code == "binary"


def test_a_stray_zero_byte_becomes_a_space_and_a_lone_surrogate_a_mark() -> None:
    assert decode(b"a" * 300 + b"\x00b")[0] == "a" * 300 + " b"
    assert clean("a\ud800b") == "a\ufffdb"
