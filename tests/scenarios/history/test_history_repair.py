"""Repaired histories: valid, with everything that was done told, and nothing changed that was right."""

import json
from copy import deepcopy

import pytest

from scenarios.history import lint, repair
from scenarios.history.words import MOVED, NO_RESULT


def shape(messages) -> list[str]:
    """Write messages as the ``history`` fixture reads them; a result that was written here is ``!ID``."""
    words = []
    for message in messages:
        line = [message["role"][0]]
        for block in (
            [{"type": "text", "text": message["content"]}]
            if isinstance(message["content"], str)
            else message["content"]
        ):
            match block["type"]:
                case "tool_use":
                    line.append(f"c:{block['id']}")
                case "tool_result":
                    made = block["content"] == NO_RESULT and block["is_error"]
                    line.append(f"{'!' if made else 'r:'}{block['tool_use_id']}")
                case "text":
                    line.append("MOVED" if block == MOVED else block["text"].split("\n")[0].replace(" ", "_"))
        words.append(" ".join(line))
    return words


@pytest.mark.parametrize(
    ("broken", "mended", "deeds"),
    [
        (["a c:1", "u hello"], ["a c:1", "u !1 hello"], ["[0].0 1 has no result, and is given one that says so"]),
        (
            ["a c:1 c:2", "u r:2", "a done"],
            ["a c:1 c:2", "u !1 r:2", "a done"],
            ["[0].0 1 has no result, and is given one that says so"],
        ),
        (
            ["a c:1", "u r:1 r:1 ok"],
            ["a c:1", "u r:1 ok"],
            ["[1].1 one more result of 1, taken out; that at messages[1].content[0] is kept"],
        ),
        (
            ["u r:ghost hi", "a hello"],
            ["u [tool_result_of_ghost,_which_answers_no_call_of_this_history] hi", "a hello"],
            ["[0].0 ghost: a tool_result that pairs with nothing, made text"],
        ),
        (
            ["a c:1", "u r:1", "a c:1", "u r:1"],
            ["a c:1", "u r:1", "a c:1_2", "u r:1_2"],
            ["[2].0 its id 1 is used before: the call is now 1_2"],
        ),
        (["a c:1 c:1", "u r:1"], ["a c:1", "u r:1"], ["[0].1 a copy of the call 1, taken out"]),
        (
            ["a c:1", "u hello", "a well", "u r:1", "a done"],
            ["a c:1", "u r:1 hello", "a well", "u MOVED", "a done"],
            ["[3].0 the result of 1 is moved to the message after its call"],
        ),
        (
            ["u r:1", "a c:1"],
            ["u MOVED", "a c:1", "u r:1"],
            ["[0].0 the result of 1 is moved to the message after its call"],
        ),
        (
            ["a c:1 r:1", "u hello"],
            ["a c:1", "u r:1 hello"],
            ["[0].1 the result of 1 is moved to the message after its call"],
        ),
        (
            ["a c:1", "u note r:1"],
            ["a c:1", "u r:1 note"],
            ["[1].1 the results of this response now stand first, in one message, in the order of their calls"],
        ),
        (
            ["a c:1 c:2", "u r:1", "u r:2", "u hello"],
            ["a c:1 c:2", "u r:1 r:2", "u hello"],
            ["[1].0 the results of this response now stand first, in one message, in the order of their calls"],
        ),
        (
            ["a c:1 c:2", "u r:2 r:1"],
            ["a c:1 c:2", "u r:1 r:2"],
            ["[1].0 the results of this response now stand first, in one message, in the order of their calls"],
        ),
    ],
)
def test_each_kind_of_fault_is_mended_and_told(history, broken, mended, deeds) -> None:
    """P1, P2, P3, W7."""
    messages = history(*broken)
    before = deepcopy(messages)
    repaired = repair(messages)
    assert shape(repaired.messages) == mended
    assert [f"[{deed.place.message}].{deed.place.block} {deed.what}" for deed in repaired.deeds] == deeds
    assert lint(repaired.messages) == []
    assert messages == before


