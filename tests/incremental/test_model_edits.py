"""With a model, an ontology and gleanings: failures, edits and second attempts in any order end at a rebuild."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpusgraph.flows import api
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.study import Study
from tests.faults.server import FaultServer
from tests.incremental.corpora import assert_equal, contents, write
from tests.modelruns.corpus import text, write_profile

NAME = "made"
ONTOLOGY: JsonDict = {
    "entities": {"person": {}, "place": {}, "organisation": {}, "concept": {}},
    "relationships": {"visited": {}, "praised": {}, "related_to": {}},
}


class Bench:
    """An index that is edited, the corpus it should equal, and the server that it is made with."""

    def __init__(self, folder: Path, server: FaultServer) -> None:
        self.folder, self.server = folder, server
        self.outputs = folder / "out"
        self.profile = write_profile(folder, server)
        self.files = {f"d{n}.txt": text(n) for n in range(3)}
        self.whole(self.outputs)

    def whole(self, outputs: Path) -> None:
        """Index all files."""
        llm = {"gleanings": 1, "language": "German", "prompts": "history", "ontology": ONTOLOGY}
        options = {"chunking": {"size": 60, "overlap": 0}, "llm": llm}
        corpus = str(write(self.folder / "corpus", self.files))
        study = Study.model_validate({"study": NAME, "corpus": {"path": corpus}, "index": options})
        api.index(study, outputs=outputs, profile=self.profile)

    def put(self, **numbers: int) -> None:
        """Put documents into the index."""
        new = {f"{name}.txt": text(number) for name, number in numbers.items()}
        api.index(write(self.folder / "new", new), name=NAME, outputs=self.outputs, update=True)
        self.files |= new

    def remove(self, name: str) -> None:
        """Take a document out of the index."""
        api.remove(NAME, name, outputs=self.outputs)
        del self.files[name]

    def fail(self, kind: str | None = None, rate: float = 0.5) -> None:
        """Let calls of a kind fail from now on, or none."""
        self.server.app.options.kinds = frozenset({kind}) if kind else None
        self.server.set({"refusal": rate} if kind else None)

    def asked(self) -> dict[str, int]:
        """Count the calls that read documents since this was last asked."""
        calls = Counter(call.kind for call in self.server.calls if call.kind in {"extract", "glean"})
        self.server.reset()
        return dict(calls)

    def ledger(self) -> Counter[str]:
        """Count the calls to repeat, by document."""
        lines = (self.outputs / NAME / "failures.jsonl").read_text(encoding="utf-8").splitlines()
        return Counter(one["source"] for one in map(json.loads, lines) if one["retry"])

    def assert_as_rebuilt(self) -> None:
        """Compare with an index made of nothing but the files, by a model asked anew."""
        self.whole(self.folder / "anew")
        assert_equal(contents(self.outputs), contents(self.folder / "anew"))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with FaultServer(most=3) as server:
        yield Bench(tmp_path, server)


def test_what_failed_is_read_again_after_an_update_and_a_removal(bench: Bench) -> None:
    bench.fail("extract", 0.7)
    bench.put(n1=21, n2=22)
    failed = bench.ledger()
    assert set(failed) == {"n1.txt", "n2.txt"}
    bench.fail()
    bench.asked()
    bench.put(n3=33)  # what failed is not asked about on the way
    assert bench.asked() == {"extract": 3, "glean": 3}
    assert bench.ledger() == failed
    bench.remove("n1.txt")
    assert bench.asked() == {}
    assert bench.ledger() == Counter({"n2.txt": failed["n2.txt"]})
    api.retry_failed(NAME, outputs=bench.outputs)
    assert bench.asked() == {"extract": failed["n2.txt"], "glean": failed["n2.txt"]}
    assert bench.ledger() == Counter()
    bench.assert_as_rebuilt()


def test_a_round_of_gleaning_that_failed_is_the_only_one_repeated(bench: Bench) -> None:
    bench.fail("glean")
    bench.put(n1=31)
    failed = bench.ledger().total()
    assert failed
    bench.fail()
    bench.asked()
    api.retry_failed(NAME, outputs=bench.outputs)
    assert bench.asked() == {"glean": failed}
    bench.assert_as_rebuilt()


def test_a_document_changed_at_its_end_is_asked_about_there(bench: Bench) -> None:
    bench.put(d1=41)
    bench.asked()
    longer = text(41) + " Ada Lovelace praised Jane Marcet in Turin."
    api.index(write(bench.folder / "new", {"d1.txt": longer}), name=NAME, outputs=bench.outputs, update=True)
    bench.files["d1.txt"] = longer
    assert bench.asked() == {"extract": 1, "glean": 1}
    bench.assert_as_rebuilt()


def test_another_model_reads_everything_and_the_way_back_costs_nothing(bench: Bench) -> None:
    before = contents(bench.outputs)
    first, bench.profile = bench.profile, str(bench.folder / "other.yml")
    other = Path(first).read_text(encoding="utf-8").replace("test-model", "other-model")
    Path(bench.profile).write_text(other, encoding="utf-8")
    bench.asked()
    bench.whole(bench.outputs)
    chunks = len(api.open(NAME, bench.outputs).graph.chunks)
    assert bench.asked() == {"extract": chunks, "glean": chunks}
    bench.profile = first
    bench.whole(bench.outputs)
    assert bench.asked() == {}
    assert_equal(contents(bench.outputs), before)
