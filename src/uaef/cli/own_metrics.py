"""Metrics of the user's own, named by where they are: ``mypkg.checks:is_brief``."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING

from uaef.errors import MetricError, UnknownNameError

if TYPE_CHECKING:
    from uaef.metrics import Metric


def with_own(names: Iterable[str]) -> list[str | Metric]:
    """The names of registered metrics as they are, and in place of ``MODULE:METRIC`` the metric that is there.

    Modules are looked for in the current directory first.

    Raises:
        MetricError: the module cannot be imported, or what is there is no metric.
        UnknownNameError: the module has no such name.
    """
    return [_loaded(name) if ":" in name else name for name in names]


def _loaded(path: str) -> Metric:
    from uaef.metrics.base import Metric  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.metrics.registry import checked  # noqa: PLC0415 - as above

    module_name, _, name = path.partition(":")
    module = _imported(path, module_name)
    if not hasattr(module, name):
        found = [key for key, value in vars(module).items() if isinstance(value, Metric)]
        raise UnknownNameError(f"metric in {module_name}:", name, found)
    try:
        return checked(getattr(module, name))
    except MetricError as error:
        raise MetricError(f"{path}: {error}") from None


def _imported(path: str, name: str) -> ModuleType:
    if "" not in sys.path:
        sys.path.insert(0, "")  # the current directory, as for python -m
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not f"{name}.".startswith(f"{error.name}."):
            raise MetricError(f"{path}: cannot be imported: it needs {error.name!r}, which is absent.") from None
        where = "it is looked for in the current directory and among what is installed"
        hint = "write its name with dots and without .py" if name.endswith(".py") or "/" in name else where
        raise MetricError(f"{path}: there is no module {error.name!r}; {hint}.") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a module is foreign code
        raise MetricError(f"{path}: cannot be imported: {type(error).__name__}: {error}") from None
