"""Names and their types, quantities, roles, acronyms; several languages and scripts."""

import pytest

from corpusgraph.tasks.extract.query_names import query_names
from tests.every import every
from tests.extraction.given import found, mentions, names


@every(
    "text, name, type_",
    [
        ("They met Dr. John Snow there.", "Dr. John Snow", "person"),
        ("They met Florence Nightingale there.", "Florence Nightingale", "person"),
        ("They met J. S. Mill there.", "J. S. Mill", "person"),
        ("They met Ludwig van Beethoven there.", "Ludwig van Beethoven", "person"),
        (
            "He saw the Board of Guardians of St James's Parish.",
            "Board of Guardians of St James's Parish",
            "organisation",
        ),
        ("He saw the General Board of Health.", "General Board of Health", "organisation"),
        ("The Southwark and Vauxhall Company sold it.", "Southwark and Vauxhall Company", "organisation"),
        ("He left the University of London.", "University of London", "organisation"),
        ("They lived in Soho.", "Soho", "place"),
        ("They lived in Broad Street then.", "Broad Street", "place"),
        ("They lived near Zzyzx then.", "Zzyzx", "place"),
        ("They saw New South Wales then.", "New South Wales", "place"),
        ("They passed the Public Health Act then.", "Public Health Act", "concept"),
        ("It was the War of 1812 then.", "War of 1812", "concept"),
        ('She sang "The Long Way Home" then.', "The Long Way Home", "concept"),
        ("The Athenians had lost.", "Athenians", "organisation"),
        ("Iron Wheel are an English heavy metal band.", "Iron Wheel", "organisation"),
        ("Lufthansa, the German airline, bought planes.", "Lufthansa", "organisation"),
        ("The song by the rock band Porcupine Tree was sung.", "Porcupine Tree", "organisation"),
        ("He has played for Zenit since.", "Zenit", "organisation"),
        ("They signed to Zomba then.", "Zomba", "organisation"),
        ("The Boston Bruins won again.", "Boston Bruins", "organisation"),
        ("He works for Mill Creek Entertainment there.", "Mill Creek Entertainment", "organisation"),
        ("They met Vodka House, Inc. there.", "Vodka House, Inc.", "organisation"),
        # what the trained recognizer is there for: firms without a head word, small letters, curly quotes
        ("Enron and Dynegy merged.", "Dynegy", "organisation"),
        ("i met john smith of microsoft in london.", "microsoft", "organisation"),
        ("i met john smith of microsoft in london.", "john smith", "person"),
        ("WE SHALL MEET IN PARIS SAID JOHN SMITH.", "JOHN SMITH", "person"),
        ("He said that the company “Milden Widgets” was sold.", "Milden Widgets", "organisation"),
        # its bounds hold, but for a verb, an office and what a head word joins
        ("The Food and Drug Administration fined Pfizer.", "Food and Drug Administration", "organisation"),
        ("The Food and Drug Administration fined Pfizer.", "Pfizer", "organisation"),
        ("He saw Sony Records for the first time.", "Sony Records", "organisation"),
        ("It was made by Actor Leonardo Silva then.", "Leonardo Silva", "person"),
        ("It was directed by Géza von Cziffra then.", "Géza von Cziffra", "person"),
        ("They met Senators Mitch Walker there.", "Mitch Walker", "person"),
        ("He saw the Tigris and Euphrates Rivers.", "Tigris", "place"),
        ("Baku (Azerbaijani: x) is the capital of it.", "Baku", "place"),
        ("They lived beyond North Elmsall then.", "North Elmsall", "place"),
        ("They lived beyond Trowelshire then.", "Trowelshire", "place"),
        ("Nguyễn Văn Thành đi học.", "Nguyễn Văn Thành", "person"),
        ("Тогда Иван Петров ушёл.", "Иван Петров", "person"),
    ],
)
def test_a_name_is_found_whole_with_its_type(text: str, name: str, type_: str) -> None:
    assert names(text, None).get(name) == type_


