"""The failure ledger: one JSON line for each file or row that could not be used."""

import logging
from collections.abc import Sequence
from pathlib import Path
from traceback import walk_tb
from typing import Any

from corpusgraph.flows.files.manifest import LEDGER
from corpusgraph.schemas.documents import CRASHED, Failure
from corpusgraph.schemas.errors import CorpusgraphError

ENDS_RUN = (CorpusgraphError, MemoryError, OSError)
"""Errors that are not of one document: named conditions, memory, disk. An interrupt is no Exception."""

log = logging.getLogger(__name__)


def crash(error: Exception, source: str, stage: str) -> Failure:
    """Make a line of the ledger of an error that nobody foresaw: its name, and the line it comes from.

    Parameters
    ----------
    error : Exception
        What nobody foresaw.
    source : str
        What was worked on.
    stage : str
        Where.

    Returns
    -------
    Failure
        To be written to the ledger.

    """
    log.info("%s: %s of stage %s", source, type(error).__name__, stage, exc_info=error)
    said = " ".join(str(error).split()).encode(errors="backslashreplace").decode()[:300]
    message = f"{type(error).__name__} at {line_of(error)}" + (f": {said}" if said else "")
    return Failure(source=source, stage=stage, code=CRASHED, message=message)


def line_of(error: BaseException) -> str:
    """Return `module:line` of the innermost frame inside corpusgraph, or of the last where there is none.

    Parameters
    ----------
    error : BaseException
        With its traceback.

    Returns
    -------
    str
        "unknown:0" without one.

    """
    frames = [(str(f.f_globals.get("__name__")), number) for f, number in walk_tb(error.__traceback__)]
    ours = [frame for frame in frames if frame[0].partition(".")[0] == "corpusgraph"]
    return ":".join(map(str, (ours or frames or [("unknown", 0)])[-1]))


def read_ledger(folder: Path) -> list[Failure]:
    """Return the failures of an index's published generation.

    Parameters
    ----------
    folder : Path
        Of the index.

    Returns
    -------
    list of Failure
        Empty where there is no ledger.

    """
    path = folder / LEDGER
    if not path.is_file():
        return []
    # Not splitlines: a file's name may hold a line separator of Unicode, which JSON leaves as it is.
    lines = path.read_text(encoding="utf-8").split("\n")
    return [Failure.model_validate_json(line) for line in lines if line.strip()]


def ledger_counts(ledger: Sequence[Failure]) -> dict[str, Any]:
    """Return what a report says of the failure ledger: failures first, then what was left out.

    Parameters
    ----------
    ledger : sequence of Failure
        Of a run.

    Returns
    -------
    dict of str to Any
        Fields of a report; the first 20 failures.

    """
    failed = [failure for failure in ledger if not failure.is_left_out]
    left_out = [failure for failure in ledger if failure.is_left_out]
    return {
        "n_failures": len(failed),
        "n_crashed": sum(failure.is_crash for failure in failed),
        "n_retry": sum(failure.retry for failure in failed),
        "n_left_out": len(left_out),
        "failures": (*failed, *left_out)[:20],
    }
