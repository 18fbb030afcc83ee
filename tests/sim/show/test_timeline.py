"""The text timeline: whole drawings of small turns."""

import re

import pytest
from rich.cells import cell_len

from executor.events import Event, Kind
from sim.oracle import Violation
from sim.show.amounts import precise
from sim.show.timeline import MAX_LANES, MIN_WIDTH, timeline

HEADER = {"engine": "streaming", "scenario": "two reads and a shell", "seed": 0}


def at(ms, kind, call=None, **detail):
    return Event(round(ms * 1_000_000), kind, call, detail)


def block(ms, call, tool, safe, **detail):
    return at(ms, Kind.BLOCK, call, tool=tool, safe=safe, **detail)


def result(ms, call, outcome="ok", **detail):
    return at(ms, Kind.EMITTED, call, what="result", outcome=outcome, **detail)


def violation(rule, ms, *calls):
    return Violation(rule, "the rule", round(ms * 1_000_000), calls, "seen", "", "")


TURN = [
    at(0, Kind.RESPONSE_STARTED),
    block(500, "a", "Bash", False),
    at(500, Kind.ENTERED, "a"),
    block(1000, "b", "Read", True),
    at(1200, Kind.PROGRESSED, "a", n=0),
    block(1500, "c", "Read", True),
    at(1800, Kind.LEFT, "a", ended="error"),
    result(1800, "a", "error"),
    at(1800, Kind.ENTERED, "b"),
    at(1800, Kind.ENTERED, "c"),
    at(2000, Kind.RESPONSE_ENDED),
    at(2050, Kind.LEFT, "c", ended="ok"),
    at(2500, Kind.LEFT, "b", ended="ok"),
    result(2500, "b"),
    result(2500, "c"),
    at(2500, Kind.TURN_ENDED, how="completed"),
]


def drawn(events, header=HEADER, **options):
    return timeline(header, events, **({"width": 80} | options)).splitlines()


def test_a_turn_is_drawn_with_waits_runs_progress_and_emissions():
    assert drawn(TURN) == [
        "streaming · two reads and a shell · seed 0 · completed at 2.5 s",
        "            0 s                  1 s                  2 s",
        "            ┼────────────────────┼────────────────────┼────────────",
        "response    ├──────────┬─────────┬──────────┬─────────┤             ended",
        "a Bash excl            ━━━━━━━━━━━━━━╋━━━━━━━━━━━━●                 error  1.3 s",
        "b Read safe                      ·················━━━━━━━━━━━━━━━●  ok    700 ms",
        "c Read safe                                 ······━━━━━──────────●  ok    250 ms",
        "━ runs  ╋ progress  ● emitted  · queued  ─ waits to be emitted",
    ]


def test_ascii_draws_the_same_cells_in_ascii():
    assert drawn(TURN, ascii=True) == [
        "streaming - two reads and a shell - seed 0 - completed at 2.5 s",
        "            0 s                  1 s                  2 s",
        "            |--------------------|--------------------|------------",
        "response    [----------+---------+----------+---------]             ended",
        "a Bash excl            ##############+############*                 error  1.3 s",
        "b Read safe                      .................###############*  ok    700 ms",
        "c Read safe                                 ......#####----------*  ok    250 ms",
        "# runs  + progress  * emitted  . queued  - waits to be emitted",
    ]


def test_a_narrow_drawing_fits_its_width():
    assert drawn(TURN, width=50) == [
        "streaming · two reads and a shell · seed 0 · comp…",
        "            0 s                    2 s",
        "            ┼──────────────────────┼───────",
        "response    ├─────┬─────┬────┬─────┤        ended",
        "a Bash excl       ━━━━━━━━╋━━━━━━●          error",
        "b Read safe             ·········━━━━━━━━●  ok",
        "c Read safe                  ····━━━─────●  ok",
        "━ runs  ╋ progress  ● emitted  · queued",
        "─ waits to be emitted",
    ]


