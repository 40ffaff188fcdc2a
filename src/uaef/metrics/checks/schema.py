"""JSON schemas that a check was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jsonschema import Draft202012Validator, SchemaError
from jsonschema.exceptions import best_match
from jsonschema.validators import validator_for
from referencing import Registry

from uaef.metrics.checks.said import shortened


def violations_of(schema: Mapping[str, object]) -> Callable[[object], str | None]:
    """A function that says what is wrong with a value by ``schema``, in one sentence, or ``None``.

    Raises:
        ValueError: it is no schema.
    """
    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(dict(schema))
    except SchemaError as error:
        raise ValueError(f"schema: no JSON Schema ({error.message})") from None
    validator = kind(dict(schema), registry=Registry(), format_checker=kind.FORMAT_CHECKER)

    def violation(value: object) -> str | None:
        error = best_match(validator.iter_errors(value))  # type: ignore[arg-type] # JSON, as it was read
        return None if error is None else shortened(f"{error.json_path}: {error.message}")

    return violation
