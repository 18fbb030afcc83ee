"""The report as one HTML file: a page that draws turns, and the data it draws.

The rule: the file is complete, loads nothing, and obeys nothing that comes from a session. Times in nanoseconds.
"""

from .report import MAX_CALLS, MAX_ROOM, MAX_TURNS, HtmlReport, TurnRow

__all__ = ["MAX_CALLS", "MAX_ROOM", "MAX_TURNS", "HtmlReport", "TurnRow"]
