"""The documentation says what is so: links lead somewhere, commands exist, studies are valid, pages current."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from pydantic import TypeAdapter

from corpusgraph.flows.cli.main import cli
from corpusgraph.flows.docs.pages import PAGES, page, samples
from corpusgraph.flows.files.yaml_file import load_yaml
from corpusgraph.schemas.study import Dataset, Study
from corpusgraph.tasks.registry import load
from tests.docs import codes
from tests.docs.pages import ROOT, SHELLS, Block, anchors, blocks, commands, links, pages

every_page = pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)


@every_page
def test_links_lead_to_files_and_headings(path: Path) -> None:
    for link in links(path):
        name, _, heading = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), f"{path.name} links to {link}"
        if heading and target.suffix == ".md":
            assert heading in anchors(target), f"{path.name} links to {link}"


CALLS = [(block.page.name, call) for block in blocks(*SHELLS) for call in commands(block)]


@pytest.mark.parametrize(("page", "call"), CALLS, ids=[f"{page}: {' '.join(call)}" for page, call in CALLS])
def test_commands_and_options_are_real(page: str, call: list[str]) -> None:
    name, *rest = call
    if name.startswith("-"):  # of the program itself: --help, --version
        assert name in {option for param in cli.get_params(click.Context(cli)) for option in param.opts}
        return
    assert name in cli.commands, f"{page}: no command {name!r}"
    try:
        made = cli.commands[name].make_context(name, rest)
    except click.exceptions.Exit:
        return
    except click.ClickException as error:
        pytest.fail(f"{page}: corpusgraph {' '.join(call)}: {error.format_message()}")
    if name == "tool":
        assert made.params["name"] in load() or made.params["name"].isupper()


def test_commands_are_found_where_they_stand() -> None:
    text = "$ ls | x; A=1 .venv/bin/corpusgraph ask 'a b' \\\n  --json 2>&1 | head\ncorpusgraph out\n"
    assert list(commands(Block(ROOT, "console", text))) == [["ask", "a b", "--json"]]
    assert list(commands(Block(ROOT, "bash", "(cd x && corpusgraph run a.yml) > b"))) == [["run", "a.yml"]]


@pytest.mark.parametrize("block", blocks("yaml", "yml"), ids=lambda block: block.page.name)
def test_studies_are_valid(block: Block) -> None:
    data, _ = load_yaml(block.text)
    if block.text.startswith("study:"):
        Study.model_validate(data)
    elif block.text.lstrip().startswith("- "):
        TypeAdapter(list[Dataset]).validate_python(data)


@pytest.mark.parametrize("block", blocks("python", "py"), ids=lambda block: block.page.name)
def test_python_compiles(block: Block) -> None:
    compile(block.text, block.page.name, "exec")


def test_there_is_something_of_each_to_check() -> None:
    assert CALLS
    assert any(block.text.startswith("study:") for block in blocks("yaml"))
    assert blocks("python")
    assert sum(len(links(page)) for page in pages()) > 10


@pytest.fixture(scope="module")
def _samples() -> Iterator[None]:
    with samples():
        yield


@pytest.mark.usefixtures("_samples")
@pytest.mark.parametrize("name", PAGES)
def test_pages_made_from_code_are_current(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == page(name, ROOT / "docs"), "run `make docs`"


def test_every_key_of_a_study_has_a_meaning() -> None:
    text = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    bare = [row[0] for row in rows if len(row) == 4 and not row[3].strip(" |")]
    assert not bare, "give the field a description"


def test_every_code_is_explained_and_every_explained_code_is_real() -> None:
    served = codes.explained("operations.md", codes.SERVED)
    explained = codes.explained("exports.md", "## Codes")
    assert codes.codes() - served <= explained <= codes.codes()


def test_every_code_of_memory_server_and_interchange_is_explained() -> None:
    served, elsewhere = (
        codes.explained("operations.md", codes.SERVED),
        codes.explained("exports.md", "## Codes"),
    )
    assert codes.serving_codes() - elsewhere <= served
    assert served <= codes.serving_words() | codes.codes()


def test_every_code_of_the_failure_ledger_is_explained() -> None:
    assert codes.explained("operations.md", "## The failure ledger") == codes.ledger_codes()
