"""The test server's right answers: alike in every mode, from the text alone, with embeddings and usage."""

from collections.abc import Iterator

import pytest
from openai import OpenAI

from corpusgraph.tasks.answer.written import RatedPoints, WrittenText
from corpusgraph.tasks.llm.judging import Marks
from corpusgraph.tasks.llm.prompting import fenced, numbered
from corpusgraph.tasks.tools.query import NextStep, QuestionEntities
from tests.faults.server import FaultServer
from tests.faults.server_asked import numbered_lines
from tests.faults.server_client import PASSAGE, Description, Everything, Odd, Pairs, Report, ask, body, said


@pytest.fixture(scope="module")
def good() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.mark.parametrize("mode", ["json_schema", "tools", "json_object", "text"])
def test_evidence_is_found_alike_in_every_mode(good: FaultServer, mode: str) -> None:
    choice = ask(good, body(fenced("Passage", PASSAGE), mode=mode))
    found = Everything.model_validate_json(said(choice))
    assert choice.finish_reason == ("tool_calls" if mode == "tools" else "stop")
    names = [item.name for item in found.entities]
    assert names == [
        *(
            "John Snow",
            "London",
            "Board of Guardians",
            "Broad Street",
            "Snow",
            "Board",
            "Alice",
            "Mad Hatter",
        ),
    ]
    lists = (found.entities, found.relationships, found.events, found.claims)
    assert all(item.quote in PASSAGE for items in lists for item in items)
    assert ("Alice", "met", "Mad Hatter") in [(r.source, r.type, r.target) for r in found.relationships]
    assert [(e.time, e.actors, e.places) for e in found.events] == [
        ("8 September 1854", ["Board of Guardians"], ["Broad Street"])
    ]
    assert [(c.speaker, c.stance, c.attacks) for c in found.claims] == [
        ("Snow", "asserts", []),
        ("Board", "denies", [1]),
    ]
    assert good.calls[-1].kind == "extract"
    assert len({call.key for call in good.calls if PASSAGE in call.prompt and call.kind == "extract"}) == 1


