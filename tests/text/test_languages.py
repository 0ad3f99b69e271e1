"""Languages are told of short texts, not of none; function words name nothing."""

import subprocess
import sys

import pytest

from corpusgraph.tasks.text.languages import (
    detect,
    function_words,
    language_code,
    language_name,
    names,
)

TEXTS = {
    "en": "Who removed the handle of the pump in Broad Street?",
    "de": "Wer entfernte den Schwengel der Pumpe in der Broad Street?",
    "fr": "Qui a enlevé la poignée de la pompe de Broad Street ?",
    "es": "¿Quién quitó la palanca de la bomba de la calle Broad?",
    "it": "Chi ha tolto la maniglia della pompa in quella strada?",
    "nl": "Wie verwijderde de hendel van de pomp in deze straat?",
    "pt": "Quem removeu a alavanca da bomba de água daquela rua?",
    "pl": "Kto zdjął rączkę pompy przy tej ulicy i dlaczego?",
    "ru": "Кто снял ручку насоса на этой улице и почему?",
    "zh": "谁取下了宽街水泵的把手？",
    "ar": "من أزال مقبض المضخة في ذلك الشارع؟",
    "ja": "ブロード街のポンプの柄を外したのは誰ですか。",
    "vi": "Ai đã tháo tay bơm nước ở con phố đó và vì sao?",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_question_tells_its_language(language: str) -> None:
    assert detect(TEXTS[language]) == language
    assert detect(f"{TEXTS[language]} " * 400) == language


@pytest.mark.parametrize("text", ["", "   ", "1854 8 616", "Snow", "https://example.org/a?b=12", "~~ .. !!"])
def test_what_is_too_short_or_in_no_language_has_none(text: str) -> None:
    assert detect(text) is None


def test_the_detector_is_loaded_when_first_asked() -> None:
    code = "import sys, corpusgraph.tasks.text.languages; print('py3langid' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_every_list_of_function_words_is_of_a_language_that_can_be_detected() -> None:
    assert function_words().keys() <= names().keys()
    assert all(word == word.lower() and word for words in function_words().values() for word in words)


@pytest.mark.parametrize(
    ("written", "code"),
    [("en", "en"), ("en-GB", "en"), ("EN_us", "en"), ("English", "en"), ("nb", "no"), ("tlh", "tlh")],
)
def test_languages_are_written_in_many_ways(written: str, code: str) -> None:
    assert language_code(written) == code


def test_a_language_without_a_name_is_called_by_its_code() -> None:
    assert (language_name("fr"), language_name("tlh")) == ("French", "tlh")
