"""Results as JSON, for other programs and for later: everything that was found, and back again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from uaef.errors import DataError, ModelError
from uaef.models.results import EvaluationResult
from uaef.runs.comparison.records import Comparison, Status
from uaef.runs.gate.decisions import GateResult
from uaef.runs.results import RunResult

SCHEMA = "uaef.results/1"
"""The name and the version of the format; the version rises when a reader of the old one would go wrong."""


_LONGEST_INT = 13_000
"""In bits; Python writes no longer one in decimal digits."""
RUN_SCHEMA = "uaef.run/1"
"""The same of a run."""


def results_to_json(results: Iterable[EvaluationResult]) -> str:
    """``{"schema", "uaef", "results"}`` as strict JSON, readable in any encoding that has Unicode.

    Measurements and conversations are in it. What JSON has no word for in recorded data (``nan`` too) is text.
    """
    return _written({"schema": SCHEMA, "results": [result.to_dict() for result in results]})


def run_to_json(run: RunResult, comparison: Comparison | None = None, gate: GateResult | None = None) -> str:
    """``{"schema", "uaef", "run"}`` as strict JSON: the run with all its conversations and measurements.

    Args:
        run: what was played.
        comparison: with an earlier run: which that was, how many turns have which status, which regressed, under
            ``comparison``; left out if nothing was compared.
        gate: what became of the rules, one by one, under ``gate``; left out if there are none.
    """
    data: dict[str, object] = {"schema": RUN_SCHEMA, "run": run.to_dict()}
    if comparison is not None:
        data["comparison"] = {
            "before": comparison.before.run_id,
            "counts": {str(status): count for status, count in comparison.counts},
            "regressed": [each.name for each in comparison.having(Status.REGRESSED)],
        }
    if gate is not None and gate.decisions:
        data["gate"] = [each.to_dict() for each in gate.decisions]
    return _written(data)


def run_from_json(text: str | bytes) -> RunResult:
    """The run that ``run_to_json`` wrote.

    Raises:
        DataError: it is no JSON, not of this format or version, or something in it does not fit.
    """
    data = _read(text, RUN_SCHEMA, "run", dict, "an object")
    try:
        return RunResult.from_dict(data["run"])
    except ModelError as error:
        raise DataError(f"run: {error}") from None


def _written(data: dict[str, object]) -> str:
    from uaef import __version__  # noqa: PLC0415 - the package imports its parts, not the other way round

    data = {"schema": data["schema"], "uaef": __version__, **data}
    try:
        written = json.dumps(data, ensure_ascii=False, allow_nan=False)
    except ValueError:
        written = json.dumps(_finite(data), ensure_ascii=False, allow_nan=False)
    # A lone surrogate has no encoding; as an escape JSON can carry it.
    return written.encode("utf-8", "backslashreplace").decode("utf-8")


def results_from_json(text: str | bytes) -> list[EvaluationResult]:
    """The results that ``results_to_json`` wrote.

    Raises:
        DataError: it is no JSON, not of this format or version, or a result in it does not fit.
    """
    data = _read(text, SCHEMA, "results", list, "a list of")
    return [_result(entry, place) for place, entry in enumerate(data["results"])]


def _read(text: str | bytes, schema: str, key: str, kind: type, words: str) -> dict[str, Any]:
    """What is in a file of this format."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"These results are not valid JSON: {error}") from None
    expected = f"Expected an object with schema {schema!r} and {words} {key}, got"
    if not isinstance(data, dict):
        raise DataError(f"{expected} a {type(data).__name__}.")
    if data.get("schema") != schema or not isinstance(data.get(key), kind):
        raise DataError(f"{expected} schema {data.get('schema')!r} and the keys {sorted(data)}.")
    return data


def _result(entry: object, place: int) -> EvaluationResult:
    try:
        return EvaluationResult.from_dict(entry)
    except ModelError as error:
        raise DataError(f"results[{place}]: {error}") from None


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, int) and value.bit_length() > _LONGEST_INT:
        return hex(value)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
