"""The names and dates in a question, by the rules that read names in documents."""

from corpusgraph.schemas.base import nfc, stable_id
from corpusgraph.schemas.documents import Document
from corpusgraph.tasks.extract.rules.reading import Reading, read_document


def read_question(text: str) -> Reading:
    """Read a question as an English document."""
    id_ = stable_id("doc", text)
    return read_document(Document(id=id_, title="", text=text, source="", content_hash="", language="en"))


def query_names(text: str) -> list[str]:
    """Return the names in a question, in order, without repeats: "Who met John Snow?" -> ["John Snow"]."""
    question = nfc(text)
    reading = read_question(question)
    names = [name.text for sentence in reading.names for name in sentence]
    dates = [question[date.start : date.end] for sentence in reading.dates for date in sentence]
    return list(dict.fromkeys(names + dates))
