"""Documents and the chunks they are cut into."""

from pydantic import Field, NonNegativeInt

from corpusgraph.schemas.base import Described, JsonDict, Noun, OpenNoun, Text, stable_id


class PageSpan(Noun):
    """Where one page of a paginated document lies in its text: characters `start` to `end`."""

    page: int = Field(ge=1)
    start: NonNegativeInt
    end: NonNegativeInt


class Document(Described):
    """One text with its metadata. Offsets everywhere count characters of `text`, which is NFC."""

    id: str
    title: Text
    text: Text
    source: str
    """path relative to the corpus folder, with `#row` for a row of a table"""
    content_hash: str
    """hash of text and metadata: what an update compares"""
    metadata: JsonDict = Field(default_factory=dict)
    """author, date, any field of the corpus"""
    pages: tuple[PageSpan, ...] = ()
    language: str | None = None

    def page_of(self, offset: int) -> int | None:
        """Return the page that holds a character, or None for a document without pages.

        Parameters
        ----------
        offset : int
            Place in `text`, from 0.

        Returns
        -------
        int or None
            Number of the page as the file counts; the last page for a place behind its end, None also between
            two pages.

        """
        for span in self.pages:
            if span.start <= offset < span.end:
                return span.page
        return self.pages[-1].page if self.pages and offset >= self.pages[-1].end else None


class Chunk(OpenNoun, use_attribute_docstrings=True):
    """A stretch of a document: `document.text[start:end] == content`."""

    id: str
    """`chk_` and a hash of document, place and content"""
    content: str
    """its text"""
    source_doc: str = ""
    """id of the document"""
    position: NonNegativeInt = 0
    """ordinal in the document, from 0"""
    start: NonNegativeInt = 0
    """first character in the document, from 0"""
    end: NonNegativeInt = 0
    """the character after its last"""
    page: int | None = None
    """page of its first character, where there are pages"""
    short_id: int | None = None
    """number of this generation"""
    n_tokens: NonNegativeInt | None = None
    """length in tokens"""
    entities: tuple[str, ...] | None = None
    """ids of entities named in it, in text order"""
    relationships: tuple[str, ...] | None = None
    """ids of relationships stated in it"""
    metadata: JsonDict | None = None
    """anything else known of it"""

    @staticmethod
    def make_id(document_id: str, start: int, end: int, content: str) -> str:
        """Identify a chunk by its document, place and content.

        Parameters
        ----------
        document_id : str
            Id of the document it is cut from.
        start, end : int
            Characters of the document's text, `end` excluded.
        content : str
            Its text: a chunk whose text changes is another chunk.

        Returns
        -------
        str
            Prefixed `chk_`.

        """
        return stable_id("chk", document_id, start, end, content)


CRASHED = "unexpected_error"
"""Code of an error of the program itself, met while one document was read."""


class Failure(Described):
    """A line of the failure ledger: what could not be used, at which stage and why."""

    source: str
    stage: str
    code: str
    message: str
    attempt: int = 1
    item: str | None = None
    """id of the chunk, entity or community it is about"""
    retry: bool = False
    """a call that failed: `retry-failed` makes it again"""

    @property
    def is_left_out(self) -> bool:
        """Nothing failed: findings of a model that cannot be used were left out, and are counted here."""
        return self.item is not None and not self.retry

    @property
    def is_crash(self) -> bool:
        """The program itself failed at a document; the next run tries it again."""
        return self.code == CRASHED