@every(
    "text",
    [
        "The French army lost.",
        "On Monday I left.",
        "However, it rained.",
        "In the end it was so.",
        "The Hindi-language film is long.",
        "The INFINITE DIVISIBILITY of it is clear.",
        "Our Government is good.",
        "Cholera killed many.",
        "They gave IT to US all.",
        "THE DOG ATE THE BONE.",
        "It is of the utmost importance to the people of this country.",
    ],
)
def test_adjectives_days_and_openings_are_no_names(text: str) -> None:
    assert names(text) == {}


def test_a_surname_alone_follows_the_full_name() -> None:
    assert names("They met John Snow. Later Snow left.")["Snow"] == "person"


def test_a_lone_capital_at_the_start_is_marked_for_the_corpus_to_decide() -> None:
    (mention,) = mentions("Calenture killed many.")
    assert mention.attributes["sentence_initial"] is True
    assert mentions("Calenture killed many. They feared calenture.") == []


def test_words_in_lower_case_are_counted() -> None:
    assert found("Water is water, and water runs.").lower_words == {"and": 1, "is": 1, "runs": 1, "water": 2}


def test_role_title_qualifier_and_acronym_are_attributes() -> None:
    marks = {
        m.surface: m.attributes
        for m in mentions("Dr. John Snow, a London physician, met the General Board of Health (GBH).")
    }
    assert marks["Dr. John Snow"] == {"title": "Dr.", "role": "London physician"}
    assert marks["General Board of Health"] == {"acronym": "GBH"}
    assert names("He joined the General Board of Health (GBH).")["GBH"] == "organisation"
    (film,) = [
        m
        for m in mentions("Tom Ford made Nocturnal Animals (film) in 2016.")
        if m.surface == "Nocturnal Animals"
    ]
    assert film.attributes["qualifier"] == "film"


@every(
    "text, surface, value, unit",
    [
        ("There were 616 deaths.", "616 deaths", 616, "deaths"),
        ("It cost £1,200.", "£1,200", 1200, "pounds"),
        ("About 51 percent agreed.", "51 percent", 51, "%"),
        ("Some 12.5% agreed.", "12.5%", 12.5, "%"),
        ("He had two million pounds.", "two million pounds", 2e6, "pounds"),
        ("It was 25 °C then.", "25 °C", 25, "°C"),
        ("It lies at 40°54′N on land.", "40°54′N", 40, "°N"),
        ("Some 10–15% agreed.", "10–15%", 10, "%"),
        ("The 90-minute film ended.", "90-minute", 90, "minute"),
        ("There were twenty-one houses.", "twenty-one houses", 21, "houses"),
    ],
)
def test_quantities_have_value_and_unit(text: str, surface: str, value: float, unit: str) -> None:
    (quantity,) = [m for m in mentions(text) if m.type == "quantity"]
    assert (quantity.surface, quantity.attributes) == (surface, {"value": value, "unit": unit})


def test_a_surname_follows_a_full_name_that_was_only_guessed() -> None:
    assert names("They met Bozo Kramic. They blamed old Kramic then.")["Kramic"] == "person"


def test_a_share_of_a_whole_is_a_quantity() -> None:
    (quantity,) = [m for m in mentions("They took two-thirds of the votes.") if m.type == "quantity"]
    assert quantity.surface == "two-thirds"
    assert quantity.attributes["value"] == pytest.approx(2 / 3)


def test_german_nouns_are_not_taken_for_names() -> None:
    text = "Dr. Robert Koch reiste nach Berlin. Die Krankheit und das Wasser machten dem Arzt Sorgen."
    assert names(text, "de") == {"Dr. Robert Koch": "person", "Berlin": "place"}


def test_scripts_without_capitals_give_titles_repeated_words_and_known_endings() -> None:
    chinese = names("《霍乱》是一本书。北京大学在北京市。斯诺教授说话。", None)
    assert chinese == {"霍乱": "concept", "北京大学": "organisation", "北京市": "place", "斯诺教授": "person"}
    assert "الكوليرا" in names("الكوليرا مرض. الكوليرا تنتقل.", None)


