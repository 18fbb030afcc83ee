"""What a scenario says of hooks: how long they take, what they say, how they fail. Nothing here runs.

The rule: a hook says everything it has to say at its end, unless it ``speaks_first``. Unit: integer nanoseconds.
"""

from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, StrictBool, StrictInt, StrictStr, Tag, model_validator

from .durations import Distribution, LimitNs
from .part import Json, Name, Part, fault

MaybeEndless = Annotated[
    Annotated[Literal["hang"], Tag("endless")] | Annotated[Distribution, Tag("ending")],
    Discriminator(lambda value: "endless" if value == "hang" else "ending"),
]
"""How long something takes; ``hang``: it never ends by itself."""


class Rewrite(Part):
    """The input that a hook or a person gives instead of the model's, and what the tool makes of it (H8)."""

    input: dict[StrictStr, Json] = Field(default_factory=dict)
    safe: StrictBool | None = None
    """The class of the new input where it is not its tool's."""
    valid: StrictBool = True
    """False: the new input does not validate (X1)."""


class HookWords(Part):
    """What a hook does for one call: how long it takes, then what it says (H1, H5) or how it fails (H7)."""

    takes: MaybeEndless = 0
    stubborn: StrictBool = False
    """True: it resists being cancelled."""
    speaks_first: StrictBool = False
    """True: it says what it has to say at once and then takes its time."""
    raises: StrictStr | None = None
    """What it raises at its end."""
    exit: StrictInt = Field(default=0, ge=0)
    """A command's exit status: 2 blocks, any other but 0 leaves a warning (B077)."""
    stderr: StrictStr = ""
    launch_error: StrictBool = False
    """True: a command that cannot be launched, which keeps the call from running."""
    message: StrictStr | None = None
    permission: Literal["allow", "deny", "ask"] | None = None
    reason: StrictStr = ""
    """Why, with ``permission``."""
    rewrite: Rewrite | None = None
    """The input it gives instead; with ``permission: allow`` in one."""
    prevents_continuation: StrictBool = False
    stop_reason: StrictStr | None = None
    context: StrictStr | None = None
    """Additional context for the model."""
    stop: StrictStr | None = None
    """The call is not to run, for this reason, which may be empty."""
    output: StrictStr | None = None
    """After the body: what replaces its output, of MCP tools only (H5)."""

    @model_validator(mode="after")
    def _words_fit(self) -> Self:
        if self.reason and self.permission not in ("deny", "ask"):
            raise fault(("reason",), "expected reason only with permission: deny or ask; leave it out")
        if self.stderr and not self.exit:
            raise fault(("stderr",), "expected stderr only with an exit status other than 0; add exit or leave it out")
        failing = [word for word in ("raises", "exit", "launch_error") if getattr(self, word) not in (None, 0, False)]
        if len(failing) > 1:
            raise fault((failing[1],), f"expected one way to fail, got {failing[1]} beside {failing[0]}; leave one out")
        return self


class OwnHook(HookWords):
    """A hook of one tool."""

    timeout_ns: LimitNs | None = Field(default=None, alias="timeout")
    """Its own deadline; a minute where none is given."""
    fail_closed: StrictBool = False
    """True: where it raises or takes too long the call does not run."""


class HookSpec(OwnHook):
    """A hook of the installation, in the order in which it is registered (H8)."""

    name: Name | None = None
    on: Literal["pre", "post", "failure"] = "pre"
    """Before the body, after it, or after it failed."""
    tools: Name = "*"
    """Which tools it is about: names or globs, ``|`` between them."""
