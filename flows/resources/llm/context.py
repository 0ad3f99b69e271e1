"""Whether a prompt fits into the model's context, and how much of it is left for the reply."""

from corpusgraph.schemas.profile import ModelOptions

_LEAST = 256
"""Tokens that a reply needs to say anything."""
_MARGIN = 10
"""Tokens of a prompt are an estimate: where a reply has to be cut, one part in so many more are left out."""


class Context:
    """The context of a model: prompt and reply together. Some servers cut what is too long without a word."""

    def __init__(self, options: ModelOptions) -> None:
        self._options = options
        self._least = min(_LEAST, options.max_tokens)

    def room(self, tokens: int) -> int:
        """Return the most tokens of a reply to a prompt of so many; 0 where it does not fit."""
        context, wanted = self._options.context_tokens, self._options.max_tokens
        if tokens + self._least > context:
            return 0
        return max(self._least, min(wanted, context - tokens - tokens // _MARGIN))

    def too_long(self, tokens: int) -> str:
        """Say that a prompt does not fit."""
        options = self._options
        return (
            f"the prompt has about {tokens:,} tokens, the context of {options.model} holds "
            f"{options.context_tokens:,} (context_tokens), of which a reply needs {self._least:,}"
        )
