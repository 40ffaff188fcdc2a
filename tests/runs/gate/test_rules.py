"""The language of rules: what it says, what it refuses, and where it is read."""

from __future__ import annotations

import pytest

from uaef.errors import DataError, UnknownNameError, UsageError
from uaef.runs.gate import check, gate, laid_over, project
from uaef.runs.gate.rules import Gate, split_cohort


def test_every_rule_says_itself():
    """What is reported is what could be written."""
    made = gate(
        fail_on=["regression", "confirmed", "confirmed:5", "any", "any"],
        min_pass_rate=["0.9", "tag:returns=0.8"],
        minimum=["accuracy=0.75", "accuracy@turn:3=0.5", "includes('a@b=c')=1"],
    )
    assert list(map(str, made.fail_on)) == ["regression", "confirmed:3", "confirmed:5", "any"]
    assert list(map(str, made.floors)) == [
        "pass_rate >= 0.9",
        "pass_rate@tag:returns >= 0.8",
        "accuracy >= 0.75",
        "accuracy@turn:3 >= 0.5",
        "includes('a@b=c') >= 1",
    ]
    assert made.replays == 5
    assert made.needs_reference
    assert Gate.from_dict(made.to_dict()) == made


def test_an_empty_gate_is_none():
    """Without a rule there is nothing to decide."""
    assert not gate()
    assert gate(require_baseline=True)
    assert gate(max_failed_judgements=0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"fail_on": ["regresion"]}, "Did you mean 'regression'"),
        ({"fail_on": ["regression:3"]}, "only confirmed takes a number"),
        ({"fail_on": ["confirmed:0"]}, "from 1 to 100"),
        ({"fail_on": ["confirmed:"]}, "from 1 to 100"),
        ({"min_pass_rate": ["much"]}, "a number from 0 to 1, got 'much'"),
        ({"min_pass_rate": ["1.01"]}, "a number from 0 to 1"),
        ({"min_pass_rate": ["nan"]}, "a number from 0 to 1"),
        ({"min_pass_rate": ["=0.5"]}, "COHORT=NUMBER"),
        ({"min_pass_rate": ["turn:third=0.5"]}, "no turn: write turn:3"),
        ({"min_pass_rate": [f"turn:{'9' * 5000}=0.5"]}, "no turn"),
        ({"min_pass_rate": ["depth:8=0.5"]}, "no depth"),
        ({"min_pass_rate": ["tag:=0.5"]}, "A cohort is one of"),
        ({"minimum": ["accuracy"]}, "METRIC=NUMBER"),
        ({"minimum": ["accuracy=high"]}, "a number from 0 to 1"),
        ({"max_failed_judgements": -1}, "at least 0"),
    ],
)
def test_what_is_no_rule_is_refused(given, said):
    """In one sentence, before anything is spent."""
    with pytest.raises(UsageError, match=said):
        gate(**given)


def test_an_at_sign_in_an_argument_is_no_cohort():
    """Only what could be a cohort is one; that is the last before the first colon after the arguments."""
    assert split_cohort("includes('me@home')") == ("includes('me@home')", None)
    assert split_cohort("includes('me@tag:x')") == ("includes('me@tag:x')", None)
    assert split_cohort("accuracy@tag:x") == ("accuracy", "tag:x")
    assert split_cohort("recall@5@tag:x@y:z") == ("recall@5", "tag:x@y:z")
    assert split_cohort("recall@5") == ("recall@5", None)
    assert split_cohort("all_of(f('it\\'s)@tag:x'), g(1))@tag:p)@q:z") == (
        "all_of(f('it\\'s)@tag:x'), g(1))",
        "tag:p)@q:z",
    )


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ({"fail_on": ["any"]}, {"is_compared": False}, "The rule any needs a run to compare with"),
        ({"require_baseline": True}, {"is_compared": False}, "The rule require_baseline needs a run"),
        ({"fail_on": ["regression"]}, {"is_tested": False}, "pip install 'uaef"),
        ({"minimum": ["acuracy=0.5"]}, {}, "Did you mean 'accuracy'"),
    ],
)
def test_a_rule_that_could_decide_nothing_is_refused(given, options, said):
    """A rule that can never be missed is a fault, not a pass."""
    known = {"metrics": {"accuracy": "accuracy"}, "is_compared": True, "is_tested": True, **options}
    with pytest.raises((UsageError, UnknownNameError), match=said):
        check(gate(**given), **known)


