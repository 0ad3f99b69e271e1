"""Which turns of a chat answer a question, without a language model, and what is declined."""

from collections.abc import Callable
from pathlib import Path

import pytest

import corpusgraph as cg
from corpusgraph.schemas.answer import AnswerResult

CHAT = """\
02/05/2025, 09:00 - Otto: Morning! Who is bringing the telescope on Friday?
02/05/2025, 09:02 - Petra: I will, it fits in the boot
02/05/2025, 09:03 - Otto: Great. And the ladder?
02/05/2025, 09:05 - Samir: Behind the shed, the old one
02/05/2025, 09:10 - Petra: My cousin Ilse sells her star maps, shall I ask her?
02/05/2025, 09:11 - Otto: Please do
03/05/2025, 18:20 - Samir: The lecture at the museum was cancelled
03/05/2025, 18:21 - Otto: Oh no, why?
03/05/2025, 18:24 - Samir: The speaker has lost her voice
04/05/2025, 11:00 - Petra: Ilse rang, we get the maps
04/05/2025, 11:02 - Otto: What do they cost?
04/05/2025, 11:07 - Petra: Twelve a sheet
05/05/2025, 20:00 - Samir: I start my new job at the bakery in Linden tomorrow
05/05/2025, 20:01 - Otto: Well done! From when do you have to be there?
05/05/2025, 20:03 - Samir: Half four
06/05/2025, 08:00 - Otto: The cat has eaten my notes
06/05/2025, 08:02 - Petra: Poor you
"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], AnswerResult]:
    """Return what asks an index of the chat."""
    folder: Path = tmp_path_factory.mktemp("chat")
    (folder / "chat.txt").write_text(CHAT)
    cg.index(folder / "chat.txt", "chat", outputs=folder / "out")
    return lambda question: cg.ask(question, "chat", outputs=folder / "out")


@pytest.mark.parametrize(
    ("question", "turn"),
    [
        ("Where is the ladder?", "Behind the shed, the old one"),  # a reply to half a question
        ("How much do the star maps cost?", "Twelve a sheet"),  # what "they" are was said before
        (
            "Why was the lecture cancelled?",
            "The speaker has lost her voice",
        ),  # no word says that it is a reason
        ("Who brings the telescope?", "I will, it fits in the boot"),  # the speaker is the answer
        ("When does Samir have to be at the bakery?", "Half four"),
        ("Where does Samir have a new job?", "I start my new job at the bakery in Linden tomorrow"),
        (
            "Who sells star maps?",
            "My cousin Ilse sells her star maps, shall I ask her?",
        ),  # asks, but tells too
        ("Who did Ilse ring?", "Ilse rang, we get the maps"),  # another form of the verb
    ],
)
def test_the_turn_that_answers_is_cited(ask: Callable[[str], AnswerResult], question: str, turn: str) -> None:
    answer = ask(question)
    assert answer.supported
    assert turn in [citation.text for citation in answer.citations]
    assert all(CHAT[citation.start : citation.end] == citation.text for citation in answer.citations)


@pytest.mark.parametrize(
    "question",
    ["How old is Petra's daughter?", "Why did Otto sell his boat?", "When is the wedding of Ilse?"],
)
def test_what_the_chat_does_not_tell_is_declined(ask: Callable[[str], AnswerResult], question: str) -> None:
    assert not ask(question).supported


def test_an_index_of_a_chat_and_a_text_answers_from_either(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "chat.txt").write_text(CHAT)
    (texts / "observatory.txt").write_text(
        "The observatory of Fernhill was built in 1894 by Clara Whitmore. It has a dome of copper.\n"
    )
    cg.index(texts, "both", outputs=tmp_path / "out")
    answers = [
        cg.ask(question, "both", outputs=tmp_path / "out").text
        for question in ("Who built the observatory of Fernhill?", "Where is the ladder?")
    ]
    assert "Clara Whitmore" in answers[0]
    assert "Behind the shed" in answers[1]
