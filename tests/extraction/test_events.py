"""Dated events: what, who, where, when."""

from functools import cache

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.evidence import Event, Evidence
from corpusgraph.tasks.extract.offline import OfflineExtractor
from tests.every import every
from tests.extraction.given import WithoutArcs, document


@cache
def extractor() -> OfflineExtractor:
    return OfflineExtractor(WithoutArcs())


def read(text: str, metadata: JsonDict | None = None) -> Evidence:
    return extractor().extract(document(text, metadata=metadata), [])


def dated(text: str, metadata: JsonDict | None = None) -> list[tuple[str, str, str | None]]:
    return [(e.activity, e.timestamp, e.timestamp_end) for e in read(text, metadata).events]


def frames(text: str) -> list[str]:
    return [event.activity for event in read(text).events]


def roles(text: str) -> dict[str, str]:
    evidence = read(text)
    names = {mention.id: mention.name for mention in evidence.mentions}
    return {names[id_]: role for event in evidence.events for id_, role in event.roles.items()}


def only(text: str) -> Event:
    (event,) = read(text).events
    return event


def test_an_event_has_activity_actors_places_and_time() -> None:
    text = "On 7 September 1854 John Snow met the Board of Guardians in Soho."
    evidence = read(text)
    by_id = {m.id: m.surface for m in evidence.mentions}
    (event,) = evidence.events
    assert (event.timestamp, event.granularity, event.case) == ("1854-09-07", "day", "doc_1")
    assert (event.activity, event.approximate, event.cue) == ("meet organisation", False, "7 September 1854")
    assert [by_id[actor] for actor in event.actors] == ["John Snow"]
    assert [by_id[place] for place in event.places] == ["Soho"]
    assert text[event.start : event.end] == text.rstrip(".")


# Which predicate a date belongs to


@every("when", ["from 1854 to 1856", "between 1854 and 1856", "1854–1856"])
def test_two_dates_bound_a_stretch_of_time(when: str) -> None:
    assert dated(f"The pump was closed {when}.") == [("close pump", "1854", "1856")]


def test_each_dated_clause_is_an_event() -> None:
    text = "The pump was closed on 8 September 1854, and it was opened in October 1854."
    assert [when for _, when, _ in dated(text)] == ["1854-09-08", "1854-10"]
    assert dated("George Washington was born in 1732 and died in 1799.") == [
        ("be born", "1732", None),
        ("die", "1799", None),
    ]


def test_a_date_that_opens_a_sentence_dates_its_coordinated_verbs_too() -> None:
    assert dated("In 1861 he resigned and opened a school.") == [
        ("resign", "1861", None),
        ("open school", "1861", None),
    ]


def test_a_subordinate_clause_keeps_its_date() -> None:
    assert dated("After he was elected in 1860, Lincoln moved to Washington.") == [
        ("elect person", "1860", None)
    ]


def test_a_date_of_a_noun_dates_what_the_noun_names_or_nothing() -> None:
    assert dated("The outbreak of 1854 killed many people.") == [("outbreak", "1854", None)]
    assert dated("Lincoln won the election of 1860.") == [("win election", "1860", None)]
    assert dated("The Act of 1833 abolished slavery.") == []


@every(
    "text",
    [
        'He played a killer in "Pulp Fiction" (1994).',
        "Smith (1850) argued that the pumps are bad.",
        "He wrote a budget for 1850.",
        "Parliament, 1850.",
    ],
)
def test_a_year_in_brackets_or_of_a_thing_is_no_event(text: str) -> None:
    assert dated(text) == []


def test_coordinated_dates_are_events_of_their_own() -> None:
    text = "He won medals in 1990, 1994 and 1998."
    assert [when for _, when, _ in dated(text)] == ["1990", "1994", "1998"]


def test_life_dates_in_brackets_are_birth_and_death() -> None:
    text = "Carl Bach (8 March 1714 – 14 December 1788) was a composer."
    assert dated(text) == [("be born", "1714-03-08", None), ("die", "1788-12-14", None)]
    assert dated("John Smith (born 5 May 1950) is an actor.") == [("be born", "1950-05-05", None)]
    assert dated("King Louis (1643–1715) is well known.") == []
    assert dated("Mary Bell (1901 – 3 May 1970, Rome) was a painter.") == [
        ("be born", "1901", None),
        ("die", "1970-05-03", None),
    ]
    assert [activity for activity, *_ in dated("Mary Bell (born 1950/51) is a painter.")] == ["be born"]
    assert [activity for activity, *_ in dated("Mary Bell (1901–1970) was a painter.")] == ["be born", "die"]


# What did not happen


