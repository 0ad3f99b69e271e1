"""What an endpoint's errors mean: whether it is there, whether to try again, and what it says."""

from collections.abc import Mapping

from openai import APIStatusError
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
        code, again = "unauthorized", False  # the account is empty: all other requests find it so, too
    message = f"HTTP {status}: {told(error)}"
    return CallError(code, message, again=again, answered=status < 500, wait=retry_after(error.headers))


def _code(status: int) -> ReplyFailure:
    if status in {401, 403}:
        return "unauthorized"
    if status == 429:
        return "rate_limited"
    if status in {404, 405}:
        return "not_found"
    return "timeout" if status == 408 else "server_error" if status >= 500 else "bad_request"


def call_error(error: AgentRunError, host: str) -> CallError:
    """Return what an error without a status of the endpoint at `host` means."""
    if isinstance(error, ModelTimeoutError):
        return CallError("timeout", "no answer in time", again=True, answered=False)
    if isinstance(error, ModelConnectionError):
        return CallError(
            "unreachable", f"no connection to {host}: {_cause(error)}", again=True, answered=False
        )
    if isinstance(error.__cause__, APIStatusError):  # the library has no name for a redirect
        return _moved(error.__cause__)
    # What is no completion may be a page of somebody between here and there.
    message = f"the reply is no chat completion: {' '.join(error.message.split())[:300]}"
    return CallError("server_error", message, again=True, answered=False)


def _moved(error: APIStatusError) -> CallError:
    where = error.response.headers.get("location", "another place, which it does not tell")
    message = f"HTTP {error.status_code}: the endpoint is at {where[:200]}; set base_url to it"
    return CallError("not_found", message)


def _cause(error: BaseException) -> str:
    """Tell what lies under a connection error: the SDK says of all that it is one."""
    while (under := error.__cause__ or error.__context__) is not None:
        error = under
    return " ".join(str(error).split())[:200] or type(error).__name__


def told(error: ModelHTTPError) -> str:
    """Return what the endpoint says about an error, on one line."""
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        body = inner.get("message", inner) if isinstance(inner, Mapping) else inner
    return " ".join(str(body or "no reason given").split())[:300]
