"""Relations that no verb of their own states: apposition, brackets, parts, places, amounts, dates of things."""

from tests.every import every
from tests.extraction.given import Triple, relations, shipped_relations

DESCRIBED = [
    ("Coach Marta Gil denied the rumour.", ("Marta Gil", "is_a", "Coach")),
    ("The song is by country singer Keith Urban.", ("Keith Urban", "is_a", "country singer")),
    ("Alice Martin (1856-1953), an English nurse, died.", ("Alice Martin", "is_a", "English nurse")),
    ("Critics praised poets such as Emily Dickinson.", ("Emily Dickinson", "is_a", "poets")),
    ("Anna Freud was elected president of the society.", ("Anna Freud", "holds_office", "president of the society")),
]  # fmt: skip
PLACED = [
    ("John Knox died in Leith, Scotland.", ("Leith", "located_in", "Scotland")),
    ("The doctors examined a wound in the leg.", ("wound", "located_in", "leg")),
    ("Anna Freud, a professor at Yale University, left.", ("Anna Freud", "works_for", "Yale University")),
    ("Peter Houtman is a striker from Brazil.", ("Peter Houtman", "comes_from", "Brazil")),
]
PARTS = [
    ("The blades of the turbine broke.", ("blades", "part_of", "turbine")),
    ("The Amundsen Sea is an arm of the Southern Ocean.", ("Amundsen Sea", "part_of", "Southern Ocean")),
]
AMOUNTS = [
    ("The tower is 300 metres tall.", ("tower", "has_value", "300 metres")),
    ("The town has a population of 5,000.", ("town", "has_value", "5,000")),
    ("The line sold a fleet of 15 ships.", ("fleet", "has_value", "15 ships")),
]
MAKERS = [
    ("The novel by Jane Austen was adapted.", ("novel", "written_by", "Jane Austen")),
    ("Jane Austen's novel is long.", ("novel", "written_by", "Jane Austen")),
    ("The expedition under Captain Nils Larsen returned.", ("expedition", "led_by", "Nils Larsen")),
]
DATED = [
    ("Big Eyes is a 2014 film.", ("Big Eyes", "released_on", "2014")),
    ("Eric Mazur (born 14 November 1954) is a physicist.", ("Eric Mazur", "born_on", "14 November 1954")),
    ("The battle of 1862 was lost.", ("battle", "occurred_on", "1862")),
    ("Nina Ray (born 12 May 1986 in Vienna) is an athlete.", ("Nina Ray", "born_in", "Vienna")),
]


@every("text, expected", [*DESCRIBED, *PLACED, *PARTS, *AMOUNTS, *MAKERS, *DATED])
def test_nouns_and_names_state_a_relation_by_where_they_stand(text: str, expected: Triple) -> None:
    assert expected in shipped_relations(text)


@every(
    "text, expected",
    [
        ("The company sells birds with long tails.", ("long tails", "part_of", "birds")),
        ("John Smith left with his wife, Mary Smith, in May.", ("Mary Smith", "married_to", "John Smith")),
    ],
)
def test_patterns_read_a_relation_off_where_words_stand(text: str, expected: Triple) -> None:
    assert expected in relations(text)


@every(
    "text, expected",
    [
        ("Big Eyes is a film directed by Tim Burton.", ("Big Eyes", "directed_by", "Tim Burton")),
        ("Rome is a city in Italy.", ("Rome", "located_in", "Italy")),
    ],
)
def test_what_is_said_of_a_description_is_said_of_its_bearer(text: str, expected: Triple) -> None:
    assert expected in shipped_relations(text)


def test_what_a_thing_is_not_does_not_bear_what_is_said_of_it() -> None:
    stated = shipped_relations("Big Eyes is not the film directed by Tim Burton.")
    assert ("Big Eyes", "directed_by", "Tim Burton") not in stated


@every(
    "text, never",
    [
        ("They visited Rome, Paris, and Berlin.", "located_in"),
        ("Money left Turkey, Argentina and, to a lesser extent, Indonesia.", "located_in"),
        ("Anna Freud arrived on Monday.", "arrive_on"),
        ("A large body of water lies there.", "part_of"),
        ("The increase in trade was great.", "located_in"),
    ],
)
def test_what_only_looks_alike_states_nothing(text: str, never: str) -> None:
    assert never not in {type_.removesuffix("!") for _, type_, _ in shipped_relations(text)}
