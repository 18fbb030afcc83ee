"""Commands that search: in files, and for files by name (``find`` has a module of its own).

The rule: ``rg``, ``fd``, ``ag`` and ``ack`` can all run programs, so a word of theirs must be known to be no option.
"""

from .model import Command, table

SEARCH = table(
    Command(
        "grep egrep fgrep",
        flags="-E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -i -y --ignore-case "
        "--no-ignore-case -w --word-regexp -x --line-regexp -z --null-data -s --no-messages -v --invert-match "
        "-V --version --help -b --byte-offset -n --line-number --line-buffered -H --with-filename -h "
        "--no-filename -o --only-matching -q --quiet --silent -a --text -I -r --recursive -R "
        "--dereference-recursive -L --files-without-match -l --files-with-matches -c --count -T --initial-tab "
        "-Z --null --no-group-separator -U --binary",
        values="-e --regexp -f --file -m --max-count --label --binary-files -d --directories -D --devices --include "
        "--exclude --exclude-from --exclude-dir -B --before-context -A --after-context -C --context --group-separator",
        optional="--color --colour",
        numbers=True,
        any_words=True,
        answers=True,
    ),
    Command(
        "rg",
        flags="-i --ignore-case -s --case-sensitive -S --smart-case -v --invert-match -w --word-regexp -x "
        "--line-regexp -F --fixed-strings -P --pcre2 -n --line-number -N --no-line-number -l "
        "--files-with-matches --files-without-match -c --count --count-matches -o --only-matching -q --quiet "
        "-H --with-filename -I --no-filename -u --unrestricted --hidden -. --no-ignore --no-ignore-vcs "
        "--no-ignore-parent --no-ignore-global --no-config -L --follow --files --type-list --json --vimgrep "
        "--column --no-column --heading --no-heading --trim -U --multiline --multiline-dotall -a --text "
        "--binary -p --pretty --stats --passthru -0 --null --null-data --no-messages --no-mmap --mmap --crlf "
        "--debug --trace --one-file-system --sort-files --block-buffered --line-buffered "
        "--glob-case-insensitive --include-zero --max-columns-preview --no-pre --no-hidden --version -V",
        values="-e --regexp -f --file -g --glob --iglob -t --type -T --type-not --type-add --type-clear -A "
        "--after-context -B --before-context -C --context -m --max-count -d --max-depth --maxdepth "
        "--max-filesize -M --max-columns -r --replace -j --threads --color --colors --sort --sortr -E "
        "--encoding --engine --ignore-file --path-separator --context-separator --field-match-separator "
        "--field-context-separator --dfa-size-limit --regex-size-limit",
        refused={
            "--pre --pre-glob": "runs a program on each file",
            "--hostname-bin": "runs a program",
            "-z --search-zip": "runs programs to unpack files",
        },
        abbreviates=False,
        answers=True,
    ),
    Command(
        "fd fdfind",
        flags="-H --hidden -I --no-ignore -u --unrestricted --no-ignore-vcs --no-ignore-parent -s --case-sensitive -i "
        "--ignore-case -g --glob --regex -F --fixed-strings -a --absolute-path -L --follow -p --full-path -0 --print0 "
        "--prune --one-file-system --show-errors -1 -q --quiet --strip-cwd-prefix --version -V",
        values="-d --max-depth --min-depth --exact-depth -e --extension -t --type -E --exclude -S --size "
        "--changed-within --changed-before --changed-after --newer --older -c --color -j --threads "
        "--max-results --base-directory --search-path --path-separator --ignore-file -o --owner",
        refused={
            "-x --exec": "runs a program for each file",
            "-X --exec-batch": "runs a program",
            "-l --list-details": "runs a program",
        },
        abbreviates=False,
        answers=True,
    ),
    Command(
        "ag",
        flags="-a --all-types -c --count -f --follow --hidden -i --ignore-case -l --files-with-matches -L "
        "--files-without-matches -n --norecurse -o --only-matching -Q --literal -F --fixed-strings -s "
        "--case-sensitive -S --smart-case -u --unrestricted -U --skip-vcs-ignores -v --invert-match -w "
        "--word-regexp --nocolor --color --column --nogroup --noheading --heading --nofilename --numbers "
        "--nonumbers --vimgrep --stats --nopager -0",
        values="-G --file-search-regex -g --ignore --ignore-dir -m --max-count --depth",
        refused={"--pager": "runs a program", "-z --search-zip": "unpacks files"},
        abbreviates=False,
        answers=True,
    ),
    Command(
        "ack",
        flags="-c --count -f -h --no-filename -H --with-filename -i --ignore-case -l --files-with-matches -L "
        "--files-without-matches -n --no-recurse -o -Q --literal -s -v --invert-match -w --word-regexp -x --nocolor "
        "--nogroup --noenv --column --sort-files --nopager",
        values="-m --max-count -A --after-context -B --before-context",
        optional="-C --context",
        refused={"--pager": "runs a program", "--output": "evaluates an expression"},
        abbreviates=False,
        answers=True,
    ),
)
