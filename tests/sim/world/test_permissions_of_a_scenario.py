"""Rules, questions and answers as a scenario says them, to the instant."""

from executor.events import Kind
from scenarios import loads
from sim import Run, simulate


def outcomes(run: Run) -> dict[str, str]:
    return {result.call_id: result.outcome.value for result in run.results}


def instants_ms(run: Run, kind: Kind) -> dict[str | None, int]:
    return {event.call: event.t_ns // 1_000_000 for event in run.events if event.kind is kind}


def test_a_persons_refusal_ends_the_turn_and_every_open_call_is_answered() -> None:
    """A4, H4, B035: ``deny`` in a field case is what a person does."""
    run = simulate(
        loads("""
        tools: {Fetch: {approval: true}, Read: {}}
        calls: [{id: r, tool: Read, takes: 5}, {id: f, tool: Fetch, takes: 5}, {id: r2, tool: Read, takes: 0.1}]
        events: [{at: 1.0, do: deny, id: f}]
        """)
    )
    assert outcomes(run) == {"r": "user_interrupted", "f": "denied", "r2": "ok"}
    assert [(event.t_ns, event.call, event.detail) for event in run.events if event.kind is Kind.REFUSED] == [
        (1_000_000_000, "f", {"by": "person"})
    ]
    assert run.events[-1].detail["how"] == "stopped"


def test_where_nobody_is_asked_a_call_that_needs_approval_is_denied_at_once() -> None:
    """H4, B081."""
    run = simulate(
        loads("""
        permissions: {asker: none}
        tools: {Bash: {safe: false, approval: true}, Read: {}}
        calls: [{id: b, tool: Bash, takes: 1}, {id: r, tool: Read, takes: 0.1}]
        """)
    )
    assert (outcomes(run), run.makespan_s) == ({"b": "denied", "r": "ok"}, 0.1)


def test_an_answer_at_an_instant_reaches_the_question_and_one_before_it_waits_for_it() -> None:
    """X7, B119: the question is asked when the hook is over, at 2.2 s."""
    text = """
        tools: {Bash: {safe: false, approval: true, pre_hook: {takes: 0.2}}, Read: {}}
        calls: [{id: r, tool: Read, takes: 2}, {id: b, tool: Bash, at: 0.5, takes: 1}]
        events: [{at: %s, do: allow, id: b}]
    """
    assert instants_ms(simulate(loads(text % "10")), Kind.ENTERED) == {"r": 0, "b": 10_000}
    early = simulate(loads(text % "1"))
    assert instants_ms(early, Kind.QUESTION_ASKED)["b"] == instants_ms(early, Kind.ENTERED)["b"] == 2200


def test_several_open_questions_are_answered_in_any_order_and_a_calls_own_answer_counts_most() -> None:
    """H4, B039."""
    run = simulate(
        loads("""
        permissions: {answer: {says: allow, after: 3}}
        tools: {Bash: {approval: true, answer: {says: allow, after: 2}}, Get: {approval: true}}
        calls:
          - {id: plain, tool: Get}
          - {id: tool, tool: Bash}
          - {id: own, tool: Bash, answer: {says: allow, after: 1}}
          - {id: no, tool: Bash, answer: {says: deny, after: 1, reason: policy}}
        """)
    )
    assert instants_ms(run, Kind.QUESTION_ANSWERED) == {"own": 1000, "no": 1000, "tool": 2000, "plain": 3000}
    assert outcomes(run) == {"plain": "ok", "tool": "ok", "own": "ok", "no": "denied"}
    assert run.events[-1].detail["how"] == "completed"


def test_a_question_that_is_never_answered_has_a_deadline_and_the_turn_goes_on() -> None:
    """X5, H4."""
    text = """
        permissions: {timeout: 2}
        tools: {Ask: {approval: true, answer: never}}
        calls: [{id: a, tool: Ask, takes: 1}]
    """
    run = simulate(loads(text))
    assert (outcomes(run), run.makespan_s, run.events[-1].detail["how"]) == ({"a": "denied"}, 2.0, "completed")


def test_an_allowing_person_may_give_another_input_whose_class_is_decided_anew() -> None:
    """H2, H8: and what a rule forbids they cannot allow (H3)."""
    text = """
        permissions: {deny: ["Bash(rm:*)"], ask: [Bash]}
        tools: {Bash: {safe: by_command}}
        calls:
          - {id: a, tool: Bash, takes: 3, input: {command: ls}, answer: allow}
          - id: b
            tool: Bash
            input: {command: ls}
            answer: {says: allow, after: 1, rewrite: {input: {command: touch x}}}
          - {id: c, tool: Bash, input: {command: ls}, answer: {says: allow, rewrite: {input: {command: rm x}}}}
    """
    run = simulate(loads(text))
    assert instants_ms(run, Kind.ENTERED) == {"a": 0, "b": 3000}
    assert outcomes(run) == {"a": "ok", "b": "ok", "c": "denied"}
    assert [event.detail["input"]["command"] for event in run.events if event.kind is Kind.ENTERED] == ["ls", "touch x"]
    assert run.header["rules"] == {"deny": ["Bash(rm:*)"], "ask": ["Bash"], "allow": []}


def test_an_interactive_tool_asks_whatever_the_rules_allow_unless_a_hook_gave_the_input() -> None:
    """H2."""
    text = """
        permissions: {allow: [Ask]}
        tools: {Ask: {interactive: true, answer: {says: allow, after: 1}}}
        calls:
          - {id: a, tool: Ask}
          - {id: h, tool: Ask, pre_hook: {permission: allow}}
          - {id: i, tool: Ask, pre_hook: {permission: allow, rewrite: {input: {answer: 7}}}}
    """
    run = simulate(loads(text))
    assert instants_ms(run, Kind.ENTERED) == {"i": 0, "a": 1000, "h": 1000}


def test_hooks_and_permissions_see_what_is_filled_in_and_the_body_does_not() -> None:
    """X2."""
    text = """
        permissions: {deny: ["Read(/home/**)"]}
        tools: {Read: {backfill: {path: /home/me/a}}, Look: {backfill: {path: /src/a}}}
        calls: [{id: r, input: {path: a}}, {id: l, tool: Look, input: {path: a}}]
    """
    run = simulate(loads(text))
    assert outcomes(run) == {"r": "denied", "l": "ok"}
    assert [event.detail["input"] for event in run.events if event.kind is Kind.ENTERED] == [{"path": "a"}]


def test_where_somebody_is_there_a_call_that_nobody_spoke_of_may_run_or_is_asked() -> None:
    """H2."""
    text = "permissions: {asker: person, default: %s, answer: {says: allow, after: 1}}\ncalls: [{id: a}]"
    assert simulate(loads(text % "allow")).makespan_s == 0
    assert simulate(loads(text % "ask")).makespan_s == 1
