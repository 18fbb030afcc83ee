"""The tools of other agents than the published one, and what is assumed of each beside others (E2, R1).

The rule: a class rests on what the agent's own source says of the tool, or else on what the tool does: what only reads
is safe, what changes anything is exclusive, a shell's class is its command's. What is not here is exclusive. No times
here.
"""

from typing import Final

from .tool_class import ASKS, EXCLUSIVE, READS, SAFE, ToolClass

_COMMAND: Final = ToolClass(cascades=True, command="command")
_CMD: Final = ToolClass(cascades=True, command="cmd")
_SHELL: Final = ToolClass(cascades=True)

AGENTS: Final[dict[str, dict[str, ToolClass]]] = {
    "Codex": {
        # Its source has a lock that calls of these share and all others take for themselves; its profile says so too.
        **dict.fromkeys(("exec_command", "shell", "shell_command", "local_shell"), _SHELL),
        "view_image": READS,
        # These read or look up, but take that lock alone.
        **dict.fromkeys(("tool_search", "list_mcp_resources", "read_mcp_resource", "web_search"), READS),
        # They change files, the plan, or a process that runs on.
        **dict.fromkeys(("apply_patch", "update_plan", "write_stdin", "file_change"), EXCLUSIVE),
        **dict.fromkeys(("spawn_agent", "send_input", "wait", "close_agent", "resume_agent"), EXCLUSIVE),
        "command_execution": _COMMAND,
        **dict.fromkeys(("request_user_input", "ask_question"), ASKS),
    },
    "Copilot CLI": {
        # Recorded calls of all of these overlap, which its profile says; by themselves they do what their names say.
        **dict.fromkeys(
            ("view", "grep", "glob", "web_fetch", "read_bash", "list_bash", "fetch_copilot_cli_docs"), READS
        ),
        **dict.fromkeys(("create", "edit", "str_replace_editor", "write_bash", "stop_bash", "update_todo"), EXCLUSIVE),
        **dict.fromkeys(("report_intent", "task"), SAFE),
        "bash": _COMMAND,
        "powershell": _SHELL,
        "ask_user": ASKS,
    },
    "Gemini CLI": {
        # Its source gives every tool a kind, and says that those that read, search or fetch may run in parallel.
        **dict.fromkeys(("read_file", "read_many_files", "list_directory", "glob", "web_fetch"), READS),
        **dict.fromkeys(("search_file_content", "grep_search", "google_web_search"), READS),
        # Kinds that edit, execute, think or plan may not.
        **dict.fromkeys(("write_file", "replace", "save_memory", "write_todos", "complete_task"), EXCLUSIVE),
        **dict.fromkeys(("activate_skill", "enter_plan_mode", "exit_plan_mode", "invoke_agent"), EXCLUSIVE),
        "run_shell_command": _COMMAND,
        "ask_user": ASKS,
    },
    "opencode": {
        # Its source runs the calls of a step side by side, with a lock for each file that is edited; by what they do:
        **dict.fromkeys(("read", "grep", "glob", "list", "webfetch", "websearch", "codesearch", "todoread"), READS),
        **dict.fromkeys(("edit", "multiedit", "write", "patch", "apply_patch", "todowrite", "skill"), EXCLUSIVE),
        "task": SAFE,
        "bash": _COMMAND,
        "question": ASKS,
    },
    "pi": {
        # Its source runs calls side by side unless a tool says that it is sequential; by what they do:
        **dict.fromkeys(("read", "grep", "find", "ls"), READS),
        **dict.fromkeys(("edit", "write"), EXCLUSIVE),
        "bash": _COMMAND,
    },
    "OpenHands": {
        # It runs one action after the other; by what they do:
        **dict.fromkeys(("web_read", "fetch"), READS),
        "think": SAFE,
        # Its editor both views and changes files.
        **dict.fromkeys(("str_replace_editor", "edit_file", "task_tracker", "finish"), EXCLUSIVE),
        **dict.fromkeys(("browser", "browser_interactive", "execute_ipython_cell"), EXCLUSIVE),
        "execute_bash": _COMMAND,
    },
    "SWE-agent": {
        # Its own commands, one a step. Those that look move the window that is open, which the next one starts from.
        **dict.fromkeys(("find_file", "search_dir", "search_file"), READS),
        **dict.fromkeys(("open", "goto", "scroll_up", "scroll_down", "set_cursors"), EXCLUSIVE),
        **dict.fromkeys(("edit", "create", "insert", "append", "submit", "exit_forfeit"), EXCLUSIVE),
        **dict.fromkeys(("connect_start", "connect_sendline", "connect_exec", "debug_start", "debug_step"), EXCLUSIVE),
        **dict.fromkeys(("decompile", "disassemble"), READS),
    },
    "Inspect AI": {
        # Its source says of a browser that its calls may not run in parallel, they share its page.
        **dict.fromkeys(
            (f"web_browser_{act}" for act in ("go", "click", "type", "type_submit", "scroll", "back", "forward")),
            EXCLUSIVE,
        ),
        **dict.fromkeys(("web_search", "think"), SAFE),
        **dict.fromkeys(("python", "bash_session", "text_editor", "memory", "update_plan", "submit"), EXCLUSIVE),
        "bash": _CMD,
    },
}
"""By the program's name, as its importer gives it, its tools by theirs."""

OTHERS: Final[dict[str, ToolClass]] = {
    # A step's action that is none of its own commands is a line for the shell.
    "SWE-agent": _COMMAND,
}
"""What a program's tools are that are not named, where that is not simply unknown."""
