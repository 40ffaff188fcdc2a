"""Results of marked tests in the store, and beside an earlier run: each marked test function is a run.

The process that was started keeps them, whoever plays: a worker of xdist sends what it played along with its report.
Nothing of uaef is loaded here before there is something to keep.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from uaef.pytest_plugin.fixture import Evals
    from uaef.pytest_plugin.kept import KeptRuns

_SENT = "uaef_played"


def is_wanted(config: pytest.Config) -> bool:
    """Whether anything is to be kept."""
    is_compared = config.getoption("uaef_compare") is not None
    return bool(config.getoption("uaef_save") or is_compared or os.environ.get("UAEF_STORE"))


class Sending:
    """What was played for a test goes along with its report, as text."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Lay what the test played into the report of its call."""
        report = yield
        evals: Evals | None = getattr(item, "funcargs", {}).get("evals")
        test = item.nodeid.partition("[")[0]
        sent = None if evals is None or call.when != "call" else evals.to_keep(test)
        if sent is not None:
            setattr(report, _SENT, json.dumps(sent.to_dict()))
        return report


class Keeping:
    """What reports bring is kept, and told of at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._kept: KeptRuns | None = None
        self._told: list[str] = []
        reference = config.getoption("uaef_compare")
        if reference is not None:
            self._check(reference)

    @staticmethod
    def _check(reference: str) -> None:
        """Refuse a run that does not exist, before anything is played."""
        from uaef.errors import UaefError  # noqa: PLC0415 - only where something is compared
        from uaef.pytest_plugin.kept import check_reference  # noqa: PLC0415 - as above

        try:
            check_reference(reference)
        except UaefError as error:
            raise pytest.UsageError(f"--uaef-compare={reference}: {error}") from None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what the report brings."""
        sent = getattr(report, _SENT, None)
        if sent is None:
            return
        from uaef.errors import UaefError  # noqa: PLC0415 - only where there is something to keep
        from uaef.pytest_plugin.sent import Sent  # noqa: PLC0415 - as above

        try:
            if self._kept is None:
                from uaef.pytest_plugin.kept import KeptRuns  # noqa: PLC0415 - as above

                self._kept = KeptRuns(self._config.getoption("uaef_compare"))
            self._kept.add(Sent.from_dict(json.loads(sent)))
        except UaefError as error:
            raise pytest.UsageError(str(error)) from None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Finish the runs, and compare them if that was asked for."""
        if self._kept is not None:
            self._told = self._kept.finish(
                is_complete=exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
            )

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where it is kept, and what changed."""
        if self._told:
            terminalreporter.section("uaef")
            for line in self._told:
                terminalreporter.write_line(line)
