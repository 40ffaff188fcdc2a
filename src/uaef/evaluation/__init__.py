"""Evaluation: plan, measure, sum up, decide."""

from uaef.evaluation.base_evaluator import BaseEvaluator as BaseEvaluator
from uaef.evaluation.multi_agent import MultiAgentEvaluator as MultiAgentEvaluator
from uaef.evaluation.multi_turn import MultiTurnEvaluator as MultiTurnEvaluator
from uaef.evaluation.offline import OfflineEvaluator as OfflineEvaluator
from uaef.evaluation.settings import Options as Options
from uaef.evaluation.single_agent import SingleAgentEvaluator as SingleAgentEvaluator
