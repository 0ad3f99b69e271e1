"""Stata's .dta files, formats 117 and 118, as `help dta` of Stata describes them, little-endian.

Written here because no library writes Stata's missing values .a to .z beside numbers. Rows are written in
blocks, so that no second copy of the data is made.
"""

import io
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.errors import InvalidInputError

if TYPE_CHECKING:
    import polars as pl

WRITTEN = b"01 Jan 2000 00:00"
"""Fixed, so that the same data are the same bytes."""
MOST_VARIABLES = 32_767
LONGEST_TEXT = 2045
"""Bytes of a str variable; longer text is strL."""
_BLOCK = 16_384
_STRL = 32_768
_TYPES = {"int8": 65_530, "int16": 65_529, "int32": 65_528, "float64": 65_526}
_MISSING = {"int8": 101, "int16": 32_741, "int32": 2_147_483_621}
_LABEL_MISSING = 2_147_483_621
_RANGES = (("int8", -127, 100), ("int16", -32_767, 32_740), ("int32", -2_147_483_647, 2_147_483_620))


@dataclass(frozen=True)
class Variable:
    """A variable: numbers with Stata's missing values in them, or encoded text; its format and labels."""

    name: str
    label: str
    format: str
    numbers: NDArray[Any] | None = None
    texts: "pl.Series | None" = None
    width: int = 0
    labels: Mapping[int, str] = field(default_factory=dict)

    @property
    def is_long(self) -> bool:
        """Whether it is strL."""
        return self.numbers is None and self.width == _STRL

    @property
    def bytes(self) -> int:
        """Bytes it takes in a row."""
        return self.numbers.itemsize if self.numbers is not None else 8 if self.is_long else self.width

    @property
    def type(self) -> int:
        """Its code in the list of types."""
        return _TYPES[str(self.numbers.dtype)] if self.numbers is not None else self.width


@dataclass(frozen=True)
class _Layout:
    """Lengths of names, formats, labels; the encoding; how the numbers of rows and of bytes are packed."""

    name: int
    format: int
    label: int
    encoding: str
    rows: str
    title: str


_LAYOUTS = {
    117: _Layout(33, 49, 81, "latin-1", "<I", "<B"),
    118: _Layout(129, 57, 321, "utf-8", "<Q", "<H"),
}


