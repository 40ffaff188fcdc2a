"""JSON schemas that came with a recording: checked as far as a recording may be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry


def first_violation(schema: Mapping[str, object], value: object) -> str | None:
    """What is wrong with ``value`` by ``schema``, in one sentence, or ``None``.

    Nothing that the schema points at is fetched, and no regular expression in it is run: either could keep the
    reader busy for ever.
    """
    trusted = validator_for(schema, default=Draft202012Validator)
    cautious: type[Validator] = extend(  # type: ignore[no-untyped-call]
        trusted,
        {
            "pattern": _unchecked,
            "patternProperties": _unchecked,
            "unevaluatedProperties": _unchecked,
            "additionalProperties": _additional(trusted),
        },
    )
    error = best_match(cautious(schema, registry=Registry()).iter_errors(value))  # type: ignore[arg-type] # JSON, as recorded
    return None if error is None else error.message


def _unchecked(*_: object) -> Iterator[ValidationError]:
    return iter(())


def _additional(trusted: type[Validator]) -> object:
    """The check for additional properties, where that does not take regular expressions."""
    check = trusted.VALIDATORS["additionalProperties"]

    def additional(validator: object, allowed: object, value: object, schema: Mapping[str, object]) -> object:
        return () if "patternProperties" in schema else check(validator, allowed, value, schema)

    return additional
