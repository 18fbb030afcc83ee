"""``git``: one table per sub-command.

The rule: only a sub-command's reading form is known, and no option cut short. What the repository's own configuration
runs when git reads (a pager, a text conversion, a file-system monitor) is the operator's choice and not looked at.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from .git_options import (
    DIFF_FLAGS,
    DIFF_OPTIONAL,
    DIFF_REFUSED,
    LOG_FLAGS,
    LOG_OPTIONAL,
    LOG_VALUES,
    STATUS_FLAGS,
    STATUS_OPTIONAL,
)
from .model import Arguments, Command, NotReadOnly, Rule, Words

_GLOBAL: Final = Command(
    "git",
    flags="--no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs --glob-pathspecs --version",
    values="-C",
    refused={
        "-c --config-env": "sets a configuration, which may run a program",
        "--git-dir --work-tree --namespace --bare": "works on another repository",
        "--exec-path": "runs programs from elsewhere",
        "-p --paginate": "starts a pager",
    },
    permutes=False,
    abbreviates=False,
)
_Check = Callable[[Arguments], None]
_Sub = partial(Command, abbreviates=False)


def _formats_run_nothing(arguments: Arguments) -> None:
    """``%G?`` and ``%(signature)`` make git run gpg, which may write its own files."""
    for value in arguments.values("--format", "--pretty", "--sort"):
        if value.text is None or "%G" in value.text or "signature" in value.text:
            raise NotReadOnly(f"has a format that may run a program ({value.source})")


def _only_lists(*asking: str, why: str) -> _Check:
    """Make a check that operands are patterns of a list, because one of these options asks for a list."""

    def check(arguments: Arguments) -> None:
        _formats_run_nothing(arguments)
        if arguments.operands and not arguments.has(*asking):
            raise NotReadOnly(f"{why}; with {asking[0]} it would list")

    return check


def _first_is(*words: str, alone: bool, why: str) -> _Check:
    """Make a check of the word that says what to do; `alone` says whether none at all is a reading form."""

    def check(arguments: Arguments) -> None:
        _formats_run_nothing(arguments)
        if not arguments.operands and alone:
            return
        # `git stash -p list` stashes: what is not the first word is no sub-command.
        if not arguments.starts_with_operand or arguments.operands[0].text not in words:
            raise NotReadOnly(f"{why}; known to read is only: {', '.join(words)}")

    return check


def _reads_config(arguments: Arguments) -> None:
    if arguments.has("-l", "--list", "--get", "--get-all", "--get-regexp", "--get-urlmatch"):
        return
    if arguments.starts_with_operand and arguments.operands[0].text in ("get", "list"):
        return
    # Every name of a setting has a dot; without one it may be a sub-command such as `edit`.
    if len(arguments.operands) != 1 or "." not in (arguments.operands[0].text or ""):
        raise NotReadOnly("sets a configuration; it reads one with --get, --list or a lone name")


_LIST_OPTIONS: Final = "--color --no-color --column --no-column --abbrev --no-abbrev --ignore-case -i"
_LIST_FILTERS: Final = "--contains --no-contains --merged --no-merged --points-at"

_LOG: Final = _Sub(
    "log show whatchanged",
    flags=f"{DIFF_FLAGS} {LOG_FLAGS}",
    values=LOG_VALUES,
    optional=f"{DIFF_OPTIONAL} {LOG_OPTIONAL}",
    refused=DIFF_REFUSED,
    numbers=True,
    also=_formats_run_nothing,
)
_DIFF: Final = _Sub(
    "diff diff-tree diff-index diff-files",
    flags=DIFF_FLAGS,
    optional=DIFF_OPTIONAL,
    refused=DIFF_REFUSED,
    numbers=True,
    answers=True,
)
_COMMANDS: Final = (
    _LOG,
    _DIFF,
    _Sub(
        "rev-list shortlog",
        flags=f"{LOG_FLAGS} --count -s -n -e --summary --numbered --email --left-right",
        optional=LOG_OPTIONAL,
        refused=DIFF_REFUSED,
        numbers=True,
        also=_formats_run_nothing,
    ),
    _Sub("status", flags=STATUS_FLAGS, optional=STATUS_OPTIONAL),
    _Sub(
        "branch",
        flags="-a --all -r --remotes -v --verbose --show-current --list",
        values="--sort --format",
        optional=f"{_LIST_OPTIONS} {_LIST_FILTERS}",
        refused={
            "-d -D --delete": "deletes a branch",
            "-m -M --move -c -C --copy": "renames or copies a branch",
            "-f --force -t --track --no-track": "creates a branch",
            "-u --set-upstream-to --unset-upstream --edit-description": "changes a branch's configuration",
        },
        also=_only_lists("--list", *_LIST_FILTERS.split(), why="creates a branch"),
    ),
    _Sub(
        "tag",
        flags="-l --list",
        values="--sort --format",
        optional=f"-n {_LIST_OPTIONS} {_LIST_FILTERS}",
        refused={
            "-d --delete": "deletes a tag",
            "-v --verify": "runs a program",
            "-a --annotate -s --sign -f --force -m --message -F --file -u --local-user": "creates a tag",
        },
        also=_only_lists("--list", "-l", *_LIST_FILTERS.split(), why="creates a tag"),
    ),
    _Sub(
        "config",
        flags="-l --list --get --get-all --get-regexp --get-urlmatch --global --system --local --worktree "
        "--show-origin --show-scope -z --null --name-only --includes --no-includes --bool --int --bool-or-int "
        "--path",
        values="-f --file --blob --type --default",
        refused={
            "-e --edit": "starts an editor",
            "--add --replace-all --unset --unset-all": "sets a configuration",
            "--rename-section --remove-section": "sets a configuration",
        },
        answers=True,
        also=_reads_config,
    ),
    _Sub("remote", flags="-v --verbose", also=_first_is("get-url", alone=True, why="changes or asks a remote")),
    _Sub(
        "stash",
        flags=f"{DIFF_FLAGS} {LOG_FLAGS}",
        optional=f"{DIFF_OPTIONAL} {LOG_OPTIONAL}",
        refused=DIFF_REFUSED,
        numbers=True,
        also=_first_is("list", "show", alone=False, why="moves changes in or out of the stash"),
    ),
    _Sub(
        "reflog",
        flags=f"{DIFF_FLAGS} {LOG_FLAGS}",
        values=LOG_VALUES,
        optional=f"{DIFF_OPTIONAL} {LOG_OPTIONAL}",
        refused=DIFF_REFUSED,
        numbers=True,
        also=_first_is("show", "exists", "HEAD", alone=True, why="may change the reflog"),
    ),
    _Sub(
        "worktree", flags="-v --verbose --porcelain -z", also=_first_is("list", alone=False, why="changes work trees")
    ),
    _Sub("submodule", flags="--cached --recursive", also=_first_is("status", alone=False, why="changes submodules")),
    _Sub("notes", also=_first_is("list", "show", alone=False, why="changes notes")),
    _Sub("bisect", also=_first_is("log", alone=False, why="checks out revisions")),
    _Sub(
        "grep",
        flags="-a --text -i --ignore-case -I -w --word-regexp -v --invert-match -h -H --full-name -E "
        "--extended-regexp -G --basic-regexp -P --perl-regexp -F --fixed-strings -n --line-number --column -l "
        "--files-with-matches --name-only -L --files-without-match -z --null -o --only-matching -c --count "
        "--no-color --break --heading -p --show-function -W --function-context --all-match -q --quiet --and "
        "--or --not --cached --untracked --no-index --recurse-submodules --no-textconv -r --recursive "
        "--no-recursive --exclude-standard --no-exclude-standard",
        values="-e -f -A -B -C -m",
        optional="--color --max-depth --after-context --before-context --context --max-count --threads",
        refused={"-O --open-files-in-pager": "starts a pager", "--textconv --ext-grep": "may run a program"},
        numbers=True,
        answers=True,
    ),
    _Sub(
        "blame annotate",
        flags="-b -l -t -f --show-name -n --show-number -s -e --show-email -w -p --porcelain --line-porcelain --root "
        "--show-stats --incremental --first-parent --minimal -c",
        values="-L -S --ignore-rev --ignore-revs-file",
        optional="-M -C --abbrev --date --since --reverse --color-lines --color-by-age",
    ),
    _Sub(
        "ls-files",
        flags="-z -t -v -f -c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -k --killed "
        "--directory --no-empty-directory -u --unmerged --eol --deduplicate --exclude-standard --full-name "
        "--recurse-submodules --error-unmatch --debug",
        values="-x --exclude -X --exclude-from",
        optional="--exclude-per-directory --with-tree --abbrev --format",
        answers=True,
    ),
    _Sub(
        "ls-tree",
        flags="-d -r -t -l --long -z --name-only --name-status --object-only --full-name --full-tree",
        optional="--abbrev --format",
    ),
    _Sub(
        "cat-file",
        flags="-e -t -s -p",
        optional="--batch --batch-check --batch-all-objects --unordered",
        answers=True,
        refused={"--textconv --filters": "may run a program"},
    ),
    _Sub(
        "describe",
        flags="--all --tags --long --always --first-parent --contains --debug --exact-match",
        optional="--abbrev --candidates --match --exclude --dirty --broken",
    ),
    _Sub(
        "for-each-ref",
        flags="--ignore-case --omit-empty",
        values="--format --sort --count",
        optional=f"{_LIST_FILTERS} --color",
        also=_formats_run_nothing,
    ),
    _Sub(
        "show-ref",
        flags="--head --heads --tags --branches -d --dereference --verify -q --quiet",
        answers=True,
        optional="-s --hash --abbrev",
    ),
    _Sub("merge-base", flags="-a --all --octopus --independent --is-ancestor --fork-point", answers=True),
    _Sub("name-rev", flags="--tags --name-only --always --all --no-undefined", optional="--refs --exclude"),
    _Sub("count-objects", flags="-v --verbose -H --human-readable"),
    _Sub("check-ignore", flags="-q --quiet -v --verbose -z -n --non-matching --no-index --stdin", answers=True),
    _Sub("check-attr", flags="-a --all --cached -z --stdin"),
    _Sub("cherry", flags="-v", optional="--abbrev"),
    _Sub("rev-parse", any_option=True, answers=True),
    _Sub("version", flags="--build-options"),
)
SUB_COMMANDS: Final[dict[str, Command]] = {name: each for each in _COMMANDS for name in each.names.split()}


class Git:
    """The rule of ``git``."""

    answers = True

    def check(self, words: Words) -> Sequence[Words]:
        """Look the sub-command up and hold it against its table."""
        arguments = _GLOBAL.sort(words[1:])
        if not arguments.operands:
            return ()
        return self.sub_command(words).check(arguments.operands)

    def sub_command(self, words: Words) -> Rule:
        """Find the rule of the sub-command.

        Raises:
            NotReadOnly: none is known.
        """
        sub_command = _GLOBAL.sort(words[1:]).operands[:1]
        name = sub_command[0].text if sub_command else None
        if name not in SUB_COMMANDS:
            raise NotReadOnly(f"has a sub-command that is not known to read ({name})")
        return SUB_COMMANDS[name]
