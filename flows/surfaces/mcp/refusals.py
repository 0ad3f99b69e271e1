"""What a request that is refused is answered with."""

import json
from collections.abc import Mapping

from starlette.responses import Response

INVALID_REQUEST, PARSE_ERROR = -32600, -32700
"""Codes of JSON-RPC 2.0."""


def refusal(
    status: int,
    code: str,
    message: str,
    *,
    hint: str | None = None,
    headers: Mapping[str, str] | None = None,
    rpc: int = INVALID_REQUEST,
) -> Response:
    """Return a response with a JSON-RPC error about no request in particular; it quotes nothing of it."""
    error = {"code": rpc, "message": message, "data": {"code": code, "hint": hint}}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error})
    return Response(body, status_code=status, headers=dict(headers or {}), media_type="application/json")
