"""What every bundle of a network carries: sheets with their codebook, name map, provenance, manifest."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import Column, ColumnType, Table, ToolWarning
from corpusgraph.tasks.analysis.checks import Passage
from corpusgraph.tasks.export.figures import DRAWN_BY, PICTURES
from corpusgraph.tasks.export.files import (
    Files,
    csv_bytes,
    file_facts,
    json_bytes,
    library_versions,
    parquet,
    rendered,
    sheet_bytes,
)

Kind = Literal["entity", "relation", "causal", "claim", "argument", "event"]
"""What is read in texts, as `benchmarks.extraction.run --sample` names it."""


class Measured(NamedTuple):
    """Shares of 1, on the annotated test passages: precision with its 95 % interval (Wilson), and recall.

    Attributes
    ----------
    what : str
        What is read, in the plural.
    precision : float
        Share right of what is found.
    low, high : float
        Ends of the interval of the precision.
    recall : float
        Share found of what readers find.

    """

    what: str
    precision: float
    low: float
    high: float
    recall: float
    read: Mapping[str, tuple[int, int]] = MappingProxyType({})
    """Kind of text -> of 100 in it, how many strict readers found right, and right or doubtful."""


_PAPERS, _MESSAGES, _ESSAYS = "papers and news", "messages to Congress", "eighteenth-century essays"
_READ_RELATIONS = {_PAPERS: (77, 88), _MESSAGES: (64, 84), _ESSAYS: (48, 74)}
_READ_CAUSES = {_PAPERS: (81, 82), _MESSAGES: (66, 79), _ESSAYS: (49, 74)}
MEASURED: dict[Kind, Measured] = {
    "entity": Measured("entities", precision=0.84, low=0.81, high=0.87, recall=0.79),
    "relation": Measured("relations", 0.79, low=0.71, high=0.85, recall=0.16, read=_READ_RELATIONS),
    "causal": Measured("causal arrows", 0.96, low=0.85, high=0.99, recall=0.18, read=_READ_CAUSES),
    "claim": Measured("claims", precision=0.63, low=0.57, high=0.69, recall=0.50),
    "argument": Measured("attacks and supports", precision=0.55, low=0.28, high=0.79, recall=0.10),
    "event": Measured("events", precision=0.75, low=0.61, high=0.85, recall=0.72),
}
"""The offline extractor on English texts, relations as graphs take them: benchmarks/extraction/RESULTS.md."""


def kinds_of(formulas: Iterable[str]) -> list[Kind]:
    """Return what columns rest on whose formula begins with a measure; none for a table from elsewhere.

    Parameters
    ----------
    formulas : iterable of str
        Such as `claims` or `pmi: ...`, one a column.

    Returns
    -------
    list of Kind
        In the order of `MEASURED`.

    """
    from corpusgraph.tasks.dataset.measures.registry import MEASURES

    measures = {formula.partition(":")[0] for formula in formulas} & MEASURES.keys()
    kinds = {MEASURES[measure].rests_on for measure in measures}
    return [kind for kind in MEASURED if kind in kinds]


KINDS: dict[str, str] = {"integer": "n", "numeric": "x", "boolean": "b", "text": "t"}
"""Type of a column -> how it is written in the columns of a sheet."""
_TYPES = {letter: dtype for dtype, letter in KINDS.items()}

_COMMON = {
    "codebook.json": "every column of every CSV file: type and meaning",
    "name_map.csv": "ids and names as given, and names in these files",
    "provenance.parquet": "which passages stand behind each record",
    "passages.csv": "the same passages for a spreadsheet",
    "manifest.json": "what was done, every fix, sizes and hashes of the files",
}

_PROVENANCE: tuple[tuple[str, ColumnType], ...] = (
    *((name, "text") for name in ("record", "stance", "evidence_id", "chunk_id", "document_id")),
    *(("document", "text"), ("source", "text"), ("start", "integer"), ("end", "integer")),
    *(("page", "integer"), ("confidence", "numeric"), ("text", "text")),
)


Head = tuple[str, str, str]
"""A column: name, kind and label."""
Described = Head | tuple[str, str, str, Callable[[Any], Any]]
"""A column: name, kind, label, and what its cell is of an item."""


def fields(model: type[BaseModel], *names: str) -> Iterator[Head]:
    """Yield a column for each of a model's fields, as the model declares and describes them.

    Parameters
    ----------
    model : type of BaseModel
        Model of the items.
    *names : str
        Fields in the order of the columns; all of them unless given.

    Yields
    ------
    Head
        Text, unless the field is a number or a truth value.

    """
    kinds: dict[Any, str] = {int: "n", float: "x", bool: "b"}
    for name in names or model.model_fields:
        field_ = model.model_fields[name]
        plain: Any = field_.annotation
        while told := get_args(plain):  # of `float | None`, a tuple and a Literal what is in it
            plain = told[0]
        kind = kinds.get(plain if isinstance(plain, type) else type(plain), "t")
        several = ", separated by semicolons" if get_origin(field_.annotation) is tuple else ""
        yield name, kind, (field_.description or name.replace("_", " ")) + several


def of_first(name: str) -> Callable[[Any], Any]:
    """Return what reads a field of the first of an item's passages; None where it has none.

    Parameters
    ----------
    name : str
        A field of `Passage`.

    Returns
    -------
    callable
        Takes an item with `passages`.

    """
    return lambda item: getattr(item.passages[0], name) if item.passages else None


@dataclass(frozen=True)
class Sheet:
    """A CSV file; `columns` are (name, kind, label), kinds t for text, n whole, x real, b true or false.

    Attributes
    ----------
    file : str
        Name of the file.
    about : str
        What it is, in a line.
    columns : tuple of (str, str, str)
    rows : sequence of sequence of Any
        A value a column; None is an empty cell.

    """

    file: str
    about: str
    columns: tuple[Head, ...]
    rows: Sequence[Sequence[Any]]

    @classmethod
    def of(cls, file: str, about: str, items: Iterable[Any], *columns: Described) -> "Sheet":
        """Return a sheet with a row for each item.

        Parameters
        ----------
        file, about : str
            As of the sheet.
        items : iterable of Any
            What the rows are of.
        *columns : tuple
            (name, kind, label), of the item's attribute of that name, or (name, kind, label, getter); several
            texts are joined by semicolons.

        Returns
        -------
        Sheet
            Cells that are tuples are joined by "; ".

        """
        getters = [column[3] if len(column) == 4 else attrgetter(column[0]) for column in columns]
        cells = ((get(item) for get in getters) for item in items)
        rows = [tuple("; ".join(one) if isinstance(one, tuple) else one for one in row) for row in cells]
        return cls(file, about, tuple(column[:3] for column in columns), rows)

    def content(self) -> bytes:
        """Return the sheet as a CSV file.

        Returns
        -------
        bytes
            CSV in UTF-8.

        """
        return csv_bytes([head for head, _, _ in self.columns], self.rows)


def folder(
    *,
    kind: str,
    name: str,
    title: str,
    opening: str,
    files: Mapping[str, tuple[bytes, str]],
    sheets: Sequence[Sheet],
    names: Mapping[str, tuple[str, ...]],
    passages: Iterable[tuple[str, Passage]],
    facts: JsonDict,
    warnings: Sequence[ToolWarning],
    picture: Mapping[str, bytes],
    read: tuple[Kind, ...],
    name_columns: tuple[str, ...] = ("id", "old_name", "new_name"),
    libraries: tuple[str, ...] = ("corpusgraph", "pyarrow"),
) -> Files:
    """Return all files of a bundle: relative name -> bytes, the same for the same input.

    Parameters
    ----------
    kind : str
        What the manifest says it is a bundle of.
    name : str
        Name of the bundle.
    title : str
        Heading of the README; the name where it is empty.
    opening : str
        First paragraphs of the README.
    files : mapping of str to (bytes, str)
        The bundle's own: file name -> content, and what it is.
    sheets : sequence of Sheet
        The CSV files.
    names : mapping of str to tuple of str
        Id -> the rest of `name_columns`.
    passages : iterable of (str, Passage)
        Id of a record, and a passage behind it.
    facts : JsonDict
        What the manifest says besides.
    warnings : sequence of ToolWarning
        Said in the README and the manifest.
    picture : mapping of str to bytes
        Name of a picture's file -> content.
    read : tuple of Kind
        What the records were read as, where texts are behind them; the README says how often that is right.
    name_columns : tuple of str, optional
        Columns of `name_map.csv`.
    libraries : tuple of str, optional
        Whose versions the manifest has, beside those that draw.

    Returns
    -------
    dict of str to bytes
        With README.md, codebook, name map, provenance and manifest.

    """
    cells = attrgetter(*("title" if field == "document" else field for field, _ in _PROVENANCE[1:]))
    rows = [(record, *cells(passage)) for record, passage in passages]
    columns = tuple(Column(name=field, dtype=dtype) for field, dtype in _PROVENANCE)
    described = {file: about for file, (_, about) in files.items()}
    described |= {sheet.file: sheet.about for sheet in sheets} | _COMMON | PICTURES
    made = {**picture, **{file: content for file, (content, _) in files.items()}}
    made |= {sheet.file: sheet.content() for sheet in sheets}
    made["codebook.json"] = json_bytes(
        [
            {"file": sheet.file, "name": head, "type": _TYPES[letter], "label": label}
            for sheet in sheets
            for head, letter, label in sheet.columns
        ]
    )
    made["name_map.csv"] = sheet_bytes(name_columns, [(id_, *rest) for id_, rest in names.items()])
    made["provenance.parquet"] = parquet(Table(name="provenance", columns=columns, rows=tuple(rows)))
    made["passages.csv"] = sheet_bytes([field for field, _ in _PROVENANCE], rows)
    made["README.md"] = readme(
        title or name, opening, described, {"What to know": warnings}, read if rows else ()
    )
    made["manifest.json"] = json_bytes(
        {
            "bundle": kind,
            "name": name,
            "title": title,
            **facts,
            "warnings": [warning.model_dump(mode="json") for warning in warnings],
            "libraries": library_versions((*libraries, *DRAWN_BY)),
            "files": file_facts(made),
        }
    )
    return dict(sorted(made.items()))


def readme(
    title: str,
    opening: str,
    described: Mapping[str, str],
    notes: Mapping[str, Sequence[ToolWarning]],
    read: Iterable[Kind],
) -> bytes:
    """Write README.md of a bundle: what it is, its files, notes, and how much of it is right.

    Parameters
    ----------
    title, opening : str
        Its heading and first paragraphs.
    described : mapping of str to str
        File of the bundle -> what it is.
    notes : mapping of str to sequence of ToolWarning
        Heading -> what stands below it; without any there is no heading.
    read : iterable of Kind
        What the records were read as, where texts are behind them: how often that is right is said last.

    Returns
    -------
    bytes
        Markdown in UTF-8.

    """
    measured = {kind: MEASURED[kind] for kind in read}
    facts = {"opening": opening, "described": described, "notes": notes, "measured": measured}
    return rendered("README.md", title=title, **facts).encode()
