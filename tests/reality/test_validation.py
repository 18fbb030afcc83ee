"""The aims hold on the recordings beside the project, and each choice that these can show is needed for them."""

from pathlib import Path
from statistics import median

import pytest
from material import CLAUDE, OTHER_ENGINE, Material, measure, play, replayed
from recorded_facts import facts
from validation import MS, PAGE, by_tool, page, read_here

ROOT = Path(__file__).parents[2]
TRACES = ROOT.parent / "shared" / "traces"
BATCH, ANY_ERROR, SHELL_ERROR = CLAUDE

pytestmark = pytest.mark.skipif(not TRACES.is_dir(), reason="the recorded traces do not lie beside the project")


@pytest.fixture(scope="module")
def found() -> Material:
    return play(TRACES)


def test_the_order_of_results_is_as_recorded_in_99_of_100_responses(found: Material) -> None:
    """E6, Q3: a result may change places only with one of the same millisecond."""
    told = measure(found.of(*CLAUDE))
    assert told.responses > 100
    assert told.same + told.tied >= 0.99 * told.responses
    assert told.tied <= 0.01 * told.responses


def test_exactly_the_recorded_calls_are_cancelled(found: Material) -> None:
    """A2: in every response, and some have such calls."""
    told = measure(found.of(*CLAUDE))
    assert told.cancelled_same == told.responses
    assert told.with_cancelled >= 10


def test_calls_start_when_a_hook_says_within_a_few_milliseconds(found: Material) -> None:
    """E3, E5: though the runs are not told what hooks say."""
    told = measure(found.of(*CLAUDE))
    assert told.exact.starts >= 30
    assert (told.exact.median_ns or 0) <= 5 * MS
    assert (told.exact.p95_ns or 0) <= 25 * MS
    assert told.others.starts >= 30
    assert (told.others.median_ns or 0) <= 100 * MS


def test_no_run_of_a_recorded_response_breaks_a_rule(found: Material) -> None:
    """T1, S3, P1 and all others: the same turns also come out as the reference model says."""
    assert [(path.name, each.violations) for path, each in found.played if each.violations] == []


def test_shell_commands_overlap_where_they_only_read_and_nowhere_else(found: Material) -> None:
    """R1, S1."""
    told = measure(found.of(*CLAUDE))
    assert told.neighbours_right == told.neighbours_told >= 20


def test_every_recorded_order_of_the_other_programs_comes_out(found: Material) -> None:
    for each in found.of(*[each.turn.choice.profile for _, each in found.played if each.turn.choice.profile]):
        if each.turn.choice.assumed not in CLAUDE:
            assert each.order == "same"


@pytest.mark.parametrize(
    ("profile", "choice"),
    [
        (BATCH, OTHER_ENGINE),
        (BATCH, "results in request order"),
        (BATCH, "a shell counts per tool"),
        (BATCH, "errors of shells cancel"),
        (ANY_ERROR, OTHER_ENGINE),
        (ANY_ERROR, "errors of shells only cancel"),
        (SHELL_ERROR, OTHER_ENGINE),
        (SHELL_ERROR, "no error cancels"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_another_choice_would_miss_an_aim(profile, choice: str, found: Material) -> None:
    """R3, A2, E6: the aims tell right profiles from wrong ones."""
    told = measure(replayed(found, profile, choice))
    assert told.responses == len(found.of(profile))
    assert (
        told.same + told.tied < 0.99 * told.responses
        or told.cancelled_same < told.responses
        or (told.exact.median_ns or 0) > 5 * MS
        or (told.others.median_ns or 0) > 100 * MS
    )


def test_reads_in_company_are_as_long_as_reads_alone_only_by_the_rule_of_their_engine(found: Material) -> None:
    """Q2, E3: up to 2.1.22 calls waited for the whole response; started earlier, reads would be ten times as long."""
    alone_ns = median(found.alone_ns[BATCH.name, "Read"])
    assert median(by_tool(found.of(BATCH))["Read"]) == pytest.approx(alone_ns, rel=0.5)
    assert median(by_tool(replayed(found, BATCH, OTHER_ENGINE))["Read"]) > 5 * alone_ns


def test_recordings_show_by_themselves_what_the_profiles_say(found: Material) -> None:
    """README 0.1 to 0.3 and 0.5 of the shared traces."""
    batch, *streaming = (
        facts(each.turn for _, each in found.played if each.turn.choice.profile == profile) for profile in CLAUDE
    )
    assert batch["a result before the last block"] == batch["of those some cancelled"] == 0
    assert batch["an error with calls behind it"] > 0
    assert batch["results out of order"] > 0.1 * batch["responses"]
    for seen in streaming:
        assert seen["a result before the last block"] > 0.6 * seen["responses"]
        assert seen["of those all cancelled"] == seen["an error with calls behind it"] > 0
        assert seen["of those answered at once"] == seen["calls that arrived after the error"] > 0
    assert streaming[1]["of those by no shell"] == 0


def test_the_page_is_what_would_be_written_from_the_same_recordings(found: Material) -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    if read_here(found) not in text:
        pytest.skip("the page was written from other recordings")
    assert page(found) == text, "write it anew: make validate"
