"""``xxd``: its options have one dash and many letters, and its second operand is its output.

The rule: options stand in front, spelled out.
"""

from collections.abc import Sequence
from typing import Final

from .model import NotReadOnly, Words, names

_FLAGS: Final = names("-a -b -e -E -i -p -ps -plain -r -u -v")
_VALUES: Final = names("-c -cols -g -groupsize -l -len -o -s -seek")


class Xxd:
    """The rule of ``xxd``."""

    answers = False

    def check(self, words: Words) -> Sequence[Words]:
        """Read the options; let one operand through."""
        at = 1
        while at < len(words) and (words[at].text or "").startswith("-") and words[at].text != "-":
            option = words[at].text
            if option not in _FLAGS and option not in _VALUES:
                raise NotReadOnly(f"has an option that is not known to be harmless ({option})")
            at += 2 if option in _VALUES else 1
        if any(word.several for word in words[1:]) or any(not word.is_operand_like for word in words[at:]):
            raise NotReadOnly("has words that are not clear")
        if len(words[at:]) > 1:
            raise NotReadOnly("writes to its second operand")
        return ()