@every(
    "text",
    [
        "He did not visit Rome in 1850.",
        "If he had visited Rome in 1850, he would have met Keats.",
        "Did he visit Rome in 1850?",
        "The king planned to visit Rome in 1850.",
        "The king will visit Rome in 2050.",
        "They visited Rome for the first time since 1850.",
    ],
)
def test_what_is_denied_asked_conditional_wished_or_to_come_is_no_event(text: str) -> None:
    assert dated(text) == []


@every(
    "text",
    [
        "As of 1850, the town had two mills.",
        "The town was bigger than in 1850.",
        "It was the largest storm since 1950.",
        "The planned invasion of 1850 is well known.",
        "The population was 300,000 in 1850.",
        "Flight 1850 to Boston was late.",
    ],
)
def test_a_date_that_measures_or_compares_is_no_event(text: str) -> None:
    assert dated(text) == []


def test_a_report_gives_way_to_what_it_reports() -> None:
    text = "History tells us of the battle of Sedan in 1870."
    assert dated(text) == [("battle", "1870", None)]
    text = "He was a teacher until his death in 1850."
    assert dated(text) == [("die", "1850", None)]


def test_a_date_dates_the_clause_that_it_opens() -> None:
    text = "In 1824 the law was repealed and in 1830 the king died."
    assert dated(text) == [("repeal law", "1824", None), ("die", "1830", None)]
    assert dated("In 1939 the war began and the king fled.") == [
        ("begin", "1939", None),
        ("flee", "1939", None),
    ]


def test_what_did_not_end_until_a_year_ended_then() -> None:
    event = only("The war did not end until 1945.")
    assert (event.activity, event.timestamp, event.cue) == ("end", "1945", "until 1945")


# Times that are vague


RELATIVE = [
    ("The next day Whitehead arrived.", "1854-09-09", None, "day"),
    ("Two days later Whitehead arrived.", "1854-09-10", None, "day"),
    ("Three weeks later Whitehead arrived.", "1854-09-26", "1854-10-02", "day"),
    ("A few days later Whitehead arrived.", "1854-09-10", "1854-09-17", "day"),
    ("A month later Whitehead arrived.", "1854-10", None, "month"),
    ("The following spring Whitehead arrived.", "1855-03", "1855-05", "month"),
    ("Whitehead had arrived last spring.", "1854-03", "1854-05", "month"),
    ("In the following year Whitehead arrived.", "1855", None, "year"),
    ("Several years earlier Whitehead arrived.", "1845", "1852", "year"),
    ("On the following Monday Whitehead arrived.", "1854-09-11", None, "day"),
    ("On Monday Whitehead arrived.", "1854-09-08", "1854-09-14", "day"),
]


@every("sentence, first, last, granularity", RELATIVE)
def test_a_relative_date_is_an_interval_and_approximate(
    sentence: str, first: str, last: str | None, granularity: str
) -> None:
    _, event = read(f"The pump was closed on 8 September 1854. {sentence}").events
    assert (event.timestamp, event.timestamp_end, event.granularity) == (first, last, granularity)
    assert event.approximate
    assert (event.cue or "").startswith("relative: ")


def test_relative_dates_follow_one_another() -> None:
    text = "The pump was closed on 8 September 1854. The next day he arrived. The next day he left."
    assert [when for _, when, _ in dated(text)] == ["1854-09-08", "1854-09-09", "1854-09-10"]


def test_without_a_date_to_reckon_from_there_is_no_event() -> None:
    assert dated("On 8 September the pump was closed. The next day it rained.") == []
    assert dated("The king died in the 1850s. The following year his son died.")[1:] == []
    assert dated("Two days after the battle the king died. Two years ago he fell.") == []


def test_what_is_reckoned_from_the_time_of_writing_needs_that_time() -> None:
    text = "Two years ago the king died."
    assert dated(text) == []
    assert dated(text, {"date": "1854-09-08"}) == [("die", "1852", None)]
    assert dated(f"From the Packet. Friday, 8 September 1854\n\n{text}") == [("die", "1852", None)]


@every(
    "sentence, day",
    [
        ("I saw the works on Monday.", "1931-11-16"),
        ("On the 9th I saw the works.", "1931-11-09"),
        ("We came home on the 26th.", "1931-10-26"),
        ("I saw the works in March.", "1931-03"),
        ("I saw the works in December.", "1930-12"),
    ],
)
def test_a_letter_tells_of_what_came_before_it(sentence: str, day: str) -> None:
    for head in ("Leeds, 19 November 1931. ", "[19 November 1931, 07:42] Ruth: "):
        assert [event.timestamp for event in read(head + sentence).events] == [day]


