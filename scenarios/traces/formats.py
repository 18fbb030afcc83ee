"""All sources that can be read, in the order in which a record is held against them.

The rule: a new source is one module with its declaration, and one line here.
"""

from typing import Final

from .ai_sdk import AI_SDK
from .claude import CLAUDE_TRANSCRIPT
from .codex_exec import CODEX_EXEC
from .codex_rollout import CODEX_ROLLOUT
from .copilot import COPILOT_EVENTS
from .declaring import Format
from .event_log import EVENT_LOG
from .gemini import GEMINI
from .gemini_api import GEMINI_API
from .inspect_ai import INSPECT_AI
from .langfuse import LANGFUSE
from .messages_api import MESSAGES_API
from .openai_api import OPENAI_API
from .opencode import OPENCODE
from .openhands import OPENHANDS
from .pi_agent import PI_AGENT
from .stream_json import STREAM_JSON
from .swe_agent import SWE_AGENT
from .tau2_bench import TAU2_BENCH
from .tau_bench import TAU_BENCH

FORMATS: Final[tuple[Format, ...]] = (
    CLAUDE_TRANSCRIPT,
    STREAM_JSON,
    MESSAGES_API,
    CODEX_ROLLOUT,
    CODEX_EXEC,
    EVENT_LOG,
    COPILOT_EVENTS,
    GEMINI,
    GEMINI_API,
    OPENAI_API,
    OPENCODE,
    LANGFUSE,
    INSPECT_AI,
    OPENHANDS,
    SWE_AGENT,
    PI_AGENT,
    AI_SDK,
    TAU_BENCH,
    TAU2_BENCH,
)
"""Every known source."""
