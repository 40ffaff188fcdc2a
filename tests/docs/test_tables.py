"""Tables written by hand name what the code has: all of it, and nothing else."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from uaef.adapters.langgraph import payloads
from uaef.data.columns import ALIASES
from uaef.data.conversations.fields import CONVERSATION, DATASET, TURN
from uaef.evaluation.multi_agent import MultiAgentEvaluator
from uaef.evaluation.single_agent import SingleAgentEvaluator
from uaef.metrics.checks import ALIASES as ALSO
from uaef.metrics.checks import CHECKS
from uaef.metrics.needs import NEEDS
from uaef.models import Conversation, GroundTruth

DOCS = Path(__file__).parents[2] / "docs"
NO_PROPERTY = {
    "expecting",
    "labelled",
    "from_dict",
    "from_messages",
    "from_session",
    "knowing",
    "of",
    "to_dict",
    "to_session",
}


def table(page, first):
    """The rows below the header that begins with ``first``, as lists of cells."""
    _, _, below = (DOCS / page).read_text("utf-8").partition(f"\n| {first} |")
    lines = below.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def names(cell):
    """What a cell sets as code."""
    return re.findall(r"`([^`]*)`", cell)


def test_columns_are_those_that_are_read():
    """Each column of a ground truth stands there with all of its names."""
    rows = table("ground-truth.md", "column")
    assert {key: set(aliases) for key, aliases in ALIASES.items()} == {
        names(key)[0]: {*names(key), *names(others)} for key, others, _ in rows
    }


@pytest.mark.parametrize("level", [TURN, CONVERSATION, DATASET], ids=lambda level: level.noun)
def test_keys_are_those_that_are_read(level):
    """Each key of a dataset stands there, with all of its other names where it has a row of its own."""
    rows = [(names(keys), names(others)) for keys, others, _ in table("datasets.md", f"key of {level.noun}")]
    assert sorted(each.name for each in level.fields) == sorted(name for keys, _ in rows for name in keys)
    aliases = {each.name: sorted(each.aliases) for each in level.fields}
    assert [] == [keys for keys, others in rows if len(keys) == 1 and sorted(others) != aliases[keys[0]]]


@pytest.mark.parametrize(
    ("page", "first", "known"),
    [
        ("guide.md", "key", set(payloads._KEYS)),  # noqa: SLF001 - the page is what makes them public
        ("ground-truth.md", "field", set(GroundTruth.__struct_fields__)),
        ("extending.md", "attribute", {n for n in dir(Conversation) if not n.startswith("_")} - NO_PROPERTY),
    ],
)
def test_table_names_everything(page, first, known):
    """Every key of a payload, field of a ground truth and attribute of a window has its place in a row."""
    found = [name for row in table(page, first) for name in names(row[0])]
    assert sorted(known) == sorted(found)


def test_default_weights_and_thresholds_are_those_of_the_evaluators():
    """Each dimension stands there with its weight for one agent, its weight for several, and its threshold."""
    single, several = SingleAgentEvaluator(), MultiAgentEvaluator()
    assert single.thresholds.items() <= several.thresholds.items()
    assert [
        [name, f"{single.dimension_weights.get(name, '')}", f"{weight}", f"{several.thresholds[name]}"]
        for name, weight in several.dimension_weights.items()
    ] == table("guide.md", "dimension")


def test_checks_are_all_there_with_their_arguments():
    """Each check has its row, which names every parameter and no other."""
    rows = table("checks.md", "check")
    assert {name: list(made.parameters) for name, made in CHECKS.items()} == {
        names(check)[0]: names(arguments) for check, _, arguments in rows
    }


def test_other_names_of_checks_are_all_there():
    """Those that files may use, each beside the check it means."""
    rows = table("checks.md", "name")
    assert ALSO == {other: names(check)[0] for check, others in rows for other in names(others)}


def test_needs_that_are_named_exist():
    """The names that the section on needs gives are needs."""
    _, _, section = (DOCS / "extending.md").read_text("utf-8").partition("The names are ")
    named = names(section.partition(" and a few more")[0])
    assert named
    assert set(named) <= set(NEEDS)


def test_every_extra_is_said_to_be_for_something():
    """In the table of the guide; ``examples`` is for those who work on uaef."""
    pyproject = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))
    extras = set(pyproject["project"]["optional-dependencies"]) - {"examples"}
    assert sorted(f"`{name}`" for name in extras) == sorted(name for name, _ in table("guide.md", "extra"))