def test_a_valid_history_is_handed_on_object_by_object(history) -> None:
    """B016."""
    messages = history("u go", "a look c:1 c:2", "u r:1 r:2 thanks", "a c:3")
    repaired = repair(messages)
    assert repaired.deeds == []
    assert all(one is other for one, other in zip(repaired.messages, messages, strict=True))


def test_messages_in_which_nothing_is_wrong_stay_the_objects_they_were(history) -> None:
    messages = history("u go", "a c:1", "u r:1 r:1", "a done")
    repaired = repair(messages)
    assert [one is other for one, other in zip(repaired.messages, messages, strict=True)] == [True, True, False, True]


def test_which_of_two_results_stays_is_for_the_caller_to_say_and_the_other_is_handed_back(history) -> None:
    """B005: some keep the first, some the last."""
    messages = history("a c:1", "u r:1", "u r:1")
    messages[1]["content"][0]["content"] = "cancelled"
    messages[2]["content"][0]["content"] = "built ok"
    first, last = repair(messages), repair(messages, keep="last")
    assert [first.messages[1]["content"][0]["content"], first.deeds[0].taken["content"]] == ["cancelled", "built ok"]
    assert [last.messages[1]["content"][0]["content"], last.deeds[0].taken["content"]] == ["built ok", "cancelled"]
    assert last.deeds[0].what == "one more result of 1, taken out; that at messages[2].content[0] is kept"


def test_calls_that_the_history_ends_with_are_answered_when_asked_for(history) -> None:
    """B001, B002: nobody will go on with them."""
    messages = history("u go", "a c:1 c:2")
    assert repair(messages).deeds == []
    assert shape(repair(messages, close=True).messages) == ["u go", "a c:1 c:2", "u !1 !2"]


def test_a_call_without_an_id_is_given_one_of_its_own(history) -> None:
    """B008: never a constant; its result cannot be told and becomes text."""
    repaired = repair(history("a c: c:", "u r: hi", "a done"))
    assert shape(repaired.messages) == [
        "a c:call_0_0 c:call_0_1",
        "u !call_0_0 !call_0_1 [tool_result_of_no_id,_which_answers_no_call_of_this_history] hi",
        "a done",
    ]


def test_two_calls_of_one_id_that_ask_for_different_things_both_stay(history) -> None:
    """B007, E11: only a copy may go."""
    messages = history("a c:1 c:1", "u r:1")
    messages[0]["content"][1]["input"] = {"path": "other"}
    assert shape(repair(messages).messages) == ["a c:1 c:1_2", "u r:1 !1_2"]


def test_what_becomes_text_keeps_all_it_said(history) -> None:
    """B022: pictures too, where a user may show them."""
    messages = history("u r:ghost r:odd c:2 r:2", "a s:9", "u hello", "a done")
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    messages[0]["content"][0]["content"] = [{"type": "text", "text": "seen"}, picture]
    messages[0]["content"][1]["content"] = {"odd": "é"}
    repaired = repair(messages)
    said = repaired.messages[0]["content"]
    assert said[:3] == [
        {"type": "text", "text": "[tool_result of ghost, which answers no call of this history]"},
        {"type": "text", "text": "seen"},
        picture,
    ]
    assert [part["text"] for part in said[3:]] == [
        '[tool_result of odd, which answers no call of this history]\n{"odd": "é"}',
        '[tool_use 2, a call in a user\'s message]\nRead {"path": "2"}',
        "[tool_result of 2, which answers no call of this history]\nof 2",
    ]
    assert repaired.messages[1]["content"][0]["text"] == (
        "[server_tool_use 9, a call without a result in this history]\nweb_search {}"
    )
    assert lint(repaired.messages) == []
    json.dumps(repaired.messages)
