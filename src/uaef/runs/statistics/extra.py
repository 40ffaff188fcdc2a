"""The one door to SciPy and NumPy, which the extra ``stats`` brings; without it, a sentence that says so."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from uaef.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DRAWS = 9_999
"""How often is drawn at random, where not every possibility is tried: p-values go down to 1 in 10,000."""
_AT_ONCE = 1_000_000
"""How many numbers are drawn at a time, so that memory stays at some 30 MB."""


def is_installed() -> bool:
    """Whether the extra ``stats`` is there."""
    return find_spec("scipy") is not None


@contextmanager
def _needed_for(what: str) -> Iterator[None]:
    try:
        yield
    except ImportError:
        raise UsageError(f"{what} needs an extra: pip install 'uaef[stats]'.") from None


def student(probability: float, degrees: float) -> float:
    """The quantile of Student's t."""
    with _needed_for("An interval of a mean"):
        from scipy.special import stdtrit  # noqa: PLC0415 - an extra
    return float(stdtrit(degrees, probability))


def beta(probability: float, a: float, b: float) -> float:
    """The quantile of the beta distribution."""
    with _needed_for("An exact interval"):
        from scipy.special import betaincinv  # noqa: PLC0415 - an extra
    return float(betaincinv(a, b, probability))


def bootstrap_quantiles(values: Sequence[float], level: float) -> tuple[float, float]:
    """The percentiles that hold ``level`` of the means of resamples of ``values``."""
    with _needed_for("A bootstrap"):
        from scipy import stats  # noqa: PLC0415 - an extra
    found = stats.bootstrap(
        (values,),
        _means,
        n_resamples=_DRAWS,
        batch=_batch(len(values)),
        confidence_level=level,
        method="percentile",
        vectorized=True,
        rng=_seeded(values),
    ).confidence_interval
    return float(found.low), float(found.high)


def flipped(differences: Sequence[float], is_extreme: Callable[[NDArray[np.float64]], NDArray[np.bool_]]) -> float:
    """The share of random signs of ``differences`` whose sum is as extreme as the given one, which counts as one."""
    with _needed_for("A test of so many different numbers"):
        import numpy as np  # noqa: PLC0415 - an extra
    rng, given = _seeded(differences), np.asarray(differences)
    hits = done = 0
    while done < _DRAWS:
        rows = min(_batch(len(given)), _DRAWS - done)
        signs = rng.integers(0, 2, (rows, len(given)), dtype=np.int8)
        sums = 2 * (signs @ given) - given.sum()
        hits, done = hits + int(is_extreme(sums).sum()), done + rows
    return (hits + 1) / (_DRAWS + 1)


def _means(samples: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    means: NDArray[np.float64] = samples.mean(axis=axis)
    return means


def _batch(length: int) -> int:
    return max(1, _AT_ONCE // length)


def _seeded(values: Sequence[float]) -> np.random.Generator:
    """Chance that is the same for the same numbers."""
    import numpy as np  # noqa: PLC0415 - an extra

    content = hashlib.sha256(struct.pack(f"<{len(values)}d", *(value + 0.0 for value in values))).digest()  # no -0.0
    return np.random.Generator(np.random.PCG64(int.from_bytes(content, "little")))