def test_forty_columns_are_enough():
    assert drawn(TURN, width=40) == [
        "streaming · two reads and a shell · see…",
        "            0 s            2 s",
        "            ┼──────────────┼─────",
        "response    ├───┬───┬──┬───┤      ended",
        "a Bash excl     ━━━━━╋━━━━●       error",
        "b Read safe         ······━━━━━●  ok",
        "c Read safe            ···━━───●  ok",
        "━ runs  ╋ progress  ● emitted  · queued",
        "─ waits to be emitted",
    ]


def test_a_wide_terminal_is_used():
    assert drawn(TURN, width=120)[3:5] == [
        "response    ├──────────────────┬─────────────────┬──────────────────┬─────────────────┤                     "
        "ended",
        "a Bash excl                    ━━━━━━━━━━━━━━━━━━━━━━━━━━╋━━━━━━━━━━━━━━━━━━━━━●                            "
        "error  1.3 s",
    ]


def test_broken_rules_are_marked_at_their_instants():
    early, late = violation("S1", 1200, "b", "a"), violation("L1", 9000, "c")
    lines = drawn(TURN, broken=[early, late])
    assert lines[4] == "rules                           ✗                     ✗  S1 1.2 s, L1 9 s"
    assert lines[-1] == "✗ rule broken  ━ runs  ╋ progress  ● emitted  · queued  ─ waits to be emitted"
    lines = drawn(TURN, broken=[early], ascii=True)
    assert lines[4] == "rules                               !                            S1 1.2 s"


def test_of_ten_thousand_calls_those_that_broke_a_rule_are_drawn():
    events = [block(n, f"c{n}", "Read", True) for n in range(10_000)]
    lines = drawn(events, broken=[violation("S1", 9998, "c9998", "c0")])
    first = [f"c{n}" for n in range(MAX_LANES - 1)]
    assert [line.split()[0] for line in lines[5:-2]] == [*first, "c9998"]
    assert lines[-2] == "and 9,960 more calls"


def test_a_turn_without_events_is_an_empty_axis():
    events = [at(0, Kind.TURN_ENDED, how="completed")]
    assert drawn(events) == [
        "streaming · two reads and a shell · seed 0 · completed at 0 s",
        "         0 s",
        "         ┼─────────────────────────────────────────────────────────",
        "response                                                            no response",
    ]


def test_a_run_without_length_is_still_seen():
    events = [block(0, "a", "Read", True), at(0, Kind.ENTERED, "a"), at(0, Kind.LEFT, "a"), result(0, "a")]
    assert drawn(events) == [
        "streaming · two reads and a shell · seed 0 · not ended",
        "            0 s",
        "            ┼──────────────────────────────────────────────────────────",
        "response    ┬                                                           open",
        "a Read safe ━●                                                          ok   0 s",
        "━ runs  ● emitted",
    ]


def test_a_day_has_an_axis_in_hours_and_what_is_not_told_is_drawn_so():
    events = [block(0, "a", "Read", True), result(40, "a"), block(50, "b", "Edit", False), result(90_000_000, "b")]
    assert drawn(events) == [
        "streaming · two reads and a shell · seed 0 · not ended",
        "            0 s           6 h            12 h          18 h           24 h",
        "            ┼─────────────┼──────────────┼─────────────┼──────────────┼───",
        "response    ┬                                                              open",
        "a Read safe ●                                                              ok",
        "b Edit excl ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌●  ok",
        "● emitted  ╌ not told",
    ]


def test_a_halted_turn_shows_who_still_runs_and_who_waits():
    events = [
        block(0, "a", "Read", True),
        at(0, Kind.ENTERED, "a"),
        block(10, "b", "Edit", False),
        block(20, "u", "Nope", False, known=False),
        at(30, Kind.STOP),
        at(35, Kind.SUBMIT),
        at(40, Kind.HALTED, why="deadlock", waiting=["a waits for its body", "b waits for a"]),
    ]
    assert drawn(events) == [
        "streaming · two reads and a shell · seed 0 · not ended",
        "            0 s         10 ms       20 ms       30 ms",
        "            ┼───────────┼───────────┼───────────┼───────────┼─",
        "response    ┬───────────┬───────────┬                          open",
        "user                                            ▲     ▲        stop 30 ms, sub…",
        "a Read safe ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━▶  no result",
        "b Edit excl             ·····································  no result",
        "u Nope none                         ·························  no result",
        "halted: deadlock: a waits for its body; b waits for a",
        "━ runs  ▶ still runs  · queued",
    ]


