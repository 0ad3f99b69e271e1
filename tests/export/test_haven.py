"""Files read back by R: every cell, label, value label and missing code of .sav, .dta and data.csv."""

import json
import math
import random
import shutil
import subprocess
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
from corpusgraph.tasks.tools.prepare import (
    PrepareStatisticalAnalysis,
    prepare_statistical_analysis,
)

pytestmark = [
    pytest.mark.external,
    pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed"),
]

READ = """
file <- commandArgs(TRUE)[1]
if (grepl("R$", file)) { source(file); d <- data } else
  d <- if (grepl("sav$", file)) haven::read_sav(file, user_na = TRUE) else haven::read_dta(file)
number <- function(x) ifelse(is.na(x), NA, sprintf("%.17g", as.numeric(x)))
told <- function(x) {
  labels <- attr(x, "labels")
  tags <- if (is.double(x)) haven::na_tag(x) else rep(NA_character_, length(x))
  kind <- class(x)[1]
  shown <- if (is.factor(x)) as.character(x) else if (inherits(x, "Date")) format(x, "%Y-%m-%d") else
    if (is.logical(x)) as.integer(x) else if (is.character(x)) as.character(x) else number(unclass(x))
  list(label = attr(x, "label"), values = shown, tags = tags, kind = kind, levels = levels(x),
    label_names = names(labels), label_values = number(labels),
    label_tags = if (is.double(labels)) haven::na_tag(labels),
    na_values = number(attr(x, "na_values")), na_range = number(attr(x, "na_range")))
}
cat(jsonlite::toJSON(lapply(as.list(d), told), na = "null", null = "null", auto_unbox = FALSE))
"""
NASTY: list[Any] = [
    *(
        "",
        " ",
        "NA",
        ".",
        '"',
        "'",
        "a,b",
        "x\ny",
        "tab\t",
        "=1+1",
        "#",
        "\\",
        "\\n",
        "水很脏",
        "Huế",
        "🜚 é",
        "e\u0301",
    ),
    *("العربية", "<U+0041>", "%s", "ß" * 300, "TRUE", "1e5", "-", "\u00a0", "end ."),
]


def prepared(rows: list[dict[str, Any]], target: BundleFormat, **mapping: Any) -> StatisticalAnalysis:
    told = {"data": rows, "output_format": target, "variable_mapping": mapping}
    return prepare_statistical_analysis(PrepareStatisticalAnalysis.model_validate(told)).data


