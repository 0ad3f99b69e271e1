"""Runs with pipelines: parsed once, kept while the document is there, the same however the work is shared out."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import spacy

import corpusgraph
from corpusgraph.flows.annotate.english import WEIGHTS, english_reader
from corpusgraph.flows.annotate.offline import ReadingOptions
from corpusgraph.flows.annotate.pipelines import STAGE, SpacyAnnotator, load_pipeline
from corpusgraph.flows.engine import Inline
from corpusgraph.flows.extraction import Job, cut_batch, extract_batch, parsing_of, read_extracted
from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.pipeline import index_corpus
from corpusgraph.flows.progress import Silent
from corpusgraph.flows.studies import load_study
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.errors import PatternFileError
from corpusgraph.schemas.run import IndexReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Chunking
from tests.annotate.pipelines import rows, text_of, write_pipeline
from tests.annotate.sentences import SENTENCES

TEXTS = {text_of(rows(block)): rows(block) for block in SENTENCES.values()}
LED = text_of(rows(SENTENCES["Contaminated water", "causes", "cholera"]))
HEAT = text_of(rows(SENTENCES["heat", "causes", "vapours"]))
GERMAN = "Der Regen kam und die Stadt war nicht mehr da. Das ist nicht gut für die Menschen."
FRENCH = "La pluie est venue et les gens ne sont pas dans la ville avec nous pour cette fois."


class Home:
    """A folder with a corpus, a study and a pipeline that counts what it parses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "corpus").mkdir()
        parses = {text: [row[:4] + row[4:6] for row in tokens] for text, tokens in TEXTS.items()}
        self.pipeline = write_pipeline(folder / "en", "en", parses, ["dobj", "pobj", "nsubj"])
        self.settings = Settings(outputs=folder / "out")

    def write(self, **texts: str) -> None:
        for name, text in texts.items():
            (self.folder / "corpus" / f"{name}.txt").write_text(text, encoding="utf-8")

    def run(self, index: str = "annotator: {en: en}", workers: int = 1) -> IndexReport:
        (self.folder / "s.yml").write_text(f"study: s\ncorpus: {{path: corpus}}\nindex:\n  {index}\n")
        study, base = load_study(self.folder / "s.yml", None)
        engine = Inline(workers)
        return index_corpus(study, base, settings=self.settings, engine=engine, progress=Silent())

    @property
    def parsed(self) -> list[str]:
        parser: Any = load_pipeline(str(self.pipeline.resolve())).get_pipe("parser")
        texts: list[str] = parser.texts
        return texts

    @property
    def kept(self) -> int:
        return sum(1 for _ in (self.folder / "out" / "s" / "cache" / STAGE).glob("??/*"))

    @property
    def types(self) -> set[str]:
        return {one.type for one in corpusgraph.open("s", self.folder / "out").graph.relationships}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    yield Home(tmp_path)
    load_pipeline.cache_clear()


def test_a_text_is_parsed_once_whatever_the_patterns(home: Home) -> None:
    home.write(a=LED, b=HEAT)
    home.run()
    assert sorted(home.parsed) == sorted([LED, HEAT])
    assert home.types == {"causes"}
    (home.folder / "p.yml").write_text("patterns:\n  - {type: brings, verb: [lead to]}\n")
    again = home.run("annotator: {en: en}\n  patterns: p.yml")
    assert again.n_extracted == 2
    assert home.types == {"brings", "causes"}
    (home.folder / "p.yml").write_text("patterns:\n  - {type: makes, verb: [lead to]}\n")
    home.run("annotator: {en: en}\n  patterns: p.yml")
    assert home.types == {"makes", "causes"}
    assert len(home.parsed) == 2
    assert home.run("annotator: {en: en}\n  patterns: p.yml").up_to_date


def test_parses_stay_with_their_documents(home: Home) -> None:
    home.write(a=LED, b=HEAT)
    home.run()
    assert home.kept == 2
    home.write(c=HEAT)
    home.run()
    assert home.kept == 2
    home.write(a="Snow left.")
    home.run()
    assert home.kept == 2
    (home.folder / "corpus" / "b.txt").unlink()
    home.run()
    assert home.kept == 2
    corpusgraph.remove("s", ["c.txt"], outputs=home.folder / "out")
    assert home.kept == 1
    assert len(home.parsed) == 3


