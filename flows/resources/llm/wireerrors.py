"""What an endpoint's errors mean: whether it is there, whether to try again, and what it says."""

from collections.abc import Mapping

from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
    ModelTimeoutError,
)

from corpusgraph.flows.resources.llm.limits import retry_after
from corpusgraph.flows.resources.llm.said import CallError
from corpusgraph.schemas.llm import ReplyFailure

_AGAIN = frozenset({408, 409, 425, 429})


def http_error(error: ModelHTTPError) -> CallError:
    """Return what a status of 400 or more means."""
    status = error.status_code
    flagged = isinstance(error, ModelRequestRejectedError) and not isinstance(error, ModelAuthenticationError)
    # A 403 may be about this one prompt, which a filter does not like, and not about the key.
    code: ReplyFailure = "refused" if status == 403 and flagged else _code(status)
    again = status in _AGAIN or status >= 500
    if isinstance(error, ModelQuotaExceededError):
        again = False  # the account is empty: the next attempt finds it so, too
    message = f"HTTP {status}: {told(error)}"
    return CallError(code, message, again=again, answered=status < 500, wait=retry_after(error.headers))


def _code(status: int) -> ReplyFailure:
    if status in {401, 403}:
        return "unauthorized"
    if status == 429:
        return "rate_limited"
    return "timeout" if status == 408 else "server_error" if status >= 500 else "bad_request"


def call_error(error: AgentRunError) -> CallError:
    """Return what an error without a status means."""
    if isinstance(error, ModelTimeoutError):
        return CallError("timeout", "no answer in time", again=True, answered=False)
    if isinstance(error, ModelConnectionError):
        return CallError("unreachable", _cause(error), again=True, answered=False)
    return CallError("server_error", " ".join(error.message.split())[:300], again=True)


def _cause(error: BaseException) -> str:
    """Tell what lies under a connection error: the SDK says of all that it is one."""
    while (under := error.__cause__ or error.__context__) is not None:
        error = under
    return f"no connection: {' '.join(str(error).split())[:200] or type(error).__name__}"


def told(error: ModelHTTPError) -> str:
    """Return what the endpoint says about an error, on one line."""
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        body = inner.get("message", inner) if isinstance(inner, Mapping) else inner
    return " ".join(str(body or "no reason given").split())[:300]
