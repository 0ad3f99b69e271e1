"""Make the calls of a language model that failed again; all others are answered by the response cache."""

from pathlib import Path

from corpusgraph.flows.engine import Engine
from corpusgraph.flows.index import index_corpus
from corpusgraph.flows.recipe import read_recipe
from corpusgraph.flows.resources.store import IndexStore
from corpusgraph.flows.updating import as_it_is, with_profile
from corpusgraph.schemas.ports import Progress
from corpusgraph.schemas.run import IndexReport
from corpusgraph.schemas.settings import Settings


def retry_failed(name: str, *, settings: Settings, engine: Engine, progress: Progress) -> IndexReport:
    """Repeat the calls that the ledger of an index says failed, and publish what they complete.

    The documents are those of the index; its corpus is not needed. The profile is the one it was made with,
    unless the settings name another, which then reads everything.
    """
    store = IndexStore(settings.outputs)
    manifest = store.open(name).manifest
    recipe = read_recipe(manifest)
    return index_corpus(
        recipe.study.model_copy(update={"study": name}),
        Path(recipe.base),
        settings=with_profile(settings, recipe),
        engine=engine,
        progress=progress,
        retry=True,
        given=as_it_is(manifest, store),
    )
