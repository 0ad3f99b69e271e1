import re

from hypothesis import assume, given
from hypothesis import strategies as st

from corpusgraph.tasks.extract.llm.findings import Passage
from tests.every import every

TEXT = (
    "In 1854, Dr. John Snow’s well-\nknown map showed — with “pumps” — that deaths fell from 5 to 3; "
    "it did not prove\nthe mech-\nanism. He couldn’t say more… He re-formed the board.\n\n"
    "“Cholera,” he wrote, ‘is water-borne’. The oﬃce of chol\u00adera closed on 8–9 September 1854."
)
WORD = st.text("abcdefghijklmnopqrstuvwxyzäéß", min_size=2, max_size=8)
SEPARATORS = [" ", ", ", "; ", ". ", " — ", "-", "\n", " (", ") ", " “", "” ", "’s "]
DASHES = "-‐‑–—−"
QUOTES = '"“”„«»'


def found(quote: str, text: str = TEXT) -> str | None:
    span = Passage(text).find(quote)
    return None if span is None else text[slice(*span)]


@every(
    "quote, place",
    [
        ("deaths fell from 5 to 3", "deaths fell from 5 to 3"),
        ("  deaths fell\tfrom 5 to 3.  ", "deaths fell from 5 to 3"),
        ("DEATHS FELL FROM 5 TO 3", "deaths fell from 5 to 3"),
        ("Dr. John Snow's well-known map", "Dr. John Snow’s well-\nknown map"),
        ("John Snow's wellknown map", "John Snow’s well-\nknown map"),
        ("prove the mechanism", "prove\nthe mech-\nanism"),
        ("prove the mech-\nanism", "prove\nthe mech-\nanism"),
        ('showed - with "pumps" - that deaths', "showed — with “pumps” — that deaths"),
        ("showed -- with pumps -- that deaths", "showed — with “pumps” — that deaths"),
        ("'Cholera,' he wrote, \"is water-borne\".", "Cholera,” he wrote, ‘is water-borne"),
        ("The office of cholera closed", "The oﬃce of chol\u00adera closed"),
        ("closed on 8-9 September", "closed on 8–9 September"),
        (
            "John Snow ... deaths fell",
            "John Snow’s well-\nknown map showed — with “pumps” — that deaths fell",
        ),
        ("John Snow’s … map […] deaths fell", None),
        ("... deaths fell from 5 ...", "deaths fell from 5"),
        ("Snow", "Snow"),
    ],
)
def test_allowed_differences(quote: str, place: str | None) -> None:
    assert found(quote) == place


@every(
    "quote",
    [
        "",
        "...",
        "“”",
        "deaths rose from 5 to 3",
        "deaths fell from 3 to 5",
        "deaths fell from 5 to 33",
        "death fell from 5",
        "eaths fell",
        "it did prove the mechanism",
        "He could",
        "fell deaths",
        "deaths fell ... In 1854",
        "fell ... more",
        "John Snow’s famous map",
        "8–9 September 1855",
        "pumps that deaths fell and rose",
    ],
)
def test_other_words_are_never_found(quote: str) -> None:
    assert found(quote) is None


def test_a_sign_is_part_of_a_number() -> None:
    assert found("fell to -5 degrees", "It fell to −5 degrees.") == "fell to −5 degrees"
    assert found("fell to 5 degrees", "It fell to −5 degrees.") is None


def test_an_ellipsis_does_not_join_the_ends_of_a_chunk() -> None:
    text = "John Snow slept. " + "Much was said of this. " * 30 + "He poisoned the well."
    assert found("John Snow slept ... He poisoned the well", text) is None
    assert found("John Snow slept ... Much was said", text) is not None


def test_words_are_not_joined_nor_cut() -> None:
    assert found("the rapist", "She saw the therapist.") is None
    assert found("therapist", "She saw the rapist.") is None
    assert found("can", "He cannot.") is None
    assert found("he can", "He can't.") is None
    assert found("were here", "We're here.") is None
    assert found("recover", "re cover") is None


