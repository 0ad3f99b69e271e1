"""Errors are named conditions with the facts in them and a hint. One base, data on each."""

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path


class CorpusgraphError(Exception):
    """Base of every error a person can cause or meet.

    Parameters
    ----------
    message : str
        Whole sentences, with the facts in them.
    hint : str or callable, optional
        What to do; a function is called when the hint is first read.
    code : str, optional
        Stable name of the condition; that of the class unless given.

    """

    code = "error"

    def __init_subclass__(cls) -> None:
        """Name the condition after its class, unless it has a code of its own: UnknownTool, unknown_tool."""
        if "code" not in vars(cls):
            cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Error")).lower()

    def __init__(
        self, message: str, *, hint: str | Callable[[], str | None] | None = None, code: str | None = None
    ) -> None:
        # A lone surrogate in a name that is quoted would keep the message from being shown.
        self.message = message.encode(errors="backslashreplace").decode()
        super().__init__(self.message)
        self._hint = hint
        self.code = code or type(self).code

    @property
    def hint(self) -> str | None:
        """What to do; a hint that takes searching for is made when it is first looked at."""
        if callable(self._hint):
            self._hint = self._hint()
        return self._hint

    def __reduce__(self) -> tuple[object, ...]:
        """Go to another process with the hint made."""
        return type(self), self.args, {**vars(self), "_hint": self.hint}

    def __str__(self) -> str:
        """Return message and hint on one line."""
        return f"{self.message} {self.hint}" if self.hint else self.message


class InvalidInputError(CorpusgraphError):
    """An argument is missing, unknown or outside its range."""


class UnknownToolError(CorpusgraphError):
    """No tool of that name."""


class UnknownEntityError(CorpusgraphError):
    """A reference that names no entity."""


class AmbiguousEntityError(CorpusgraphError):
    """A name that fits several entities; the candidates are in the message."""


class UnknownItemError(CorpusgraphError):
    """A relationship, chunk or community id that does not exist."""


class MissingAttributeError(CorpusgraphError):
    """The graph lacks an attribute that the tool needs."""


class MissingResourceError(CorpusgraphError):
    """A tool needs something (an LLM, vectors, an index) that is not there."""


class VectorsUnreachableError(MissingResourceError):
    """The backend that holds the vectors does not answer; full-text search can."""


class CorpusNotFoundError(CorpusgraphError):
    """There is no corpus at the path, or nothing readable in it."""


class DuplicateDocumentError(CorpusgraphError):
    """Two documents claim one id."""

    code = "duplicate_document_id"


class StudyFileError(CorpusgraphError):
    """A study file that cannot be read as one: file, line and the nearest valid key are in the message."""

    code = "invalid_study"


class MethodFileError(CorpusgraphError):
    """A method file that cannot be read as one: file, line and the nearest valid key are in the message."""

    code = "invalid_method"


class PatternFileError(CorpusgraphError):
    """A pattern file that cannot be read, or a pattern in it that is no pattern."""

    code = "bad_pattern_file"


class MethodCheckError(CorpusgraphError):
    """A method that cannot run as it is written: the message has every issue with its line."""

    code = "method_check_failed"


class UnknownMethodError(InvalidInputError):
    """No method of that name."""


class IndexNotFoundError(CorpusgraphError):
    """No published generation under that name."""


class IndexLockedError(CorpusgraphError):
    """Another run is writing the index."""


class EmbedderMismatchError(CorpusgraphError):
    """The index was made with another embedder."""


class OutputError(CorpusgraphError):
    """The outputs folder cannot be written: full disk, read-only, no permission."""

    code = "output_not_writable"


class DependencyMissingError(CorpusgraphError):
    """An optional library is not installed; the hint says how to install it."""


class ProfileFileError(CorpusgraphError):
    """A profile that cannot be read as one: file, line and the nearest valid key are in the message."""

    code = "invalid_profile"


class UnknownProfileError(InvalidInputError):
    """No profile of that name."""


class PromptFileError(CorpusgraphError):
    """A prompt set that cannot be read as one: file, line and the nearest valid key are in the message."""

    code = "invalid_prompts"


class UnknownPromptsError(InvalidInputError):
    """No prompt set of that name."""


class MemoryFileError(CorpusgraphError):
    """A journal of memory that cannot be read as one: file and line are in the message."""

    code = "invalid_memory"


class BudgetExhaustedError(CorpusgraphError):
    """What a run may spend on a language model is spent; what was paid for is kept."""


class ModelUnavailableError(CorpusgraphError):
    """The endpoint of a language model is down, or refuses the key."""


class CallCancelledError(CorpusgraphError):
    """Nobody waits any more for the call whose next step this would be."""

    code = "cancelled"


class PreparationError(CorpusgraphError):
    """Data that cannot become the dataset asked for; the code names the condition."""

    code = "cannot_prepare"


def nearest(name: str, known: Iterable[str], n: int = 3) -> list[str]:
    """Return up to `n` known names that look like `name`, best first.

    Parameters
    ----------
    name : str
        What was asked for; case does not count.
    known : iterable of str
        Names that there are.
    n : int, default 3
        Names to return at most.

    Returns
    -------
    list of str
        At least 0.6 alike by the ratio of `difflib`; empty where none is.

    """
    by_fold = {k.casefold(): k for k in sorted(known, reverse=True)}
    return [by_fold[m] for m in get_close_matches(name.casefold(), by_fold, n=n, cutoff=0.6)]


def quoted(value: object, most: int = 200) -> str:
    """Return a value as Python writes it, of a long one the beginning: a message is not to repeat a text.

    Parameters
    ----------
    value : object
        What a message is about.
    most : int, default 200
        Characters of it that are shown.

    Returns
    -------
    str
        A long value ends in an ellipsis and its number of characters.

    """
    told = repr(value)
    return told if len(told) <= most else f"{told[:most]}… ({len(told):,} characters)"


def did_you_mean(name: str, known: Sequence[str]) -> str | None:
    """Return "Did you mean 'x'?" with the nearest known names, or None when none is near.

    Parameters
    ----------
    name : str
        What was asked for.
    known : sequence of str
        Names that there are.

    Returns
    -------
    str or None
        A question with up to three names, for the hint of an error.

    """
    close = nearest(name, known)
    return f"Did you mean {' or '.join(repr(c) for c in close)}?" if close else None


def shown(path: Path) -> str:
    """Return a path the way a person typed or would type it: relative to here where it is below.

    Parameters
    ----------
    path : Path
        Absolute or not; it need not exist.

    Returns
    -------
    str
        Relative to the current folder, or absolute where it lies elsewhere.

    """
    resolved = path.resolve()
    here = Path.cwd()
    return str(resolved.relative_to(here)) if resolved.is_relative_to(here) else str(resolved)
