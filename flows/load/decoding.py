"""From bytes to clean text: the encoding, NFC, one kind of line end, nothing that is no character."""

import codecs
import gzip
import io
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.documents import PageSpan
from corpusgraph.tasks.text.readable import Reading, mend
from corpusgraph.tasks.text.wordlist import entry

_CYRILLIC = ("cp1251", "koi8-r", "koi8-u", "iso8859-5", "cp866", "mac_cyrillic")
_MARKS = frozenset("“”„‘’‚«»‹›–—…№•·§¶†‡°£€¥¢©®™±×÷½¼¾²³¹¿¡ªº´¨\u00a0\u00ad")
_BETWEEN_LETTERS = frozenset("’–—·­\u00a0/")
_HIGH = re.compile(rb"[\x80-\xff]")
_ASCII_LETTER = re.compile(rb"[A-Za-z]")


def guess_encoding(sample: bytes) -> str | None:
    """Return the likeliest encoding of a text, or None when it is no text.

    Text in Latin or Cyrillic letters is read in each of its encodings; the reading whose letters are those of
    one language wins. For other scripts the judgement is that of charset-normalizer.

    Parameters
    ----------
    sample : bytes
        Bytes that are no UTF-8.

    Returns
    -------
    str or None
        Name of a codec of Python.

    """
    n_high, n_ascii = len(_HIGH.findall(sample)), len(_ASCII_LETTER.findall(sample))
    letters_of, is_latin = entry("letters"), n_high <= 0.7 * n_ascii
    candidates: dict[str, list[str]] = letters_of["latin"]
    if not is_latin:
        candidates = dict.fromkeys(_CYRILLIC, letters_of["cyrillic"])
    scores = {name: _plausible(sample, name, alphabets) for name, alphabets in candidates.items()}
    best = max(scores, key=scores.__getitem__)
    letters = [c for c in sample.decode(best, errors="replace").lower() if c > "\x7f" and c.isalpha()]
    # common letters of Slavic texts: some encodings only swap letters and case
    is_russian = sum(c in "оеаинтсрвл" for c in letters) > 0.5 * len(letters)
    if scores[best] >= 0.9 and (is_latin or is_russian):
        return best
    from charset_normalizer import from_bytes

    other = from_bytes(sample).best()
    if other is None:
        return best if scores[best] >= 0.7 and is_latin else None
    return str(other.encoding)


def _plausible(sample: bytes, encoding: str, alphabets: list[str]) -> float:
    """Return the share of characters beyond ASCII that are letters of one language, or marks in place."""
    text = sample.decode(encoding, errors="replace")
    letters, n_marks, n_all = Counter[str](), 0, 0
    for before, letter, after in zip(" " + text, text, text[1:] + " ", strict=False):
        if letter <= "\x7f":
            continue
        n_all += 1
        if letter in _MARKS:
            n_marks += letter in _BETWEEN_LETTERS or not (before.isalpha() and after.isalpha())
        elif not (letter.isupper() and before.islower()):  # no language writes that, wrong decodings do
            letters[letter.lower()] += 1
    known = max(sum(n for letter, n in letters.items() if letter in alphabet) for alphabet in alphabets)
    return (known + n_marks) / n_all


@dataclass(eq=False)
class UnusableError(Exception):
    """A file, a row or a part of one cannot be read as its kind; becomes a line of the failure ledger.

    A note is a line, too, but nothing failed: something was mended, or may be missing.
    """

    code: str
    message: str
    is_note: bool = False

    def __str__(self) -> str:
        """Return the message."""
        return self.message


@dataclass(frozen=True)
class Raw:
    """Text of one document as its file has it.

    `key` tells rows of one file apart. `problems` are parts that were lost while the rest could be read: they
    go to the failure ledger beside the document.
    """

    text: str
    title: str | None = None
    metadata: JsonDict = field(default_factory=dict)
    pages: tuple[PageSpan, ...] = ()
    key: str | None = None
    problems: tuple[UnusableError, ...] = ()


@dataclass(frozen=True)
class Format:
    """A kind of document: what its files end in, the usual ending first, and what reads the bytes of one.

    Without a reader it is a table, whose rows are documents.
    """

    endings: tuple[str, ...]
    read: Callable[[bytes, str | None], list[Raw]] | None = None


