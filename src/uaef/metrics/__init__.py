"""Metrics: what can be measured, how to find it, how to write one."""

from uaef.metrics.base import Metric as Metric
from uaef.metrics.base import metric as metric
from uaef.metrics.multi_agent import agent_utilization as agent_utilization
from uaef.metrics.multi_agent import coordination_efficiency as coordination_efficiency
from uaef.metrics.multi_turn import turn_efficiency as turn_efficiency
from uaef.metrics.performance import cost_efficiency as cost_efficiency
from uaef.metrics.performance import latency_score as latency_score
from uaef.metrics.performance import throughput as throughput
from uaef.metrics.performance import token_efficiency as token_efficiency
from uaef.metrics.registry import get_metric as get_metric
from uaef.metrics.registry import list_metrics as list_metrics
from uaef.metrics.registry import list_metrics_by_dimension as list_metrics_by_dimension
from uaef.metrics.registry import register_metric as register_metric
from uaef.metrics.registry import register_use_case_specific_metrics as register_use_case_specific_metrics
from uaef.metrics.responsible_ai import prompt_injection_detection as prompt_injection_detection
from uaef.metrics.scopes import Outline as Outline
from uaef.metrics.scopes import Scope as Scope
from uaef.metrics.scopes import each_turn as each_turn
from uaef.metrics.scopes import from_turn as from_turn
from uaef.metrics.scopes import tagged as tagged
from uaef.metrics.scopes import whole as whole
from uaef.metrics.tool_calling import mcp_compliance as mcp_compliance
from uaef.metrics.tool_calling import parameter_quality as parameter_quality
from uaef.metrics.tool_calling import tool_selection_accuracy as tool_selection_accuracy
from uaef.metrics.tool_calling import tool_sequence_correctness as tool_sequence_correctness
