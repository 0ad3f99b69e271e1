"""Tables in the shape of GraphRAG: what they say of what the texts say."""

from pathlib import Path

import pandas as pd

from tests.graphrag.given import engine


def test_what_texts_only_deny_is_no_row(tmp_path: Path) -> None:
    corpus = tmp_path / "data" / "documents"
    corpus.mkdir(parents=True)
    (corpus / "letter.txt").write_text("Bad water caused cholera. Bad air did not cause cholera.\n")
    engine(tmp_path)
    (folder,) = {path.parent for path in tmp_path.rglob("relationships.parquet")}
    rows = pd.read_parquet(folder / "relationships.parquet")
    assert rows[["source", "target"]].to_numpy().tolist() == [["Bad water", "cholera"]]
    listed = pd.read_parquet(folder / "text_units.parquet").relationship_ids.explode()
    assert set(listed) == set(rows["id"])
    listed = pd.read_parquet(folder / "communities.parquet").relationship_ids.explode().dropna()
    assert set(listed) <= set(rows["id"])
