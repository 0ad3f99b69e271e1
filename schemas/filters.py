"""Which documents a search may see, by any field of their metadata."""

from pydantic import Field, model_validator

from corpusgraph.schemas.base import Noun

Scalar = bool | int | float | str


class Range(Noun):
    """Between two values, both included. A date may be partial: `to: 1788` includes all of 1788."""

    from_: Scalar | None = Field(default=None, alias="from")
    to: Scalar | None = None

    @model_validator(mode="after")
    def _has_an_end(self) -> "Range":
        if self.from_ is None and self.to is None:
            raise ValueError("a range has a from, a to or both")
        return self


class Excluded(Noun):
    """Not these values."""

    not_: Scalar | tuple[Scalar, ...] = Field(alias="not")


Condition = Scalar | tuple[Scalar, ...] | Range | Excluded
"""A value, any of several, a range, or not."""

DocumentFilter = dict[str, Condition]
"""Field of the document (metadata, `id`, `title`, `source`, `language`) -> condition; all must hold."""
