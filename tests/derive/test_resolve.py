"""Who is taken for whom: tables of what must merge and what must not."""

from typing import Any

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.study import Resolution
from corpusgraph.tasks.build.resolve import EntityKey, resolve
from corpusgraph.tasks.build.survey import survey
from tests.derive.build import Made, Name, entity_names, made, resolved
from tests.every import every


def one(names: list[Name], **options: Any) -> list[str]:
    """Return the entity of each name, all in one document, in the order of the names."""
    text = " . ".join(name[0] for name in names)
    found = entity_names([made("d1", text, names)], **options)
    return [found[at] for at in sorted(found, key=lambda at: at[2])]


def entity_keys(document: Made, **options: Any) -> list[EntityKey | None]:
    decided = resolved(document, **options)
    return [decided.entity_of(mention, document.document.id) for mention in document.evidence.mentions]


SAME: list[tuple[str, list[Name]]] = [
    ("case", [("John Snow", "person"), ("JOHN SNOW", "person")]),
    ("case", [("water supply", "concept"), ("Water Supply", "concept")]),
    ("punctuation", [("Broad Street", "place"), ("Broad-Street", "place")]),
    ("punctuation", [("U.S.", "place"), ("US", "place"), ("US", "place")]),
    ("possessive", [("John Snow", "person"), ("John Snow's", "person")]),
    ("article", [("Lancet", "organisation"), ("The Lancet", "organisation")]),
    ("legal_form", [("Apple", "organisation"), ("Apple Inc.", "organisation")]),
    ("plural", [("outbreak", "concept"), ("outbreaks", "concept")]),
    ("title", [("John Snow", "person"), ("Dr. John Snow", "person")]),
    ("title", [("Nguyễn Văn An", "person"), ("Dr. Nguyễn Văn An", "person")]),
    ("initials", [("John Snow", "person"), ("J. Snow", "person")]),
    ("initials", [("J.R.R. Tolkien", "person"), ("John Ronald Reuel Tolkien", "person")]),
    ("surname", [("John Snow", "person"), ("Snow", "person")]),
    ("surname", [("John Snow", "person"), ("Dr. Snow", "person")]),
    ("surname", [("John Snow", "person"), ("Snow", "person", {"title": "Mr."})]),
    ("surname", [("John Snow", "person"), ("Snow", "concept")]),
    ("surname", [("Nguyễn Văn An", "person"), ("An", "person")]),
    ("surname", [("阿尔伯特·爱因斯坦", "person"), ("爱因斯坦", "person")]),
    ("surname", [("Ludwig van Beethoven", "person"), ("van Beethoven", "person")]),
    ("given", [("Mao Zedong", "person"), ("Mao", "person")]),
    ("head", [("General Board of Health", "organisation"), ("Board", "organisation")]),
    ("acronym", [("General Board of Health", "organisation", {"acronym": "GBH"}), ("GBH", "organisation")]),
    ("acronym", [("United States", "place"), ("U.S.", "place")]),
    ("alias", [("Robert Zimmerman", "person", {"alias": "Bob Dylan"}), ("Bob Dylan", "person")]),
    ("surname", [("Jane Snow", "person"), ("Mrs. Snow", "person")]),
    ("type", [("Lancet", "organisation"), ("Lancet", "organisation"), ("Lancet", "concept")]),
    ("qualifier", [("Titanic", "concept", {"qualifier": "film"}), ("Titanic", "concept")]),
    ("date", [("8 September 1854", "date", {"iso": "1854-09-08"}), ("September 8", "date", {"iso": "1854-09-08"})]),
    ("quantity", [("500", "quantity", {"value": 500.0}), ("five hundred", "quantity", {"value": 500.0})]),
]  # fmt: skip
APART: list[list[Name]] = [
    [("Nguyễn Văn An", "person"), ("Nguyễn Văn Ân", "person")],
    [("Nguyễn Văn An", "person"), ("Nguyen Van An", "person")],
    [("毛泽东", "person"), ("毛泽民", "person")],
    [("Mao Zedong", "person"), ("Mao Zemin", "person")],
    [("John Snow", "person"), ("Edgar Snow", "person")],
    [("George W. Bush", "person"), ("George H. W. Bush", "person")],
    [("Martin Luther King Jr.", "person"), ("Martin Luther King Sr.", "person")],
    [("Mr Eley", "person"), ("Mrs Susannah Eley", "person")],
    [("Mr. Bennet", "person"), ("Mrs. Bennet", "person")],
    [("John Snow", "person"), ("Mrs. Snow", "person")],
    [("Jane Snow", "person"), ("Mr. Snow", "person")],
    [("Bennet", "person", {"title": "Mr."}), ("Bennet", "person", {"title": "Mrs."})],
    [("Lady Macbeth", "person"), ("Macbeth", "person"), ("Macbeth", "person")],
    [("Washington", "person"), ("Washington", "place")],
    [("Titanic", "concept", {"qualifier": "film"}), ("Titanic", "concept", {"qualifier": "ship"})],
    [("John Snow", "person"), ("snow", "concept", {"noun_phrase": True})],
    [("Charles II", "person"), ("Charles I", "person")],
    [("General Board of Health", "organisation"), ("Board of Trade", "organisation")],
    [("1854", "date", {"iso": "1854"}), ("1855", "date", {"iso": "1855"})],
    [("5 miles", "quantity", {"value": 5.0, "unit": "mile"}), ("5 feet", "quantity", {"value": 5.0, "unit": "foot"})],
    [("Indian", "concept"), ("Indians", "concept")],
    [("Olympia", "place"), ("Mr. Olympia", "person")],
    [("economic development", "concept", {"acronym": "OECD"}), ("OECD", "organisation")],
    [("statistic", "concept"), ("statistics", "concept")],
    [("C", "concept"), ("C++", "concept")],
]  # fmt: skip


