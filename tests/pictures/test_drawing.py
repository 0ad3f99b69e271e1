"""The same page has the same bytes: in any thread, with any settings of matplotlib, under any hash seed."""

import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.tasks.export.figures.page import (
    Look,
    Page,
    clean,
    elided,
    mixed,
    number,
    on,
    picture,
    width,
    wrapped,
)
from tests.pictures.look import look, overlaps
from tests.pictures.made import PICTURES

Files = dict[str, bytes]


@picture
def one(text: str = "text") -> Files:
    page = Page(100, 40)
    page.rectangle(10, 10, 20, 20, Look(fill="#E69F00", edge="#000000"), "box")
    page.text(50, 20, text)
    return page.files(title="A title & more", description="what <is> seen")


@picture
def five_letters() -> Files:
    page = Page(100, 40)
    page.text(50, 20, "H" * 5, anchor="middle", size=10)
    return page.files(title="t", description="d")


@cache
def drawn(name: str) -> Files:
    return PICTURES[name]()


def test_bytes_are_the_same_in_four_threads_and_on_every_call() -> None:
    expected = {name: drawn(name) for name in PICTURES}
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda name: (name, PICTURES[name]()), PICTURES))
    assert all(files == expected[name] for name, files in found)


@pytest.mark.parametrize("name", PICTURES)
def test_no_text_lies_over_another_and_files_are_small(name: str) -> None:
    files = drawn(name)
    assert overlaps(look(files)) == []
    assert max(map(len, files.values())) < 100_000


_HASHES = """
import hashlib, json
from tests.pictures.made import PICTURES
print(json.dumps({n: [hashlib.sha256(b).hexdigest() for b in make().values()] for n, make in PICTURES.items()}))
"""


@pytest.mark.faults
def test_bytes_are_the_same_under_another_hash_seed_and_with_a_settings_file_of_matplotlib(
    tmp_path: object,
) -> None:
    import hashlib
    import json

    settings = f"{tmp_path}/matplotlibrc"
    with open(settings, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(
            "font.size: 30\\nsavefig.dpi: 40\\nsvg.fonttype: path\\nfigure.facecolor: red\\n".replace(
                "\\n", "\n"
            )
        )
        file.write(
            "lines.antialiased: False\npatch.antialiased: False\npath.sketch: 1, 100, 2\naxes.unicode_minus: False\n"
        )
    env = {**os.environ, "PYTHONHASHSEED": "77", "MATPLOTLIBRC": settings}
    done = subprocess.run(
        [sys.executable, "-c", _HASHES], env=env, capture_output=True, text=True, check=True
    )
    here = {n: [hashlib.sha256(b).hexdigest() for b in make().values()] for n, make in PICTURES.items()}
    assert json.loads(done.stdout) == here


def test_settings_are_neither_read_nor_changed() -> None:
    plain, before = one(), dict(mpl.rcParams)
    with mpl.rc_context(
        {"font.size": 40, "patch.edgecolor": "red", "savefig.facecolor": "blue", "path.snap": False}
    ):
        assert one() == plain
    assert dict(mpl.rcParams) == before


def test_files_say_what_they_show_and_not_when_they_were_made() -> None:
    files = one()
    picture = look(files)
    assert picture.png.info["Title"] == "A title & more"
    assert picture.png.info["Description"] == "what <is> seen"
    assert {round(v) for v in picture.png.info["dpi"]} == {150}
    assert b"dc:date" not in files["figure.svg"]
    assert b"A title &amp; more" in files["figure.svg"]
    assert b"what &lt;is&gt; seen" in files["figure.svg"]


def test_colours_of_the_png_are_those_of_the_page() -> None:
    pixels = np.asarray(look(one()).png.convert("RGB"))
    assert tuple(pixels[0, 0]) == (255, 255, 255)
    assert tuple(pixels[41, 41]) == (0xE6, 0x9F, 0x00)


def test_text_is_where_it_should_be_in_the_png() -> None:
    dark = np.argwhere(np.asarray(look(five_letters()).png.convert("L")) < 128)
    (top, left), (low, right) = dark.min(axis=0), dark.max(axis=0)
    assert (left + right) / 2 == pytest.approx(50 * 150 / 72, abs=2)
    assert (top + low) / 2 == pytest.approx(20 * 150 / 72, abs=2)
    assert right - left == pytest.approx(width("HHHHH", 10) * 150 / 72, abs=7)


@pytest.mark.parametrize(
    "text",
    [
        "漢字",
        "🦠",
        "😀",
        "العربية",
        "हिन्दी",
        "e\u0301\u0327x",
        "p\U00010378",
        "\u0000\ud800",
        "$x^2$",
        "a\tb\nc",
        "",
    ],
)
def test_any_text_is_drawn_without_a_warning(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = look(one(text))
    assert clean(text) in picture.words
    assert ("figure.svg has it" in picture.words) == (text in {"漢字", "🦠", "हिन्दी"})


@given(st.text(max_size=300), st.floats(20, 200), st.integers(1, 4))
def test_wrapped_text_fits_and_keeps_every_letter_or_says_so(text: str, room: float, most: int) -> None:
    lines = wrapped(text, 8, room, most)
    assert 1 <= len(lines) <= most
    assert all(width(line, 8) <= room + 1e-6 for line in lines)
    whole = "".join(clean(text).split())
    joined = "".join("".join(lines).split())
    assert joined == whole or (joined.endswith("…") and whole.startswith(joined[:-1]))


@given(st.text(max_size=80), st.floats(15, 100))
def test_elided_text_fits(text: str, room: float) -> None:
    assert width(elided(clean(text), 7, room), 7) <= max(room, width("…", 7)) + 1e-6


def test_numbers_are_brief() -> None:
    assert [number(v) for v in (0, 12_000, 0.25, 1234.5, 1e-7, 1e300)] == [
        "0",
        "12,000",
        "0.25",
        "1,234",
        "1e-07",
        "1e+300",
    ]


def test_colours_are_mixed_and_text_on_them_is_legible() -> None:
    assert mixed("#000000", 0.5) == "#808080"
    assert (on("#FFFFFF"), on("#000000"), on("#0072B2"), on("#F0E442")) == (
        "#000000",
        "#FFFFFF",
        "#FFFFFF",
        "#000000",
    )
