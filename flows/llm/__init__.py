"""A language model behind an OpenAI-compatible endpoint: profiles, limits, cache, prices, and the client."""