def smallest(values: NDArray[Any]) -> str:
    """Return the smallest integer type that holds the values, float64 where none does."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    return next((name for name, least, most in _RANGES if least <= low and high <= most), "float64")


def missing(dtype: str, letter: NDArray[Any] | int = 0) -> Any:
    """Return `.` (letter 0) or `.a` to `.z` (1 to 26) as a number of that type."""
    if dtype != "float64":
        return np.asarray(_MISSING[dtype] + np.asarray(letter), dtype=dtype)
    bits = np.uint64(0x7FE0 << 48) + (np.asarray(letter, dtype=np.uint64) << np.uint64(40))
    return bits.view(np.float64)


def label_of_missing(letter: int) -> int:
    """Return what stands for `.a` (1) to `.z` (26) in a set of value labels."""
    return _LABEL_MISSING + letter


def text_width(values: "pl.Series") -> int:
    """Return the width of the str variable, or strL where text is longer or a fixed width wasteful."""
    lengths = values.bin.size()
    longest, total = int(lengths.max() or 0), int(lengths.sum())  # type: ignore[arg-type]
    fixed = longest * len(values)
    wasteful = fixed > 100_000_000 and fixed > 4 * (total + 30 * len(values))
    return _STRL if longest > LONGEST_TEXT or wasteful else max(longest, 1)


def write(variables: Sequence[Variable], n_rows: int, version: int, title: str) -> bytes:
    """Write a file of format 117 (text in Latin-1) or 118 (UTF-8); strL is ASCII in the first.

    Raises InvalidInputError for more variables than the formats hold.
    """
    if len(variables) > MOST_VARIABLES:
        raise InvalidInputError(
            f"{len(variables):,} variables are more than the {MOST_VARIABLES:,} of a .dta file.",
            hint="Leave variables out, or choose another format.",
        )
    out, places = io.BytesIO(), list[int]()
    for part in _parts(variables, n_rows, version, title):
        if isinstance(part, bytes):
            out.write(part)
        else:
            places.append(out.tell())
    end = out.tell()
    out.seek(places[1] + len("<map>"))
    out.write(struct.pack("<14Q", *places, end))
    return out.getvalue()


_Mark = None
_Parts = Iterator[bytes | None]


def _parts(variables: Sequence[Variable], n_rows: int, version: int, title: str) -> _Parts:
    """Yield the file in parts; None marks a place that the map names."""
    layout, k = _LAYOUTS[version], len(variables)
    yield _Mark
    told = title.encode(layout.encoding)
    yield b"<stata_dta><header><release>%d</release><byteorder>LSF</byteorder>" % version
    yield b"<K>" + struct.pack("<H", k) + b"</K><N>" + struct.pack(layout.rows, n_rows) + b"</N>"
    yield b"<label>" + struct.pack(layout.title, len(told)) + told + b"</label>"
    yield b"<timestamp>" + bytes([len(WRITTEN)]) + WRITTEN + b"</timestamp></header>"
    yield _Mark
    yield b"<map>" + bytes(14 * 8) + b"</map>"
    labelled = [v.name if v.labels else "" for v in variables]
    sections = (
        ("variable_types", b"".join(struct.pack("<H", v.type) for v in variables)),
        ("varnames", _fields([v.name for v in variables], layout.name, layout)),
        ("sortlist", bytes(2 * (k + 1))),
        ("formats", _fields([v.format for v in variables], layout.format, layout)),
        ("value_label_names", _fields(labelled, layout.name, layout)),
        ("variable_labels", _fields([v.label for v in variables], layout.label, layout)),
        ("characteristics", b""),
    )
    for tag, content in sections:
        yield _Mark
        yield b"<%s>%s</%s>" % (tag.encode(), content, tag.encode())
    strls = [_Long(v.texts, at, version) for at, v in enumerate(variables, 1) if v.is_long]
    yield _Mark
    yield b"<data>"
    yield from _blocks(variables, {one.place: one for one in strls}, n_rows)
    yield b"</data>"
    yield _Mark
    yield b"<strls>"
    for one in strls:
        yield from one.objects()
    yield b"</strls>"
    yield _Mark
    yield b"<value_labels>"
    for variable in variables:
        if variable.labels:
            yield _labels(variable, layout)
    yield b"</value_labels>"
    yield _Mark
    yield b"</stata_dta>"


def _fields(texts: Sequence[str], width: int, layout: _Layout) -> bytes:
    return b"".join(text.encode(layout.encoding)[: width - 1].ljust(width, b"\0") for text in texts)


def _blocks(variables: Sequence[Variable], strls: Mapping[int, "_Long"], n_rows: int) -> Iterator[bytes]:
    width = sum(variable.bytes for variable in variables)
    for start in range(0, n_rows, _BLOCK):
        n = min(_BLOCK, n_rows - start)
        block, at = np.zeros((n, width), dtype=np.uint8), 0
        for place, variable in enumerate(variables, 1):
            cells = _cells(variable, strls.get(place), start, n)
            block[:, at : at + variable.bytes] = cells
            at += variable.bytes
        yield block.tobytes()


def _cells(variable: Variable, strl: "_Long | None", start: int, n: int) -> NDArray[np.uint8]:
    if variable.numbers is not None:
        numbers = np.ascontiguousarray(variable.numbers[start : start + n])
        return numbers.view(np.uint8).reshape(n, -1)
    if strl is not None:
        return strl.keys[start : start + n].view(np.uint8).reshape(n, -1)
    texts: Any = variable.texts
    return padded(texts.slice(start, n), variable.width)


def padded(texts: "pl.Series", width: int) -> NDArray[np.uint8]:
    """Return bytes of text in rows of that width, filled with zeros; missing text is empty."""
    made = np.array(texts.fill_null(b"").to_list(), dtype=f"S{width}")
    return made.view(np.uint8).reshape(len(made), width)


class _Long:
    """Text of a strL variable: each distinct text once, named by variable and the row that first has it."""

    def __init__(self, texts: Any, place: int, version: int) -> None:
        import polars as pl

        self.place, self._version = place, version
        filled = texts.fill_null(b"").alias("t")
        first = (
            pl.DataFrame({"t": filled})
            .with_row_index("o", offset=1)
            .unique("t", keep="first", maintain_order=True)
        )
        self._first = first.filter(pl.col("t") != b"")
        known = pl.DataFrame({"t": filled}).join(self._first, on="t", how="left", maintain_order="left")["o"]
        rows = known.fill_null(0).cast(pl.UInt64).to_numpy()
        shift = np.uint64(32 if version == 117 else 16)
        self.keys = np.where(rows > 0, (rows << shift) + np.uint64(place), np.uint64(0))

    def objects(self) -> Iterator[bytes]:
        """Yield the texts as Stata's generic string objects."""
        head = "<3sIIBI" if self._version == 117 else "<3sIQBI"
        for row, text in self._first.select("o", "t").iter_rows():
            content = text + b"\0"
            yield struct.pack(head, b"GSO", self.place, row, 130, len(content)) + content


def _labels(variable: Variable, layout: _Layout) -> bytes:
    codes = sorted(variable.labels)
    texts = [variable.labels[code].encode(layout.encoding) + b"\0" for code in codes]
    offsets = [0, *np.cumsum([len(text) for text in texts])[:-1].tolist()]
    table = struct.pack(f"<II{len(codes)}I{len(codes)}i", len(codes), sum(map(len, texts)), *offsets, *codes)
    content = table + b"".join(texts)
    name = _fields([variable.name], layout.name, layout) + bytes(3)
    return b"<lbl>" + struct.pack("<I", len(content)) + name + content + b"</lbl>"
