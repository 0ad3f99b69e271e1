"""What extraction goes by decides whether what was extracted before still counts: code, and the lexicons."""

import sys
from pathlib import Path

import pytest

from corpusgraph.flows.extraction import EXTRACTING, READING
from corpusgraph.flows.files.cache import code_fingerprint


@pytest.mark.parametrize("file", ["en.yml", "script.R.j2"])
def test_an_edited_word_list_or_template_makes_another_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    folder = tmp_path / "lists_of_words"
    folder.mkdir()
    prints = set()
    for words in ("cause: lead", "cause: lead result", "cause: lead"):
        (folder / file).write_text(words, encoding="utf-8")
        code_fingerprint.cache_clear()
        prints.add(code_fingerprint("lists_of_words"))
    sys.modules.pop("lists_of_words", None)
    assert len(prints) == 2


def test_extraction_and_reading_go_by_the_lexicons() -> None:
    assert "corpusgraph.configs.lexicons" in {*EXTRACTING} & {*READING}
    assert code_fingerprint("corpusgraph.configs.lexicons") != code_fingerprint(
        "corpusgraph.configs.patterns"
    )
