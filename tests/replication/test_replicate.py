"""`corpusgraph replicate`: an archive holds all that a study needs, and gives the same bytes elsewhere."""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import corpusgraph as cg
from corpusgraph.flows import api
from corpusgraph.schemas.errors import CorpusNotFoundError, IndexNotFoundError, InvalidInputError
from corpusgraph.schemas.run import ReplicationReport
from tests.conftest import write_corpus
from tests.faults.server import FaultServer
from tests.modelruns.corpus import write_profile
from tests.oracles import oracle

STUDY = """# kept as it is written
study: small
title: A small study
corpus: {path: corpus, exclude: ["*.tmp"]}
questions:
  - {ask: "What caused cholera?", method: own/two_steps.yml}
datasets:
  - name: texts
    kind: descriptive
    variables: [{name: words, measure: words}, {name: genre, measure: attribute}]
    formats: [r, stata, spss]
"""
METHOD = """method: two_steps
title: Entities, their relationships, then the passages of these
steps:
  - entity_vdb_search: {top_k: 5}
  - relationship_onehop_extract: {}
  - chunk_from_relationships: {}
"""


def write_files(corpus: Path) -> None:
    write_corpus(corpus / "sub")
    (corpus / "note.tmp").write_text("not read")
    (corpus / "metadata.csv").write_text("file,genre\nsub/snow.txt,essay\nsub/board.md,reply\n")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with a metadata table, a method of its own, and a file that is no document."""
    folder = tmp_path_factory.mktemp("home")
    write_files(folder / "corpus")
    (folder / "own").mkdir()
    (folder / "own" / "two_steps.yml").write_text(METHOD)
    (folder / "small.yml").write_text(STUDY)
    return folder


@pytest.fixture(scope="module")
def archive(home: Path) -> Path:
    """The archive of the study, packed without any run before."""
    report = pack(home / "small.yml", home / "none", to=home / "small.zip")
    assert (report.done, report.same, report.differences, report.notes) == ("packed", True, (), ())
    return home / "small.zip"


def pack(
    study: Path, outputs: Path, to: Path | None = None, *, with_corpus: bool = True
) -> ReplicationReport:
    made: ReplicationReport = cg.replicate(study, outputs=outputs, to=to, with_corpus=with_corpus)
    return made


def check(archive: Path, corpus: Path | None = None, *, from_texts: bool = False) -> ReplicationReport:
    checked: ReplicationReport = cg.replicate(archive, check=True, corpus=corpus, from_texts=from_texts)
    return checked


def repacked(archive: Path, to: Path, changes: dict[str, bytes | None]) -> Path:
    """Write the archive with members replaced or left out."""
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            if changes.get(name, b"") is not None:
                new.writestr(name, changes.get(name) or old.read(name))
        for name in set(changes) - set(old.namelist()):
            new.writestr(name, changes[name] or b"")
    return to


def test_an_archive_gives_its_bytes_again_where_nothing_else_is(archive: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere.zip"
    shutil.copyfile(archive, moved)
    report = check(moved)
    assert report.same
    assert report.n_results > 20
    assert report.n_documents == 3
    assert (report.differences, report.environment) == ((), ())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere.zip"]


def test_what_it_holds_is_what_a_run_publishes(home: Path, archive: Path) -> None:
    api.run(home / "small.yml", outputs=home / "outputs")
    folder = home / "outputs" / "small"
    with zipfile.ZipFile(archive) as packed:
        names = packed.namelist()
        told = json.loads(packed.read("small/data/replication.json"))
        for path in sorted((folder / "datasets").rglob("*.*")):
            name = f"small/data/results/{path.relative_to(folder).as_posix()}"
            assert packed.read(name) == path.read_bytes()
        assert packed.read("small/data/study_as_given.yml") == STUDY.encode()
    for path in sorted((folder / "output").rglob("*.parquet")):
        name = path.relative_to(folder).as_posix()
        assert told["results"][name] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert "small/data/study/own/two_steps.yml" not in names
    assert "small/data/study/methods/two_steps.yml" in names
    assert not [name for name in names if "note.tmp" in name]
    assert told["generation"] == api.open("small", home / "outputs").manifest.generation


def test_an_archive_is_the_same_bytes_every_time(home: Path, archive: Path, tmp_path: Path) -> None:
    pack(home / "small.yml", tmp_path / "none", to=tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()


@pytest.mark.faults
def test_the_wheel_in_it_is_a_whole_program(archive: Path, tmp_path: Path) -> None:
    """Another process, another hash seed, and no code but the archive's."""
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / "bag")
    wheel = next((tmp_path / "bag" / "small" / "data" / "code").glob("*.whl"))
    with zipfile.ZipFile(wheel) as code:
        code.extractall(tmp_path / "code")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "code"), "PYTHONHASHSEED": "77"}
    program = (
        "import corpusgraph, sys; assert corpusgraph.__file__.startswith(sys.argv[1]), corpusgraph.__file__;"
        "sys.argv = ['corpusgraph', 'replicate', '--check', 'small', '--json', '--quiet'];"
        "from corpusgraph.flows.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "code")],
        cwd=tmp_path / "bag",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["same"] is True


def unpacked(archive: Path, folder: Path) -> Path:
    """Return the folder `data` of the archive, unpacked."""
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    return folder / "small" / "data"


def listed_again(data: Path) -> Path:
    """Write the bag's lists of files anew, as whoever changed them on purpose would; return the bag."""
    bag = data.parent
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(bag).as_posix()}\n"
        for path in sorted(data.rglob("*"))
        if path.is_file()
    ]
    (bag / "manifest-sha256.txt").write_text("".join(lines))
    (bag / "tagmanifest-sha256.txt").write_text("")
    return bag


