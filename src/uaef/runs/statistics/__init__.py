"""Statistics on plain numbers: intervals, paired tests, corrections, what a set can detect, repeated trials.

One number a conversation: turns of one conversation resemble each other, so whoever has several numbers of one takes
their mean first. Whatever needs SciPy says so where it is missing (``pip install 'uaef[stats]'``); everything else is
arithmetic. Nothing depends on the order of what is given, and the same numbers give the same digits.
"""

from __future__ import annotations

from uaef.runs.statistics.bootstrap import cluster_bootstrap
from uaef.runs.statistics.counts import fisher_exact, mcnemar_exact
from uaef.runs.statistics.extra import is_installed
from uaef.runs.statistics.flips import sign_flip
from uaef.runs.statistics.intervals import Interval, clopper_pearson, wilson
from uaef.runs.statistics.multiplicity import benjamini_hochberg
from uaef.runs.statistics.power import smallest_detectable
from uaef.runs.statistics.trials import Trialled, TrialRates, flaky, pass_at_k, pass_hat_k, trial_rates

__all__ = [
    "Interval",
    "TrialRates",
    "Trialled",
    "benjamini_hochberg",
    "clopper_pearson",
    "cluster_bootstrap",
    "fisher_exact",
    "flaky",
    "is_installed",
    "mcnemar_exact",
    "pass_at_k",
    "pass_hat_k",
    "sign_flip",
    "smallest_detectable",
    "trial_rates",
    "wilson",
]