def test_documents_that_nobody_parses_are_told_once_a_language(home: Home) -> None:
    write_pipeline(home.folder / "de", "de", {}, ["sb", "oa", "nk"])
    home.write(a=LED, b=GERMAN, c=f"{GERMAN} Mehr.", d=FRENCH)
    report = home.run("annotator: {en: en, de: de}")
    assert [(one.code, one.records) for one in report.warnings] == [
        ("unknown_label_scheme", ("de",)),
        ("no_pipeline", ("fr",)),
    ]
    assert "2 documents" in report.warnings[0].message
    assert "nk, oa, sb" in report.warnings[0].message
    assert "annotator: {fr: " in report.warnings[1].message
    again = home.run("annotator: {en: en, de: de}")
    assert again.up_to_date
    assert again.warnings == report.warnings
    assert not home.run("annotator: rules").warnings


def test_the_index_remembers_patterns_and_pipelines(home: Home) -> None:
    home.write(a=HEAT)
    (home.folder / "p.yml").write_text("patterns:\n  - {type: brings, verb: [lead to]}\n")
    home.run("annotator: {en: en}\n  patterns: p.yml")
    (home.folder / "p.yml").unlink()

    def read() -> tuple[set[str], list[str]]:
        asked: dict[str, Any] = {"texts": [LED]}
        result = corpusgraph.call("extract_relationships", asked, index="s", outputs=home.folder / "out")
        assert result.success, result.error
        return {one["item"]["type"] for one in result.model_dump(mode="json")["data"]}, [
            w.code for w in result.warnings
        ]

    assert read() == ({"brings"}, [])
    home.pipeline.rename(home.folder / "gone")
    types, codes = read()
    assert types <= {"brings", "co_occurs_with"}
    assert codes == ["pipeline_missing"]
    home.write(b=LED)
    with pytest.raises(PatternFileError, match=r"No pattern file at .*p\.yml"):
        home.run("patterns: p.yml")


def documents(n: int) -> list[Document]:
    said = list(TEXTS)
    return [
        Document(
            id=f"doc_{k}",
            title="",
            text=" ".join([*said[k % 7 :], f"Zorb{k} caused the quarrel of Plim{k}."]),
            source=f"{k}.txt",
            content_hash=str(k),
            language="en",
        )
        for k in range(n)
    ]


def test_threads_take_turns_at_a_pipeline(home: Home) -> None:
    annotator = SpacyAnnotator({"en": str(home.pipeline.resolve())})
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda text: annotator.annotate([text], "en"), TEXTS))
    assert sorted(home.parsed) == sorted(TEXTS)
    parser: Any = load_pipeline(str(home.pipeline.resolve())).get_pipe("parser")
    assert parser.most_at_once == 1


def test_threads_share_a_pipeline_safely(tmp_path: Path) -> None:
    """Prefect runs batches in threads; each result is that of one thread alone."""
    reading = ReadingOptions()
    given = documents(12)
    found = []
    for threads in (1, 4):
        job = Job(tmp_path / str(threads), Chunking(), "f", reading, parsing=parsing_of(reading))
        english_reader.cache_clear()
        with ThreadPoolExecutor(threads) as pool:
            batches = list(pool.map(lambda one, job=job: extract_batch(job, cut_batch(job, [one])), given))
        store = StageCache(job.cache)
        found.append([read_extracted(store, done.key) for batch in batches for done in batch])
    assert None not in found[0]
    assert found[0] == found[1]


def test_what_is_parsed_again_is_the_same() -> None:
    text = " ".join(TEXTS)
    annotator = english_reader()
    assert annotator.annotate([text, LED], "en") == [
        annotator.annotate([one], "en")[0] for one in (text, LED)
    ]


def test_names_of_a_pipeline_are_kept_with_the_parse(home: Home) -> None:
    nlp = spacy.load(home.pipeline)
    ruler: Any = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "ORG", "pattern": "Zorbex"}, {"label": "DATE", "pattern": "Qufa"}])
    nlp.to_disk(home.pipeline)
    text = "They praised Zorbex there. They praised Zorbex in Qufa."
    home.write(a=text)
    (home.folder / "p.yml").write_text("patterns:\n  - {type: brings, verb: [lead to]}\n")
    for patterns in ("", "\n  patterns: p.yml"):
        home.run("annotator: {en: en}" + patterns)
        kinds = {e.name: e.type for e in corpusgraph.open("s", home.folder / "out").graph.entities}
        assert kinds["Zorbex"] == "organisation"
        assert kinds.get("Qufa") != "date"
    assert home.parsed.count(text) == 1


def test_the_weights_that_ship_are_small() -> None:
    assert WEIGHTS.stat().st_size < 23e6