@every("rule, names", SAME)
def test_must_merge(rule: str, names: list[Name]) -> None:
    assert len(set(one(names))) == 1
    text = " . ".join(name[0] for name in names)
    assert rule in {merge.rule for merge in resolved(made("d1", text, names)).merges}


@every("names", APART)
def test_must_not_merge(names: list[Name]) -> None:
    distinct = {(name[0], name[1], str(name[2:])) for name in names}
    text = " . ".join(name[0] for name in names)
    document = made("d1", text, names)
    decided = resolved(document)
    ids = {decided.entity_of(m, "d1") for m in document.evidence.mentions}
    assert len({key.id for key in ids if key}) == len(distinct)


def test_undoing_a_merge_restores_both_entities() -> None:
    """Each is again what it is where the other does not stand."""
    both = made("d1", "John Snow. J. Snow.", [("John Snow", "person"), ("J. Snow", "person")])
    merge = next(merge for merge in resolved(both).merges if merge.rule == "initials")
    apart = entity_keys(both, undo=(merge.id,))
    alone = [
        *entity_keys(made("d1", "John Snow.", [("John Snow", "person")])),
        *entity_keys(made("d1", "J. Snow.", [("J. Snow", "person")])),
    ]
    assert apart == alone
    assert entity_keys(both) == [alone[0], alone[0]]


@every("names", [names for _, names in SAME])
def test_every_merge_can_be_undone(names: list[Name]) -> None:
    document = made("d1", " . ".join(name[0] for name in names), names)
    merges = resolved(document).merges
    apart = resolved(document, undo=tuple(merge.id for merge in merges))
    assert not apart.merges
    assert not apart.warnings
    assert len({apart.entity_of(m, "d1") for m in document.evidence.mentions}) > 1


def test_the_merged_name_is_the_plain_and_whole_one() -> None:
    assert set(one([("Snow", "person"), ("DR. JOHN SNOW", "person"), ("John Snow", "person")])) == {
        "John Snow/person"
    }


def test_id_is_that_of_the_plain_name() -> None:
    document = made("d1", "Dr. John Snow . John Snow", [("Dr. John Snow", "person"), ("John Snow", "person")])
    key = resolved(document).entity_of(document.evidence.mentions[0], "d1")
    assert key
    assert key.id == Entity.make_id("John Snow", "person")


