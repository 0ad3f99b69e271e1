"""Words in any script."""

import pytest

from corpusgraph.tasks.text.words import stem, stems, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dr. Snow's Pump-handle", ["dr", "snow", "s", "pump", "handle"]),
        ("1,200 deaths in 1854", ["1", "200", "deaths", "in", "1854"]),
        ("北京大学", ["北京", "京大", "大学"]),
        ("在 London 的 A桥", ["在", "london", "的", "a", "桥"]),
        ("東京タワー2020年", ["東京", "京タ", "タワ", "ワー", "2020", "年"]),
        ("हिन्दी", ["हिन्दी"]),
        ("الْكُوليرا", ["الْكُوليرا"]),
        ("Nguyễn Văn Á", ["nguyễn", "văn", "á"]),
        ("Straße snake_case", ["strasse", "snake", "case"]),
        ("", []),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_stems_leave_stop_words_out() -> None:
    assert stems("The pumps were pumping the company's water") == ["pump", "pump", "compani", "water"]


@pytest.mark.parametrize("word", ["naïve", "nước", "1850s", "北京"])
def test_only_english_letters_are_stemmed(word: str) -> None:
    assert stem(word) == word
