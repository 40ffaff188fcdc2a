"""Markdown for a pull request: what it says, how long it gets, and that nobody quoted in it changes how it looks."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.reporting.played import answered, every_outcome, ruled
from tests.runs.weather import says

from uaef import checks, run_evals
from uaef.models.base import replaced
from uaef.reporting.markdown import MARK, pr_comment, step_summary
from uaef.reporting.markup import code, fenced, size, table
from uaef.runs.comparison.records import (
    CellComparison,
    Comparison,
    Difference,
    Identity,
    Reading,
    RunNamed,
    SliceComparison,
    Status,
)

GITHUB = MarkdownIt("commonmark").enable("table")
NASTY = st.text(st.sampled_from("`~|\\<>&*_[]()!#@:;'\"/.-+=\n\r\tw1 ax\x00\u202e\u2028é😀"), min_size=1, max_size=80)
# Every tag that the reports write themselves.
OURS = {"code", "h2", "h3", "h4", "p", "ul", "li", "pre", "strong", "table", "thead", "tbody", "tr", "th", "td"}


class Page(HTMLParser):
    """What a browser would see: the tags, and the texts within code."""

    def __init__(self, markdown):
        super().__init__()
        self.tags, self.quoted, self._open = set(), [], []
        self.feed(GITHUB.render(markdown))

    def handle_starttag(self, tag, attrs):
        """Note the tag; none of ours has a link or a script in it."""
        assert not attrs or attrs == [("class", "language-text")]
        self.tags.add(tag)
        self._open.append(tag)
        if tag == "code":
            self.quoted.append("")

    def handle_endtag(self, tag):
        """Every tag that is closed was open: nothing breaks out."""
        assert self._open.pop() == tag

    def handle_data(self, data):
        """Note what is quoted."""
        if "code" in self._open:
            self.quoted[-1] += data


def changed(name, status, before="It is sunny.", after="What is sun?", why="does not say 'sunny'"):
    """A turn in two runs."""
    then = Reading(n=1, decided=1, passed=1, score=1.0, answer=before)
    now = Reading(n=1, decided=1, passed=0, score=0.0, answer=after, why=why)
    cell = CellComparison(metric="includes('sunny')", dimension="Checks", status=status, before=then, after=now)
    return SliceComparison(
        name=name,
        conversation="c",
        turns=(1,),
        identity=Identity.SAME,
        status=status,
        before=then,
        after=now,
        cells=(cell,),
    )


def comparison(*slices, **fields):
    """Those turns, compared."""
    return Comparison(before=RunNamed(run_id="one"), after=RunNamed(run_id="two"), slices=slices, **fields)


def test_a_comment_says_what_broke_and_why():
    """The verdict first, then the turns with question, answer and reason, cohorts, and what was not measured."""
    text = pr_comment(every_outcome())
    assert text.startswith(f"{MARK}\n\n## uaef: failed\n\n5 conversations: ")
    page = Page(text)
    assert OURS >= page.tags
    assert "includes('sun'): does not say 'sun'; it said 'rain'" in page.quoted
    assert {"bad#2", "down#1", "down: excludes('snow') (gate)", "open#1", "fail\n", "rain\n"} <= set(page.quoted)
    assert "### What could not be decided (1)" in text
    why = "outage raised ConnectionError&#58; the judge is away"
    assert f"| <code>outage</code> | <code>{why}</code> | 1 | <code>open</code> |" in text
    assert "| <code>turn 2</code> | 0 | 2 | 1 |" in text
    assert MARK not in step_summary(every_outcome())


def test_a_run_of_which_nothing_is_required_says_so():
    """A green comment never means that nothing was looked at."""
    run = run_evals([{"input": "a"}], says("b"), scorers=[checks.max_words(3)])
    assert "Nothing was required" in pr_comment(run)
    assert "Nothing was required" not in pr_comment(answered("sun"))


def test_an_interrupted_run_says_how_far_it_came():
    """Part of a run is not all of it."""
    run = replaced(answered("sun"), n_planned=3)
    assert "1 of 3 conversations" in pr_comment(run)


def test_regressions_come_first_with_both_answers():
    """What was said before and now, and why it is worse; what else changed in a table."""
    shown = comparison(
        changed("refund#3", Status.REGRESSED),
        changed("hours#1", Status.IMPROVED),
        changed("hours#2", Status.UNCHANGED),
        counts=(("regressed", 1), ("improved", 1), ("unchanged", 1)),
        differences=(
            Difference(what="turns", cohort="tag:a|b", kind="pass rate", n=2, n_changed=1, before=1, after=0.5),
        ),
        warnings=("Another judge.",),
    )
    text = pr_comment(answered("rain"), shown)
    quoted = Page(text).quoted
    assert text.index("### Regressions (1)") < text.index("### What broke")
    at = quoted.index("refund#3")
    assert [
        "refund#3",
        "includes('sunny'): 1.00 before, 0.00 now: does not say 'sunny'",
        "It is sunny.\n",
        "What is sun?\n",
    ] == quoted[at : at + 4]
    assert "1 regressed, 1 improved, 1 unchanged" in text
    assert "hours#1" in quoted
    assert "hours#2" not in quoted
    assert "tag:a|b" in quoted
    assert "| 1.00 | 0.50 | -0.50 |" in text
    assert "Another judge." in quoted


@given(NASTY)
@example("a\\|b` | c")
@example("</code><script>")
@example("www.example.com http://example.com @me #1 :smile: &lt;")
def test_text_on_a_line_stays_text(text):
    """In a sentence and in a table, it is shown as it is and is nothing else."""
    for markdown in (f"#### {code(text)}", f"- {code(text)}", table(["a", "b"], [[code(text), "end"]])):
        page = Page(markdown)
        assert OURS >= page.tags
        assert 1 == len(page.quoted)
        assert 1 == markdown.count("<code>")
    raw = code(text).removeprefix("<code>").removesuffix("</code>")
    assert not re.search(r"[`*_\[\]<>|\\@~!\"]|&(?!#\d+;)|:|(?i:www)\.", raw)


@given(NASTY)
@example("```\n</pre>\n````` \n~~~")
def test_text_in_a_fence_stays_in_it(text):
    """No row of backticks closes it, and what follows is outside of it."""
    page = Page(f"{fenced(text, 1_000)}\n\n**after**")
    assert {"pre", "code", "p", "strong"} == page.tags
    assert 1 == len(page.quoted)
    assert text.count("after") == page.quoted[0].count("after")


@settings(max_examples=30)
@given(said=NASTY, name=NASTY.filter(lambda text: text.strip() and "#" not in text), tag=NASTY.filter(str.strip))
def test_whatever_is_said_the_comment_looks_like_ours(said, name, tag):
    """Answers, names, tags and keys of metrics are in code everywhere."""
    turn = {"input": f"{said}?", "gates": [checks.includes(f"{said}!")], "tags": [tag]}
    run = run_evals([{"id": name, "turns": [turn, turn]}], says(said, said))
    shown = comparison(
        changed(name, Status.REGRESSED, said, said, said), changed(tag, Status.RENAMED), warnings=(said,)
    )
    for text in (pr_comment(run, shown), step_summary(run, shown)):
        assert OURS >= Page(text.removeprefix(MARK)).tags


@pytest.mark.parametrize("character", ["x", "`", "|", "\U0001f600", "\x00"])
def test_a_comment_is_never_longer_than_github_takes(character):
    """However much broke and whatever was said; it says what it leaves out, and every fence is closed."""
    text = character * 5_000
    gates = [checks.includes(f"{character}{n}" * 50) for n in range(3)]
    turns = [{"input": f"a{text}", "gates": gates} for _ in range(60)]
    run = run_evals([{"id": f"c{n}", "turns": turns} for n in range(3)], says(*[text] * 60))
    shown = pr_comment(run, comparison(*(changed(f"t{n}", Status.REGRESSED, text, text, text) for n in range(90))))
    assert 10_000 < size(shown) <= 65_536
    assert "more parts of this report do not fit here" in shown
    assert OURS >= Page(shown.removeprefix(MARK)).tags
    assert len(step_summary(run).encode()) <= 1_048_576


def test_sizes_count_as_github_counts():
    """A character beyond the basic plane is two."""
    assert 4 == size("a😀b")


@pytest.mark.parametrize(
    ("answer", "decisions", "heading"),
    [
        ("sun", ["met"], "passed"),
        ("sun", ["met", "missed", "unmeasured"], "failed, a rule of the gate was missed"),
        ("sun", ["missed", "missed"], "failed, 2 rules of the gate were missed"),
        ("sun", ["unmeasured", "met"], "no verdict, a rule of the gate was not decided"),
        ("rain", ["unmeasured"], "failed, a rule of the gate was not decided"),
        ("rain", ["met"], "failed"),
        ("sun", ["not_applicable"], "passed"),
    ],
)
def test_the_heading_is_of_the_gate_too(answer, decisions, heading):
    """It never says passed where a rule was missed or left open."""
    for text in (
        pr_comment(answered(answer), gate=ruled(*decisions)),
        step_summary(answered(answer), gate=ruled(*decisions)),
    ):
        assert f"## uaef: {heading}\n" in text
        assert len(decisions) == text.count("- <code>gate ")


def test_rules_are_told_in_words_and_stay_text():
    """The missed ones first; what is in a reason is text."""
    text = pr_comment(answered("sun"), gate=ruled("met", "missed"))
    rules = text.partition("### The gate\n\n")[2].splitlines()[:2]
    assert rules[0].startswith("- <code>gate missed&#58; pass&#95;rate 2")
    assert rules[1].startswith("- <code>gate met")
    assert "<b>" not in text
    assert "@me" not in text


def test_a_rule_is_something_required():
    """Where nothing else is: not if the rule did not apply."""
    run = run_evals([{"input": "a"}], says("b"), scorers=[checks.max_words(3)])
    assert "## uaef: the gate was met\n" in pr_comment(run, gate=ruled("met"))
    assert "Nothing was required" not in pr_comment(run, gate=ruled("met"))
    assert "Nothing was required" not in pr_comment(run, gate=ruled("missed"))
    assert "Nothing was required" in pr_comment(run, gate=ruled("not_applicable"))
