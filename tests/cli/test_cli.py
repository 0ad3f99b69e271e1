"""The command line as a person or a script meets it: streams, exit codes, one clear line for bad input."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import corpusgraph
from tests.conftest import write_corpus

STUDY = """study: small
corpus: {path: corpus}
questions: [{ask: "What caused cholera?"}]
datasets:
  - name: essays
    kind: descriptive
    unit: document
    variables: [{name: words, measure: words}, {name: claims, measure: claims}]
    formats: [python]
"""


def process(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the program as a script does."""
    command = [sys.executable, "-m", "corpusgraph.flows.cli.main", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=110, check=False)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study, run once inline."""
    folder = tmp_path_factory.mktemp("home")
    write_corpus(folder / "corpus")
    (folder / "small.yml").write_text(STUDY, encoding="utf-8")
    ran = process("run", "small.yml", "--engine", "inline", "--json", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    (folder / "report.json").write_text(ran.stdout, encoding="utf-8")
    return folder


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_run_prints_one_json_value_and_nothing_else(home: Path) -> None:
    report = json.loads((home / "report.json").read_text())
    assert report["study"] == "small"
    assert report["index"]["counts"]["documents"] == 3
    assert report["index"]["n_extracted"] == 3
    assert [d["name"] for d in report["datasets"]] == ["essays"]
    assert "contaminated water" in report["answers"][0]["text"]


def test_a_second_run_extracts_nothing(home: Path) -> None:
    again = json.loads(corpusgraph("run", "small.yml", "--engine", "inline", "--json", cwd=home).stdout)
    first = json.loads((home / "report.json").read_text())
    assert again["index"]["up_to_date"]
    assert again["index"]["n_extracted"] == 0
    assert again["index"]["generation"] == first["index"]["generation"]
    assert again["answers"] == first["answers"]


def test_ask_answers_with_citations(home: Path) -> None:
    asked = corpusgraph("ask", "Where did John Snow live?", "--json", cwd=home)
    answer = json.loads(asked.stdout)
    assert asked.returncode == 0
    assert "London" in answer["text"]
    assert answer["citations"]


def test_status_lists_indexes_and_shows_one(home: Path) -> None:
    listed = json.loads(corpusgraph("status", "--json", cwd=home).stdout)
    assert [i["index"] for i in listed["indexes"]] == ["small"]
    shown = json.loads(corpusgraph("status", "small", "--json", cwd=home).stdout)
    assert shown["counts"]["documents"] == 3
    assert shown["failures"] == []


@pytest.mark.parametrize(
    ("kind", "files"),
    [
        ("graphml", {"graph.graphml"}),
        ("csv", {"entities.csv", "relationships.csv"}),
        ("json", {"graph.json"}),
    ],
)
def test_export_writes_the_files_it_names(home: Path, kind: str, files: set[str], tmp_path: Path) -> None:
    done = corpusgraph("export", "small", "--format", kind, "--to", tmp_path, "--json", cwd=home)
    assert (
        {Path(f).name for f in json.loads(done.stdout)["files"]}
        == files
        == {p.name for p in tmp_path.iterdir()}
    )


def test_tool_reads_arguments_from_a_file(home: Path, tmp_path: Path) -> None:
    (tmp_path / "ask.json").write_text('{"query": "cholera", "top_k": 1}', encoding="utf-8")
    called = corpusgraph(
        "tool", "chunk_vdb_search", "--input", tmp_path / "ask.json", "--index", "small", "--json", cwd=home
    )
    result = json.loads(called.stdout)
    assert result["success"]
    assert len(result["data"]) == 1


BAD = [
    (["run", "none.yml", "--engine", "inline"], "none.yml", "No study file"),
    (["index", "nowhere"], "nowhere", "No corpus"),
    (["ask", "What?", "--index", "smal"], "small", "There is no index"),
    (["tool", "entity_vbd_search"], "entity_vdb_search", "Unknown tool"),
    (["tool", "chunk_vdb_search", "--input", "missing.json"], "missing.json", "No such file"),
    (["export", "small", "--format", "grafml"], "graphml", "Unknown format"),
    (["run", "typo.yml", "--engine", "inline"], "typo.yml:3", "unknown key"),
    (["run", "empty.yml", "--engine", "inline"], "nothing", "Nothing to read"),
    (["run", "method.yml", "--engine", "inline"], "magic", "Unknown method"),
    (["run", "embedder.yml", "--engine", "inline"], "embedder.yml:3", "hashing"),
    (["frobnicate"], "frobnicate", "No such command"),
    (["ask", "What?", "--top-k", "0"], "top-k", "range"),
]


@pytest.mark.parametrize(("arguments", "names", "says"), BAD, ids=[" ".join(a) for a, _, _ in BAD])
def test_bad_input_is_one_line_exit_2_and_changes_nothing(
    home: Path, arguments: list[str], names: str, says: str
) -> None:
    (home / "typo.yml").write_text("study: x\ncorpus: {path: corpus}\nindx: {}\n", encoding="utf-8")
    (home / "method.yml").write_text(
        "study: y\ncorpus: {path: corpus}\nquestions: [{ask: who, method: magic}]\n"
    )
    (home / "embedder.yml").write_text("study: y\ncorpus: {path: corpus}\nindex: {embedder: bert}\n")
    (home / "nothing").mkdir(exist_ok=True)
    (home / "empty.yml").write_text("study: x\ncorpus: {path: nothing}\n", encoding="utf-8")
    before = files_below(home / "outputs")
    ran = corpusgraph(*arguments, cwd=home)
    assert ran.returncode == 2
    assert says in ran.stderr
    assert names in ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1
    assert ran.stdout == ""
    assert files_below(home / "outputs") == before


def one_line(ran: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in ran.stderr.strip().splitlines() if line.startswith("error:")]
    assert len(lines) == 1, ran.stderr
    assert "Traceback" not in ran.stderr
    return lines[0]


def test_two_documents_with_one_id_are_refused(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    for name in ("a.md", "b.md"):
        (corpus / name).write_text(f"---\nid: same\n---\nText of {name} in London.", encoding="utf-8")
    ran = corpusgraph("index", "corpus", "--quiet", cwd=tmp_path)
    assert ran.returncode == 2
    assert "'same'" in one_line(ran)
    assert "a.md" in ran.stderr
    assert "b.md" in ran.stderr
    assert not (tmp_path / "outputs" / "corpus").exists()


def test_an_index_made_with_another_embedder_is_refused_and_kept(home: Path) -> None:
    (home / "other.yml").write_text("study: small\ncorpus: {path: corpus}\nindex: {dimension: 64}\n")
    before = files_below(home / "outputs")
    ran = corpusgraph("run", "other.yml", "--engine", "inline", "--quiet", cwd=home)
    assert ran.returncode == 2
    assert "embedder" in one_line(ran)
    assert "--rebuild" in ran.stderr
    assert files_below(home / "outputs") == before


def test_an_index_that_a_live_run_writes_is_refused_and_kept(home: Path) -> None:
    hold = (
        "import sys\nfrom pathlib import Path\nfrom corpusgraph.flows.store.store import IndexStore\n"
        "with IndexStore(Path('outputs')).write('small'):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold], cwd=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        before = files_below(home / "outputs")
        ran = corpusgraph("run", "small.yml", "--engine", "inline", "--quiet", "--rebuild", cwd=home)
        assert ran.returncode == 1
        assert str(holder.pid) in one_line(ran)
        assert files_below(home / "outputs") == before
        holder.communicate("")


def test_an_outputs_folder_that_is_a_file_is_one_line(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    (tmp_path / "outputs").write_text("not a folder")
    ran = corpusgraph("index", "corpus", "--quiet", cwd=tmp_path)
    assert ran.returncode == 1
    assert "outputs" in one_line(ran)
    assert (tmp_path / "outputs").read_text() == "not a folder"


def test_bad_input_with_json_is_an_error_object(home: Path) -> None:
    ran = corpusgraph("status", "smal", "--json", cwd=home)
    assert json.loads(ran.stdout)["error"]["code"] == "index_not_found"
    assert ran.returncode == 2


def test_a_run_that_could_not_use_a_file_exits_1_and_names_it(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    (tmp_path / "corpus" / "broken.pdf").write_bytes(b"%PDF-1.4 not really")
    ran = corpusgraph("index", "corpus", "--json", cwd=tmp_path)
    report = json.loads(ran.stdout)
    assert ran.returncode == 1
    assert [f["source"] for f in report["failures"]] == ["broken.pdf"]
    assert report["counts"]["documents"] == 3


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom corpusgraph.flows.cli.main import cli\ncli.main(['--help'], standalone_mode=False)\n"
        "heavy = ('numpy', 'pandas', 'polars', 'pyarrow', 'lancedb', 'spacy', 'prefect', 'mcp', 'matplotlib')\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stderr.strip() == "[]"
    assert "evaluate" in ran.stdout


def test_serve_says_that_an_index_is_not_there_and_status_counts_one(home: Path) -> None:
    (name,) = (place.parent.name for place in (home / "outputs").glob("*/manifest.json"))
    refused = ("serve", "--transport", "http", "--host", "192.0.2.1", "--index")  # ends: no token
    told = corpusgraph(*refused, f"{name}x", cwd=home)
    assert (told.returncode, f"Did you mean {name!r}?" in told.stderr) == (2, True)
    assert "warning" not in corpusgraph(*refused, name, cwd=home).stderr
    assert corpusgraph("status", cwd=home).stdout.startswith("1 index in outputs")
