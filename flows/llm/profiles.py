"""Find profiles: those that come with the package, and files of the user's own."""

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from corpusgraph.flows.files.yaml_file import Keys, is_path, packaged, read_named, written
from corpusgraph.schemas.errors import (
    InvalidInputError,
    MissingResourceError,
    ProfileFileError,
    UnknownProfileError,
    did_you_mean,
)
from corpusgraph.schemas.llm import Price, Profile

KIND = "profiles"
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_KEYS = Keys(
    Profile,
    "profile",
    "It has the keys profile and llm, and may have about and limits.",
    "A key is never written down: name its environment variable with api_key_env.",
)


def load_profile(name: str, base: Path | None = None) -> Profile:
    """Return a profile by name or path of a file.

    Parameters
    ----------
    name : str
        Of a profile of the package, or a path that ends in .yml.
    base : Path, optional
        Folder that a path starts at; the current one unless given.

    Returns
    -------
    Profile
        Validated; one without a name has that of its file.

    Raises
    ------
    UnknownProfileError
        With the nearest names.
    ProfileFileError
        With file, line and nearest key.

    """
    if not is_path(name) and name not in packaged(KIND):
        hint = did_you_mean(name, sorted(packaged(KIND))) or (
            "`corpusgraph profile list` lists them; a file ends in .yml."
        )
        raise UnknownProfileError(f"Unknown profile {name!r}.", hint=hint)
    data, root, file, stem = read_named(KIND, name, base, "profile", ProfileFileError)
    named = {"profile": stem, **data} if isinstance(data, dict) else data
    return _KEYS.read(named, root, file, ProfileFileError)


def all_profiles() -> list[Profile]:
    """Return the profiles that come with the package, by name.

    Returns
    -------
    list of Profile
        Validated.

    """
    return [load_profile(name) for name in sorted(packaged(KIND))]


def source_text(name: str, base: Path | None = None) -> str:
    """Return the file of a profile as it is written.

    Parameters
    ----------
    name : str
        Of a profile of the package, or a path that ends in .yml.
    base : Path, optional
        Folder that a path starts at; the current one unless given.

    Returns
    -------
    str
        With its comments.

    """
    return written(KIND, name, base)


def base_url(profile: Profile) -> str | None:
    """Return where the endpoint is, with ${NAME} filled in from the environment.

    Parameters
    ----------
    profile : Profile
        Its `base_url` may name variables.

    Returns
    -------
    str or None
        None where the provider has one address.

    Raises
    ------
    MissingResourceError
        For a variable that is not set.
    InvalidInputError
        For what is no address.

    """
    if not profile.llm.base_url:
        return None
    url = _VARIABLE.sub(lambda found: _variable(profile, found[1], "base_url"), profile.llm.base_url).strip()
    if (wrong := _wrong_address(url)) is not None:
        raise InvalidInputError(
            f"The base_url of profile {profile.profile!r} {wrong}.",
            hint="An address is like https://HOST/v1 or http://localhost:8000/v1.",
        )
    return url


def api_key(profile: Profile) -> str | None:
    """Return the key from the environment; None for a profile that names no variable.

    Parameters
    ----------
    profile : Profile
        Its `api_key_env` names the variable.

    Returns
    -------
    str or None
        Is never written or shown.

    Raises
    ------
    MissingResourceError
        For a variable that is not set.
    InvalidInputError
        For what can be no key.

    """
    name = profile.llm.api_key_env
    if not name:
        return None
    key = _variable(profile, name, "api_key_env")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InvalidInputError(
            f"The environment variable {name} holds no key: it has a space, a line break or a character "
            "that no key has.",
            hint="Set it to the key alone, without quotes around it.",
        )
    return key


def _wrong_address(url: str) -> str | None:
    """Tell what is wrong with the address of an endpoint; the address itself may have a password in it."""
    try:
        parts = urlsplit(url)
        named = bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError as error:
        return f"is no address: {str(error)[:1].lower()}{str(error)[1:]}"
    if parts.scheme not in {"http", "https"}:
        return "does not begin with http:// or https://"
    if not named or any(mark.isspace() or not mark.isprintable() for mark in url):
        return "is no address: it names no host, or has a space in it"
    if parts.path.rstrip("/").endswith("/chat/completions"):
        return "ends in /chat/completions, which the client adds itself"
    return None


def _variable(profile: Profile, name: str, key: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise MissingResourceError(
            f"The environment variable {name} is not set; profile {profile.profile!r} needs it ({key}).",
            hint=f"Set it, as in `export {name}=…`, or choose another profile (`corpusgraph profile list`).",
        )
    return value


def price_of(profile: Profile) -> Price | None:
    """Return US dollars per million tokens; None where nobody publishes a price.

    Published prices are those that come with the genai-prices package: nothing is fetched.

    Parameters
    ----------
    profile : Profile
        Its own price goes before the published one.

    Returns
    -------
    Price or None
        For input and output tokens.

    """
    if profile.llm.price is not None:
        return profile.llm.price
    from genai_prices import Usage, calc_price

    # By provider or address, never by the name alone: at a gateway the same name may cost anything.
    usage, model = Usage(input_tokens=1000, output_tokens=1000), profile.llm.model
    try:
        if profile.llm.provider != "compatible":
            found = calc_price(usage, model, provider_id=profile.llm.provider)
        else:
            found = calc_price(usage, model, provider_api_url=base_url(profile))
    except (LookupError, MissingResourceError):
        return None
    return Price(input=float(found.input_price) * 1000, output=float(found.output_price) * 1000)


def cost(price: Price | None, prompt_tokens: float, completion_tokens: float) -> float | None:
    """Return US dollars; None where the price is unknown.

    Parameters
    ----------
    price : Price or None
        US dollars per million tokens; None where it is unknown.
    prompt_tokens, completion_tokens : float
        Tokens in and out.

    Returns
    -------
    float or None
        Not rounded.

    """
    if price is None:
        return None
    return (prompt_tokens * price.input + completion_tokens * price.output) / 1_000_000
