"""Files in, documents out: txt, md, html, pdf, docx, and the rows of csv, jsonl and parquet.

`scan` lists a corpus without reading documents, `load` reads one source, `load_all` streams the corpus.
What cannot be used becomes a `Failure` and the run goes on. Its codes: unreadable, empty, encrypted, binary,
undecodable, malformed, unsupported_kind, no_text (a PDF of pictures), no_text_column, malformed_row,
bad_front_matter, unreadable_text; damaged_encoding, damaged_page and unreadable_part where the rest of the
document is used; mended_encoding, recognised_text and picture_page, which are notes; and for the table
of metadata metadata_without_file, ambiguous_metadata and duplicate_row.
"""

from corpusgraph.flows.load.corpus import load, load_all
from corpusgraph.flows.load.sources import Source, corpus_fingerprint, scan

__all__ = ["Source", "corpus_fingerprint", "load", "load_all", "scan"]
