"""``uaef metrics``: what can be measured."""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from uaef.cli.exits import OK
from uaef.cli.output import emit, terminal_width

if TYPE_CHECKING:
    from uaef.metrics import Metric


@click.command
@click.option("--json", "as_json", is_flag=True, help="Write the catalogue as JSON, with the formulas.")
def command(*, as_json: bool) -> int:
    """List every metric: its dimension, where it is measured, who measures, what it needs and its parameters.

    \b
    Examples:
      uaef metrics
      uaef metrics --json
    """  # noqa: D301 - the mark of click for lines to be left as they are
    from uaef.metrics.registry import registered_metrics  # noqa: PLC0415 - loaded for a run, not for --help

    metrics = [_described(metric) for metric in registered_metrics()]
    if as_json:
        emit(json.dumps(metrics, indent=2, ensure_ascii=False) + "\n")
    else:
        emit("\n".join(line for metric in metrics for line in _lines(metric, terminal_width())))
    return OK


def _described(metric: Metric) -> dict[str, object]:
    return {
        "name": metric.name,
        "dimension": metric.dimension,
        "scope": getattr(metric.scope, "__name__", repr(metric.scope)),
        "kind": metric.kind,
        "needs": list(metric.needs),
        "parameters": {name: _default(parameter) for name, parameter in metric.parameters.items()},
        "description": " ".join(metric.description.split()),
        "formula": " ".join(metric.formula.split()),
    }


def _default(parameter: inspect.Parameter) -> object:
    given = parameter.default
    plain = given is None or isinstance(given, bool | int | float | str)
    return given if plain else None if given is parameter.empty else repr(given)


def _lines(metric: dict[str, object], width: int) -> Iterator[str]:
    yield str(metric["name"])
    kind = f"{metric['dimension']}, {str(metric['scope']).replace('_', ' ')}, {metric['kind']}"
    needs, parameters = metric["needs"], metric["parameters"]
    assert isinstance(needs, list)  # noqa: S101 - for the type checker
    assert isinstance(parameters, dict)  # noqa: S101 - for the type checker
    parts = [f"{kind}; needs {', '.join(needs)}" if needs else kind]
    if parameters:
        parts.append(f"parameters: {', '.join(f'{name}={value!r}' for name, value in parameters.items())}")
    for part in [*parts, str(metric["description"])]:
        yield from textwrap.wrap(part, max(width, 40), initial_indent="    ", subsequent_indent="    ")
    yield ""