def test_usage_is_a_quarter_of_the_characters(good: FaultServer) -> None:
    request = body(fenced("Passage", PASSAGE))
    with OpenAI(base_url=good.base_url, api_key="k") as client:
        reply = client.chat.completions.create(**request)
    assert reply.usage is not None
    assert reply.usage.prompt_tokens == sum(len(turn["content"]) // 4 for turn in request["messages"])
    assert reply.usage.completion_tokens == len(reply.choices[0].message.content or "") // 4


def test_gleaning_finds_the_rest_and_then_nothing() -> None:
    with FaultServer(most=3) as server:
        first = Everything.model_validate_json(said(ask(server, body(fenced("Passage", PASSAGE)))))
        told, names, rounds = "", [one.name for one in first.entities], 0
        while rounds < 5:
            told = fenced("Found", ", ".join(names))
            more = ask(server, body(f"{fenced('Passage', PASSAGE)}\n\n{told}\n\nWhat was missed?"))
            new = Everything.model_validate_json(said(more))
            if not new.entities:
                break
            assert not new.events
            assert not new.claims
            names += [one.name for one in new.entities]
            rounds += 1
        assert {call.kind for call in server.calls} == {"extract", "glean"}
    assert len(first.entities) == 3
    assert len(names) == len(set(names)) == 8
    assert rounds == 2


def test_a_strict_ontology_is_kept(good: FaultServer) -> None:
    request = body(fenced("Passage", PASSAGE))
    request["messages"][0]["content"] += "\nOnly these entity types: agent (who acts; alone); thing."
    found = Everything.model_validate_json(said(ask(good, request)))
    assert {item.type for item in found.entities} == {"agent", "thing"}


def test_the_other_answers_fit_what_they_are_about(good: FaultServer) -> None:
    lines = '"Snow" (person) | "John Snow" (person)', '"Snow" (person) | "Farr" (person)'
    pairs = Pairs.model_validate_json(said(ask(good, body(fenced("Pairs", numbered(lines)), Pairs))))
    assert [(one.id, one.same) for one in pairs.pairs] == [(1, True), (2, False)]

    passages = fenced("Passages", numbered(["Snow lived in London.", "Farr met Snow.", "Water flows."]))
    report = Report.model_validate_json(said(ask(good, body(passages, Report))))
    assert report.title.startswith("Snow")
    assert 0 <= report.rating <= 10
    assert [one.sources for one in report.findings] == [[1], [2], [3]]
    assert report.findings[1].explanation == "Farr met Snow."

    two = fenced("Descriptions", numbered(["He was a doctor.", "He lived in London.", "He was a doctor."]))
    described = Description.model_validate_json(said(ask(good, body(two, Description))))
    assert described.description == "He was a doctor. He lived in London."

    question = fenced("Question", "Where did Snow live in London?")
    marks = Marks.model_validate_json(said(ask(good, body(f"{question}\n\n{passages}", Marks))))
    assert [mark.id for mark in marks.marks] == [1, 2, 3]
    scores = [mark.score or 0.0 for mark in marks.marks]
    assert scores[0] > scores[1] > scores[2]

    context = fenced(
        "Passages", "[4] (snow.txt) Snow lived in London. He drank.\n[7] (farr.txt) Farr counted."
    )
    written = WrittenText.model_validate_json(said(ask(good, body(f"{context}\n\n{question}", WrittenText))))
    assert written.supported
    assert written.sentences[0].sources == (4,)
    points = RatedPoints.model_validate_json(said(ask(good, body(f"{context}\n\n{question}", RatedPoints))))
    assert [(one.sources, one.score > 50) for one in points.points] == [((4,), True), ((7,), False)]
    off = fenced("Question", "Who sings?")
    nothing = WrittenText.model_validate_json(said(ask(good, body(f"{context}\n\n{off}", WrittenText))))
    assert (nothing.sentences, nothing.supported) == ((), False)
    step = NextStep.model_validate_json(said(ask(good, body(f"{question}\n\n{passages}", NextStep))))
    assert step.sentence
    odd = Odd.model_validate_json(said(ask(good, body("Say something.", Odd))))
    assert (odd.colour, odd.sizes) == ("red", [])
    assert said(ask(good, body(context, None))).startswith("[4]")


def test_a_model_alone_answers_what_it_knows_and_a_question_without_names_is_about_its_words(
    good: FaultServer,
) -> None:
    asked = fenced("Question", "Where did John Snow live?")
    alone = WrittenText.model_validate_json(said(ask(good, body(asked, WrittenText))))
    assert [(one.text, one.sources) for one in alone.sentences] == [("This is about John Snow.", ())]
    named = QuestionEntities.model_validate_json(said(ask(good, body(asked, QuestionEntities))))
    assert (named.named, named.generic) == (("John Snow",), ())
    bare = fenced("Question", "what spread cholera?")
    spoken = QuestionEntities.model_validate_json(said(ask(good, body(bare, QuestionEntities))))
    assert (spoken.named, spoken.generic) == ((), ("cholera", "spread"))


def test_numbered_items_may_reach_over_lines() -> None:
    assert numbered_lines("None.") == {}
    assert numbered_lines("1. One\n2. Two\nand more\n10. Ten") == {1: "One", 2: "Two\nand more", 10: "Ten"}
    assert numbered_lines("[3] (a.txt) In 1854. Yes.") == {3: "(a.txt) In 1854. Yes."}
    assert numbered_lines("3,a.txt,Said\n12,b.txt,Other") == {3: "a.txt,Said", 12: "b.txt,Other"}


def test_embeddings_are_unit_vectors_alike_for_like_texts(good: FaultServer) -> None:
    texts = ["Snow lived in London", "Snow lives in London", "Water flows downhill"]
    with OpenAI(base_url=good.base_url, api_key="k") as client:
        packed = [one.embedding for one in client.embeddings.create(model="m", input=texts).data]
        plain = client.embeddings.create(model="m", input=texts, encoding_format="float").data

    def dot(one: list[float], other: list[float]) -> float:
        return sum(x * y for x, y in zip(one, other, strict=True))

    assert len(packed[0]) == 384
    assert all(a == pytest.approx(b.embedding, abs=1e-6) for a, b in zip(packed, plain, strict=True))
    assert dot(packed[0], packed[0]) == pytest.approx(1)
    assert dot(packed[0], packed[1]) > 0.5 > dot(packed[0], packed[2])
