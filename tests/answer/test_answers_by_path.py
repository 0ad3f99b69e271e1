"""Which sentences answer without a language model: by the path to them, in a chat, in a memory; what is declined."""

from pathlib import Path
from typing import Any

import pytest

import corpusgraph as cg
from corpusgraph.flows.interop.sources import new_memory
from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.answer.extractive import NO_ANSWER
from corpusgraph.tasks.answer.question import expected
from corpusgraph.tasks.answer.turns import turns_of
from tests.answer.build import extracted_from

ENTRIES = {
    "Hello Love": '"Hello Love" is a 1974 single by Hank Snow. It was his last number one.',
    "Hank Snow": "Hank Snow was a singer from Nova Scotia. He died in Madison in 1999.",
    "Love songs": "Love songs are often sad. Singers have died on the stage while they sang one in Boston.",
}
TYPES = {
    "Hello Love": "concept",
    "Hank Snow": "person",
    "Nova Scotia": "place",
    "Madison": "place",
    "Boston": "place",
}


def entry(title: str, text: str) -> tuple[Chunk, Document]:
    """Return an entry of a handbook as one passage."""
    named = tuple(name for name in TYPES if name in text or name == title)
    chunk = Chunk(id=f"c {title}", content=text, source_doc=title, end=len(text), entities=named)
    return chunk, Document(id=title, title=title, text=text, source=title, content_hash="")


def ask(query: str, names: list[list[str]], entries: dict[str, str] | None = None) -> Answer:
    pairs = [entry(*item) for item in (entries or ENTRIES).items()]
    return extracted_from(
        query,
        [chunk for chunk, _ in pairs],
        documents={document.id: document for _, document in pairs},
        names=names,
        entity_of=lambda id_: Entity(id=id_, name=id_, type=TYPES[id_]),
    )


def test_a_bridge_leads_to_the_answer() -> None:
    """Neither the singer nor the song is in the sentence that tells where he died."""
    said = [c.text for c in ask("Where did the singer of Hello Love die?", [["Hello Love"]]).citations]
    assert "He died in Madison in 1999." in said
    other = "Singers have died on the stage while they sang one in Boston."
    assert other not in said[: said.index("He died in Madison in 1999.")]


def test_without_the_bridge_the_other_passage_has_no_say() -> None:
    entries = {**ENTRIES, "Hello Love": '"Hello Love" is a 1974 single. It was a number one.'}
    said = ask("Where did the singer of Hello Love die?", [["Hello Love"]], entries).text
    assert "Madison" not in said


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Where did the singer of Goodbye Sorrow die?", [["Goodbye Sorrow"]]),  # a name that no passage holds
        ("Which bridge did Edith Kerr design for Lisbon?", [["Edith Kerr"], ["Lisbon"]]),
    ],
)
def test_what_fits_too_little_is_declined_in_the_same_words(query: str, names: list[list[str]]) -> None:
    told = ask(query, names)
    assert (told.text, told.supported, told.citations) == (NO_ANSWER, False, ())


AIRPORTS = {
    "Alder Airport": "Alder Airport is a public airport in Kent. It has an airport hotel. All airports are loud.",
    "Birch Airport": "Birch Airport is a private airfield in Essex. It opened in 1931.",
    "Airports": "Airports that are both public and private airports are airports of the same kind.",
}


@pytest.mark.parametrize(
    "query",
    [
        "Are Alder Airport and Birch Airport both public airports?",
        "Which airport is in Essex, Alder Airport or Birch Airport?",
    ],
)
def test_a_comparison_is_answered_by_a_sentence_on_each(query: str) -> None:
    said = [c.document_title for c in ask(query, [["Alder Airport"], ["Birch Airport"]], AIRPORTS).citations]
    assert set(said[:2]) == {"Alder Airport", "Birch Airport"}


def test_where_passages_name_what_is_asked_the_others_have_no_say() -> None:
    other = "The president spoke of the president and of how the president spoke."
    entries = {"Taft": "The Hart Canal will serve trade. It is wide.", "Ford": other}
    told = ask("Which president spoke about trade and the Hart Canal?", [["Hart Canal"]], entries)
    assert {c.document_title for c in told.citations} == {"Taft"}


@pytest.mark.parametrize(
    ("query", "least"),
    [
        ("How many spirits come to Jonas Vale?", "Three kind spirits come to Jonas Vale."),
        ("How long do spirits stay with Jonas Vale?", "Spirits stay with Jonas Vale for nine days."),
    ],
)
def test_a_number_of_what_is_asked_for_comes_before_another(query: str, least: str) -> None:
    text = (
        "Spirits that come to Jonas Vale stay in 14 rooms. Three kind spirits come to Jonas Vale. "
        "Spirits stay with Jonas Vale for nine days."
    )
    assert ask(query, [["Jonas Vale"]], {"Tale": text}).citations[0].text == least


