"""Claims of different documents that state and deny one causal relation."""

from pathlib import Path

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.schemas.study import ArgumentDataset
from corpusgraph.tasks.dataset.argument import build_argument
from corpusgraph.tasks.tools.prepare import prepare_argument_network

TEXTS = {
    "board.txt": "The Board claimed that foul air caused cholera.",
    "snow.txt": "Snow argued that foul air did not cause cholera.",
    "farr.txt": "Farr claimed that low elevation caused cholera.",
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    home: Path = tmp_path_factory.mktemp("dispute")
    (home / "corpus").mkdir()
    for name, text in TEXTS.items():
        (home / "corpus" / name).write_text(text, encoding="utf-8")
    api.index(home / "corpus", outputs=home / "outputs")
    return api.open("corpus", home / "outputs")


def dataset(**fields: object) -> ArgumentDataset:
    return ArgumentDataset.model_validate(
        {"kind": "argument", "name": "debate", "framework": "dung", **fields}
    )


def test_a_statement_and_its_denial_attack_each_other(opened: OpenIndex) -> None:
    asked = build_argument(opened, dataset())
    texts = {claim.id: claim.text for claim in asked.claims}
    pairs = {(texts[r.source], texts[r.target]) for r in asked.relations}
    assert len(pairs) == 2
    (one, other), (back, forth) = sorted(pairs)
    assert (one, other) == (forth, back)
    assert {"not" in one, "not" in other} == {True, False}
    assert not any("elevation" in text for text in texts.values())


def test_neither_side_wins_by_the_dispute_alone(opened: OpenIndex) -> None:
    found = prepare_argument_network(build_argument(opened, dataset())).data
    assert found.extensions.grounded == ()
    assert len(found.extensions.preferred or ()) == 2


def test_disputes_can_be_left_out(opened: OpenIndex) -> None:
    assert build_argument(opened, dataset(disputes=False)).relations == ()