def read(folder: Path, result: StatisticalAnalysis, name: str) -> dict[str, Any]:
    for file, content in statistical_bundle(result, result.output_format).items():
        (folder / file).write_bytes(content)
    script = folder / "read.R.txt"
    script.write_text(READ)
    command = ["Rscript", "--vanilla", "--encoding=UTF-8", str(script), name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def numbers(values: list[Any]) -> list[Any]:
    return [None if value is None else float(value) for value in values]


def rows_of(height: int, seed: int) -> list[dict[str, Any]]:
    draw = random.Random(seed)  # noqa: S311 (no secrets)

    def some(make: Any) -> Any:
        return None if draw.random() < 0.15 else make()

    first = datetime(1900, 1, 1)  # noqa: DTZ001
    return [
        {
            "real": some(lambda: draw.choice([draw.gauss(0, 1), draw.uniform(-1e300, 1e300), 5e-324, -0.1])),
            "count": some(lambda: draw.choice([draw.randint(-9, 9), draw.randint(-(2**53), 2**53)])),
            "code": draw.choice([1, 2, 3, 98, 99]),
            "yes": some(lambda: draw.random() < 0.5),
            "place": some(lambda: draw.choice(["Soho", "Huế", "East\nEnd", "水"])),
            "rank": some(lambda: draw.choice([1, 2, 7])),
            "text": some(lambda: draw.choice(NASTY)),
            "essay": some(lambda: "ữ x" * draw.randint(0, 1500)),
            "day": some(lambda: date(1582, 10, 15) + timedelta(days=draw.randint(0, 300_000))),
            "at": some(lambda: first + timedelta(milliseconds=draw.randint(0, 4 * 10**12))),
        }
        for _ in range(height)
    ]


MAPPING: dict[str, Any] = {
    "types": {"rank": "ordinal", "place": "nominal", "text": "text", "code": "integer", "essay": "text"},
    "labels": {"real": "Đo lường " * 7 + "x", "text": "a 'quoted' \"label\""},
    "value_labels": {"rank": {"1": "thấp", "2": "vừa", "7": "cao"}, "code": {"1": "one", "98": "don't know"}},
    "missing": {"code": [98, 99]},
}


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", ["data.sav", "data.dta"])
def test_haven_reads_back_every_cell(name: str, seed: int, tmp_path: Path) -> None:
    rows = rows_of(120, seed)
    result = prepared(rows, "spss" if name == "data.sav" else "stata", **MAPPING)
    data = read(tmp_path, result, name)
    given = {key: [row[key] for row in rows] for key in rows[0]}
    assert list(data) == list(given)
    for key in ("real", "count", "rank"):
        assert numbers(data[key]["values"]) == numbers(given[key])
    assert numbers(data["yes"]["values"]) == [None if v is None else float(v) for v in given["yes"]]
    for key in ("text", "essay"):
        trimmed = [(value or "").rstrip(" ") for value in given[key]]  # haven drops blanks at the end
        assert [text or "" for text in data[key]["values"]] == trimmed
    assert data["day"]["values"] == [None if day is None else day.isoformat() for day in given["day"]]
    seconds = [None if at is None else at.replace(tzinfo=UTC).timestamp() for at in given["at"]]
    for before, after in zip(seconds, numbers(data["at"]["values"]), strict=True):
        assert after == before or math.isclose(after, before or 0, abs_tol=1e-5, rel_tol=0)
    places = sorted({place for place in given["place"] if place})
    assert data["place"]["label_names"] == places
    assert numbers(data["place"]["values"]) == [p and places.index(p) + 1.0 for p in given["place"]]
    assert data["rank"]["label_names"] == ["thấp", "vừa", "cao"]
    assert numbers(data["rank"]["label_values"]) == [1, 2, 7]
    assert data["real"]["label"] == ["Đo lường " * 7 + "x"]
    assert data["text"]["label"] == ["a 'quoted' \"label\""]
    _check_codes(data["code"], given["code"], name)


def _check_codes(code: dict[str, Any], given: list[int], name: str) -> None:
    if name == "data.sav":
        assert numbers(code["values"]) == numbers(given)
        assert numbers(code["na_values"]) == [98, 99]
        assert dict(zip(code["label_names"], numbers(code["label_values"]), strict=True)) == {
            "one": 1.0,
            "don't know": 98.0,
        }
        return
    assert numbers(code["values"]) == [None if value in {98, 99} else float(value) for value in given]
    assert code["tags"] == [{98: "a", 99: "b"}.get(value) for value in given]
    labels = dict(zip(code["label_names"], code["label_tags"], strict=True))
    assert labels == {"one": None, "98: don't know": "a", "99": "b"}


def test_r_loads_every_cell_of_the_csv(tmp_path: Path) -> None:
    rows = rows_of(120, 3)
    result = prepared(rows, "r", **MAPPING)
    data = read(tmp_path, result, "load.R")
    given = {key: [row[key] for row in rows] for key in rows[0]}
    assert numbers(data["count"]["values"]) == numbers(given["count"])
    for before, after in zip(given["real"], numbers(data["real"]["values"]), strict=True):
        assert after == before or math.isclose(
            after, before, rel_tol=1e-15
        )  # R reads decimals to the last bit but one
    assert data["text"]["values"] == given["text"]
    assert data["essay"]["values"] == given["essay"]
    assert data["place"]["values"] == given["place"]
    assert data["day"]["values"] == [None if day is None else day.isoformat() for day in given["day"]]
    assert data["rank"]["levels"] == ["thấp", "vừa", "cao"]
    assert data["code"]["label_names"] == ["one"]
    assert data["code_missing"]["values"] == [
        {98: "don't know", 99: "99"}.get(value) for value in given["code"]
    ]
    assert data["real"]["label"] == ["Đo lường " * 7 + "x"]


def test_spss_takes_a_range_and_a_value(tmp_path: Path) -> None:
    rows = [{"a": n, "b": n} for n in (1, 2, 90, 95, 99, -1)]
    result = prepared(rows, "spss", missing={"a": ["90 thru HI", -1], "b": [90, 95, 99, -1]})
    assert result.fixes == ()
    data = read(tmp_path, result, "data.sav")
    assert numbers(data["a"]["na_values"]) == [-1]
    low, high = numbers(data["a"]["na_range"])
    assert (low, high > 1e300) == (90, True)
    assert numbers(data["b"]["na_range"]) == [90, 99]
    assert numbers(data["b"]["na_values"]) == [-1]
    assert [entry.n for entry in result.codebook] == [2, 2]
