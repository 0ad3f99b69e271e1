"""How an index was made, as its manifest keeps it: the study, the folder of its paths, the profile."""

from pathlib import Path

from corpusgraph.flows.files.manifest import Manifest
from corpusgraph.flows.files.yaml_file import is_path
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.errors import IndexNotFoundError
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Study


class IndexProvenance(Noun):
    """A study, the folder its paths start from, and the profile it was run with."""

    study: Study
    base: str
    profile: str | None = None


def provenance_of(study: Study, base: Path, settings: Settings) -> JsonDict:
    """Return what to keep; paths are absolute, so that it holds from any folder.

    Parameters
    ----------
    study : Study
        As it was read.
    base : Path
        Folder that its paths start at.
    settings : Settings
        Of the run.

    Returns
    -------
    JsonDict
        For the facts of a manifest.

    """
    profile = settings.profile
    if profile is not None and is_path(profile):
        profile = str(Path(profile).expanduser().resolve())
    kept = IndexProvenance(study=study, base=str(base.resolve()), profile=profile)
    return kept.model_dump(mode="json", exclude_unset=True)


def read_provenance(manifest: Manifest) -> IndexProvenance:
    """Return how an index was made; one that was made elsewhere has no recipe.

    Parameters
    ----------
    manifest : Manifest
        Of the generation.

    Returns
    -------
    IndexProvenance
        Study, folder and profile.

    Raises
    ------
    IndexNotFoundError
        For an index that was made elsewhere.

    """
    kept = manifest.facts.get("recipe")
    if kept is None:
        raise IndexNotFoundError(
            f"Index {manifest.index!r} does not say how it was made.", hint="Name its study file or folder."
        )
    return IndexProvenance.model_validate(kept)
