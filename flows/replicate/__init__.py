"""Replication archives: pack a study so that anybody gets the same bytes, and check that they do."""

from pathlib import Path
from typing import Any

from corpusgraph.flows.open_index import inline_settings
from corpusgraph.flows.progress import Silent
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.run import ReplicationReport
from corpusgraph.schemas.study import Study


def replicate(
    study: str | Path | Study,
    *,
    check: bool = False,
    to: str | Path | None = None,
    corpus: str | Path | None = None,
    with_corpus: bool = True,
    from_texts: bool = False,
    **more: Any,
) -> ReplicationReport:
    """Pack a study into one archive that reruns to the same bytes; `more` are fields of Settings.

    With `check`, `study` is an archive, which is run again and compared. `corpus` is the folder of documents,
    instead of the study's or where the archive has none. What was found in the texts is taken from the
    archive, unless `from_texts` reads them anew and counts what differs.
    """
    from corpusgraph.flows.replicate.check import check as check_archive
    from corpusgraph.flows.replicate.pack import pack

    settings, progress = inline_settings(**more), Silent()
    folder = Path(corpus) if corpus is not None else None
    if check:
        if isinstance(study, Study) or to is not None:
            raise InvalidInputError("To check is to run an archive: give its path, and no `to`.")
        return check_archive(
            Path(study), settings=settings, progress=progress, corpus=folder, from_texts=from_texts
        )
    if from_texts:
        raise InvalidInputError("To read the texts anew is a way to check an archive: give `check` as well.")
    target = Path(to) if to is not None else None
    return pack(
        study, settings=settings, progress=progress, to=target, corpus=folder, with_corpus=with_corpus
    )
