"""Small corpora in which documents share names: homonyms, titles, surnames, and relations across documents."""

from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import corpusgraph
from corpusgraph.flows.files.manifest import DATABASE
from corpusgraph.flows.store.lance import open_table, read
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.flows.store.tables import TABLES

SENTENCES = (
    "Dr. John Snow lived in London.",
    "Mr. John Snow met William Farr in Soho.",
    "Mrs. Snow wrote to Mr. Snow about the pump.",
    "Snow argued that contaminated water caused cholera.",
    "William Farr worked for the General Register Office.",
    "Farr denied that foul air caused cholera.",
    "The General Register Office (GRO) was founded in 1836.",
    "The GRO published the returns of London on 8 September 1854.",
    "The Board of Health said that foul air causes cholera.",
    "The Board answered, because the smell was strong.",
    "Titanic sank in April 1912.",
    "Ada Snow sailed on the Titanic from Southampton.",
    "Overcrowding depends on poverty, and poverty led to cholera.",
    "Joseph Bazalgette built the sewers of London.",
    "The water of the pump was clear, said Ada.",
    "Southampton is a town near London.",
)
TITLES = ("Titanic (film)", "Titanic", "John Snow", "Report of the Board", "")
SOURCES = ("a.txt", "b.txt", "c.md", "sub/d.txt", "sub/a.txt", "e.md")

texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6).map(" ".join)


def written(source: str, title: str, text: str) -> str:
    """Return a file's text; one of Markdown carries its title."""
    return f"---\ntitle: {title}\n---\n{text}" if source.endswith(".md") and title else text


def write(folder: Path, files: dict[str, str]) -> Path:
    """Make a folder hold these files and no others."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).as_posix() not in files:
            path.unlink()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def index(corpus: Path, outputs: Path, **more: Any) -> Any:
    """Index a folder under the one name used here."""
    return corpusgraph.index(corpus, name="made", outputs=outputs, **more)


def contents(outputs: Path) -> dict[str, Any]:
    """Return all that an index holds: every table with its vectors, row by row, and every output file."""
    folder = outputs / "made"
    manifest = IndexStore(outputs).manifest("made")
    assert manifest is not None
    told: dict[str, Any] = {"generation": manifest.generation}
    for name, version in manifest.tables.items():
        table = open_table(folder / DATABASE, version)
        columns = [*TABLES[name].schema().names, *([] if "vector" not in table.schema.names else ["vector"])]
        whole: pa.Table = read(table, columns)
        told[name] = whole.to_pylist()
    for path in sorted((folder / "output").iterdir()):
        told[path.name] = path.read_bytes()
    return told


def assert_equal(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Name the first table or file in which two indexes differ."""
    assert one.keys() == other.keys()
    for name in sorted(one.keys() - {"generation"}):
        assert one[name] == other[name], name
    assert one["generation"] == other["generation"]
