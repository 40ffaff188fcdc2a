"""Modules of the user's own, named on the command line or in a setting: ``mypkg.bots:answer``."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from uaef.errors import UsageError


def imported(path: str, module: str) -> ModuleType:
    """The module, looked for in the current directory first.

    Args:
        path: what the user wrote, which every message begins with.
        module: the part of it that names the module.

    Raises:
        UsageError: there is no such module, or it cannot be imported.
    """
    if "" not in sys.path:
        sys.path.insert(0, "")  # the current directory, as for python -m
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            raise UsageError(f"{path}: cannot be imported: it needs {error.name!r}, which is absent.") from None
        where = "it is looked for in the current directory and among what is installed"
        hint = "write its name with dots and without .py" if module.endswith(".py") or "/" in module else where
        raise UsageError(f"{path}: there is no module {error.name!r}; {hint}.") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a module is foreign code
        raise UsageError(f"{path}: cannot be imported: {type(error).__name__}: {error}") from None
