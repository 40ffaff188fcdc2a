"""Metrics for contact centres. Opt-in: ``register_use_case_specific_metrics()`` adds them."""

from __future__ import annotations

from uaef.metrics.judged import judged

containment = judged("containment")
resolution = judged("resolution")

METRICS = (containment, resolution)
