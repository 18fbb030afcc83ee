"""Foreign text made safe to show: names, ids and inputs of a session may hold anything.

The rule: what steers a terminal or turns the direction of writing is shown as its escape, never obeyed and never
dropped, so that two names that differ look different. No units.
"""


def visible(text: str) -> str:
    r"""Write control, format and unassigned characters, lone surrogates and odd spaces as Python escapes them.

    >>> print(visible("b\x1b[31m\n"), visible("\u202egpj.exe"), visible("日本語 a\\b"))
    b\x1b[31m\n \u202egpj.exe 日本語 a\b
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
