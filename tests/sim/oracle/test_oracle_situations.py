"""Reached situations: counted from the log alone, and those of a scope that were never reached are named."""

import pytest

from sim.oracle import SITUATIONS, situations, unreached

CASCADE = """
    0 block a Bash safe
    0 entered a
    0 block b Read safe
    0 entered b
    1 block c Edit exclusive
    2 left a error
    2 result a error
    2 signalled b sibling_error
    2 left b cancelled
    2 block d Read safe
    2 result b sibling_error
    2 result c sibling_error
    2 result d sibling_error
    2 turn_ended completed
"""


def test_a_cascade_reaches_running_queued_and_later_calls(log, head):
    reached = situations(head(cascade="any"), log(CASCADE))
    assert reached == {
        "an exclusive call waited behind running ones": 1,
        "two bodies ended at one instant": 1,
        "a body was stopped": 1,
        "a cascade hit a running sibling": 1,
        "a cascade hit a queued call": 1,
        "a block arrived after a cascade": 1,
        "a block arrived at the instant of an end": 1,
    }


USERS = """
    0 block a Read safe
    0 entered a
    0 block b Edit safe
    0 entered b
    0 block q Edit exclusive
    1 submit force took_effect
    1 signalled a user_interrupted
    1 left a ok
    1 stop
    1 signalled b user_interrupted
    2 left b raised
    2 consumer_left left
    2 turn_ended left a:ok b:user_interrupted q:user_interrupted
"""


def test_what_a_user_does_to_running_and_queued_calls_is_told_apart(log, head):
    assert set(situations(head(), log(USERS))) == {
        "an exclusive call waited behind running ones",
        "a submit met a block call",
        "a forced submit stopped some and spared others",
        "a body returned normally after its signal",
        "a stop and a completion fell on one instant",
        "a stop met a block call",
        "a stop came after a submit",
        "a body was stopped",
        "a stop hit a queued call",
        "a submit hit a queued call",
        "a closing report listed results",
    }


DISCARD = """
    0 block a Read safe
    0 entered a
    1 left a ok
    1 result a ok
    1 block b Edit exclusive
    1 entered b
    1 block q Edit exclusive
    2 discard 0 a effect:b
    2 signalled b streaming_fallback
    2 left b raised
    3 block c Read safe 1
    3 entered c
    4 left c ok
    4 result c ok
    4 turn_ended completed
"""


def test_what_a_discard_met_is_told_apart(log, head):
    assert set(situations(head(), log(DISCARD))) == {
        "a block arrived at the instant of an end",
        "an exclusive call waited behind running ones",
        "a discard met a running exclusive call",
        "a discard met a queued call",
        "a discard took a result back",
        "a body was stopped",
        "a retry ran",
    }


def test_situations_never_reached_are_named_in_the_order_of_the_register():
    names = [situation.name for situation in SITUATIONS]
    assert len(set(names)) == len(names)
    scope = unreached({})
    assert scope == [situation.name for situation in SITUATIONS if not situation.needs]
    assert unreached({scope[0]: 3}) == scope[1:]


@pytest.mark.parametrize("features", [["hooks"], ["attempts", "background", "deadline", "hooks", "questions"]])
def test_a_scope_contains_what_its_features_allow(features):
    more = set(unreached({}, features)) - set(unreached({}))
    assert more == {situation.name for situation in SITUATIONS if situation.needs and situation.needs <= set(features)}
    assert more