def test_a_retry_is_drawn_beside_what_was_withdrawn():
    events = [
        block(0, "a", "Edit", False, attempt=0),
        at(0, Kind.ENTERED, "a"),
        block(1, "z", "Nope", False, attempt=0, known=False),
        result(1, "z", "unknown_tool"),
        at(3, Kind.RESPONSE_FAILED, attempt=0),
        at(3, Kind.DISCARD, attempt=0, withdrawn=["z"]),
        at(4, Kind.RESPONSE_STARTED, attempt=1),
        block(6, "a", "Read", True, attempt=1),
        at(7, Kind.LEFT, "a"),
        at(7, Kind.ENTERED, "a"),
        at(9, Kind.LEFT, "a"),
        at(9, Kind.RESPONSE_ENDED, attempt=1),
        at(10, Kind.TURN_ENDED, how="left", closing=[["a", "ok"]]),
    ]
    assert drawn(events) == [
        "streaming · two reads and a shell · seed 0 · left at 10 ms",
        "            0 s                      5 ms",
        "            ┼────────────────────────┼───────────────────────┼─",
        "response    ┬────┬─────────╳    ├────────┬──────────────┤       ended",
        "a Edit excl ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━                  discarded   7 ms",
        "z Nope none      ●                                              withdrawn",
        "a Read safe                              ·····━━━━━━━━━━──────  ok, untaken 2 ms",
        "━ runs  ● emitted  · queued  ─ waits to be emitted",
    ]


def test_wide_long_and_unprintable_names_keep_the_columns():
    events = [
        block(0, "toolu_01ABCDEFGHIJKLMN", "mcp__日本語__search", True),
        at(0, Kind.ENTERED, "toolu_01ABCDEFGHIJKLMN"),
        block(5, "b\x1b[31m\n", "Read\u202e", True),
        at(7, Kind.ENTERED, "b\x1b[31m\n"),
        result(9, "b\x1b[31m\n", "timeout", abandoned=True),
        block(9, "呼び出しの番号一", "🔧🔨", True),
        block(9, "👩\u200d💻", "e\u0301te\u0301", True),
    ]
    assert drawn(events) == [
        "streaming · two reads and a shell · seed 0 · not ended",
        "                           0 s               5 ms",
        "                           ┼─────────────────┼────────────────",
        "response                   ┬─────────────────┬──────────────┬  open",
        "…FGHIJKLMN mcp__日本… safe ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━▶  no result",
        r"…x1b[31m\n Read\u202e safe                   ········━━━━━━━●  timeout, abando…",
        "…の番号一  🔧🔨       safe                                  ·  no result",
        r"👩\u200d💻 été        safe                                  ·  no result",
        "━ runs  ▶ still runs  · queued  ● emitted",
    ]
    assert {cell_len(line[: line.index("safe")]) for line in drawn(events)[4:8]} == {22}
    assert drawn(events, ascii=True)[6:8] == [
        "????????   ??         safe                                  .  no result",
        r"?\u200d?   e?te?      safe                                  .  no result",
    ]


def test_an_end_without_a_beginning_is_drawn_as_not_told():
    events = [block(0, "a", "Read", True), at(4, Kind.LEFT, "a"), result(9, "a")]
    assert drawn(events) == [
        "streaming · two reads and a shell · seed 0 · not ended",
        "            0 s          2 ms          4 ms         6 ms         8 ms",
        "            ┼────────────┼─────────────┼────────────┼────────────┼────────",
        "response    ┬                                                              open",
        "a Read safe ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌─────────────────────────────────●  ok",
        "╌ not told  ─ waits to be emitted  ● emitted",
    ]


def test_colour_changes_nothing_but_colour():
    coloured = timeline(HEADER, TURN, width=80, colour=True)
    assert "\x1b[31m━" in coloured
    assert "\x1b[32m━" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == timeline(HEADER, TURN, width=80)


