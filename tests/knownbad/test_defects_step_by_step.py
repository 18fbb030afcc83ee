"""Executors driven step by step: good ones keep every rule at every step, a bad one is caught in the fewest steps."""

import re

import pytest
from defects import engine_of
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from plain import Plain
from scheduling import OneSided
from stopping import CulpritToo, EveryToolCascades, ForeignCancel, RunsOn, StartsAfterStop

from sim import executor_machine

SOME = settings(
    max_examples=max(50, settings().max_examples // 10),
    stateful_step_count=20,
    suppress_health_check=[HealthCheck.too_slow],
)
MANY = settings(
    max_examples=1_000,
    stateful_step_count=4,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.parametrize(
    "engine", ["streaming", "batch", "serial", engine_of(Plain)], ids=["streaming", "batch", "serial", "plain"]
)
def test_a_good_executor_keeps_every_rule_after_every_step(engine) -> None:
    """SPEC 10: safety on every prefix, everything at the end."""
    run_state_machine_as_test(executor_machine(engine), settings=SOME)


FEWEST = {
    OneSided: ("S1", "add(takes=1, tool='Read'); add(takes=0, tool='Edit')"),
    RunsOn: ("L3", "add(takes=1, tool='Read'); close()"),
    CulpritToo: ("F3", "add_failing(ends='error', takes=0, tool='Bash')"),
}


@pytest.mark.parametrize("kind", FEWEST, ids=lambda kind: kind.__name__)
def test_a_bad_executor_is_caught_in_the_fewest_steps(kind: type[Plain]) -> None:
    rule, steps = FEWEST[kind]
    with pytest.raises(AssertionError) as caught:
        run_state_machine_as_test(executor_machine(engine_of(kind)), settings=MANY)
    assert f"{rule} broken" in str(caught.value)
    notes = "\n".join(caught.value.__notes__)
    done = re.findall(r"^state\.(?!holds_so_far|teardown)(.*)$", notes, re.MULTILINE)
    assert "; ".join(done) == steps


@pytest.mark.parametrize(
    ("kind", "rules"),
    [(EveryToolCascades, "F2"), (StartsAfterStop, "F4"), (ForeignCancel, "F2|S3")],
)
def test_what_takes_a_failure_and_another_call_is_found_step_by_step(kind: type[Plain], rules: str) -> None:
    """A3, A7, A12: most runs have calls, many of them some that fail."""
    with pytest.raises(AssertionError, match=rf"\b({rules}) broken"):
        run_state_machine_as_test(executor_machine(engine_of(kind)), settings=settings(MANY, phases=[Phase.generate]))
