"""The nouns: what was recorded, what was expected, what was measured."""

from uaef.models.case import Ask as Ask
from uaef.models.case import Case as Case
from uaef.models.case import ClaimKind as ClaimKind
from uaef.models.case import NamedClaim as NamedClaim
from uaef.models.conversation import Conversation as Conversation
from uaef.models.conversation import SessionDict as SessionDict
from uaef.models.ground_truth import GroundTruth as GroundTruth
from uaef.models.measurement import Measurement as Measurement
from uaef.models.message import Message as Message
from uaef.models.message import MessageRole as MessageRole
from uaef.models.results import ClaimResult as ClaimResult
from uaef.models.results import Decision as Decision
from uaef.models.results import DimensionResult as DimensionResult
from uaef.models.results import EvaluationResult as EvaluationResult
from uaef.models.results import Verdict as Verdict
from uaef.models.scores import MetricScore as MetricScore
from uaef.models.scores import ScoreStatus as ScoreStatus
from uaef.models.tool_call import ToolCall as ToolCall
from uaef.models.tool_call import ToolStatus as ToolStatus
from uaef.models.traces import AgentTrace as AgentTrace
from uaef.models.traces import CoordinationEvent as CoordinationEvent
from uaef.models.traces import MultiAgentTrace as MultiAgentTrace
from uaef.models.traces import WorkflowStatus as WorkflowStatus
from uaef.models.turns import Turn as Turn
