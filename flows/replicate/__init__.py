"""Replication archives: pack a study so that anybody gets the same bytes, and check that they do."""

from pathlib import Path
from typing import Any

from corpusgraph.flows.api import inline_settings
from corpusgraph.flows.progress import Silent
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.run import ReplicationReport
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Study


def replicate(
    study: str | Path | Study,
    *,
    check: bool = False,
    to: str | Path | None = None,
    corpus: str | Path | None = None,
    with_corpus: bool = True,
    from_texts: bool = False,
    progress: Progress | None = None,
    **more: Any,
) -> ReplicationReport:
    """Pack a study into one archive that reruns to the same bytes, or check such an archive.

    Parameters
    ----------
    study : str, Path or Study
        A study file or a study; with `check` an archive, a ZIP file or the folder it was unpacked to.
    check : bool
        Run the archive again and compare its results.
    to : str or Path, optional
        Where to write the archive; `outputs/STUDY/replication.zip` unless given.
    corpus : str or Path, optional
        Folder of documents, instead of the study's or where the archive has none.
    with_corpus : bool
        Pack the documents too.
    from_texts : bool
        With `check`: read the texts anew, and count what differs, in place of taking what was found in them
        from the archive.
    progress : Progress, optional
        Hears how the stages of the run get on.
    **more : Any
        Fields of `Settings`.

    Returns
    -------
    ReplicationReport
        `same` tells whether all results are the same.

    Raises
    ------
    InvalidInputError
        For arguments that do not go together, for what is no archive, and for one that was changed.
    CorpusNotFoundError
        For a document that is missing or another.
    IndexNotFoundError
        For a study with a language model that was never run: its replies are missing.

    """
    from corpusgraph.flows.replicate.archive import check as check_archive
    from corpusgraph.flows.replicate.archive import pack

    settings = inline_settings(**more)
    shared: Any = {"settings": settings, "progress": progress or Silent(), "corpus": corpus and Path(corpus)}
    if check:
        if isinstance(study, Study) or to is not None or not with_corpus:
            message = "To check is to run an archive: give its path, and nothing of what is for packing."
            raise InvalidInputError(message)
        return check_archive(Path(study), from_texts=from_texts, **shared)
    if from_texts:
        raise InvalidInputError("To read the texts anew is a way to check an archive: give `check` as well.")
    return pack(study, to=Path(to) if to is not None else None, with_corpus=with_corpus, **shared)
