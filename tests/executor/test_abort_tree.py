"""The abort tree: down, never up; nothing kept alive, nothing left behind (A1)."""

import gc
import logging
import weakref

import pytest

from executor import AbortController
from executor.abort import AbortSignal


def test_an_abort_goes_down_to_every_level_with_its_reason() -> None:
    """A1."""
    turn = AbortController()
    siblings = AbortController(turn)
    calls = [AbortController(siblings) for _ in range(3)]
    turn.abort("user_interrupted")
    assert [level.signal.reason for level in (turn, siblings, *calls)] == ["user_interrupted"] * 5
    assert turn.signal.aborted


def test_an_abort_goes_neither_up_nor_sideways() -> None:
    """A1."""
    turn = AbortController()
    siblings = AbortController(turn)
    one, other = AbortController(siblings), AbortController(siblings)
    one.abort("timeout")
    assert [level.signal.reason for level in (turn, siblings, one, other)] == [None, None, "timeout", None]


def test_the_first_reason_stays() -> None:
    """A1, A6."""
    turn = AbortController()
    call = AbortController(turn)
    call.abort("sibling_error")
    turn.abort("user_interrupted")
    turn.abort("streaming_fallback")
    assert (call.signal.reason, turn.signal.reason) == ("sibling_error", "user_interrupted")


def test_a_child_made_under_an_aborted_parent_is_born_aborted_with_its_reason() -> None:
    """A1."""
    turn = AbortController()
    turn.abort("user_interrupted")
    child = AbortController(turn)
    grandchild = AbortController(child)
    assert child.signal.reason == grandchild.signal.reason == "user_interrupted"
    assert turn.child_count == child.child_count == 0


def test_a_signal_that_is_made_after_the_abort_has_fired() -> None:
    """A1: a call's is made when it is first asked for."""
    heard: list[str] = []
    signal = AbortSignal("timeout")
    signal.listen(heard.append)
    assert (signal.aborted, signal.reason, heard) == (True, "timeout", ["timeout"])


def test_a_listener_hears_the_reason_once_and_a_late_one_at_once() -> None:
    """A1."""
    turn = AbortController()
    heard: list[str] = []
    turn.signal.listen(heard.append)
    turn.abort("user_interrupted")
    turn.abort("timeout")
    turn.signal.listen(lambda reason: heard.append(f"late {reason}"))
    assert heard == ["user_interrupted", "late user_interrupted"]
    assert turn.signal.listener_count == 0


def test_a_listener_that_was_taken_back_hears_nothing() -> None:
    """A1."""
    turn = AbortController()
    heard: list[str] = []
    forget = turn.signal.listen(heard.append)
    turn.signal.listen(heard.append)
    forget()
    forget()
    assert turn.signal.listener_count == 1
    turn.abort("timeout")
    assert heard == ["timeout"]


def test_listeners_and_children_are_told_in_the_order_they_came_a_level_before_the_one_below() -> None:
    """A1: one order, in every process (D1)."""
    heard: list[str] = []
    turn = AbortController()
    children = [AbortController(turn) for _ in range(3)]
    for number, child in reversed(list(enumerate(children))):
        child.signal.listen(lambda _, number=number: heard.append(f"child {number}"))  # type: ignore[misc]
    for number in range(2):
        turn.signal.listen(lambda _, number=number: heard.append(f"turn {number}"))  # type: ignore[misc]
    turn.abort("timeout")
    assert heard == ["turn 0", "turn 1", "child 0", "child 1", "child 2"]


def test_a_parent_keeps_no_abandoned_child_alive() -> None:
    """A1."""
    turn = AbortController()
    child = AbortController(turn)
    gone = weakref.ref(child)
    assert turn.child_count == 1
    del child
    gc.collect()
    assert gone() is None
    assert turn.child_count == 0


def test_a_child_keeps_its_parent_so_that_it_can_still_hear_it() -> None:
    """A1."""
    turn = AbortController()
    call = AbortController(AbortController(turn))
    gc.collect()
    turn.abort("user_interrupted")
    assert call.signal.reason == "user_interrupted"


def test_ten_thousand_finished_calls_leave_no_child_and_no_listener() -> None:
    """A1."""
    turn = AbortController()
    siblings = AbortController(turn)
    kept = []
    for _ in range(10_000):
        call = AbortController(siblings)
        call.signal.listen(lambda reason: None)
        call.close()
        kept.append(call)
    assert (siblings.child_count, siblings.signal.listener_count) == (0, 0)
    assert (turn.child_count, turn.signal.listener_count) == (1, 0)
    siblings.close()
    assert turn.child_count == 0


def test_a_closed_child_is_not_reached_any_more() -> None:
    """A1."""
    turn = AbortController()
    call = AbortController(turn)
    call.close()
    call.close()
    turn.abort("user_interrupted")
    assert call.signal.reason is None


def test_an_aborted_child_leaves_its_parent() -> None:
    """A1."""
    turn = AbortController()
    call = AbortController(turn)
    call.abort("timeout")
    assert turn.child_count == 0


def test_a_listener_that_raises_keeps_the_abort_from_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """A1, A7: one tool's broken listener must not save its siblings from a stop."""
    turn = AbortController()
    first, second = AbortController(turn), AbortController(turn)
    heard: list[str] = []
    first.signal.listen(lambda reason: 1 / 0)  # type: ignore[arg-type, return-value]
    first.signal.listen(heard.append)
    second.signal.listen(heard.append)
    with caplog.at_level(logging.ERROR):
        turn.abort("user_interrupted")
    assert heard == ["user_interrupted", "user_interrupted"]
    assert caplog.messages == ["a listener of an abort signal raised; everybody else was told"]
    assert "ZeroDivisionError" in caplog.text


def test_an_owner_that_aborts_again_as_it_is_told_changes_nothing() -> None:
    """A1: the first reason stays, and everybody hears it once."""
    heard: list[str] = []

    def again(reason: str) -> None:
        heard.append(reason)
        turn.abort("timeout")

    turn = AbortController(on_abort=again)
    turn.signal.listen(heard.append)
    turn.abort("user_interrupted")
    assert (heard, turn.reason) == (["user_interrupted"] * 2, "user_interrupted")


def test_a_child_that_dies_while_the_abort_goes_round_does_not_break_it_off() -> None:
    """A1: a parent holds its children weakly, and a listener may drop the last reference to one."""
    turn = AbortController()
    first = AbortController(turn)
    dropped = [AbortController(turn)]
    last = AbortController(turn)
    first.signal.listen(lambda reason: dropped.clear())
    turn.abort("user_interrupted")
    assert last.signal.reason == "user_interrupted"


def test_a_child_made_while_the_abort_goes_round_is_aborted_too() -> None:
    """A1: it is born under an aborted parent."""
    turn = AbortController()
    born: list[AbortController] = []
    turn.signal.listen(lambda reason: born.append(AbortController(turn)))
    turn.abort("user_interrupted")
    assert born[0].signal.reason == "user_interrupted"
    assert turn.child_count == 0
