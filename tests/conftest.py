"""For every test: a property is tried without a deadline, since no test measures time."""

from __future__ import annotations

import pytest
from hypothesis import settings

from uaef.metrics import registry

settings.register_profile("uaef", parent=settings(), deadline=None)
settings.load_profile("uaef")


@pytest.fixture
def own_registry(monkeypatch):
    """The registry of metrics as it is after installation, for one test to change."""
    fresh = registry.Registry("metric", "uaef.metrics", registry._catalogue)  # noqa: SLF001 - as the module makes it
    monkeypatch.setattr(registry, "_default", fresh)
