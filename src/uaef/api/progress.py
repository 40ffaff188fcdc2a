"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from uaef.models.results import EvaluationResult


@contextmanager
def tracked(total: int, *, shown: bool) -> Iterator[Callable[[EvaluationResult], None] | None]:
    """What to call with each result to move the bar on; ``None`` where there is no bar."""
    if not (shown and sys.stderr and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - 60 ms, wanted only for the bar
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("evaluating", total=total)

        def advance(_: EvaluationResult) -> None:
            bar.advance(task)

        yield advance
