"""Commands that tell about files, the machine and the time.

The rule: a program stands under `any_option` only if no version of it can write, run or set anything.
"""

from collections.abc import Sequence

from .model import Arguments, Command, NotReadOnly, Rule, Words, names, table


def _only_formats(arguments: Arguments) -> None:
    """An operand of ``date`` that is no format sets the clock."""
    if any(not word.prefix.startswith("+") or word.splits for word in arguments.operands):
        raise NotReadOnly("may set the clock: an operand must be a format such as +%s")


class Version:
    """Programs that run what they are given, but may be asked for their version."""

    answers = False

    def check(self, words: Words) -> Sequence[Words]:
        """Let a lone ``--version`` through."""
        if [word.text for word in words[1:]] != ["--version"]:
            raise NotReadOnly("runs a program; of it only --version is known to be harmless")
        return ()


SYSTEM: dict[str, Rule] = table(
    Command(
        "ls dir vdir",
        flags="-a --all -A --almost-all --author -b --escape -B --ignore-backups -c -C -d --directory -D --dired -f "
        "-F -g --file-type --full-time --group-directories-first -G --no-group -h --human-readable --si -H "
        "--dereference-command-line --dereference-command-line-symlink-to-dir -i --inode -k --kibibytes -l -L "
        "--dereference -m -n --numeric-uid-gid -N --literal -o -p -q --hide-control-chars "
        "--show-control-chars -Q --quote-name -r --reverse -R --recursive -s --size -S -t -u -U -v -x -X -Z "
        "--context --zero -1 --help --version",
        values="--block-size --format --hide --indicator-style -I --ignore --quoting-style --sort --time "
        "--time-style -T --tabsize -w --width",
        optional="--color --classify --hyperlink",
        any_words=True,
    ),
    Command(
        "tree",
        flags="-a -d -l -f -x -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n -C -X -J --noreport --dirsfirst "
        "--filesfirst --si --du --prune --matchdirs --ignore-case --inodes --device --gitignore --version --help",
        values="-L -P -I",
        optional="--sort --charset --filelimit --timefmt",
        refused={
            "-o": "writes its result to a file",
            "-R": "writes a file into directories",
            "-H": "prints a web page",
        },
        abbreviates=False,
    ),
    Command(
        "du",
        flags="-0 --null -a --all --apparent-size -b --bytes -c --total -D --dereference-args -H -h "
        "--human-readable --inodes -k -L --dereference -l --count-links -m -P --no-dereference -S "
        "--separate-dirs --si -s --summarize -x --one-file-system --help --version",
        values="-B --block-size -d --max-depth --files0-from -t --threshold --time-style -X --exclude-from --exclude",
        optional="--time",
        any_words=True,
    ),
    Command(
        "df",
        flags="-a --all -h --human-readable -H --si -i --inodes -k -l --local --no-sync -m -P --portability --total -T "
        "--print-type -v --help --version",
        values="-B --block-size -t --type -x --exclude-type",
        optional="--output",
        any_words=True,
    ),
    Command(
        "stat",
        flags="-L --dereference -f --file-system -t --terse -x --help --version",
        values="-c --format --printf --cached",
        any_words=True,
    ),
    Command(
        "file",
        flags="-b --brief -i --mime --mime-type --mime-encoding -k --keep-going -L --dereference -h "
        "--no-dereference -n -N --no-pad -0 --print0 -r --raw -E --extension --apple --help -v --version",
        values="-e --exclude -f --files-from -F --separator",
        refused={
            "-C --compile": "writes a compiled file",
            "-z --uncompress -Z --uncompress-noreport": "runs a program",
            "-m --magic-file": "may read rules of its own",
            "-p --preserve-date": "sets a file's times",
        },
    ),
    Command(
        "realpath readlink",
        flags="-e --canonicalize-existing -f --canonicalize -m --canonicalize-missing -L --logical -P --physical -n "
        "--no-newline -q --quiet -s --silent --strip --no-symlinks -v --verbose -z --zero --help --version",
        values="--relative-to --relative-base",
        any_words=True,
    ),
    Command(
        "date",
        flags="--debug --resolution -R --rfc-email -u --utc --universal --help --version",
        values="-d --date -r --reference --rfc-3339",
        optional="-I --iso-8601",
        refused={"-s --set": "sets the clock", "-f --file": "may set the clock on some systems"},
        operands=1,
        also=_only_formats,
    ),
    Command("hostname", flags="-f --fqdn -s --short -i -I -d -A", operands=0, surplus="sets the host's name"),
    Command("arch", operands=0, surplus="runs a program on some systems"),
    Command(
        "ss netstat",
        flags="-t -u -l -n -p -a -r -o -e -s -x -4 -6 --tcp --udp --listening --numeric --processes --programs --all",
        abbreviates=False,
        operands=0,
    ),
    Command(
        "pgrep",
        flags="-f --full -l --list-name -a --list-full -n --newest -o --oldest -x --exact -c --count -i --ignore-case",
        values="-u --euid -U --uid -t --terminal -P --parent -d --delimiter -s --session",
        answers=True,
    ),
    Command("dmesg", flags="-T --ctime -t --notime -k --kernel -u --userspace -x --decode", values="-l --level"),
    Command(
        "uname",
        flags="-a --all -s --kernel-name -n --nodename -r --kernel-release -v --kernel-version -m --machine -p "
        "--processor -i --hardware-platform -o --operating-system --help --version",
        operands=0,
    ),
    Command(
        "uptime free id whoami groups nproc tty logname users who w last basename dirname seq sleep factor lsblk lscpu "
        "vmstat getconf whereis yes tsort",
        any_option=True,
    ),
    Command("ps printenv expr which", any_option=True, answers=True),
    Command(
        "getent",
        flags="-i --no-idn -A --no-addrconfig --version --help",
        refused={"-s --service": "loads a library by its name"},
    ),
)
SYSTEM |= dict.fromkeys(
    names("python python3 node ruby perl php java gcc g++ clang cc make cmake bash docker"), Version()
)
