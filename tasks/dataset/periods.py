"""When a sentence speaks: the date of its document, else the first date it names."""

from datetime import date
from typing import Literal

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.dataset.reading import Reading, Sentence
from corpusgraph.tasks.table.values import Moment, sure_moment

DATE_FIELDS = ("date", "year", "published", "publication_date", "created")
_LENGTHS = {"year": 4, "month": 7, "day": 10}
_PRECISIONS = {"year": 0, "month": 1, "day": 2, "instant": 3}
Period = Literal["year", "month", "day"]


def period_number(name: str) -> int:
    """Return a number of which the next period has the next: `1854`, `1854-09` or `1854-09-08`."""
    parts = [int(part) for part in name.split("-")]
    if len(parts) == 3:
        return date(*parts).toordinal()
    return parts[0] if len(parts) == 1 else parts[0] * 12 + parts[1] - 1


def period_name(number: int, period: Period) -> str:
    """Return the period of a number."""
    if period == "day":
        return date.fromordinal(number).isoformat()
    return f"{number:04}" if period == "year" else f"{number // 12:04}-{number % 12 + 1:02}"


def dated(reading: Reading, period: Period) -> tuple[dict[Sentence, str], list[ToolWarning]]:
    """Return sentence -> period (`1854`, `1854-09` or `1854-09-08`) for every sentence with mentions.

    A date coarser than the period places nothing; the documents are named in a warning, as are those
    with sentences that have no date at all. Dates are read once for a reading.
    """
    return reading.once(("dated", period), lambda: _dated(reading, period))


def _dated(reading: Reading, period: Period) -> tuple[dict[Sentence, str], list[ToolWarning]]:
    by_document = {document.id: _document_date(document) for document in reading.corpus.documents}
    dated: dict[Sentence, str] = {}
    coarse, undated = dict[str, None](), dict[str, None]()
    for sentence in sorted(reading.mentions):
        found = by_document[sentence[0]] or _sentence_date(reading, sentence)
        if found is None:
            undated[sentence[0]] = None
        elif _PRECISIONS[found.precision] < _PRECISIONS[period]:
            coarse[sentence[0]] = None
        else:
            dated[sentence] = found.instant.date().isoformat()[: _LENGTHS[period]]
    warnings = []
    if coarse:
        message = (
            f"Sentences of {len(coarse)} documents have dates coarser than a {period}; they are left out."
        )
        warnings.append(ToolWarning(code="coarser_than_resolution", message=message, records=tuple(coarse)))
    if undated:
        message = f"Sentences of {len(undated)} documents have no date; they are left out."
        warnings.append(ToolWarning(code="undated", message=message, records=tuple(undated)))
    return dated, warnings


def _document_date(document: Document) -> Moment | None:
    for name in DATE_FIELDS:
        if found := sure_moment(document.metadata.get(name)):
            return found
    return None


def _sentence_date(reading: Reading, sentence: Sentence) -> Moment | None:
    for mention in reading.mentions[sentence]:
        if mention.type == "date" and (found := sure_moment(mention.attributes.get("iso"))):
            return found
    return None
