"""Run the example calls of the tools and write what they answer, cut to what a reader takes in."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corpusgraph.flows import door
from corpusgraph.flows.surfaces.docs.examples import INDEX, TEXTS, examples
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import ToolResult
from corpusgraph.schemas.study import Study
from corpusgraph.tasks._tool import load

ITEMS = (2, 1)
"""Items that are shown of a list, and of a list inside a list."""
LETTERS = 160
"""Characters of a text that are shown."""
DIGITS = 6
"""Digits of a number: the last ones differ between versions of Python, which add up otherwise."""
WIDTH = 100
DEPTH = 6
"""Levels that are shown."""
FIXED: JsonDict = {"request_id": "example", "timestamp": "2026-01-01T00:00:00Z"}
FIRST_CHANGE: tuple[str, JsonDict] = (
    "add_observations",
    {"observations": [{"entityName": "William Farr", "contents": ["kept bees"]}], **FIXED},
)
"""What was added to the sample by hand, for the tools that tell of changes and undo them."""


def example_calls() -> dict[str, tuple[JsonDict, ToolResult]]:
    """Return arguments and result of a call of each tool on the sample index."""
    with sample() as outputs:
        graph = door.open(INDEX, outputs).graph
        found = {}
        for name, arguments in examples(graph).items():
            with untouched(outputs, load()[name].effect == "reads") as place:
                found[name] = arguments, door.call(name, {**arguments, **FIXED}, index=INDEX, outputs=place)
    return found


@contextmanager
def sample() -> Iterator[Path]:
    """Index the sample texts in a folder of their own and hand out its outputs."""
    with tempfile.TemporaryDirectory() as home:
        corpus = Path(home) / "corpus"
        corpus.mkdir()
        for name, text in TEXTS.items():
            (corpus / name).write_text(text, encoding="utf-8")
        study = Study.model_validate({"study": INDEX, "corpus": {"path": str(corpus)}})
        outputs = Path(home) / "outputs"
        door.index(study, outputs=outputs)
        door.call(*FIRST_CHANGE, index=INDEX, outputs=outputs)
        yield outputs


@contextmanager
def untouched(outputs: Path, reads: bool) -> Iterator[Path]:
    """Hand out the outputs, or for a call that writes a copy of them."""
    if reads:
        yield outputs
        return
    with tempfile.TemporaryDirectory() as home:
        yield Path(shutil.copytree(outputs, Path(home) / "outputs"))


def answer_text(result: ToolResult) -> str:
    """Return data and warnings of a result as JSON of few lines."""
    told = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    kept = {name: told[name] for name in ("data", "error", "warnings") if told.get(name)}
    return shown(kept)


def shown(value: Any) -> str:
    """Write JSON on as few lines as are legible, long lists and texts cut and marked by an ellipsis."""
    return _lines(_cut(value, DEPTH, ITEMS[0]), 0)


def _cut(value: Any, depth: int, items: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LETTERS else f"{value[:LETTERS].rstrip()} …"
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict | list) and not depth:
        return "…"
    if isinstance(value, dict):
        kept = {name: inner for name, inner in value.items() if inner not in (None, "", [], {})}
        return {name: _cut(inner, depth - 1, items) for name, inner in kept.items()}
    if isinstance(value, list):
        more = [f"… {len(value) - items} more"] if len(value) > items + 1 else []
        inside = [_cut(item, depth - 1, ITEMS[1]) for item in (value[:items] if more else value)]
        return inside + more
    return value


def _lines(value: Any, indent: int) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= WIDTH or not isinstance(value, dict | list) or not value:
        return flat
    inner, end = " " * (indent + 2), " " * indent
    if isinstance(value, dict):
        named = [(f"{json.dumps(name, ensure_ascii=False)}: ", part) for name, part in value.items()]
        parts = [f"{inner}{name}{_lines(part, indent + 2)}" for name, part in named]
        return "{\n" + ",\n".join(parts) + f"\n{end}}}"
    parts = [f"{inner}{_lines(item, indent + 2)}" for item in value]
    return "[\n" + ",\n".join(parts) + f"\n{end}]"
