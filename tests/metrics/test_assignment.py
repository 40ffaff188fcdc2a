"""The best assignment is the best there is: it is held against trying them all."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.metrics.assignment import best_assignment

SIZES = st.tuples(st.integers(1, 5), st.integers(1, 5))
TABLES = SIZES.flatmap(
    lambda size: st.lists(
        st.lists(st.floats(0, 1), min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0]
    )
)


def best_of_all(table):
    """The greatest sum, found by trying every way to pair rows with columns."""
    rows, columns = len(table), len(table[0])
    if rows > columns:
        return best_of_all(list(zip(*table, strict=True)))
    return max(
        math.fsum(table[row][column] for row, column in enumerate(chosen))
        for chosen in itertools.permutations(range(columns), rows)
    )


@given(TABLES)
def test_no_pairing_is_better(table):
    """The sum is that of the best pairing, for any shape of the table."""
    assert best_of_all(table) == pytest.approx(best_assignment(table), abs=1e-9)


@given(TABLES, st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_does_not_matter(table, random):
    """Shuffled, the calls are assigned just as well."""
    columns = random.sample(range(len(table[0])), len(table[0]))
    shuffled = [[row[c] for c in columns] for row in random.sample(table, len(table))]
    assert best_assignment(table) == pytest.approx(best_assignment(shuffled), abs=1e-9)


@pytest.mark.parametrize(
    ("table", "best"),
    [
        ([], 0.0),
        ([[]], 0.0),
        ([[0.25]], 0.25),
        ([[0.25, 0.5, 0.1]], 0.5),
        ([[0.25], [0.5]], 0.5),
        # the first row's best (0.9) is given up, since the second has nothing else: 0.8 + 0.7 > 0.9 + 0.0
        ([[0.9, 0.8], [0.7, 0.0]], 1.5),
    ],
)
def test_small_tables(table, best):
    """Known by hand, the greedy choice included that is not the best."""
    assert best == pytest.approx(best_assignment(table))
