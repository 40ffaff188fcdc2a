"""uaef evaluates conversations of AI agents: per turn and as a whole, recorded or played.

Everything here is loaded on first use; ``import uaef`` itself costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uaef import checks as checks
    from uaef.api import abatch_evaluate as abatch_evaluate
    from uaef.api import aevaluate as aevaluate
    from uaef.api import arun_evals as arun_evals
    from uaef.api import batch_evaluate as batch_evaluate
    from uaef.api import evaluate as evaluate
    from uaef.api import run_evals as run_evals
    from uaef.metrics import Metric as Metric
    from uaef.metrics import metric as metric
    from uaef.models import AgentTrace as AgentTrace
    from uaef.models import Conversation as Conversation
    from uaef.models import EvaluationResult as EvaluationResult
    from uaef.models import GroundTruth as GroundTruth
    from uaef.models import Message as Message
    from uaef.models import MetricScore as MetricScore
    from uaef.models import MultiAgentTrace as MultiAgentTrace
    from uaef.models import ToolCall as ToolCall
    from uaef.runs.bounds import Threshold as Threshold
    from uaef.runs.results import RunResult as RunResult

__version__ = "0.1.0"

_HOMES = {
    "uaef.api": ("abatch_evaluate", "aevaluate", "arun_evals", "batch_evaluate", "evaluate", "run_evals"),
    "uaef.metrics": ("Metric", "metric"),
    "uaef.models": (
        "AgentTrace",
        "Conversation",
        "EvaluationResult",
        "GroundTruth",
        "Message",
        "MetricScore",
        "MultiAgentTrace",
        "ToolCall",
    ),
    "uaef.runs.bounds": ("Threshold",),
    "uaef.runs.results": ("RunResult",),
}
_MODULES = ("checks",)
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted((*_HOME_OF, *_MODULES))  # noqa: PLE0605 - a test pins it


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return importlib.import_module(f"uaef.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'uaef' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
