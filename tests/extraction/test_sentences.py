"""Where sentences end."""

from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.tasks.text.sentences import sentence_spans
from tests.every import every


@every(
    "text, count",
    [
        ("It rained. He left.", 2),
        ("Dr. John Snow met Mr. Whitehead at St. James's. He spoke.", 2),
        ("J. S. Mill wrote it.", 1),
        ("The U.S. Government acted.", 1),
        ("He lived in the U.S. The law passed.", 2),
        ("See No. 10 of it. Yes or no. Then go.", 3),
        ("It cost 3.5 pounds. It was dear.", 2),
        ('"Why?" asked Tom. "Because!" he said.', 2),
        ("Bones, rags, etc. were sold. They stank.", 2),
        ("Pumps, wells, etc. The rest was lost.", 2),
        ("One line\nand the next. Two.", 2),
        ("A heading\n\nA paragraph", 2),
        ("- one thing\n- another", 2),
        ("**In bold.** Then plain.", 2),
        ("他来了。她走了！真的吗？", 3),
        ("هل جاء؟ نعم جاء.", 2),
        ("Am 8. September 1854 kam er. Er blieb.", 2),
        ("", 0),
        (" \n\n ", 0),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, count: int) -> None:
    assert len(sentence_spans(text)) == count


@given(st.text(alphabet=st.sampled_from("aB .!?\n。\"')1“¿*-é水؟"), max_size=60))
def test_spans_are_ordered_trimmed_and_leave_only_space_between(text: str) -> None:
    spans = sentence_spans(text)
    position = 0
    for start, end in spans:
        assert text[position:start].strip() == ""
        assert text[start:end] == text[start:end].strip() != ""
        position = end
    assert text[position:].strip() == ""
