"""Bearer tokens: read from a file or the environment, compared in constant time.

The SDK's OAuth settings want an issuer; a static token has none, so its middleware (`BearerAuthBackend`,
`RequireAuthMiddleware`) is used with a verifier of ours and without those settings.
"""

import os
import re
from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING

from corpusgraph.schemas.errors import InvalidInputError, shown

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

VARIABLE = "CORPUSGRAPH_TOKEN"
"""Environment variable that holds the token of a single client."""
SHORTEST = 16
"""Characters of a token at least: 96 bits, written in base64."""

_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
"""RFC 6750, section 2.1: what can stand in the header."""
_MAKE = 'Make one: python -c "import secrets; print(secrets.token_urlsafe(32))"'


class Tokens:
    """The clients that may call, by name; implements the SDK's `TokenVerifier`."""

    def __init__(self, tokens: Mapping[str, str]) -> None:
        self._digests = {name: _digest(checked(token, name)) for name, token in tokens.items()}

    async def verify_token(self, token: str) -> "AccessToken | None":
        """Return whose token it is, or None. All are compared, so the time tells nothing."""
        from mcp.server.auth.provider import AccessToken

        given = _digest(token)
        whose = [name for name, known in self._digests.items() if compare_digest(given, known)]
        return AccessToken(token=token, client_id=whose[0], scopes=[]) if whose else None

    def __len__(self) -> int:
        """Return how many clients there are; none: no token is asked for."""
        return len(self._digests)


def _digest(token: str) -> bytes:
    return sha256(token.encode(errors="surrogateescape")).digest()


def checked(token: str, whose: str) -> str:
    """Return a token that can be used; another is InvalidInputError, which never quotes it."""
    if not _TOKEN.fullmatch(token):
        raise InvalidInputError(
            f"The token of {whose} is empty or has characters no header can hold.", hint=_MAKE
        )
    if len(token) < SHORTEST:
        raise InvalidInputError(
            f"The token of {whose} has {len(token)} characters, and {SHORTEST} are the least.", hint=_MAKE
        )
    return token


def read_tokens(token: str | None = None, path: Path | None = None) -> Tokens:
    """Return the tokens of the option, the file and, where neither is given, the environment.

    A line of the file is a token, or a name and a token; `#` begins a comment. Each client has a rate and
    sessions of its own.
    """
    if token is None and path is None:
        token = os.environ.get(VARIABLE)
    found = {} if token is None else {"client": token.strip()}
    for name, secret in [] if path is None else _lines(path):
        if name in found:
            raise InvalidInputError(f"There are two tokens of {name}.", hint="Each client has one.")
        if secret in found.values():
            raise InvalidInputError(
                f"The token of {name} is another's too.", hint=f"Each client has one. {_MAKE}"
            )
        found[name] = secret
    return Tokens(found)


def _lines(path: Path) -> list[tuple[str, str]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"The token file {shown(path)} cannot be read: {error}.") from None
    words = [line.split() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not words or any(len(parts) > 2 for parts in words):
        raise InvalidInputError(
            f"{shown(path)} is no token file.", hint=f"A line holds a token, or a name and a token. {_MAKE}"
        )
    return [(" ".join(parts[:-1]) or f"client {n}", parts[-1]) for n, parts in enumerate(words, 1)]
