"""What pydantic reports of wrong arguments, said in one line."""

from pydantic import BaseModel, ValidationError

from corpusgraph.schemas.errors import InvalidInputError, did_you_mean


def invalid_input(error: ValidationError, model: type[BaseModel], what: str) -> InvalidInputError:
    """Say in one line which fields are wrong and, for an unknown one, which it may have meant.

    What holds of many items of a list is said of the first, with how many more there are.
    """
    hint, problems = None, dict[tuple[tuple[str, ...], str], list[str]]()
    for problem in error.errors():
        where = ".".join(str(part) for part in problem["loc"]) or "input"
        fields = tuple(part for part in problem["loc"] if isinstance(part, str))
        problems.setdefault((fields, problem["msg"].removeprefix("Value error, ")), []).append(where)
        if problem["type"] == "extra_forbidden":
            hint = hint or did_you_mean(str(problem["loc"][-1]), list(model.model_fields))
    told = (
        f"{places[0]}: {message}" + (f" (and {len(places) - 1:,} more like it)" if places[1:] else "")
        for (_, message), places in problems.items()
    )
    return InvalidInputError(f"{what}: " + "; ".join(told) + ".", hint=hint)