def test_of_many_calls_the_first_are_drawn_and_the_rest_is_counted():
    events = [block(n, f"c{n}", "Read", True) for n in range(MAX_LANES + 13)]
    lines = drawn(events)
    assert lines[-2] == "and 13 more calls"
    assert [line.split()[0] for line in lines[4:-2]] == [f"c{n}" for n in range(MAX_LANES)]


@pytest.mark.parametrize("width", [1, MIN_WIDTH, 63, 80, 100, 200])
@pytest.mark.parametrize("scale", [0, 1e-6, 1, 1e6])
def test_no_line_is_wider_than_asked_for(width, scale):
    events = [event._replace(t_ns=round(event.t_ns * scale)) for event in TURN]
    long = block(0, "an-id-beyond-all-measure", "a_tool_beyond_all_measure", True)
    for line in drawn([long, *events], width=width):
        assert cell_len(line) <= max(width, MIN_WIDTH)


def test_steps_of_the_inside_view_change_nothing():
    steps = [(500, Kind.QUEUED), (500, Kind.ADMITTED), (1800, Kind.COMPLETED), (1800, Kind.YIELDED)]
    inside = [at(ms, kind, "a", outcome="error") for ms, kind in steps]
    assert drawn(sorted([*TURN, *inside], key=lambda event: event.t_ns)) == drawn(TURN)


STANDING_BEFORE = [
    at(0, Kind.RESPONSE_STARTED),
    block(0, "a", "Bash", False),
    at(0, Kind.QUEUED, "a"),
    at(0, Kind.ADMITTED, "a"),
    at(0, Kind.HOOK_STARTED, "a", hook="guard", stage="pre"),
    at(0, Kind.RESPONSE_ENDED),
    at(200, Kind.HOOK_ENDED, "a", hook="guard", stage="pre", how="done"),
    at(200, Kind.QUESTION_ASKED, "a", reason=""),
    at(600, Kind.QUESTION_ANSWERED, "a", how="allow"),
    at(600, Kind.ENTERED, "a"),
    at(800, Kind.LEFT, "a", ended="background"),
    at(800, Kind.HOOK_STARTED, "a", hook="tidy", stage="post"),
    at(850, Kind.HOOK_ENDED, "a", hook="tidy", stage="post", how="done"),
    at(850, Kind.COMPLETED, "a", outcome="ok"),
    result(850, "a", started=True),
    at(1000, Kind.WORK_ENDED, "a"),
    at(1000, Kind.TURN_ENDED, how="completed"),
]


def test_what_stands_before_a_body_and_goes_on_after_it_is_drawn():
    """H1, H4, X8: hooks, the question, work in the background."""
    assert drawn(STANDING_BEFORE)[3:] == [
        "response    ┤                                                       ended",
        "a Bash excl ═══════════?????????????????????━━━━━━━━━━═══●░░░░░░░   ok    200 ms",
        "═ hooks  ? asks whether it may  ━ runs  ● emitted  ░ goes on in the background",
    ]


def test_a_call_that_was_never_allowed_shows_what_it_was_asked():
    events = [event for event in STANDING_BEFORE if event.t_ns < 600_000_000]
    events += [
        at(600, Kind.QUESTION_ANSWERED, "a", how="deny"),
        at(600, Kind.COMPLETED, "a", outcome="denied"),
        result(1000, "a", "denied", started=False),
    ]
    assert drawn(events)[4:] == [
        "a Bash excl ════════════???????????????????????───────────────────────●  denied",
        "═ hooks  ? asks whether it may  ─ waits to be emitted  ● emitted",
    ]


@pytest.mark.parametrize(
    ("t_ns", "text"),
    [
        (0, "0 s"),
        (7, "7 ns"),
        (1_500, "1.5 µs"),
        (350_000_000, "350 ms"),
        (1_234_567_890, "1.23 s"),
        (119_000_000_000, "119 s"),
        (150_000_000_000, "2.5 min"),
        (90_000_000_000_000, "25 h"),
    ],
)
def test_a_time_is_written_in_the_unit_that_fits(t_ns, text):
    assert precise(t_ns) == text