@every(
    "when, first, last",
    [
        ("About 1850", "1850", None),
        ("Before 1850", "1850", None),
        ("Early in 1850", "1850-01", "1850-04"),
        ("In late 1850", "1850-09", "1850-12"),
        ("Towards the end of May 1850", "1850-05-21", "1850-05-31"),
        ("In the summer of 1850", "1850-06", "1850-08"),
        ("In the winter of 1850", "1850", None),
        ("In the mid-1850s", "1854", "1856"),
        ("On 29 February 1900", "1900-02", None),
        ("On 31 April 1850", "1850-04", None),
    ],
)
def test_a_vague_or_impossible_date_is_approximate(when: str, first: str, last: str | None) -> None:
    event = only(f"{when} the king died.")
    assert (event.timestamp, event.timestamp_end, event.approximate) == (first, last, True)


@every("when", ["In 1850", "On 29 February 1904", "On 5 May 1850", "Since 1990"])
def test_a_plain_date_is_not_approximate(when: str) -> None:
    assert not only(f"{when} the king has ruled.").approximate


@every("anchor", ["9999", "31 December 9999", "44 BC", "1 January 0001"])
def test_a_date_at_the_edge_of_the_calendar_never_raises(anchor: str) -> None:
    read(
        f"The king died in {anchor}. Three weeks later he rose. Last spring he fell. The year before, he ran."
    )


# Who does what to whom


def test_roles_are_those_of_the_tree_in_active_and_passive() -> None:
    active = roles("In 1854 John Snow removed the handle.")
    passive = roles("The handle was removed by John Snow in 1854.")
    assert active == passive == {"John Snow": "agent", "handle": "patient"}


def test_recipient_and_instrument() -> None:
    who = roles("In 1854 Henry wounded Thomas with a sword.")
    assert who == {"Henry": "agent", "Thomas": "patient", "sword": "instrument"}
    assert roles("In 1854 Henry wrote to Anna Bell.")["Anna Bell"] == "recipient"
    assert "joy" not in roles("In 1854 Henry killed Thomas with joy.")


def test_what_a_noun_names_has_participants_too() -> None:
    who = roles("The murder of Thomas Becket by four knights in 1170 was a shock.")
    assert who == {"Thomas Becket": "patient", "four knights": "agent"}
    assert roles("The arrival of John Snow in 1854 pleased the town.") == {"John Snow": "agent"}
    assert roles("Henry Bell's letter of 5 May 1850 survives.") == {"Henry Bell": "agent"}


def test_a_coordinated_verb_and_a_relative_clause_have_the_subject_they_share() -> None:
    evidence = read("Napoleon Bonaparte married Josephine in 1796 and visited London in 1797.")
    names = {mention.id: mention.name for mention in evidence.mentions}
    assert [[names[actor] for actor in event.actors] for event in evidence.events] == [
        ["Napoleon Bonaparte"]
    ] * 2
    assert roles("The book was lost by John Snow, who died in 1858.") == {"John Snow": "agent"}


# What the activity is called


@every(
    "text, frame",
    [
        ("The handle was removed in 1854.", "remove handle"),
        ("In 1854 Snow removed the pump's handle.", "remove handle"),
        ("In 1796 Napoleon Bonaparte married Josephine.", "marry person"),
        ("In 1797 he visited London.", "visit place"),
        ("The treaty was signed by Britain and France in 1783.", "sign treaty"),
        ("Britain and France signed the treaty in 1783.", "sign treaty"),
        ("He was appointed governor in 1820.", "appoint governor"),
        ("He served as governor in 1820.", "serve as governor"),
        ("He became king in 1820.", "become king"),
        ("He was president from 1801 to 1809.", "be president"),
        ("In 1850 he began to publish a journal.", "begin to publish"),
        ("The Battle of Waterloo occurred on 18 June 1815.", "battle"),
        ("The election was held in 1860.", "election"),
        ("There was an outbreak in 1854.", "outbreak"),
        ("The army made an attack on Boston in 1775.", "attack place"),
        ("She gave birth to a son in 1850.", "give birth"),
        ("The assassination of Abraham Lincoln in 1865 shook the country.", "assassinate person"),
        ("The treaty of 1783 ended the war.", "conclude treaty"),
        ("Her death in 1901 shocked the country.", "die"),
        ("He won the 1936 election.", "win election"),
        ("The album took first place in 1990.", "take place"),
    ],
)
def test_what_is_alike_is_called_alike(text: str, frame: str) -> None:
    assert frames(text) == [frame]


def test_a_day_of_every_year_is_no_event() -> None:
    assert [e.timestamp for e in read("It was 1990. The race is held in October of each year.").events] == []