def test_surname_means_the_full_name_of_its_document() -> None:
    corpus = [
        made("d1", "John Snow came. Snow spoke.", [("John Snow", "person"), ("Snow", "person")]),
        made("d2", "Edgar Snow came. Snow spoke.", [("Edgar Snow", "person"), ("Snow", "person")]),
        made("d3", "Snow spoke.", [("Snow", "person")]),
    ]
    found = entity_names(corpus)
    assert found["d1", "Snow", 16] == "John Snow/person"
    assert found["d2", "Snow", 17] == "Edgar Snow/person"
    assert found["d3", "Snow", 0] == "Snow/person"


def test_between_two_bearers_the_one_named_last_is_meant() -> None:
    text = "John Snow met Edgar Pike. Pike spoke. Ann Snow came. Snow left. John Snow stayed. Snow slept."
    names: list[Name] = [
        ("John Snow", "person"), ("Edgar Pike", "person"), ("Ann Snow", "person"), ("John Snow", "person"),
        *[("Snow", "person")] * 2,
    ]  # fmt: skip
    found = entity_names([made("d1", text, names)])
    assert found["d1", "Snow", text.index("Snow left")] == "Ann Snow/person"
    assert found["d1", "Snow", text.index("Snow slept")] == "John Snow/person"
    local = [merge for merge in resolved(made("d1", text, names)).merges if merge.rule == "surname"]
    assert {(merge.into_name, merge.documents) for merge in local} == {
        ("Ann Snow", ("d1",)),
        ("John Snow", ("d1",)),
    }


def test_board_means_the_one_board_of_its_document() -> None:
    boards = ["General Board of Health", "Board of Trade"]
    corpus = [
        made(board, f"{board} met. The Board sat.", [(board, "organisation"), ("Board", "organisation")])
        for board in boards
    ]
    found = entity_names(corpus)
    assert found[boards[0], "Board", 33] == "General Board of Health/organisation"
    assert found[boards[1], "Board", 24] == "Board of Trade/organisation"


def test_a_name_that_mostly_stands_alone_is_its_own() -> None:
    both: list[Name] = [("Congress of the United States", "organisation"), ("Congress", "organisation")]
    corpus = [made("d0", "Congress of the United States. Congress sat.", both)]
    corpus += [made(f"d{i}", "Congress sat.", [("Congress", "organisation")]) for i in range(1, 4)]
    assert entity_names(corpus)["d0", "Congress", 31] == "Congress/organisation"


def test_an_acronym_with_two_readings_is_read_by_document() -> None:
    text = "{} (ABC). ABC sat."
    corpus = [
        made(
            f"d{i}",
            text.format(name),
            [(name, "organisation", {"acronym": "ABC"}), ("ABC", "organisation"), ("ABC", "organisation")],
        )
        for i, name in enumerate(["American Bird Club", "Art Book Council"])
    ]
    corpus.append(made("d2", "ABC sat.", [("ABC", "organisation")]))
    found = entity_names(corpus)
    assert {name for (document, surface, _), name in found.items() if surface == "ABC" and document == "d0"} == {
        "American Bird Club/organisation"
    }  # fmt: skip
    assert found["d2", "ABC", 0] == "ABC/organisation"


def test_an_acronym_is_read_only_where_it_is_introduced() -> None:
    club: list[Name] = [("American Bird Club", "organisation", {"acronym": "ABC"}), ("ABC", "organisation")]
    corpus = [
        made("d1", "American Bird Club (ABC).", club),
        made("d2", "ABC sat.", [("ABC", "organisation")]),
    ]
    found = entity_names(corpus)
    assert found["d1", "ABC", 20] == "American Bird Club/organisation"
    assert found["d2", "ABC", 0] == "ABC/organisation"


def test_the_title_of_a_document_says_which_homonym_it_means() -> None:
    corpus = [
        made("d1", "Titanic was shot in Mexico.", [("Titanic", "concept")], title="Titanic (1997 film)"),
        made("d2", "Titanic sank in 1912.", [("Titanic", "concept")], title="Titanic (ship)"),
        made("d3", "Titanic is famous.", [("Titanic", "concept")]),
    ]
    found = entity_names(corpus)
    assert found["d1", "Titanic", 0] == "Titanic (1997 film)/concept"
    assert found["d2", "Titanic", 0] == "Titanic (ship)/concept"
    assert found["d3", "Titanic", 0] == "Titanic/concept"


