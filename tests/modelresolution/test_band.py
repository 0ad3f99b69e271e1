"""Which pairs of names are uncertain: tables of what is asked and what never is."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from corpusgraph.schemas.study import Resolution
from corpusgraph.tasks.build.llm.same import same_pairs
from corpusgraph.tasks.build.resolve import NEIGHBOURS, is_misspelt, is_short_for, misspellings, skeleton
from corpusgraph.tasks.build.survey import Form, Survey, Tally, key_of
from tests.counted import calls_of
from tests.derive.build import Name, made, resolved
from tests.modelresolution.build import corpus_of, near, pairs_of, surveyed

ASKED: list[tuple[str, list[Name]]] = [
    ("letters", [("Nguyễn Văn An", "person"), ("Nguyen Van An", "person")]),
    ("letters", [("Nguyễn Văn An", "person"), ("Nguyễn Văn Ân", "person")]),
    ("letters", [("Malmø", "place"), ("Malmo", "place")]),
    ("letters", [("Broadstreet", "place"), ("Broad Street", "place")]),
    ("type", [("Washington", "person"), ("Washington", "place")]),
    ("type", [("cholera", "disease"), ("cholera", "concept")]),
    ("acronym", [("WHO", "organisation"), ("World Health Organization", "organisation")]),
    ("acronym", [("GBH", "concept"), ("General Board of Health", "organisation")]),
    ("initials", [("John Kennedy", "person"), ("John Fitzgerald Kennedy", "person")]),
    ("initials", [("Wm. Farr", "person"), ("William Farr", "person")]),
    ("order", [("Snow John", "person"), ("John Snow", "person")]),
    ("spelling", [("Dostoevsky", "person"), ("Dostoyevsky", "person")]),
    ("spelling", [("Boghurst Society", "organisation"), ("Boghirst Society", "organisation")]),
    ("abbreviation", [("Dept. of Health", "organisation"), ("Department of Health", "organisation")]),
    ("part", [("Board of Health", "organisation"), ("General Board of Health", "organisation")]),
    ("part", [("New York", "place"), ("New York City", "place")]),
    ("part", [("Aristotle", "person"), ("Aristotle Onassis Smith", "person")]),
]
NEVER: list[list[Name]] = [
    [("John Snow", "person"), ("Edgar Snow", "person")],
    [("George W. Bush", "person"), ("George H. W. Bush", "person")],
    [("Martin King Jr.", "person"), ("Martin King Sr.", "person")],
    [("Mr Eley", "person"), ("Mrs Eley", "person")],
    [("Charles II", "person"), ("Charles I", "person")],
    [("Area 51", "place"), ("Area 52", "place")],
    [("World War", "concept"), ("World War II", "concept")],
    [("1854", "date", {"iso": "1854"}), ("1855", "date", {"iso": "1855"})],
    [("500", "quantity", {"value": 500.0}), ("5000", "quantity", {"value": 5000.0})],
    [("毛泽东", "person"), ("毛泽民", "person")],
    [("John Snow", "person"), ("snow", "concept", {"noun_phrase": True})],
    [("Snow", "person"), ("snow", "concept", {"noun_phrase": True})],
    [("Titanic", "concept", {"qualifier": "film"}), ("Titanic", "concept", {"qualifier": "ship"})],
    [("Iran", "place"), ("Iraq", "place")],
    [("Indian", "concept"), ("Indians", "concept")],
    [("Oxford", "place"), ("Oxford University", "organisation")],
    [("water pump", "concept", {"noun_phrase": True}), ("water pumb", "concept", {"noun_phrase": True})],
]


@pytest.mark.parametrize(("sign", "names"), ASKED, ids=lambda value: str(value)[:60])
def test_asked(sign: str, names: list[Name]) -> None:
    assert list(near(*names).values()) == [sign]


@pytest.mark.parametrize("names", NEVER, ids=lambda names: str(names)[:60])
def test_never_asked(names: list[Name]) -> None:
    assert not near(*names)


def test_what_the_rules_merge_is_not_asked() -> None:
    assert not near(("John Snow", "person"), ("J. Snow", "person"), ("Dr. Snow", "person"))


def test_an_initial_that_fits_two_is_asked_of_both() -> None:
    found = near(("John Snow", "person"), ("James Snow", "person"), ("J. Snow", "person"))
    assert set(found) == {frozenset({"J. Snow", "John Snow"}), frozenset({"J. Snow", "James Snow"})}


def test_a_surname_that_fits_many_is_asked_of_none() -> None:
    given = ["Ada", "Ben", "Cora", "Dora", "Emil", "Fred"]
    few, many = ([(f"{name} Snow", "person") for name in given[:n]] for n in (5, 6))
    assert len(near(("Snow", "person"), *few)) == 5
    assert not near(("Snow", "person"), *many)


def test_what_a_hand_says_is_not_asked() -> None:
    alike: list[Name] = [("Dostoevsky", "person"), ("Dostoyevsky", "person")]
    assert near(*alike)
    assert not near(*alike, different=(("Dostoevsky", "Dostoyevsky"),))
    assert not near(*alike, same=(("Dostoevsky", "Dostoyevsky"),))
    initials: list[Name] = [("J. Kay", "person"), ("Jonathan Kay", "person")]
    undone = tuple(merge.id for merge in resolved(*corpus_of(*initials)).merges)
    assert undone
    assert not near(*initials, undo=undone)


def test_without_resolution_nothing_is_asked() -> None:
    assert not near(("Dostoevsky", "person"), ("Dostoyevsky", "person"), enabled=False)


def test_contexts_are_two_sentences_or_descriptions() -> None:
    corpus = corpus_of(*[("Dostoevsky", "person")] * 4, ("Dostoyevsky", "person"))
    (pair,) = same_pairs(surveyed(corpus), Resolution())
    by_name = dict(zip(pair.names, pair.contexts, strict=True))
    assert by_name["Dostoyevsky"] == ("Dostoyevsky was seen in the year 1804.",)
    assert len(by_name["Dostoevsky"]) == 2
    assert set(by_name["Dostoevsky"]) < {f"Dostoevsky was seen in the year {1800 + n}." for n in range(4)}


def test_a_description_comes_before_sentences() -> None:
    corpus = corpus_of(*[("Dostoevsky", "person")] * 4, ("Dostoyevsky", "person"))
    told = corpus[2].evidence.mentions[0].model_copy(update={"description": "A Russian\nnovelist."})
    evidence = corpus[2].evidence.model_copy(update={"mentions": (told,)})
    corpus[2] = corpus[2]._replace(evidence=evidence)
    (pair,) = same_pairs(surveyed(corpus), Resolution())
    assert dict(zip(pair.names, pair.contexts, strict=True))["Dostoevsky"][0] == "A Russian novelist."


def test_a_long_sentence_is_cut_around_the_name() -> None:
    text = f"{'before ' * 100}Dostoevsky wrote {'after ' * 100}."
    corpus = [made("d1", text, [("Dostoevsky", "person")]), *corpus_of(("Dostoyevsky", "person"))]
    (pair,) = same_pairs(surveyed(corpus), Resolution())
    context = dict(zip(pair.names, pair.contexts, strict=True))["Dostoevsky"][0]
    assert "before Dostoevsky wrote after" in context
    assert len(context) <= 240
    assert set(context.split()) == {"before", "Dostoevsky", "wrote", "after"}


def test_sentences_of_a_document_that_says_whom_it_means_are_not_shown() -> None:
    """In d1 Snow is John Snow by rule; only d3 leaves open who is meant."""
    corpus = [
        made("d1", "John Snow came. Snow spoke.", [("John Snow", "person"), ("Snow", "person")]),
        made("d2", "Edgar Snow came. Snow wrote.", [("Edgar Snow", "person"), ("Snow", "person")]),
    ]
    assert not same_pairs(surveyed(corpus), Resolution())
    corpus.append(made("d3", "Snow slept.", [("Snow", "person")]))
    pairs = same_pairs(surveyed(corpus), Resolution())
    assert [dict(zip(pair.names, pair.contexts, strict=True))["Snow"] for pair in pairs] == [
        ("Snow slept.",)
    ] * 2


def test_a_survey_keeps_contexts_only_where_asked() -> None:
    corpus = corpus_of(("Dostoevsky", "person"), ("Dostoyevsky", "person"))
    (pair,) = same_pairs(surveyed(corpus, contexts=False), Resolution())
    assert pair.contexts == ((), ())


def test_pairs_do_not_depend_on_the_order_of_documents() -> None:
    names = [name for _, group in ASKED for name in group]
    corpus = corpus_of(*names, *names)
    pairs = same_pairs(surveyed(corpus), Resolution())
    assert len(pairs) >= len(ASKED)
    for seed in range(5):
        shuffled = random.Random(seed).sample(corpus, len(corpus))  # noqa: S311
        assert same_pairs(surveyed(shuffled), Resolution()) == pairs


@pytest.mark.faults
def test_nothing_depends_on_the_hash_seed() -> None:
    code = (
        "from tests.modelresolution.test_band import *; from tests.modelresolution.build import *\n"
        "corpus = corpus_of(*[name for _, group in ASKED for name in group])\n"
        "model = judging(always(same=True)); decided, _ = judged(corpus, model)\n"
        "print(model.prompts, decided.merges, decided.warnings)"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parents[2],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(said) == 1
    assert b"llm" in said.pop()


def test_the_surest_come_first() -> None:
    pairs = pairs_of(*[name for _, group in ASKED for name in group])
    signs = [pair.sign for pair in pairs]
    assert signs[0] == "letters"
    assert signs[-1] == "part"


def _many(count: int) -> Survey:
    """Return a survey of made-up persons: every third is another spelled with one letter less."""
    pick = random.Random(7)  # noqa: S311
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    gathered = Survey()
    names: list[str] = []
    while len(gathered.forms) < count:
        name = " ".join("".join(pick.choices(syllables, k=3)).capitalize() for _ in range(2))
        names.append(names[-1][:-1] if len(names) % 3 == 2 else name)
        form = Form(names[-1], "person")
        gathered.forms[form] = Tally()
        gathered.forms[form].mentions = gathered.forms[form].documents = 1
        gathered.keys[form] = key_of(form)
    return gathered


def test_time_is_near_linear() -> None:
    """Eight times the names make some eight times the calls; to compare all with all is 64 times as many."""

    def made(count: int) -> int:
        gathered = _many(count)
        pairs: list[object] = []
        calls = calls_of(lambda: pairs.extend(same_pairs(gathered, Resolution())))
        assert len(pairs) > count // 5
        return calls

    assert made(4_000) < 16 * made(500)


def test_a_crowd_of_one_surname_stays_linear() -> None:
    crowd: list[Name] = [
        (f"A{'abcdefghij'[n // 10]}{'klmnopqrst'[n % 10]}x Snow", "person") for n in range(100)
    ]
    assert len(near(("A. Snow", "person"), *crowd)) <= NEIGHBOURS * len(crowd)


def test_words_are_compared() -> None:
    assert skeleton("nguyễn") == "nguyen"
    assert skeleton("løvåsen") == "lovasen"
    assert is_short_for("dept", "department")
    assert not is_short_for("dep", "debt")
    assert is_misspelt("jon", "john")
    assert is_misspelt("tchaikovsky", "tschaikowsky")
    assert not is_misspelt("tom", "tim")
    assert not is_misspelt("austria", "australia")
    assert is_misspelt("recieve", "receive")
    assert misspellings(["john", "jon", "joan", "tchaikovsky", "tschaikowsky"]) == {
        "joan": ["jon"],
        "john": ["jon"],
        "jon": ["joan", "john"],
        "tchaikovsky": ["tschaikowsky"],
        "tschaikowsky": ["tchaikovsky"],
    }
