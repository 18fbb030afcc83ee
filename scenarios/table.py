"""What a scenario says of commands and annotations by themselves: a row each, with the class it must have.

The rule: a row is judged without a call, so that one file tells a table of them. No units.
"""

from typing import Self

from pydantic import StrictBool, StrictStr, model_validator

from .part import Json, Part, fault


class Row(Part):
    """A shell command (R1, R2), or the annotations of an MCP tool (R4), and whether it only reads.

    >>> Row(cmd="ls -la", read_only=True).reads_only
    True
    """

    cmd: StrictStr | None = None
    annotations: dict[StrictStr, Json] | None = None
    trusted: StrictBool = True
    """With ``annotations``: whether the operator trusts that server."""
    read_only: StrictBool
    """What must come out: it may run beside others (true), or has to run alone."""
    why: StrictStr = ""

    @property
    def reads_only(self) -> bool:
        """What our own classifiers say of it."""
        # Only here: the grammar is a big library, and most scenarios have no shell.
        from executor.safety.mcp import mcp_safety
        from executor.safety.shell import shell_safety

        if self.annotations is not None:
            return mcp_safety(self.annotations, trusted=self.trusted)
        return shell_safety()({"command": self.cmd})

    @model_validator(mode="after")
    def _is_of_one_thing(self) -> Self:
        if (self.cmd is None) == (self.annotations is None):
            got = "neither" if self.cmd is None else "both"
            raise fault((), f"expected cmd or annotations, got {got}; a row is about one thing")
        if self.cmd is not None and not self.trusted:
            raise fault(("trusted",), "expected trusted only with annotations; leave it out")
        return self
