"""Judges: rubrics as data, and whoever reads a conversation by one."""

from uaef.llm_judge.judge import Judge as Judge
from uaef.llm_judge.judge import LimitedJudge as LimitedJudge
from uaef.llm_judge.rubric import Rubric as Rubric
from uaef.llm_judge.rubric import Scale as Scale
