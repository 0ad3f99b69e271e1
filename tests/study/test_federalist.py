"""The study of the Federalist papers, where their texts are at hand."""

from pathlib import Path

import pytest

from corpusgraph.flows import api
from tests.conftest import SHARED
from tests.study import bundles

CORPUS = SHARED / "corpora" / "federalist"
STUDY = Path(__file__).resolve().parents[2] / "configs" / "studies" / "federalist.yml"


@pytest.mark.external
@pytest.mark.timeout(1500)  # 85 papers are read, which takes minutes on a slow machine
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the Federalist papers are not at hand")
def test_every_bundle_opens(tmp_path: Path) -> None:
    report = api.run(STUDY, CORPUS, outputs=tmp_path)
    assert report.index.counts["documents"] == 85
    assert report.index.n_failures == 0
    assert bundles.check_all(report, tmp_path) == bundles.KINDS
