"""Documents and the chunks they are cut into."""

from pydantic import Field, NonNegativeInt

from corpusgraph.schemas.base import JsonDict, Noun, OpenNoun, Text, stable_id


class PageSpan(Noun):
    """Where one page of a paginated document lies in its text: characters `start` to `end`."""

    page: int = Field(ge=1)
    start: NonNegativeInt
    end: NonNegativeInt


class Document(Noun):
    """One text with its metadata. Offsets everywhere count characters of `text`, which is NFC."""

    id: str
    title: Text
    text: Text
    source: str = Field(description="path relative to the corpus folder, with `#row` for a row of a table")
    content_hash: str = Field(description="hash of text and metadata: what an update compares")
    metadata: JsonDict = Field(default_factory=dict, description="author, date, any field of the corpus")
    pages: tuple[PageSpan, ...] = ()
    language: str | None = None

    def page_of(self, offset: int) -> int | None:
        """Return the page that holds a character, or None for a document without pages."""
        for span in self.pages:
            if span.start <= offset < span.end:
                return span.page
        return self.pages[-1].page if self.pages and offset >= self.pages[-1].end else None


class Chunk(OpenNoun):
    """A stretch of a document: `document.text[start:end] == content`."""

    id: str
    content: str
    source_doc: str = Field(default="", description="id of the document")
    position: NonNegativeInt = Field(default=0, description="ordinal in the document, from 0")
    start: NonNegativeInt = 0
    end: NonNegativeInt = 0
    page: int | None = None
    short_id: int | None = None
    n_tokens: NonNegativeInt | None = None
    entities: tuple[str, ...] | None = None
    relationships: tuple[str, ...] | None = None
    metadata: JsonDict | None = None

    @staticmethod
    def make_id(document_id: str, start: int, end: int, content: str) -> str:
        """Identify a chunk by its document, place and content."""
        return stable_id("chk", document_id, start, end, content)


class Failure(Noun):
    """A line of the failure ledger: what could not be used, at which stage and why."""

    source: str
    stage: str
    code: str
    message: str
    attempt: int = 1
    item: str | None = Field(default=None, description="id of the chunk, entity or community it is about")
    retry: bool = Field(default=False, description="a call that failed: `retry-failed` makes it again")

    @property
    def is_left_out(self) -> bool:
        """Nothing failed: findings of a model that cannot be used were left out, and are counted here."""
        return self.item is not None and not self.retry
