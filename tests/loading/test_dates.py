"""Dates of metadata: ISO 8601 where there is one reading, untouched where there are two."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.tasks.text.dates import iso_date
from tests.loading.files import one, write


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("October 27, 1787", "1787-10-27"),
        ("27 October 1787", "1787-10-27"),
        ("1787-10-27", "1787-10-27"),
        ("27.10.1787", "1787-10-27"),
        ("10/27/1787", "1787-10-27"),
        ("05.05.1850", "1850-05-05"),
        ("27th of October, 1787", "1787-10-27"),
        ("Saturday, October 27, 1787", "1787-10-27"),
        ("Sat. 27 Oct. 1787", "1787-10-27"),
        ("8. September 1854", "1854-09-08"),
        ("1er septembre 1854", "1854-09-01"),
        ("8 de septiembre de 1854", "1854-09-08"),
        ("1854年9月8日", "1854-09-08"),
        ("1854/9/8", "1854-09-08"),
        ("October 1787", "1787-10"),
        ("1787", "1787"),
        ("10/11/1787", None),
        ("10.11.1787", None),
        ("February 30, 1788", None),
        ("1787-13-01", None),
        ("about 1850", None),
        ("27 Octember 1787", None),
        ("", None),
    ],
)
def test_a_date_is_read_in_the_one_way_it_can_be(written: str, iso: str | None) -> None:
    assert iso_date(written) == iso


@given(day=st.dates(min_value=date(1000, 1, 1), max_value=date(2999, 12, 31)))
def test_every_day_comes_back_from_its_english_form(day: date) -> None:
    month = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ]
    name = month[day.month - 1]
    assert (
        iso_date(f"{name} {day.day}, {day.year}")
        == iso_date(f"{day.day} {name} {day.year}")
        == day.isoformat()
    )


def test_the_original_is_kept_when_the_date_was_rewritten(tmp_path: Path) -> None:
    document = one(write(tmp_path, a__md="---\ndate: October 27, 1787\n---\nText."))
    assert document.metadata == {"date": "1787-10-27", "date_text": "October 27, 1787"}


@pytest.mark.parametrize("written", ["1787-10-27", "10/11/1787", "early autumn"])
def test_other_dates_stay_as_they_are(tmp_path: Path, written: str) -> None:
    assert one(write(tmp_path, a__md=f"---\ndate: {written}\n---\nText.")).metadata == {"date": written}
