"""An edit that is killed leaves the index as it was, and made again gives the same as undisturbed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import corpusgraph
from tests.conftest import write_corpus
from tests.incremental.corpora import assert_equal, contents, index

pytestmark = pytest.mark.faults

EDIT = """
import sys
import corpusgraph
from pathlib import Path
kind, what, outputs = sys.argv[1:]
print("begins", flush=True)
if kind == "remove":
    corpusgraph.remove("made", [what], outputs=Path(outputs))
else:
    corpusgraph.index(what, name="made", outputs=Path(outputs), update=True)
"""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["remove", "update"])
def test_a_killed_edit_changes_nothing_and_is_made_again(tmp_path: Path, kind: str) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    index(corpus, tmp_path / "outputs")
    (tmp_path / "new.txt").write_text("Ada Snow met William Farr in London.", encoding="utf-8")
    what = "snow.txt" if kind == "remove" else str(tmp_path / "new.txt")
    before = contents(tmp_path / "outputs")
    for wait in (0.3, 0.7, 1.1, 1.5):
        asked = [sys.executable, "-c", EDIT, kind, what, str(tmp_path / "outputs")]
        with subprocess.Popen(asked, stdout=subprocess.PIPE, env={**os.environ}) as edit:
            assert edit.stdout is not None
            edit.stdout.readline()
            time.sleep(wait)
            edit.send_signal(signal.SIGKILL)
        if corpusgraph.open("made", tmp_path / "outputs").manifest.serial > 1:
            break
        assert_equal(contents(tmp_path / "outputs"), before)
    if kind == "remove":
        if corpusgraph.open("made", tmp_path / "outputs").manifest.serial == 1:
            corpusgraph.remove("made", [what], outputs=tmp_path / "outputs")
        (corpus / "snow.txt").unlink()
    else:
        index(tmp_path / "new.txt", tmp_path / "outputs", update=True)
        (tmp_path / "new.txt").rename(corpus / "new.txt")
    index(corpus, tmp_path / "anew")
    assert_equal(contents(tmp_path / "outputs"), contents(tmp_path / "anew"))
