"""Documents at which the program fails, in whatever process or thread they are read."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from corpusgraph.flows.engine import Engine
from corpusgraph.flows.pipeline import Given, index_corpus
from corpusgraph.flows.progress import Silent
from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.run import IndexReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Corpus, Study

GOOD = "In 1854 John Snow mapped the deaths in Soho."


class Broken(str):
    """A text that raises when it is cut; it travels to other processes as it is."""

    __slots__ = ()

    def __getitem__(self, _place: Any) -> str:
        """Raise."""
        message = "string index out of range"
        raise IndexError(message)


def document(name: str, text: str) -> Document:
    fields: dict[str, Any] = {
        "id": stable_id("doc", name),
        "title": name,
        "source": f"{name}.txt",
        "metadata": {},
    }
    return Document.model_construct(
        **fields, text=text, content_hash=stable_id("doc", str(text)), pages=(), language="en"
    )


def broken_among_good() -> list[Document]:
    return [document("a", GOOD), document("b", Broken("Whoever cuts this fails.")), document("c", GOOD)]


def index_documents(documents: Sequence[Document], outputs: Path, engine: Engine) -> IndexReport:
    """Index documents that are the same corpus whatever they hold."""
    read: Callable[[], Any] = lambda: iter(documents)  # noqa: E731 - what `Given` wants
    return index_corpus(
        Study(study="letters", corpus=Corpus(path="nowhere")),
        outputs,
        settings=Settings(outputs=outputs, batch_documents=2),
        engine=engine,
        progress=Silent(),
        given=Given(documents=read, count=len(documents), fingerprint="the same"),
    )


def in_prefect(outputs: Path, workers: int) -> IndexReport:
    """Index the documents as tasks of a flow run."""
    from prefect import flow

    from corpusgraph.flows.prefect import THREADS, Prefect

    @flow(name="broken", task_runner=THREADS, persist_result=False)
    def broken() -> IndexReport:
        return index_documents(broken_among_good(), outputs, Prefect(workers))

    return broken()


if __name__ == "__main__":
    sys.stdout.write(in_prefect(Path(sys.argv[1]), int(sys.argv[2])).model_dump_json())
