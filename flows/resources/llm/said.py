"""What comes back from one request: something said, or why nothing was."""

from dataclasses import dataclass
from typing import Literal

from corpusgraph.schemas.llm import ReplyFailure

Turn = tuple[Literal["system", "user", "assistant"], str]
"""Who says what."""


@dataclass(frozen=True)
class Said:
    """A reply as the endpoint gave it; tokens are 0 where it did not count them."""

    text: str
    finish: str
    prompt_tokens: int
    completion_tokens: int


class CallError(Exception):
    """A request that brought no reply.

    `again`: another attempt may help; `answered`: the endpoint is there; `wait`: seconds it asks to wait;
    `switched`: it refused the way a shape was asked for, and the next request asks otherwise.
    """

    def __init__(
        self,
        code: ReplyFailure,
        message: str,
        *,
        again: bool = False,
        answered: bool = True,
        wait: float | None = None,
        switched: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.again = again
        self.answered = answered
        self.wait = wait
        self.switched = switched
