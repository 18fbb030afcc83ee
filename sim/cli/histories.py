"""What the commands tell of histories: faults with the lines and places of all their ends."""

from pathlib import Path

from scenarios.history import Fault, HistoryError
from scenarios.history.model import Form, History, HistoryFile

from .answers.recordings import CheckedFile
from .answers.shape import BrokenRule, Place
from .exits import Unusable


def history_row(path: Path, file: HistoryFile) -> CheckedFile:
    """Judge the histories of a file by P1, P2, P3 and W7.

    Raises:
        Unusable: one of them is no history of the Messages API.
    """
    try:
        faults = [_fault_json(fault, history, file.form) for history in file.histories for fault in history.faults()]
        unanswered = [call for history in file.histories for call in history.open_calls()]
    except HistoryError as error:
        raise Unusable(f"{path}: {error}") from error
    return {
        "file": str(path),
        "format": file.source,
        "turns": sum(history.turns for history in file.histories),
        "violations": sorted(faults, key=lambda fault: fault["line"]),
        "unanswered": unanswered,
        "damage": [{"line": damage.line, "what": damage.what} for damage in file.damage],
    }


def _fault_json(fault: Fault, history: History, form: Form) -> BrokenRule:
    ends: list[Place] = [
        {"what": end.what, "line": history.line(end.place), "message": end.place.message, "block": end.place.block}
        for end in fault.ends
    ]
    # A document of JSON may lie on one line; where each message has its own, the line says it all.
    paths = [f"at {end.place}, line" if form in ("messages", "bodies") else "on line" for end in fault.ends]
    told = "; ".join(f"{end['what']} {path} {end['line']}" for end, path in zip(ends, paths, strict=True))
    return {
        "rule": fault.rule,
        "kind": fault.kind.value,
        "at_s": None,
        "line": ends[0]["line"],
        "calls": [fault.call],
        "message": f"{fault.what} ({told})",
        "places": ends,
    }
