"""Whether a call may run beside others: shell commands and MCP tools, judged from what they are asked to do."""
