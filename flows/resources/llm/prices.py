"""What tokens cost: by the profile, else as published, else unknown."""

from corpusgraph.flows.resources.llm.profiles import base_url
from corpusgraph.schemas.errors import MissingResourceError
from corpusgraph.schemas.profile import Price, Profile

_PROVIDERS = {"openai": "openai", "azure": "azure"}


def price_of(profile: Profile) -> Price | None:
    """Return US dollars per million tokens; None where nobody publishes a price.

    Published prices are those that come with the genai-prices package: nothing is fetched.
    """
    if profile.llm.price is not None:
        return profile.llm.price
    from genai_prices import Usage, calc_price

    # By provider or address, never by the name alone: at a gateway the same name may cost anything.
    usage, model = Usage(input_tokens=1000, output_tokens=1000), profile.llm.model
    try:
        if provider := _PROVIDERS.get(profile.llm.provider):
            found = calc_price(usage, model, provider_id=provider)
        else:
            found = calc_price(usage, model, provider_api_url=base_url(profile))
    except (LookupError, MissingResourceError):
        return None
    return Price(input=float(found.input_price) * 1000, output=float(found.output_price) * 1000)


def cost(price: Price | None, prompt_tokens: float, completion_tokens: float) -> float | None:
    """Return US dollars; None where the price is unknown."""
    if price is None:
        return None
    return (prompt_tokens * price.input + completion_tokens * price.output) / 1_000_000
