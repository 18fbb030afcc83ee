"""Hooks as a scenario says them: when they speak, what comes of it, and that each is heard by our executor."""

from typing import Any

from executor.events import Kind
from scenarios import Call, Scenario, loads
from sim import Run, simulate


def outcomes(run: Run) -> list[tuple[str, str]]:
    return [(result.call_id, result.outcome.value) for result in run.results]


def instants_ms(run: Run, kind: Kind) -> dict[str | None, int]:
    return {event.call: event.t_ns // 1_000_000 for event in run.events if event.kind is kind}


def attachments(run: Run) -> dict[str, list[tuple[str, Any]]]:
    return {
        result.call_id: [(one.kind, one.content) for one in result.attachments]
        for result in run.results
        if result.attachments
    }


def test_exit_statuses_of_hooks_block_or_warn_and_one_that_cannot_be_launched_keeps_its_call_from_running() -> None:
    """H7, B077."""
    run = simulate(
        loads("""
        tools: {Task: {safe: true}}
        calls:
          - {id: h0, tool: Task, takes: 0.1, pre_hook: {takes: 0.5, exit: 0}}
          - {id: h2, tool: Task, takes: 0.1, pre_hook: {takes: 0.5, exit: 2, stderr: "no"}}
          - {id: h1, tool: Task, takes: 0.1, pre_hook: {takes: 0.5, exit: 1}}
          - {id: hx, tool: Task, takes: 0.1, pre_hook: {launch_error: true}}
        """)
    )
    assert outcomes(run) == [("h0", "ok"), ("h2", "hook_blocked"), ("h1", "ok"), ("hx", "hook_failed")]
    assert instants_ms(run, Kind.ENTERED) == {"h0": 500, "h1": 500}
    assert attachments(run) == {
        "h1": [("hook_warning", "exit status 1")],
        "hx": [("hook_error", "it cannot be launched")],
    }


def test_the_seven_things_a_hook_may_say_before_a_body_each_count() -> None:
    """H1: message, permission, updated input, prevent-continuation, stop reason, additional context, stop."""
    run = simulate(
        Scenario(
            calls=[
                Call(id="message", pre_hook={"message": "hello"}),
                Call(id="deny", pre_hook={"permission": "deny", "reason": "not here"}),
                Call(id="input", pre_hook={"rewrite": {"input": {"path": "b"}}}, input={"path": "a"}),
                Call(id="prevent", pre_hook={"prevents_continuation": True, "stop_reason": "enough"}),
                Call(id="context", pre_hook={"context": "lint: ok"}),
                Call(id="stop", pre_hook={"stop": "no more"}),
            ]
        )
    )
    assert outcomes(run) == [
        ("message", "ok"), ("deny", "denied"), ("input", "ok"), ("prevent", "ok"), ("context", "ok"),
        ("stop", "hook_blocked"),
    ]  # fmt: skip
    assert attachments(run) == {
        "message": [("hook_message", "hello")],
        "prevent": [("hook_prevented_continuation", "enough")],
        "context": [("hook_context", "lint: ok")],
    }
    assert {event.call: event.detail["input"] for event in run.events if event.kind is Kind.ENTERED} == {
        "message": {}, "input": {"path": "b"}, "prevent": {}, "context": {},
    }  # fmt: skip


def test_a_hook_that_hangs_is_covered_by_the_calls_deadline() -> None:
    """X5, B044."""
    run = simulate(
        loads("""
        tools: {Read: {timeout: 2.0, pre_hook: {takes: hang}}, Glob: {}}
        calls: [{id: r, tool: Read, takes: 0.1}, {id: g, tool: Glob, takes: 0.1}]
        """)
    )
    assert outcomes(run) == [("r", "timeout"), ("g", "ok")]
    assert run.makespan_s == 2.0
    assert attachments(run) == {"r": [("hook_cancelled", "cut off because the call was stopped")]}


def test_a_hook_has_a_deadline_of_its_own_and_fails_closed_only_where_it_is_told_to() -> None:
    """H7: late or raising, it is reported; what it said before counts."""
    text = """
        hooks:
          - {name: slow, takes: hang, timeout: 1, speaks_first: true, message: begun}
          - {name: broken, takes: 0.5, raises: no disk}
          - {name: strict, tools: Edit, takes: hang, timeout: 1, fail_closed: true}
        tools: {Read: {}, Edit: {safe: false}}
        calls: [{id: r, takes: 0.1}, {id: e, tool: Edit}]
    """
    run = simulate(loads(text))
    assert outcomes(run) == [("r", "ok"), ("e", "hook_failed")]
    said = [("hook_message", "begun"), ("hook_error", "no answer within 1 s"), ("hook_error", "no disk")]
    assert attachments(run) == {"r": said, "e": [*said, ("hook_error", "no answer within 1 s")]}
    assert instants_ms(run, Kind.ENTERED) == {"r": 1000}
    assert run.makespan_s == 2.1


def test_a_stubborn_hook_holds_its_call_no_longer_than_the_grace_and_is_listed() -> None:
    """A9, H7, E10."""
    text = """
        options: {grace: 500ms}
        hooks: [{name: stone, takes: hang, timeout: 1, stubborn: true}]
        calls: [{id: a, takes: 0.1}]
    """
    run = simulate(loads(text))
    assert (outcomes(run), run.makespan_s, run.trouble) == ([("a", "ok")], 1.6, None)
    assert run.events[-1].detail["abandoned"] == ["a: hook stone"]


def test_the_last_rewrite_in_order_of_registration_counts_however_long_each_took() -> None:
    """H8."""
    text = """
        hooks:
          - {name: slow, takes: 2, rewrite: {input: {path: slow}}}
          - {name: quick, takes: 1, rewrite: {input: {path: quick}}}
        calls: [{id: a, input: {path: own}}]
    """
    (entered,) = (event for event in simulate(loads(text)).events if event.kind is Kind.ENTERED)
    assert (entered.t_ns, entered.detail["input"]) == (2_000_000_000, {"path": "quick"})


def test_a_rewrite_that_makes_a_safe_call_exclusive_waits_until_all_before_it_are_over() -> None:
    """H8: instants to the nanosecond, under both engines."""
    scenario = loads("""
        calls:
          - {id: a, takes: 2}
          - {id: b, takes: 1, pre_hook: {takes: 0.5, rewrite: {input: {command: rm}, safe: false}}}
          - {id: c, takes: 1}
          - {id: d, at: 600ms, takes: 1}
    """)
    run = simulate(scenario)
    assert instants_ms(run, Kind.ENTERED) == {"a": 0, "c": 0, "b": 2000, "d": 3000}
    assert instants_ms(run, Kind.HARDENED) == {"b": 500}
    assert instants_ms(simulate(scenario, "batch"), Kind.ENTERED) == {"a": 600, "c": 600, "d": 600, "b": 2600}


def test_a_shells_rewritten_command_is_classed_anew_and_an_invalid_rewrite_is_answered_as_such() -> None:
    """H8, R1, X1."""
    text = """
        tools: {Bash: {safe: by_command}}
        calls:
          - {id: a, tool: Bash, takes: 2, input: {command: ls}}
          - {id: b, tool: Bash, takes: 1, input: {command: ls}, pre_hook: {rewrite: {input: {command: rm x}}}}
          - {id: c, tool: Bash, takes: 1, input: {command: ls}, pre_hook: {rewrite: {valid: false}}}
    """
    run = simulate(loads(text))
    assert outcomes(run) == [("a", "ok"), ("b", "ok"), ("c", "invalid_input")]
    assert instants_ms(run, Kind.ENTERED) == {"a": 0, "b": 2000}
    assert [event.detail["safe"] for event in run.events if event.kind is Kind.BLOCK] == [True, True, True]


def test_hooks_after_a_body_add_context_prevent_continuation_and_replace_what_an_mcp_tool_said() -> None:
    """H5, B011."""
    text = """
        tools:
          Write: {safe: false, post_hook: {takes: 1, context: "lint: ok"}}
          mcp__web__get: {post_hook: {output: shorter}}
          Read: {post_hook: {output: other, prevents_continuation: true}, failure_hook: {context: look again}}
        calls:
          - {id: w1, tool: Write, takes: 0.1}
          - {id: w2, tool: Write, takes: 0.1}
          - {id: m, tool: mcp__web__get}
          - {id: r, tool: Read}
          - {id: f, tool: Read, ends: error}
    """
    run = simulate(loads(text))
    assert instants_ms(run, Kind.ENTERED) == {"w1": 0, "w2": 1100, "m": 2200, "r": 2200, "f": 2200}
    assert [result.content for result in run.results] == ["w1: ok", "w2: ok", "shorter", "r: ok", "f: error"]
    assert attachments(run)["r"] == [
        ("hook_warning", "the output of Read stays as it is: only that of MCP tools can be replaced"),
        ("hook_prevented_continuation", ""),
    ]
    assert [block["type"] for block in run.messages[-1]["content"]] == ["tool_result"] * 5 + ["text"] * 3
    assert run.messages[-1]["content"][-1]["text"] == "look again"


def test_a_hook_hears_only_the_tools_it_is_about() -> None:
    """H1: names, globs and retired names."""
    text = """
        hooks: [{name: one, tools: "Old | mcp__*", message: heard}]
        tools: {Read: {aliases: [Old]}, mcp__a: {}, Edit: {}}
        calls: [{id: r, tool: Read}, {id: o, tool: Old}, {id: m, tool: mcp__a}, {id: e, tool: Edit}]
    """
    assert set(attachments(simulate(loads(text)))) == {"r", "o", "m"}
