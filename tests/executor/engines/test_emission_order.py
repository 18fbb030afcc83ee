"""What may be handed on: ordered and eager, without a loop (E6)."""

from hypothesis import given
from hypothesis import strategies as st

from executor.engines.emission import EagerEmission, Emission


def taken(emission: Emission[int]) -> list[int]:
    """Take what may be taken now."""
    indexes = []
    while (index := emission.take()) is not None:
        indexes.append(index)
    return indexes


def play(emission: Emission[int], completions: list[int]) -> list[list[int]]:
    """Complete calls one by one, to a prompt consumer."""
    steps = []
    for index in completions:
        emission.complete(index, index)
        steps.append(taken(emission))
    return steps


def eager(exclusive: int | None = None) -> EagerEmission[int]:
    """Eager emission while the exclusive call of that place executes."""
    return EagerEmission(lambda: exclusive)


def test_ordered_hands_on_nothing_past_a_call_that_has_not_been() -> None:
    """E6: c, a, b finishing in that order are handed on a, b, c."""
    assert play(Emission(), [2, 0, 1]) == [[], [0], [1, 2]]


def test_eager_hands_on_whatever_is_completed_in_request_order() -> None:
    """E6: the published walk, where nothing exclusive executes."""
    assert play(eager(), [2, 0, 1]) == [[2], [0], [1]]
    emission = eager()
    for index in (3, 1, 2):
        emission.complete(index, index)
    assert taken(emission) == [1, 2, 3]


def test_eager_stops_at_the_executing_exclusive_call_and_only_there() -> None:
    """E6: what lies before it in request order goes out, what lies behind waits."""
    executing: list[int | None] = [2]
    emission = EagerEmission[int](lambda: executing[-1])
    for index in (4, 0, 1):
        emission.complete(index, index)
    assert taken(emission) == [0, 1]
    assert not emission.may_take()
    executing.append(None)
    assert taken(emission) == [4]


def test_what_waits_is_told_in_request_order() -> None:
    """E12: in either order of emission."""
    for emission in (Emission[int](), eager(exclusive=1)):
        for index in (3, 1, 2):
            emission.complete(index, index)
        assert (emission.waiting, emission.is_empty) == ([1, 2, 3], False)
    assert (Emission[int]().waiting, eager().is_empty) == ([], True)


def test_asking_whether_there_is_something_takes_nothing() -> None:
    """E8."""
    emission = Emission[int]()
    assert not emission.may_take()
    emission.complete(0, 0)
    assert emission.may_take()
    assert emission.may_take()
    assert taken(emission) == [0]
    assert not emission.may_take()


@given(st.permutations(range(12)))
def test_ordered_is_request_order_for_every_order_of_completion(completions: list[int]) -> None:
    """E6, P4."""
    steps = play(Emission(), completions)
    assert [index for step in steps for index in step] == list(range(12))
    for done, step in enumerate(steps, start=1):
        finished = set(completions[:done])
        waiting = next((index for index in range(12) if index not in finished), 12)
        assert sum(len(earlier) for earlier in steps[:done]) == waiting, step


@given(st.permutations(range(8)), st.none() | st.integers(0, 7))
def test_eager_is_the_published_walk_step_by_step(completions: list[int], exclusive: int | None) -> None:
    """E6: walk all calls in order, hand on each completed one, stop only at an executing exclusive call."""
    handed: set[int] = set()
    for done, step in enumerate(play(eager(exclusive), completions), start=1):
        walk = []
        for index in range(8):
            if index == exclusive:
                break
            if index in completions[:done] and index not in handed:
                walk.append(index)
        assert step == walk
        handed |= set(walk)
