"""Judges: rubrics as data, and whoever reads a conversation by one."""

from uaef.llm_judge.choice import judge_for as judge_for
from uaef.llm_judge.judge import Bounded as Bounded
from uaef.llm_judge.judge import Composed as Composed
from uaef.llm_judge.judge import Judge as Judge
from uaef.llm_judge.llm import LLMJudge as LLMJudge
from uaef.llm_judge.panel import Panel as Panel
from uaef.llm_judge.rubric import Rubric as Rubric
