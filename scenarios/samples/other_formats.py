"""The small recordings in ``formats/``, one in the format of each source besides session transcripts.

The rule: a source that can be read has a file here. Times are seconds from the recording's beginning.
"""

from . import agent_formats, api_formats
from .story import events, lines


def other_formats() -> dict[str, bytes]:
    """Give the name and bytes of every file in ``formats/``."""
    messages = [*api_formats.messages_events("m1", "a", "b"), *api_formats.messages_events("m2", "c")]
    return {
        "stream_json.jsonl": agent_formats.stream_json(),
        "messages.sse": events(*messages).encode(),
        "messages.jsonl": lines(*messages),
        "messages.cassette.yaml": api_formats.cassette(),
        "codex_rollout.jsonl": agent_formats.codex_rollout(),
        "codex_exec.jsonl": agent_formats.codex_exec(),
        "copilot_events.jsonl": agent_formats.copilot(),
        "gemini_session.json": agent_formats.gemini(),
        "gemini_answers.jsonl": api_formats.gemini_api(),
        "openai_responses.sse": api_formats.openai_responses(),
        "openai_chat.jsonl": api_formats.openai_chat(),
        "opencode.jsonl": agent_formats.opencode(),
        "langfuse.json": agent_formats.langfuse(),
        "inspect.json": agent_formats.inspect_log(),
        "inspect.eval": agent_formats.inspect_archive(),
        "openhands.jsonl": agent_formats.openhands(),
        "swe_agent.traj": agent_formats.swe_agent(),
        "event_log.jsonl": agent_formats.event_log(),
        "pi_session.jsonl": agent_formats.pi_session(),
        "pi_events.jsonl": agent_formats.pi_events(),
        "ai_sdk.sse": api_formats.ai_sdk().encode(),
        "tau_bench.json": agent_formats.tau_bench(),
        "tau2_bench.json": agent_formats.tau2_bench(),
    }