def test_a_metric_may_be_named_by_its_key_or_its_name():
    """``includes`` bounds every ``includes(...)``."""
    for name in ("includes('x')", "includes"):
        check(gate(minimum=[f"{name}=1"]), metrics={"includes('x')": "includes"}, is_compared=False, is_tested=False)


def test_the_project_speaks_the_same_language(tmp_path):
    """The nearest pyproject.toml, from a folder below it."""
    (tmp_path / "pyproject.toml").write_text(
        """\
[tool.uaef.gate]
fail_on = ["confirmed:2"]
min_pass_rate = {all = 0.9, "tag:returns" = 0.8}
max_failed_judgements = 0
require_baseline = true
compare = "baseline"
by = ["turn", "tag:returns"]

[tool.uaef.gate.min]
accuracy = 0.8
"accuracy@turn:3" = 1
"""
    )
    (tmp_path / "below").mkdir()
    found = project(tmp_path / "below")
    assert (found.compare, found.by) == ("baseline", ("turn", "tag:returns"))
    assert found.gate == gate(
        fail_on=["confirmed:2"],
        min_pass_rate=["0.9", "tag:returns=0.8"],
        minimum=["accuracy=0.8", "accuracy@turn:3=1"],
        max_failed_judgements=0,
        require_baseline=True,
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fail-on = 'any'", "unknown key 'fail-on'. Did you mean 'fail_on'?"),
        ("fail_on = 3", "fail_on is a text or a list of texts"),
        ("fail_on = 'never'", "[tool.uaef.gate]: fail_on: Unknown rule 'never'"),
        ("min_pass_rate = 1.2", "[tool.uaef.gate]: min_pass_rate: expected a number from 0 to 1, got '1.2'"),
        ("min = {accuracy = -1}", "[tool.uaef.gate]: min: expected a number from 0 to 1, got '-1'"),
        ("min_pass_rate = true", "min_pass_rate is a number, or a table"),
        ("min = 0.9", "min is a table"),
        ("require_baseline = 1", "require_baseline is true or false"),
        ("max_failed_judgements = true", "max_failed_judgements is a whole number"),
        ("= 3", "cannot be read"),
    ],
)
def test_a_fault_in_the_project_is_named_with_its_file(tmp_path, text, said):
    """Where, what, and what to do."""
    (tmp_path / "pyproject.toml").write_text(f"[tool.uaef.gate]\n{text}\n")
    with pytest.raises(DataError) as raised:
        project(tmp_path)
    assert said in str(raised.value)
    assert str(tmp_path / "pyproject.toml") in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.uaef]\ngate = 'regression'\n", r"\[tool.uaef.gate\]: expected a table"),
        ("[tool]\nuaef = 5\n", r"\[tool.uaef\]: expected a table"),
        ("[tool.uaef.gates]\nfail_on = 'any'\n", "unknown key 'gates'. Did you mean 'gate'"),
    ],
)
def test_a_slip_in_the_name_of_a_table_is_no_gate_that_is_always_open(tmp_path, text, said):
    """Nothing of ``[tool.uaef]`` is skipped in silence."""
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(DataError, match=said):
        project(tmp_path)


def test_no_project_has_no_rules(tmp_path):
    """An empty table, another table, and no file at all."""
    assert not project(tmp_path).gate or (tmp_path.parent / "pyproject.toml").exists()
    (tmp_path / "pyproject.toml").write_text("[tool.uaef]\njudge = 'x:y'\n")
    assert not project(tmp_path).gate


def test_the_command_line_lies_over_the_project():
    """Rule by rule: what is given there holds, the rest stays."""
    base = gate(fail_on=["regression"], min_pass_rate=["0.9"], minimum=["a=0.5"], max_failed_judgements=3)
    over = laid_over(base, gate(fail_on=["any"], minimum=["a=0.7", "b=1"], require_baseline=True))
    assert over == gate(
        fail_on=["any"],
        min_pass_rate=["0.9"],
        minimum=["a=0.7", "b=1"],
        max_failed_judgements=3,
        require_baseline=True,
    )
    assert laid_over(base, gate()) == base
