"""A metric or a check by its name and plain arguments, as datasets and command lines write it."""

from __future__ import annotations

from collections.abc import Mapping

from uaef.errors import MetricError, UnknownNameError
from uaef.metrics.base import Metric
from uaef.metrics.checks import ALIASES as CHECK_ALIASES
from uaef.metrics.checks import CHECKS
from uaef.metrics.checks.base import Factory
from uaef.metrics.checks.written import ONLY, called_with, short_form
from uaef.metrics.registry import ALIASES, get_metric, list_metrics

__all__ = ["ONLY", "check_named", "metric_named", "short_form"]


def metric_named(name: str, arguments: Mapping[str, object]) -> Metric:
    """The check of that name, else the registered metric, else what is also called so.

    Args:
        name: of a check, of a registered metric, or another name under which one of them is known.
        arguments: by parameter; a single one without a name stands under ``""``. Several that are not all parameters
            are together the one argument, if that takes a mapping: the schema of ``json_schema``.

    Raises:
        UnknownNameError: nothing has that name, or it has no such parameter; the message suggests the nearest.
        MetricError: an argument does not fit; naming the parameter and what it takes.
    """
    check = check_named(name)
    if check is not None:
        return called_with(check, arguments)
    if name not in {*ALIASES, *list_metrics()}:
        raise UnknownNameError("metric or check", name, {*CHECKS, *CHECK_ALIASES, *ALIASES, *list_metrics()})
    metric = get_metric(name)
    given = _parameters(metric, arguments)
    return metric.configured(**given) if given else metric


def check_named(name: str) -> Factory[...] | None:
    """What makes the check of that name; another name of a check is none where a metric is registered under it."""
    known = name if name in CHECKS or name in list_metrics() else CHECK_ALIASES.get(name, name)
    return CHECKS.get(known)


def _parameters(metric: Metric, arguments: Mapping[str, object]) -> Mapping[str, object]:
    """The arguments by parameter; the one without a name is for the first."""
    if set(arguments) != {ONLY}:
        return arguments
    if not metric.parameters:
        raise MetricError(f"{metric.name} takes no arguments, got {arguments[ONLY]!r}.")
    return {next(iter(metric.parameters)): arguments[ONLY]}
