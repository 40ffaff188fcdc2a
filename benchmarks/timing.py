"""Clocks: CPU seconds in turn, so that a busy machine is equally unfair to all, and processes of their own."""

from __future__ import annotations

import gc
import multiprocessing
import os
import platform
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


def best_of(rounds: int, *jobs: Callable[[], object], clock: Callable[[], float] = time.process_time) -> list[float]:
    """The least seconds that each job took in ``rounds`` rounds; the jobs take turns."""
    least = [float("inf")] * len(jobs)
    for _ in range(rounds):
        for place, job in enumerate(jobs):
            gc.collect()
            started = clock()
            results = job()
            least[place] = min(least[place], clock() - started)
            del results
    return least


def in_fresh_process(function: Callable[_Args, _Result], *args: _Args.args, **kwargs: _Args.kwargs) -> _Result:
    """What ``function`` returns in a new Python process, which nothing has warmed up or filled."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *args, **kwargs).result()


def machine() -> str:
    """The processor, the number of cores and the Python that measured."""
    cores = os.cpu_count()
    return f"{_processor()}, {cores} cores, {platform.system()}, Python {platform.python_version()}"


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
