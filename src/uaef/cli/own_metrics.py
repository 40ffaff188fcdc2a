"""Metrics of the user's own, named by where they are: ``mypkg.checks:is_brief``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from uaef.errors import MetricError, UnknownNameError
from uaef.importing import imported

if TYPE_CHECKING:
    from uaef.metrics import Metric


def with_own(names: Iterable[str]) -> list[str | Metric]:
    """The names of registered metrics as they are, and in place of ``MODULE:METRIC`` the metric that is there.

    Modules are looked for in the current directory first.

    Raises:
        UsageError: the module cannot be imported.
        UnknownNameError: it has no such name.
        MetricError: what is there is no metric.
    """
    return [_loaded(name) if ":" in name else name for name in names]


def _loaded(path: str) -> Metric:
    from uaef.metrics.base import Metric  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.metrics.registry import checked  # noqa: PLC0415 - as above

    module_name, _, name = path.partition(":")
    module = imported(path, module_name)
    if not hasattr(module, name):
        found = [key for key, value in vars(module).items() if isinstance(value, Metric)]
        raise UnknownNameError(f"metric in {module_name}:", name, found)
    try:
        return checked(getattr(module, name))
    except MetricError as error:
        raise MetricError(f"{path}: {error}") from None
