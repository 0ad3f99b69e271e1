"""Let one peer index a folder of texts. Runs in that peer's own virtual environment.

    python drive.py {fast,nano,lightrag,graphrag} --work DIR --docs DIR --url URL [--update]

Only the peers' public entry points are used; they are imported by name, for each is in another environment.
All get chunks of 600 tokens with 100 of overlap, no gleaning, and embeddings of 384 numbers.
"""

import argparse
import asyncio
import os
import sys
import tracemalloc
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

SIZE, OVERLAP, DIMENSION = 600, 100, 384
MODEL, EMBEDDER = "gpt-4o-mini", "text-embedding-3-small"
KEY = "none"


def texts_in(folder: Path) -> dict[str, str]:
    """Return the texts of a folder by file name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))}


async def embed(client: Any, texts: Sequence[str]) -> Any:
    """Embed by an OpenAI client."""
    made = await client.embeddings.create(model=EMBEDDER, input=list(texts), encoding_format="float")
    return import_module("numpy").array([one.embedding for one in made.data])


def fast(given: argparse.Namespace) -> None:
    """Index with fast-graphrag."""
    os.environ["CONCURRENT_TASK_LIMIT"] = str(given.concurrency)
    main, llm = import_module("fast_graphrag"), import_module("fast_graphrag._llm")
    chunking = import_module("fast_graphrag._services")
    sizes = import_module("fast_graphrag._services._chunk_extraction").DefaultChunkingServiceConfig(
        chunk_token_size=SIZE, chunk_token_overlap=OVERLAP
    )
    endpoint = {"base_url": given.url, "api_key": KEY}
    config = main.GraphRAG.Config(
        chunking_service_cls=lambda: chunking.DefaultChunkingService(sizes),
        llm_service=llm.OpenAILLMService(model=MODEL, **endpoint),
        embedding_service=llm.OpenAIEmbeddingService(model=EMBEDDER, embedding_dim=DIMENSION, **endpoint),
    )
    rag = main.GraphRAG(
        working_dir=str(given.work),
        domain="Novels: who is in them, where, and what happens between them.",
        example_queries="Who speaks with whom?\nWhere does it happen?",
        entity_types=["person", "organization", "geo", "event"],
        n_checkpoints=0,
        config=config,
    )
    rag.insert(list(texts_in(given.docs).values()), show_progress=False)


def nano(given: argparse.Namespace) -> None:
    """Index with nano-graphrag."""
    os.environ |= {"OPENAI_BASE_URL": given.url, "OPENAI_API_KEY": KEY}
    main, utils = import_module("nano_graphrag"), import_module("nano_graphrag._utils")
    client = import_module("openai").AsyncOpenAI()

    async def embedder(texts: list[str]) -> Any:
        return await embed(client, texts)

    shape = {"embedding_dim": DIMENSION, "max_token_size": 8192}
    rag = main.GraphRAG(
        working_dir=str(given.work),
        chunk_token_size=SIZE,
        chunk_overlap_token_size=OVERLAP,
        entity_extract_max_gleaning=0,
        embedding_func=utils.wrap_embedding_func_with_attrs(**shape)(embedder),
        best_model_max_async=given.concurrency,
        cheap_model_max_async=given.concurrency,
    )
    rag.insert(list(texts_in(given.docs).values()))


def lightrag(given: argparse.Namespace) -> None:
    """Index with LightRAG, by its own OpenAI functions."""
    asyncio.run(_lightrag(given))


async def _lightrag(given: argparse.Namespace) -> None:
    main, own = import_module("lightrag"), import_module("lightrag.llm.openai")
    utils = import_module("lightrag.utils")
    endpoint = {"base_url": given.url, "api_key": KEY}

    async def complete(prompt: str, **more: Any) -> Any:
        return await own.openai_complete_if_cache(MODEL, prompt, **endpoint, **more)

    async def embedder(texts: list[str]) -> Any:
        return await own.openai_embed.func(texts, model=EMBEDDER, max_token_size=0, **endpoint)

    rag = main.LightRAG(
        working_dir=str(given.work),
        llm_model_func=complete,
        embedding_func=utils.EmbeddingFunc(embedding_dim=DIMENSION, max_token_size=8192, func=embedder),
        chunk_token_size=SIZE,
        chunk_overlap_token_size=OVERLAP,
        entity_extract_max_gleaning=0,
        llm_model_max_async=given.concurrency,
        embedding_func_max_async=max(8, given.concurrency // 2),
        max_parallel_insert=max(2, given.concurrency // 3),
    )
    await rag.initialize_storages()
    try:
        texts = texts_in(given.docs)
        await rag.ainsert(list(texts.values()), file_paths=list(texts))
    finally:
        await rag.finalize_storages()


def graphrag(given: argparse.Namespace) -> None:
    """Index with graphrag, by its command line."""
    texts = given.work / "input"
    texts.mkdir(parents=True, exist_ok=True)
    for name, text in texts_in(given.docs).items():
        (texts / name).write_text(text, encoding="utf-8")
    settings = import_module("yaml").safe_dump(_settings(given))
    (given.work / "settings.yaml").write_text(settings, encoding="utf-8")
    if not given.tracemalloc:
        _without_tracemalloc()
    sys.argv = [
        "graphrag",
        "update" if given.update else "index",
        "--root",
        str(given.work),
        "--skip-validation",
    ]
    import_module("graphrag.cli.main").app()


def _without_tracemalloc() -> None:
    """Keep graphrag from tracing every allocation, which makes it seven times as slow."""
    zero: Any = lambda *_: (0, 0)  # noqa: E731
    tracemalloc.start = tracemalloc.stop = zero
    tracemalloc.get_traced_memory = zero
    tracemalloc.get_tracemalloc_memory = lambda: 0


def _settings(given: argparse.Namespace) -> Mapping[str, Any]:
    model = {"model_provider": "openai", "auth_method": "api_key", "api_key": KEY, "api_base": given.url}

    def files(folder: str) -> dict[str, str]:
        return {"type": "file", "base_dir": folder}

    return {
        "completion_models": {"default_completion_model": {**model, "model": MODEL}},
        "embedding_models": {"default_embedding_model": {**model, "model": EMBEDDER}},
        "concurrent_requests": given.concurrency,
        "async_mode": "asyncio",
        "input": {"type": "text"},
        "chunking": {"type": "tokens", "size": SIZE, "overlap": OVERLAP, "encoding_model": "o200k_base"},
        "input_storage": files("input"),
        "output_storage": files("output"),
        "reporting": files("logs"),
        "cache": {"type": "json", "storage": files("cache")},
        "vector_store": {"type": "lancedb", "db_uri": "output/lancedb", "vector_size": DIMENSION},
        "extract_graph": {"entity_types": ["organization", "person", "geo", "event"], "max_gleanings": 0},
        "snapshots": {"graphml": False, "embeddings": False},
    }


PEERS = {"fast": fast, "nano": nano, "lightrag": lightrag, "graphrag": graphrag}


def main() -> None:
    """Read the options and index."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--update", action="store_true", help="graphrag: add what is new")
    parser.add_argument("--tracemalloc", action="store_true", help="graphrag: leave it on, as it comes")
    given = parser.parse_args()
    PEERS[given.peer](given)


if __name__ == "__main__":
    main()
