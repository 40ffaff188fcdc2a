"""The best one-to-one assignment between two lists."""

from __future__ import annotations

import math
from collections.abc import Sequence


def best_assignment(similarity: Sequence[Sequence[float]]) -> float:
    """The greatest sum of ``similarity[i][j]`` over pairs in which each row and each column is used at most once.

    The Hungarian method by shortest augmenting paths, O(rows² · columns): H. W. Kuhn, "The Hungarian method for
    the assignment problem", Naval Research Logistics Quarterly 2 (1955), with the potentials of J. Munkres (1957).
    """
    if not similarity or not similarity[0]:
        return 0.0
    if len(similarity) > len(similarity[0]):
        similarity = list(zip(*similarity, strict=True))
    rows, columns = len(similarity), len(similarity[0])
    if rows == 1:
        return max(similarity[0])
    row_potential = [0.0] * (rows + 1)
    column_potential = [0.0] * (columns + 1)
    row_of = [0] * (columns + 1)  # row_of[j]: the row assigned to column j, both counted from 1; 0 is none
    for row in range(1, rows + 1):
        _augment(row, similarity, row_potential, column_potential, row_of)
    return math.fsum(similarity[row_of[j] - 1][j - 1] for j in range(1, columns + 1) if row_of[j])


def _augment(
    row: int,
    similarity: Sequence[Sequence[float]],
    row_potential: list[float],
    column_potential: list[float],
    row_of: list[int],
) -> None:
    """Give ``row`` a column, moving earlier rows along the cheapest path."""
    columns = len(row_of) - 1
    row_of[0], column = row, 0
    slack = [float("inf")] * (columns + 1)
    came_from = [0] * (columns + 1)
    done = [False] * (columns + 1)
    while row_of[column]:
        done[column] = True
        here, step, following = row_of[column], float("inf"), 0
        for j in range(1, columns + 1):
            if done[j]:
                continue
            cost = -similarity[here - 1][j - 1] - row_potential[here] - column_potential[j]
            if cost < slack[j]:
                slack[j], came_from[j] = cost, column
            if slack[j] < step:
                step, following = slack[j], j
        for j in range(columns + 1):
            if done[j]:
                row_potential[row_of[j]] += step
                column_potential[j] -= step
            else:
                slack[j] -= step
        column = following
    while column:
        row_of[column] = row_of[came_from[column]]
        column = came_from[column]
