"""Without the extra ``stats``: what is arithmetic works, and the rest says what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

from uaef.runs.statistics import is_installed

CODE = """
import sys
sys.modules["numpy"] = sys.modules["scipy"] = None  # as if they were not installed
from uaef.runs.statistics import *
"""


def without(code):
    """What the code prints in a process in which neither NumPy nor SciPy can be imported."""
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", CODE + code], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr.strip().rpartition("\n")[2]


def test_arithmetic_needs_nothing():
    """Rates, exact tests, corrections, trials and power."""
    printed = without(
        "print(wilson(0, 9).low, mcnemar_exact(5, 0), fisher_exact(3, 3, 0, 3),"
        " benjamini_hochberg([0.02]), sign_flip([-1 / 6] * 8), pass_at_k(1, 2, 2), smallest_detectable([0.0]))"
    )
    assert printed == "0.0 0.0625 0.1 [0.02] 0.0078125 1.0 None\n"


@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("clopper_pearson(18, 20)", "An exact interval"),
        ("cluster_bootstrap([[0.5], [0.7]])", "An interval of a mean"),
        ("sign_flip([k ** 0.5 / 9 for k in range(1, 50)])", "A test of so many different numbers"),
    ],
)
def test_the_rest_says_what_to_install(call, what):
    """One sentence, a UsageError, which ends a command with 2."""
    assert f"uaef.errors.UsageError: {what} needs an extra: pip install 'uaef[stats]'." == without(call)


def test_whether_it_is_there_can_be_asked_first():
    """So that a comparison can print differences without intervals."""
    assert without("print(is_installed())") == "False\n"
    assert is_installed()


def test_nothing_heavy_is_loaded_before_it_is_needed():
    """Importing the package loads neither."""
    code = "import sys; import uaef.runs.statistics; print({'numpy', 'scipy'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == "set()\n"