@every(
    "quote, text, place",
    [
        ("最後は終わり", "これで 最後 は 終わり。", "最後 は 終わり"),
        ("黑死病", "1347年，黑死病传入欧洲。", "黑死病"),
        ("「黑死病」传入欧洲", "1347年，“黑死病”传入欧洲。", "黑死病”传入欧洲"),
        ("黑死症", "1347年，黑死病传入欧洲。", None),
        ("Nguyễn Ái Quốc đọc", "Ngày 2 tháng 9, NGUYỄN ÁI\nQUỐC đọc Tuyên ngôn.", "NGUYỄN ÁI\nQUỐC đọc"),
        ("Nguye\u0302\u0303n Ái", "Nguyễn Ái Quốc", "Nguyễn Ái"),
        ("Nguyên Ái", "Nguyễn Ái Quốc", None),
        ("عاش في القاهرة", "ثم عاش في القاهرة.", "عاش في القاهرة"),
        ("عاش في دمشق", "ثم عاش في القاهرة.", None),
        ("ὁ Ὀδυσσεύς", "ἦν ὁ Ὀδυσσεύς.", "ὁ Ὀδυσσεύς"),
        ("ΟΔΟΣ", "Η οδός; η οδος.", "οδος"),
    ],
)
def test_other_scripts(quote: str, text: str, place: str | None) -> None:
    assert found(quote, text) == place


@every(
    "name, text, place",
    [
        ("John Snow", "Here is JOHN\nSNOW.", "JOHN\nSNOW"),
        ("J.R. Snow", "Here is J. R. Snow.", "J. R. Snow"),
        ("القاهرة", "سافر والقاهرة بعيدة", "القاهرة"),
        ("Rome", "Romeo loves Juliet.", None),
        ("北京", "他住在北京市。", "北京"),
        ("", "anything", None),
        ("?!", "anything", None),
    ],
)
def test_names(name: str, text: str, place: str | None) -> None:
    span = Passage(text).find_name(name, (0, len(text)))
    assert (span and text[slice(*span)]) == place


@st.composite
def passages(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    words = draw(st.lists(WORD, min_size=4, max_size=25))
    return words, [draw(st.sampled_from(SEPARATORS)) for _ in words]


def _mangled(data: st.DataObject, text: str) -> str:
    """Change a quote in the allowed ways alone."""
    draw = data.draw
    text = re.sub(r"\s+", lambda _: draw(st.sampled_from([" ", "  ", "\n", "\t", "\u00a0"])), text)
    text = re.sub(f"[{DASHES}]", lambda _: draw(st.sampled_from(DASHES[:5])), text)
    text = re.sub(f"[{QUOTES}]", lambda _: draw(st.sampled_from(QUOTES)), text)
    text = text.replace("’", draw(st.sampled_from("'’")))
    text = "".join(c + "\u00ad" * draw(st.booleans()) if c in "aeiou" else c for c in text)
    return draw(
        st.sampled_from(
            [str, str.swapcase if "ß" not in text else str, str.title if "ß" not in text else str]
        )
    )(text)


@given(passages(), st.data())
def test_a_quote_mangled_in_allowed_ways_is_found_at_its_place(
    made: tuple[list[str], list[str]], data: st.DataObject
) -> None:
    words, separators = made
    words = [f"{word}{'abcdefghijklmnopqrstuvwxyz'[n]}{n}" for n, word in enumerate(words)]
    text = "".join(word + separator for word, separator in zip(words, separators, strict=True))
    first = data.draw(st.integers(0, len(words) - 2))
    last = data.draw(st.integers(first + 1, len(words) - 1))
    start, end = text.index(words[first]), text.index(words[last]) + len(words[last])
    ending = data.draw(st.sampled_from(["", ".", " "]))
    assume(ending != "." or not text.startswith(".", end))  # a full stop of the text is part of the quote
    quote = _mangled(data, text[start:end]) + ending
    assert Passage(text).find(quote) == (start, end)


@given(passages(), st.data(), WORD)
def test_a_quote_with_a_changed_word_is_never_found(
    made: tuple[list[str], list[str]], data: st.DataObject, other: str
) -> None:
    words, separators = made
    text = "".join(word + separator for word, separator in zip(words, separators, strict=True))
    at = data.draw(st.integers(0, len(words) - 1))
    assume(other not in text)
    changed = [*words[:at], other, *words[at + 1 :]]
    quote = "".join(word + separator for word, separator in zip(changed, separators, strict=True))
    assert Passage(text).find(quote) is None
    assert Passage(text).find(f"{' '.join(words[:2])} ... {other} {words[-1]}") is None


@given(passages(), st.data())
def test_words_broken_at_the_end_of_a_line_are_found(
    made: tuple[list[str], list[str]], data: st.DataObject
) -> None:
    words = [f"{word}q" for word in made[0]]
    broken = [
        f"{word[: len(word) // 2]}-\n{word[len(word) // 2 :]}" if data.draw(st.booleans()) else word
        for word in words
    ]
    text = f"zz, {' '.join(broken)}, zz"
    span = Passage(text).find(" ".join(words))
    assert span is not None
    assert text[slice(*span)] == " ".join(broken)
