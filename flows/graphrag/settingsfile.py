"""A tool's configuration in the names of GraphRAG's settings.yaml, of 0.5 (the contract's) and of 3.

What settings.yaml has no key for is left out: `community_level` and the mode are arguments of a query there.
Keys of endpoints are written as `${NAME}`, which GraphRAG fills in from the environment.
"""

from typing import TYPE_CHECKING, Any

from corpusgraph.flows.graphrag.models import GraphRAGModelConfig
from corpusgraph.flows.graphrag.profiles import profile_of
from corpusgraph.flows.resources.manifest import DATABASE
from corpusgraph.schemas.base import JsonDict

if TYPE_CHECKING:
    from corpusgraph.flows.graphrag.config import GraphRagConfig

INDEXING, SEARCH = "default_completion_model", "search_completion_model"
"""Names of the two models in settings of GraphRAG 3."""
NO_KEY = "none"


def settings_3(config: "GraphRagConfig") -> JsonDict:
    """Return settings of GraphRAG 3 (checked against graphrag 3.3)."""
    wanted = {INDEXING: config.indexing_model, SEARCH: config.search_model}
    models = {name: _model_3(model) for name, model in wanted.items() if model is not None}
    searching = {"completion_model_id": SEARCH} if config.search_model is not None else {}
    folders = _folders(config)
    return _without_empty({
        "completion_models": models,
        "input": {"type": "text"},
        "input_storage": {"type": "file", "base_dir": str(config.input_dir)},
        "chunking": {"type": "tokens", "size": config.chunk_size, "overlap": config.chunk_overlap},
        "output_storage": {"type": "file", "base_dir": folders["output"]},
        "cache": {"type": "json", "storage": {"type": "file", "base_dir": folders["cache"]}},
        "reporting": {"type": "file", "base_dir": folders["logs"]},
        "vector_store": {"type": "lancedb", "db_uri": folders["lancedb"]},
        "extract_graph": _extraction(config),
        "extract_claims": {"enabled": config.extract_claims},
        "local_search": searching,
        "global_search": searching,
        "drift_search": searching,
        "basic_search": searching,
    })  # fmt: skip


def settings_0_5(config: "GraphRagConfig") -> JsonDict:
    """Return settings of GraphRAG 0.5, which has one model for both purposes: that of indexing."""
    model = config.indexing_model or config.search_model
    folders = _folders(config)
    return _without_empty({
        "root_dir": str(config.root_dir),
        "llm": {} if model is None else _model_0_5(model),
        "input": {"type": "file", "file_type": "text", "base_dir": str(config.input_dir)},
        "chunks": {"size": config.chunk_size, "overlap": config.chunk_overlap},
        "storage": {"type": "file", "base_dir": folders["output"]},
        "cache": {"type": "file", "base_dir": folders["cache"]},
        "reporting": {"type": "file", "base_dir": folders["logs"]},
        "embeddings": {"vector_store": {"type": "lancedb", "db_uri": folders["lancedb"]}},
        "entity_extraction": _extraction(config),
        "claim_extraction": {"enabled": config.extract_claims},
    })  # fmt: skip


def _folders(config: "GraphRagConfig") -> dict[str, str]:
    return {name: str(config.root_dir / name) for name in ("output", "cache", "logs", DATABASE)}


def _extraction(config: "GraphRagConfig") -> JsonDict:
    types, rounds = config.extract_graph.entity_types, config.extract_graph.max_gleanings
    return {"max_gleanings": rounds} | ({"entity_types": list(types)} if types else {})


def _model_3(model: GraphRAGModelConfig) -> JsonDict:
    profile = profile_of(model, "model").llm
    azure = profile.provider == "azure"
    return _without_empty({
        "type": "litellm",
        "model_provider": "azure" if azure else "openai",
        "model": model.name,
        "azure_deployment_name": profile.model if azure else None,
        "api_key": f"${{{profile.api_key_env}}}" if profile.api_key_env else NO_KEY,
        "api_base": profile.base_url,
        "api_version": profile.api_version,
        "call_args": {"temperature": profile.temperature, "max_tokens": profile.max_tokens},
    })  # fmt: skip


def _model_0_5(model: GraphRAGModelConfig) -> JsonDict:
    profile = profile_of(model, "model").llm
    azure = profile.provider == "azure"
    return _without_empty({
        "type": "azure_openai_chat" if azure else "openai_chat",
        "model": model.name,
        "deployment_name": profile.model if azure else None,
        "api_key": f"${{{profile.api_key_env}}}" if profile.api_key_env else NO_KEY,
        "api_base": profile.base_url,
        "api_version": profile.api_version,
        "temperature": profile.temperature,
        "max_tokens": profile.max_tokens,
        "model_supports_json": profile.output in {"auto", "json_schema", "json"},
    })  # fmt: skip


def _without_empty(settings: dict[str, Any]) -> JsonDict:
    return {key: value for key, value in settings.items() if value is not None and value != {}}
