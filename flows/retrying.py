"""Make the calls of a language model that failed again; all others are answered by the response cache."""

from corpusgraph.flows.engine import Engine
from corpusgraph.flows.recipe import read_recipe
from corpusgraph.flows.resources.store import IndexStore
from corpusgraph.flows.updating import as_it_is, index_again
from corpusgraph.schemas.run import IndexReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress


def retry_failed(name: str, *, settings: Settings, engine: Engine, progress: Progress) -> IndexReport:
    """Repeat the calls that the ledger of an index says failed, and publish what they complete.

    The documents are those of the index; its corpus is not needed. The profile is the one it was made with,
    unless the settings name another, which then reads everything.
    """
    store = IndexStore(settings.outputs)
    manifest = store.open(name).manifest
    recipe, given = read_recipe(manifest), as_it_is(manifest, store)
    return index_again(name, recipe, given, settings=settings, engine=engine, progress=progress, retry=True)
