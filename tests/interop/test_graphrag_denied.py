"""An export to GraphRAG's tables holds what texts state; what they only deny has no place there."""

from pathlib import Path

from corpusgraph.flows import api
from corpusgraph.flows.api import open as open_index
from corpusgraph.flows.interop.sources import export_graphrag, import_index


def test_what_texts_only_deny_is_not_exported(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "letter.txt").write_text("Bad water caused cholera. Bad air did not cause cholera.\n")
    outputs = tmp_path / "outputs"
    api.index(corpus, "letters", outputs=outputs)
    export_graphrag("letters", tmp_path / "tables", outputs=outputs)
    import_index(tmp_path / "tables", "again", outputs=outputs)
    edges = open_index("again", outputs).graph.relationships
    assert [(edge.type, edge.is_stated) for edge in edges] == [("causes", True)]