def test_evidence_is_taken_from_the_archive_and_read_anew_when_asked(archive: Path, tmp_path: Path) -> None:
    """In the archive's evidence one document has lost its relations, as if its parser had not seen them."""
    report = check(archive, from_texts=True)
    assert (report.same, report.evidence, report.differences) == (True, (), ())
    data = unpacked(archive, tmp_path)
    lines = gzip.decompress((data / "evidence.jsonl.gz").read_bytes()).decode().splitlines()
    documents = [json.loads(line) for line in lines]
    assert len(documents) == 3
    changed = next(one for one in documents if one["evidence"].get("assertions"))
    lost = len(changed["evidence"].pop("assertions"))
    (data / "evidence.jsonl.gz").write_bytes(
        gzip.compress("".join(json.dumps(one) + "\n" for one in documents).encode())
    )
    bag = listed_again(data)
    carried = check(bag)
    assert not carried.holds
    assert "output/relationships.parquet" in {one.file for one in carried.differences}
    anew = check(bag, from_texts=True)
    assert (anew.same, anew.holds, anew.differences) == (True, True, ())
    assert [(one.kind, one.added, one.removed) for one in anew.evidence] == [("relations", lost, 0)]


def test_another_result_is_named_with_its_place(archive: Path, tmp_path: Path) -> None:
    data = unpacked(archive, tmp_path)
    told = json.loads((data / "replication.json").read_text())
    name = "datasets/texts/r/data.csv"
    lines = (data / "results" / name).read_text().splitlines()
    (data / "results" / name).write_text("\n".join([lines[0], "x", *lines[2:]]) + "\n")
    told["results"][name] = hashlib.sha256((data / "results" / name).read_bytes()).hexdigest()
    told["results"]["datasets/texts/gone.csv"] = "0" * 64
    del told["results"]["answers.json"]
    (data / "replication.json").write_text(json.dumps(told))
    report = check(listed_again(data))
    assert not report.same
    assert [(one.file, one.what) for one in report.differences] == [
        ("answers.json", "unexpected"),
        ("datasets/texts/gone.csv", "missing"),
        (name, "changed"),
    ]
    assert report.differences[2].at == f"line 2: {lines[1][:80]!r} instead of 'x'"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"small/data/study/corpus/sub/snow.txt": b"Another text."}, "has other bytes"),
        ({"small/data/study/corpus/sub/snow.txt": None}, "is missing"),
        ({"small/data/study/corpus/more.txt": b"More."}, "was added"),
        ({"small/manifest-sha256.txt": b"torn"}, "torn is missing"),
        ({"../outside.txt": b"x"}, "leads out"),
        ({"/outside.txt": b"x"}, "leads out"),
        ({"small/bagit.txt": None}, "no archive of a study"),
    ],
)
def test_an_archive_that_was_changed_is_refused(
    archive: Path, tmp_path: Path, changes: dict[str, bytes | None], told: str
) -> None:
    with pytest.raises(InvalidInputError, match=told):
        check(repacked(archive, tmp_path / "other.zip", changes))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.zip"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 torn", b"no zip at all"])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(InvalidInputError, match="no ZIP file"):
        check(tmp_path / "a.zip")
    with pytest.raises(InvalidInputError, match="No archive at"):
        check(tmp_path / "b.zip")


