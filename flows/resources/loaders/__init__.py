"""Files in, documents out: txt, md, html, pdf, docx, and the rows of csv, jsonl and parquet.

`scan` lists a corpus without reading documents, `load` reads one source, `load_all` streams the corpus.
A file that cannot be used becomes a `Failure` with a code and a reason; the run goes on.
"""

from corpusgraph.flows.resources.loaders.corpus import load, load_all
from corpusgraph.flows.resources.loaders.sources import Source, corpus_fingerprint, scan

__all__ = ["Source", "corpus_fingerprint", "load", "load_all", "scan"]