def test_names_of_a_question() -> None:
    question = "Who employed John Snow at the Westminster Hospital in 1854?"
    assert query_names(question) == ["John Snow", "Westminster Hospital", "1854"]


@every(
    "text, name, type_",
    [
        ("They met Garbarek, a saxophonist, there.", "Garbarek", "person"),
        ("Garbarek, who was ill, stayed.", "Garbarek", "person"),
        ("He became chairman of Orvex then.", "Orvex", "organisation"),
        ("The Communists lost.", "Communists", "organisation"),
        ("Many Iraqis left.", "Iraqis", "organisation"),
        ("They read Reuters there.", "Reuters", "organisation"),
        ("She moved to Portsmouth, NH, in May.", "NH", "place"),
        ("Bea: they said so.", "Bea", "person"),
        ("They met UN Secretary-General Kofi Annan then.", "UN", "organisation"),
        ("They met UN Secretary-General Kofi Annan then.", "Kofi Annan", "person"),
        ("My dear Sir Joseph, I thank you.", "Sir Joseph", "person"),
        ("John Pike of the Halden Institute spoke.", "Halden Institute", "organisation"),
        ("The steelmaker Orvex rose.", "Orvex", "organisation"),
        ("The nearest town is Carnforth.", "Carnforth", "place"),
        ("They sailed to Malvik then.", "Malvik", "place"),
        ("He married Vigdis there.", "Vigdis", "person"),
        ("Firms such as Gasko closed.", "Gasko", "organisation"),
        ("They sued the brewery Milden Farms. They told us of Milden.", "Milden", "organisation"),
        ("She sighed. 'Go on,' said the Hatter. 'I will,' the Hatter replied.", "Hatter", "person"),
        ("He met Deputy Secretary Alexander Hamilton there.", "Deputy Secretary", "concept"),
        ("He met Deputy Secretary Alexander Hamilton there.", "Alexander Hamilton", "person"),
        ("He is CEO of Bank of America.", "Bank of America", "organisation"),
        ("He read The Canon of Medicine there.", "Canon of Medicine", "concept"),
        ("Petra Lindqvist of the Halden Institute spoke.", "Petra Lindqvist", "person"),
        ("They praised the US soldiers.", "US", "place"),
    ],
)
def test_the_sentence_says_what_a_name_names(text: str, name: str, type_: str) -> None:
    assert names(text).get(name) == type_


@every(
    "text, name",
    [
        ("OBITUARY\n\nJohn Snow died.", "OBITUARY"),
        ("COURT\n\nJohn Snow spoke.", "COURT"),
        ("Abstract Raft foundations settle slowly. The raft sank.", "Abstract Raft"),
        ("Electron microscopy revealed pits.", "Electron"),
    ],
)
def test_headings_and_first_words_are_no_names(text: str, name: str) -> None:
    assert name not in names(text)


def test_another_name_is_an_attribute() -> None:
    marks = {m.surface: m.attributes for m in mentions("Robert Zimmerman, better known as Bob Dylan, sang.")}
    assert marks["Robert Zimmerman"]["alias"] == "Bob Dylan"


def test_a_name_at_birth_is_a_persons() -> None:
    marks = {m.surface: m.attributes for m in mentions("Mark Twain, born Samuel Clemens, sailed to London.")}
    assert marks["Mark Twain"]["alias"] == "Samuel Clemens"
    marks = {m.surface: m.attributes for m in mentions("Jean Betts is a London born New Zealand playwright.")}
    assert "New Zealand" in marks
    assert "alias" not in marks["London"]


def test_a_role_is_read_off_the_apposition() -> None:
    marks = {m.surface: m.attributes for m in mentions("Garbarek, a saxophonist, played there.")}
    assert marks["Garbarek"]["role"] == "saxophonist"
