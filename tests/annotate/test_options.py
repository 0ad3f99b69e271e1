"""What a study may say of pipelines and patterns, and what it is told before anything is run."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import corpusgraph
from corpusgraph.flows.annotate.offline import ReadingOptions, offline_extractor
from corpusgraph.flows.studies import load_study
from corpusgraph.schemas.errors import (
    CorpusgraphError,
    DependencyMissingError,
    PatternFileError,
    StudyFileError,
)
from corpusgraph.schemas.study import IndexOptions
from tests.annotate.pipelines import rows, text_of, write_pipeline
from tests.annotate.sentences import SENTENCES

LED = SENTENCES["Contaminated water", "causes", "cholera"]
UNIVERSAL = ["obj", "obl", "nsubj"]


def options(base: Path, **more: Any) -> ReadingOptions:
    return ReadingOptions.of(IndexOptions(**more), base)


def test_english_stays_the_one_that_ships_unless_named(tmp_path: Path) -> None:
    write_pipeline(tmp_path / "de", "de", {}, UNIVERSAL)
    german = options(tmp_path, annotator={"de": "de"}).annotator()
    assert german is not None
    assert german.languages == {"de", "en"}
    both = options(tmp_path, annotator={"en": "de"}).annotator()
    assert both is not None
    assert both.languages == {"en"}
    assert both.fingerprint != options(tmp_path).annotator().fingerprint  # type: ignore[union-attr]
    assert options(tmp_path, annotator="rules").annotator() is None


def test_other_label_schemes_are_not_read(tmp_path: Path) -> None:
    write_pipeline(tmp_path / "tiger", "de", {}, ["sb", "oa", "nk", "mo"])
    annotator = options(tmp_path, annotator={"de": "tiger"}).annotator()
    assert annotator is not None
    assert annotator.languages == {"en"}


@pytest.mark.parametrize(
    ("name", "said", "hint"),
    [
        ("xx_not_there", "no spaCy pipeline 'xx_not_there'", "python -m spacy download xx_not_there"),
        ("models/none", "no spaCy pipeline 'models/none'", "folders are relative to the study file"),
        ("json", "'json' is no spaCy pipeline", "meta.json"),
        ("empty", "is no spaCy pipeline", "meta.json"),
        ("bare", "has no dependency parser", "Name one that has"),
    ],
)
def test_pipelines_that_cannot_parse_are_told_at_once(
    tmp_path: Path, name: str, said: str, hint: str
) -> None:
    (tmp_path / "empty").mkdir()
    write_pipeline(tmp_path / "bare", "en", {}, UNIVERSAL, name="tagger")
    with pytest.raises(DependencyMissingError) as error:
        options(tmp_path, annotator={"en": name})
    assert said in error.value.message
    assert hint in str(error.value.hint)


def test_a_damaged_pipeline_is_an_error_with_a_hint(tmp_path: Path) -> None:
    folder = write_pipeline(tmp_path / "damaged", "en", {}, UNIVERSAL)
    config = (folder / "config.cfg").read_text()
    (folder / "config.cfg").write_text(config.replace("parses_by_heart", "of_nobody"))
    reading = options(tmp_path, annotator={"en": "damaged"})
    annotator = reading.annotator()
    assert annotator is not None
    with pytest.raises(DependencyMissingError, match="cannot be loaded"):
        annotator.annotate(["Snow left."], "en")


BAD = [
    ("", "p.yml:1: the file is empty"),
    ("language: en\n", "p.yml:1: the key 'patterns' is missing"),
    ("patterns: {a: b}\n", "p.yml:1: patterns is no list"),
    ("patterns: [\n", "p.yml:2: not YAML"),
    ("lang: en\npatterns: []\n", "p.yml:1: unknown key 'lang'"),
    ("language: English\npatterns: []\n", "p.yml:1: language: a code such as en"),
    ("patterns:\n  - just words\n", "p.yml:2: patterns[0] is no mapping"),
    ("patterns:\n  - {verb: cause}\n", "p.yml:2: the key 'patterns[0].type' is missing"),
    (
        "patterns:\n  - {type: a, verb: b}\n  - {type: a, verbs: c}\n",
        "p.yml:3: unknown key 'patterns[1].verbs'",
    ),
    ("patterns:\n  - {type: a}\n", "p.yml:2: patterns[0]: a pattern needs words under exactly one"),
    ("patterns:\n  - {type: a, verb: b, noun: c}\n", "patterns[0]: a pattern needs words under exactly one"),
    ("patterns:\n  - type: a\n    verb: b\n    voice: loud\n", "p.yml:4: patterns[0].voice cannot be 'loud'"),
    (
        "patterns:\n  - type: a\n    verb: b\n    source_is: [dog]\n",
        "p.yml:4: patterns[0].source_is[0] cannot be 'dog'",
    ),
    (
        "patterns:\n  - type: a\n    verb: b\n    confidence: 2\n",
        "p.yml:4: patterns[0].confidence: input should",
    ),
    ("patterns:\n  - type: a\n    verb: ''\n", "p.yml:3: patterns[0].verb: an empty word"),
    (
        "patterns:\n  - type: a\n    verb: [Cause]\n",
        "p.yml:3: patterns[0].verb: 'Cause' is not in lower case",
    ),
    (
        "patterns:\n  - type: a\n    verb: b\n    source: sujbect\n",
        "patterns[0].source: 'sujbect' is no argument",
    ),
    ("patterns:\n  - type: a\n    noun: b of\n    target: governor\n", "'governor' is no argument of a noun"),
    ("patterns:\n  - type: a\n    verb: b\n    verb: c\n", "p.yml:4: the key 'verb' is already on line 3"),
    ("patterns:\n  - {type: '', verb: b}\n", "patterns[0].type: the relation needs a name"),
]


@pytest.mark.parametrize(("text", "said"), BAD, ids=[said for _, said in BAD])
def test_bad_pattern_files_are_told_with_line_and_field(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "p.yml").write_text(text, encoding="utf-8")
    with pytest.raises(PatternFileError) as error:
        options(tmp_path, patterns="p.yml")
    assert said in error.value.message
    assert error.value.code == "bad_pattern_file"


def test_a_missing_or_binary_pattern_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "p.yml").write_bytes(b"\xff\xfe\x00")
    for name in ("none.yml", "p.yml", "."):
        with pytest.raises(PatternFileError):
            options(tmp_path, patterns=name)


def test_nothing_is_written_before_the_options_are_checked(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text("Snow left.")
    study = tmp_path / "s.yml"
    for line in ("annotator: {de: xx_not_there}", "patterns: none.yml"):
        study.write_text(f"study: s\ncorpus: {{path: corpus}}\nindex: {{{line}}}\n")
        with pytest.raises(CorpusgraphError) as error:
            corpusgraph.run(study, outputs=tmp_path / "out")
        assert error.value.code in ("dependency_missing", "bad_pattern_file")
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "line", ["annotator: spacy", "annotator: [de]", "annotator: {German: x}", "patterns: [a]"]
)
def test_what_is_no_option_is_an_error_of_the_study_file(tmp_path: Path, line: str) -> None:
    study = tmp_path / "s.yml"
    study.write_text(f"study: s\ncorpus: {{path: .}}\nindex:\n  {line}\n")
    with pytest.raises(StudyFileError, match=r"s\.yml:4: "):
        load_study(study)


def test_a_pipeline_without_a_language_is_told(tmp_path: Path) -> None:
    study = tmp_path / "s.yml"
    study.write_text("study: s\ncorpus: {path: .}\nindex: {annotator: spacy}\n")
    with pytest.raises(StudyFileError, match="pipelines are named by language"):
        load_study(study)


def test_a_users_own_patterns_come_first(tmp_path: Path) -> None:
    tokens = rows(LED)
    parses = {text_of(tokens): [row[:4] + row[6:8] for row in tokens]}
    write_pipeline(tmp_path / "en", "en", parses, UNIVERSAL)
    (tmp_path / "p.yml").write_text("patterns:\n  - {type: brings, verb: [lead to]}\n")
    from corpusgraph.schemas.documents import Document

    document = Document(id="d", title="", text=text_of(tokens), source="a", content_hash="", language="en")
    for own, type_ in (("p.yml", "brings"), (None, "causes")):
        extractor = offline_extractor(options(tmp_path, annotator={"en": "en"}, patterns=own))
        assert {one.type for one in extractor.extract(document, []).assertions} == {type_}


def test_spacy_is_loaded_when_a_text_is_parsed_and_not_before(tmp_path: Path) -> None:
    """Importing, the command line's help, opening an index and answering do without it."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text("John Snow removed the handle of the pump. The water caused cholera.")
    corpusgraph.index(corpus, name="made", outputs=tmp_path / "out")
    code = (
        "import sys, corpusgraph as cg\n"
        "from corpusgraph.flows.cli.main import cli\n"
        "cli.main(['--help'], standalone_mode=False)\n"
        f"opened = cg.open('made', outputs={str(tmp_path / 'out')!r})\n"
        f"cg.ask('What did John Snow remove?', index='made', outputs={str(tmp_path / 'out')!r})\n"
        "assert not {'spacy', 'thinc'} & set(sys.modules)\n"
        f"cg.tools.extract_relationships(index='made', outputs={str(tmp_path / 'out')!r}, texts=['Gas caused fever.'])\n"
        "assert 'spacy' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
