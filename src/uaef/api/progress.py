"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from uaef.evaluation.offline import OnResult
from uaef.models.results import EvaluationResult


@contextmanager
def tracked(total: int, on_result: OnResult | None, *, shown: bool) -> Iterator[OnResult | None]:
    """What to call with each result: ``on_result``, and where there is a bar, what moves it on."""
    if not (shown and sys.stderr and sys.stderr.isatty()):
        yield on_result
        return
    from rich.console import Console  # noqa: PLC0415 - 60 ms, wanted only for the bar
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("evaluating", total=total)

        def advance(result: EvaluationResult) -> None:
            bar.advance(task)
            if on_result is not None:
                on_result(result)

        yield advance
