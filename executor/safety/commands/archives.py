"""Archives and packed files: listing them, and unpacking to standard output.

The rule: the form that only lists is let through, in its usual spellings; every other form writes.
"""

import re
from collections.abc import Sequence

from .model import Arguments, Command, NotReadOnly, Rule, Words, table


class Tar:
    """``tar``, listing."""

    answers = False

    def check(self, words: Words) -> Sequence[Words]:
        """Let ``tar tzf FILE`` through, with or without a dash, and names of members behind it."""
        texts = [word.text for word in words[1:]]
        if len(texts) < 2 or texts[0] is None or not re.fullmatch(r"-?(?=[vzjJ]*t)[tvzjJ]+f", texts[0]):
            raise NotReadOnly("writes, or may: of tar only listing is known to be harmless (tar -tf FILE)")
        if texts[1] is None or ":" in texts[1] or texts[1].startswith("-"):
            raise NotReadOnly("may take its archive from another machine")
        if not all(word.is_operand_like for word in words[3:]):
            raise NotReadOnly("has options behind the archive")
        return ()


class Unzip:
    """``unzip``, listing."""

    answers = False

    def check(self, words: Words) -> Sequence[Words]:
        """Let ``unzip -l FILE`` through."""
        if len(words) < 3 or words[1].text not in ("-l", "-v", "-lv", "-t"):
            raise NotReadOnly("unpacks files: of unzip only listing is known to be harmless (unzip -l FILE)")
        if not all(word.is_operand_like for word in words[2:]):
            raise NotReadOnly("has options behind the listing")
        return ()


def _stays_on_standard_output(arguments: Arguments) -> None:
    if arguments.has("-c", "--stdout", "--to-stdout"):
        return
    # Where options contradict each other the last one wins: xz -l -d replaces the file.
    if arguments.has("-d", "--decompress") or not arguments.has("-l", "--list", "-t", "--test"):
        raise NotReadOnly("replaces files; with -c it would print")


ARCHIVES: dict[str, Rule] = table(
    Command("zcat gzcat bzcat xzcat zstdcat lzcat", flags="-f -q"),
    Command(
        "gzip gunzip xz unxz bzip2 bunzip2",
        flags="-c --stdout --to-stdout -d --decompress -k --keep -t --test -q --quiet -v --verbose -l --list",
        abbreviates=False,
        also=_stays_on_standard_output,
    ),
)
ARCHIVES |= {"tar": Tar(), "unzip": Unzip()}
