"""The gate in ``pyproject.toml``: the same rules as on the command line, which is laid over them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from uaef.errors import DataError, UsageError, misspelt
from uaef.models.base import replaced
from uaef.runs.comparison.cohorts import ALL
from uaef.runs.gate.rules import Gate, gate

FILE = "pyproject.toml"
_Value = TypeVar("_Value")
_OWN_KEYS = ("judge", "gate")
_KEYS = ("fail_on", "min_pass_rate", "min", "max_failed_judgements", "require_baseline", "compare", "by")


class Project(NamedTuple):
    """What ``[tool.uaef.gate]`` says: the rules, what to compare with, and which cohorts."""

    gate: Gate = Gate()
    compare: str | None = None
    by: tuple[str, ...] = ()


def project(folder: Path | None = None) -> Project:
    """What the nearest ``pyproject.toml`` says, from ``folder`` or here upwards; nothing where there is none.

    Raises:
        DataError: it cannot be read, or a rule in it is none; naming the file and the key.
    """
    here = (folder or Path.cwd()).absolute()
    path = next((each / FILE for each in (here, *here.parents) if (each / FILE).is_file()), None)
    if path is None:
        return Project()
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"{path}: cannot be read: {error}.") from None
    tools, place = settings.get("tool"), "[tool.uaef]"
    try:
        own = _table(tools.get("uaef", {}) if isinstance(tools, Mapping) else {}, _OWN_KEYS)
        place = "[tool.uaef.gate]"
        return _project(_table(own.get("gate", {}), _KEYS))
    except UsageError as error:
        raise DataError(f"{path}: {place}: {error}") from None


def _table(found: object, keys: Sequence[str]) -> Mapping[str, object]:
    """What was found, if it is a table that has no other keys: one that is misspelt would be no rule, in silence."""
    if not isinstance(found, Mapping):
        raise UsageError(f"expected a table, got {found!r}.")
    for key in found:
        if key not in keys:
            near = misspelt(key, keys)
            hint = f"Did you mean {near!r}?" if near else f"There are {', '.join(keys)}."
            raise UsageError(f"unknown key {key!r}. {hint}")
    return found


def _project(found: Mapping[str, object]) -> Project:
    made = gate(
        fail_on=_texts(found, "fail_on"),
        min_pass_rate=_numbers(found, "min_pass_rate"),
        minimum=_numbers(found, "min"),
        max_failed_judgements=_of(found, "max_failed_judgements", int, "a whole number"),
        require_baseline=_of(found, "require_baseline", bool, "true or false") or False,
    )
    return Project(made, _of(found, "compare", str, "text"), tuple(_texts(found, "by")))


def _texts(found: Mapping[str, object], key: str) -> list[str]:
    value = found.get(key, [])
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise UsageError(f"{key} is a text or a list of texts, got {value!r}.")
    return listed


def _numbers(found: Mapping[str, object], key: str) -> list[str]:
    """``0.9`` as ``["0.9"]``, a table ``{"tag:returns" = 0.8}`` as ``["tag:returns=0.8"]``."""
    value = found.get(key, {})
    if _is_number(value) and key == "min_pass_rate":
        return [repr(value)]
    if not isinstance(value, Mapping) or not all(map(_is_number, value.values())):
        kind = "a number, or " if key == "min_pass_rate" else ""
        raise UsageError(f"{key} is {kind}a table with a number for each name, got {value!r}.")
    plain = key == "min_pass_rate"
    return [f"{number!r}" if plain and name == ALL else f"{name}={number!r}" for name, number in value.items()]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _of(found: Mapping[str, object], key: str, kind: type[_Value], words: str) -> _Value | None:
    value = found.get(key)
    if value is None or type(value) is kind:
        return value
    raise UsageError(f"{key} is {words}, got {value!r}.")


def laid_over(project: Gate, given: Gate) -> Gate:
    """The project's rules with those of the command line over them, which hold in place of their like."""
    floors = {(floor.what, floor.cohort): floor for floor in (*project.floors, *given.floors)}
    bound = given.max_failed_judgements
    return replaced(
        project,
        fail_on=given.fail_on or project.fail_on,
        floors=tuple(floors.values()),
        max_failed_judgements=project.max_failed_judgements if bound is None else bound,
        require_baseline=project.require_baseline or given.require_baseline,
    )
