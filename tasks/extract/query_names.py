"""The names and dates in a question, by the rules that read names in documents."""

from corpusgraph.schemas.base import nfc, stable_id
from corpusgraph.schemas.documents import Document
from corpusgraph.tasks.extract.rules.reading import read_document


def query_names(text: str) -> list[str]:
    """Return the names in a question, in order, without repeats: "Who met John Snow?" -> ["John Snow"]."""
    question = nfc(text)
    document = Document(
        id=stable_id("doc", question), title="", text=question, source="", content_hash="", language="en"
    )
    reading = read_document(document)
    names = [name.text for sentence in reading.names for name in sentence]
    dates = [question[date.start : date.end] for sentence in reading.dates for date in sentence]
    return list(dict.fromkeys(names + dates))
