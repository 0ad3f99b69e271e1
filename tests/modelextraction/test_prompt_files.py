from collections.abc import Callable
from pathlib import Path

import pytest

from corpusgraph.flows.files.yaml_file import packaged
from corpusgraph.flows.language import load_prompts
from corpusgraph.schemas.errors import InvalidInputError, PromptFileError, UnknownPromptsError
from corpusgraph.schemas.llm import PromptSet
from corpusgraph.schemas.study import LanguageOptions
from corpusgraph.tasks.extract.llm.findings import Types, snake
from corpusgraph.tasks.extract.llm.prompts import system
from corpusgraph.tasks.text.tokens import count_tokens

FIELDS = ["argument", "biomedical", "general", "history", "law", "news"]
GOOD = "extract: Find ships.\nentities: [ship, port]\nrelationships:\n  sails_to:\n  owns: who has it\n"


Reads = Callable[[str], PromptSet]


@pytest.fixture
def file(tmp_path: Path) -> Reads:
    def write(text: str) -> PromptSet:
        (tmp_path / "ships.yml").write_text(text, encoding="utf-8")
        return load_prompts("ships.yml", tmp_path)

    return write


def test_the_package_has_a_set_for_each_field() -> None:
    assert [load_prompts(name).prompts for name in sorted(packaged("prompts"))] == FIELDS
    assert load_prompts("history", Path("anywhere")).prompts == "history"
    assert load_prompts(LanguageOptions().prompts).prompts == "general"


@pytest.mark.parametrize("name", FIELDS)
def test_each_set_is_whole_and_short(name: str) -> None:
    prompts = load_prompts(name)
    assert prompts.about
    assert prompts.report
    assert prompts.summary
    assert all(snake(one) == one for one in (*prompts.entities, *prompts.relationships))
    assert "causes" in prompts.relationships or name == "law"
    assert count_tokens(system(LanguageOptions(), prompts)) < 700


@pytest.mark.parametrize("name", FIELDS)
def test_types_of_sets_stay_as_they_are_when_a_model_uses_them(name: str) -> None:
    from corpusgraph.schemas.study import Ontology

    types = Types(Ontology())
    assert [types.entity(one)[0] for one in load_prompts(name).entities] == list(load_prompts(name).entities)


def test_a_file_of_ones_own(file: Reads) -> None:
    prompts = file(GOOD)
    assert (prompts.prompts, prompts.extract) == ("ships", "Find ships.")
    assert prompts.entities == {"ship": "", "port": ""}
    assert prompts.relationships == {"sails_to": "", "owns": "who has it"}
    assert prompts.glean


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "ships.yml:1: the file is empty", "extract"),
        ("- a\n- b\n", "ships.yml:1: a prompt file is a mapping", "extract"),
        (GOOD + "entitys: []\n", "ships.yml:6: unknown key 'entitys'", "Did you mean 'entities'?"),
        (GOOD + "zzz: 1\n", "ships.yml:6: unknown key 'zzz'", "Valid here: about, entities, extract"),
        ("about: x\n", "ships.yml:1: the key 'extract' is missing", "extract"),
        ("extract: ''\n", "ships.yml:1: extract:", None),
        ("extract: x\nentities: ship\n", "ships.yml:2: entities:", None),
        ("extract: x\nentities:\n  ship: [a]\n", "ships.yml:3: entities.ship:", None),
        ("extract: x\nabout: [\n", "not YAML", None),
        ("extract: x\nextract: y\n", "ships.yml:2: the key 'extract' is already on line 1", None),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_line_and_nearest_key(
    file: Reads, text: str, message: str, hint: str | None
) -> None:
    with pytest.raises(PromptFileError) as raised:
        file(text)
    assert message in raised.value.message
    assert hint is None or hint in str(raised.value.hint)


def test_an_unknown_name_has_the_nearest() -> None:
    with pytest.raises(UnknownPromptsError) as raised:
        load_prompts("histroy")
    assert raised.value.hint == "Did you mean 'history'?"
    assert isinstance(raised.value, InvalidInputError)
    with pytest.raises(UnknownPromptsError) as raised:
        load_prompts("zzz")
    assert "general" in str(raised.value.hint)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PromptFileError, match=r"No prompt file"):
        load_prompts("none.yml", tmp_path)
