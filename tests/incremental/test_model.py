"""With a language model: an edit pays for what is new alone, and ends where a rebuild does."""

from collections import Counter
from pathlib import Path

import corpusgraph
from tests.conftest import write_corpus
from tests.faults.server import FaultServer
from tests.incremental.corpora import assert_equal, contents, index


def test_an_update_asks_for_the_new_document_and_a_removal_for_nothing(tmp_path: Path) -> None:
    corpus, outputs = write_corpus(tmp_path / "corpus"), tmp_path / "outputs"
    new = (corpus / "farr.txt").rename(tmp_path / "new.txt")
    with FaultServer() as server:
        told = f"profile: fake\nllm:\n  base_url: {server.base_url}\n  model: fake\n"
        profile = tmp_path / "fake.yml"
        profile.write_text(told, encoding="utf-8")

        def calls() -> Counter[str]:
            return Counter(call.kind for call in server.calls)

        index(corpus, outputs, profile=str(profile))
        first, before = calls(), contents(outputs)
        assert first["extract"] == 2
        index(new, outputs, update=True)  # by the profile that the index was made with
        added = calls() - first
        assert added["extract"] == 1
        both, asked = contents(outputs), calls()
        corpusgraph.remove("made", "new.txt", outputs=outputs)
        assert calls() == asked
        assert_equal(contents(outputs), before)
        index(new, outputs, update=True)
        assert calls() == asked
        assert_equal(contents(outputs), both)
        new.rename(corpus / "new.txt")
        index(corpus, tmp_path / "anew", profile=str(profile))
    assert_equal(contents(tmp_path / "anew"), both)
