"""What a sentence says against what it cites: numbers and names, however written, and other languages."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.documents import Chunk
from corpusgraph.tasks.answer.context import Budget, Piece, Retrieved, build_context, drafts_of
from corpusgraph.tasks.answer.sentences import Provenance, sentences_in
from corpusgraph.tasks.answer.support import numbers_in, strange, strange_numbers, supporting
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.answer.build import call, codes, graph
from tests.every import every
from tests.llm.fake import FakeModel

TOLD = (
    "On 31 August 1854 John Snow, a physician of Soho, began to study the cholera; in three days 127 people "
    "had died, and by 10 September there were 500. Dr. Snow wrote 26,107 words on it, in five-and-twenty "
    "chapters. Twelve families fled from London. The firm sold 2.5 million pumps in 1914-18. Henry VIII had "
    "six wives. Queen Victoria was given chloroform. Malmö is in Sweden. 一八六六年又有二万六千人病死。"
)


def piece(text: str, title: str = "a.txt", **metadata: Any) -> Piece:
    chunk = Chunk(id="c", content=text, end=len(text), metadata={"title": title, **metadata})
    drafts = drafts_of(Retrieved(chunks=[chunk]), Provenance(MemoryGraph([], [], [])))
    return build_context(drafts, max_tokens=None, budget=Budget(), render="prose", whole=1).pieces[0]


HERE = piece(TOLD)
RIGHT = [
    "In 1854 twelve families fled from London.",
    "12 families fled.",
    "The work has 26107 words, and 26 107 words are many.",
    "Das Buch hat 26.107 Wörter.",
    "He wrote about 26,000 words.",
    "He wrote 25 chapters.",
    "There were twenty-five chapters.",
    "It broke out in the 1850s.",
    "It was the 19th century, or the nineteenth century.",
    "It was on 31.8.1854, or on 31 August 1854, or on 1854-08-31.",
    "The firm sold 2,500,000 pumps.",
    "The war ended in 1918.",
    "One hundred and twenty-seven people died.",
    "More than 500 people died, hundreds in a week.",
    "Es starben 127 Menschen im 19. Jahrhundert.",
    "1866年有26000人病死。",
    "Henry the Eighth had 6 wives.",
    "(1) Snow came. (2) He saw.",
    "The physician Snow studied Soho's outbreak.",
    "In August, Dr. John Snow met Londoners.",
    "The Board of Health gave Victoria chloroform.",
    "He came to Malmo, a Swedish town.",
    "Snow wrote of Cholera and Chloroform in Soho.",
]
WRONG = [
    ("In 1855 twelve families fled.", "1855"),
    ("Thirteen families fled.", "13"),
    ("He wrote 26,108 words.", "26,108"),
    ("It broke out in the 1840s.", "1840s"),
    ("It was the 17th century.", "17th"),
    ("The firm sold 3.5 million pumps.", "3.5"),
    ("Two hundred people died.", "200"),
    ("There were 700 dead.", "700"),
    ("The war ended in 1917.", "1917"),
    ("It was on 31.7.1854.", "31.7.1854"),
    ("Es starben 128 Menschen.", "128"),
    ("1867年有人病死。", "1867"),
    ("It was studied by Charles Dickens in Soho.", "Charles Dickens"),
    ("Then William Farr began to study the cholera.", "William Farr"),
    ("It was studied by Snow and Pasteur.", "Pasteur"),
    ("In those days the cholera came to Paris.", "Paris"),
    ("It was John Smith who studied the cholera.", "John Smith"),
    ("Louisa was given chloroform.", "Louisa"),
]


@every("text", RIGHT)
def test_right_numbers_and_names_pass_however_they_are_written(text: str) -> None:
    assert list(strange(text, [HERE])) == []


@every("text, told", WRONG)
def test_wrong_numbers_and_names_are_found(text: str, told: str) -> None:
    assert list(strange(text, [HERE])) == [told]
    assert supporting(text, [HERE]) == ([], "unsupported")


@every("text", ["It was in Paris, in 1855.", "The author is Jane Austen."])
def test_what_the_question_and_the_document_s_title_say_is_known(text: str) -> None:
    assert list(strange(text, [HERE]))
    assert not list(strange(text, [HERE], "What did Jane Austen do in Paris in 1855?"))
    assert not list(strange(text, [piece(TOLD, "Jane Austen in Paris, 1855")]))


@every("text", ["Миасма убила Джона.", "Die Brunnen und das Wasser der Stadt Köln.", "北京有人病死。"])
def test_names_in_another_language_or_script_are_not_checked(text: str) -> None:
    assert not list(strange(text, [HERE]))


def test_every_sentence_of_a_passage_is_supported_by_it() -> None:
    for chunk in graph().chunks:
        whole = piece(chunk.content)
        for sentence in sentences_in(chunk):
            assert supporting(sentence.line, [whole]) == ([whole], "supported")


def written(text: str, query: str) -> tuple[str, list[str]]:
    """Let a model say a sentence beside one that every passage supports."""
    said = {"sentences": [{"text": text, "sources": [1]}, {"text": "Cholera, London.", "sources": [1]}]}
    noted = call("generate_answer", llm=FakeModel(said), query=query, chunks=["c_d1"])
    return noted.data.text, codes(noted)


FOREIGN = [
    ("Wer untersuchte die Cholera?", "Verunreinigtes Wasser verbreitete Krankheiten."),
    ("Wer untersuchte die Cholera?", "Er hielt das verunreinigte Wasser für die Ursache."),
    ("Ai nghiên cứu bệnh tả?", "Nước bẩn gây bệnh dịch."),
    ("Ai đã nghiên cứu bệnh tả?", "Ông cho rằng nước bẩn là nguyên nhân của bệnh."),
    ("谁研究了霍乱?", "斯诺认为污水是病因。"),
    ("Кто изучал холеру?", "Сноу считал причиной воду."),
]


@every("query, text", FOREIGN)
def test_an_answer_in_the_language_of_the_question_stays_and_is_told_not_to_be_checked(
    query: str, text: str
) -> None:
    answer, told = written(text, query)
    assert answer.startswith(f"{text} [1]")
    assert told == ["unchecked_sentences"]


@every("query, text", FOREIGN)
def test_in_any_language_a_year_that_is_nowhere_is_left_out(query: str, text: str) -> None:
    answer, told = written(f"{text} 1855", query)
    assert answer == "Cholera, London. [1]"
    assert told == ["unsupported_sentences"]


def test_a_sentence_with_a_wrong_year_is_left_out_of_the_answer_and_of_the_points() -> None:
    right, wrong = "Snow studied cholera in London.", "Snow studied cholera in London in 1866."
    said = [{"text": text, "score": 50, "sources": [1]} for text in (right, wrong)]
    model = FakeModel({"RatedPoints": {"points": said}, "WrittenText": {"sentences": said}})
    for mode in ("direct", "map_reduce"):
        noted = call("generate_answer", llm=model, query="Who studied it?", chunks=["c_d1"], mode=mode)
        assert noted.data.text == f"{right} [1]"
        assert {(w.code, w.records) for w in noted.warnings} == {("unsupported_sentences", (wrong,))}
    asked = call("generate_answer", llm=model, query="Who studied it in 1866?", chunks=["c_d1"])
    assert wrong in asked.data.text


def test_what_is_in_another_language_keeps_its_citation_beside_what_shares_a_name() -> None:
    english, chinese = piece("John Snow studied cholera."), piece("斯诺研究了霍乱。")
    assert supporting("Snow untersuchte es.", [english, chinese]) == ([english, chinese], "supported")
    assert supporting("Comets bring misfortune.", [english, chinese]) == ([chinese], "unchecked")
    assert supporting("Comets bring misfortune.", [english]) == ([], "unsupported")


@given(
    st.text(st.sampled_from("0123456789.,'-/ %x\u00a0一百百万IVX")),
    st.text(st.sampled_from("0123456789., 百万x")),
)
def test_any_digits_can_be_read(text: str, passage: str) -> None:
    assert set(strange_numbers(text, numbers_in(passage))) <= set(strange_numbers(text, frozenset()))


def test_a_number_of_more_digits_than_a_float_has_is_known_where_it_stands() -> None:
    huge = "9" * 400
    assert list(strange_numbers(f"It was {huge}.", numbers_in("It was 7."))) == [huge]
    assert list(strange_numbers(f"It was {huge}.", numbers_in(f"They counted {huge}."))) == []
