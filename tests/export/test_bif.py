"""BIF and XMLBIF: restricted names, and a reader gets the same tables back."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import etree

import corpusgraph as cg
from corpusgraph.tasks.analysis.causal.models import CausalModel, PrepareCausalModel
from corpusgraph.tasks.export.causal.bundle import bif, bif_names, bif_states, causal_bundle, xmlbif
from corpusgraph.tasks.tools.prepare import prepare_causal_model

WORLDS = [
    ("a", "a", "a", 8),
    ("a", "a", "b", 2),
    ("a", "b", "a", 1),
    ("a", "b", "b", 1),
    ("b", "a", "a", 1),
    ("b", "a", "b", 2),
    ("b", "b", "a", 3),
    ("b", "b", "b", 12),
]
"""z, x, y, and how often."""


@pytest.fixture
def asia() -> CausalModel:
    """Part of the chest clinic of Lauritzen & Spiegelhalter 1988, with names as people write them."""
    fields = {
        "model_type": "bayesian",
        "entities": [
            {"id": "s", "name": "smoker?", "states": ["yes", "no"], "cpt": [0.5, 0.5]},
            {"id": "t", "name": "bệnh lao", "states": ["yes", "no"], "cpt": [0.0104, 0.9896]},
            {"id": "c", "name": "lung cancer", "states": ["yes", "no"], "cpt": [[0.1, 0.9], [0.01, 0.99]]},
            {"id": "d", "name": "dyspnoea", "states": [">=7.5", "Asy/Patch", "3"],
             "cpt": [[0.7, 0.2, 0.1], [0.6, 0.2, 0.2], [0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]},
        ],
        "relationships": [
            {"source_id": a, "target_id": b} for a, b in (("s", "c"), ("c", "d"), ("t", "d"))
        ],
    }  # fmt: skip
    return prepare_causal_model(PrepareCausalModel.model_validate(fields)).data


def test_names_and_states_are_restricted_and_unique(asia: CausalModel) -> None:
    names = bif_names(asia)
    assert names == {"s": "smoker_", "t": "benh_lao", "c": "lung_cancer", "d": "dyspnoea"}
    assert bif_states((">=7.5", "7 5", "Có", "不")) == {">=7.5": "7_5", "7 5": "7_5_2", "Có": "C", "不": "s"}
    assert re.fullmatch(r"[\x00-\x7f]*", bif(asia).decode())


def test_the_map_leads_back(asia: CausalModel) -> None:
    bundle = causal_bundle(asia)
    assert "t,bệnh lao,bệnh_lao,benh_lao" in bundle["name_map.csv"].decode()
    assert "dyspnoea,Asy/Patch,Asy_Patch" in bundle["states.csv"].decode()


def test_xmlbif_runs_the_variables_own_states_fastest(asia: CausalModel) -> None:
    root = etree.fromstring(xmlbif(asia))
    definition = root.findall(".//DEFINITION")[3]
    assert [given.text for given in definition.findall("GIVEN")] == ["lung_cancer", "benh_lao"]
    numbers = [float(n) for n in (definition.findtext("TABLE") or "").split()]
    assert numbers == [0.7, 0.2, 0.1, 0.6, 0.2, 0.2, 0.5, 0.3, 0.2, 0.1, 0.2, 0.7]
    assert len(root.findall(".//VARIABLE")) == 4


@pytest.mark.external
def test_pgmpy_reads_the_tables_back(asia: CausalModel, tmp_path: Path) -> None:
    from pgmpy.readwrite import BIFReader

    path = tmp_path / "network.bif"
    path.write_bytes(bif(asia))
    model = BIFReader(str(path)).get_model()
    assert model.check_model()
    assert set(model.edges()) == {
        ("smoker_", "lung_cancer"),
        ("lung_cancer", "dyspnoea"),
        ("benh_lao", "dyspnoea"),
    }
    cpd = model.get_cpds("dyspnoea")
    found = cpd.get_value(dyspnoea="Asy_Patch", lung_cancer="no", benh_lao="yes")
    assert found == pytest.approx(0.3)


@pytest.mark.external
def test_inference_py_prints_what_counting_all_worlds_gives(tmp_path: Path) -> None:
    """P(y | x) differs from P(y | do(x)) where z confounds the two; both by summing over every world."""
    rows = [{"z": z, "x": x, "y": y} for z, x, y, n in WORLDS for _ in range(n)]
    ask = {
        "entities": [{"id": name, "name": name} for name in "zxy"],
        "relationships": [
            {"id": a + b, "source_id": a, "target_id": b, "type": "causes"} for a, b in ("zx", "zy", "xy")
        ],
        "model_type": "bayesian",
        "exposure": "x",
        "outcome": "y",
        "data": rows,
        "prior": "none",
    }
    for name, content in causal_bundle(cg.tools.prepare_causal_model(**ask)).items():
        (tmp_path / name).write_bytes(content)
    done = subprocess.run(
        [sys.executable, "inference.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    n = sum(count for *_, count in WORLDS)
    seen = sum(c for _, x, y, c in WORLDS if (x, y) == ("a", "a")) / sum(
        c for _, x, _, c in WORLDS if x == "a"
    )
    under = 0.0
    for z in "ab":
        share = sum(c for of, *_, c in WORLDS if of == z) / n
        given = [(y, c) for of, x, y, c in WORLDS if (of, x) == (z, "a")]
        under += share * sum(c for y, c in given if y == "a") / sum(c for _, c in given)
    assert abs(seen - under) > 0.05
    assert told["P(y | x = a)"] == f"a {seen:.6f}, b {1 - seen:.6f}"
    assert told["P(y | do(x = a))"] == f"a {under:.6f}, b {1 - under:.6f}"
    assert told["P(z)"].startswith(f"a {sum(c for z, *_, c in WORLDS if z == 'a') / n:.6f}")


def test_without_all_tables_there_is_no_bif(asia: CausalModel) -> None:
    partial = asia.model_copy(update={"cpts": asia.cpts[:2]})
    assert "network.bif" not in causal_bundle(partial)
    assert "cpt.json" in causal_bundle(partial)
