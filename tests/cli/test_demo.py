"""``uaef demo``: something to look at, with nothing else installed."""

from __future__ import annotations


def test_demo_shows_the_turn_that_broke(run):
    """The demo names the broken turn of the broken session, and exits with 0 for being a showcase."""
    code, report, stderr = run("demo")
    assert (0, "") == (code, stderr)
    assert "board-meeting  FAILED  overall 0.82  turn 3 broke\n" in report
    assert "board-meeting#3" in report
    assert report.endswith("8 conversations: 7 passed, 1 failed\n")


def test_help_says_why_it_exits_with_0(call):
    """Whoever wonders about the exit code finds the answer."""
    assert "so this command exits with 0 although a threshold is missed" in " ".join(
        call("demo", "--help")[1].split()
    )
