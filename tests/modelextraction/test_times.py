import pytest

from tests.modelextraction.build import codes, entity, evidence, run, said


def _event(
    text: str, time: str, quote: str | None = None, **given: str
) -> tuple[str, str | None, str] | None:
    event = {"activity": "happened", "time": time, "quote": text if quote is None else quote}
    found = evidence(text, said(events=[event]), **given)
    one = next(iter(found.events), None)
    return (one.timestamp, one.timestamp_end, one.granularity) if one else None


@pytest.mark.parametrize(
    ("text", "time", "expected"),
    [
        ("On 8 September 1854 it happened.", "8 September 1854", ("1854-09-08", None, "day")),
        ("On 8 September 1854 it happened.", "1854-09-08", ("1854-09-08", None, "day")),
        ("On 8 September 1854 it happened.", "", ("1854-09-08", None, "day")),
        ("On 8 September 1854 it happened.", "that day", ("1854-09-08", None, "day")),
        ("In 1854 it happened.", "1854-09-08", ("1854", None, "year")),
        ("In September 1854 it happened.", "september 1854", ("1854-09", None, "month")),
        ("It lasted from 1929 to 1941.", "from 1929 to 1941", ("1929", "1941", "year")),
        ("It was 1914-18.", "1914-18", ("1914", "1918", "year")),
        ("It was in the 1920s.", "the 1920s", ("1920", "1929", "year")),
        ("In 1901 a thing, in 1902 another.", "1902", ("1902", None, "year")),
        ("At 1854-09-08T10:30 it happened.", "1854-09-08T10:30", ("1854-09-08T10:30", None, "minute")),
        ("Ngày 2 tháng 9 năm 1945 đọc Tuyên ngôn.", "1945-09-02", ("1945-09-02", None, "day")),
        ("Ngày 2 tháng 9 năm 1945 đọc Tuyên ngôn.", "ngày 2 tháng 9 năm 1945", ("1945-09-02", None, "day")),
        ("Vào tháng 9 năm 1945 Nhật hàng.", "tháng 9 năm 1945", ("1945-09", None, "month")),
        ("ظهر في ٨ سبتمبر ١٨٥٤ المرض.", "1854-09-08", ("1854-09-08", None, "day")),
        ("8 сентября 1854 года он ушёл.", "1854-09-08", ("1854-09-08", None, "day")),
        ("Στις 8 Σεπτεμβρίου 1854 έφυγε.", "8 Σεπτεμβρίου 1854", ("1854", None, "year")),
        ("一九年后，1347年10月黑死病传入欧洲。", "1347年10月", ("1347-10", None, "month")),
        ("وفي عام ١٨٥٤ ظهر المرض.", "1854", ("1854", None, "year")),
    ],
)
def test_times_are_read_from_the_passage(text: str, time: str, expected: tuple[str, str | None, str]) -> None:
    assert _event(text, time) == expected


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("It happened once.", "1854"),
        ("It happened once.", "once"),
        ("It happened on 8 September.", "8 September"),
        ("Es geschah im Jahr 1854, am achten.", "1854-13-40"),
        ("ظهر المرض عام ١٨٥٤.", "1855"),
        ("ظهر المرض في ٧ مايو ١٨٥٤.", "1854-05-09"),
    ],
)
def test_no_time_is_made_up(text: str, time: str) -> None:
    found = run(text, said(events=[{"activity": "happened", "time": time, "quote": text}]))
    dated = {event.timestamp for event in found.evidence.events}
    assert dated <= {"1854"} if "1854-" in time else not dated
    assert dated or codes(found.dropped) == ["undated_event"]


def test_a_year_may_stand_before_or_be_the_documents() -> None:
    text = "He came in May 1854. On 8 September he left."
    event = {"activity": "left", "time": "8 September", "quote": "On 8 September he left"}
    (found,) = evidence(text, said(events=[event])).events
    assert (found.timestamp, found.confidence) == ("1854-09-08", 0.6)
    letter = "On 8 September he left."
    assert _event(letter, "8 September", date="1860-01-01") == ("1860-09-08", None, "day")


def test_a_time_told_by_an_earlier_one() -> None:
    text = "He came on 8 September 1854. The next day he left."
    assert _event(text, "The next day", "The next day he left") == ("1854-09-09", None, "day")


def test_an_event_has_actors_places_words_and_text() -> None:
    text = "On 8 September 1854 the parish of St James\nremoved the handle in Broad Street."
    reply = said(
        entities=[entity("St James", "place")],
        events=[{"activity": "removed the handle", "time": "8 September 1854", "actors": ["the parish", "nobody"],
                 "places": ["Broad Street", "St James"], "quote": text}],
    )  # fmt: skip
    found = evidence(text, reply)
    (event,) = found.events
    by_id = {mention.id: mention for mention in found.mentions}
    assert [by_id[number].name for number in event.actors] == ["the parish"]
    assert [(by_id[number].name, by_id[number].type) for number in event.places] == [
        ("Broad Street", "place"),
        ("St James", "place"),
    ]
    assert event.text == " ".join(text.split())
    assert event.cue == "8 September 1854"
    assert event.case == found.document_id