def test_rare_words_that_no_passage_has_decline_a_question() -> None:
    entries = {"Hank Snow": "Hank Snow was a singer. He made songs in Madison."}
    chunk, _ = entry(*next(iter(entries.items())))
    common = {"singer": 0.1, "song": 0.1}
    usual, rare = (
        extracted_from(
            query, [chunk], names=[["Hank Snow"]], rarity_of=lambda stem: common.get(stem, 5.0)
        ).supported
        for query in ("Did the singer Hank Snow make songs?", "Did the singer Hank Snow patent dynamite?")
    )
    assert (usual, rare) == (True, False)


def test_a_question_in_a_passage_is_no_answer() -> None:
    texts = {"Lincoln": "May Congress prohibit slavery in the Territories? Slavery divided Congress."}
    told = ask("What does Lincoln say about slavery and Congress?", [["Lincoln"]], texts)
    assert [c.text for c in told.citations] == ["Slavery divided Congress."]


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("The singer of Hello Love died in what year?", "date"),
        ("How many people live there?", "number"),
        ("In which Canadian province was he born?", "place"),
        ("What record label released it?", "organisation"),
        ("Who wrote it?", "person"),
        ("Who was John Snow?", "definition"),
        ("What is the salary of Snow?", None),
        ("Why did it fail?", "reason"),
        ("Are both of them singers?", None),
        ("Which band came first, Ash or Elm?", "date"),
        ("Who is the oldest, Ash or Elm?", "date"),
    ],
)
def test_what_a_question_asks_for(query: str, kind: str | None) -> None:
    assert expected(query) == kind


CHAT = """\
[2024-03-11 09:06] Anna: Good morning Ben! Where should we hold the workshop?
[2024-03-11 09:08] Ben: Hi Anna. I booked the old tram depot.
[2024-03-11 09:09] Anna: Great, thanks! How many people fit in there?
[2024-03-11 09:11] Ben: About sixty. Why do you ask?
"""


@pytest.mark.parametrize(
    "head",
    ["{time} - {name}: ", "[{time}] {name}: ", "{name} ({time}): ", "**{name}:** ", "<{name}> ", "{name}:\n"],
)
def test_turns_are_found_as_chats_write_them(head: str) -> None:
    said = [
        ("Anna", "Where is it?"),
        ("Ben", "In the depot."),
        ("Anna", "Thanks!"),
        ("Ben", "It is the old one."),
    ]
    chat = "\n".join(head.format(time="12/03/2024, 09:14", name=name) + text for name, text in said)
    found = [(turn.speaker, chat[turn.start : turn.end]) for turn in turns_of(chat)]
    assert found == [("Ben", "In the depot."), ("Ben", "It is the old one.")]
    assert {turn.said_at for turn in turns_of(chat)} == {"12/03/2024, 09:14" if "time" in head else ""}


@pytest.mark.parametrize(
    "text",
    [
        "Name: Snow\nBorn: 1813\nDied: 1858\nPlace: York\n",  # a list of fields
        "He said: it is so.\nNobody asked.\nThe pump stood there.\nHe said: no.\n",
        "",
    ],
)
def test_what_is_no_chat_has_no_turns(text: str) -> None:
    assert turns_of(text) == []


def test_a_reply_answers_what_was_asked_before_it(tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text(CHAT)
    cg.index(tmp_path / "chat.txt", "chat", outputs=tmp_path / "out")
    told = cg.ask("How many people fit into the depot?", "chat", outputs=tmp_path / "out")
    assert told.text.startswith("Ben, 2024-03-11 09:11: About sixty. [1]")
    for citation in told.citations:
        assert CHAT[citation.start : citation.end] == citation.text
        assert "?" not in citation.text


def test_a_fact_told_to_a_memory_is_found_by_ask(tmp_path: Path) -> None:
    new_memory("notes", outputs=tmp_path)
    facts = {"Lena Hoffmann": "Allergic to peanuts", "Project Heron": "Deadline moved to the end of January"}
    entities: list[dict[str, Any]] = [
        {"name": name, "entityType": "thing", "observations": [fact]} for name, fact in facts.items()
    ]
    assert cg.call("create_entities", {"entities": entities}, index="notes", outputs=tmp_path).success
    told = cg.ask("What is Lena Hoffmann allergic to?", "notes", outputs=tmp_path)
    assert told.citations[0].text == "Lena Hoffmann: Allergic to peanuts"
    assert "January" in cg.ask("When is Project Heron due?", "notes", outputs=tmp_path).citations[0].text
