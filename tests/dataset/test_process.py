"""Process traces read off a corpus."""

from collections import Counter

import pytest
from pydantic import ValidationError

from corpusgraph.flows.annotate.english import english_reader
from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.study import ProcessDataset
from corpusgraph.tasks.dataset.process import build_process, default_label, short_label
from corpusgraph.tasks.extract.offline import OfflineExtractor
from corpusgraph.tasks.tools.prepare import prepare_process_trace
from tests.dataset.small_corpus import SmallCorpus

PUMP = "Snow and Farr met in Soho."
HANDLE = "The Board removed the handle."


def dataset(**fields: object) -> ProcessDataset:
    return ProcessDataset.model_validate({"kind": "process", "name": "course", **fields})


@pytest.fixture
def corpus() -> SmallCorpus:
    made = SmallCorpus()
    snow = made.document("snow", PUMP, HANDLE, author="Snow")
    farr = made.document("farr", "Farr reported.")
    actors = [made.mention(snow, PUMP, name, "person") for name in ("Snow", "Farr")]
    soho = made.mention(snow, PUMP, "Soho", "place")
    made.event(snow, HANDLE, "1854-09-08")
    made.event(snow, PUMP, "1854-09-07", actors=actors, places=(soho,))
    made.event(farr, "Farr reported.", "1866", timestamp_end="1867")
    return made


def cases(corpus: SmallCorpus, **fields: object) -> dict[str, list[str]]:
    trace = prepare_process_trace(build_process(corpus, dataset(**fields))).data
    return {case.case: [e.id for e in trace.events if e.case == case.case] for case in trace.cases}


def test_a_case_is_a_document_an_actor_a_place_or_a_metadata_field(corpus: SmallCorpus) -> None:
    assert cases(corpus) == {"snow.txt": ["evt_2", "evt_1"], "farr.txt": ["evt_3"]}
    assert cases(corpus, case="actor") == {"Farr": ["evt_2@Farr"], "Snow": ["evt_2@Snow"]}
    assert cases(corpus, case="place") == {"Soho": ["evt_2"]}
    assert cases(corpus, case="author") == {"Snow": ["evt_2", "evt_1"]}


def test_events_without_a_case_are_counted(corpus: SmallCorpus) -> None:
    asked = build_process(corpus, dataset(case="place"))
    assert [(w.code, w.records) for w in asked.notes] == [("missing_case", ("evt_3", "evt_1"))]


def test_an_unknown_field_is_an_error_with_the_nearest(corpus: SmallCorpus) -> None:
    with pytest.raises(PreparationError, match="author") as error:
        build_process(corpus, dataset(case="autor"))
    assert error.value.code == "no_case_notion"


def test_the_period_keeps_what_reaches_into_it(corpus: SmallCorpus) -> None:
    assert cases(corpus, start="1854-09-08", end="1854-12") == {"snow.txt": ["evt_1"]}
    assert cases(corpus, start="1867-06") == {"farr.txt": ["evt_3"]}
    with pytest.raises(PreparationError, match="no date"):
        build_process(corpus, dataset(start="long ago"))


def test_an_event_keeps_actors_places_and_passage(corpus: SmallCorpus) -> None:
    trace = prepare_process_trace(build_process(corpus, dataset())).data
    meeting = trace.events[0]
    assert meeting.actors == ("Snow", "Farr")
    assert meeting.model_dump()["places"] == ("Soho",)
    assert meeting.passages[0].text == PUMP


def test_a_range_is_what_a_date_can_mean_not_how_long_it_took(corpus: SmallCorpus) -> None:
    noted = prepare_process_trace(build_process(corpus, dataset()))
    report = next(e for e in noted.data.events if e.id == "evt_3")
    assert (report.start, report.until) == ("1866-01-01T00:00:00Z", "1868-01-01T00:00:00Z")
    assert (report.precision, report.finish) == ("range", None)
    assert [w.records for w in noted.warnings if w.code == "coarser_than_resolution"] == [("evt_3",)]


def test_labels_are_cut_at_a_word() -> None:
    assert short_label("removed  the\nhandle") == "removed the handle"
    cut = short_label("The Board of Guardians of Saint James removed the handle of the pump")
    assert cut == "The Board of Guardians of Saint James…"
    assert len(short_label("x" * 90)) == 40


def test_copies_of_an_event_for_several_cases_know_their_origin(corpus: SmallCorpus) -> None:
    asked = build_process(corpus, dataset(case="actor", temporal_resolution="months"))
    assert {(e.id, e.origin) for e in asked.events} == {("evt_2@Snow", "evt_2"), ("evt_2@Farr", "evt_2")}
    assert prepare_process_trace(asked).data.events[0].bucket == "1854-09"
    assert {e.origin for e in build_process(corpus, dataset()).events} == {None}


