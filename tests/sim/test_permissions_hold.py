"""No body before its permission, no deny rule ever beaten: random hooks, rules, rewrites and people (H2, H3, N1)."""

from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from executor.events import Kind
from scenarios import Call, Scenario, strategies
from sim import simulate

GUARDS: tuple[strategies.Feature, ...] = ("hooks", "rewrites", "rules", "questions")
BESIDE: tuple[strategies.Feature, ...] = ("refusals", "deadlines", "overrides")
PLAIN = [feature for feature in strategies.FEATURES if feature not in (*GUARDS, *BESIDE)]
ENGINES = ("streaming", "batch", "serial")
REACHED: Counter[str] = Counter()


def denies(scenario: Scenario, call: Call, command: object) -> bool:
    """Whether a deny rule of the scenario meets a command of this call's tool: read here once more, by itself."""
    for text in scenario.permissions.deny:
        tool, _, pattern = text.rstrip(")").partition("(")
        if tool in ("*", call.tool) and pattern in ("", command):
            return True
    return False


def test_no_body_runs_before_its_permission_or_against_a_deny_rule() -> None:
    """And a run of the property that never met a denial, an answer or a rewrite would prove nothing."""
    holds()
    reached = "denied by rule", "denied by hook", "denied by person", "denied by nobody", "answered", "hardened"
    assert {name for name in (*reached, "rewritten") if not REACHED[name]} == set()


@settings(max_examples=max(500, settings().max_examples), suppress_health_check=[HealthCheck.too_slow])
@given(strategies.turns(5, min_calls=1, without=PLAIN, always=GUARDS), st.sampled_from(ENGINES))
def holds(scenario: Scenario, engine: str) -> None:
    run = simulate(scenario, engine)  # type: ignore[arg-type]
    assert run.trouble is None
    calls = {call.id: call for call in scenario.calls}
    permitted: set[str | None] = set()
    open_questions: set[str | None] = set()
    for event in run.events:
        match event.kind:
            case Kind.PERMITTED:
                assert event.call not in open_questions
                permitted.add(event.call)
            case Kind.QUESTION_ASKED:
                open_questions.add(event.call)
            case Kind.QUESTION_ANSWERED:
                open_questions.discard(event.call)
                REACHED["answered"] += 1
            case Kind.DENIED:
                assert event.call not in permitted
                REACHED[f"denied by {event.detail['by']}"] += 1
            case Kind.ENTERED:
                assert event.call is not None
                call = calls[event.call]
                given_input = event.detail.get("input", call.input)
                assert call.id in permitted or not is_guarded(scenario, call)
                assert not denies(scenario, call, given_input.get("command")), (call.id, given_input)
                REACHED["rewritten"] += given_input != call.input
            case Kind.HARDENED:
                REACHED["hardened"] += 1


def is_guarded(scenario: Scenario, call: Call) -> bool:
    """Whether this call may not run without a word from anybody."""
    tool = scenario.tool_of(call)
    rules = scenario.permissions.deny or scenario.permissions.ask or scenario.permissions.allow
    return bool(scenario.hooks or rules or scenario.has_asker or tool.approval or tool.interactive)
