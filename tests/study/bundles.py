"""Read bundles back with other programs than the ones that wrote them."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import networkx as nx
import pandas as pd
import pyreadstat
from lxml import etree

from corpusgraph.flows import api
from corpusgraph.schemas.run import DatasetReport, StudyReport

KINDS = {"descriptive", "regression", "sem", "causal", "argument", "process"}


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def renamed(folder: Path) -> dict[str, str]:
    return {row["old_name"]: row["new_name"] for row in rows(folder / "name_map.csv")}


def check_tables(folder: Path) -> None:
    """The same values in parquet, .dta and .sav, under the names the name maps say."""
    python = pd.read_parquet(folder / "python" / "data.parquet")
    stata = pd.read_stata(folder / "stata" / "data.dta", convert_categoricals=False)
    spss, meta = pyreadstat.read_sav(folder / "spss" / "data.sav")
    assert len(python) == len(stata) == len(spss) > 0
    assert all(meta.column_names_to_labels[name] for name in spss.columns)
    names = renamed(folder / "python")
    for old in (name for name in names if names[name] in python.columns):  # latent variables are no columns
        columns = [
            python[names[old]],
            stata[renamed(folder / "stata")[old]],
            spss[renamed(folder / "spss")[old]],
        ]
        if all(pd.api.types.is_numeric_dtype(c) for c in columns):
            for other in columns[1:]:
                assert (columns[0].astype(float) - other.astype(float)).abs().max() < 1e-9, old
        elif all(isinstance(c.dropna().iloc[0], str) for c in columns if len(c.dropna())):
            texts = [c.fillna("").astype(str).tolist() for c in columns]
            assert texts[0] == texts[1] == texts[2], old


def check_provenance(folder: Path, chunk_ids: set[str], *, required: bool = True) -> None:
    """Every passage named is a chunk of the index."""
    found = pd.read_parquet(folder / "provenance.parquet")
    assert len(found) > 0 or not required
    column = next(c for c in found.columns if c.startswith("chunk"))
    assert set(found[column].dropna()) <= chunk_ids
    assert json.loads((folder / "codebook.json").read_text(encoding="utf-8"))
    assert (folder / "README.md").stat().st_size > 100


def check_dag(folder: Path) -> None:
    """Read dagitty text, GML and DOT; the three have the same arrows."""
    text = (folder / "dagitty.txt").read_text(encoding="utf-8")
    arrows = set(re.findall(r'^"(.+)" -> "(.+)"$', text, re.MULTILINE))
    assert arrows
    assert nx.is_directed_acyclic_graph(nx.DiGraph(arrows))
    gml = nx.read_gml(folder / "dag.gml", label=None)
    assert gml.number_of_edges() == len(arrows)


def check_bif(folder: Path) -> None:
    """Read BIF with pgmpy: a valid network whose tables sum to 1."""
    from pgmpy.readwrite import BIFReader

    model = BIFReader(folder / "network.bif").get_model()
    assert model.check_model()
    assert model.nodes()


def check_process(folder: Path) -> None:
    """Read XES: as many events as the CSV log, each with a name and a time."""
    root = etree.parse(folder / "log.xes").getroot()
    events = root.findall(".//{*}event")
    log = rows(folder / "log.csv")
    assert len(events) == len(log) > 0
    for event in events:
        keys = {child.get("key") for child in event}
        assert {"concept:name", "time:timestamp"} <= keys


def check_argument(folder: Path) -> None:
    """Read the three text formats: attacks between arguments that exist."""
    claims = {row["argument"] for row in rows(folder / "claims.csv")}
    lines = (folder / "framework.af").read_text().splitlines()
    size = int(lines[0].split()[2])
    attacks = [tuple(map(int, line.split())) for line in lines[1:] if line and not line.startswith("#")]
    assert size == len(claims)
    assert attacks
    assert all(1 <= a <= size and 1 <= b <= size for a, b in attacks)
    apx = (folder / "framework.apx").read_text()
    assert len(re.findall(r"^arg\(", apx, re.MULTILINE)) == size
    assert len(re.findall(r"^att\(", apx, re.MULTILINE)) == len(attacks)
    stated = (folder / "framework.tgf").read_text().split("\n#\n")
    assert len(stated[0].splitlines()) == size


def check_all(report: StudyReport, outputs: Path) -> set[str]:
    """Check every dataset of a study; return the kinds seen."""
    chunk_ids = {c.id for c in api.open(report.study, outputs).graph.chunks}
    for dataset in report.datasets:
        assert dataset.error is None, dataset
        check_one(dataset, chunk_ids)
    return {dataset.kind for dataset in report.datasets}


def check_one(dataset: DatasetReport, chunk_ids: set[str]) -> None:
    folder = Path(dataset.path)
    for bundle in dataset.bundles:
        check_provenance(folder / bundle, chunk_ids)
    if dataset.kind in {"descriptive", "regression", "sem"}:
        check_tables(folder)
    checks: dict[str, Any] = {"log": check_process, "bayesian": check_bif}
    for bundle in dataset.bundles:
        if (folder / bundle / "dagitty.txt").exists():
            check_dag(folder / bundle)
        if dataset.kind == "argument":
            check_argument(folder / bundle)
        if bundle in checks:
            checks[bundle](folder / bundle)