def test_a_period_before_our_era_can_be_asked_for(corpus: SmallCorpus) -> None:
    assert len(build_process(corpus, dataset(start="-0043", end="9999")).events) == 3
    left = build_process(corpus, dataset(start="1860"))
    assert [(w.code, w.records) for w in left.notes] == [("outside_period", ("evt_2", "evt_1"))]


LIVES = {
    "Abraham Lincoln": ("was born in 1809", "was elected president in 1860", "was killed in 1865"),
    "James Garfield": ("was born in 1831", "won the election in 1880", "was assassinated in 1881"),
    "William McKinley": ("was born in 1843", "was elected president in 1896", "was killed in 1901"),
    "Calvin Coolidge": ("was born in 1872", "was elected president in 1924", "died in 1933"),
    "Herbert Hoover": ("was born in 1874", "won the election in 1928", "died in 1964"),
}
ACTIVITIES = {
    "born": ["be born"],
    "elected": ["elect", "win the election", "election"],
    "killed": ["kill", "assassinate"],
    "died": ["die"],
}


@pytest.fixture(scope="module")
def lives() -> SmallCorpus:
    made, extractor = SmallCorpus(), OfflineExtractor(english_reader())
    for name, told in LIVES.items():
        document = made.document(name, *(f"{name} {what}." for what in told))
        made.events += extractor.extract(document, []).events
    return made


def variants(corpus: SmallCorpus, **fields: object) -> list[tuple[str, ...]]:
    trace = prepare_process_trace(build_process(corpus, dataset(**fields))).data
    return [tuple(e.activity for e in trace.events if e.case == case.case) for case in trace.cases]


def test_named_activities_give_five_cases_two_variants(lives: SmallCorpus) -> None:
    courses = Counter(variants(lives, activities=ACTIVITIES))
    assert courses == {("born", "elected", "killed"): 3, ("born", "elected", "died"): 2}


def test_by_default_what_is_alike_is_one_activity(lives: SmallCorpus) -> None:
    assert set(variants(lives)) == {("be born", "elect", "die")}
    frames = [
        "establish school",
        "found company",
        "kill person",
        "become mayor",
        "direct film",
        "remove handle",
    ]
    labels = ["found", "found", "kill", "hold office", "direct work", "remove handle"]
    assert [default_label(frame) for frame in frames] == labels
    assert default_label("kill person", has_agent=False) == "die"


def test_other_events_keep_their_frame_are_dropped_or_labelled(lives: SmallCorpus) -> None:
    named = {"born": ["born"], "elected": ["elect", "win election"]}
    lincoln = "Abraham Lincoln.txt"

    def course(**fields: object) -> list[str]:
        asked = build_process(lives, dataset(activities=named, **fields))
        return [event.activity for event in asked.events if event.case == lincoln]

    assert course() == ["born", "elected", lives.events[2].activity]
    assert course(other="drop") == ["born", "elected"]
    assert course(other="label") == ["born", "elected", "other"]
    notes = build_process(lives, dataset(activities=named, other="drop")).notes
    assert [(note.code, len(note.records)) for note in notes] == [("other_activity", 5)]


def test_the_phrase_of_most_words_decides_and_forms_of_a_word_are_the_word(corpus: SmallCorpus) -> None:
    named = {"change": ["removing"], "closure": ["removes handles"], "talk": ["met in Soho", "a report"]}
    labels = {event.id: event.activity for event in build_process(corpus, dataset(activities=named)).events}
    assert labels == {"evt_1": "closure", "evt_2": "talk", "evt_3": "talk"}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"activities": {"elect": []}}, "needs words"),
        ({"activities": {"elect": ["election", " "]}}, "needs words"),
        ({"activities": {"elect": ["election"], "vote": ["Election"]}}, "two activities: 'elect' and 'vote'"),
        ({"activities": {"elect": ["election"]}, "other": "hide"}, "keep"),
        ({"other": "drop"}, "activities"),
        ({"activites": {"elect": ["election"]}}, "activites"),
    ],
)
def test_activities_that_cannot_be_are_an_error(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        dataset(**fields)


@pytest.mark.parametrize(
    ("activities", "message"),
    [
        ({"elect": ["elected"], "vote": ["be electing"]}, "name the same events"),
        ({"be": ["to be"]}, "no word"),
    ],
)
def test_phrases_that_name_the_same_or_nothing_are_an_error(
    corpus: SmallCorpus, activities: dict[str, list[str]], message: str
) -> None:
    with pytest.raises(PreparationError, match=message) as error:
        build_process(corpus, dataset(activities=activities))
    assert error.value.code == "invalid_input"