def test_a_word_only_capitalised_at_a_sentence_start_is_no_name() -> None:
    initial = {"sentence_initial": True}
    corpus = [
        made("d1", "Water flows.", [("Water", "concept", initial)], lower={"water": 3}),
        made("d2", "Cholera kills. Pump.", [("Cholera", "concept", initial), ("Pump", "concept")], lower={"pump": 5}),
    ]  # fmt: skip
    found = entity_names(corpus)
    assert found == {
        ("d1", "Water", 0): "-",
        ("d2", "Cholera", 0): "Cholera/concept",
        ("d2", "Pump", 15): "Pump/concept",
    }


def test_a_common_noun_goes_by_its_small_letter_beside_a_name() -> None:
    phrase = {"noun_phrase": True}
    noun = [("Union", "concept", phrase), ("union", "concept", phrase)]
    assert set(one([("Union", "place"), *noun])) == {"Union/place", "union/concept"}
    names = [("Union", "place")] * 2
    assert set(one([*names, ("Union", "concept", phrase), *noun])) == {"Union/place"}


def test_a_common_word_is_no_surname() -> None:
    corpus = [made("d1", "Political Power . Power", [("Political Power", "person"), ("Power", "concept")],
                   lower={"power": 9})]  # fmt: skip
    assert entity_names(corpus)["d1", "Power", 18] == "Power/concept"


def test_a_survey_can_be_resolved_again() -> None:
    corpus = [
        made("d1", "Snow wrote.", [("Snow", "concept")], title="Snow (film)"),
        made("d2", "John Snow, Snow.", [("John Snow", "person"), ("Snow", "person")], title="John Snow"),
    ]
    gathered = survey((one.document, one.evidence) for one in corpus)
    once, again = resolve(gathered, Resolution()), resolve(gathered, Resolution())
    assert once.merges == again.merges
    assert once.names() == again.names()


def test_every_name_is_known_with_its_entity() -> None:
    document = made("d1", "Dr. John Snow. Snow. 1854", [("Dr. John Snow", "person"), ("Snow", "person"),
                                                        ("1854", "date", {"iso": "1854"})])  # fmt: skip
    assert resolved(document).names() == dict.fromkeys(
        ["Dr. John Snow", "Snow"], Entity.make_id("John Snow", "person")
    )


def test_by_hand() -> None:
    names: list[Name] = [("Boz", "person"), ("Charles Dickens", "person"), ("J. Snow", "person"), ("John Snow", "person")]  # fmt: skip
    found = one(names, same=(("Charles Dickens", "Boz"),), different=(("J. Snow", "John Snow"),))
    assert found == ["Charles Dickens/person", "Charles Dickens/person", "J. Snow/person", "John Snow/person"]


def test_different_holds_through_a_third_name() -> None:
    """J. Snow may be John Snow, but never together with Snow when a hand keeps these two apart."""
    names: list[Name] = [("John Snow", "person"), ("J. Snow", "person"), ("Snow", "person")]
    found = one(names, different=(("Snow", "J. Snow"),))
    assert found[0] == found[1] == "John Snow/person"
    assert found[-1] == "Snow/person"


def test_different_spellings_of_one_name() -> None:
    found = entity_names([made("d1", "Snow SNOW", [("Snow", "person"), ("SNOW", "person")])],
                         different=(("Snow", "SNOW"),))  # fmt: skip
    assert sorted(found.values()) == ["SNOW/person", "Snow/person"]


def test_off_leaves_names_as_they_are() -> None:
    names: list[Name] = [("J. Snow", "person"), ("John Snow", "person"), ("JOHN SNOW", "person")]
    assert one(names, enabled=False) == ["J. Snow/person", "John Snow/person", "John Snow/person"]


def test_what_a_hand_says_in_vain_is_told() -> None:
    document = made("d1", "John Snow", [("John Snow", "person")])
    told = resolved(document, same=(("John Snow", "Jon Snow"),), undo=("mrg_0",)).warnings
    assert {(warning.code, warning.records) for warning in told} == {
        ("unknown_name", ("Jon Snow",)),
        ("unknown_merge", ("mrg_0",)),
    }
