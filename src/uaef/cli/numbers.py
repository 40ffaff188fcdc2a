"""Numbers on the command line: ``nan`` and what has no end are none, since they bound nothing."""

from __future__ import annotations

import json
import math

import click


class Finite(click.FloatRange):
    """A finite number within a range; by itself a range lets ``nan`` by, which is neither below nor above a bound."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number, or a refusal."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


def json_or_text(text: str) -> object:
    """The JSON value in ``text``, or the text itself where it is none, as ``NaN`` and ``1e999`` are none."""
    try:
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except ValueError:
        return text


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no finite number")
    return number