@pytest.mark.faults
def test_without_its_corpus_it_runs_with_the_same_files_only(home: Path, tmp_path: Path) -> None:
    pack(home / "small.yml", tmp_path / "none", to=tmp_path / "bare.zip", with_corpus=False)
    with zipfile.ZipFile(tmp_path / "bare.zip") as packed:
        assert not [name for name in packed.namelist() if "/study/corpus/" in name]
    with pytest.raises(CorpusNotFoundError, match="without its corpus"):
        check(tmp_path / "bare.zip")
    assert check(tmp_path / "bare.zip", home / "corpus").same
    shutil.copytree(home / "corpus", tmp_path / "other")
    (tmp_path / "other" / "sub" / "snow.txt").write_text("Another text.")
    with pytest.raises(CorpusNotFoundError, match="not the file"):
        check(tmp_path / "bare.zip", tmp_path / "other")


def test_outputs_of_another_time_are_told(home: Path, tmp_path: Path) -> None:
    api.run(home / "small.yml", outputs=tmp_path / "out")
    (tmp_path / "out" / "small" / "datasets" / "texts" / "r" / "data.csv").write_text("edited by hand\n")
    report = pack(home / "small.yml", tmp_path / "out")
    assert report.archive == str(tmp_path / "out" / "small" / "replication.zip")
    assert [(one.file, one.what) for one in report.differences] == [("datasets/texts/r/data.csv", "changed")]


def test_replies_of_a_model_are_packed_and_no_model_is_asked_again(tmp_path: Path) -> None:
    write_files(tmp_path / "corpus")
    with FaultServer() as server:
        profile = write_profile(tmp_path, server)
        study = STUDY.replace("own/two_steps.yml", "default") + f"profile: {profile}\n"
        (tmp_path / "asked.yml").write_text(study)
        with pytest.raises(IndexNotFoundError, match="never run"):
            pack(tmp_path / "asked.yml", tmp_path / "out")
        ran = api.run(tmp_path / "asked.yml", outputs=tmp_path / "out")
        paid = sum(stage.calls for stage in ran.index.usage)
        assert paid > 3
        server.reset()
        report = pack(tmp_path / "asked.yml", tmp_path / "out", to=tmp_path / "asked.zip")
        assert server.calls == []
    assert (report.differences, report.notes) == ((), ())
    assert report.n_replies >= paid
    checked = check(tmp_path / "asked.zip")  # the server is gone
    assert checked.same, checked.differences


@pytest.mark.external
def test_an_archive_is_a_bag_to_the_library_of_congress(archive: Path, tmp_path: Path) -> None:
    """Checked by `bagit`, the reference implementation of RFC 8493."""
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path)
    code = "import bagit, json, sys; print(json.dumps(bagit.Bag(sys.argv[1]).validate()))"
    assert oracle(code, str(tmp_path / "small")) is True
    (tmp_path / "small" / "data" / "README.md").write_text("changed")
    code = "import bagit, json, sys; print(json.dumps(bagit.Bag(sys.argv[1]).is_valid()))"
    assert oracle(code, str(tmp_path / "small")) is False


def test_the_libraries_that_are_listed_are_all_that_the_package_names(archive: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        listed = packed.read("small/data/code/requirements.txt").decode().splitlines()
    found = {line.partition("==")[0] for line in listed}
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())["project"]
    named = {canonicalize_name(Requirement(text).name) for text in project["dependencies"]}
    assert named <= found, "the installed metadata is older than pyproject.toml: install the package again"
    assert {"pydantic-core", "click", "openai"} <= found


def test_its_page_tells_commands_that_leave_the_bag_whole(archive: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path)
    data = tmp_path / "small" / "data"
    page = (data / "README.md").read_text()
    made = next(line for line in page.splitlines() if line.startswith("python -m venv"))
    (data / made.split()[-1]).mkdir()
    (data / made.split()[-1] / "pyvenv.cfg").write_text("")
    assert f"replicate --check {'..'}" in page
    assert check(data / "..").same
