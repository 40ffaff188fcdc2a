"""Checks as people write them in a file: a name, a name with one argument, a name with arguments by parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from uaef.errors import MetricError, UnknownNameError
from uaef.models.reading import shown

if TYPE_CHECKING:
    from uaef.metrics.checks.base import Check, Factory

ONLY = ""
"""The name of an argument that was written without one."""


def short_form(value: object) -> tuple[str, dict[str, object]]:
    """The name and the arguments in ``name``, ``{name: argument}`` or ``{name: {parameter: argument}}``.

    An argument without a name stands under ``""``; ``{name: null}`` is the name alone.

    Raises:
        MetricError: it is none of the three.
    """
    if isinstance(value, str) and value.strip():
        return value.strip(), {}
    if not isinstance(value, Mapping) or len(value) != 1 or not all(isinstance(k, str) and k.strip() for k in value):
        raise MetricError(
            "Expected a name, {name: argument} or {name: {parameter: argument}} with a single name, "
            f"got {shown(value)}."
        )
    ((name, given),) = value.items()
    if given is None:
        return name.strip(), {}
    if isinstance(given, Mapping) and all(isinstance(key, str) for key in given):
        return name.strip(), dict(given)
    return name.strip(), {ONLY: given}


def called_with(made: Factory[...], arguments: Mapping[str, object]) -> Check:
    """The check that ``made`` makes of arguments by parameter, or of the one without a name.

    Several that are not all parameters are together the one argument, where that takes a mapping.

    Raises:
        UnknownNameError: there is no such parameter.
        MetricError: an argument does not fit.
    """
    if set(arguments) in ({ONLY}, {made.any_number}):
        return made.of_one(next(iter(arguments.values())))
    unknown = [name for name in arguments if name not in made.parameters]
    if not unknown:
        return made(**arguments)
    if made.takes(dict(arguments)):
        return made.of_one(dict(arguments))
    raise UnknownNameError(f"parameter of {made.name}", unknown[0], made.parameters)
