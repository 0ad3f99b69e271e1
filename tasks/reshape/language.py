"""Whether a text is in a language that the rules of extraction read."""

from corpusgraph.schemas.documents import Document
from corpusgraph.tasks.text.languages import detect, language_code


def reads(document: Document) -> bool:
    """Return whether the document can be English: by its stated language, else by what its text tells."""
    language = language_code(document.language) if document.language else detect(document.text)
    return language in {"en", None}
