"""For every test: properties without a deadline, since no test measures time, and where the recordings lie."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from uaef.metrics import registry

# A shell starts what it puts into the background with Ctrl-C ignored, and children inherit that: the tests of an
# interruption would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("uaef", parent=settings(), deadline=None)
settings.load_profile("uaef")

SHARED = Path(__file__).parents[2] / "shared" / "fixtures"


@pytest.fixture(autouse=True, scope="session")
def _no_collector():
    """Scores of tests go nowhere, whatever the developer's machine collects."""
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        del os.environ[name]


@pytest.fixture(scope="session")
def shared():
    """The folder of recordings beside this repository, or a skip; a name that it lacks is an error, never a skip."""
    if not SHARED.is_dir():
        pytest.skip("the shared recordings are not beside this repository")
    return SHARED


@pytest.fixture
def own_registry(monkeypatch):
    """The registry of metrics as it is after installation, for one test to change."""
    fresh = registry.Registry("metric", "uaef.metrics", registry._catalogue)  # noqa: SLF001 - as the module makes it
    monkeypatch.setattr(registry, "_default", fresh)
