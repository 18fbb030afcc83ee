"""Foreign text made safe to show, whole texts too. The rule and single names: :mod:`scenarios.visible`. No units."""

from scenarios.visible import visible

__all__ = ["visible", "visible_lines"]


def visible_lines(text: str) -> str:
    r"""Make each line of a text visible, and keep it in lines.

    >>> print(visible_lines("a\x1b[2J\nb"))
    a\x1b[2J
    b
    """
    return "\n".join(map(visible, text.split("\n")))