def unreadable(reading: Reading, where: str = "", hint: str = "") -> UnusableError:
    """Tell how much of a text cannot be read: so much that it is not used, or a part that was left out.

    Parameters
    ----------
    reading : Reading
        What `read` found.
    where : str, default ''
        Begins the message.
    hint : str, default ''
        What to do; a general one unless given.

    Returns
    -------
    UnusableError
        `unreadable_text` or `unreadable_part`, to be raised or noted.

    """
    counted = f"{reading.n_lost:,} of {reading.n_characters:,} characters are unreadable ({reading.why})"
    hint = hint or "The file needs another source of its text."
    if reading.is_unreadable:
        return UnusableError("unreadable_text", f"{where}{counted}: it is not used. {hint}")
    return UnusableError("unreadable_part", f"{where}{counted} and were left out. {hint}")


def mended_encoding(n_lines: int, where: str = "") -> UnusableError:
    """Tell that text whose encoding had been mistaken was put right.

    Parameters
    ----------
    n_lines : int
        1 or more.
    where : str, default ''
        Begins the message.

    Returns
    -------
    UnusableError
        `mended_encoding`, to be noted.

    """
    lines = "1 line" if n_lines == 1 else f"{n_lines:,} lines"
    message = f"{where}text written in UTF-8 had been read as another encoding; put right in {lines}"
    return UnusableError("mended_encoding", message, is_note=True)


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
_LINE_ENDS = {"\r\n": "\n", "\r": "\n", "\u2028": "\n", "\u2029": "\n\n", "\ufeff": ""}
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

    Parameters
    ----------
    text : str
        As it was decoded.

    Returns
    -------
    str
        Offsets of documents count in it.

    """
    if _ODD.search(text):
        for old, new in _LINE_ENDS.items():
            text = text.replace(old, new)
        text = _CONTROL.sub(_instead, text)
    return nfc(text)


def _instead(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    return "\ufffd" if match[0] >= "\ud800" else "\n" if match[0] == "\x85" else " "


def finish(text: str) -> tuple[str, int]:
    """Return clean text with mistaken encodings put right, and in how many lines.

    Parameters
    ----------
    text : str
        As `clean` returns it.

    Returns
    -------
    tuple of str and int
        The number is 0 where nothing was wrong.

    """
    mended, n_lines = mend(text)
    if _REST.search(mended):
        mended = _REST.sub(lambda match: "\n" if match[0] == "\x85" else " ", mended)
    return clean(mended), n_lines


def decode(data: bytes, encoding: str | None = None, declared: str | None = None) -> tuple[str, Encoding]:
    """Return clean text and the encoding it was read with.

    Parameters
    ----------
    data : bytes
        Of a whole file.
    encoding : str, optional
        The researcher's word, which holds.
    declared : str, optional
        The file's own, believed where it fits.

    Returns
    -------
    tuple of str and Encoding
        With the problems met on the way.

    Raises
    ------
    UnusableError
        `binary`, `undecodable`.

    """
    for magic, what in _MAGIC.items():
        if data.startswith(magic):
            raise UnusableError("binary", f"the file is {what}, not text; its name should say so")
    chosen = _choose(data, encoding, declared)
    try:
        text = data.decode(chosen.name, chosen.errors)
    except (UnicodeError, LookupError) as error:
        raise UnusableError("undecodable", f"not {chosen.name}: {error}") from None
    _refuse_binary(text)
    return clean(text), chosen


def _refuse_binary(text: str) -> None:
    if sum(not match[1] for match in _CONTROL.finditer(text)) > len(text) / 100:
        raise UnusableError("binary", "the file is binary, not text")


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
    if declared and not declared.lower().startswith("utf"):
        with suppress(UnicodeError, LookupError):
            data.decode(declared)
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
    """Open a stream for reading line by line, in the encoding of all of it; memory does not grow with it.

    Parameters
    ----------
    stream : Binary
        Is read twice; it must be able to go back.
    encoding : str or None
        The researcher's word; None to find out.

    Returns
    -------
    tuple of TextIOWrapper and Encoding
        Lines keep their ends.

    Raises
    ------
    UnusableError
        `binary`, `undecodable`.

    """
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
    chosen = _choose(block[: block.rfind(b"\n") + 1 or len(block)], encoding)
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
