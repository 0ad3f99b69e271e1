"""From bytes to clean text: the encoding, NFC, one kind of line end, nothing that is no character."""

import codecs
import gzip
import io
import re
from typing import NamedTuple

from corpusgraph.flows.resources.loaders.guess import guess_encoding
from corpusgraph.flows.resources.loaders.raw import UnusableError
from corpusgraph.schemas.base import nfc
from corpusgraph.tasks.text.readable import mend

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile("([\xc2-\xf4][\x80-\xbf]{1,3})|[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters, but not those within what may be a letter of UTF-8 read as Latin-1: see `finish`."""
_REST = re.compile("[\x80-\x9f]")
_ODD = re.compile("[\x00-\x08\x0d-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
_LINE_ENDS = (
    ("\r\n", "\n"),
    ("\r", "\n"),
    ("\u2028", "\n"),
    ("\u2029", "\n\n"),
    ("\ufeff", ""),
)
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]")
_MAGIC = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a zip archive or an office document",
    b"{\\rtf": "an RTF document",
}
Binary = io.BufferedReader | gzip.GzipFile

_BLOCK = 1 << 20
_SAMPLE = 200_000


class Encoding(NamedTuple):
    """What a file's bytes are read with; `damaged` UTF-8 has bytes that are none, read as U+FFFD."""

    name: str
    damaged: bool = False

    @property
    def errors(self) -> str:
        """Return Python's name for what happens to bytes that do not fit."""
        return "replace" if self.damaged else "strict"

    @property
    def problems(self) -> tuple[UnusableError, ...]:
        """Return the line for the failure ledger that damage costs."""
        message = "bytes that are not UTF-8 stand in UTF-8 text; they were read as U+FFFD"
        return (UnusableError("damaged_encoding", message),) if self.damaged else ()


def clean(text: str) -> str:
    r"""Return text in NFC with `\n` line ends; control characters become spaces, lone surrogates U+FFFD.

    Those that may be part of a letter whose encoding was mistaken stay until `finish`.
    """
    if _ODD.search(text):
        for old, new in _LINE_ENDS:
            text = text.replace(old, new)
        text = _CONTROL.sub(_instead, text)
    return nfc(text)


def _instead(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    return "\ufffd" if match[0] >= "\ud800" else "\n" if match[0] == "\x85" else " "


def finish(text: str) -> tuple[str, int]:
    """Return clean text with mistaken encodings put right, and in how many lines."""
    mended, n_lines = mend(text)
    if _REST.search(mended):
        mended = _REST.sub(lambda match: "\n" if match[0] == "\x85" else " ", mended)
    return clean(mended), n_lines


def decode(data: bytes, encoding: str | None = None, declared: str | None = None) -> tuple[str, Encoding]:
    """Return clean text and the encoding it was read with.

    `encoding` is the researcher's word and holds; `declared` is the file's own, believed where it fits.
    """
    for magic, what in _MAGIC.items():
        if data.startswith(magic):
            raise UnusableError("binary", f"the file is {what}, not text; its name should say so")
    chosen = _choose(data, encoding, declared)
    text = read_as(data, chosen)
    _refuse_binary(text)
    return clean(text), chosen


def _refuse_binary(text: str) -> None:
    if sum(not match[1] for match in _CONTROL.finditer(text)) > len(text) / 100:
        raise UnusableError("binary", "the file is binary, not text")


def read_as(data: bytes, chosen: Encoding) -> str:
    """Decode bytes; those that do not fit cannot be used."""
    try:
        return data.decode(chosen.name, chosen.errors)
    except (UnicodeError, LookupError) as error:
        raise UnusableError("undecodable", f"not {chosen.name}: {error}") from None


def _choose(data: bytes, encoding: str | None, declared: str | None = None) -> Encoding:
    marked = next((name for bom, name in _BOMS if data.startswith(bom)), None)
    if name := marked or encoding:
        return Encoding(name)
    if _ISO_2022_JP.search(data[:_SAMPLE]):
        return Encoding("iso2022_jp")
    if b"\x00" in data[:8192] and (wide := _wide(data[:8192])):
        return Encoding(wide)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _choose_other(data, declared)
    return Encoding("utf-8")


def _wide(head: bytes) -> str | None:
    """Recognise UTF-16 without a mark: every other byte of Western text is zero. Other zeros are binary."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) > 0.3 * len(head) / 2 and min(even, odd) < 0.02 * len(head):
        return "utf-16-le" if odd > even else "utf-16-be"
    if even + odd > len(head) / 100:
        raise UnusableError("binary", "the file is binary, not text")
    return None


def _choose_other(data: bytes, declared: str | None) -> Encoding:
    """Choose for bytes that are no valid UTF-8: damaged UTF-8, the declared encoding, or the likeliest."""
    if declared and _fits(data, declared):
        return Encoding(declared)
    sample = _telling(data)
    text = sample.decode("utf-8", errors="surrogateescape")
    n_bad = sum("\udc80" <= c <= "\udcff" for c in text)
    n_good = sum("\x7f" < c < "\ud800" or c > "\udfff" for c in text)
    if n_good > 3 * n_bad:
        return Encoding("utf-8", damaged=True)
    guess = guess_encoding(sample)
    if guess is None:
        raise UnusableError("binary", "the file is binary, or its encoding cannot be told")
    return Encoding(guess)


def _fits(data: bytes, encoding: str) -> bool:
    if encoding.lower().startswith("utf"):
        return False
    try:
        data.decode(encoding)
    except (UnicodeError, LookupError):
        return False
    return True


def _telling(data: bytes) -> bytes:
    """Return a sample: all of a short file, else the lines with bytes beyond ASCII."""
    if len(data) <= _SAMPLE:
        return data
    kept, size = [], 0
    for match in re.finditer(rb"[^\n]*[\x80-\xff][^\n]*\n?", data):
        kept.append(match[0][:_SAMPLE])
        size += len(kept[-1])
        if size >= _SAMPLE:
            break
    return b"".join(kept)


def open_text(stream: Binary, encoding: str | None) -> tuple[io.TextIOWrapper, Encoding]:
    """Open a stream for reading line by line, in the encoding of all of it; memory does not grow with it."""
    chosen = _choose_for_stream(stream, encoding)
    stream.seek(0)
    try:
        _refuse_binary(stream.read(_SAMPLE).decode(chosen.name, errors="replace"))
    except LookupError as error:
        raise UnusableError("undecodable", str(error)) from None
    stream.seek(0)
    return io.TextIOWrapper(stream, encoding=chosen.name, errors=chosen.errors, newline=""), chosen


def _choose_for_stream(stream: Binary, encoding: str | None) -> Encoding:
    """Choose by the first megabyte; while that is UTF-8, the rest must be, too."""
    block = stream.read(_BLOCK)
    chosen = _choose(block[: _last_line(block)], encoding)
    if encoding or chosen != Encoding("utf-8"):
        return chosen
    reader = codecs.getincrementaldecoder("utf-8")()
    is_ascii = True
    while block:
        try:
            reader.decode(block)
        except UnicodeDecodeError:
            return _choose_other(block, None) if is_ascii else Encoding("utf-8", damaged=True)
        is_ascii = is_ascii and block.isascii()
        block = stream.read(_BLOCK)
    return chosen


def _last_line(block: bytes) -> int:
    return block.rfind(b"\n") + 1 or len(block)
