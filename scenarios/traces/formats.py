"""All sources that can be read, in the order in which a record is held against them.

The rule: a new source is one module with its declaration, and one line here.
"""

from typing import Final

from .claude import CLAUDE_TRANSCRIPT
from .codex_exec import CODEX_EXEC
from .codex_rollout import CODEX_ROLLOUT
from .copilot import COPILOT_EVENTS
from .declaring import Format
from .messages_api import MESSAGES_API
from .stream_json import STREAM_JSON

FORMATS: Final[tuple[Format, ...]] = (
    CLAUDE_TRANSCRIPT,
    STREAM_JSON,
    MESSAGES_API,
    CODEX_ROLLOUT,
    CODEX_EXEC,
    COPILOT_EVENTS,
)
"""Every known source."""
