"""What pydantic reports of wrong arguments, said in one line."""

from pydantic import BaseModel, ValidationError

from corpusgraph.schemas.errors import InvalidInputError, did_you_mean


def invalid_input(error: ValidationError, model: type[BaseModel], what: str) -> InvalidInputError:
    """Say in one line which fields are wrong and, for an unknown one, which it may have meant."""
    problems, hint = [], None
    for problem in error.errors():
        where = ".".join(str(part) for part in problem["loc"]) or "input"
        problems.append(f"{where}: {problem['msg'].removeprefix('Value error, ')}")
        if problem["type"] == "extra_forbidden":
            hint = hint or did_you_mean(str(problem["loc"][-1]), list(model.model_fields))
    return InvalidInputError(f"{what}: " + "; ".join(problems) + ".", hint=hint)
